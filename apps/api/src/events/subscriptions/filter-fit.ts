import type { EventFilter, JsonSchema } from '@platform/contracts';
import { nearestName } from '../../infra/runtime/nearest-name.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { hasOperators } from './filter-operators.ts';

/** With one of these, a schema says about a field what is not read here. */
const OPEN = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
  'patternProperties',
];
const COMPARISONS = ['$gt', '$gte', '$lt', '$lte', '$prefix'];
const MAX_REFERENCES = 20;

/**
 * Returns why a filter can match no payload that satisfies the schema of the event; an empty list if one may. Judges what is
 * certain: fields that a closed schema does not have, and values of a type or an enumeration that it does not allow.
 */
export function findImpossible(filter: EventFilter | null, schema: JsonSchema, path: string): string[] {
  return Object.entries(filter ?? {}).flatMap(([name, wanted]) => {
    const problem = findProblem(name, wanted, schema);
    return problem === null ? [] : [`${path}.${name} can never match: ${problem}`];
  });
}

function findProblem(name: string, wanted: unknown, root: JsonSchema): string | null {
  if (canBeMissing(wanted)) return null;
  let schema = follow(root, root);
  const names = hasField(schema, name) ? [name] : name.split('.');
  for (const key of names) {
    if (schema === null) return null;
    if (hasField(schema, key)) {
      schema = follow((schema.properties as JsonObject)[key], root);
      continue;
    }
    if (!isClosed(schema)) return null;
    const known = Object.keys(isObject(schema.properties) ? schema.properties : {});
    const nearest = nearestName(key, known);
    return `the event has no field ${key}${nearest === null ? '' : `; did you mean ${nearest}?`}`;
  }
  return schema === null ? null : valueProblem(wanted, schema);
}

/** Whether a condition can hold for a field that is not there. */
function canBeMissing(wanted: unknown): boolean {
  return hasOperators(wanted) && (wanted.$exists === false || Object.hasOwn(wanted, '$not'));
}

function valueProblem(wanted: unknown, schema: JsonObject): string | null {
  if (hasOperators(wanted)) {
    const operands = COMPARISONS.filter((name) => Object.hasOwn(wanted, name)).map((name) => wanted[name]);
    return operands.every((operand) => isTypeAllowed(operand, schema)) ? null : typeProblem(schema);
  }
  const members: unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  if (members.length === 0) return null;
  if (!members.some((member) => isTypeAllowed(member, schema))) return typeProblem(schema);
  const { enum: allowed } = schema;
  if (
    !Array.isArray(allowed) ||
    members.some((member) => typeof member === 'object' || allowed.includes(member))
  )
    return null;
  const texts = allowed.filter((value) => typeof value === 'string');
  const nearest = typeof members[0] === 'string' ? nearestName(members[0], texts) : null;
  return `the event allows other values${nearest === null ? '' : `; did you mean ${nearest}?`}`;
}

const typeProblem = ({ type }: JsonObject) =>
  `the field is of type ${Array.isArray(type) ? type.join(' or ') : String(type)}`;

function isTypeAllowed(value: unknown, { type }: JsonObject): boolean {
  if (typeof type !== 'string' && !Array.isArray(type)) return true;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.some((one) => {
    if (one === 'null') return value === null;
    if (one === 'array') return Array.isArray(value);
    if (one === 'object') return isObject(value);
    if (one === 'integer') return Number.isInteger(value) || typeof value === 'number';
    return typeof value === one;
  });
}

/** Follows references to a schema that says all about a value; null if it is said in another way. */
function follow(schema: unknown, root: JsonSchema): JsonObject | null {
  let found = schema;
  for (let i = 0; i < MAX_REFERENCES && isObject(found) && typeof found.$ref === 'string'; i++) {
    const others = Object.keys(found).filter(
      (key) => !['$ref', 'title', 'description', '$defs'].includes(key),
    );
    if (others.length > 0) return null;
    found = resolve(found.$ref, root);
  }
  return isObject(found) && !OPEN.some((keyword) => Object.hasOwn(found, keyword)) ? found : null;
}

function resolve(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#/')) return reference === '#' ? root : undefined;
  let value: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

function hasField(schema: JsonObject | null, name: string): boolean {
  return schema !== null && isObject(schema.properties) && Object.hasOwn(schema.properties, name);
}

const isClosed = ({ additionalProperties, unevaluatedProperties }: JsonObject) =>
  additionalProperties === false || (additionalProperties === undefined && unevaluatedProperties === false);
