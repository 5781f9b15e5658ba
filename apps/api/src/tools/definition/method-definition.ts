import { isDeepStrictEqual } from 'node:util';
import {
  PORT_LOCATIONS,
  type ToolMethod,
  type ToolMethodRequest,
  type UpdateToolMethodRequest,
} from '@platform/contracts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { deeperThan } from '../../infra/requests/json-shape.ts';
import { isText } from '../../infra/requests/text.ts';
import { givenFields, isObject, withoutNulls } from '../../infra/runtime/json.ts';
import { isJsonPointer } from '../calls/output-fields.ts';
import { policyProblem, toPolicy } from '../policies/call-policy.ts';
import { serverUrlProblem } from '../http/server-url.ts';
import { defaultRetry } from '../calls/tool-retries.ts';

export const MAX_METHODS = 500;
const MAX_SCHEMA_BYTES = 256 * 1024;
const MAX_IMPORTED_BYTES = 512 * 1024;
const MAX_ENCODING_BYTES = 64 * 1024;
const MAX_OUTPUT_FIELDS = 200;
const MAX_POINTER_LENGTH = 500;
const MAX_DEPTH = 64;
const MAX_BINDINGS = 1_000;
/** Any verb, such as those that OpenAPI 3.2 adds. Those that no client sends are refused. */
const VERB = /^(?!connect$|track$)[a-z][a-z-]{0,19}$/i;
/** Verbs that have no side effects. */
const SAFE_VERBS = ['get', 'head', 'options', 'trace', 'query'];
const EMPTY_SCHEMA = { type: 'object', properties: {} };

/** Returns what is wrong with a value, without its path; null if nothing is. */
type FieldCheck = (value: unknown) => string | null;

const FIELDS: Record<keyof ToolMethodRequest, FieldCheck> = {
  name: (value) =>
    typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value)
      ? null
      : 'must be 1 to 64 letters, digits, _ or -',
  description: optional(text(10_000)),
  httpMethod: (value) =>
    typeof value === 'string' && VERB.test(value)
      ? null
      : 'must be an HTTP method such as get or post, in either case, but not connect or track',
  path: (value) =>
    isText(value) && /^\/[^\s\\]{0,1999}$/.test(value)
      ? null
      : 'must begin with / and have at most 2000 characters, without spaces and backslashes',
  serverUrl: optional(serverUrlProblem),
  inputSchema: object(MAX_SCHEMA_BYTES),
  outputSchema: optional(object(MAX_SCHEMA_BYTES)),
  outputFields: optional(outputFieldsProblem),
  bindings: optional(bindingsProblem),
  bodyMediaType: optional(text(200)),
  encoding: optional(object(MAX_ENCODING_BYTES)),
  operationKey: optional(text(2_100)),
  acts: optional(boolean),
  imported: optional(object(MAX_IMPORTED_BYTES)),
  cache: optional(numbers({ ttlSeconds: [0, 86_400] })),
  retry: optional(numbers({ attempts: [0, 5], backoffMs: [0, 60_000] })),
  timeoutMs: optional((value) => numberProblem(value, 1_000, 300_000)),
  policy: optional(policyProblem),
  enabled: optional(boolean),
  deprecated: optional(boolean),
};
const NAMES = Object.keys(FIELDS) as (keyof ToolMethodRequest)[];

const BINDING_FIELDS: Record<string, FieldCheck> = {
  port: text(200),
  in: (value) =>
    (PORT_LOCATIONS as readonly unknown[]).includes(value)
      ? null
      : `must be one of ${PORT_LOCATIONS.join(', ')}`,
  name: optional(text(200)),
  style: optional(text(50)),
  explode: optional(boolean),
  mediaType: optional(text(200)),
  allowReserved: optional(boolean),
  collectionFormat: optional(text(50)),
};

/** `methods` of a request: one sentence per problem. */
export function checkMethods(value: unknown, path: string): string[] {
  if (!Array.isArray(value) || value.length > MAX_METHODS) {
    return [`${path} must be an array of at most ${MAX_METHODS} methods`];
  }
  const seen = new Set<string>();
  return value.flatMap((method: unknown, i) => {
    const at = `${path}[${i}]`;
    if (!isObject(method)) return [`${at} must be an object`];
    const problems = checkFields(method, NAMES, at);
    const name = typeof method.name === 'string' ? method.name.toLowerCase() : null;
    if (name !== null && seen.has(name)) problems.push(`${at}.name is given twice; case is ignored`);
    if (name !== null) seen.add(name);
    return problems;
  });
}

/** A change of a method: only the fields that it contains. */
export function checkMethodChange(change: unknown, path = ''): string[] {
  if (!isObject(change)) return ['The body must be a JSON object'];
  const given = NAMES.filter((name) => change[name] !== undefined && change[name] !== null);
  return checkFields(change, given, path);
}

/** `update` of a request: changes of methods, by their names. */
export function checkMethodChanges(value: unknown, path: string): string[] {
  if (!Array.isArray(value) || value.length > MAX_METHODS) {
    return [`${path} must be an array of at most ${MAX_METHODS} changes`];
  }
  const seen = new Set<unknown>();
  return value.flatMap((item: unknown, i) => {
    const at = `${path}[${i}]`;
    if (!isObject(item)) return [`${at} must be an object`];
    const problems = unknownFieldProblems(item, ['name', 'change'], at);
    if (typeof item.name !== 'string') problems.push(`${at}.name must be the name of a method`);
    if (seen.has(item.name)) problems.push(`${at}.name is given twice`);
    seen.add(item.name);
    if (!isObject(item.change)) return [...problems, `${at}.change must be an object`];
    if (item.change.name !== undefined) problems.push(`${at}.change.name cannot be changed with others`);
    return [...problems, ...checkMethodChange(item.change, `${at}.change`)];
  });
}

/** A new method: the request, with defaults for the rest. */
export function newMethod(request: ToolMethodRequest): ToolMethod {
  const known = withVerb(request);
  const given = withoutNulls(known);
  return { ...defaultMethod(known), ...given, policy: given.policy ? toPolicy(given.policy) : null };
}

/** Verbs are stored in lower case. */
function withVerb<T extends { httpMethod?: string | null }>(fields: T): T {
  return typeof fields.httpMethod === 'string'
    ? { ...fields, httpMethod: fields.httpMethod.toLowerCase() }
    : fields;
}

function defaultMethod({ httpMethod, path }: Pick<ToolMethodRequest, 'httpMethod' | 'path'>) {
  return {
    description: '',
    serverUrl: null,
    outputSchema: EMPTY_SCHEMA,
    outputFields: null,
    bindings: [],
    bodyMediaType: null,
    encoding: null,
    operationKey: `${httpMethod.toUpperCase()} ${path}`,
    acts: !SAFE_VERBS.includes(httpMethod),
    imported: null,
    cache: { ttlSeconds: 0 },
    retry: defaultRetry(httpMethod),
    timeoutMs: 30_000,
    policy: null,
    enabled: true,
    deprecated: false,
    pending: null,
  };
}

/** What can be changed of a method that an MCP server offers. Everything else comes from the server. */
const EDITABLE = new Set([
  'name',
  'description',
  'inputSchema',
  'outputSchema',
  'outputFields',
  'acts',
  'cache',
  'retry',
  'timeoutMs',
  'policy',
  'enabled',
  'deprecated',
]);

/** Fields of a change that are those of an HTTP request. */
export function mcpChangeProblems(change: object, path: string): string[] {
  const wrong = Object.entries(change).filter(
    ([field, value]) => value !== undefined && !EDITABLE.has(field),
  );
  return wrong.map(([field]) => `${path}${field} cannot be changed: the method is a tool of an MCP server`);
}

/** A method after a change. Null removes what can be absent, and otherwise changes nothing. */
export function changeMethod(current: ToolMethod, change: UpdateToolMethodRequest): ToolMethod {
  const given = givenFields(withVerb(change), defaultMethod(current));
  const { httpMethod = current.httpMethod } = given;
  // Nobody has asked that another verb be repeated.
  const isDefault = isDeepStrictEqual(current.retry, defaultRetry(current.httpMethod));
  const retry = isDefault ? defaultRetry(httpMethod) : current.retry;
  const { policy = current.policy } = given;
  return { ...current, retry, ...given, policy: policy && toPolicy(policy) };
}

/** Both schemas of a method share one limit. */
export function schemaSizeProblem({ inputSchema, outputSchema }: ToolMethod, path: string): string[] {
  return bytesOf(inputSchema) + bytesOf(outputSchema) > MAX_SCHEMA_BYTES
    ? [`${path}inputSchema and outputSchema must have at most ${MAX_SCHEMA_BYTES} bytes together`]
    : [];
}

function checkFields(
  method: Record<string, unknown>,
  names: readonly (keyof ToolMethodRequest)[],
  path: string,
): string[] {
  const prefix = path === '' ? '' : `${path}.`;
  const unknown = Object.keys(method).filter((key) => !Object.hasOwn(FIELDS, key));
  const problems = unknown.slice(0, 10).map((key) => `${prefix}${key} is not a known field`);
  for (const name of names) {
    const problem = FIELDS[name](method[name] ?? undefined);
    if (problem !== null) problems.push(`${prefix}${name} ${problem}`);
  }
  return problems;
}

function bindingsProblem(value: unknown): string | null {
  if (!Array.isArray(value) || value.length > MAX_BINDINGS) {
    return `must be an array of at most ${MAX_BINDINGS} bindings`;
  }
  for (const [i, binding] of value.entries()) {
    if (!isObject(binding)) return `must contain objects: item ${i} is none`;
    const [unknown] = unknownFieldProblems(binding, Object.keys(BINDING_FIELDS), `item ${i}`);
    if (unknown !== undefined) return `must contain bindings: ${unknown}`;
    for (const [field, check] of Object.entries(BINDING_FIELDS)) {
      const problem = check(binding[field] ?? undefined);
      if (problem !== null) return `must contain bindings: item ${i}: ${field} ${problem}`;
    }
  }
  return null;
}

function outputFieldsProblem(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_OUTPUT_FIELDS)
    return `must be an array of 1 to ${MAX_OUTPUT_FIELDS} JSON Pointers, or null for the whole output`;
  const wrong = value.findIndex(
    (field) => !isText(field) || field.length > MAX_POINTER_LENGTH || !isJsonPointer(field),
  );
  return wrong === -1
    ? null
    : `must contain JSON Pointers of at most ${MAX_POINTER_LENGTH} characters, such as /items/-/id: item ${wrong} is none`;
}

function optional(check: FieldCheck): FieldCheck {
  return (value) => (value === undefined ? null : check(value));
}

function text(maxLength: number): FieldCheck {
  return (value) =>
    isText(value) && value.length <= maxLength ? null : `must be a text of at most ${maxLength} characters`;
}

function boolean(value: unknown): string | null {
  return typeof value === 'boolean' ? null : 'must be a boolean';
}

function object(maxBytes: number): FieldCheck {
  return (value) => {
    if (!isObject(value)) return 'must be an object';
    if (deeperThan(value, MAX_DEPTH)) return `must not be nested deeper than ${MAX_DEPTH} levels`;
    return bytesOf(value) > maxBytes ? `must have at most ${maxBytes} bytes` : null;
  };
}

function numbers(ranges: Record<string, [number, number]>): FieldCheck {
  return (value) => {
    if (!isObject(value)) return 'must be an object';
    const [unknown] = Object.keys(value).filter((key) => !Object.hasOwn(ranges, key));
    if (unknown !== undefined) return `must have only ${Object.keys(ranges).join(' and ')}`;
    for (const [name, [min, max]] of Object.entries(ranges)) {
      const problem = numberProblem(value[name], min, max);
      if (problem !== null) return `must have a ${name} that ${problem.replace('must be', 'is')}`;
    }
    return null;
  };
}

function numberProblem(value: unknown, min: number, max: number): string | null {
  const isValid = Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  return isValid ? null : `must be an integer from ${min} to ${max}`;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
