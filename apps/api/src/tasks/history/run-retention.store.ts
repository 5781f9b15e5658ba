import type { PartitionRange } from '../../infra/database/partitions.store.ts';
import { affected, firstRow, keptPlanRows, type PreparedSql, type Sql } from '../../infra/database/rows.ts';

/** The first id of the oldest month of runs that is kept: runs expire by month. `$2` is the number of days. */
const KEPT = `uuid_v7_floor(date_trunc('month', statement_timestamp() - $2 * interval '1 day', 'UTC'))`;

/** Tables whose rows belong to a run, by a key that starts with its id. */
export const KEYED_BY_RUN = [
  'awaited_event',
  'question',
  'run_attempt',
  'run_effect',
  'run_start_key',
  'run_step',
] as const;

/** Whether runs of a partition still wait or execute. */
export async function hasUnfinishedRuns(sql: Sql, { first, before }: PartitionRange): Promise<boolean> {
  const row = await firstRow(
    sql,
    `(select run_id from run_queue where run_id >= $1 and run_id < $2 limit 1)
     union all (select run_id from run_wait where run_id >= $1 and run_id < $2 limit 1)`,
    [first, before],
  );
  return row !== null;
}

/** Deletes at most `limit` rows of expired runs, except of those that are not finished. Returns how many. */
export function purgeOfRuns(
  sql: Sql,
  table: (typeof KEYED_BY_RUN)[number],
  days: number,
  limit: number,
): Promise<number> {
  return affected(
    sql,
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} t
       where run_id < ${KEPT} and not exists (select from run_queue q where q.run_id = t.run_id)
         and not exists (select from run_wait w where w.run_id = t.run_id)
       order by run_id limit $1))`,
    [limit, days],
  );
}

/** Deletes at most `limit` rows of the queue whose runs no longer exist. Returns how many. */
export async function purgeQueue(sql: PreparedSql, days: number, limit: number): Promise<number> {
  const purged = await keptPlanRows(
    sql,
    'purge_run_queue',
    `delete from run_queue where run_id = any(array(
       select run_id from run_queue q
       where run_id < ${KEPT} and not exists (select from run r where r.id = q.run_id)
       order by run_id limit $1))
     returning run_id`,
    [limit, days],
  );
  return purged.length;
}

/** Deletes at most `limit` due times for which runs were created, except of those that wait for others. Returns how many. */
export function purgeScheduled(sql: Sql, days: number, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from scheduled_run where ctid = any(array(
       select ctid from scheduled_run
       where due_at < statement_timestamp() - $2 * interval '1 day' and waits_for is null
       order by due_at limit $1))`,
    [limit, days],
  );
}
