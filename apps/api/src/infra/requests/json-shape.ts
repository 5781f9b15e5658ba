/** The most objects, arrays, and keys of one body: what costs its parser time beyond its bytes. */
export const MAX_PARTS = 200_000;

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Returns what is wrong with the shape of a JSON text in UTF-8, or null. Takes one pass over the bytes before parsing,
 * because parsing 10 MB of brackets takes seconds. Does not check that the text is JSON.
 */
export function shapeProblem(json: Uint8Array, maxDepth: number): string | null {
  let depth = 0;
  let parts = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] ?? 0;
    switch (byte) {
      case QUOTE:
        for (i++; i < json.length && json[i] !== QUOTE; i++) if (json[i] === BACKSLASH) i++;
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        if (++depth > maxDepth) return `The body is nested deeper than ${maxDepth} levels`;
        parts++;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COLON:
        parts++;
        break;
      default:
      // Numbers, words, commas and spaces.
    }
    if (parts > MAX_PARTS) return `The body must have at most ${MAX_PARTS} objects, arrays and keys together`;
  }
  return null;
}

/** Whether a value is nested deeper than `limit`. Looks no deeper than that. */
export function deeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((item) => deeperThan(item, limit - 1));
}
