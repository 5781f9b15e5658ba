import { EVENT_WINDOWS } from '@platform/contracts';
import { bucketStarts, fillBuckets, successRate, sumOf, WINDOWS } from './summary-window.ts';

const NOW = Date.parse('2026-03-29T01:59:30.500Z');
const counts = { dispatched: 3, failed: 1, skipped: 2, pending: 4 };

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
      { start: '1970-01-01T00:00:00.000Z', total: 0, dispatched: 0, failed: 0, skipped: 0, pending: 0 },
      { start: '1970-01-01T00:01:00.000Z', total: 10, ...counts },
    ]);
  });
});

describe('figures', () => {
  it('are added up', () => {
    expect(sumOf([counts, counts])).toEqual({ total: 20, dispatched: 6, failed: 2, skipped: 4, pending: 8 });
    expect(sumOf([]).total).toBe(0);
  });

  it('have a success rate of dispatched and failed only; null of nothing', () => {
    expect(successRate(counts)).toBe(0.75);
    expect(successRate({ ...counts, dispatched: 0 })).toBe(0);
    expect(successRate({ dispatched: 0, failed: 0, skipped: 5, pending: 5 })).toBeNull();
  });
});
