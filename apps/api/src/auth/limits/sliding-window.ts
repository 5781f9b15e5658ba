import { steadyClock, type Clock } from '../../infra/runtime/clock.ts';

/** What was counted in the running window and in the one before it. */
export interface Counts {
  previous: number;
  current: number;
}

interface Count extends Counts {
  /** When the running window began; each key has its own. */
  startedAt: number;
}

/** How many events there is room for, and the seconds until the running window ends. */
export interface Room {
  remaining: number;
  resetSeconds: number;
}

export interface WindowLimit {
  limit: number;
  windowMs: number;
  /** The key unused for longest is forgotten first. */
  maxKeys?: number;
}

/**
 * Counts events per key over the last `windowMs`. Two counters per key: what the previous window holds fades out
 * evenly, so the limit slides without a list of times.
 */
export class SlidingWindow {
  private readonly counts = new Map<string, Count>();
  private readonly limit: number;
  private readonly windowMs: number;
  private readonly maxKeys: number;

  constructor(
    { limit, windowMs, maxKeys = 10_000 }: WindowLimit,
    private readonly clock: Clock = steadyClock,
  ) {
    this.limit = limit;
    this.windowMs = windowMs;
    this.maxKeys = maxKeys;
  }

  /**
   * Counts events and returns null. At the limit, counts nothing and returns the seconds to wait. Several events count as soon as
   * there is room for one: they can exceed the limit once, and those that follow wait until that has faded.
   */
  hit(key: string, events = 1): number | null {
    const count = this.touch(key);
    const elapsed = this.clock.now() - count.startedAt;
    if (used(count, elapsed, this.windowMs) + 1 <= this.limit) {
      count.current += events;
      return null;
    }
    return waitMs(count, elapsed, { limit: this.limit, windowMs: this.windowMs }) / 1000;
  }

  room(key: string): Room {
    const count = rolled(this.counts.get(key), this.clock.now(), this.windowMs);
    return roomIn(count, this.clock.now() - count.startedAt, { limit: this.limit, windowMs: this.windowMs });
  }

  get size(): number {
    return this.counts.size;
  }

  private touch(key: string): Count {
    const now = this.clock.now();
    const count = rolled(this.counts.get(key), now, this.windowMs);
    // Re-inserted, so that the map's order is the order of use.
    this.counts.delete(key);
    this.counts.set(key, count);
    if (this.counts.size > this.maxKeys) {
      const [oldest] = this.counts.keys();
      if (oldest !== undefined) this.counts.delete(oldest);
    }
    return count;
  }
}

/** Milliseconds until enough has faded for one more event, `elapsed` of them into the running window. */
export function waitMs(
  { previous, current }: Counts,
  elapsed: number,
  { limit, windowMs }: WindowLimit,
): number {
  // Into a window, until its `before` leaves room beside its `now`.
  const fadeMs = (before: number, now: number) => windowMs * (1 - (limit - 1 - now) / before);
  if (current < limit) return fadeMs(previous, current) - elapsed;
  return windowMs - elapsed + fadeMs(current, 0);
}

/** The room that is left, `elapsed` ms into the running window. */
export function roomIn(counts: Counts, elapsed: number, { limit, windowMs }: WindowLimit): Room {
  return {
    remaining: Math.max(0, Math.floor(limit - used(counts, elapsed, windowMs))),
    resetSeconds: Math.ceil((windowMs - elapsed) / 1000),
  };
}

/** What the previous window still weighs, and the running one. */
function used({ previous, current }: Counts, elapsed: number, windowMs: number): number {
  return previous * (1 - elapsed / windowMs) + current;
}

function rolled(count: Count | undefined, now: number, windowMs: number): Count {
  const elapsed = count ? now - count.startedAt : Infinity;
  if (!count || elapsed >= 2 * windowMs) return { startedAt: now, previous: 0, current: 0 };
  if (elapsed < windowMs) return count;
  return { startedAt: count.startedAt + windowMs, previous: count.current, current: 0 };
}
