import { hash } from 'node:crypto';

export type JsonObject = Record<string, unknown>;

/** Whether a value is an object other than null or an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text; null if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

/** A copy that lacks the fields that are null or undefined. */
export function withoutNulls<T extends object>(value: T): WithoutNulls<T> {
  const given = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(given) as WithoutNulls<T>;
}

/**
 * The fields of a change that change something. Null clears a field whose default is null; in all others it counts as absent,
 * like undefined.
 */
export function givenFields<T extends object>(change: T, defaults: object): WithoutNulls<T> {
  const isCleared = (key: string) => (defaults as JsonObject)[key] === null;
  const given = Object.entries(change).filter(
    ([key, field]) => field !== undefined && (field !== null || isCleared(key)),
  );
  return Object.fromEntries(given) as WithoutNulls<T>;
}

/** Formats equal values as equal texts, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return value === undefined ? 'null' : JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${fields.join(',')}}`;
}

/** Identifies a JSON value, whatever the order of its keys. */
export function hashJson(value: unknown): Buffer {
  return hash('sha256', canonicalJson(value), 'buffer');
}

/** A text as it stands in other texts, and as it stands within JSON, if that differs. */
export function spellingsOf(text: string): string[] {
  return [...new Set([text, JSON.stringify(text).slice(1, -1)])];
}
