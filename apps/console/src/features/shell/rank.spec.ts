import { expect, it } from '@jest/globals';
import { rank } from './rank.ts';

const labels = (text: string) =>
  rank(
    [
      { label: 'Create agent', words: 'new' },
      { label: 'Agents' },
      { label: 'Reagent' },
      { label: 'Tools', words: 'API' },
    ],
    text,
  ).map(({ label }) => label);

it('shows everything in its order without a text', () => {
  expect(labels('  ')).toEqual(['Create agent', 'Agents', 'Reagent', 'Tools']);
});

it('prefers names that begin with the text, then words that do', () => {
  expect(labels('AGE')).toEqual(['Agents', 'Create agent', 'Reagent']);
});

it('requires every word, also in further words', () => {
  expect(labels('agent new')).toEqual(['Create agent']);
  expect(labels('api')).toEqual(['Tools']);
  expect(labels('nothing')).toEqual([]);
});
