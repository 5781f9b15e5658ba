/** Checks a raw value; answers one sentence per problem, each starting with the path of the field. */
export type FreeFormCheck = (value: unknown, path: string) => string[];

/** Keys of an object that is not free-form, at every depth. */
export const MAX_KEYS = 500;

const registry = new WeakMap<object, Map<string, FreeFormCheck>>();

/**
 * Marks a DTO field whose value is taken from the parsed body as it stands, for schemas, payloads and unions:
 * class-transformer drops `constructor` and `__proto__` and dies on deep values. `undefined` and `null` reach
 * the check as undefined.
 */
export function FreeForm(check: FreeFormCheck): PropertyDecorator {
  return (target, property) => {
    const fields = registry.get(target) ?? new Map<string, FreeFormCheck>();
    fields.set(String(property), check);
    registry.set(target, fields);
  };
}

/** The free-form fields of a DTO class and of what it extends. */
export function freeFormOf(dto: { prototype: unknown }): Map<string, FreeFormCheck> {
  const fields = new Map<string, FreeFormCheck>();
  for (
    let proto = dto.prototype as object | null;
    proto !== null;
    proto = Object.getPrototypeOf(proto) as object | null
  ) {
    for (const [key, check] of registry.get(proto) ?? []) if (!fields.has(key)) fields.set(key, check);
  }
  return fields;
}

/** For checks of objects inside a free-form field: the keys that are not among the known ones. */
export function unknownFieldProblems(value: object, known: readonly string[], path: string): string[] {
  const keys = Object.keys(value);
  if (keys.length > MAX_KEYS) return [`${path} must have at most ${MAX_KEYS} keys`];
  return keys.filter((key) => !known.includes(key)).map((key) => `${path}.${key} is not a known field`);
}
