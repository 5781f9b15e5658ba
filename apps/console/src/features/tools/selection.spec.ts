import { expect, it } from '@jest/globals';
import { changeSelection, matchesSearch } from './selection.ts';

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
