import { Allow } from 'class-validator';
import { unknownField } from '../errors/error-message.ts';

/** Checks a raw value. Returns one sentence per problem; each starts with the path of the field. */
export type FreeFormCheck = (value: unknown, path: string) => string[];

/** The most keys of an object that is not free-form, at every depth. */
export const MAX_KEYS = 500;

interface FreeFormField {
  check: FreeFormCheck;
  /** Whether the DTO receives null as it is, because it differs from an absent field. */
  keepsNull: boolean;
}

const registry = new WeakMap<object, Map<string, FreeFormField>>();

/**
 * Marks a DTO field whose value is taken from the parsed body unchanged: schemas, payloads, and unions. class-transformer
 * drops `constructor` and `__proto__`, and overflows the stack on deep values. The check receives undefined for null.
 */
export function FreeForm(check: FreeFormCheck, { keepsNull = false } = {}): PropertyDecorator {
  return (target, property) => {
    // class-validator refuses classes of which it knows no field.
    Allow()(target, property);
    const fields = registry.get(target) ?? new Map<string, FreeFormField>();
    fields.set(String(property), { check, keepsNull });
    registry.set(target, fields);
  };
}

/** Returns the free-form fields of a DTO class, inherited ones included. */
export function freeFormOf(dto: { prototype: unknown }): Map<string, FreeFormField> {
  const fields = new Map<string, FreeFormField>();
  for (
    let proto = dto.prototype as object | null;
    proto !== null;
    proto = Object.getPrototypeOf(proto) as object | null
  ) {
    for (const [key, field] of registry.get(proto) ?? []) if (!fields.has(key)) fields.set(key, field);
  }
  return fields;
}

/** Returns the problems of the keys that are not known, for checks of objects inside a free-form field. */
export function unknownFieldProblems(value: object, known: readonly string[], path: string): string[] {
  const keys = Object.keys(value);
  if (keys.length > MAX_KEYS) return [`${path} must have at most ${MAX_KEYS} keys`];
  return keys.filter((key) => !known.includes(key)).map((key) => unknownField(`${path}.${key}`));
}
