import type {
  DeliveryOutcome,
  EnvelopeReason,
  EventFilter,
  EventSource,
  SubscriptionBatch,
  SubscriptionDebounce,
  SubscriptionVerdict,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { pipelined, keptPlanRows, rows, type Sql } from '../../infra/database/rows.ts';
import { keysOf, type Claim } from '../records/outbox.store.ts';

/** A claimed envelope, locked until the end of the transaction. */
export interface ClaimedEnvelope {
  id: string;
  generation: number;
  /** The bulk replay that its generation belongs to. */
  bulkReplayId: string | null;
  spaceId: string;
  applicationId: string;
  event: string;
  /** As JSON. */
  payload: string;
  source: EventSource;
  emittedAt: Date;
  actorUserId: string | null;
  causationId: string | null;
  rootId: string;
  depth: number;
  path: string[];
  /** The subscriptions that a replay is limited to; null: all. */
  limitedTo: string[] | null;
}

/**
 * Locks what is still claimed, and returns the envelopes that are to be dispatched. `held`: the claims that still count.
 * Nothing changes an envelope whose claim is locked, so the second statement reads it as it is.
 */
export async function lockClaims(
  tx: EntityManager,
  claims: readonly Claim[],
): Promise<{ held: Claim[]; envelopes: ClaimedEnvelope[] }> {
  const [locked, pending] = await pipelined(
    keptPlanRows<{ envelopeId: string; generation: number }>(
      tx,
      'lock_envelope_claims',
      `select o.envelope_id, o.generation from envelope_outbox o
       join unnest($1::uuid[], $2::int[], $3::bigint[]) as c(id, generation, token)
         on o.envelope_id = c.id and o.generation = c.generation and o.fencing_token = c.token
       where o.envelope_id = any($1::uuid[]) order by o.envelope_id for update of o`,
      keysOf(claims),
    ),
    keptPlanRows<ClaimedEnvelope>(
      tx,
      'read_claimed_envelopes',
      `select e.id, e.generation, r.bulk_replay_id, e.space_id, e.application_id, e.event,
         e.payload::text as payload, e.source, e.emitted_at, e.actor_user_id,
         e.causation_id, e.root_id, coalesce(r.depth, e.depth) as depth, coalesce(r.path, e.path) as path,
         r.limited_to
       from unnest($1::uuid[], $2::int[]) as c(id, generation)
       join envelope e on e.id = c.id and e.generation = c.generation
       left join lateral (
         select depth, path, limited_to, bulk_replay_id from envelope_replay
         where e.generation > 0 and envelope_id = e.id and generation = e.generation limit 1
       ) r on true
       where e.id = any($1::uuid[]) and e.status = 'PENDING' order by e.id`,
      keysOf(claims).slice(0, 2),
    ),
  );
  const keys = new Set(locked.map(({ envelopeId, generation }) => keyOf(envelopeId, generation)));
  return {
    held: claims.filter(({ envelopeId, generation }) => keys.has(keyOf(envelopeId, generation))),
    envelopes: pending.filter(({ id, generation }) => keys.has(keyOf(id, generation))),
  };
}

function keyOf(envelopeId: string, generation: number): string {
  return `${envelopeId} ${generation}`;
}

/** A subscription to an event, whether or not it is enabled. */
export interface MatchedSubscription {
  id: string;
  applicationId: string;
  event: string;
  taskId: string;
  filter: EventFilter | null;
  debounce: SubscriptionDebounce | null;
  batch: SubscriptionBatch | null;
  enabled: boolean;
  createdAt: Date;
}

/**
 * Lists the subscriptions to the events of claimed envelopes, ordered by id. Requires that they are locked in an earlier
 * statement, which may have been sent with this one. `offset 0` keeps a plan that was made for empty tables from reading
 * all subscriptions for each event.
 */
export function listSubscriptions(
  tx: EntityManager,
  claims: readonly Claim[],
): Promise<MatchedSubscription[]> {
  return keptPlanRows(
    tx,
    'list_matched_subscriptions',
    `select s.id, s.application_id, s.event, s.task_id,
       s.filter, s.debounce, s.batch, s.enabled, s.created_at
     from (
       select distinct e.application_id, e.event
       from unnest($1::uuid[], $2::int[]) as c(id, generation)
       join envelope e on e.id = c.id and e.generation = c.generation
       where e.id = any($1::uuid[]) and e.status = 'PENDING'
     ) e
     cross join lateral (
       select * from subscription s
       where s.application_id = e.application_id and s.event = e.event
         and s.deleted_at is null and s.retired_at is null
       offset 0
     ) s
     order by s.id`,
    keysOf(claims).slice(0, 2),
  );
}

export interface NewDelivery {
  envelopeId: string;
  subscriptionId: string;
  generation: number;
  outcome: DeliveryOutcome;
  /** Null: it starts none. */
  runId: string | null;
}

/** Stores deliveries. Fails if one of them exists, which then has its run already. */
export async function insertDeliveries(tx: EntityManager, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await keptPlanRows(
    tx,
    'insert_deliveries',
    `insert into delivery (envelope_id, subscription_id, generation, outcome, run_id)
     select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::uuid[])`,
    [
      deliveries.map(({ envelopeId }) => envelopeId),
      deliveries.map(({ subscriptionId }) => subscriptionId),
      deliveries.map(({ generation }) => generation),
      deliveries.map(({ outcome }) => outcome),
      deliveries.map(({ runId }) => runId),
    ],
  );
}

/** The log need not look at failures before a replay: the last delivery counts. */
export async function clearFailed(tx: EntityManager, deliveries: readonly NewDelivery[]): Promise<void> {
  const replayed = deliveries.filter(({ generation }) => generation > 0);
  if (replayed.length === 0) return;
  await keptPlanRows(
    tx,
    'clear_failed_deliveries',
    `update delivery d set failed_in = null
     from unnest($1::uuid[], $2::uuid[]) as n(envelope_id, subscription_id)
     where d.envelope_id = n.envelope_id and d.subscription_id = n.subscription_id and d.failed_in is not null`,
    [replayed.map(({ envelopeId }) => envelopeId), replayed.map(({ subscriptionId }) => subscriptionId)],
  );
}

export interface DispatchedEnvelope {
  id: string;
  generation: number;
  matchedCount: number;
  /** How many of the deliveries start no run. */
  missedCount: number;
  verdicts: readonly SubscriptionVerdict[];
}

/** The last delivery to each subscription counts, also to those that a replay no longer reaches. */
const MISSED = `case when e.generation = 0 then d.missed_count else (
    select count(*) from (
      select distinct on (subscription_id) run_id from delivery where envelope_id = e.id
      order by subscription_id, generation desc
    ) l where run_id is null) end`;

/** PENDING → DISPATCHED, and from no other status. Requires that the deliveries are stored. */
export async function markDispatched(
  tx: EntityManager,
  envelopes: readonly DispatchedEnvelope[],
): Promise<void> {
  await keptPlanRows(
    tx,
    'mark_dispatched',
    `update envelope e set status = 'DISPATCHED', status_reason = null, last_error = null,
       dispatched_at = clock_timestamp(), matched_count = d.matched_count, missed_count = ${MISSED},
       verdicts = d.verdicts::json
     from unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::text[])
       as d(id, generation, matched_count, missed_count, verdicts)
     where e.id = d.id and e.id = any($1::uuid[]) and e.generation = d.generation and e.status = 'PENDING'`,
    [
      envelopes.map(({ id }) => id),
      envelopes.map(({ generation }) => generation),
      envelopes.map(({ matchedCount }) => matchedCount),
      envelopes.map(({ missedCount }) => missedCount),
      envelopes.map(({ verdicts }) => JSON.stringify(verdicts)),
    ],
  );
}

/** PENDING → FAILED, and from no other status. */
export async function markFailed(
  tx: Sql,
  { envelopeId, generation }: Pick<Claim, 'envelopeId' | 'generation'>,
  reason: EnvelopeReason,
  error: string,
): Promise<void> {
  await rows(
    tx,
    `update envelope set status = 'FAILED', status_reason = $3, last_error = $4
     where id = $1 and generation = $2 and status = 'PENDING'`,
    [envelopeId, generation, reason, error],
  );
}

/** Notes why the dispatch of an envelope has failed so far. */
export async function noteError(sql: Sql, { envelopeId, generation }: Claim, error: string): Promise<void> {
  await rows(
    sql,
    `update envelope set last_error = $3 where id = $1 and generation = $2 and status = 'PENDING'`,
    [envelopeId, generation, error],
  );
}
