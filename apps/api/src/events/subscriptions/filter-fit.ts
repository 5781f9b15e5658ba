import type { EventFilter, JsonSchema } from '@platform/contracts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import {
  declaresField,
  findAtPath,
  proposal,
  typeOf,
  type SchemaAtPath,
} from '../../infra/schemas/schema-path.ts';
import type { Problem } from '../../tasks/definition/problems.ts';
import { hasOperators } from './filter-operators.ts';

const COMPARISONS = ['$gt', '$gte', '$lt', '$lte', '$prefix'];

/** What a subscription looks for in the payloads of its event. */
interface Sought {
  filter?: EventFilter | null | undefined;
  debounce?: { key?: string | null } | null | undefined;
  batch?: { key?: string | null } | null | undefined;
}

/**
 * Returns why no payload that satisfies the schema of the event can match the filter of a subscription, or has the key by which
 * events wait; an empty list if one may.
 */
export function findUnfit({ filter, debounce, batch }: Sought, schema: JsonSchema): Problem[] {
  const below = (field: string, problems: readonly Problem[]) =>
    problems.map(({ path, text }) => ({ path: [field, ...path], text }));
  return [
    ...below('filter', findImpossible(filter ?? null, schema)),
    ...below('debounce', findImpossibleKey(debounce?.key, schema)),
    ...below('batch', findImpossibleKey(batch?.key, schema)),
  ];
}

function findImpossibleKey(key: string | null | undefined, schema: JsonSchema): Problem[] {
  if (!key) return [];
  const { problem } = findField(key, schema);
  return problem === null ? [] : [{ path: ['key'], text: `can never be found: the event ${problem}` }];
}

/** Looks up a field as `fieldAt` does. */
function findField(name: string, schema: JsonSchema): SchemaAtPath {
  return findAtPath(declaresField(schema, name) ? [name] : name.split('.'), schema, 'objects');
}

/**
 * Returns why a filter can match no payload that satisfies the schema of the event; an empty list if one may. Judges what is
 * certain: fields that a closed schema does not have, and values of a type or an enumeration that it does not allow.
 */
export function findImpossible(filter: EventFilter | null, schema: JsonSchema): Problem[] {
  return Object.entries(filter ?? {}).flatMap(([name, wanted]) => {
    const problem = findProblem(name, wanted, schema);
    return problem === null ? [] : [{ path: [name], text: `can never match: ${problem}` }];
  });
}

function findProblem(name: string, wanted: unknown, root: JsonSchema): string | null {
  if (canBeMissing(wanted)) return null;
  const { schema, problem } = findField(name, root);
  if (problem !== null) return `the event ${problem}`;
  return schema === null ? null : valueProblem(wanted, schema);
}

/** Whether a condition can hold for a field that is not there. */
function canBeMissing(wanted: unknown): boolean {
  return hasOperators(wanted) && (wanted.$exists === false || Object.hasOwn(wanted, '$not'));
}

function valueProblem(wanted: unknown, schema: JsonObject): string | null {
  if (hasOperators(wanted)) {
    const operands = COMPARISONS.filter((name) => Object.hasOwn(wanted, name)).map((name) => wanted[name]);
    return operands.every((operand) => isTypeAllowed(operand, schema, false)) ? null : typeProblem(schema);
  }
  const members: unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  if (members.length === 0) return null;
  if (!members.some((member) => isTypeAllowed(member, schema, true))) return typeProblem(schema);
  const allowed = allowedValues(schema);
  if (
    allowed === null ||
    members.some((member) => (typeof member === 'object' && member !== null) || allowed.includes(member))
  )
    return null;
  const texts = allowed.filter((value) => typeof value === 'string');
  return `the event allows other values${typeof members[0] === 'string' ? proposal(members[0], texts) : ''}`;
}

/** The only values that a schema allows; null if it does not name them, or if some are objects. */
function allowedValues(schema: JsonObject): unknown[] | null {
  if (Object.hasOwn(schema, 'const')) return isObject(schema.const) ? null : [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}

const typeProblem = (schema: JsonObject) => `the field is of type ${typeOf(schema)}`;

/** An integer is compared with any number, but equals only integers. */
function isTypeAllowed(value: unknown, { type }: JsonObject, isEqual: boolean): boolean {
  if (typeof type !== 'string' && !Array.isArray(type)) return true;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.some((one) => {
    if (one === 'null') return value === null;
    if (one === 'array') return Array.isArray(value);
    if (one === 'object') return isObject(value);
    if (one === 'integer') return isEqual ? Number.isInteger(value) : typeof value === 'number';
    return typeof value === one;
  });
}
