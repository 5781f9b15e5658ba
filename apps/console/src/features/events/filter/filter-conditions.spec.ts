import { describe, expect, it } from '@jest/globals';
import {
  findProblem,
  parseFilterText,
  suggestKind,
  toConditions,
  toFilter,
  withOperator,
  type Condition,
} from './filter-conditions.ts';

const condition = (fields: Partial<Condition>): Condition => ({
  key: 0,
  field: 'total',
  operator: 'is',
  kind: 'text',
  values: ['x'],
  ...fields,
});

describe('conditions of a filter', () => {
  it.each([
    [{ status: 'paid' }],
    [{ total: [50, 100], urgent: true }],
    [{ note: null }],
    [{ code: '10' }],
    [{ '': 'x', 'a b': ['1', '2'] }],
    [{ total: { $gte: 10, $lt: 20.5 } }],
    [{ 'customer.country': { $not: ['DE', 'FR'] }, at: { $gt: '2026-01-01T00:00:00Z' } }],
    [{ note: { $not: null }, code: { $prefix: 'A-' } }],
    [{ coupon: { $exists: true }, refund: { $exists: false } }],
    [{ total: { $not: 5, $exists: true, $lte: 10 } }],
  ])('and back: %j', (filter) => {
    const conditions = toConditions(filter);
    expect(conditions).not.toBeNull();
    expect(toFilter(conditions ?? [])).toEqual(filter);
  });

  it('keep the type of a value: the text "10" is not the number 10', () => {
    expect(toConditions({ total: '10' })).toEqual([condition({ kind: 'text', values: ['10'] })]);
    expect(toConditions({ total: 10 })).toEqual([condition({ kind: 'number', values: ['10'] })]);
  });

  it('are none for no filter and for {}', () => {
    expect(toConditions(null)).toEqual([]);
    expect(toConditions({})).toEqual([]);
    expect(toFilter([])).toBeNull();
  });

  it.each([
    [{ tags: [] }],
    [{ tags: ['one'] }],
    [{ mixed: [1, 'a'] }],
    [{ customer: { id: 1 } }],
    [{ some: [{ id: 1 }, { id: 2 }] }],
    [{ twice: [1, 1] }],
    [{ empty: {} }],
    [{ total: { $not: { $gt: 5 } } }],
    [{ total: { $not: [5] } }],
    [{ total: { $between: [1, 2] } }],
    [{ total: { $gt: true } }],
  ])('do not exist for %j, which would change', (filter) => {
    expect(toConditions(filter)).toBeNull();
  });
});

describe('findProblem', () => {
  it.each([
    [condition({ field: '' }), 'FIELD_MISSING'],
    [condition({ field: '__proto__' }), 'FIELD_FORBIDDEN'],
    [condition({ values: [] }), 'VALUE_MISSING'],
    [condition({ kind: 'number', values: ['1', 'one'] }), 'NOT_A_NUMBER'],
    [condition({ kind: 'number', values: [' '] }), 'NOT_A_NUMBER'],
    [condition({ kind: 'number', values: ['9007199254740993'] }), 'INEXACT_NUMBER'],
    [condition({ kind: 'number', values: ['1', '1e400'] }), 'INEXACT_NUMBER'],
    [condition({ kind: 'number', values: ['0x20000000000001'] }), 'INEXACT_NUMBER'],
    [condition({ kind: 'number', values: ['9007199254740992', '0x10', '.5'] }), null],
    [condition({ kind: 'null', values: [] }), null],
    [condition({ kind: 'number', values: ['1e3'] }), null],
  ])('%j: %s', (one, problem) => {
    expect(findProblem(one, [one])).toBe(problem);
  });

  it.each([
    ['is', 'is', 'FIELD_REPEATED'],
    ['is', 'atLeast', 'FIELD_REPEATED'],
    ['isNot', 'is', 'FIELD_REPEATED'],
    ['atLeast', 'atLeast', 'FIELD_REPEATED'],
    ['exists', 'isMissing', 'FIELD_REPEATED'],
    ['atLeast', 'lessThan', null],
    ['exists', 'isNot', null],
  ] as const)('of a field that %s and %s: %s', (one, other, problem) => {
    const [first, second] = [condition({ operator: one }), condition({ key: 1, operator: other })];
    expect(findProblem(first, [first, second])).toBeNull();
    expect(findProblem(second, [first, second])).toBe(problem);
  });

  it('refuses forbidden names inside of a path', () => {
    const inside = condition({ field: 'customer.constructor' });
    expect(findProblem(inside, [inside])).toBe('FIELD_FORBIDDEN');
  });
});

describe('withOperator', () => {
  it('keeps what the operator can use', () => {
    const list = condition({ kind: 'number', values: ['1', '2'] });
    expect(withOperator(list, 'isNot')).toEqual({ ...list, operator: 'isNot' });
    expect(withOperator(list, 'atLeast')).toEqual({ ...list, operator: 'atLeast', values: ['1'] });
    expect(withOperator(list, 'beginsWith')).toMatchObject({ kind: 'text', values: [] });
    expect(withOperator(condition({ kind: 'boolean', values: ['true'] }), 'moreThan')).toMatchObject({
      kind: 'number',
      values: [],
    });
  });
});

describe('parseFilterText', () => {
  it.each([
    ['', null],
    ['null', null],
    ['{"a":[1]}', { a: [1] }],
    ['[1]', undefined],
    ['{', undefined],
    ['"x"', undefined],
  ])('%j', (text, filter) => {
    expect(parseFilterText(text)).toEqual(filter);
  });
});

it.each([
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
  ['string', 'text'],
  [null, 'text'],
])('a field of the type %s suggests %s', (type, kind) => {
  expect(suggestKind(type)).toBe(kind);
});
