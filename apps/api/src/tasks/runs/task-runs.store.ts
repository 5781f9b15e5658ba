import type { RunTest } from './run.entity.ts';
import { rows, type Sql } from '../../infra/database/rows.ts';

/** Lets a run start although its task is disabled. */
export async function startDespiteDisabled(tx: Sql, runId: string): Promise<void> {
  await rows(tx, 'update run_queue set despite_disabled = true where run_id = $1', [runId]);
}

/**
 * Makes a run that was just queued a test. A process of the previous version takes it for one to be cancelled, so that it executes
 * nothing. Its failure is not reported.
 */
export async function markAsTest(tx: Sql, runId: string, test: RunTest): Promise<void> {
  await rows(tx, 'update run set test = $2, cancel_requested = true, reported_attempt = null where id = $1', [
    runId,
    JSON.stringify(test),
  ]);
}

/** A run that is attempted again has a new outcome, which nobody has dismissed. */
export async function clearDismissal(tx: Sql, runId: string): Promise<void> {
  const statement =
    'update run set dismissed_at = null, dismissed_by = null where id = $1 and dismissed_at is not null';
  await rows(tx, statement, [runId]);
}

/** Lets all waiting runs of a task wait until it is enabled, also those that wait for something else at present. */
export async function holdRuns(tx: Sql, taskId: string): Promise<void> {
  await rows(
    tx,
    `update run_queue set despite_disabled = false where task_id = $1 and state = 'READY' and despite_disabled`,
    [taskId],
  );
  await rows(tx, 'update run_wait set despite_disabled = false where task_id = $1 and despite_disabled', [
    taskId,
  ]);
}

/** Requests the cancellation of the running runs of a task. Returns the ids of those of which nobody had. */
export async function requestCancelOfRuns(sql: Sql, taskId: string): Promise<string[]> {
  const running = await rows<{ id: string }>(
    sql,
    `with running as (
       update run_queue set cancel_requested = true
       where run_id = any(array(select run_id from run_slot where task_id = $1 and run_id is not null))
         and state = 'RUNNING' and not cancel_requested returning run_id
     ) update run set cancel_requested = true from running where id = running.run_id returning id`,
    [taskId],
  );
  return running.map(({ id }) => id);
}
