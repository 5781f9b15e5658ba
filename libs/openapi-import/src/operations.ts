import { getList, getOwn, getText, isObject, pointerSegment, type JsonObject } from './json.ts';
import { nameTextOf, uniqueNames } from './names.ts';
import { isExternal, type References } from './references.ts';
import type { OperationSummary } from './types.ts';

const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Added by OpenAPI 3.2. */
const LATER_VERBS = ['query'];
/** Verbs that no client sends to an API. */
const UNSUPPORTED_VERBS = ['connect', 'track'];
const MAX_PATH = 2_000;
/** What the user can do about it. */
const BUNDLE = 'bundle the document, or import its folder';

/** An endpoint of the document that can be imported. */
export interface Operation extends OperationSummary {
  /** JSON pointer of the operation. */
  pointer: string;
  pathItem: JsonObject;
  operation: JsonObject;
}

/** An endpoint that cannot be imported. */
export interface SkippedOperation {
  operationKey: string;
  pointer: string;
  reason: string;
}

/** Lists the endpoints of a document in its order, without converting them. */
export function listOperations(
  root: JsonObject,
  references: References,
): { operations: Operation[]; skipped: SkippedOperation[] } {
  const found: Omit<Operation, 'name'>[] = [];
  const skipped: SkippedOperation[] = [];
  for (const [path, value] of Object.entries(root.paths as JsonObject)) {
    if (path.startsWith('x-')) continue;
    const pointer = `/paths/${pointerSegment(path)}`;
    const pathItem = readReferring(value, references);
    if (pathItem === undefined) {
      skipped.push({ operationKey: path, pointer, reason: `The path ${whyUnresolved(value)}` });
      continue;
    }
    for (const [verb, value, verbPointer] of listVerbs(pathItem)) {
      const operationKey = `${verb.toUpperCase()} ${path}`;
      const place = { operationKey, pointer: `${pointer}${verbPointer}` };
      const operation = readReferring(value, references);
      const problem =
        operation === undefined
          ? `The operation ${whyUnresolved(value)}`
          : findProblem(operation, pathItem, verb, path);
      if (operation === undefined || problem !== null) skipped.push({ ...place, reason: problem ?? '' });
      else found.push({ ...place, ...summarize(operation), httpMethod: verb, path, pathItem, operation });
    }
  }
  const names = uniqueNames(
    found.map(({ operation, httpMethod, path }) =>
      nameTextOf(getText(operation, 'operationId'), httpMethod, path),
    ),
  );
  return { operations: found.map((operation, i) => ({ ...operation, name: names[i] ?? '' })), skipped };
}

/** A path item or an operation can refer to another one, and say more. Undefined if it cannot be resolved. */
function readReferring(value: unknown, references: References): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const target = references.deref(value);
  if (target === value || target === undefined) return target;
  const { $ref: _, ...own } = value;
  return { ...target, ...own };
}

function whyUnresolved(value: unknown): string {
  const reference = getText(value, '$ref');
  if (reference === '') return 'is not an object';
  return isExternal(reference)
    ? `is in another document, ${reference.slice(0, 100)}: ${BUNDLE}`
    : `refers to ${reference.slice(0, 100)}, which cannot be resolved`;
}

/** Why an operation cannot be imported, or null. */
function findProblem(operation: JsonObject, pathItem: JsonObject, verb: string, path: string): string | null {
  if (Object.keys(operation).length === 0) return 'The operation is empty';
  if (UNSUPPORTED_VERBS.includes(verb) || !/^[a-z][a-z-]{0,19}$/.test(verb))
    return `${verb} requests cannot be sent`;
  if (path.length > MAX_PATH) return `The path has more than ${MAX_PATH} characters`;
  if (/\{[^{}]*[/?#][^{}]*\}/.test(path))
    return 'A variable of the path has a /, ?, or #, which cannot be filled in';
  const says =
    isObject(operation.responses) ||
    getList(operation, 'parameters').length > 0 ||
    getList(pathItem, 'parameters').length > 0 ||
    isObject(operation.requestBody) ||
    getText(operation, 'description') !== '' ||
    getText(operation, 'summary') !== '';
  return says
    ? null
    : 'The operation is incomplete: it has neither responses nor parameters, nor a body, nor a description';
}

function listVerbs(pathItem: JsonObject): [verb: string, operation: unknown, pointer: string][] {
  const verbs = [...VERBS, ...LATER_VERBS]
    .filter((verb) => Object.hasOwn(pathItem, verb))
    .map((verb): [string, unknown, string] => [verb, pathItem[verb], `/${verb}`]);
  const additional = getOwn(pathItem, 'additionalOperations');
  const others = isObject(additional) ? Object.entries(additional) : [];
  const taken = new Set(verbs.map(([verb]) => verb));
  return [
    ...verbs,
    ...others
      .map(([verb, operation]): [string, unknown, string] => [
        verb.toLowerCase(),
        operation,
        `/additionalOperations/${pointerSegment(verb)}`,
      ])
      .filter(([verb]) => !taken.has(verb) && taken.add(verb)),
  ];
}

function summarize(operation: JsonObject) {
  return {
    summary: getText(operation, 'summary') || getText(operation, 'description').slice(0, 200),
    tags: getList(operation, 'tags').filter((tag) => typeof tag === 'string'),
    deprecated: operation.deprecated === true,
  };
}
