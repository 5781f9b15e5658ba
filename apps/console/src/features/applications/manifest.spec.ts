import { expect, it } from '@jest/globals';
import { parseManifest, parseProblems } from './manifest.ts';

it('finds the JSON pointer of each problem', () => {
  expect(
    parseProblems(['/events/0/name must be dotted', '/tasks/1/workflow: has no steps', 'too large']),
  ).toEqual([
    { pointer: '/events/0/name', text: 'must be dotted' },
    { pointer: '/tasks/1/workflow', text: 'has no steps' },
    { pointer: null, text: 'too large' },
  ]);
});

it.each(['', '{', '[]', 'null', '"x"'])('%j is not a manifest', (text) => {
  expect(parseManifest(text)).toBeUndefined();
});
