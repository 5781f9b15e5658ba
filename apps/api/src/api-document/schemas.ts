import type { OpenAPIObject } from '@nestjs/swagger';
import { isObject } from '../infra/runtime/json.ts';

type Schemas = Record<string, Record<string, unknown>>;

/** Classes with an index signature, which the plugin does not see. */
const WITH_FURTHER_KEYS = ['DataRowDto', 'ExecuteInputsDto', 'FileInfoDto'];

export function allowFurtherKeys(schemas: Schemas): void {
  for (const name of WITH_FURTHER_KEYS) Object.assign(schemas[name] ?? {}, { additionalProperties: true });
}

/**
 * Lets the optional fields of requests be null, which counts as absent (`validation.pipe.ts`). A schema that responses
 * contain, too, stays as it is.
 */
export function allowNulls({ paths }: OpenAPIObject, schemas: Schemas): void {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as Record<string, unknown>[]);
  const schemasOf = (part: string) =>
    reachable(
      operations.map((operation) => operation[part]),
      schemas,
    );
  const responses = schemasOf('responses');
  for (const name of schemasOf('requestBody')) {
    const { properties = {}, required = [] } = (schemas[name] ?? {}) as {
      properties?: Schemas;
      required?: string[];
    };
    if (responses.has(name)) continue;
    for (const [key, property] of Object.entries(properties)) {
      if (required.includes(key)) continue;
      const { $ref, ...rest } = property;
      properties[key] = { ...rest, ...($ref ? { allOf: [{ $ref }] } : {}), nullable: true };
    }
  }
}

/** The names of the schemas that a part of the document refers to, directly or through others. */
function reachable(part: unknown, schemas: Schemas, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    reachable(schemas[name], schemas, found);
  }
  return found;
}

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
  if (part.nullable === true && Array.isArray(part.allOf)) part.type = 'object';
  for (const union of ['anyOf', 'oneOf']) {
    const branches = part[union];
    if (part.nullable !== true || part.type !== undefined || !Array.isArray(branches)) continue;
    const [first, ...rest] = branches as object[];
    delete part.nullable;
    part[union] = [{ ...first, nullable: true }, ...rest];
  }
  if (Array.isArray(part.enum)) part.enum = part.enum.toSorted();
  // Examples are values, not schemas.
  for (const [key, value] of Object.entries(part))
    if (key !== 'example' && key !== 'examples') completeSchemas(value);
}
