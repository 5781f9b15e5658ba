import type { RunError, RunOrigin } from '@platform/contracts';
import { rows, type Sql } from '../../infra/database/rows.ts';

/** A run that ended without success, and that nobody was told about. */
export interface RunFailure {
  id: string;
  spaceId: string;
  taskId: string;
  taskName: string;
  status: 'FAILED' | 'INTERRUPTED';
  origin: RunOrigin;
  attempt: number;
  error: RunError | null;
}

/** Has rows if a run has failed that was not reported. Served by `run_unreported`. */
export const RUNS_UNREPORTED = `select from run where status in ('FAILED', 'INTERRUPTED') and reported_attempt < attempt`;

/** Marks failed runs as reported and returns them. If the transaction fails, they are returned again. */
export function takeFailures(tx: Sql, limit: number): Promise<RunFailure[]> {
  return rows(
    tx,
    `with failed as materialized (
       select id from run where status in ('FAILED', 'INTERRUPTED') and reported_attempt < attempt
       order by id limit $1 for update skip locked
     ), reported as (
       update run set reported_attempt = attempt where id = any(array(select id from failed))
       returning id, space_id, task_id, status, origin, attempt, error
     ) select reported.*, task.name as task_name from reported join task on task.id = reported.task_id`,
    [limit],
  );
}

export interface TaskRate {
  taskId: string;
  /** Of the latest runs that ended, how many there are and how many failed. */
  ended: number;
  failed: number;
}

/** The bound of the ids ends the scan, and leaves out partitions. Ids may come from clocks that are behind that of the database. */
export const COUNT_LATEST = `
  select task.id as task_id, count(latest.status)::int as ended,
    (count(*) filter (where latest.status <> 'SUCCEEDED'))::int as failed
  from unnest($1::uuid[]) as task(id)
  cross join lateral (
    select status from (values ('SUCCEEDED'), ('FAILED'), ('INTERRUPTED')) as ends(status)
    cross join lateral (
      select run.id from run
      where run.task_id = task.id and run.status = ends.status and run.test is null
        and run.created_at > statement_timestamp() - interval '1 day'
        and run.id >= uuid_v7_floor(statement_timestamp() - interval '1 day 1 minute')
      order by run.id desc limit $2
    ) run
    order by run.id desc limit $2
  ) latest group by task.id`;

/** Counts the latest `limit` runs of each task that were created within a day and have ended. */
export function countLatest(sql: Sql, taskIds: readonly string[], limit: number): Promise<TaskRate[]> {
  return rows(sql, COUNT_LATEST, [taskIds, limit]);
}
