import type { ScheduledTimeOutcome } from '@platform/contracts';
import { In, LessThan, LessThanOrEqual, Not, type EntityManager } from 'typeorm';
import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { TaskEntity } from '../definition/task.entity.ts';
import { ScheduledRunEntity } from './scheduled-run.entity.ts';

/** Has rows if a task is due. */
export const TASKS_DUE = 'select from task where next_due_at <= statement_timestamp()';

/**
 * Returns due tasks, the longest overdue first, without those of some spaces, and locks them. Tasks that another process has
 * locked are omitted.
 */
export function lockDueTasks(
  tx: EntityManager,
  now: Date,
  exceptSpaces: readonly string[],
  limit: number,
): Promise<TaskEntity[]> {
  return tx.find(TaskEntity, {
    where: { nextDueAt: LessThanOrEqual(now), spaceId: Not(In(exceptSpaces)) },
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

/** What became of a due time. */
export interface NewScheduledRun {
  taskId: string;
  dueAt: Date;
  runId: string;
  missed: number;
  outcome: ScheduledTimeOutcome;
  waitsFor: string | null;
}

/** Records what became of a due time. Returns false if that is recorded already. */
export async function insertScheduledRun(tx: EntityManager, run: NewScheduledRun): Promise<boolean> {
  const row = await firstRow(
    tx,
    `insert into scheduled_run (task_id, due_at, run_id, missed, outcome, waits_for) values ($1, $2, $3, $4, $5, $6)
     on conflict (task_id, due_at) do nothing returning run_id`,
    [run.taskId, run.dueAt, run.runId, run.missed, run.outcome, run.waitsFor],
  );
  return row !== null;
}

/** Statuses of runs that have not ended. */
const UNFINISHED = `('QUEUED', 'RUNNING', 'WAITING')`;

/** Returns the last run of a schedule if it has not ended. */
export async function findUnfinished(tx: EntityManager, taskId: string): Promise<string | null> {
  const row = await firstRow<{ id: string }>(
    tx,
    `select r.id from run r where r.status in ${UNFINISHED}
       and r.id = (select run_id from scheduled_run where task_id = $1 order by due_at desc limit 1)`,
    [taskId],
  );
  return row?.id ?? null;
}

/** Keeps a queued run from being claimed until `releaseHeld`. */
export async function holdRun(tx: EntityManager, runId: string): Promise<void> {
  await rows(tx, `update run_queue set available_at = 'infinity' where run_id = $1`, [runId]);
}

/** Has rows if a run waits for the end of another one. */
export const RUNS_HELD = 'select from scheduled_run where waits_for is not null';

/** A run that waits for the end of another one, and a place in their list. */
export interface HeldRun {
  taskId: string;
  dueAt: Date;
  runId: string;
  waitsFor: string;
  /** Whether the other one has ended. */
  isFree: boolean;
  /** Whether the other one is to be cancelled. */
  isReplaced: boolean;
}

/** Lists runs that wait for the end of another one, a page at a time. */
export function listHeld(
  sql: Sql,
  after: Pick<HeldRun, 'taskId' | 'dueAt'> | null,
  limit: number,
): Promise<HeldRun[]> {
  return rows(
    sql,
    `select s.task_id, s.due_at, s.run_id, s.waits_for, coalesce(r.status not in ${UNFINISHED}, true) as is_free,
       coalesce(t.schedule->>'overlap' = 'cancel-previous' and not r.cancel_requested, false) as is_replaced
     from (
       select * from scheduled_run
       where waits_for is not null and ($1::uuid is null or (task_id, due_at) > ($1::uuid, $2::timestamptz))
       order by task_id, due_at limit $3
     ) s join task t on t.id = s.task_id left join run r on r.id = s.waits_for
     order by s.task_id, s.due_at`,
    [after?.taskId ?? null, after?.dueAt ?? null, limit],
  );
}

/** Lets runs begin that have waited. Some may have been cancelled meanwhile. */
export async function releaseHeld(sql: Sql, held: readonly HeldRun[]): Promise<void> {
  await rows(
    sql,
    `with free as materialized (
       select s.task_id, s.due_at, s.run_id from unnest($1::uuid[], $2::timestamptz[]) as h(task_id, due_at)
         join scheduled_run s on s.task_id = h.task_id and s.due_at = h.due_at
       where s.waits_for is not null order by s.run_id for update of s skip locked
     ), queued as materialized (
       select run_id from run_queue
       where run_id = any(array(select run_id from free)) and state = 'READY' and available_at = 'infinity'
       order by run_id for update
     ), released as (
       update scheduled_run s set waits_for = null from free where s.task_id = free.task_id and s.due_at = free.due_at
     )
     update run_queue q set available_at = clock_timestamp() from queued where q.run_id = queued.run_id`,
    [held.map(({ taskId }) => taskId), held.map(({ dueAt }) => dueAt)],
  );
}

/** Lists the due times of a task before one of them, the latest first. */
export function listScheduledRuns(
  manager: EntityManager,
  taskId: string,
  before: Date | null,
  limit: number,
): Promise<ScheduledRunEntity[]> {
  return manager.find(ScheduledRunEntity, {
    where: { taskId, ...(before !== null && { dueAt: LessThan(before) }) },
    order: { dueAt: 'DESC' },
    take: limit,
  });
}

/**
 * Lets the last run of a schedule stand for a later due time as well, if it has not begun; its inputs then say how many times were
 * missed. Returns its id, or null if it has. So does a run that is just being claimed.
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
     from waiting where id = waiting.run_id and origin = 'SCHEDULE' and status = 'QUEUED' and started_at is null
     returning id`,
    [taskId, dueAt.toISOString(), missed],
  );
  return row?.id ?? null;
}

/** Deletes the records of due times that nothing can make due again. */
export async function purgeScheduledRuns(tx: EntityManager, taskId: string, before: Date): Promise<void> {
  await rows(tx, 'delete from scheduled_run where task_id = $1 and due_at < $2 and waits_for is null', [
    taskId,
    before,
  ]);
}
