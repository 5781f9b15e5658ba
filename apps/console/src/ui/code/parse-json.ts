/** Returns the JSON object in a text, or undefined if there is none. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export type JsonObjects = Record<string, unknown> | Record<string, unknown>[];

/** Returns the JSON object in a text, or the array of objects, or undefined if there is neither. */
export function parseJsonObjects(text: string): JsonObjects | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
    return Array.isArray(value) && value.every(isObject) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
