import fc from 'fast-check';
import type { EventFilter } from '@platform/contracts';
import { scaled } from '../../../e2e/faults/scale.ts';
import { checkFilter, matchFilter } from './filter.ts';

const parse = (text: string) => JSON.parse(text) as Record<string, unknown>;

describe('a filter', () => {
  const order = {
    amount: 40,
    currency: 'EUR',
    note: null,
    tags: ['a', 'b'],
    customer: { country: 'DE', address: { zip: '1' } },
  };

  it.each([
    ['no filter', null, null],
    ['an empty filter', {}, null],
    ['an equal value', { currency: 'EUR' }, null],
    ['numbers that are written differently', parse('{"amount": 40.0}'), null],
    ['null', { note: null }, null],
    ['one of several', { currency: ['USD', 'EUR'] }, null],
    ['an object', { customer: { address: { zip: '1' }, country: 'DE' } }, null],
    ['an object as a member', { customer: [{ country: 'DE', address: { zip: '1' } }] }, null],
    ['an array as a member', { tags: [['a', 'b']] }, null],
    ['another value', { amount: 50 }, 'amount: 40, wanted 50'],
    ['none of several', { amount: [50, 100] }, 'amount: 40, wanted one of [50,100]'],
    ['no members', { amount: [] }, 'amount: 40, wanted one of []'],
    ['a number as a text', { amount: '40' }, 'amount: 40, wanted "40"'],
    ['a missing field', { color: 'red' }, 'color: missing, wanted "red"'],
    ['a missing field instead of null', { color: null }, 'color: missing, wanted null'],
    ['null instead of a value', { note: 'x' }, 'note: null, wanted "x"'],
    ['an array instead of a member', { tags: ['a', 'b'] }, 'tags: ["a","b"], wanted one of ["a","b"]'],
    ['an array in another order', { tags: [['b', 'a']] }, 'tags: ["a","b"], wanted one of [["b","a"]]'],
    [
      'a field deep inside',
      { customer: { country: 'DE', address: { zip: '2' } } },
      'customer.address.zip: "1", wanted "2"',
    ],
    [
      'a field too many',
      { customer: { country: 'DE' } },
      'customer.address: an object, wanted no such field',
    ],
    ['the first of several fields', { currency: 'USD', amount: 1 }, 'currency: "EUR", wanted "USD"'],
    ['an inherited field', { toString: null }, 'toString: missing, wanted null'],
  ])('decides about %s', (_, filter, reason) => {
    expect(matchFilter(filter, order)).toEqual({ matches: reason === null, reason });
    expect(checkFilter(filter, 'filter')).toEqual([]);
  });

  it.each([
    ['more', { amount: { $gt: 39.5 } }, null],
    ['not more', { amount: { $gt: 40 } }, 'amount: 40, wanted more than 40'],
    ['at least', { amount: { $gte: 40, $lt: 41 } }, null],
    ['the first operator that fails', { amount: { $gte: 40, $lt: 40 } }, 'amount: 40, wanted less than 40'],
    ['at most', { amount: { $lte: 39 } }, 'amount: 40, wanted at most 39'],
    ['texts in their order', { currency: { $gte: 'EU', $lt: 'EV' } }, null],
    ['no order of different types', { amount: { $lt: '5' } }, 'amount: 40, wanted less than "5"'],
    ['no order of what is missing', { color: { $lt: 5 } }, 'color: missing, wanted less than 5'],
    ['a prefix', { currency: { $prefix: 'EU' } }, null],
    ['another prefix', { currency: { $prefix: 'U' } }, 'currency: "EUR", wanted a text that begins with "U"'],
    ['what exists', { note: { $exists: true } }, null],
    ['what is missing', { color: { $exists: true } }, 'color: missing, wanted any value'],
    ['what must be missing', { color: { $exists: false } }, null],
    ['what must not exist', { note: { $exists: false } }, 'note: null, wanted no such field'],
    ['another value', { amount: { $not: 50 } }, null],
    ['a missing field', { color: { $not: 'red' } }, null],
    ['none of several', { amount: { $not: [40, 50] } }, 'amount: 40, wanted none of [40,50]'],
    ['the opposite of operators', { amount: { $not: { $gt: 30 } } }, 'amount: 40, wanted not more than 30'],
    ['a path', { 'customer.address.zip': '1' }, null],
    [
      'operators at a path',
      { 'customer.country': { $prefix: 'F' } },
      'customer.country: "DE", wanted a text that begins with "F"',
    ],
    ['a path through what is no object', { 'amount.value': 1 }, 'amount.value: missing, wanted 1'],
    ['no path into an array', { 'tags.0': 'a' }, 'tags.0: missing, wanted "a"'],
  ])('knows operators and paths: %s', (_, filter, reason) => {
    expect(matchFilter(filter, order)).toEqual({ matches: reason === null, reason });
    expect(checkFilter(filter, 'filter')).toEqual([]);
  });

  it('prefers a field whose name has dots to a path', () => {
    const payload = { 'a.b': 1, a: { b: 2 } };
    expect(matchFilter({ 'a.b': 1 }, payload).matches).toBe(true);
    expect(matchFilter({ 'a.b': 2 }, payload).matches).toBe(false);
    expect(matchFilter({ 'a.b': 2 }, { a: { b: 2 } }).matches).toBe(true);
  });

  it('reads own properties of the payload only, whatever they are called', () => {
    const payload = parse('{"__proto__": {"a": 1}, "constructor": "x", "hasOwnProperty": 1}');
    expect(matchFilter({ a: 1 }, payload).reason).toBe('a: missing, wanted 1');
    expect(matchFilter({ hasOwnProperty: 1 }, payload).matches).toBe(true);
  });

  it('that is no object throws, so that its subscription alone fails', () => {
    expect(() => matchFilter('x' as unknown as EventFilter, {})).toThrow(TypeError);
  });

  it.each([
    ['a text', 'x', 'filter must be an object'],
    [
      'an unknown operator',
      { a: { $regex: 'x' } },
      'filter.a.$regex must be one of $gt, $gte, $lt, $lte, $prefix, $exists, $not',
    ],
    [
      'an operator beside a field',
      { a: { $gt: 1, b: 2 } },
      'filter.a.b must be one of $gt, $gte, $lt, $lte, $prefix, $exists, $not',
    ],
    ['a wrong operand', { a: { $gt: null } }, 'filter.a.$gt must be a number or a text'],
    ['a wrong flag', { a: { $not: { $exists: 1 } } }, 'filter.a.$not.$exists must be true or false'],
    [
      'an operator inside a value',
      { a: { b: { $gt: 1 } } },
      'filter.a.b has operators inside a value: name the field by its path, such as "customer.age"',
    ],
    [
      'an operator in a list that is excluded',
      { a: { $not: [{ $gt: 1 }] } },
      'filter.a.$not[0] has operators inside a value: name the field by its path, such as "customer.age"',
    ],
    [
      'an unknown operator in an object that is excluded',
      { a: { $not: { b: { $regex: 'x' } } } },
      'filter.a.$not.b has operators inside a value: name the field by its path, such as "customer.age"',
    ],
    ['a forbidden name in a path', { 'a.constructor': 1 }, 'filter.a.constructor is not allowed'],
    ['an array', [], 'filter must be an object'],
    ['__proto__', parse('{"__proto__": 1}'), 'filter.__proto__ is not allowed'],
    ['constructor', { constructor: 1 }, 'filter.constructor is not allowed'],
    ['prototype deep inside', { a: [{ prototype: 1 }] }, 'filter.a[0].prototype is not allowed'],
    [
      'too many fields',
      Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1])),
      'filter must have at most 32 fields',
    ],
    [
      'too many members',
      { a: Array.from({ length: 101 }, () => 1) },
      'filter.a must have at most 100 members',
    ],
    ['too many characters', { a: 'x'.repeat(16_384) }, 'filter must have at most 16384 characters as JSON'],
    [
      'too many levels',
      { a: Array.from({ length: 10_000 }).reduce((inner) => [inner], {}) },
      'filter must not be nested deeper than 32 levels',
    ],
  ])('is refused with %s', (_, filter, problem) => {
    expect(checkFilter(filter, 'filter')).toEqual([problem]);
  });

  it('describes large values by their beginning', () => {
    const { reason } = matchFilter({ text: 'x', list: 1 }, { text: 'y'.repeat(200_000), list: [] });
    expect(reason?.length).toBeLessThan(300);
  });
});

describe('properties of filters', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
  const object = fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'toString', 'é'), json, { maxKeys: 5 })
    .map((value) => parse(JSON.stringify(value)));
  /** Written anew: compares texts instead of descending. */
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
        : Object.is(item, -0)
          ? 0
          : item,
    );
  const expected = (filter: EventFilter, payload: Record<string, unknown>) =>
    Object.entries(filter).every(([key, wanted]) => {
      if (!Object.hasOwn(payload, key)) return false;
      const members = Array.isArray(wanted) ? wanted : [wanted];
      return members.some((member) => text(member) === text(payload[key]));
    });

  it('agrees with the definition for any filter and payload', () => {
    fc.assert(
      fc.property(object, object, (filter, payload) => {
        const { matches, reason } = matchFilter(filter, payload);
        expect(matches).toBe(expected(filter, payload));
        expect(reason === null).toBe(matches);
      }),
      { numRuns: scaled('FILTERS', { quick: 300, slow: 2_000 }) },
    );
  });

  it('matches every payload that has its fields, and names the field that was changed', () => {
    fc.assert(
      fc.property(object, object, (wanted, more) => {
        const filter = Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, [value]]));
        const payload = { ...more, ...wanted };
        expect(matchFilter(filter, payload)).toEqual({ matches: true, reason: null });
        for (const key of Object.keys(filter)) {
          const changed = { ...payload, [key]: [payload[key]] };
          expect(matchFilter(filter, changed).reason).toMatch(new RegExp(`^${key}[:.[]`));
        }
      }),
      { numRuns: scaled('FILTER_CHANGES', { quick: 100, slow: 500 }) },
    );
  });
});
