import * as fc from 'fast-check';
import { isEqual, mergeValues } from './merge-values.ts';

const merge = (base: unknown, edited: unknown, incoming: unknown, preference: 'edit' | 'document' = 'edit') =>
  mergeValues(base, edited, incoming, preference);

it('takes each change from the side that made it', () => {
  const base = { title: 'a', size: 1, kept: true, dropped: 1 };
  const { value, differences } = merge(
    base,
    { title: 'mine', size: 1, kept: true, dropped: 1, own: [1] },
    { title: 'a', size: 2, kept: true, new: { deep: {} } },
  );
  expect(value).toEqual({ title: 'mine', size: 2, kept: true, own: [1], new: { deep: {} } });
  expect(differences).toEqual([
    { path: ['title'], origin: 'edit', base: 'a', edited: 'mine', incoming: 'a' },
    { path: ['size'], origin: 'document', base: 1, edited: 1, incoming: 2 },
    { path: ['dropped'], origin: 'document', base: 1, edited: 1 },
    { path: ['own'], origin: 'edit', edited: [1] },
    { path: ['new'], origin: 'document', incoming: { deep: {} } },
  ]);
});

it('does not call it a difference if both sides made the same change', () => {
  expect(merge({ a: 1 }, { a: { x: [2], y: 1 } }, { a: { y: 1, x: [2] } })).toEqual({
    value: { a: { x: [2], y: 1 } },
    differences: [],
  });
});

it.each([
  ['both changed it', { a: 1 }, { a: 2 }, { a: 3 }],
  ['one changed what the other removed', { a: { b: 1 } }, { a: { b: 2 } }, {}],
  ['one removed what the other changed', { a: 1 }, {}, { a: 2 }],
  ['both added it', {}, { a: 1 }, { a: 2 }],
  ['one made an object of it', { a: 1 }, { a: { b: 1 } }, { a: 2 }],
])('has a conflict if %s, which the preference decides', (_, base, edited, incoming) => {
  const mine = merge(base, edited, incoming, 'edit');
  expect(mine.value).toEqual(edited);
  expect(mine.differences.map(({ origin, path }) => [origin, path])).toEqual([['conflict', ['a']]]);
  expect(merge(base, edited, incoming, 'document').value).toEqual(incoming);
});

it('keeps what only one side says where the base is not known', () => {
  const { value, differences } = merge(undefined, { a: 1, b: { c: 1 } }, { b: { d: 2 } });
  expect(value).toEqual({ a: 1, b: { c: 1, d: 2 } });
  expect(differences.map(({ origin }) => origin)).toEqual(['edit', 'edit', 'document']);
});

it('merges required as a set', () => {
  const required = (base?: string[], edited?: string[], incoming?: string[]) =>
    merge({ required: base }, { required: edited }, { required: incoming }).value;
  expect(required(['a', 'b'], ['a'], ['a', 'b', 'c'])).toEqual({ required: ['a', 'c'] });
  expect(required(['a'], ['a', 'own'], undefined)).toEqual({ required: ['own'] });
  expect(required(['a'], ['a'], undefined)).toEqual({});
  expect(required(undefined, ['mine'], ['theirs'])).toEqual({ required: ['mine', 'theirs'] });
});

it('keeps a property that is called __proto__ a property', () => {
  const base = JSON.parse('{"properties":{}}') as unknown;
  const incoming = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as unknown;
  const { value } = merge(base, base, incoming);
  expect(JSON.stringify(value)).toBe('{"properties":{"__proto__":{"type":"string"}}}');
  expect(({} as { type?: string }).type).toBeUndefined();
});

it('gives back the other side if only one has changed, whatever the values are', () => {
  const value = fc.object({ maxDepth: 4, key: fc.constantFrom('a', 'b', 'required', 'properties') });
  fc.assert(
    fc.property(value, value, (one, other) => {
      const [a, b] = [one, other].map((object) => JSON.parse(JSON.stringify(object)) as unknown);
      expect(isEqual(merge(a, a, b).value, b)).toBe(true);
      expect(isEqual(merge(a, b, a).value, b)).toBe(true);
      expect(merge(a, b, a).differences.filter(({ origin }) => origin !== 'edit')).toEqual([]);
      expect(merge(a, a, b).differences.filter(({ origin }) => origin !== 'document')).toEqual([]);
    }),
    // The first run names an empty list of required, which was lost once.
    { numRuns: 500, examples: [[{}, { required: [] }]] },
  );
});
