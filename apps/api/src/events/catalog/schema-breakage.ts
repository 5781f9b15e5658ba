import type { EventFilter, JsonSchema } from '@platform/contracts';
import { isObject } from '../../infra/runtime/json.ts';

/** Keywords that can allow fields which `properties` does not name. */
const OPEN = ['patternProperties', '$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if'];

/** Why a subscription with the filter would not fire for events with the schema; null if nothing speaks against it. */
export function findBreakage(filter: EventFilter | null, schema: JsonSchema | undefined): string | null {
  if (schema === undefined) return 'the new version does not declare the event';
  if (filter === null || !isObject(schema) || !isObject(schema.properties)) return null;
  for (const [field, value] of Object.entries(filter)) {
    if (hasPathOrOperators(field, value)) continue;
    const name = JSON.stringify(field);
    if (!Object.hasOwn(schema.properties, field)) {
      if (OPEN.some((keyword) => Object.hasOwn(schema, keyword))) continue;
      return `the filter names ${name}, which the new schema does not have`;
    }
    const wanted: readonly unknown[] = Array.isArray(value) ? value : [value];
    const property = schema.properties[field] as JsonSchema;
    if (wanted.length > 0 && !wanted.some((one) => isPossible(one, property))) {
      return `the filter expects a value of ${name} that the new schema does not allow`;
    }
  }
  return null;
}

/** Paths and operators are not judged. */
function hasPathOrOperators(field: string, value: unknown): boolean {
  return field.includes('.') || (isObject(value) && Object.keys(value).some((key) => key.startsWith('$')));
}

/** Whether a value has one of the types and is one of the values that a schema names. Other keywords are not judged. */
function isPossible(value: unknown, schema: JsonSchema): boolean {
  if (!isObject(schema)) return schema;
  const { type, enum: values } = schema;
  const types: readonly unknown[] | null = Array.isArray(type) ? type : type === undefined ? null : [type];
  if (types !== null && !types.some((one) => hasType(value, one))) return false;
  if (!isScalar(value)) return true;
  if (Object.hasOwn(schema, 'const') && isScalar(schema.const) && schema.const !== value) return false;
  return !Array.isArray(values) || values.includes(value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      // An array of the payload matches as a member of the filter's array.
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}
