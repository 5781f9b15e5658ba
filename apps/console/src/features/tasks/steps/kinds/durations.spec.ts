import { expect, test } from '@jest/globals';
import { joinDuration, parseDuration, splitDuration, writeDuration } from './durations.ts';

test('milliseconds have the largest unit without a fraction', () => {
  expect(splitDuration(259_200_000)).toEqual({ amount: 3, unit: 'day' });
  expect(splitDuration(129_600_000)).toEqual({ amount: 36, unit: 'hour' });
  expect(splitDuration(1_500)).toEqual({ amount: 1.5, unit: 'second' });
  expect(splitDuration(0)).toEqual({ amount: 0, unit: 'second' });
  expect(joinDuration({ amount: 0.1, unit: 'second' })).toBe(100);
});

test('a written duration of one unit has an amount, others and templates are texts', () => {
  for (const text of ['PT5S', 'PT30M', 'PT1H', 'P3D']) {
    const parsed = parseDuration(text);
    expect(parsed && writeDuration(parsed)).toBe(text);
  }
  for (const text of ['P1DT12H', '{{inputs.pause}}', '', 'PT1.5H'])
    expect(parseDuration(text)).toBeUndefined();
});
