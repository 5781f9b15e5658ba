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

/** Deletes the records of due times that nothing can make due again. */
export async function purgeScheduledRuns(tx: EntityManager, taskId: string, before: Date): Promise<void> {
  await rows(tx, 'delete from scheduled_run where task_id = $1 and due_at < $2', [taskId, before]);
}
