import { randomBytes } from 'node:crypto';
import type { MethodBinding } from '@platform/contracts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { isRawNumber } from '../../infra/runtime/raw-json.ts';
import { FileContent } from './http-request-files.ts';
import { bareType, chooseType, fileName } from './media-types.ts';
import {
  isJsonType,
  serializeQuery,
  toMediaText,
  toText,
  type Pair,
  type Serialization,
} from './serialize.ts';

export interface HttpBody {
  mediaType: string;
  bytes: Buffer;
}

/** What the body of a method looks like. */
export interface BodyMethod {
  bodyMediaType: string | null;
  bindings: MethodBinding[];
  encoding: Record<string, unknown> | null;
  inputSchema?: Record<string, unknown>;
}

/** The fields of a form, each with how it is written. */
interface Field {
  name: string;
  value: unknown;
  how: Encoding;
}

/** How a field of a form is written. Styles take precedence over the content type, as in OpenAPI. */
type Encoding = Serialization & { contentType?: string };

/** Builds the body; null if the method or the call has none. Adds to `problems` what cannot be sent. */
export function buildBody(
  { bodyMediaType: mediaType, bindings, encoding, inputSchema = {} }: BodyMethod,
  values: Record<string, unknown>,
  problems: string[],
): HttpBody | null {
  if (mediaType === null) return null;
  const ports = bindings.filter((binding) => binding.in === 'body');
  const whole = ports.find(({ name }) => name === undefined);
  const given = ports.filter(({ port }) => Object.hasOwn(values, port) && values[port] !== undefined);
  const type = bareType(mediaType);
  const isForm = type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data';
  if (whole !== undefined) {
    if (!given.includes(whole)) return null;
    const value = values[whole.port];
    if (!isForm) return wholeBody(mediaType, value, whole.port, problems);
    if (typeof value === 'string' && type !== 'multipart/form-data')
      return { mediaType, bytes: Buffer.from(value) };
    if (!isObject(value)) {
      problems.push(`input.${whole.port} must be an object: the fields of a form`);
      return null;
    }
    const fields = Object.entries(value).map(([name, field]) => fieldOf(name, field, {}, encoding));
    return formBody(type, mediaType, fields);
  }
  if (isForm) {
    const fields = given.map((binding) =>
      fieldOf(binding.name ?? binding.port, values[binding.port], binding, encoding),
    );
    return fields.length === 0 ? null : formBody(type, mediaType, fields);
  }
  if (ports.length === 0) return null;
  if (!isJsonType(mediaType)) {
    if (given.length > 0) problems.push(`${mediaType} cannot be built from an object`);
    return null;
  }
  if (given.length === 0 && needsFieldsTogether(ports, inputSchema)) return null;
  // Without any field this is `{}`: a body that may be left out may also be empty, but not the other way around.
  const object = Object.fromEntries(given.map(({ port, name = port }) => [name, values[port]]));
  return { mediaType: sentType(mediaType), bytes: Buffer.from(JSON.stringify(object)) };
}

/** Whether a body may be left out, but not without what it requires: then `{}` would be refused. */
function needsFieldsTogether(
  ports: MethodBinding[],
  { dependentRequired }: Record<string, unknown>,
): boolean {
  return isObject(dependentRequired) && ports.some(({ port }) => Object.hasOwn(dependentRequired, port));
}

function wholeBody(mediaType: string, value: unknown, port: string, problems: string[]): HttpBody | null {
  if (value instanceof FileContent)
    return {
      mediaType: isRange(mediaType) ? chooseType(mediaType, value.mediaType) : mediaType,
      bytes: value.data,
    };
  if (isJsonType(mediaType))
    return { mediaType: sentType(mediaType), bytes: Buffer.from(JSON.stringify(value)) };
  if (value === null) return null;
  if (typeof value === 'object' && !isRawNumber(value)) {
    problems.push(`input.${port} must be text: ${mediaType} cannot be built from an object`);
    return null;
  }
  return { mediaType: isRange(mediaType) ? 'text/plain' : mediaType, bytes: Buffer.from(toText(value)) };
}

/** Whether a media type stands for several, such as `image/*`. */
const isRange = (mediaType: string) => mediaType.includes('*');
const sentType = (mediaType: string) => (isRange(mediaType) ? 'application/json' : mediaType);

function fieldOf(
  name: string,
  value: unknown,
  { collectionFormat }: Serialization,
  encoding: Record<string, unknown> | null,
): Field {
  const found = encoding !== null && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const { style, explode, allowReserved, contentType }: JsonObject = isObject(found) ? found : {};
  const how: Encoding = {
    ...(typeof style === 'string' && { style }),
    ...(typeof explode === 'boolean' && { explode }),
    ...(allowReserved === true && { allowReserved }),
    ...(collectionFormat !== undefined && { collectionFormat }),
  };
  return {
    name,
    value,
    how: { ...how, ...(Object.keys(how).length === 0 && typeof contentType === 'string' && { contentType }) },
  };
}

function formBody(type: string, mediaType: string, fields: Field[]): HttpBody {
  if (type === 'multipart/form-data') return multipart(fields.flatMap(partsOf));
  const pairs = fields.flatMap(({ name, value, how }) => pairsOf(name, value, how));
  return { mediaType, bytes: Buffer.from(pairs.map((pair) => pair.join('=')).join('&')) };
}

/** Objects are JSON unless a style says otherwise; lists repeat the field. Null has no text, and is left out. */
function pairsOf(name: string, value: unknown, how: Encoding): Pair[] {
  if (value === null) return [];
  if (isRepeated(value, how)) return value.flatMap((item) => pairsOf(name, item, how));
  return serializeQuery(name, value, { ...how, ...mediaTypeOf(value, how) });
}

/** Whether every item of a list is a field of its own. Lists as JSON are one. */
function isRepeated(value: unknown, { contentType, ...style }: Encoding): value is unknown[] {
  if (!Array.isArray(value)) return false;
  if (value.some((item) => item instanceof FileContent)) return true;
  return contentType === undefined ? Object.keys(style).length === 0 : !isJsonType(contentType);
}

function mediaTypeOf(value: unknown, { contentType, ...style }: Encoding): { mediaType?: string } {
  if (contentType !== undefined) return { mediaType: contentType };
  return isObject(value) && !isRawNumber(value) && Object.keys(style).length === 0
    ? { mediaType: 'application/json' }
    : {};
}

interface Part {
  name: string;
  fileName?: string;
  mediaType?: string;
  data: Buffer;
}

function partsOf({ name, value, how }: Field): Part[] {
  const { contentType, ...style } = how;
  if (value === null) return [];
  if (isRepeated(value, how)) return value.flatMap((item) => partsOf({ name, value: item, how }));
  if (value instanceof FileContent) {
    const mediaType = chooseType(contentType, value.mediaType);
    return [{ name, mediaType, fileName: fileName(name, mediaType), data: value.data }];
  }
  const mediaType = contentType ?? mediaTypeOf(value, how).mediaType;
  if (mediaType !== undefined) {
    const chosen = chooseType(mediaType, null);
    return [{ name, mediaType: chosen, data: Buffer.from(toMediaText(value, chosen)) }];
  }
  return serializeQuery(name, value, style, (text) => text).map(([key, text]) => ({
    name: key,
    data: Buffer.from(text),
  }));
}

function multipart(parts: Part[]): HttpBody {
  const boundary = `----platform${randomBytes(18).toString('hex')}`;
  const chunks = parts.flatMap(({ name, fileName: file, mediaType, data }) => {
    const disposition = `form-data; name="${quoted(name)}"${file === undefined ? '' : `; filename="${quoted(file)}"`}`;
    const type = mediaType === undefined ? '' : `Content-Type: ${oneLine(mediaType)}\r\n`;
    const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\n${type}\r\n`;
    return [Buffer.from(head), data, Buffer.from('\r\n')];
  });
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** As browsers write names and file names. */
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

const oneLine = (text: string) => text.replace(/[\r\n]/g, '');
