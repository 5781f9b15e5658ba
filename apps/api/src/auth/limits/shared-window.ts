import { createHmac } from 'node:crypto';
import type { Sql } from '../../infra/database/rows.ts';
import { countEvent, findCounts, uncountEvent } from './rate-windows.store.ts';
import { roomIn, waitMs, type Room, type WindowLimit } from './sliding-window.ts';

/** What became of an event. */
export interface Hit extends Room {
  /** The seconds to wait; null if the event was counted. */
  wait: number | null;
}

/**
 * A `SlidingWindow` shared by all processes, counted in `rate_window`. One statement decides and counts, so that
 * simultaneous events cannot exceed the limit. For the few limits that money or sign-in depend on.
 */
export class SharedWindow {
  /** Keys are stored as digests, keyed with `secret`. */
  constructor(
    private readonly sql: Sql,
    private readonly secret: Buffer,
    private readonly limit: WindowLimit,
  ) {}

  /** Counts an event. If the limit is reached, counts nothing and returns how long to wait. */
  async hit(key: string): Promise<Hit> {
    const digest = this.digestOf(key);
    const counts = await countEvent(this.sql, digest, this.limit);
    if (counts !== null) return { wait: null, ...roomIn(counts, counts.age, this.limit) };
    const wait = await this.secondsToWait(digest);
    return { wait, remaining: 0, resetSeconds: Math.ceil(wait) };
  }

  /** Takes back the latest event of the key. */
  async undo(key: string): Promise<void> {
    await uncountEvent(this.sql, this.digestOf(key));
  }

  private async secondsToWait(digest: Buffer): Promise<number> {
    const { windowMs } = this.limit;
    const row = await findCounts(this.sql, digest);
    // The window has just passed, or was purged.
    if (!row || row.age >= 2 * windowMs) return 0;
    const isOver = row.age >= windowMs;
    const counts = isOver ? { previous: row.current, current: 0 } : row;
    return Math.max(0, waitMs(counts, isOver ? row.age - windowMs : row.age, this.limit) / 1000);
  }

  private digestOf(key: string): Buffer {
    return createHmac('sha256', this.secret).update(key).digest();
  }
}
