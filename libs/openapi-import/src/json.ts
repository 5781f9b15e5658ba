export type JsonObject = Record<string, unknown>;

/** Whether a value is an object other than null or an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads an own property, so that `constructor` is not found in every object. */
export function getOwn(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function getText(value: unknown, key: string): string {
  const text = getOwn(value, key);
  return typeof text === 'string' ? text : '';
}

export function getList(value: unknown, key: string): unknown[] {
  const list = getOwn(value, key);
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** Sets an own property, also if its name is `__proto__`. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  // Much faster, and right for every other name.
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Encodes one segment of a JSON pointer. */
export function pointerSegment(text: string): string {
  return /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}
