import { createHash } from 'node:crypto';
import type { ContentItem } from '@platform/contracts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { canonicalJson, isObject } from '../../infra/runtime/json.ts';

const MAX_ITEMS = 64;
const DETAILS = ['auto', 'low', 'high'];
/** The most characters before the comma of a data URI. A type with parameters is much shorter. */
const MAX_DATA_HEAD = 1024;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Returns the problems of `contents`. Each names the item and what is expected. */
export function checkContents(value: unknown, path: string): string[] {
  if (value === undefined) return [`${path} is required: an array of at least one item`];
  if (!Array.isArray(value)) return [`${path} must be an array`];
  if (value.length === 0) return [`${path} must not be empty`];
  if (value.length > MAX_ITEMS) return [`${path} must have at most ${MAX_ITEMS} items`];
  return value.flatMap((item, i) => checkItem(item, `${path}[${i}]`));
}

function checkItem(item: unknown, path: string): string[] {
  if (!isObject(item)) return [`${path} must be an object`];
  switch (item.type) {
    case 'text':
      return [
        ...unknownFieldProblems(item, ['type', 'text'], path),
        ...(typeof item.text === 'string' ? [] : [`${path}.text must be a string`]),
      ];
    case 'image_url':
      return [
        ...unknownFieldProblems(item, ['type', 'image_url'], path),
        ...checkImage(item.image_url, `${path}.image_url`),
      ];
    case 'audio':
      return [
        ...unknownFieldProblems(item, ['type', 'audio_url'], path),
        ...checkAudio(item.audio_url, `${path}.audio_url`),
      ];
    case 'file':
      return [
        ...unknownFieldProblems(item, ['type', 'file_info'], path),
        ...checkFile(item.file_info, `${path}.file_info`),
      ];
    default:
      return [`${path}.type must be one of text, image_url, audio, file`];
  }
}

function checkImage(image: unknown, path: string): string[] {
  if (!isObject(image)) return [`${path} must be an object with url`];
  const problems = [
    ...unknownFieldProblems(image, ['url', 'detail'], path),
    ...checkMediaUrl(image.url, `${path}.url`),
  ];
  const { detail } = image;
  if (detail !== undefined && detail !== null && !DETAILS.includes(detail as string)) {
    problems.push(`${path}.detail must be one of ${DETAILS.join(', ')}`);
  }
  return problems;
}

function checkAudio(audio: unknown, path: string): string[] {
  if (!isObject(audio)) return [`${path} must be an object with url`];
  return [...unknownFieldProblems(audio, ['url'], path), ...checkMediaUrl(audio.url, `${path}.url`)];
}

function checkFile(file: unknown, path: string): string[] {
  if (!isObject(file)) return [`${path} must be an object with url`];
  return checkMediaUrl(file.url, `${path}.url`);
}

/** An http(s) address, or a data URI whose base64 decodes. */
export function checkMediaUrl(url: unknown, path: string): string[] {
  const expected = `${path} must be an http: or https: address or a data:<type>;base64,… URI`;
  if (typeof url !== 'string') return [expected];
  if (isDataUri(url)) return parseDataUri(url) === null ? [expected] : [];
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? [] : [expected];
}

/** URL schemes are case-insensitive. */
export function isDataUri(url: string): boolean {
  return /^data:/i.test(url);
}

export interface DataUri {
  mime: string;
  base64: string;
}

/** Parses `data:<type>;base64,…`. Returns null for anything else. */
export function parseDataUri(url: string): DataUri | null {
  const comma = url.slice(0, MAX_DATA_HEAD).indexOf(',');
  if (comma < 0) return null;
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64$/i.exec(url.slice(0, comma));
  const base64 = url.slice(comma + 1);
  const mime = head?.[1]?.toLowerCase();
  if (mime === undefined || base64 === '' || base64.length % 4 === 1 || !BASE64.test(base64)) return null;
  return { mime, base64 };
}

/** The hash that identifies a repeated turn: of the contents and the variables, independent of the order of keys. */
export function hashContents(contents: unknown, variables: Record<string, unknown>): Buffer {
  return createHash('sha256')
    .update(canonicalJson([contents, variables]))
    .digest();
}

/** The first words of the user, for lists of sessions. */
export function titleOf(contents: ContentItem[]): string {
  const text = contents.find((item) => item.type === 'text')?.text ?? '';
  const line = text.replaceAll('\0', '').replace(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line;
}
