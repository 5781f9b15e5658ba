import type { RunOrigin, RunError, RunStatus, Trigger } from '@platform/contracts';
import { firstRow, type Sql } from '../../infra/database/rows.ts';
import type { CallingRun } from './lineage.ts';
import type { RunTest } from './run.entity.ts';
import { joinTrigger, RUN_PAYLOAD, triggerOfTest } from './run-trigger.ts';

export function findLineage(sql: Sql, spaceId: string, runId: string): Promise<CallingRun | null> {
  const statement =
    'select envelope_id, root_id, depth, path, task_id from run where space_id = $1 and id = $2';
  return firstRow(sql, statement, [spaceId, runId]);
}

/** A run with the name of its task, without what was given to it. */
export interface RunListingRow {
  id: string;
  taskId: string;
  taskName: string;
  ownerUserId: string;
  origin: RunOrigin;
  status: RunStatus;
  /** With an empty payload. */
  trigger: Trigger | null;
  attempt: number;
  /** The version of the task that it began with; null before that. */
  taskVersion: number | null;
  cancelRequested: boolean;
  isTest: boolean;
  createdAt: Date;
  /** Of the current attempt; null while it waits. */
  startedAt: Date | null;
  finishedAt: Date | null;
  /** Of the current attempt; null while it waits or executes. */
  durationMs: number | null;
  error: RunError | null;
  /** When someone put the failure aside, and who. */
  dismissedAt: Date | null;
  dismissedBy: string | null;
}

/** A run with everything that was given to it. */
export interface RunRow extends RunListingRow {
  inputs: Record<string, unknown>;
  test: RunTest | null;
  /** When its payload was erased. */
  erasedAt: Date | null;
}

/** Of the current attempt. */
export const RUN_DURATION = '(extract(epoch from a.finished_at - a.started_at) * 1000)::int as duration_ms';

/** SQL: the milliseconds between two times, at most the 24 days that the column of a step can have; it can wait for a year. */
export const stepDuration = (from: string, to: string) =>
  `least(extract(epoch from ${to} - ${from}) * 1000, 2147483647)`;

/** The columns of `RunListingRow`. */
export const RUN_LISTING = `
  r.id, r.task_id, t.name as task_name, r.owner_user_id, r.origin, r.status, r.attempt, r.task_version,
  r.cancel_requested and r.test is null as cancel_requested, r.test is not null as is_test,
  r.created_at,
  a.started_at, r.finished_at, ${RUN_DURATION}, r.error, r.trigger, r.dismissed_at, r.dismissed_by`;

/** Where `RUN_LISTING` is read. The attempt that waits has no row. */
export const RUN_TABLES = `
  run r join task t on t.id = r.task_id left join run_attempt a on a.run_id = r.id and a.attempt = r.attempt`;

/** Returns a run of a space. */
export async function findRun(sql: Sql, spaceId: string, id: string): Promise<RunRow | null> {
  const row = await firstRow<RunRow & { payload: Record<string, unknown> | null }>(
    sql,
    `select ${RUN_LISTING}, ${RUN_PAYLOAD}, r.inputs, r.erased_at, r.test from ${RUN_TABLES} where r.space_id = $1 and r.id = $2`,
    [spaceId, id],
  );
  if (row === null) return null;
  const { payload, ...run } = row;
  return { ...run, trigger: run.test ? triggerOfTest(run.test, payload) : joinTrigger(run.trigger, payload) };
}

/**
 * Queues a run that did not succeed for the attempt after `attempt`, which goes on with what the run has stored. Returns false if it
 * waits, runs, or has succeeded, or if it was erased or attempted again in between.
 */
export async function retryRun(
  sql: Sql,
  id: string,
  attempt: number,
  version: number | null,
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with again as (
       update run set status = 'QUEUED', attempt = attempt + 1, error = null, finished_at = null,
         cancel_requested = false, task_version = $3
       where id = $1 and attempt = $2 and status in ('FAILED', 'CANCELLED', 'INTERRUPTED')
         and erased_at is null and test is null
       returning id, task_id, space_id, owner_user_id
     )
     insert into run_queue (run_id, task_id, space_id, owner_user_id)
     select id, task_id, space_id, owner_user_id from again returning run_id`,
    [id, attempt, version],
  );
  return row !== null;
}
