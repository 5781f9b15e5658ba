import { getOwn, isObject } from './json.ts';
import type { PortSchema } from './types.ts';

/** A change after which calls that worked may fail, or readers of the output may miss something. */
export interface BreakingChange {
  kind:
    /** The verb or the path is another one. */
    | 'endpoint'
    /** A value that was absent so far must be given. */
    | 'required'
    /** An input does not exist anymore. */
    | 'removed'
    /** An input does not accept the type that it accepted. */
    | 'type'
    /** An input does not accept values that it accepted. */
    | 'values'
    /** The output does not have a field anymore. */
    | 'outputRemoved'
    /** A field of the output can have a type that it did not have. */
    | 'outputType';
  /** Such as `address.street` or `tags[]`; empty for the whole. */
  place: string;
  from?: string;
  to?: string;
}

interface Endpoint {
  httpMethod: string;
  path: string;
  inputSchema: PortSchema;
  outputSchema: PortSchema;
}

const MAX_CHANGES = 50;

/** Lists what breaks if a method changes, at most 50 changes. */
export function listBreakingChanges(before: Endpoint, after: Endpoint): BreakingChange[] {
  const changes: BreakingChange[] = [];
  const add = (change: BreakingChange) => {
    if (changes.length < MAX_CHANGES) changes.push(change);
  };
  const [from, to] = [before, after].map(({ httpMethod, path }) => `${httpMethod.toUpperCase()} ${path}`);
  if (from !== undefined && from !== to)
    add({ kind: 'endpoint', place: '', from, ...(to !== undefined && { to }) });
  compareInputs(before.inputSchema, after.inputSchema, '', add);
  compareOutputs(before.outputSchema, after.outputSchema, '', add);
  return changes;
}

type Add = (change: BreakingChange) => void;

function compareInputs(before: unknown, after: unknown, place: string, add: Add): void {
  compareTypes('type', before, after, place, (types, others) => !covers(others, types), add);
  const lost = listLostValues(before, after);
  if (lost !== null) add({ kind: 'values', place, from: lost });
  const [was, is] = [propertiesOf(before), propertiesOf(after)];
  const [wasRequired, isRequired] = [requiredOf(before), requiredOf(after)];
  for (const name of is.keys()) {
    if (isRequired.has(name) && !(was.has(name) && wasRequired.has(name))) {
      add({ kind: 'required', place: join(place, name) });
    }
  }
  for (const [name, schema] of was) {
    if (!is.has(name)) add({ kind: 'removed', place: join(place, name) });
    else compareInputs(schema, is.get(name), join(place, name), add);
  }
  compareItems(before, after, place, (one, other, at) => compareInputs(one, other, at, add));
}

function compareOutputs(before: unknown, after: unknown, place: string, add: Add): void {
  compareTypes('outputType', before, after, place, (types, others) => !covers(types, others), add);
  const is = propertiesOf(after);
  for (const [name, schema] of propertiesOf(before)) {
    if (!is.has(name)) add({ kind: 'outputRemoved', place: join(place, name) });
    else compareOutputs(schema, is.get(name), join(place, name), add);
  }
  compareItems(before, after, place, (one, other, at) => compareOutputs(one, other, at, add));
}

function compareTypes(
  kind: 'type' | 'outputType',
  before: unknown,
  after: unknown,
  place: string,
  isBreaking: (types: string[], others: string[]) => boolean,
  add: Add,
): void {
  const [types, others] = [typesOf(before), typesOf(after)];
  // Without a type, anything may be meant.
  if (types.length === 0 || others.length === 0 || !isBreaking(types, others)) return;
  add({ kind, place, from: types.join(' | '), to: others.join(' | ') });
}

function compareItems(
  before: unknown,
  after: unknown,
  place: string,
  compare: (before: unknown, after: unknown, place: string) => void,
): void {
  const [was, is] = [getOwn(before, 'items'), getOwn(after, 'items')];
  if (isObject(was) && isObject(is)) compare(was, is, `${place}[]`);
}

/** Whether every one of the types is among the others. */
function covers(others: string[], types: string[]): boolean {
  return types.every((type) => others.includes(type) || (type === 'integer' && others.includes('number')));
}

/** The values of an enum that are not accepted anymore; null if there are none. */
function listLostValues(before: unknown, after: unknown): string | null {
  const [was, is] = [getOwn(before, 'enum'), getOwn(after, 'enum')];
  if (!Array.isArray(is)) return null;
  const allowed = new Set(is.map((value) => JSON.stringify(value)));
  if (!Array.isArray(was)) return '';
  const lost = was.map((value) => JSON.stringify(value)).filter((value) => !allowed.has(value));
  return lost.length === 0 ? null : lost.slice(0, 10).join(', ');
}

function typesOf(schema: unknown): string[] {
  const type = getOwn(schema, 'type');
  return (Array.isArray(type) ? (type as unknown[]) : [type]).filter((one) => typeof one === 'string');
}

function propertiesOf(schema: unknown): Map<string, unknown> {
  const properties = getOwn(schema, 'properties');
  return new Map(isObject(properties) ? Object.entries(properties) : []);
}

function requiredOf(schema: unknown): Set<unknown> {
  const required = getOwn(schema, 'required');
  return new Set(Array.isArray(required) ? required : []);
}

const join = (place: string, name: string) => (place === '' ? name : `${place}.${name}`);
