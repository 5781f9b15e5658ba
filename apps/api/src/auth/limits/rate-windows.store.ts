import { affected, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { Counts, WindowLimit } from './sliding-window.ts';

/**
 * The row `w` at the time of the event `excluded`: windows that have passed no longer count. Nor do those that begin far ahead,
 * because the clock was set back: nobody would get in until it has caught up.
 */
const AGE = `abs(extract(epoch from excluded.started_at - w.started_at)) * 1000`;
const WINDOW = `$2::float8`;
const PREVIOUS = `case when ${AGE} >= 2 * ${WINDOW} then 0 when ${AGE} >= ${WINDOW} then w.current_count
  else w.previous_count end`;
const CURRENT = `case when ${AGE} >= ${WINDOW} then 0 else w.current_count end`;
const STARTED_AT = `case when ${AGE} >= 2 * ${WINDOW} then excluded.started_at
  when ${AGE} >= ${WINDOW} then w.started_at + ${WINDOW} * interval '1 millisecond' else w.started_at end`;
const ELAPSED = `case when ${AGE} >= 2 * ${WINDOW} then 0 when ${AGE} >= ${WINDOW} then ${AGE} - ${WINDOW}
  else ${AGE} end`;

/** Counts, and the age of their window in ms. */
const COUNTS = `previous_count as previous, current_count as current,
  abs(extract(epoch from clock_timestamp() - started_at)::float8) * 1000 as age`;

type AgedCounts = Counts & { age: number };

const HIT = `
  insert into rate_window as w (key, started_at, previous_count, current_count)
  values ($1, clock_timestamp(), 0, 1)
  on conflict (key) do update set
    started_at = ${STARTED_AT}, previous_count = ${PREVIOUS}, current_count = ${CURRENT} + 1
  where (${PREVIOUS}) * (1 - (${ELAPSED}) / ${WINDOW}) + (${CURRENT}) + 1 <= $3
  returning ${COUNTS}`;

/** Counts an event and returns the counts with it. Returns null, and counts nothing, if the limit is reached. */
export function countEvent(
  sql: Sql,
  key: Buffer,
  { limit, windowMs }: WindowLimit,
): Promise<AgedCounts | null> {
  return firstRow(sql, HIT, [key, windowMs, limit]);
}

export async function uncountEvent(sql: Sql, key: Buffer): Promise<void> {
  await rows(
    sql,
    'update rate_window set current_count = current_count - 1 where key = $1 and current_count > 0 returning key',
    [key],
  );
}

export function findCounts(sql: Sql, key: Buffer): Promise<AgedCounts | null> {
  return firstRow(sql, `select ${COUNTS} from rate_window where key = $1`, [key]);
}

/** Deletes at most `limit` counts of windows that are long past. */
export function purgePastWindows(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from rate_window where key = any(array(
       select key from rate_window where started_at < statement_timestamp() - interval '10 minutes' limit $1))`,
    [limit],
  );
}
