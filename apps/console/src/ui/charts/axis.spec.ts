import { describe, expect, it } from '@jest/globals';
import { chooseMaximum, COST_STEPS, createLogAxis, DURATION_STEPS } from './axis.ts';

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

describe('a logarithmic axis', () => {
  it.each([
    [
      [3, 40],
      [1, 10, 100],
    ],
    [[1_000], [1_000, 10_000]],
    [
      [20, 90_000],
      [10, 1_000, 600_000],
    ],
    [[0.5], [1, 10]],
    [[1e12], [36e7, 36e8]],
    [[], [1, 10]],
  ])('for %j has the labels %j', (values, labels) => {
    const axis = createLogAxis(values, DURATION_STEPS);
    expect(axis.labels).toEqual(labels);
    expect([axis.heightOf(labels[0] ?? NaN), axis.heightOf(labels.at(-1) ?? NaN)]).toEqual([0, 1]);
  });

  it('gives each factor the same height, and keeps what is beyond it within', () => {
    const { heightOf } = createLogAxis([10, 1_000], DURATION_STEPS);
    expect([0, -5, 1, 10, 100, 1_000, 1e9].map(heightOf)).toEqual([0, 0, 0, 0, 0.5, 1, 1]);
  });

  it('has few labels, however far it reaches', () => {
    for (const steps of [DURATION_STEPS, COST_STEPS])
      for (const most of steps)
        expect(createLogAxis([steps[0] ?? 1, most], steps).labels.length).toBeLessThanOrEqual(4);
  });
});
