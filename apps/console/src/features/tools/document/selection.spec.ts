import { expect, it } from '@jest/globals';
import type { ImportableOperation } from './import-protocol.ts';
import { changeSelection, matchesSearch, suggestChoice } from './selection.ts';

const METHOD = { name: 'listPets', httpMethod: 'get', path: '/pets', summary: 'Lists all animals' };

it.each([
  ['', true],
  ['  ', true],
  ['PETS', true],
  ['animals get', true],
  ['get animals /pets', true],
  ['pets delete', false],
])('a search for %j finds the method: %p', (search, found) => {
  expect(matchesSearch(METHOD, search)).toBe(found);
});

it('keeps what is chosen outside of the filter', () => {
  const before = new Set(['a', 'b']);
  expect([...changeSelection(before, ['b', 'c'], true)]).toEqual(['a', 'b', 'c']);
  expect([...changeSelection(before, ['b', 'c'], false)]).toEqual(['a']);
  expect([...before]).toEqual(['a', 'b']);
});

it('chooses all methods of a small document that can be imported, and none of a large one', () => {
  const operation = (i: number, fidelity: 'exact' | 'skipped'): ImportableOperation => ({
    ...METHOD,
    operationKey: `GET /${i}`,
    tags: [],
    deprecated: false,
    report: {
      operationKey: `GET /${i}`,
      fidelity,
      reasons: [],
      promptTokens: 0,
      bodyMediaTypes: [],
      bodyMediaType: null,
    },
  });
  const exact = (length: number) => Array.from({ length }, (_, i) => operation(i, 'exact'));
  expect([...suggestChoice([...exact(2), operation(3, 'skipped')])]).toEqual(['GET /0', 'GET /1']);
  expect(suggestChoice([...exact(20), operation(21, 'skipped')]).size).toBe(20);
  expect(suggestChoice(exact(21)).size).toBe(0);
});
