import type { KnowledgeEncoding } from '@platform/contracts';
import { guessEncodings } from './guess-encoding.ts';
import { Unreadable } from './unreadable.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

/** Where an HTML page can declare its charset. */
const META_BYTES = 1_024;
const BYTE_ORDER_MARKS: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
/** What decides whether a text without a mark is UTF-16, and the part of its characters that are then at least Latin. */
const SAMPLE_BYTES = 4_096;
const MIN_LATIN = 0.5;
/** The part of the characters beyond ASCII that may be damaged in a text that is UTF-8. */
const MAX_DAMAGED = 0.05;
const NOT_TEXT = 'The file is not text, and not of a type whose text can be read.';

export interface DecodedText {
  text: string;
  /** Recognized by the bytes; null if they are UTF-8 or if the encoding was declared. */
  encoding: KnowledgeEncoding | null;
}

/**
 * Decodes a text: by its byte order mark, as UTF-16 without one, as UTF-8, in the charset that it declares, as UTF-8 with some
 * damage, or in the encoding that its bytes suggest. Throws `Unreadable`.
 */
export function decodeText(bytes: Uint8Array, declared: string | null, isHtml: boolean): DecodedText {
  if (isContainer(bytes)) throw new Unreadable(NOT_TEXT);
  const [utf] = BYTE_ORDER_MARKS.find(([, start]) => start.every((byte, i) => bytes[i] === byte)) ?? [];
  const marked = utf ?? utf16Of(bytes);
  const text = marked
    ? decode(bytes, marked)
    : (decode(bytes, 'utf-8') ?? decodeDeclared(bytes, declared, isHtml) ?? decodeDamaged(bytes));
  if (text !== null) return { text: cleanText(text), encoding: null };
  for (const encoding of guessEncodings(bytes)) {
    const guessed = decode(bytes, encoding);
    if (guessed !== null) return { text: cleanText(guessed), encoding };
  }
  throw new Unreadable('The encoding of the text is not known. Save it as UTF-8.');
}

// eslint-disable-next-line no-control-regex -- these are the characters that are replaced
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

/** A text that PostgreSQL can store: control characters become spaces. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll(CONTROLS, ' ');
}

/** Every other byte of Latin characters is zero, and no other: texts have no character U+0000. */
function utf16Of(bytes: Uint8Array): string | null {
  const zeros: [even: number, odd: number] = [0, 0];
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  sample.forEach((byte, i) => {
    if (byte === 0) zeros[i % 2 === 0 ? 0 : 1]++;
  });
  const [even, odd] = zeros;
  const least = (MIN_LATIN * sample.length) / 2;
  if (even === 0 && odd > least) return 'utf-16le';
  return odd === 0 && even > least ? 'utf-16be' : null;
}

function decodeDeclared(bytes: Uint8Array, declared: string | null, isHtml: boolean): string | null {
  const label = declared ?? (isHtml ? declaredInMeta(bytes) : null);
  return label === null ? null : decode(bytes, label);
}

/** Null if the bytes are not mostly UTF-8. A text that was cut anywhere, or put together of several, is. */
function decodeDamaged(bytes: Uint8Array): string | null {
  const text = new TextDecoder('utf-8').decode(bytes);
  const foreign = text.replaceAll(/[\0-\x7f]+/g, '');
  const damaged = foreign.length - foreign.replaceAll('\ufffd', '').length;
  return damaged <= foreign.length * MAX_DAMAGED ? text : null;
}

function declaredInMeta(bytes: Uint8Array): string | null {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, META_BYTES));
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1] ?? null;
}

/** Null if the bytes are not in the charset, or if there is no such charset. */
function decode(bytes: Uint8Array, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Archives, which may be valid UTF-8 by chance: gzip, zip, PDF. */
function isContainer([a, b, c, d]: Uint8Array): boolean {
  return (
    (a === 0x1f && b === 0x8b) ||
    (a === 0x50 && b === 0x4b && c === 0x03 && d === 0x04) ||
    (a === 0x25 && b === 0x50 && c === 0x44 && d === 0x46)
  );
}
