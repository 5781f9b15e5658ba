import type { JsonSchema } from '@platform/contracts';
import { isObject, type JsonObject } from '../runtime/json.ts';
import { nearestName } from '../runtime/nearest-name.ts';

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
const MAX_REFERENCES = 20;
/** Among more fields, no similar name is looked for. */
const MAX_COMPARED = 500;
const INDEX = /^(0|[1-9]\d*)$/;

/** What a schema says about the value at a path. */
export interface SchemaAtPath {
  /** Null: nothing for certain. */
  schema: JsonObject | null;
  /** Why no value that satisfies the schema has the path, such as: has no field `total`. */
  problem: string | null;
}

const UNKNOWN: SchemaAtPath = { schema: null, problem: null };

/**
 * Looks up what a schema says about a path. Judges what is certain: closed objects, and types that have no fields. `through`:
 * whether a path can lead into an array, by the index of a member, or to its length.
 */
export function findAtPath(
  names: readonly string[],
  root: JsonSchema,
  through: 'objects' | 'objects and arrays' = 'objects and arrays',
): SchemaAtPath {
  let schema = follow(root, root);
  for (const [i, name] of names.entries()) {
    if (schema === null) return UNKNOWN;
    if (hasField(schema, name)) {
      schema = follow((schema.properties as JsonObject)[name], root);
      continue;
    }
    if (!canHaveField(schema, through === 'objects' ? ['object'] : typesWithField(name))) {
      const owner = i === 0 ? 'is' : `has in ${names.slice(0, i).join('.')} a value`;
      return { schema: null, problem: `${owner} of type ${typeOf(schema)}, without a field ${name}` };
    }
    return isClosed(schema) ? { schema: null, problem: missing(name, schema) } : UNKNOWN;
  }
  return { schema, problem: null };
}

/** Whether a schema declares a field. */
export function declaresField(root: JsonSchema, name: string): boolean {
  return hasField(follow(root, root), name);
}

/** The types that a schema names, in words. */
export function typeOf({ type }: JsonObject): string {
  return Array.isArray(type) ? type.join(' or ') : String(type);
}

/** A proposal to append to a sentence. */
export function proposal(name: string, known: readonly string[]): string {
  const nearest = known.length > MAX_COMPARED ? null : nearestName(name, known);
  return nearest === null ? '' : ` (did you mean ${nearest}?)`;
}

function missing(name: string, { properties }: JsonObject): string {
  return `has no field ${name}${proposal(name, Object.keys(isObject(properties) ? properties : {}))}`;
}

const typesWithField = (name: string) =>
  name === 'length' || INDEX.test(name) ? ['object', 'array'] : ['object'];

/** Whether a value that satisfies the schema can be of one of the types. */
function canHaveField({ type }: JsonObject, wanted: readonly unknown[]): boolean {
  if (typeof type !== 'string' && !Array.isArray(type)) return true;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.some((one) => wanted.includes(one));
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

/** What a reference within a schema leads to; undefined for any other. */
export function resolve(reference: string, root: JsonSchema): unknown {
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

/** An array next to the object is open: its members are not read. */
const isClosed = ({ type, additionalProperties, unevaluatedProperties }: JsonObject) =>
  !(Array.isArray(type) && type.includes('array')) &&
  (additionalProperties === false || (additionalProperties === undefined && unevaluatedProperties === false));
