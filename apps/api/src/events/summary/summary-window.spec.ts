import { EVENT_WINDOWS } from '@platform/contracts';
import {
  add,
  bucketStarts,
  dispatchRate,
  fillBuckets,
  NOTHING,
  successRate,
  toFigures,
  WINDOWS,
} from './summary-window.ts';

const NOW = Date.parse('2026-03-29T01:59:30.500Z');
const counts = { ...NOTHING, dispatched: 3, failed: 1, skipped: 2, pending: 4, runsSucceeded: 6, missed: 1 };
const deliveries = { succeeded: 6, failed: 0, missed: 1, cancelled: 0, waiting: 0 };

describe('the buckets of a window', () => {
  it.each(EVENT_WINDOWS)('of %s cover it, and end with the current one', (window) => {
    const { buckets, bucketSeconds } = WINDOWS[window];
    const starts = bucketStarts(window, NOW);
    expect(starts).toHaveLength(buckets);
    const last = starts.at(-1) ?? 0;
    expect(last <= NOW && NOW < last + bucketSeconds * 1_000).toBe(true);
    expect(starts.every((start) => start % (bucketSeconds * 1_000) === 0)).toBe(true);
    expect(buckets * bucketSeconds).toBe(
      { '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 }[window],
    );
  });

  it('start at midnight UTC for days', () => {
    expect(new Date(bucketStarts('30d', NOW).at(-1) ?? 0).toISOString()).toBe('2026-03-29T00:00:00.000Z');
  });

  it('are filled where nothing happened', () => {
    const filled = fillBuckets([0, 60_000], new Map([[60_000, counts]]));
    expect(filled).toEqual([
      { start: '1970-01-01T00:00:00.000Z', ...toFigures(NOTHING) },
      {
        start: '1970-01-01T00:01:00.000Z',
        total: 10,
        dispatched: 3,
        failed: 1,
        skipped: 2,
        pending: 4,
        deliveries,
      },
    ]);
  });
});

describe('figures', () => {
  it('are added up', () => {
    expect(toFigures(add(counts, counts))).toMatchObject({
      total: 20,
      deliveries: { succeeded: 12, missed: 2 },
    });
    expect(add(counts, NOTHING)).toEqual(counts);
  });

  it('have a dispatch rate of dispatched and failed envelopes only; null of nothing', () => {
    expect(dispatchRate(counts)).toBe(0.75);
    expect(dispatchRate({ dispatched: 0, failed: 1 })).toBe(0);
    expect(dispatchRate({ dispatched: 0, failed: 0 })).toBeNull();
  });

  it('have a success rate of deliveries, of which those that started no run failed', () => {
    expect(successRate({ succeeded: 6, failed: 1, missed: 1, cancelled: 5, waiting: 5 })).toBe(0.75);
    expect(successRate({ succeeded: 0, failed: 0, missed: 0, cancelled: 5, waiting: 5 })).toBeNull();
  });
});
