import type { EventFigures, EventSummary, EventWindow } from '@platform/contracts';

interface WindowShape {
  buckets: number;
  bucketSeconds: number;
}

export const WINDOWS: Record<EventWindow, WindowShape> = {
  '1h': { buckets: 60, bucketSeconds: 60 },
  '24h': { buckets: 24, bucketSeconds: 3_600 },
  '7d': { buckets: 42, bucketSeconds: 14_400 },
  '30d': { buckets: 30, bucketSeconds: 86_400 },
};

/** The buckets of a window, in ms of UTC: they start at multiples of their width, and the last one contains the time. */
export function bucketStarts(window: EventWindow, nowMs: number): number[] {
  const { buckets, bucketSeconds } = WINDOWS[window];
  const width = bucketSeconds * 1_000;
  const last = Math.floor(nowMs / width) * width;
  return Array.from({ length: buckets }, (_, i) => last - (buckets - 1 - i) * width);
}

type Counts = Omit<EventFigures, 'total'>;

export function withTotal({ dispatched, failed, skipped, pending }: Counts): EventFigures {
  return { total: dispatched + failed + skipped + pending, dispatched, failed, skipped, pending };
}

/** Every bucket of a window, those without envelopes too. */
export function fillBuckets(
  starts: readonly number[],
  counted: ReadonlyMap<number, Counts>,
): EventSummary['buckets'] {
  const none = { dispatched: 0, failed: 0, skipped: 0, pending: 0 };
  return starts.map((start) => ({
    start: new Date(start).toISOString(),
    ...withTotal(counted.get(start) ?? none),
  }));
}

export function sumOf(figures: readonly Counts[]): EventFigures {
  const sum = (key: keyof Counts) => figures.reduce((total, one) => total + one[key], 0);
  return withTotal({
    dispatched: sum('dispatched'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    pending: sum('pending'),
  });
}

/** SKIPPED and PENDING envelopes do not count. */
export function successRate({ dispatched, failed }: Counts): number | null {
  return dispatched + failed === 0 ? null : dispatched / (dispatched + failed);
}
