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

/** What is counted of envelopes and of their deliveries. */
export interface Counts {
  dispatched: number;
  failed: number;
  skipped: number;
  pending: number;
  missed: number;
  runsSucceeded: number;
  runsFailed: number;
  runsCancelled: number;
  runsWaiting: number;
}

export const NOTHING: Counts = {
  dispatched: 0,
  failed: 0,
  skipped: 0,
  pending: 0,
  missed: 0,
  runsSucceeded: 0,
  runsFailed: 0,
  runsCancelled: 0,
  runsWaiting: 0,
};

export function add(a: Counts, b: Counts): Counts {
  return {
    dispatched: a.dispatched + b.dispatched,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    pending: a.pending + b.pending,
    missed: a.missed + b.missed,
    runsSucceeded: a.runsSucceeded + b.runsSucceeded,
    runsFailed: a.runsFailed + b.runsFailed,
    runsCancelled: a.runsCancelled + b.runsCancelled,
    runsWaiting: a.runsWaiting + b.runsWaiting,
  };
}

export function toFigures(counts: Counts): EventFigures {
  const { dispatched, failed, skipped, pending } = counts;
  return {
    total: dispatched + failed + skipped + pending,
    dispatched,
    failed,
    skipped,
    pending,
    deliveries: {
      succeeded: counts.runsSucceeded,
      failed: counts.runsFailed,
      missed: counts.missed,
      cancelled: counts.runsCancelled,
      waiting: counts.runsWaiting,
    },
  };
}

/** Every bucket of a window, those without envelopes too. */
export function fillBuckets(
  starts: readonly number[],
  counted: ReadonlyMap<number, Counts>,
): EventSummary['buckets'] {
  return starts.map((start) => ({
    start: new Date(start).toISOString(),
    ...toFigures(counted.get(start) ?? NOTHING),
  }));
}

/** Envelopes that were dispatched. SKIPPED and PENDING ones do not count; null if there are no others. */
export function dispatchRate({
  dispatched,
  failed,
}: Pick<EventFigures, 'dispatched' | 'failed'>): number | null {
  return ratio(dispatched, failed);
}

/** Deliveries whose run succeeded. Those that were cancelled, or that wait, do not count; null if there are no others. */
export function successRate({ succeeded, failed, missed }: EventFigures['deliveries']): number | null {
  return ratio(succeeded, failed + missed);
}

function ratio(good: number, bad: number): number | null {
  return good + bad === 0 ? null : good / (good + bad);
}
