import type { RunOrigin, Trigger } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { Database } from '../../infra/database/database.ts';
import { keptPlanRows, rows, type Sql } from '../../infra/database/rows.ts';

// Due rows are found by statement_timestamp(): no index serves a comparison with clock_timestamp(), which is volatile.

/** A run to be queued. The columns of its envelope are set together, and those of the chain of events as well. */
export interface NewRun {
  id: string;
  spaceId: string;
  taskId: string;
  ownerUserId: string;
  origin: RunOrigin;
  inputs: Record<string, unknown>;
  trigger?: Trigger;
  envelopeId?: string;
  generation?: number;
  subscriptionId?: string;
  rootId?: string | null;
  depth?: number | null;
  path?: string[] | null;
}

/** Stores runs as QUEUED and queues them. The hints that the caller publishes are due again after `republishAfterMs`. */
export async function insertRuns(
  tx: EntityManager,
  runs: readonly NewRun[],
  republishAfterMs: number,
): Promise<void> {
  const column = <T>(value: (run: NewRun) => T) => runs.map(value);
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));
  await keptPlanRows(
    tx,
    'insert_runs',
    `with new as (
       select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::json[], $7::json[],
         $8::json[], $9::uuid[], $10::int[], $11::uuid[], $12::uuid[], $13::int[], $14::json[])
         as n(id, space_id, task_id, owner_user_id, origin, inputs, trigger, payload,
           envelope_id, generation, subscription_id, root_id, depth, path)
     ), queued as (
       insert into run_queue (run_id, task_id, space_id, hints, next_publish_at)
       select id, task_id, space_id, 1, clock_timestamp() + $15 * interval '1 millisecond' from new
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
      column(({ trigger }) => json(trigger?.payload)),
      column(({ envelopeId }) => envelopeId ?? null),
      column(({ generation }) => generation ?? null),
      column(({ subscriptionId }) => subscriptionId ?? null),
      column(({ rootId }) => rootId ?? null),
      column(({ depth }) => depth ?? null),
      column(({ path }) => json(path)),
      republishAfterMs,
    ],
  );
}

/**
 * Returns the runs that are next, one for each time that a task is named: those of a task that is named twice are its two
 * oldest.
 */
export async function listNext(database: Database, taskIds: readonly string[]): Promise<string[][]> {
  const next = await keptPlanRows<{ id: string; taskId: string }>(
    database,
    'list_next_runs',
    `select q.run_id as id, w.task_id
     from (select task_id, count(*) as n from unnest($1::uuid[]) as task_id group by task_id) w cross join lateral (
       select run_id from run_queue
       where task_id = w.task_id and state = 'READY' and available_at <= statement_timestamp()
       order by available_at, run_id limit w.n
     ) q`,
    [taskIds],
  );
  const left = Map.groupBy(next, ({ taskId }) => taskId);
  return taskIds.map((taskId) => (left.get(taskId)?.splice(0, 1) ?? []).map(({ id }) => id));
}

/** Lists runs of a task that can be claimed, oldest first. */
export async function listReady(sql: Sql, taskId: string, limit: number): Promise<string[]> {
  const ready = await rows<{ id: string }>(
    sql,
    `select run_id as id from run_queue
     where task_id = $1 and state = 'READY' and available_at <= statement_timestamp()
     order by available_at, run_id limit $2`,
    [taskId, limit],
  );
  return ready.map(({ id }) => id);
}

/** Has rows if a run is due to be published. */
export const RUNS_DUE = 'select from run_queue where next_publish_at <= statement_timestamp()';

export const DUE_RUNS = `
  update run_queue set hints = hints + 1,
    next_publish_at = clock_timestamp() + $2 * power(2, least(hints, 10)) * interval '1 millisecond'
  where run_id = any(array(
    select run_id from run_queue where next_publish_at <= statement_timestamp()
    order by next_publish_at limit $1 for update skip locked))
  returning run_id as id`;

/** Takes due runs to be published. Each is published again, later each time, until it is claimed. */
export async function takeDueRuns(sql: Sql, limit: number, republishAfterMs: number): Promise<string[]> {
  const due = await rows<{ id: string }>(sql, DUE_RUNS, [limit, republishAfterMs]);
  return due.map(({ id }) => id);
}

export const EXPEDITE_RUNS = `
  update run_queue set hints = 0, next_publish_at = greatest(available_at, clock_timestamp())
  where run_id = any(array(
    select run_id from run_queue where next_publish_at is not null and hints > 0
    order by next_publish_at limit $1 for update skip locked))
  returning run_id`;

/** Makes at most `limit` published runs that nobody has claimed due. Returns how many. */
export async function expediteRuns(sql: Sql, limit: number): Promise<number> {
  return (await rows(sql, EXPEDITE_RUNS, [limit])).length;
}

/** Makes runs due that wait to be claimed, so that any process publishes them. */
export async function makeDue(sql: Sql, ids: readonly string[]): Promise<void> {
  await rows(
    sql,
    `update run_queue set hints = 0, next_publish_at = clock_timestamp()
     where run_id = any($1::uuid[]) and state = 'READY'`,
    [ids],
  );
}
