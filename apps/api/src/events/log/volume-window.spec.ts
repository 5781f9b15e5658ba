import { describe, expect, it } from '@jest/globals';
import { chooseBuckets, startsOf } from './volume-window.ts';

const NOW = Date.parse('2026-03-01T10:20:30.500Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('the buckets of a time', () => {
  it.each([
    ['a millisecond', 1, 60, 1],
    ['an hour', 60 * MINUTE, 60, 61],
    ['119 minutes', 119 * MINUTE, 60, 120],
    ['two hours that need 121 minutes', 120 * MINUTE, 300, 25],
    ['a day', DAY, 900, 97],
    ['a week', 7 * DAY, 10_800, 57],
    ['30 days', 30 * DAY, 43_200, 61],
    ['119 days', 119 * DAY, 86_400, 120],
    ['a year', 365 * DAY, 4 * 86_400, 92],
    ['all times', NOW, 173 * 86_400, 119],
  ])('are at most 120, whole, and contain %s', (_, ms, seconds, count) => {
    const window = chooseBuckets(NOW - ms, NOW, 0);
    if (window === null) throw new Error('There are none');
    expect([window.bucketSeconds, startsOf(window).length]).toEqual([seconds, count]);
    expect(startsOf(window).every((start) => start % (seconds * 1_000) === 0)).toBe(true);
    expect(window.from).toBeLessThanOrEqual(NOW - ms);
    expect(window.to).toBeGreaterThanOrEqual(NOW);
  });

  it('are at least hours of a time whose minutes are not counted any longer', () => {
    expect(chooseBuckets(NOW, NOW + MINUTE, NOW)?.bucketSeconds).toBe(60);
    expect(chooseBuckets(NOW - 1, NOW, NOW)?.bucketSeconds).toBe(3_600);
  });

  it('do not exist if it is empty', () => {
    expect([chooseBuckets(NOW, NOW, 0), chooseBuckets(NOW + 1, NOW, 0)]).toEqual([null, null]);
  });
});
