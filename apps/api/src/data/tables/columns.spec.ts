import type { ManifestColumn } from '@platform/contracts';
import { formatPointerProblem, formatProblem } from '../../tasks/definition/problems.ts';
import { checkTables, checkValues, fillColumns } from './columns.ts';

const column = (type: ManifestColumn['type'], required = false): ManifestColumn => ({
  name: 'value',
  type,
  required,
});
const problemsOf = (columns: ManifestColumn[], values: Record<string, unknown>, isChange = false) =>
  checkValues(columns, values, isChange, []).map(formatProblem);
const own = (json: string) => JSON.parse(json) as Record<string, unknown>;

describe('the values of a row', () => {
  it.each<[ManifestColumn['type'], unknown[], unknown[]]>([
    ['string', ['', 'text', 'a\0b'], [1, true, {}, []]],
    ['integer', [0, -1, 2 ** 53 - 1, 10.0], [1.5, 2 ** 53, '1', true, Infinity]],
    ['number', [0, -1.5, 1e300, 2 ** 60], ['1', Infinity, -Infinity, true]],
    ['boolean', [true, false], [0, 1, 'true']],
    ['datetime', ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123+02:00'], ['2026-01-31', '', 0, 'now']],
    ['datetime', [], ['2026-02-30T12:00:00Z', '2026-13-01T12:00:00Z', '2026-01-31T12:00:00']],
    ['json', [1, 'a', [], {}, [{ a: null }], false], []],
  ])('of type %s', (type, accepted, refused) => {
    for (const value of accepted) expect(problemsOf([column(type)], { value })).toEqual([]);
    for (const value of refused) {
      expect(problemsOf([column(type)], { value })).toEqual([expect.stringMatching(/^value must be /)]);
    }
  });

  it('that are required must be there, and not null', () => {
    expect(problemsOf([column('string', true)], {})).toEqual(['value must be a text']);
    expect(problemsOf([column('json', true)], { value: null })).toEqual(['value must be a JSON value']);
    expect(problemsOf([column('string')], {})).toEqual([]);
    expect(problemsOf([column('string')], { value: null })).toEqual([]);
  });

  it('of a change may be absent, but a required one cannot be removed', () => {
    expect(problemsOf([column('string', true)], {}, true)).toEqual([]);
    expect(problemsOf([column('string', true)], { value: null }, true)).toEqual(['value must be a text']);
  });

  it('name no other columns, not even those that every object has', () => {
    const values = own('{"other":1,"__proto__":{"value":"a"},"constructor":1,"id":"x"}');
    expect(problemsOf([column('string')], values)).toEqual([
      'other is not a known field',
      '__proto__ is not a known field',
      'constructor is not a known field',
      'id is not a known field',
    ]);
  });

  it('are complete and in the order of the columns when they are read', () => {
    const columns = [column('string'), { name: 'extra', type: 'json' } as const];
    const filled = fillColumns(columns, own('{"extra":{"__proto__":1},"removed":2}'));
    expect(JSON.stringify(filled)).toBe('{"value":null,"extra":{"__proto__":1}}');
  });
});

describe('the tables of a manifest', () => {
  const check = (tables: unknown) =>
    checkTables(tables, ['tables']).map((problem) => formatPointerProblem('', problem));
  const table = (change: object) => [{ name: 'orders', columns: [column('string')], ...change }];

  it('are accepted with columns of all types', () => {
    expect(check(table({ emits: { onInsert: 'order.created' } }))).toEqual([]);
    expect(check([])).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no list', {}, '/tables must be an array of at most 100 tables'],
    ['too many', Array.from({ length: 101 }, () => ({})), '/tables must be an array of at most 100 tables'],
    ['no object', ['orders'], '/tables/0 must be an object'],
    ['a name with capitals', table({ name: 'Orders' }), '/tables/0/name must be 1 to 63 lowercase letters'],
    ['a name that leaves the path', table({ name: '../x' }), '/tables/0/name must be 1 to 63'],
    ['an unknown field', table({ emit: {} }), '/tables/0/emit is not a known field'],
    ['no columns', table({ columns: [] }), '/tables/0/columns must be an array of 1 to 100 columns'],
    [
      'a column of every row',
      table({ columns: [{ name: 'id', type: 'string' }] }),
      '/tables/0/columns/0/name must not be id',
    ],
    [
      '__proto__',
      table({ columns: [{ name: '__proto__', type: 'string' }] }),
      '/tables/0/columns/0/name must not be __proto__',
    ],
    [
      'an unknown type',
      table({ columns: [{ name: 'a', type: 'text' }] }),
      '/tables/0/columns/0/type must be one of string',
    ],
    [
      'a column twice',
      table({ columns: [column('string'), column('json')] }),
      '/tables/0/columns/1/name must be unique',
    ],
    ['a table twice', [...table({}), ...table({})], '/tables/1/name must be unique'],
    [
      'required as a text',
      table({ columns: [{ name: 'a', type: 'string', required: 'yes' }] }),
      '/tables/0/columns/0/required must be true or false',
    ],
    ['emits as a text', table({ emits: 'order.created' }), '/tables/0/emits must be an object with onInsert'],
    [
      'an event that is no text',
      table({ emits: { onInsert: 1 } }),
      '/tables/0/emits/onInsert must be the name of an event',
    ],
  ])('are refused with %s', (_, tables, problem) => {
    expect(check(tables)[0]).toContain(problem);
  });
});
