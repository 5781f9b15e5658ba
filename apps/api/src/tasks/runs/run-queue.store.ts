import type { RunOrigin, TriggerListing } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { Database } from '../../infra/database/database.ts';
import { keptPlanRows, rows } from '../../infra/database/rows.ts';

// Due rows are found by statement_timestamp(): no index serves a comparison with clock_timestamp(), which is volatile.

/** A run to be queued. The columns of its envelope are set together, and those of the chain of events as well. */
export interface NewRun {
  id: string;
  spaceId: string;
  taskId: string;
  ownerUserId: string;
  origin: RunOrigin;
  inputs: Record<string, unknown>;
  trigger?: TriggerListing;
  /** As JSON. */
  payload?: string | null;
  /** A hash, as hexadecimal digits. Absent: it has none, or it is not known yet. */
  concurrencyKey?: string | null;
  envelopeId?: string;
  generation?: number;
  subscriptionId?: string;
  rootId?: string | null;
  depth?: number | null;
  path?: string[] | null;
}

/** Stores runs as QUEUED and queues them. */
export async function insertRuns(tx: EntityManager, runs: readonly NewRun[]): Promise<void> {
  const column = <T>(value: (run: NewRun) => T) => runs.map(value);
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));
  await keptPlanRows(
    tx,
    'insert_runs',
    `with new as (
       select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::json[], $7::json[],
         $8::json[], $9::uuid[], $10::int[], $11::uuid[], $12::uuid[], $13::int[], $14::json[],
         $15::text[])
         as n(id, space_id, task_id, owner_user_id, origin, inputs, trigger, payload,
           envelope_id, generation, subscription_id, root_id, depth, path, concurrency_key)
     ), queued as (
       insert into run_queue (run_id, task_id, space_id, owner_user_id, concurrency_key)
       select id, task_id, space_id, owner_user_id, decode(concurrency_key, 'hex') from new
     )
     insert into run (id, space_id, task_id, owner_user_id, origin, inputs, trigger, payload,
       envelope_id, generation, subscription_id, root_id, depth, path)
     select id, space_id, task_id, owner_user_id, origin, inputs, trigger, payload, envelope_id, generation,
       subscription_id, root_id, depth, case when path is not null then array(select json_array_elements_text(path)) end
     from new`,
    [
      column(({ id }) => id),
      column(({ spaceId }) => spaceId),
      column(({ taskId }) => taskId),
      column(({ ownerUserId }) => ownerUserId),
      column(({ origin }) => origin),
      column(({ inputs }) => json(inputs)),
      column(({ trigger }) => json(trigger && { ...trigger, payload: {} })),
      column(({ payload }) => payload ?? null),
      column(({ envelopeId }) => envelopeId ?? null),
      column(({ generation }) => generation ?? null),
      column(({ subscriptionId }) => subscriptionId ?? null),
      column(({ rootId }) => rootId ?? null),
      column(({ depth }) => depth ?? null),
      column(({ path }) => json(path)),
      column(({ concurrencyKey }) => concurrencyKey ?? null),
    ],
  );
}

/** Lets runs that were just queued begin later. */
export async function delayRuns(
  tx: EntityManager,
  ids: readonly string[],
  delaysMs: readonly number[],
): Promise<void> {
  await rows(
    tx,
    `update run_queue q set available_at = clock_timestamp() + d.ms * interval '1 millisecond'
     from unnest($1::uuid[], $2::int[]) as d(id, ms) where q.run_id = d.id`,
    [ids, delaysMs],
  );
}

/** An older event, which was dispatched late, changes no column. */
const OF_LATER_EVENT = ['trigger', 'payload', 'envelope_id', 'generation', 'root_id', 'depth', 'path']
  .map(
    (column) => `${column} = case when r.envelope_id > n.envelope_id then r.${column} else n.${column} end`,
  )
  .join(', ');

/**
 * Lets runs that have not begun be of later events, and begin later. They no longer have a place of a key. Returns the ids of
 * those. A run that is just being claimed, or changed, has begun. One of another task or event, to which the subscription led
 * before, is left as it is.
 */
export async function replaceWaitingRuns(
  tx: EntityManager,
  runs: readonly NewRun[],
  delaysMs: readonly number[],
): Promise<string[]> {
  const replaced = await rows<{ id: string }>(
    tx,
    `with new as materialized (
       select id, ms, trigger, payload, envelope_id, generation, root_id, depth, task_id,
         array(select json_array_elements_text(entries)) as path
       from unnest($1::uuid[], $2::int[], $3::json[], $4::json[], $5::uuid[], $6::int[], $7::uuid[], $8::int[], $9::json[],
         $10::uuid[])
         as n(id, ms, trigger, payload, envelope_id, generation, root_id, depth, entries, task_id)
     ), waiting as materialized (
       select q.run_id from run_queue q join run r on r.id = q.run_id join new n on n.id = q.run_id
       where q.run_id = any($1::uuid[]) and q.state = 'READY' and r.started_at is null and r.erased_at is null
         and r.task_id = n.task_id and r.path[cardinality(r.path)] = n.path[cardinality(n.path)]
       order by q.run_id for update of q skip locked
     ), queued as (
       update run_queue q set available_at = clock_timestamp() + n.ms * interval '1 millisecond', concurrency_key = null
       from new n join waiting w on w.run_id = n.id where q.run_id = n.id
     )
     update run r set ${OF_LATER_EVENT}
     from new n join waiting w on w.run_id = n.id where r.id = n.id and r.status = 'QUEUED' returning r.id`,
    [
      runs.map(({ id }) => id),
      delaysMs,
      runs.map(({ trigger }) => JSON.stringify({ ...trigger, payload: {} })),
      runs.map(({ payload }) => payload ?? null),
      runs.map(({ envelopeId }) => envelopeId),
      runs.map(({ generation }) => generation),
      runs.map(({ rootId }) => rootId),
      runs.map(({ depth }) => depth),
      runs.map(({ path }) => JSON.stringify(path)),
      runs.map(({ taskId }) => taskId),
    ],
  );
  return replaced.map(({ id }) => id);
}

/** Has rows if a run waits, due or not. */
export const RUNS_WAITING = `select from run_queue where state = 'READY'`;
export const RUNS_DUE = `${RUNS_WAITING} and available_at <= statement_timestamp()`;

/** How many lanes, tasks of a lane, and runs of a task one look at the queue considers. */
const LANES = 64;
const TASKS = 8;
const RUNS = 32;
/** Before the id of every row. */
export const FIRST = '00000000-0000-0000-0000-000000000000';

/** The runs of one owner in one space. Lanes are ordered by both ids. */
export interface Lane {
  spaceId: string;
  ownerUserId: string;
}

/** Where a look at the queue goes on: after a lane, and within lanes that had more tasks, after a task. */
export interface QueuePosition {
  after: Lane | null;
  within: readonly (Lane & { taskId: string })[];
}

/** A task with runs that are due. */
export interface WaitingTask extends Lane {
  taskId: string;
  /** How many runs are due; no more than a number are counted. */
  waiting: number;
}

/** Whether runs of a task begin: those of a task that is gone do, enabled or not, because their claim ends them. */
export const LETS_RUNS_BEGIN = '(enabled or deleted_at is not null or retired_at is not null)';

/** One lookup for each lane and each task, however many runs wait in them. */
export const WAITING_TASKS = `
  with recursive lane as (
    (select space_id, owner_user_id from run_queue
     where state = 'READY' and (space_id, owner_user_id) > ($1::uuid, $2::uuid)
     order by space_id, owner_user_id limit 1)
    union all
    select n.space_id, n.owner_user_id from lane l cross join lateral (
      select space_id, owner_user_id from run_queue
      where state = 'READY' and (space_id, owner_user_id) > (l.space_id, l.owner_user_id)
      order by space_id, owner_user_id limit 1
    ) n
  ), page as materialized (
    select l.space_id, l.owner_user_id, coalesce(w.task_id, '${FIRST}') as after
    from (select * from lane limit ${LANES}) l
      left join unnest($3::uuid[], $4::uuid[], $5::uuid[]) as w(space_id, owner_user_id, task_id)
        using (space_id, owner_user_id)
  )
  select p.space_id, p.owner_user_id, t.task_id, coalesce(d.waiting, 0) as waiting
  from page p left join lateral (
    with recursive task as (
      (select task_id from run_queue
       where state = 'READY' and space_id = p.space_id and owner_user_id = p.owner_user_id and task_id > p.after
       order by task_id limit 1)
      union all
      select n.task_id from task cross join lateral (
        select task_id from run_queue
        where state = 'READY' and space_id = p.space_id and owner_user_id = p.owner_user_id
          and task_id > task.task_id
        order by task_id limit 1
      ) n
    ) select task_id from task limit ${TASKS}
  ) t on true left join lateral (
    select count(*)::int as waiting from (
      select ${LETS_RUNS_BEGIN} as lets_begin from task where id = t.task_id limit 1
    ) k cross join lateral (
      (select from run_queue
       where k.lets_begin and state = 'READY' and space_id = p.space_id and owner_user_id = p.owner_user_id
         and task_id = t.task_id and available_at <= statement_timestamp()
       limit ${RUNS})
      union all
      (select from run_queue
       where not k.lets_begin and state = 'READY' and despite_disabled and task_id = t.task_id
         and available_at <= statement_timestamp()
       limit ${RUNS})
    ) due
  ) d on true`;

/** What one look at the queue has found. */
export interface QueuePage {
  tasks: WaitingTask[];
  /** Whether no task has more runs than were counted. */
  isCounted: boolean;
  /** For the next look: after the last lane, null if there are no more; and within lanes that have more tasks. */
  next: QueuePosition;
}

/** Looks for tasks with runs that are due, a page of lanes at a time. */
export async function listWaiting(database: Database, { after, within }: QueuePosition): Promise<QueuePage> {
  const found = await keptPlanRows<Omit<WaitingTask, 'taskId'> & { taskId: string | null }>(
    database,
    'list_waiting_tasks',
    WAITING_TASKS,
    [
      after?.spaceId ?? FIRST,
      after?.ownerUserId ?? FIRST,
      within.map(({ spaceId }) => spaceId),
      within.map(({ ownerUserId }) => ownerUserId),
      within.map(({ taskId }) => taskId),
    ],
  );
  const lanes = [...Map.groupBy(found, ({ spaceId, ownerUserId }) => `${spaceId} ${ownerUserId}`).values()];
  const more = lanes.flatMap((tasks) => {
    const last = tasks[TASKS - 1];
    return last?.taskId ? { spaceId: last.spaceId, ownerUserId: last.ownerUserId, taskId: last.taskId } : [];
  });
  const lastLane = lanes.length < LANES ? null : (lanes.at(-1)?.[0] ?? null);
  return {
    tasks: found.flatMap(({ taskId, ...task }) => (taskId && task.waiting > 0 ? { ...task, taskId } : [])),
    isCounted: found.every(({ waiting }) => waiting < RUNS),
    next: { after: lastLane, within: more },
  };
}
