import type { ColumnType, RowCondition } from '@platform/contracts';
import { isInexact } from '../../../ui/code/inexact-number.ts';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';

export type RowFilter = Record<string, RowCondition>;

/** How a column is compared. `is` is the value itself; the others are operators of the API. */
export type RowOperator = 'is' | 'atLeast' | 'atMost' | 'beginsWith';

const OPERATORS: Record<ColumnType, RowOperator[]> = {
  string: ['is', 'beginsWith', 'atLeast', 'atMost'],
  integer: ['is', 'atLeast', 'atMost'],
  number: ['is', 'atLeast', 'atMost'],
  boolean: ['is'],
  datetime: ['atLeast', 'atMost', 'is'],
  json: [],
};
const KEYS = { atLeast: '$gte', atMost: '$lte', beginsWith: '$prefix' } as const;

/** The operators that the API has for a column. Columns of type json have none. */
export function operatorsOf(type: ColumnType): RowOperator[] {
  return OPERATORS[type];
}

/** Returns the value that a text stands for in a column; null if it stands for none. */
export function parseValue(type: ColumnType, text: string): string | number | boolean | null {
  switch (type) {
    case 'integer':
    case 'number': {
      const value = Number(text);
      return text.trim() === '' || !Number.isFinite(value) || isInexact(text) ? null : value;
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : null;
    case 'datetime': {
      const time = new Date(text);
      return Number.isNaN(time.getTime()) ? null : time.toISOString();
    }
    case 'string':
      return text;
    case 'json':
      return null;
  }
}

/** Adds a condition. One on a column that must equal a value replaces all others on it. */
export function addCondition(
  filter: RowFilter,
  column: string,
  operator: RowOperator,
  value: string | number | boolean,
): RowFilter {
  if (operator === 'is') return { ...filter, [column]: value };
  const others = filter[column];
  const kept = typeof others === 'object' ? others : {};
  return { ...filter, [column]: { ...kept, [KEYS[operator]]: value } };
}

/** The filter in a URL. What is no object counts as no filter; the API says what is wrong with its conditions. */
export function parseRowFilter(text = ''): RowFilter {
  return (parseJsonObject(text) ?? {}) as RowFilter;
}
