export type JsonObject = Record<string, unknown>;

/** Whether a value is an object other than null or an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

/** A copy that lacks the fields that are null or undefined. */
export function withoutNulls<T extends object>(value: T): WithoutNulls<T> {
  const given = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(given) as WithoutNulls<T>;
}
