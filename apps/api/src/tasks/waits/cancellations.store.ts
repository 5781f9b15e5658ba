import type { EntityManager } from 'typeorm';
import { rows } from '../../infra/database/rows.ts';

/** What became of runs that were to be canceled. */
export interface Cancellation {
  /** The runs that waited: to be claimed, or without a process. */
  cancelled: string[];
  /** The runs that execute: the processes that execute them poll for it. */
  requested: string[];
}

/** The runs, and all for whose end they wait. */
export const LIST_AWAITED = `
  with recursive tree as (
    select unnest($1::uuid[]) as id
    union
    select w.child_run_id from tree join run_wait w on w.run_id = tree.id where w.child_run_id is not null
  ) select id from tree`;

/** Of runs that do not execute. One that was handed over has left the steps open that contain others. */
export const CANCEL_RUNS = `
  with gone as (
    delete from run_queue where run_id = any($1::uuid[]) and state = 'READY' returning run_id
  ), cancelled as (
    update run set status = 'CANCELLED', cancel_requested = true, finished_at = clock_timestamp(),
      error = (select json_build_object('code', 'TASK_GONE', 'message', 'The task was deleted, or its application was uninstalled')
        from task t where t.id = run.task_id and run.status = 'WAITING' and (t.deleted_at is not null or t.retired_at is not null))
    where id = any($1::uuid[]) and (status = 'WAITING' or id in (select run_id from gone)) returning id
  ), waits as (
    delete from run_wait w using cancelled c where w.run_id = c.id
  ), parents as (
    update run_wait w set due_at = clock_timestamp() from cancelled c
    where w.child_run_id = c.id and w.run_id is distinct from $2::uuid and w.run_id not in (select id from cancelled)
  ), step as (
    update run_step s set status = 'CANCELLED', finished_at = clock_timestamp() from cancelled c
    where s.run_id = c.id and s.status in ('RUNNING', 'WAITING')
  ) select id from cancelled`;

const REQUEST = `
  with running as (
    update run_queue set cancel_requested = true where run_id = any($1::uuid[]) and state = 'RUNNING' returning run_id
  ) update run set cancel_requested = true from running where id = running.run_id returning id`;

/**
 * Cancels runs, and those for whose end they wait: at once if they wait, and by request if they execute. Runs that have ended are
 * left alone. `by`: a run that ends itself, and is not to go on because of it.
 */
export async function cancelRuns(
  tx: EntityManager,
  ids: readonly string[],
  by: string | null = null,
): Promise<Cancellation> {
  if (ids.length === 0) return { cancelled: [], requested: [] };
  const locked = new Set<string>();
  let tree = await listIds(tx, LIST_AWAITED, [ids]);
  // Until it is locked, a run can begin to wait for others.
  while (tree.some((id) => !locked.has(id))) {
    // In the order in which the ends of runs and the renewals of leases lock them.
    await rows(tx, 'select from run_queue where run_id = any($1::uuid[]) order by run_id for update', [tree]);
    await rows(tx, 'select from run where id = any($1::uuid[]) order by id for no key update', [tree]);
    for (const id of tree) locked.add(id);
    tree = await listIds(tx, LIST_AWAITED, [ids]);
  }
  const cancelled = await listIds(tx, CANCEL_RUNS, [tree, by]);
  const requested = await listIds(tx, REQUEST, [tree]);
  return { cancelled, requested };
}

const LIST_WITH_WAITS = `
  select distinct run_id as id from run_wait
  where task_id = $1 and run_id > $2
  order by run_id limit $3`;

const LIST_WAITING = `select id from run where id = any($1::uuid[]) and status = 'WAITING'`;

/**
 * Looks at the next `limit` runs of a task with waits, the oldest first, and cancels those that wait without a process. Returns how
 * many, and after which run the next page begins; null: this was the last one.
 */
export async function cancelWaitingOfTask(
  tx: EntityManager,
  taskId: string,
  after: string,
  limit: number,
): Promise<{ cancelled: number; last: string | null }> {
  const listed = await listIds(tx, LIST_WITH_WAITS, [taskId, after, limit]);
  // The others execute, or are queued, while one of their steps waits.
  const waiting = await listIds(tx, LIST_WAITING, [listed]);
  const cancelled = await cancelListed(tx, waiting);
  return { cancelled, last: listed.length < limit ? null : (listed.at(-1) ?? null) };
}

/** One lookup for each task whose runs wait. */
const LIST_WAITING_OF_GONE = `
  with recursive waited as (
    (select task_id from run_wait order by task_id limit 1)
    union all
    select n.task_id from waited cross join lateral (
      select task_id from run_wait where task_id > waited.task_id order by task_id limit 1
    ) n
  )
  select distinct w.run_id as id from waited
    join task t on t.id = waited.task_id and (t.deleted_at is not null or t.retired_at is not null)
    join run_wait w on w.task_id = t.id join run r on r.id = w.run_id and r.status = 'WAITING'
  limit $1`;

/** Cancels at most `limit` runs that wait although their tasks are gone. Returns how many it has found. */
export async function cancelWaitingOfGone(tx: EntityManager, limit: number): Promise<number> {
  const ids = await listIds(tx, LIST_WAITING_OF_GONE, [limit]);
  await cancelRuns(tx, ids);
  return ids.length;
}

export const LIST_QUEUED_OF_TASK = `
  select run_id as id from run_queue where task_id = $1 and state = 'READY'
  order by available_at, run_id limit $2 for update skip locked`;

/** Cancels at most `limit` runs of a task that wait to be claimed, those that have waited longest. Returns how many. */
export async function cancelQueuedOfTask(tx: EntityManager, taskId: string, limit: number): Promise<number> {
  const ids = await listIds(tx, LIST_QUEUED_OF_TASK, [taskId, limit]);
  return cancelListed(tx, ids);
}

/** Runs of other tasks for which these have waited are not counted. */
async function cancelListed(tx: EntityManager, ids: readonly string[]): Promise<number> {
  const listed = new Set(ids);
  const { cancelled } = await cancelRuns(tx, ids);
  return cancelled.filter((id) => listed.has(id)).length;
}

async function listIds(tx: EntityManager, statement: string, parameters: unknown[]): Promise<string[]> {
  const found = await rows<{ id: string }>(tx, statement, parameters);
  return found.map(({ id }) => id);
}
