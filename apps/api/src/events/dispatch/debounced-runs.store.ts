import type { EntityManager } from 'typeorm';
import { affected, rows, type Sql } from '../../infra/database/rows.ts';

/** The latest run of the events of a subscription that have the same key. */
export interface DebouncedRun {
  subscriptionId: string;
  /** As hexadecimal digits. */
  keyHash: string;
  runId: string;
  windowMs: number;
}

/**
 * Locks what is known of keys, in one order, and stores the given runs of those of which nothing is. Returns the run that is known of
 * each: the given one if nothing was.
 */
export function lockDebounced(
  tx: EntityManager,
  runs: readonly DebouncedRun[],
): Promise<Omit<DebouncedRun, 'windowMs'>[]> {
  return rows(
    tx,
    `insert into debounced_run as d (subscription_id, key_hash, run_id, due_at)
     select subscription_id, decode(key_hash, 'hex'), run_id, clock_timestamp() + ms * interval '1 millisecond'
     from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[]) as n(subscription_id, key_hash, run_id, ms)
     order by subscription_id, key_hash
     on conflict (subscription_id, key_hash) do update set due_at = excluded.due_at
     returning subscription_id, encode(key_hash, 'hex') as key_hash, run_id`,
    [
      runs.map(({ subscriptionId }) => subscriptionId),
      runs.map(({ keyHash }) => keyHash),
      runs.map(({ runId }) => runId),
      runs.map(({ windowMs }) => windowMs),
    ],
  );
}

/** Remembers new runs of keys that are locked. */
export async function updateDebounced(tx: EntityManager, runs: readonly DebouncedRun[]): Promise<void> {
  await rows(
    tx,
    `update debounced_run d set run_id = n.run_id
     from unnest($1::uuid[], $2::text[], $3::uuid[]) as n(subscription_id, key_hash, run_id)
     where d.subscription_id = n.subscription_id and d.key_hash = decode(n.key_hash, 'hex')`,
    [
      runs.map(({ subscriptionId }) => subscriptionId),
      runs.map(({ keyHash }) => keyHash),
      runs.map(({ runId }) => runId),
    ],
  );
}

/** Gives deliveries of this transaction the run that stands for them. */
export async function joinDeliveries(
  tx: EntityManager,
  deliveries: readonly { envelopeId: string; subscriptionId: string; generation: number; runId: string }[],
): Promise<void> {
  await rows(
    tx,
    `update delivery d set run_id = n.run_id
     from unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[]) as n(envelope_id, subscription_id, generation, run_id)
     where d.envelope_id = n.envelope_id and d.subscription_id = n.subscription_id and d.generation = n.generation`,
    [
      deliveries.map(({ envelopeId }) => envelopeId),
      deliveries.map(({ subscriptionId }) => subscriptionId),
      deliveries.map(({ generation }) => generation),
      deliveries.map(({ runId }) => runId),
    ],
  );
}

/** Forgets keys whose run was due long ago. Should it still wait, the next event has a run of its own. */
export function purgeDebounced(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from debounced_run where ctid = any(array(
       select ctid from debounced_run where due_at < statement_timestamp() - interval '1 day' order by due_at limit $1
       for update skip locked))`,
    [limit],
  );
}
