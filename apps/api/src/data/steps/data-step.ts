import type { ManifestColumn } from '@platform/contracts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { formatProblem, type Problem } from '../../tasks/definition/problems.ts';
import { hasTemplate } from '../../tasks/templates/template.ts';
import { checkRowQuery, type QueryNames } from '../rows/row-query.ts';
import { checkRow } from '../rows/row-values.pipe.ts';
import { checkValues } from '../tables/columns.ts';

export const OPERATIONS = ['find', 'get', 'insert', 'update', 'delete'] as const;
export type DataOperation = (typeof OPERATIONS)[number];

/** The most rows that one step finds or inserts. */
export const MAX_ROWS = 100;
/** How a step calls what a list calls `filter` and `sort`. */
export const STEP_NAMES: QueryNames = { filter: 'where', sort: 'order' };

/** The fields that say what an operation does, in the order in which problems are named. */
const FIELDS = ['where', 'order', 'limit', 'cursor', 'values'] as const;

/** The fields of each operation; all others are refused, so that none is ignored. */
const USED: Record<DataOperation, { [Field in (typeof FIELDS)[number]]?: 'required' | 'optional' }> = {
  find: { where: 'optional', order: 'optional', limit: 'optional', cursor: 'optional' },
  get: { where: 'required' },
  insert: { values: 'required' },
  update: { where: 'required', values: 'required' },
  delete: { where: 'required' },
};

/** What is wrong with a step, whatever the columns of its table are. The fields may be wrong by themselves. */
export function checkOperation(step: JsonObject): Problem[] {
  const { operation, where, values } = step;
  if (!isOperation(operation)) return [];
  const used = USED[operation];
  const problems = FIELDS.flatMap((field): Problem[] => {
    const isAbsent = step[field] === undefined || step[field] === null;
    if (isAbsent)
      return used[field] === 'required'
        ? [{ path: [field], text: `must be given to ${operation} rows` }]
        : [];
    return used[field] ? [] : [{ path: [field], text: `is not used by ${operation}` }];
  });
  if (used.where === 'required' && isObject(where) && !isOneRow(where))
    problems.push({ path: ['where'], text: 'must be {"id": …} with the id of one row' });
  if (operation === 'update' && Array.isArray(values))
    problems.push({ path: ['values'], text: 'must be an object: one row is changed' });
  return problems;
}

/** What is wrong with the columns of a step, and with its values that are no templates. The operation has been checked. */
export function checkColumns(columns: readonly ManifestColumn[], step: JsonObject): Problem[] {
  const { operation, where, order, values } = step;
  if (operation === 'find') {
    const query = { filter: where, sort: order as string | null };
    return checkRowQuery(columns, query, STEP_NAMES).filter((problem) => isCertain(columns, step, problem));
  }
  return rowsOf(values).flatMap(({ row, path }) =>
    checkValues(columns, row, operation === 'update', path).filter((problem) =>
      isCertain(columns, step, problem),
    ),
  );
}

/** What is wrong with rows to be written, by their values alone. */
export function checkRows(values: unknown): string[] {
  return rowsOf(values).flatMap(({ row, path }) => checkRow(row, path.join('.')));
}

/** The rows of `values` with their paths. */
export function rowsOf(values: unknown): { row: JsonObject; path: (string | number)[] }[] {
  if (Array.isArray(values))
    return values.map((row: unknown, i) => ({ row: isObject(row) ? row : {}, path: ['values', i] }));
  return isObject(values) ? [{ row: values, path: ['values'] }] : [];
}

export function checkLimit(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const isValid = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ROWS;
  return isValid ? null : `must be an integer from 1 to ${MAX_ROWS}`;
}

export function checkWritten(value: unknown): string | null {
  if (value === undefined || value === null || isObject(value)) return null;
  const isList = Array.isArray(value) && value.length >= 1 && value.length <= MAX_ROWS;
  return isList && value.every(isObject)
    ? null
    : `must be an object, or an array of 1 to ${MAX_ROWS} objects`;
}

function isOperation(value: unknown): value is DataOperation {
  return (OPERATIONS as readonly unknown[]).includes(value);
}

export function formatIn(path: string, problems: readonly Problem[]): string[] {
  return problems.map((problem) => `${path}.${formatProblem(problem)}`);
}

function isOneRow(where: JsonObject): boolean {
  return Object.keys(where).length === 1 && typeof where.id === 'string';
}

/** Whether a problem stays whatever the templates of the step become: the column is unknown, or the value is no template. */
function isCertain(columns: readonly ManifestColumn[], step: JsonObject, { path }: Problem): boolean {
  const isColumn = path.some((name) => columns.some((column) => column.name === name));
  let value: unknown = step;
  for (const name of path) value = (value as JsonObject | undefined)?.[name];
  return !isColumn || typeof value !== 'string' || !hasTemplate(value);
}
