import type { MethodBinding } from '@platform/contracts';
import { isObject } from '../../infra/runtime/json.ts';
import { isRawNumber } from '../../infra/runtime/raw-json.ts';

/** How one value is written: the part of a binding, or of the encoding of a form, that says so. */
export type Serialization = Pick<
  MethodBinding,
  'style' | 'explode' | 'allowReserved' | 'mediaType' | 'collectionFormat'
>;

/** A name and a value of a query, a form, or a cookie. */
export type Pair = [name: string, value: string];

export type Encode = (text: string) => string;

type Shape =
  | { kind: 'primitive'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'fields'; fields: Pair[] };

const SEPARATORS: Record<string, string> = { csv: ',', ssv: ' ', tsv: '\t', pipes: '|' };
const DELIMITERS: Record<string, string> = { spaceDelimited: ' ', pipeDelimited: '|' };

/** Percent-encodes everything but the unreserved characters of RFC 3986. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percent);
}

/**
 * Leaves reserved characters and percent-encoded octets as they are, except those that would end the value or change
 * it: `#`, `&`, and `+`, which is read as a space.
 */
function encodeReserved(text: string): string {
  return encodeStrictly(text).replace(
    /%(25(?=[\da-f]{2})|3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/gi,
    (code) => decodeURIComponent(code),
  );
}

/** The text of a value in a place that knows only text. Values inside lists and objects are JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether a media type is JSON. */
export function isJsonType(mediaType: string): boolean {
  return /^(?:[a-z]+\/json|[^;\s]+\+json|\*\/\*)\s*(?:;|$)/i.test(mediaType.trim());
}

/** The text of a value that is sent as a media type of its own. */
export function toMediaText(value: unknown, mediaType: string): string {
  return isJsonType(mediaType) ? JSON.stringify(value) : toText(value);
}

/** What replaces a variable of a path: styles simple, label, and matrix. */
export function serializePath(name: string, value: unknown, how: Serialization): string {
  if (how.mediaType !== undefined) return encodeStrictly(toMediaText(value, how.mediaType));
  const shape = shapeOf(value);
  const { style, explode = false } = how;
  if (style === 'label') return `.${joined(shape, explode ? '.' : ',', explode, encodeStrictly)}`;
  if (style === 'matrix') return matrix(encodeStrictly(name), shape, explode);
  return joined(shape, encoded(SEPARATORS[how.collectionFormat ?? ''] ?? ','), explode, encodeStrictly);
}

/** The text of a header, in style simple; null for an empty list or object. Headers are not percent-encoded. */
export function serializeHeader(value: unknown, how: Serialization): string | null {
  if (how.mediaType !== undefined) return toMediaText(value, how.mediaType);
  const separator = SEPARATORS[how.collectionFormat ?? ''] ?? ',';
  const shape = shapeOf(value);
  return isEmpty(shape) ? null : joined(shape, separator, how.explode ?? false, (text) => text);
}

/**
 * The names and values of a query or a form: styles form, spaceDelimited, pipeDelimited, and deepObject, or a
 * collectionFormat. None for an empty list or object.
 */
export function serializeQuery(
  name: string,
  value: unknown,
  how: Serialization,
  encode: Encode = how.allowReserved === true ? encodeReserved : encodeStrictly,
): Pair[] {
  // Reserved characters of a name would be read as the syntax around it.
  const key = encode === encodeReserved ? encodeStrictly : encode;
  if (how.mediaType !== undefined) return [[key(name), encode(toMediaText(value, how.mediaType))]];
  const { style = 'form', collectionFormat } = how;
  if (style === 'deepObject') return deepPairs(name, value).map(([path, text]) => [key(path), encode(text)]);
  const shape = shapeOf(value);
  const isExploded =
    collectionFormat === undefined ? (how.explode ?? style === 'form') : collectionFormat === 'multi';
  if (shape.kind === 'primitive') return [[key(name), encode(shape.text)]];
  if (isExploded) {
    const pairs = shape.kind === 'list' ? shape.items.map((item): Pair => [name, item]) : shape.fields;
    return pairs.map(([one, text]) => [key(one), encode(text)]);
  }
  if (isEmpty(shape)) return [];
  const delimiter = SEPARATORS[collectionFormat ?? ''] ?? DELIMITERS[style] ?? ',';
  // A comma is the delimiter as it stands. Others must not occur in a URL.
  const between = delimiter === ',' ? delimiter : encode(delimiter);
  return [[key(name), joined(shape, between, false, encode)]];
}

/** The names and values of cookies, in style form or cookie. */
export function serializeCookie(name: string, value: unknown, how: Serialization): Pair[] {
  const isRaw = how.style === 'cookie';
  return serializeQuery(name, value, { ...how, style: 'form' }, isRaw ? (text) => text : encodeStrictly);
}

function matrix(key: string, shape: Shape, explode: boolean): string {
  const pair = (name: string, text: string) => `;${name}${text === '' ? '' : `=${text}`}`;
  if (explode && shape.kind === 'list')
    return shape.items.map((item) => pair(key, encodeStrictly(item))).join('');
  if (explode && shape.kind === 'fields')
    return shape.fields.map(([field, text]) => pair(encodeStrictly(field), encodeStrictly(text))).join('');
  return isEmpty(shape) ? '' : pair(key, joined(shape, ',', explode, encodeStrictly));
}

function joined(shape: Shape, separator: string, explode: boolean, encode: Encode): string {
  if (shape.kind === 'primitive') return encode(shape.text);
  if (shape.kind === 'list') return shape.items.map(encode).join(separator);
  const between = explode ? '=' : separator;
  return shape.fields.map(([name, text]) => `${encode(name)}${between}${encode(text)}`).join(separator);
}

/** Brackets name the path of each value: `a[b]`, and `a[0]` in lists. */
function deepPairs(path: string, value: unknown): Pair[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object' || isRawNumber(value)) return [[path, toText(value)]];
  return Object.entries(value).flatMap(([key, inner]) => deepPairs(`${path}[${key}]`, inner));
}

/** Null has no text, so it is left out of lists and objects, as RFC 6570 says. */
function shapeOf(value: unknown): Shape {
  if (Array.isArray(value))
    return { kind: 'list', items: value.filter((item) => item !== null).map((item) => toText(item)) };
  if (!isObject(value) || isRawNumber(value)) return { kind: 'primitive', text: toText(value) };
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return { kind: 'fields', fields: fields.map(([name, field]) => [name, toText(field)]) };
}

function isEmpty(shape: Shape): boolean {
  return shape.kind === 'list'
    ? shape.items.length === 0
    : shape.kind === 'fields' && shape.fields.length === 0;
}

const encoded = (separator: string) => (separator === ',' ? separator : encodeStrictly(separator));

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
