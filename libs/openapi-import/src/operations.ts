import { getList, getOwn, getText, isObject, pointerSegment, type JsonObject } from './json.ts';
import { uniqueNames } from './names.ts';
import type { References } from './references.ts';
import type { OperationSummary } from './types.ts';

const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Added by OpenAPI 3.2. */
const LATER_VERBS = ['query'];

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
    const pathItem = readPathItem(value, references);
    if (pathItem === undefined) {
      skipped.push({
        operationKey: path,
        pointer,
        reason: 'The path is not an object, or its reference cannot be resolved',
      });
      continue;
    }
    for (const [verb, operation, verbPointer] of listVerbs(pathItem)) {
      const operationKey = `${verb.toUpperCase()} ${path}`;
      const place = { operationKey, pointer: `${pointer}${verbPointer}` };
      if (!isObject(operation)) skipped.push({ ...place, reason: 'The operation is not an object' });
      else if (Object.keys(operation).length === 0)
        skipped.push({ ...place, reason: 'The operation is empty' });
      else found.push({ ...place, ...summarize(operation), httpMethod: verb, path, pathItem, operation });
    }
  }
  const names = uniqueNames(
    found.map(
      ({ operation, httpMethod, path }) => getText(operation, 'operationId') || `${httpMethod}${path}`,
    ),
  );
  return { operations: found.map((operation, i) => ({ ...operation, name: names[i] ?? '' })), skipped };
}

/** A path item can refer to another one and add operations of its own. */
function readPathItem(value: unknown, references: References): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const target = references.deref(value);
  if (target === value || target === undefined) return target;
  const { $ref: _, ...own } = value;
  return { ...target, ...own };
}

function listVerbs(pathItem: JsonObject): [verb: string, operation: unknown, pointer: string][] {
  const verbs = [...VERBS, ...LATER_VERBS]
    .filter((verb) => Object.hasOwn(pathItem, verb))
    .map((verb): [string, unknown, string] => [verb, pathItem[verb], `/${verb}`]);
  const additional = getOwn(pathItem, 'additionalOperations');
  const others = isObject(additional) ? Object.entries(additional) : [];
  return [
    ...verbs,
    ...others.map(([verb, operation]): [string, unknown, string] => [
      verb,
      operation,
      `/additionalOperations/${pointerSegment(verb)}`,
    ]),
  ];
}

function summarize(operation: JsonObject) {
  return {
    summary: getText(operation, 'summary') || getText(operation, 'description').slice(0, 200),
    tags: getList(operation, 'tags').filter((tag) => typeof tag === 'string'),
    deprecated: operation.deprecated === true,
  };
}
