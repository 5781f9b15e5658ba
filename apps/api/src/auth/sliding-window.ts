import { systemClock, type Clock } from '../infra/clock.ts';

interface Count {
  /** When the running window began; each key has its own. */
  startedAt: number;
  previous: number;
  current: number;
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
    private readonly clock: Clock = systemClock,
  ) {
    this.limit = limit;
    this.windowMs = windowMs;
    this.maxKeys = maxKeys;
  }

  /** Counts one event and answers null; at the limit counts nothing and answers the seconds to wait. */
  hit(key: string): number | null {
    const count = this.touch(key);
    const elapsed = this.clock.now() - count.startedAt;
    const fading = count.previous * (1 - elapsed / this.windowMs);
    if (fading + count.current + 1 <= this.limit) {
      count.current += 1;
      return null;
    }
    return this.waitMs(count, elapsed) / 1000;
  }

  /** Takes the latest event of the key back. */
  undo(key: string): void {
    const count = this.counts.get(key);
    if (count && count.current > 0) count.current -= 1;
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

  /** Until enough has faded for one more event. */
  private waitMs({ previous, current }: Count, elapsed: number): number {
    if (current < this.limit) return this.fadeMs(previous, current) - elapsed;
    return this.windowMs - elapsed + this.fadeMs(current, 0);
  }

  /** Into a window, until the `previous` one leaves room beside the `current` events. */
  private fadeMs(previous: number, current: number): number {
    return this.windowMs * (1 - (this.limit - 1 - current) / previous);
  }
}

function rolled(count: Count | undefined, now: number, windowMs: number): Count {
  const elapsed = count ? now - count.startedAt : Infinity;
  if (!count || elapsed >= 2 * windowMs) return { startedAt: now, previous: 0, current: 0 };
  if (elapsed < windowMs) return count;
  return { startedAt: count.startedAt + windowMs, previous: count.current, current: 0 };
}
