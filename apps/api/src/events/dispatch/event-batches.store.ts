import type { EntityManager } from 'typeorm';
import { exactlyOne, rows, type Sql } from '../../infra/database/rows.ts';
import type { BatchedEnvelope } from './matching.ts';

/** Events that are collected, by the run that they will start. */
export interface EventBatch {
  runId: string;
  spaceId: string;
  subscriptionId: string;
  taskId: string;
  /** As hexadecimal digits. */
  keyHash: string;
  eventCount: number;
  bytes: number;
  isOpen: boolean;
  windowMs: number;
}

const columnsOf = (batches: readonly EventBatch[]) => [
  batches.map(({ runId }) => runId),
  batches.map(({ spaceId }) => spaceId),
  batches.map(({ subscriptionId }) => subscriptionId),
  batches.map(({ keyHash }) => keyHash),
  batches.map(({ eventCount }) => eventCount),
  batches.map(({ bytes }) => bytes),
  batches.map(({ isOpen }) => isOpen),
  batches.map(({ windowMs }) => windowMs),
  batches.map(({ taskId }) => taskId),
];

const INSERT = `
  insert into event_batch as b
    (run_id, space_id, subscription_id, key_hash, event_count, bytes, is_open, due_at, task_id)
  select run_id, space_id, subscription_id, decode(key_hash, 'hex'), event_count, bytes, is_open,
    clock_timestamp() + case when is_open then ms else 0 end * interval '1 millisecond', task_id
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::int[], $6::int[], $7::boolean[], $8::int[], $9::uuid[])
    as n(run_id, space_id, subscription_id, key_hash, event_count, bytes, is_open, ms, task_id)
  order by subscription_id, key_hash`;

/** Locks the open batches of keys, in one order; those of keys that have none are stored, empty. */
export function lockBatches(
  tx: EntityManager,
  batches: readonly EventBatch[],
): Promise<Pick<EventBatch, 'runId' | 'subscriptionId' | 'keyHash' | 'eventCount' | 'bytes'>[]> {
  return rows(
    tx,
    `${INSERT} on conflict (subscription_id, key_hash) where is_open do update set is_open = true
     returning run_id, subscription_id, encode(key_hash, 'hex') as key_hash, event_count, bytes`,
    columnsOf(batches),
  );
}

/** Stores how many events locked batches have, and whether more can join. Those that are complete are due at once. */
export async function updateBatches(tx: EntityManager, batches: readonly EventBatch[]): Promise<void> {
  await rows(
    tx,
    `update event_batch b set event_count = n.event_count, bytes = n.bytes, is_open = n.is_open,
       due_at = case when n.is_open then b.due_at else clock_timestamp() end
     from unnest($1::uuid[], $2::int[], $3::int[], $4::boolean[]) as n(run_id, event_count, bytes, is_open)
     where b.run_id = n.run_id`,
    [
      batches.map(({ runId }) => runId),
      batches.map(({ eventCount }) => eventCount),
      batches.map(({ bytes }) => bytes),
      batches.map(({ isOpen }) => isOpen),
    ],
  );
}

/** Stores further batches of keys that are locked. At most one of each key is open. */
export async function insertBatches(tx: EntityManager, batches: readonly EventBatch[]): Promise<void> {
  await rows(tx, INSERT, columnsOf(batches));
}

/** Adds events to batches that the transaction has locked or stored. */
export async function insertBatchedEvents(
  tx: EntityManager,
  events: readonly { runId: string; envelopeId: string }[],
): Promise<void> {
  await rows(
    tx,
    `insert into batched_event (run_id, envelope_id) select * from unnest($1::uuid[], $2::uuid[])`,
    [events.map(({ runId }) => runId), events.map(({ envelopeId }) => envelopeId)],
  );
}

/** Has rows if a batch is to start. */
export const BATCHES_DUE = 'select from event_batch where due_at <= statement_timestamp()';

export interface DueBatch {
  runId: string;
  spaceId: string;
  subscriptionId: string;
  taskId: string;
}

/**
 * Locks batches that are due, without those of some spaces. Those that another process has locked, or to which events are just
 * added, are left for later.
 */
export function lockDueBatches(
  tx: EntityManager,
  exceptSpaces: readonly string[],
  limit: number,
): Promise<DueBatch[]> {
  return rows(
    tx,
    `select b.run_id, b.space_id, b.subscription_id, coalesce(b.task_id, s.task_id) as task_id from event_batch b
       join subscription s on s.id = b.subscription_id
     where b.due_at <= statement_timestamp() and b.space_id <> all($1::uuid[])
     order by b.due_at limit $2 for update of b skip locked`,
    [exceptSpaces, limit],
  );
}

/**
 * Reads the events of a batch, in the order in which they were recorded. None is erased until the end of the transaction, and
 * none that was is there.
 */
export function listBatched(tx: EntityManager, runId: string): Promise<BatchedEnvelope[]> {
  return rows(
    tx,
    `select e.id, e.space_id, e.application_id, e.event, e.payload::text as json, e.source, e.emitted_at, e.actor_user_id,
       e.causation_id, e.root_id, e.depth, e.path
     from envelope e
     where e.id = any(array(select envelope_id from batched_event where run_id = $1)) and e.erasure is null
     order by e.id for key share of e`,
    [runId],
  );
}

/** Returns the generation with which an envelope joined a batch. */
export async function getBatchedGeneration(sql: Sql, envelopeId: string, runId: string): Promise<number> {
  const { generation } = await exactlyOne<{ generation: number }>(
    sql,
    'select generation from delivery where envelope_id = $1 and run_id = $2',
    [envelopeId, runId],
  );
  return generation;
}

/** Deletes batches that have started. */
export async function deleteBatches(sql: Sql, runIds: readonly string[]): Promise<void> {
  await rows(sql, 'delete from batched_event where run_id = any($1::uuid[])', [runIds]);
  await rows(sql, 'delete from event_batch where run_id = any($1::uuid[])', [runIds]);
}
