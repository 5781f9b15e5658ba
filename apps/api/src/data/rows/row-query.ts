import type { ColumnType, ManifestColumn } from '@platform/contracts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { isInstant } from '../../infra/requests/instant.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';

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

/** Reads `filter` and `sort` of a list of rows. Throws VALIDATION_ERROR that names every problem. */
export function parseRowQuery(
  columns: readonly ManifestColumn[],
  { filter, sort }: { filter?: string | undefined; sort?: string | undefined },
): RowQuery {
  const problems: string[] = [];
  const conditions = filter === undefined ? [] : readFilter(columns, filter, problems);
  const isDescending = sort === undefined || sort.startsWith('-');
  const name = sort?.replace(/^-/, '') ?? 'createdAt';
  const rule = name === 'createdAt' ? null : ruleOf(columns, name, 'sort', problems);
  if (problems.length > 0) throw invalidFor(problems);
  return { conditions, sortedBy: rule && { column: name, indexed: rule.indexed }, isDescending };
}

function readFilter(columns: readonly ManifestColumn[], text: string, problems: string[]): Condition[] {
  const filter = parseJson(text);
  if (!isObject(filter)) {
    problems.push('filter must be a JSON object, such as {"total":{"$gte":10}}');
    return [];
  }
  const conditions = Object.entries(filter).flatMap(([column, wanted]) => {
    const path = `filter.${column}`;
    const rule = ruleOf(columns, column, path, problems);
    if (rule === null) return [];
    const tests: [string, unknown][] = isObject(wanted) ? Object.entries(wanted) : [['=', wanted]];
    return tests.flatMap(([name, value]) => readCondition(column, rule, path, name, value, problems));
  });
  if (conditions.length > MAX_CONDITIONS)
    problems.push(`filter must have at most ${MAX_CONDITIONS} conditions`);
  return conditions;
}

function readCondition(
  column: string,
  rule: TypeRule,
  path: string,
  name: string,
  wanted: unknown,
  problems: string[],
): Condition[] {
  const operator =
    name === '=' ? '=' : Object.hasOwn(OPERATORS, name) && OPERATORS[name as keyof typeof OPERATORS];
  if (operator === false) {
    problems.push(`${path} has no operator ${name}; it takes ${Object.keys(OPERATORS).join(', ')}`);
    return [];
  }
  if (operator === 'prefix' && rule.indexed !== 'text') {
    problems.push(`${path}.$prefix needs a column of type string`);
    return [];
  }
  const value = rule.read(wanted);
  if (value !== null) return [{ column, indexed: rule.indexed, operator, value }];
  problems.push(`${path}${operator === '=' ? '' : `.${name}`} must be ${rule.expected}`);
  return [];
}

/** Returns how the values of a column are read; null, with a problem, if rows are not found by it. */
function ruleOf(
  columns: readonly ManifestColumn[],
  name: string,
  path: string,
  problems: string[],
): TypeRule | null {
  const column = columns.find((candidate) => candidate.name === name);
  if (column === undefined) {
    problems.push(`${path}: the table has no column ${name}`);
    return null;
  }
  const rule = TYPES[column.type];
  if (rule === null) problems.push(`${path}: rows are not filtered or sorted by ${name}, which is JSON`);
  return rule;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
