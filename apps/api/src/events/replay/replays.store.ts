import type { EntityManager } from 'typeorm';
import type { EnvelopeStatus } from '@platform/contracts';
import type { Chain } from '../../tasks/runs/lineage.ts';
import { exactlyOne, firstRow, keptPlanRows, rows, type Sql } from '../../infra/database/rows.ts';

export interface Replayed {
  id: string;
  generation: number;
}

/** A replay with the event of its envelope. */
export interface BegunReplay extends Replayed {
  applicationId: string;
  event: string;
}

/** Returns the generation that a key has requested of an envelope; null if it has not been used. */
export async function findReplayByKey(
  sql: Sql,
  envelopeId: string,
  requestKey: string,
): Promise<number | null> {
  const row = await firstRow<{ generation: number }>(
    sql,
    'select generation from replay_key where envelope_id = $1 and request_key = $2',
    [envelopeId, requestKey],
  );
  return row?.generation ?? null;
}

/** Stores which generation a key has requested. Returns the one of the key's first request. */
export async function claimReplayKey(
  tx: Sql,
  { id, generation }: Replayed,
  requestKey: string,
): Promise<number> {
  await rows(
    tx,
    `insert into replay_key (envelope_id, request_key, generation) values ($1, $2, $3) on conflict do nothing`,
    [id, requestKey, generation],
  );
  return (await findReplayByKey(tx, id, requestKey)) ?? generation;
}

/**
 * Locks those of the envelopes that are not PENDING, or that have a status. PENDING ones are not locked: a dispatch may hold
 * some of them and wait for others.
 */
export async function lockReplayable(
  tx: Sql,
  spaceId: string,
  ids: readonly string[],
  status: EnvelopeStatus | null,
): Promise<string[]> {
  const locked = await rows<{ id: string }>(
    tx,
    `select id from envelope
     where space_id = $1 and id = any($2::uuid[]) and status <> 'PENDING' and ($3::text is null or status = $3)
     order by id for update`,
    [spaceId, ids, status],
  );
  return locked.map(({ id }) => id);
}

/** Returns the current generation of an envelope. */
export async function getGeneration(sql: Sql, spaceId: string, id: string): Promise<number> {
  const statement = 'select generation from envelope where space_id = $1 and id = $2';
  const { generation } = await exactlyOne<{ generation: number }>(sql, statement, [spaceId, id]);
  return generation;
}

export interface ReplayOrder {
  spaceId: string;
  requestedBy: string;
  bulkReplayId: string | null;
  requestKey: string | null;
  republishAfterMs: number;
  /** Below the run that requests the replay; null: as the envelope was emitted. */
  chain: Chain | null;
}

/**
 * Begins a new generation of envelopes that the transaction has locked: keeps what became of the last one, and queues each
 * to be dispatched. No other status than PENDING can become PENDING in any other way.
 */
export function insertReplays(
  tx: EntityManager,
  { spaceId, requestedBy, bulkReplayId, requestKey, republishAfterMs, chain }: ReplayOrder,
  ids: readonly string[],
): Promise<BegunReplay[]> {
  return keptPlanRows(
    tx,
    'insert_replays',
    `with kept as (
       insert into envelope_replay (envelope_id, generation, requested_by, bulk_replay_id, depth, path, previous_status,
         previous_reason, previous_matched_count, previous_verdicts, previous_dispatched_at)
       select id, generation + 1, $3, $4, $7::int, $8::text[], status, status_reason, matched_count, verdicts, dispatched_at
       from envelope where space_id = $1 and id = any($2::uuid[]) and status <> 'PENDING' order by id
       returning envelope_id, generation
     ), replayed as (
       update envelope e set status = 'PENDING', generation = k.generation, status_reason = null, matched_count = 0, missed_count = 0,
         verdicts = null, dispatched_at = null, last_error = null
       from kept k
       where e.id = k.envelope_id and e.id = any($2::uuid[]) and e.status <> 'PENDING' and e.generation = k.generation - 1
       returning e.id, e.generation, e.application_id, e.event
     ), queued as (
       insert into envelope_outbox (envelope_id, generation, space_id, next_publish_at)
       select id, generation, $1, clock_timestamp() + $6 * interval '1 millisecond' from replayed
     ), keyed as (
       insert into replay_key (envelope_id, request_key, generation)
       select id, $5, generation from replayed where $5::text is not null
     )
     select id, generation, application_id, event from replayed order by id`,
    [
      spaceId,
      ids,
      requestedBy,
      bulkReplayId,
      requestKey,
      republishAfterMs,
      chain?.depth ?? null,
      chain?.path ?? null,
    ],
  );
}

/** Whether a replay is stored, to find out what became of a commit whose response was lost. */
export async function hasReplay(sql: Sql, { id, generation }: Replayed): Promise<boolean> {
  const found = await rows(sql, 'select 1 from envelope_replay where envelope_id = $1 and generation = $2', [
    id,
    generation,
  ]);
  return found.length > 0;
}
