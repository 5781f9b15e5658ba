import { describe, expect, it } from '@jest/globals';
import {
  findProblem,
  parseFilterText,
  suggestKind,
  toConditions,
  toFilter,
  type Condition,
} from './filter-conditions.ts';

const condition = (fields: Partial<Condition>): Condition => ({
  key: 0,
  field: 'total',
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
    [condition({ kind: 'null', values: [] }), null],
    [condition({ kind: 'number', values: ['1e3'] }), null],
  ])('%j: %s', (one, problem) => {
    expect(findProblem(one, [one])).toBe(problem);
  });

  it('reports the second condition of a field', () => {
    const [first, second] = [condition({}), condition({ key: 1 })];
    expect(findProblem(first, [first, second])).toBeNull();
    expect(findProblem(second, [first, second])).toBe('FIELD_REPEATED');
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
