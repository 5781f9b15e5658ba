/** True for a field with an input, the names of its parts if they have one each, and null if it has none. */
export type FieldParts = true | null | readonly string[];

/**
 * Returns the names of a form's fields as they appear in error messages of the service. Every key of the type has to be
 * given, so that the compiler finds a forgotten one.
 */
export function listFieldNames<Field extends string>(fields: Record<Field, FieldParts>): string[] {
  return Object.entries<FieldParts>(fields).flatMap(([name, parts]) => {
    if (parts === null) return [];
    return parts === true ? [name] : parts.map((part) => `${name}.${part}`);
  });
}

/** Returns the keys of an object literal, typed and in its order. */
export const keysOf = <Key extends string>(fields: Record<Key, unknown>): Key[] =>
  Object.keys(fields) as Key[];
