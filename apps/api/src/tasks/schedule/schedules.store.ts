import { LessThanOrEqual, type EntityManager } from 'typeorm';
import { firstRow, rows } from '../../infra/database/rows.ts';
import { TaskEntity } from '../definition/task.entity.ts';

/** Has rows if a task is due. */
export const TASKS_DUE = 'select from task where next_due_at <= statement_timestamp()';

/** Returns due tasks, the longest overdue first, and locks them. Tasks that another process has locked are omitted. */
export function lockDueTasks(tx: EntityManager, now: Date, limit: number): Promise<TaskEntity[]> {
  return tx.find(TaskEntity, {
    where: { nextDueAt: LessThanOrEqual(now) },
    order: { nextDueAt: 'ASC' },
    take: limit,
    lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
  });
}

/** Sets when a task is due next. This is not a change of the task. */
export async function updateNextDue(
  tx: EntityManager,
  { spaceId, id }: TaskEntity,
  nextDueAt: Date | null,
): Promise<void> {
  await tx.update(TaskEntity, { spaceId, id }, { nextDueAt });
}

/** Records the run of a due time. Returns false if the due time already has a run. */
export async function insertScheduledRun(
  tx: EntityManager,
  run: { taskId: string; dueAt: Date; runId: string; missed: number },
): Promise<boolean> {
  const row = await firstRow(
    tx,
    `insert into scheduled_run (task_id, due_at, run_id, missed) values ($1, $2, $3, $4)
     on conflict (task_id, due_at) do nothing returning run_id`,
    [run.taskId, run.dueAt, run.runId, run.missed],
  );
  return row !== null;
}

/**
 * Lets the last run of a schedule stand for a later due time as well, if it still waits; its inputs then say how many times were
 * missed. Returns its id, or null if it does not wait. A run that is just being claimed does not.
 */
export async function catchUpWaiting(
  tx: EntityManager,
  taskId: string,
  dueAt: Date,
  missed: number,
): Promise<string | null> {
  const row = await firstRow<{ id: string }>(
    tx,
    `with last as (
       select run_id from scheduled_run where task_id = $1 order by due_at desc limit 1
     ), waiting as materialized (
       select q.run_id from run_queue q where q.run_id = (select run_id from last) and q.state = 'READY'
       for update skip locked
     )
     update run set inputs = json_build_object('schedule', json_build_object('dueAt', $2::text,
       'missed', coalesce((inputs->'schedule'->>'missed')::int, 0) + 1 + $3::int))
     from waiting where id = waiting.run_id and origin = 'SCHEDULE' and status = 'QUEUED' returning id`,
    [taskId, dueAt.toISOString(), missed],
  );
  return row?.id ?? null;
}

/** Deletes the records of due times that nothing can make due again. */
export async function purgeScheduledRuns(tx: EntityManager, taskId: string, before: Date): Promise<void> {
  await rows(tx, 'delete from scheduled_run where task_id = $1 and due_at < $2', [taskId, before]);
}
