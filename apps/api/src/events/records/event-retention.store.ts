import type { PartitionRange } from '../../infra/database/partitions.store.ts';
import { affected, exactlyOne, firstRow, type Sql } from '../../infra/database/rows.ts';

/** Tables whose rows belong to an envelope and are not partitioned. */
export const KEYED_BY_ENVELOPE = ['emission_key', 'envelope_replay', 'replay_key'] as const;

/**
 * Whether envelopes of a partition are still to be dispatched, are collected for a run, or have keys. A key must not outlive its
 * envelope: a repeated emission would find nothing to return.
 */
export async function hasEnvelopeReferences(sql: Sql, { first, before }: PartitionRange): Promise<boolean> {
  const { isReferenced } = await exactlyOne<{ isReferenced: boolean }>(
    sql,
    `select exists (select from envelope_outbox where envelope_id >= $1 and envelope_id < $2)
       or exists (select from batched_event where envelope_id >= $1 and envelope_id < $2)
       or exists (select from emission_key where envelope_id >= $1 and envelope_id < $2) as is_referenced`,
    [first, before],
  );
  return isReferenced;
}

/** Returns the payload of an envelope, as JSON, from its partition, attached or not. Null if it is not there. */
export async function findPayload(sql: Sql, partition: string, id: string): Promise<string | null> {
  const statement = `select payload::text as payload from "${partition.replaceAll('"', '""')}" where id = $1`;
  return (await firstRow<{ payload: string }>(sql, statement, [id]))?.payload ?? null;
}

/**
 * Purges rows of envelopes whose whole month is older than `days`, and that are not queued: a dispatch reads what its replay is
 * limited to. Returns how many.
 */
export function purgeOfEnvelopes(
  sql: Sql,
  table: (typeof KEYED_BY_ENVELOPE)[number],
  days: number,
  limit: number,
): Promise<number> {
  return affected(
    sql,
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} t
       where envelope_id < uuid_v7_floor(
         date_trunc('month', (statement_timestamp() - $1 * interval '1 day') at time zone 'UTC') at time zone 'UTC')
         and not exists (select from envelope_outbox o where o.envelope_id = t.envelope_id)
       order by envelope_id limit $2))`,
    [days, limit],
  );
}
