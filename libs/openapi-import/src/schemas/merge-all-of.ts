import { isObject, setOwn, type JsonObject } from '../json.ts';
import { BOUNDS } from './write-schema.ts';

/** Keywords whose values are schemas by name. */
const SCHEMA_MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
/** Keywords of which the tighter bound is kept. */
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
/** Keywords that describe the schema; the first one counts. */
const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'example', 'discriminator'];

/**
 * Merges schemas that all apply into one: the union of properties and required, the tightest bounds, and the intersection
 * of enums. What cannot be merged stays in `allOf`.
 */
export function mergeSchemas(schemas: readonly JsonObject[]): JsonObject {
  const [only, ...others] = schemas;
  if (only !== undefined && others.length === 0) return only;
  const merged: JsonObject = {};
  const rest: JsonObject[] = [];
  const unions = new Unions();
  for (const schema of schemas) {
    const conflicts: JsonObject = {};
    for (const [key, value] of Object.entries(withOwnBounds(schema))) {
      if (value === undefined || key === 'allOf') continue;
      if (!Object.hasOwn(merged, key)) setOwn(merged, key, value);
      else if (!mergeKeyword(merged, key, value, unions)) setOwn(conflicts, key, value);
    }
    if (Object.keys(conflicts).length > 0) rest.push(conflicts);
  }
  if (rest.length > 0) merged.allOf = rest;
  unions.writeRequired(merged);
  return merged;
}

/** Up to OpenAPI 3.0, `exclusiveMinimum` says something about the `minimum` of the same schema, and nothing about that of others. */
function withOwnBounds(schema: JsonObject): JsonObject {
  return BOUNDS.reduce((written, [bound, exclusive]) => {
    const { [exclusive]: isExclusive, ...others } = written;
    if (typeof isExclusive !== 'boolean') return written;
    return isExclusive ? { ...others, [exclusive]: written[bound], [bound]: undefined } : others;
  }, schema);
}

const combinations = new WeakSet<object>();

/** Two schemas for the same property, which a schema of the document does not contain in this way. */
function combine(one: unknown, other: unknown): JsonObject {
  const combined = { allOf: [one, other] };
  combinations.add(combined);
  return combined;
}

/** Whether a schema is not of the document, but two of them together, so that it is another object each time. */
export const isCombined = (schema: object) => combinations.has(schema);

/** The unions that a merge has begun. They grow in place: a copy for each schema would take quadratic time. */
class Unions {
  private readonly maps = new Set<JsonObject>();
  private readonly required = new Set<unknown>();

  mapOf(present: JsonObject): JsonObject {
    if (this.maps.has(present)) return present;
    const union = { ...present };
    this.maps.add(union);
    return union;
  }

  addRequired(present: readonly unknown[], names: readonly unknown[]): void {
    if (this.required.size === 0) for (const name of present) this.required.add(name);
    for (const name of names) this.required.add(name);
  }

  writeRequired(merged: JsonObject): void {
    if (this.required.size > 0) merged.required = [...this.required];
  }
}

/** Returns false if both values must be kept. */
function mergeKeyword(merged: JsonObject, key: string, value: unknown, unions: Unions): boolean {
  const present = merged[key];
  if (present === value || ANNOTATIONS.includes(key)) return true;
  if (SCHEMA_MAPS.includes(key)) return mergeMap(merged, key, value, unions);
  if (LOWER_BOUNDS.includes(key)) return mergeBound(merged, key, value, Math.max);
  if (UPPER_BOUNDS.includes(key)) return mergeBound(merged, key, value, Math.min);
  if (key === 'required') return mergeRequired(merged, value, unions);
  if (key === 'enum') return mergeEnum(merged, value);
  if (key === 'type') return mergeType(merged, value);
  if (key === 'deprecated' || key === 'readOnly' || key === 'writeOnly' || key === 'uniqueItems') {
    merged[key] = present === true || value === true;
    return true;
  }
  if (key === 'nullable' || key === 'x-nullable') {
    merged[key] = present === true && value === true;
    return true;
  }
  if (key === 'items' || key === 'additionalProperties') return mergeChild(merged, key, value);
  return key.startsWith('x-') || JSON.stringify(present) === JSON.stringify(value);
}

function mergeMap(merged: JsonObject, key: string, value: unknown, unions: Unions): boolean {
  const present = merged[key];
  if (!isObject(present) || !isObject(value)) return false;
  const union = unions.mapOf(present);
  for (const [name, schema] of Object.entries(value)) {
    const other = Object.hasOwn(union, name) ? union[name] : undefined;
    setOwn(union, name, other === undefined || other === schema ? schema : combine(other, schema));
  }
  merged[key] = union;
  return true;
}

function mergeBound(
  merged: JsonObject,
  key: string,
  value: unknown,
  tighter: (a: number, b: number) => number,
): boolean {
  const present = merged[key];
  if (typeof present !== 'number' || typeof value !== 'number') return false;
  merged[key] = tighter(present, value);
  return true;
}

function mergeRequired(merged: JsonObject, value: unknown, unions: Unions): boolean {
  const present = merged.required;
  if (!Array.isArray(present) || !Array.isArray(value)) return true;
  unions.addRequired(present as unknown[], value as unknown[]);
  return true;
}

function mergeEnum(merged: JsonObject, value: unknown): boolean {
  const present = merged.enum;
  if (!Array.isArray(present) || !Array.isArray(value)) return true;
  const allowed = new Set((value as unknown[]).map((item) => JSON.stringify(item)));
  merged.enum = (present as unknown[]).filter((item) => allowed.has(JSON.stringify(item)));
  return true;
}

function mergeType(merged: JsonObject, value: unknown): boolean {
  const present = listTypes(merged.type);
  const other = listTypes(value);
  const both = present.filter(
    (type) => other.includes(type) || (type === 'integer' && other.includes('number')),
  );
  if (present.includes('number') && other.includes('integer')) both.push('integer');
  if (both.length === 0) return false;
  merged.type = both.length === 1 ? both[0] : both;
  return true;
}

function listTypes(type: unknown): unknown[] {
  return Array.isArray(type) ? (type as unknown[]) : [type];
}

function mergeChild(merged: JsonObject, key: string, value: unknown): boolean {
  const present = merged[key];
  if (present === true || value === false) merged[key] = value;
  else if (value !== true && present !== false) merged[key] = combine(present, value);
  return true;
}
