import type { EntityManager } from 'typeorm';
import type { Database } from '../../infra/database/database.ts';
import { keptPlanRows, rows, type Sql } from '../../infra/database/rows.ts';

/** How long a process may take from claiming an envelope to locking it. */
const LEASE = `interval '15 seconds'`;

// Due rows are found by statement_timestamp(): no index serves a comparison with clock_timestamp(), which is volatile.
// A claimed row is available again, and its hint is due, when its lease has passed without a verdict.

/** An envelope that this process dispatches, with the token that proves it. */
export interface Claim {
  envelopeId: string;
  generation: number;
  spaceId: string;
  /** As text: it is only compared. */
  token: string;
  /** How often it was tried alone, this time included. */
  attempts: number;
}

const CLAIMED = `lease_until = clock_timestamp() + ${LEASE}, available_at = clock_timestamp() + ${LEASE},
    next_publish_at = clock_timestamp() + ${LEASE}, fencing_token = fencing_token + 1`;
const CLAIM = `envelope_id, generation, space_id, fencing_token as token, attempts`;

const WAITING = 'lease_until is null and not is_suspect';
/** Failed, or its process died. */
const SUSPECT = '(lease_until is not null or is_suspect) and available_at <= statement_timestamp()';
/** Before all spaces. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/** The next space with envelopes that wait and that is not excluded: one lookup, and one for each excluded space. */
const nextSpace = (after: string) => `(
    with recursive candidate as (
      (select space_id from envelope_outbox where ${WAITING} and space_id > ${after} order by space_id limit 1)
      union all
      select n.space_id from candidate c cross join lateral (
        select space_id from envelope_outbox where ${WAITING} and space_id > c.space_id order by space_id limit 1
      ) n where c.space_id = any($3::uuid[])
    ) select space_id from candidate where space_id <> all($3::uuid[]) limit 1)`;

/**
 * Selects by ctid: a join with the rows that are locked is many times slower. Does not wait for the disk: a claim that is lost with
 * the server is made again, and the dispatch, which waits, proves its claim.
 */
export const CLAIM_BATCH = `
  with picked as materialized (
    select coalesce(${nextSpace('$1::uuid')}, ${nextSpace(`'${FIRST}'`)}) as space_id
  ), next as materialized (
    select p.space_id, coalesce(
      (select true from envelope_outbox where ${WAITING} and space_id > p.space_id order by space_id limit 1),
      (select true from envelope_outbox where ${WAITING} and space_id < p.space_id order by space_id limit 1),
      false) as has_others
    from picked p where p.space_id is not null
  ), claimed as (
    update envelope_outbox set ${CLAIMED}
    where ctid = any(array(
      select ctid from envelope_outbox
      where ${WAITING} and space_id = (select space_id from next) and available_at <= statement_timestamp()
      order by available_at, envelope_id limit $2 for update skip locked))
    returning ${CLAIM}
  )
  select n.space_id as turn, coalesce(n.has_others, false) as has_others, s.has_suspects, c.*
  from (select exists (select from envelope_outbox where ${SUSPECT}) as has_suspects) s
    left join next n on true left join claimed c on true
  where set_config('synchronous_commit', 'off', true) = 'off'`;

/** Envelopes of one space. */
export interface ClaimedBatch {
  /** Null if nothing waits. */
  spaceId: string | null;
  claims: Claim[];
  /** Whether envelopes of other spaces wait. */
  hasOthers: boolean;
  /** Whether envelopes are to be tried alone. */
  hasSuspects: boolean;
}

type Turn = Omit<ClaimedBatch, 'spaceId' | 'claims'> & { turn: string | null };

/**
 * Claims the envelopes of one space that wait longest: of the next one after `after`, in the order of ids and beginning again
 * after the last. Spaces in `except` are passed over.
 */
export async function claimBatch(
  sql: Database | EntityManager,
  limit: number,
  after: string | null = null,
  except: readonly string[] = [],
): Promise<ClaimedBatch> {
  type Row = Turn & (Claim | Record<keyof Claim, null>);
  const found = await keptPlanRows<Row>(sql, 'claim_envelopes', CLAIM_BATCH, [after ?? FIRST, limit, except]);
  const claims = found.flatMap(({ turn: _t, hasOthers: _h, hasSuspects: _s, ...claim }) =>
    claim.envelopeId === null ? [] : claim,
  );
  const { turn = null, hasOthers = false, hasSuspects = false } = found[0] ?? {};
  return { spaceId: turn, claims, hasOthers, hasSuspects };
}

export const CLAIM_SUSPECT = `
  update envelope_outbox set ${CLAIMED}, is_suspect = true, attempts = attempts + 1
  where ctid = any(array(
    select ctid from envelope_outbox
    where ${SUSPECT}
    order by available_at, envelope_id limit 1 for update skip locked))
  returning ${CLAIM}`;

/** Claims one envelope that has failed, or whose process died: it is tried alone. The attempt counts before the work. */
export async function claimSuspect(sql: Database | EntityManager): Promise<Claim | null> {
  const [claim] = await keptPlanRows<Claim>(sql, 'claim_suspect_envelope', CLAIM_SUSPECT, []);
  return claim ?? null;
}

/** Gives claims back, to be tried at once: all of them alone if they are suspects. */
export async function releaseClaims(sql: Sql, claims: readonly Claim[], areSuspects: boolean): Promise<void> {
  await rows(
    sql,
    `update envelope_outbox o set lease_until = null, is_suspect = is_suspect or $4, available_at = clock_timestamp(),
       next_publish_at = clock_timestamp()
     from unnest($1::uuid[], $2::int[], $3::bigint[]) as c(id, generation, token)
     where o.envelope_id = c.id and o.generation = c.generation and o.fencing_token = c.token`,
    [...keysOf(claims), areSuspects],
  );
}

/**
 * Gives back a claim that was tried alone, without counting the attempt: nothing was wrong with the envelope. It is tried again
 * after the delay.
 */
export async function forgiveClaim(sql: Sql, claim: Claim, delayMs = 0): Promise<void> {
  await rows(
    sql,
    `update envelope_outbox set lease_until = null, attempts = attempts - 1,
       available_at = clock_timestamp() + $4 * interval '1 millisecond',
       next_publish_at = clock_timestamp() + $4 * interval '1 millisecond'
     where envelope_id = $1 and generation = $2 and fencing_token = $3`,
    [claim.envelopeId, claim.generation, claim.token, delayMs],
  );
}

/** Gives back a claim that was tried alone and failed, to be tried again after a delay. */
export async function postponeClaim(sql: Sql, claim: Claim, delayMs: number): Promise<void> {
  await rows(
    sql,
    `update envelope_outbox set lease_until = null, available_at = clock_timestamp() + $4 * interval '1 millisecond',
       next_publish_at = clock_timestamp() + $4 * interval '1 millisecond'
     where envelope_id = $1 and generation = $2 and fencing_token = $3`,
    [claim.envelopeId, claim.generation, claim.token, delayMs],
  );
}

/** Removes claims whose envelopes are dispatched or failed. Returns how many still counted. */
export async function deleteClaims(tx: EntityManager, claims: readonly Claim[]): Promise<number> {
  const deleted = await keptPlanRows(
    tx,
    'delete_envelope_claims',
    `delete from envelope_outbox o using unnest($1::uuid[], $2::int[], $3::bigint[]) as c(id, generation, token)
     where o.envelope_id = c.id and o.generation = c.generation and o.fencing_token = c.token
       and o.envelope_id = any($1::uuid[])
     returning o.envelope_id`,
    keysOf(claims),
  );
  return deleted.length;
}

/** Has a row for each envelope that could be claimed. */
export const ENVELOPES_WAITING = 'select from envelope_outbox where available_at <= statement_timestamp()';

/** Has rows if an envelope is due to be published. */
export const ENVELOPES_DUE = 'select from envelope_outbox where next_publish_at <= statement_timestamp()';

export const DUE_ENVELOPES = `
  update envelope_outbox set hints = hints + 1,
    next_publish_at = clock_timestamp() + $2 * power(2, least(hints, 4)) * interval '1 millisecond'
  where ctid = any(array(
    select ctid from envelope_outbox where next_publish_at <= statement_timestamp()
    order by next_publish_at limit $1 for update skip locked))
  returning envelope_id as id`;

/** Takes envelopes whose hints are due. Each is published again, later each time, until it is dispatched. */
export async function takeDueEnvelopes(sql: Sql, limit: number, republishAfterMs: number): Promise<string[]> {
  const due = await rows<{ id: string }>(sql, DUE_ENVELOPES, [limit, republishAfterMs]);
  return due.map(({ id }) => id);
}

export const EXPEDITE_ENVELOPES = `
  update envelope_outbox set hints = 0, next_publish_at = clock_timestamp()
  where ctid = any(array(
    select ctid from envelope_outbox
    where lease_until is null and not is_suspect order by space_id limit $1 for update skip locked))`;

/** Makes the hints of some envelopes that wait due: one is enough to have all claimed. */
export async function expediteEnvelopes(sql: Sql, limit: number): Promise<void> {
  await rows(sql, EXPEDITE_ENVELOPES, [limit]);
}

export function keysOf(claims: readonly Claim[]): [string[], number[], string[]] {
  return [
    claims.map(({ envelopeId }) => envelopeId),
    claims.map(({ generation }) => generation),
    claims.map(({ token }) => token),
  ];
}
