import type { EventFilter, JsonSchema } from '@platform/contracts';
import { formatProblem } from '../../tasks/definition/problems.ts';
import { findImpossible } from './filter-fit.ts';

const problemsOf = (filter: EventFilter | null, schema: JsonSchema) =>
  findImpossible(filter, schema).map(({ path, text }) => formatProblem({ path: ['filter', ...path], text }));

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    currency: { type: 'string', enum: ['EUR', 'USD'] },
    amount: { type: 'integer' },
    fixed: { const: 1 },
    note: { type: ['string', 'null'] },
    customer: { $ref: '#/$defs/customer' },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    open: { type: 'object', properties: { known: { type: 'string' } } },
    'a.b': { type: 'string' },
    lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
    mixed: { type: ['array', 'object'] },
  },
  $defs: {
    customer: { type: 'object', additionalProperties: false, properties: { country: { type: 'string' } } },
  },
};

describe('filters that can never match', () => {
  it.each([
    [
      { curency: 'EUR' },
      'filter.curency can never match: the event has no field curency (did you mean currency?)',
    ],
    [{ xyz: 1 }, 'filter.xyz can never match: the event has no field xyz'],
    [
      { currency: 'EURO' },
      'filter.currency can never match: the event allows other values (did you mean EUR?)',
    ],
    [{ currency: 1 }, 'filter.currency can never match: the field is of type string'],
    [{ amount: '40' }, 'filter.amount can never match: the field is of type integer'],
    [{ amount: ['40', '50'] }, 'filter.amount can never match: the field is of type integer'],
    [{ amount: { $gt: '40' } }, 'filter.amount can never match: the field is of type integer'],
    [{ amount: { $prefix: '4' } }, 'filter.amount can never match: the field is of type integer'],
    [{ note: 1 }, 'filter.note can never match: the field is of type string or null'],
    [
      { 'customer.contry': 'DE' },
      'filter.customer.contry can never match: the event has no field contry (did you mean country?)',
    ],
    [{ 'customer.country': 1 }, 'filter.customer.country can never match: the field is of type string'],
    [
      { 'amount.x': 1 },
      'filter.amount.x can never match: the event has in amount a value of type integer, without a field x',
    ],
    [
      { 'lines.0.sku': 'A' },
      'filter.lines.0.sku can never match: the event has in lines a value of type array, without a field 0',
    ],
    [{ amount: 1.5 }, 'filter.amount can never match: the field is of type integer'],
    [{ fixed: 2 }, 'filter.fixed can never match: the event allows other values'],
    [{ currency: null }, 'filter.currency can never match: the field is of type string'],
    [{ zzz: { $exists: true } }, 'filter.zzz can never match: the event has no field zzz'],
  ])('are named: %j', (filter, problem) => {
    expect(problemsOf(filter, SCHEMA)).toEqual([problem]);
  });

  it.each([
    null,
    {},
    { currency: ['EUR', 'GBP'] },
    { amount: [1, 'x'] },
    { note: null },
    { either: 1 },
    { 'open.other': 1 },
    { 'a.b': 'x' },
    { amount: { $gt: 1, $lte: 2.5 } },
    { curency: { $exists: false } },
    { currency: { $not: 1 } },
    { 'mixed.0': 1 },
  ])('are not those that can: %j', (filter) => {
    expect(problemsOf(filter, SCHEMA)).toEqual([]);
  });

  it('are not judged by what an open schema does not say', () => {
    expect(problemsOf({ other: 1 }, { type: 'object', properties: { a: {} } })).toEqual([]);
    expect(problemsOf({ other: 1 }, { allOf: [SCHEMA], additionalProperties: false })).toEqual([]);
    const circle = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    expect(problemsOf({ other: 1 }, circle)).toEqual([]);
  });
});
