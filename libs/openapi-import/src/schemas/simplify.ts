import { getOwn, isObject, type JsonObject } from '../json.ts';
import type { PortSchema } from '../types.ts';
import { inferType, listTypes } from './write-schema.ts';

/** The schema of a value about which nothing is known. */
export function emptySchema({ title, description }: JsonObject = {}): PortSchema {
  return { type: 'object', ...annotations({ title, description }), properties: {} };
}

/** What is left of a schema that is cut: its type if it has exactly one, so that no valid value is refused. */
export function stubOf(type: unknown, described: JsonObject = {}): PortSchema {
  if (type === 'object') return emptySchema(described);
  return { ...(typeof type === 'string' && { type }), ...annotations(described) };
}

function annotations({ title, description }: JsonObject): JsonObject {
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
  };
}

/** The type that all of the schemas allow, if it is only one. */
export function singleType(members: readonly JsonObject[]): string | undefined {
  let allowed: string[] | undefined;
  for (const member of members) {
    const declared = listTypes(member);
    const inferred = declared.length > 0 ? undefined : inferType(member);
    const types = inferred === undefined ? declared : [inferred];
    if (types.length === 0) continue;
    allowed = allowed === undefined ? types : allowed.filter((type) => types.includes(type));
  }
  return allowed?.length === 1 ? allowed[0] : undefined;
}

/** Keywords that refuse more if a schema below them accepts more, and what is done about them. */
const REPAIRS: Record<string, (schema: JsonObject) => void> = {
  // Several of the choices may match now.
  oneOf: (schema) => {
    const { oneOf } = schema;
    delete schema.oneOf;
    if (schema.anyOf === undefined) schema.anyOf = oneOf;
    else
      schema.allOf = [...(Array.isArray(schema.allOf) ? (schema.allOf as unknown[]) : []), { anyOf: oneOf }];
  },
  not: (schema) => delete schema.not,
  if: (schema) => {
    for (const keyword of ['if', 'then', 'else']) Reflect.deleteProperty(schema, keyword);
  },
  contains: (schema) => delete schema.maxContains,
};

/**
 * Changes a schema of which a part below `keyword` accepts more than it did, so that it does not accept less for it. Returns
 * whether a rule was lost.
 */
export function loosen(schema: JsonObject, keyword: string): boolean {
  // What counts as evaluated has become less.
  let isLooser = Reflect.has(schema, 'unevaluatedProperties') || Reflect.has(schema, 'unevaluatedItems');
  delete schema.unevaluatedProperties;
  delete schema.unevaluatedItems;
  const repair = Object.hasOwn(schema, keyword) ? REPAIRS[keyword] : undefined;
  if (repair !== undefined) {
    repair(schema);
    isLooser = true;
  }
  return isLooser;
}

const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'];
const IN_PLACE = ['if', 'then', 'else', 'not'];

/** A copy of a schema that does not require the properties, neither itself nor in its choices, unless it declares them. */
export function withoutRequired(schema: unknown, names: ReadonlySet<string>): unknown {
  if (!isObject(schema)) return schema;
  const copy = { ...schema };
  const { required } = copy;
  if (Array.isArray(required)) {
    const kept = (required as unknown[]).filter((name) => !names.has(String(name)) || declares(schema, name));
    if (kept.length > 0) copy.required = kept;
    else delete copy.required;
  }
  for (const key of IN_PLACE_LISTS) {
    const list = copy[key];
    if (Array.isArray(list)) copy[key] = (list as unknown[]).map((one) => withoutRequired(one, names));
  }
  for (const key of IN_PLACE) if (isObject(copy[key])) copy[key] = withoutRequired(copy[key], names);
  return copy;
}

const declares = (schema: JsonObject, name: unknown) =>
  getOwn(getOwn(schema, 'properties'), String(name)) !== undefined;
