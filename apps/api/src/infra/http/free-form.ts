/** Checks a raw value; answers one sentence per problem, each starting with the path of the field. */
export type FreeFormCheck = (value: unknown, path: string) => string[];

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
