import type { ColumnType, ManifestColumn } from '@platform/contracts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { isInstant } from '../../infra/requests/instant.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { formatProblem, type Path, type Problem } from '../../tasks/definition/problems.ts';

/** How a column is indexed: as a number or as a text. */
type Indexed = 'number' | 'text';

const OPERATORS = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=', $prefix: 'prefix' } as const;

export interface Condition {
  column: string;
  indexed: Indexed;
  operator: '=' | (typeof OPERATORS)[keyof typeof OPERATORS];
  value: number | string;
}

/** Which rows a list contains, and in which order. */
export interface RowQuery {
  conditions: Condition[];
  /** Null: by the time of creation. */
  sortedBy: { column: string; indexed: Indexed } | null;
  isDescending: boolean;
}

const MAX_CONDITIONS = 16;
/** The index has the first 100 characters of a text. */
const MAX_TEXT = 99;

interface TypeRule {
  indexed: Indexed;
  /** Returns the value as it is indexed; null if it is of another type. */
  read(value: unknown): number | string | null;
  /** Completes "must be". */
  expected: string;
}

const asNumber: TypeRule = {
  indexed: 'number',
  read: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null),
  expected: 'a number',
};

const TYPES: Record<ColumnType, TypeRule | null> = {
  string: {
    indexed: 'text',
    read: (value) => (isText(value) && value.isWellFormed() && [...value].length <= MAX_TEXT ? value : null),
    expected: `a text of at most ${MAX_TEXT} characters`,
  },
  integer: asNumber,
  number: asNumber,
  boolean: {
    indexed: 'number',
    read: (value) => (typeof value === 'boolean' ? Number(value) : null),
    expected: 'true or false',
  },
  datetime: {
    indexed: 'number',
    read: (value) => (isInstant(value) ? Date.parse(value) : null),
    expected: 'a time such as 2026-01-31T12:00:00Z',
  },
  // A JSON value can be of any type, so it has no order.
  json: null,
};

/** What a list was asked for. */
export interface GivenQuery {
  /** Any JSON value; absent or null: no filter. */
  filter?: unknown;
  sort?: string | null | undefined;
}

/** How the caller calls `filter` and `sort`. */
export interface QueryNames {
  filter: string;
  sort: string;
}

const NAMES: QueryNames = { filter: 'filter', sort: 'sort' };

/** Reads what a list was asked for. Throws VALIDATION_ERROR that names every problem. */
export function parseRowQuery(
  columns: readonly ManifestColumn[],
  given: GivenQuery,
  names: QueryNames = NAMES,
): RowQuery {
  const { query, problems } = readRowQuery(columns, given, names);
  if (problems.length > 0) throw invalidFor(problems.map(formatProblem));
  return query;
}

/** Returns what is wrong with a query. */
export function checkRowQuery(
  columns: readonly ManifestColumn[],
  given: GivenQuery,
  names: QueryNames,
): Problem[] {
  return readRowQuery(columns, given, names).problems;
}

/** Returns the value of a filter that is sent as a text; what no filter can be if it is no JSON. */
export function parseFilter(text: string): unknown {
  try {
    return JSON.parse(text) ?? text;
  } catch {
    return text;
  }
}

function readRowQuery(
  columns: readonly ManifestColumn[],
  { filter, sort }: GivenQuery,
  names: QueryNames,
): { query: RowQuery; problems: Problem[] } {
  const problems: Problem[] = [];
  const isFiltered = filter !== undefined && filter !== null;
  const conditions = isFiltered ? readFilter(columns, filter, [names.filter], problems) : [];
  const isDescending = sort?.startsWith('-') ?? true;
  const name = sort?.replace(/^-/, '') ?? 'createdAt';
  const rule = name === 'createdAt' ? null : ruleOf(columns, name, [names.sort], problems);
  const query = {
    conditions,
    sortedBy: rule && { column: name, indexed: rule.indexed },
    isDescending,
  };
  return { query, problems };
}

function readFilter(
  columns: readonly ManifestColumn[],
  filter: unknown,
  path: Path,
  problems: Problem[],
): Condition[] {
  if (!isObject(filter)) {
    problems.push({ path, text: 'must be a JSON object, such as {"total":{"$gte":10}}' });
    return [];
  }
  const conditions = Object.entries(filter).flatMap(([column, wanted]) => {
    const at = [...path, column];
    const rule = ruleOf(columns, column, at, problems);
    if (rule === null) return [];
    const tests: [string, unknown][] = isObject(wanted) ? Object.entries(wanted) : [['=', wanted]];
    return tests.flatMap(([name, value]) => readCondition(column, rule, at, name, value, problems));
  });
  if (conditions.length > MAX_CONDITIONS)
    problems.push({ path, text: `must have at most ${MAX_CONDITIONS} conditions` });
  return conditions;
}

function readCondition(
  column: string,
  rule: TypeRule,
  path: Path,
  name: string,
  wanted: unknown,
  problems: Problem[],
): Condition[] {
  const operator =
    name === '=' ? '=' : Object.hasOwn(OPERATORS, name) && OPERATORS[name as keyof typeof OPERATORS];
  if (operator === false) {
    const known = Object.keys(OPERATORS).join(', ');
    problems.push({ path, text: `has no operator ${name}; it takes ${known}` });
    return [];
  }
  if (operator === 'prefix' && rule.indexed !== 'text') {
    problems.push({ path: [...path, name], text: 'needs a column of type string' });
    return [];
  }
  const value = rule.read(wanted);
  if (value !== null) return [{ column, indexed: rule.indexed, operator, value }];
  problems.push({ path: operator === '=' ? path : [...path, name], text: `must be ${rule.expected}` });
  return [];
}

/** Returns how the values of a column are read; null, with a problem, if rows are not found by it. */
function ruleOf(
  columns: readonly ManifestColumn[],
  name: string,
  path: Path,
  problems: Problem[],
): TypeRule | null {
  const column = columns.find((candidate) => candidate.name === name);
  if (column === undefined) {
    problems.push({ path, text: `names ${name}, which is no column of the table` });
    return null;
  }
  const rule = TYPES[column.type];
  if (rule === null)
    problems.push({ path, text: `names ${name}, which is JSON: rows are not filtered or sorted by it` });
  return rule;
}
