import { TOOL_STATUSES } from '@platform/contracts';
import { policiesProblem } from '../tools/policies/call-policy.ts';
import { unknownFieldProblems } from '../infra/requests/free-form.ts';
import { isUuid } from '../infra/requests/ids.ts';
import { deeperThan } from '../infra/requests/json-shape.ts';
import { isText } from '../infra/requests/text.ts';
import { variableNameProblem } from './template.ts';
import { isObject } from '../infra/runtime/json.ts';

/** Built-in tools have names instead of ids. */
const BUILTIN_TOOL = /^[a-z][a-z0-9_]{0,63}$/;
const LOCAL_TOOL = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_ITEMS = 128;
const MAX_METHODS = 1_000;
const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_SCHEMA_DEPTH = 16;

type Fields = Record<string, unknown>;
type FieldCheck = (value: unknown) => string | null;

/** `variables` of an agent; one sentence per problem. */
export function checkVariables(value: unknown, path: string): string[] {
  return checkList(value, path, 'name', {
    name: (name) => (typeof name === 'string' ? variableNameProblem(name) : 'must be a text'),
    required: optional((given) => (typeof given === 'boolean' ? null : 'must be a boolean')),
    description: optional(text),
    default: optional(text),
  });
}

/** `tools` of an agent, in shape only: whether they exist is asked when a turn offers them. */
export function checkTools(value: unknown, path: string): string[] {
  return checkList(value, path, 'toolId', {
    toolId: (id) =>
      isUuid(id) || (typeof id === 'string' && BUILTIN_TOOL.test(id))
        ? null
        : 'must be the id of a tool or the name of a built-in one',
    methods: optional((methods) =>
      Array.isArray(methods) &&
      methods.length <= MAX_METHODS &&
      methods.every((name) => isText(name) && name !== '')
        ? null
        : `must be an array of at most ${MAX_METHODS} method names, or null for all`,
    ),
    policies: optional(policiesProblem),
    // Part of responses, and accepted so that a response can be sent back unchanged. It has no effect.
    status: optional((status) =>
      (TOOL_STATUSES as readonly unknown[]).includes(status)
        ? null
        : `must be one of ${TOOL_STATUSES.join(', ')}`,
    ),
  });
}

/** `localTools` of an agent. */
export function checkLocalTools(value: unknown, path: string): string[] {
  return checkList(value, path, 'name', {
    name: (name) =>
      typeof name === 'string' && LOCAL_TOOL.test(name) ? null : 'must be 1 to 64 letters, digits, _ or -',
    description: text,
    inputSchema: schemaProblem,
  });
}

/** A list of objects with exactly these fields, of which `key` tells the items apart. */
function checkList(value: unknown, path: string, key: string, checks: Record<string, FieldCheck>): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [`${path} must be an array`];
  if (value.length > MAX_ITEMS) return [`${path} must have at most ${MAX_ITEMS} items`];
  const seen = new Set<unknown>();
  return value.flatMap((item: unknown, i) => {
    const at = `${path}[${i}]`;
    if (!isObject(item)) return [`${at} must be an object`];
    const problems = fieldProblems(item, at, checks);
    const name = isUuid(item[key]) ? item[key].toLowerCase() : item[key];
    if (name !== undefined && seen.has(name)) problems.push(`${at}.${key} is given twice`);
    seen.add(name);
    return problems;
  });
}

function fieldProblems(item: Fields, at: string, checks: Record<string, FieldCheck>): string[] {
  const wrong = Object.entries(checks).flatMap(([field, check]) => {
    const problem = check(item[field] ?? undefined);
    return problem === null ? [] : [`${at}.${field} ${problem}`];
  });
  return [...unknownFieldProblems(item, Object.keys(checks), at), ...wrong];
}

function schemaProblem(schema: unknown): string | null {
  if (!isObject(schema)) return 'must be a JSON Schema object';
  if (deeperThan(schema, MAX_SCHEMA_DEPTH))
    return `must not be nested deeper than ${MAX_SCHEMA_DEPTH} levels`;
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  return bytes > MAX_SCHEMA_BYTES ? `must not be larger than ${MAX_SCHEMA_BYTES} bytes` : null;
}

const text: FieldCheck = (value) => (typeof value === 'string' ? null : 'must be a text');

function optional(check: FieldCheck): FieldCheck {
  return (value) => (value === undefined ? null : check(value));
}
