import type { EntityManager } from 'typeorm';
import type { EnvelopeStatus } from '@platform/contracts';
import type { Chain } from '../../tasks/runs/lineage.ts';
import { exactlyOne, firstRow, keptPlanRows, rows, type Sql } from '../../infra/database/rows.ts';
import type { ReplayLimit, ReplayTarget } from './replay-limits.service.ts';

export interface Replayed {
  id: string;
  generation: number;
}

const REPLAYABLE = `select id from envelope
  where space_id = $1 and id = any($2::uuid[]) and status <> 'PENDING' and erasure is null
    and ($3::text is null or status = $3)`;

/** A replay with the event of its envelope. */
export interface BegunReplay extends Replayed {
  applicationId: string;
  event: string;
}

/** A generation with the limit of its request; the emission has none. */
export interface LimitedGeneration extends ReplayLimit {
  generation: number;
}

const LIMIT = 'r.limit_only as only, r.limit_subscription_ids as subscription_ids';

/** Returns the generation that a key has requested of an envelope; null if it has not been used. */
export function findReplayByKey(
  sql: Sql,
  envelopeId: string,
  requestKey: string,
): Promise<LimitedGeneration | null> {
  return firstRow(
    sql,
    `select k.generation, ${LIMIT} from replay_key k
     left join envelope_replay r on r.envelope_id = k.envelope_id and r.generation = k.generation
     where k.envelope_id = $1 and k.request_key = $2`,
    [envelopeId, requestKey],
  );
}

/** Stores which generation a key has requested, unless the key has requested one before. */
export async function claimReplayKey(
  tx: Sql,
  { id, generation }: Replayed,
  requestKey: string,
): Promise<void> {
  await rows(
    tx,
    `insert into replay_key (envelope_id, request_key, generation) values ($1, $2, $3) on conflict do nothing`,
    [id, requestKey, generation],
  );
}

/** Returns those of the envelopes that are not PENDING, or that have a status, and whose payload was not erased. */
export async function listReplayable(
  sql: Sql,
  spaceId: string,
  ids: readonly string[],
  status: EnvelopeStatus | null,
): Promise<string[]> {
  const found = await rows<{ id: string }>(sql, `${REPLAYABLE} order by id`, [spaceId, ids, status]);
  return found.map(({ id }) => id);
}

/**
 * Locks those of the envelopes that `listReplayable` returns. PENDING ones are not locked: a dispatch may hold some of them
 * and wait for others.
 */
export async function lockReplayable(
  tx: Sql,
  spaceId: string,
  ids: readonly string[],
  status: EnvelopeStatus | null,
): Promise<string[]> {
  const locked = await rows<{ id: string }>(tx, `${REPLAYABLE} order by id for update`, [
    spaceId,
    ids,
    status,
  ]);
  return locked.map(({ id }) => id);
}

/** Whether the payload of an envelope was erased. */
export async function isErased(sql: Sql, spaceId: string, id: string): Promise<boolean> {
  const statement = 'select 1 from envelope where space_id = $1 and id = $2 and erasure is not null';
  return (await firstRow(sql, statement, [spaceId, id])) !== null;
}

/** Returns the current generation of an envelope. */
export function getGeneration(sql: Sql, spaceId: string, id: string): Promise<LimitedGeneration> {
  return exactlyOne(
    sql,
    `select e.generation, ${LIMIT} from envelope e
     left join envelope_replay r on r.envelope_id = e.id and r.generation = e.generation
     where e.space_id = $1 and e.id = $2`,
    [spaceId, id],
  );
}

export interface ReplayOrder {
  spaceId: string;
  requestedBy: string;
  bulkReplayId: string | null;
  requestKey: string | null;
  republishAfterMs: number;
  limit: ReplayLimit;
  /** Below the run that requests the replay; null: as the envelope was emitted. */
  chain: Chain | null;
}

/**
 * Begins a new generation of envelopes that the transaction has locked: keeps what became of the last one, and queues each
 * to be dispatched. No other status than PENDING can become PENDING in any other way.
 */
export function insertReplays(
  tx: EntityManager,
  { spaceId, requestedBy, bulkReplayId, requestKey, republishAfterMs, limit, chain }: ReplayOrder,
  targets: readonly ReplayTarget[],
): Promise<BegunReplay[]> {
  return keptPlanRows(
    tx,
    'insert_replays',
    `with kept as (
       insert into envelope_replay (envelope_id, generation, requested_by, bulk_replay_id, depth, path, limit_only,
         limit_subscription_ids, limited_to, previous_status, previous_reason, previous_matched_count, previous_verdicts,
         previous_dispatched_at)
       select e.id, generation + 1, $3, $4, $7::int, $8::text[], $9, $10::uuid[], t.limited_to::uuid[], status,
         status_reason, matched_count, verdicts, dispatched_at
       from unnest($2::uuid[], $11::text[]) as t(id, limited_to) join envelope e on e.id = t.id
       where space_id = $1 and e.id = any($2::uuid[]) and status <> 'PENDING' order by e.id
       returning envelope_id, generation
     ), replayed as (
       update envelope e set status = 'PENDING', generation = k.generation, status_reason = null, matched_count = 0,
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
      targets.map(({ id }) => id),
      requestedBy,
      bulkReplayId,
      requestKey,
      republishAfterMs,
      chain?.depth ?? null,
      chain?.path ?? null,
      limit.only,
      limit.subscriptionIds,
      targets.map(({ limitedTo }) => limitedTo && `{${limitedTo.join(',')}}`),
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
