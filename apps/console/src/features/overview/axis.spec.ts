import { expect, it } from '@jest/globals';
import { chooseMaximum } from './axis.ts';

it.each([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 4],
  [5, 6],
  [9, 10],
  [10, 10],
  [11, 20],
  [99, 100],
  [4_001, 6_000],
])('an axis for %d ends at %d', (value, maximum) => {
  expect(chooseMaximum(value)).toBe(maximum);
});
