import { Allow } from 'class-validator';
import { unknownField } from '../errors/error-message.ts';

/** Checks a raw value. Returns one sentence per problem; each starts with the path of the field. */
export type FreeFormCheck = (value: unknown, path: string) => string[];

/** The most keys of an object that is not free-form, at every depth. */
export const MAX_KEYS = 500;

const registry = new WeakMap<object, Map<string, FreeFormCheck>>();

/**
 * Marks a DTO field whose value is taken from the parsed body unchanged: schemas, payloads, and unions. class-transformer
 * drops `constructor` and `__proto__`, and overflows the stack on deep values. The check receives undefined for null.
 */
export function FreeForm(check: FreeFormCheck): PropertyDecorator {
  return (target, property) => {
    // class-validator refuses classes of which it knows no field.
    Allow()(target, property);
    const fields = registry.get(target) ?? new Map<string, FreeFormCheck>();
    fields.set(String(property), check);
    registry.set(target, fields);
  };
}

/** Returns the free-form fields of a DTO class, inherited ones included. */
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

/** Returns the problems of the keys that are not known, for checks of objects inside a free-form field. */
export function unknownFieldProblems(value: object, known: readonly string[], path: string): string[] {
  const keys = Object.keys(value);
  if (keys.length > MAX_KEYS) return [`${path} must have at most ${MAX_KEYS} keys`];
  return keys.filter((key) => !known.includes(key)).map((key) => unknownField(`${path}.${key}`));
}
