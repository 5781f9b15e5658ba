import { COLUMN_TYPES, type ColumnType, type ManifestColumn } from '@platform/contracts';
import { isInstant } from '../../infra/requests/instant.ts';
import { problemAt, unknownKeys, type Path, type Problem } from '../../tasks/definition/problems.ts';
import { isObject } from '../../infra/runtime/json.ts';

/** Every row has these, so no column can have their names. */
const ROW_FIELDS = ['id', 'createdAt', 'updatedAt'];
const MAX_TABLES = 100;
const MAX_COLUMNS = 100;
const TABLE_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

interface TypeRule {
  accepts(value: unknown): boolean;
  /** Completes "must be". */
  expected: string;
}

const TYPES: Record<ColumnType, TypeRule> = {
  string: { accepts: (value) => typeof value === 'string', expected: 'a text' },
  integer: { accepts: Number.isSafeInteger, expected: 'an integer from -(2^53 - 1) to 2^53 - 1' },
  // JSON can spell numbers that no double holds, such as 1e400.
  number: { accepts: Number.isFinite, expected: 'a number' },
  boolean: { accepts: (value) => typeof value === 'boolean', expected: 'true or false' },
  datetime: { accepts: isInstant, expected: 'a time such as 2026-01-31T12:00:00Z' },
  json: { accepts: () => true, expected: 'a JSON value' },
};

/** Returns what is wrong with the tables of a manifest in shape; what they emit is not looked at. */
export function checkTables(tables: unknown, path: Path): Problem[] {
  if (!Array.isArray(tables) || tables.length > MAX_TABLES) {
    return [{ path, text: `must be an array of at most ${MAX_TABLES} tables` }];
  }
  const names = new Set<unknown>();
  return tables.flatMap((table: unknown, i) => {
    const at = [...path, i];
    if (!isObject(table)) return [{ path: at, text: 'must be an object' }];
    const { name, columns, emits } = table;
    const problems = [
      ...unknownKeys(table, ['name', 'columns', 'emits'], at),
      ...problemAt([...at, 'name'], tableNameProblem(name, names)),
      ...checkColumns(columns, [...at, 'columns']),
      ...checkEmits(emits, [...at, 'emits']),
    ];
    names.add(name);
    return problems;
  });
}

function checkColumns(columns: unknown, path: Path): Problem[] {
  if (!Array.isArray(columns) || columns.length === 0 || columns.length > MAX_COLUMNS) {
    return [{ path, text: `must be an array of 1 to ${MAX_COLUMNS} columns` }];
  }
  const names = new Set<unknown>();
  return columns.flatMap((column: unknown, i) => {
    const at = [...path, i];
    if (!isObject(column)) return [{ path: at, text: 'must be an object' }];
    const { name, type, required = null } = column;
    const isFlag = required === null || typeof required === 'boolean';
    const isType = (COLUMN_TYPES as readonly unknown[]).includes(type);
    const problems = [
      ...unknownKeys(column, ['name', 'type', 'required'], at),
      ...problemAt([...at, 'name'], columnNameProblem(name, names)),
      ...problemAt([...at, 'type'], isType ? null : `must be one of ${COLUMN_TYPES.join(', ')}`),
      ...problemAt([...at, 'required'], isFlag ? null : 'must be true or false'),
    ];
    names.add(name);
    return problems;
  });
}

function checkEmits(emits: unknown, path: Path): Problem[] {
  if (emits === undefined || emits === null) return [];
  if (!isObject(emits)) return [{ path, text: 'must be an object with onInsert' }];
  const isName = typeof emits.onInsert === 'string';
  return [
    ...unknownKeys(emits, ['onInsert'], path),
    ...problemAt([...path, 'onInsert'], isName ? null : 'must be the name of an event'),
  ];
}

function tableNameProblem(name: unknown, names: ReadonlySet<unknown>): string | null {
  if (typeof name !== 'string' || !TABLE_NAME.test(name)) {
    return 'must be 1 to 63 lowercase letters, digits, _ or -, and start with a letter or digit';
  }
  return names.has(name) ? `must be unique: another table has the name ${name}` : null;
}

function columnNameProblem(name: unknown, names: ReadonlySet<unknown>): string | null {
  if (typeof name !== 'string' || !COLUMN_NAME.test(name)) {
    return 'must be a letter or _ followed by at most 62 letters, digits, or _';
  }
  if (ROW_FIELDS.includes(name)) return `must not be ${name}, which every row has`;
  // Filters refuse these names, so nobody could subscribe to the column.
  if (name in Object.prototype || name === 'prototype') return `must not be ${name}`;
  return names.has(name) ? `must be unique: another column has the name ${name}` : null;
}

/** Returns what is wrong with the values of a new row, or with those that change a row if `isChange`. */
export function checkValues(
  columns: readonly ManifestColumn[],
  values: Record<string, unknown>,
  isChange: boolean,
  path: Path,
): Problem[] {
  const problems = unknownKeys(
    values,
    columns.map(({ name }) => name),
    path,
  );
  for (const { name, type, required } of columns) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (isChange && value === undefined) continue;
    const isMissing = value === undefined || value === null;
    const rule = TYPES[type];
    if (isMissing ? required === true : !rule.accepts(value)) {
      problems.push({ path: [...path, name], text: `must be ${rule.expected}` });
    }
  }
  return problems;
}

/** Returns a value for each declared column: null if the row has none. */
export function fillColumns(
  columns: readonly ManifestColumn[],
  values: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name }) => [name, Object.hasOwn(values, name) ? (values[name] ?? null) : null]),
  );
}
