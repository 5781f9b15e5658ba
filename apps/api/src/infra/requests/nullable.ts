const registry = new WeakMap<object, Set<string>>();

/**
 * Marks a field of a DTO that null clears: the DTO receives null as it is. In all other fields null counts as absent. Swagger's
 * `PartialType` and `PickType` do not copy the mark.
 */
export function Nullable(): PropertyDecorator {
  return (target, property) => {
    const fields = registry.get(target) ?? new Set();
    registry.set(target, fields.add(String(property)));
  };
}

/** Whether a field of a DTO class, or of a class that it extends, can be null. */
export function isNullable(dto: { prototype: unknown }, field: string): boolean {
  let proto = dto.prototype as object | null;
  while (proto !== null && !registry.get(proto)?.has(field))
    proto = Object.getPrototypeOf(proto) as object | null;
  return proto !== null;
}
