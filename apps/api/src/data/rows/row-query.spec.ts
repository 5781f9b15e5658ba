import type { ManifestColumn } from '@platform/contracts';
import { parseFilter, parseRowQuery } from './row-query.ts';

const columns: ManifestColumn[] = (
  ['string', 'integer', 'number', 'boolean', 'datetime', 'json'] as const
).map((type) => ({ name: `${type}_`, type }));
const parse = (filter?: unknown, sort?: string) => parseRowQuery(columns, { filter, sort });

describe('parseRowQuery', () => {
  it('lists rows by their creation, newest first, if nothing else is asked for', () => {
    expect(parse()).toEqual({ conditions: [], sortedBy: null, isDescending: true });
    expect(parse({}, 'createdAt')).toEqual({ conditions: [], sortedBy: null, isDescending: false });
  });

  it('reads values by the type of their column', () => {
    expect(
      parse({
        string_: { $prefix: 'a', $lt: 'b' },
        integer_: 3,
        number_: { $gte: -0.5, $lt: 1 },
        boolean_: true,
        datetime_: { $gt: '2026-01-31T12:00:00+02:00' },
      }).conditions,
    ).toEqual([
      { column: 'string_', indexed: 'text', operator: 'prefix', value: 'a' },
      { column: 'string_', indexed: 'text', operator: '<', value: 'b' },
      { column: 'integer_', indexed: 'number', operator: '=', value: 3 },
      { column: 'number_', indexed: 'number', operator: '>=', value: -0.5 },
      { column: 'number_', indexed: 'number', operator: '<', value: 1 },
      { column: 'boolean_', indexed: 'number', operator: '=', value: 1 },
      { column: 'datetime_', indexed: 'number', operator: '>', value: Date.UTC(2026, 0, 31, 10) },
    ]);
    expect(parse(undefined, '-string_')).toMatchObject({
      sortedBy: { column: 'string_', indexed: 'text' },
      isDescending: true,
    });
    expect(parse(undefined, 'number_')).toMatchObject({
      sortedBy: { indexed: 'number' },
      isDescending: false,
    });
  });

  it.each([
    [{ other: 1 }, 'filter.other names other, which is no column of the table'],
    [{ json_: 1 }, 'filter.json_ names json_, which is JSON: rows are not filtered or sorted by it'],
    [{ integer_: '3' }, 'filter.integer_ must be a number'],
    [{ integer_: null }, 'filter.integer_ must be a number'],
    [{ number_: { $gt: true } }, 'filter.number_.$gt must be a number'],
    [{ boolean_: 1 }, 'filter.boolean_ must be true or false'],
    [{ datetime_: '2026-02-30T00:00:00Z' }, 'filter.datetime_ must be a time such as 2026-01-31T12:00:00Z'],
    [{ string_: 'x'.repeat(100) }, 'filter.string_ must be a text of at most 99 characters'],
    [{ string_: 'a\u0000' }, 'filter.string_ must be a text of at most 99 characters'],
    [{ string_: '\ud800' }, 'filter.string_ must be a text of at most 99 characters'],
    [{ number_: { $prefix: '1' } }, 'filter.number_.$prefix needs a column of type string'],
    [
      { number_: { $like: 1 } },
      'filter.number_ has no operator $like; it takes $gt, $gte, $lt, $lte, $prefix',
    ],
    [
      { number_: { constructor: 1 } },
      'filter.number_ has no operator constructor; it takes $gt, $gte, $lt, $lte, $prefix',
    ],
    [[], 'filter must be a JSON object, such as {"total":{"$gte":10}}'],
  ])('refuses the filter %j', (filter, message) => {
    expect(() => parse(filter)).toThrow(message);
  });

  it('refuses what is no JSON, an unknown order, and names every problem', () => {
    expect(() => parseRowQuery(columns, { filter: parseFilter('{') })).toThrow(
      'filter must be a JSON object',
    );
    expect(() => parse({ integer_: 'x', other: 1 }, '-json_')).toThrow(
      'filter.integer_ must be a number; filter.other names other, which is no column of the table; ' +
        'sort names json_, which is JSON: rows are not filtered or sorted by it',
    );
    expect(() => parse(undefined, '--string_')).toThrow(
      'sort names -string_, which is no column of the table',
    );
  });
});
