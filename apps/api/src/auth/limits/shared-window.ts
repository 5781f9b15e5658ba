import { createHmac } from 'node:crypto';
import type { Sql } from '../../infra/database/rows.ts';
import { countEvent, findCounts, uncountEvent } from './rate-windows.store.ts';
import { waitMs, type WindowLimit } from './sliding-window.ts';

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

  /** Counts an event and returns null. If the limit is reached, counts nothing and returns the seconds to wait. */
  async hit(key: string): Promise<number | null> {
    const digest = this.digestOf(key);
    return (await countEvent(this.sql, digest, this.limit)) ? null : this.secondsToWait(digest);
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
