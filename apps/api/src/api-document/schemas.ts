import { isObject } from '../infra/runtime/json.ts';

/**
 * Makes the schemas of a document precise, in place. An object without declared properties is free-form, so every key is
 * allowed: generators otherwise read an object that is always empty. `nullable` needs a type beside it, so in a union it
 * moves to the first branch. The values of an enum are sorted: the compiler lists those of a union in the order in which
 * it first met them, which changes with any import.
 */
export function completeSchemas(part: unknown): void {
  if (Array.isArray(part)) part.forEach(completeSchemas);
  if (!isObject(part)) return;
  if (
    part.type === 'object' &&
    ['properties', 'allOf', 'additionalProperties'].every((key) => !(key in part))
  ) {
    part.additionalProperties = true;
  }
  if (part.nullable === true && part.type === undefined && Array.isArray(part.anyOf)) {
    const [first, ...rest] = part.anyOf as object[];
    delete part.nullable;
    part.anyOf = [{ ...first, nullable: true }, ...rest];
  }
  if (Array.isArray(part.enum)) part.enum = part.enum.toSorted();
  // Examples are values, not schemas.
  for (const [key, value] of Object.entries(part))
    if (key !== 'example' && key !== 'examples') completeSchemas(value);
}
