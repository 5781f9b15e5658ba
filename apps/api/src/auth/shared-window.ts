import { createHmac } from 'node:crypto';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { waitMs, type Counts, type WindowLimit } from './sliding-window.ts';

const PURGE_BATCH = 1000;

/** A row of `w` as it is when the event `excluded` comes; windows that have passed are behind it. */
const AGE = `greatest(extract(epoch from excluded.started_at - w.started_at) * 1000, 0)`;
const WINDOW = `$2::float8`;
const PREVIOUS = `case when ${AGE} >= 2 * ${WINDOW} then 0 when ${AGE} >= ${WINDOW} then w.current_count
  else w.previous_count end`;
const CURRENT = `case when ${AGE} >= ${WINDOW} then 0 else w.current_count end`;
const STARTED_AT = `case when ${AGE} >= 2 * ${WINDOW} then excluded.started_at
  when ${AGE} >= ${WINDOW} then w.started_at + ${WINDOW} * interval '1 millisecond' else w.started_at end`;
const ELAPSED = `case when ${AGE} >= 2 * ${WINDOW} then 0 when ${AGE} >= ${WINDOW} then ${AGE} - ${WINDOW}
  else ${AGE} end`;

const HIT = `
  insert into rate_window as w (key, started_at, previous_count, current_count)
  values ($1, clock_timestamp(), 0, 1)
  on conflict (key) do update set
    started_at = ${STARTED_AT}, previous_count = ${PREVIOUS}, current_count = ${CURRENT} + 1
  where (${PREVIOUS}) * (1 - (${ELAPSED}) / ${WINDOW}) + (${CURRENT}) + 1 <= $3
  returning key`;

/**
 * The `SlidingWindow` of all processes together, counted in `rate_window`: one statement decides and counts, so that
 * simultaneous events cannot pass the limit. For the few limits that money or sign-in depend on.
 */
export class SharedWindow {
  /** `secret`: keys are stored as digests under it. */
  constructor(
    private readonly sql: Sql,
    private readonly secret: Buffer,
    private readonly limit: WindowLimit,
  ) {}

  /** Counts one event and returns null; at the limit counts nothing and returns the seconds to wait. */
  async hit(key: string): Promise<number | null> {
    const digest = this.digestOf(key);
    const { limit, windowMs } = this.limit;
    const counted = await firstRow(this.sql, HIT, [digest, windowMs, limit]);
    return counted ? null : this.waitOf(digest);
  }

  /** Takes the latest event of the key back. */
  async undo(key: string): Promise<void> {
    await rows(
      this.sql,
      'update rate_window set current_count = current_count - 1 where key = $1 and current_count > 0 returning key',
      [this.digestOf(key)],
    );
  }

  private async waitOf(digest: Buffer): Promise<number> {
    const { windowMs } = this.limit;
    const row = await firstRow<Counts & { age: number }>(
      this.sql,
      `select previous_count as previous, current_count as current,
         extract(epoch from clock_timestamp() - started_at)::float8 * 1000 as age
       from rate_window where key = $1`,
      [digest],
    );
    // A window that has just passed, or was purged, has room again.
    if (!row || row.age >= 2 * windowMs) return 0;
    const rolled = row.age >= windowMs;
    const counts = rolled ? { previous: row.current, current: 0 } : row;
    return Math.max(0, waitMs(counts, rolled ? row.age - windowMs : row.age, this.limit) / 1000);
  }

  private digestOf(key: string): Buffer {
    return createHmac('sha256', this.secret).update(key).digest();
  }
}

/** Removes the counts of windows that have long passed, in batches. */
export async function removePastWindows(sql: Sql): Promise<void> {
  for (let removed = PURGE_BATCH; removed === PURGE_BATCH;) {
    const gone = await rows(
      sql,
      `delete from rate_window where key in (
         select key from rate_window where started_at < clock_timestamp() - interval '10 minutes' limit $1
       ) returning key`,
      [PURGE_BATCH],
    );
    removed = gone.length;
  }
}
