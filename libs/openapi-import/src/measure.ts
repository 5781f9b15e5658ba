import type { JsonObject } from './json.ts';

/** Texts that are longer, and objects with more bytes, are measured once. */
const LONG_TEXT = 1_000;
const LARGE = 500;
/** The most schemas or texts of which something is remembered. */
export const MAX_REMEMBERED = 20_000;

/** Measures values in bytes of JSON. Objects that several schemas share are measured once. */
export class Sizes {
  private readonly objects = new Map<object, number>();
  private readonly texts = new Map<string, number>();

  of(value: unknown): number {
    if (typeof value === 'string') return this.ofText(value);
    if (typeof value !== 'object' || value === null) return String(value).length;
    const known = this.objects.get(value);
    if (known !== undefined) return known;
    const size = Array.isArray(value) ? this.ofList(value) : this.ofObject(value as JsonObject);
    if (size > LARGE) {
      // Schemas that only one method has are not kept for ever.
      if (this.objects.size >= MAX_REMEMBERED) this.objects.clear();
      this.objects.set(value, size);
    }
    return size;
  }

  private ofList(list: unknown[]): number {
    return list.reduce<number>((size, item) => size + this.of(item) + 1, list.length === 0 ? 2 : 1);
  }

  private ofObject(object: JsonObject): number {
    let size = 1;
    for (const key in object) {
      const value = object[key];
      if (value !== undefined) size += this.ofText(key) + this.of(value) + 2;
    }
    return Math.max(size, 2);
  }

  private ofText(text: string): number {
    if (text.length < LONG_TEXT) return measureText(text);
    let size = this.texts.get(text);
    if (size === undefined) {
      size = measureText(text);
      if (this.texts.size >= MAX_REMEMBERED) this.texts.clear();
      this.texts.set(text, size);
    }
    return size;
  }
}

/** The most bytes of a character in JSON: those of a control character, which is escaped. */
export const MAX_CHARACTER_BYTES = 6;

/** Counts the characters of a value as JSON, without escapes, which takes much less time than its bytes. */
export function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let count = 2;
  if (Array.isArray(value)) for (const item of value as unknown[]) count += countCharacters(item) + 1;
  else for (const key in value) count += key.length + countCharacters((value as JsonObject)[key]) + 4;
  return count;
}

function measureText(text: string): number {
  let size = text.length + 2;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) size += code < 0x20 ? escapeOf(code) : code === 0x22 || code === 0x5c ? 1 : 0;
    else if (code < 0x800) size++;
    else if (code < 0xd800 || code > 0xdfff) size += 2;
    else if (isPair(code, text.charCodeAt(i + 1))) {
      size += 2;
      i++;
    } else size += MAX_CHARACTER_BYTES - 1;
  }
  return size;
}

/** What a control character takes beside itself: those with a letter of their own take one, such as `\n`. */
const escapeOf = (code: number) =>
  code >= 0x08 && code <= 0x0d && code !== 0x0b ? 1 : MAX_CHARACTER_BYTES - 1;

const isPair = (high: number, low: number) => high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
