import {
  RUN_STATUSES,
  type RunOrigin,
  type RunError,
  type RunStatus,
  type Trigger,
} from '@platform/contracts';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { Lineage } from './lineage.ts';
import { joinTrigger } from './run-trigger.ts';

export function findLineage(sql: Sql, spaceId: string, runId: string): Promise<Lineage | null> {
  return firstRow(sql, `select envelope_id, root_id, depth, path from run where space_id = $1 and id = $2`, [
    spaceId,
    runId,
  ]);
}

/** A run with the name of its task. */
export interface RunRow {
  id: string;
  taskId: string;
  taskName: string;
  ownerUserId: string;
  origin: RunOrigin;
  status: RunStatus;
  trigger: Trigger | null;
  inputs: Record<string, unknown>;
  attempt: number;
  cancelRequested: boolean;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  error: RunError | null;
}

const RUN = `
  r.id, r.task_id, t.name as task_name, r.owner_user_id, r.origin, r.status, r.attempt,
  r.cancel_requested, r.created_at, r.started_at,
  r.finished_at, r.error, r.trigger`;

/** Returns a run of a space with everything that was given to it. */
export async function findRun(sql: Sql, spaceId: string, id: string): Promise<RunRow | null> {
  const row = await firstRow<RunRow & { payload: Record<string, unknown> | null }>(
    sql,
    `select ${RUN}, r.payload, r.inputs from run r join task t on t.id = r.task_id
     where r.space_id = $1 and r.id = $2`,
    [spaceId, id],
  );
  if (row === null) return null;
  const { payload, ...run } = row;
  return { ...run, trigger: joinTrigger(run.trigger, payload) };
}

/** Which runs of a space a list has: those of a task, of an owner, or all. */
export type RunScope =
  { spaceId: string; taskId: string } | { spaceId: string; ownerUserId: string } | { spaceId: string };

/**
 * One index lookup per status, so that a page of rare runs is read as fast as any other. A range instead of an equality
 * keeps the planner from reading all runs in the order of their ids, which it does if it underestimates how rare they are.
 */
export function listRunsStatement(scope: RunScope): string {
  const column = 'taskId' in scope ? 'task_id' : 'ownerUserId' in scope ? 'owner_user_id' : 'space_id';
  return `
    with page as (
      select r.* from unnest($3::text[]) as wanted(status) cross join lateral (
        select * from run
        where space_id = $1 and ${column} = $2 and status between wanted.status and wanted.status
          and ($4::uuid is null or id < $4)
        order by status, id desc limit $5
      ) r order by r.id desc limit $5
    )
    select ${RUN}, '{}'::json as inputs
    from page r join task t on t.id = r.task_id order by r.id desc`;
}

/** Lists runs below an id, newest first, without inputs and payloads. */
export function listRuns(
  sql: Sql,
  scope: RunScope,
  status: RunStatus | null,
  below: string | null,
  limit: number,
): Promise<RunRow[]> {
  const of = 'taskId' in scope ? scope.taskId : 'ownerUserId' in scope ? scope.ownerUserId : scope.spaceId;
  const statuses = status === null ? RUN_STATUSES : [status];
  return rows(sql, listRunsStatement(scope), [scope.spaceId, of, statuses, below, limit]);
}

/** Cancels a run that waits to be claimed. Returns false if it does not wait. */
export async function cancelQueued(sql: Sql, id: string): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with gone as (delete from run_queue where run_id = $1 and state = 'READY' returning run_id)
     update run set status = 'CANCELLED', cancel_requested = true, finished_at = clock_timestamp()
     where id = $1 and exists (select from gone) returning id`,
    [id],
  );
  return row !== null;
}

/** Requests the cancellation of a running run. Returns false if it is not running. */
export async function requestCancel(sql: Sql, id: string): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with running as (
       update run_queue set cancel_requested = true where run_id = $1 and state = 'RUNNING' returning run_id
     ) update run set cancel_requested = true where id = $1 and exists (select from running) returning id`,
    [id],
  );
  return row !== null;
}

/**
 * Queues a run that did not succeed for the attempt after `attempt`. Returns false if it waits, runs, or has succeeded, or
 * if it was attempted again in between.
 */
export async function retryRun(
  sql: Sql,
  id: string,
  attempt: number,
  republishAfterMs: number,
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with again as (
       update run set status = 'QUEUED', attempt = attempt + 1, error = null, finished_at = null,
         cancel_requested = false
       where id = $1 and attempt = $2 and status in ('FAILED', 'CANCELLED', 'INTERRUPTED') returning id, task_id, space_id
     )
     insert into run_queue (run_id, task_id, space_id, hints, next_publish_at)
     select id, task_id, space_id, 1, clock_timestamp() + $3 * interval '1 millisecond' from again returning run_id`,
    [id, attempt, republishAfterMs],
  );
  return row !== null;
}
