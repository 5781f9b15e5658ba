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

/** Selects by ctid: a join with the rows that are locked is many times slower. */
export const CLAIM_BATCH = `
  update envelope_outbox set ${CLAIMED}
  where ctid = any(array(
    select ctid from envelope_outbox
    where lease_until is null and not is_suspect and available_at <= statement_timestamp()
    order by available_at, envelope_id limit $1 for update skip locked))
  returning ${CLAIM}`;

/** Claims the envelopes that wait longest. */
export function claimBatch(sql: Database | EntityManager, limit: number): Promise<Claim[]> {
  return keptPlanRows(sql, 'claim_envelopes', CLAIM_BATCH, [limit]);
}

export const CLAIM_SUSPECT = `
  update envelope_outbox set ${CLAIMED}, is_suspect = true, attempts = attempts + 1
  where ctid = any(array(
    select ctid from envelope_outbox
    where (lease_until is not null or is_suspect) and available_at <= statement_timestamp()
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

/** Gives back a claim that was tried alone, without counting the attempt: nothing was wrong with the envelope. */
export async function forgiveClaim(sql: Sql, claim: Claim): Promise<void> {
  await rows(
    sql,
    `update envelope_outbox set lease_until = null, attempts = attempts - 1, available_at = clock_timestamp(),
       next_publish_at = clock_timestamp()
     where envelope_id = $1 and generation = $2 and fencing_token = $3`,
    [claim.envelopeId, claim.generation, claim.token],
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
     returning o.envelope_id`,
    keysOf(claims),
  );
  return deleted.length;
}

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
    where lease_until is null and not is_suspect and available_at <= statement_timestamp()
    order by available_at, envelope_id limit $1 for update skip locked))`;

/** Makes the hints of the envelopes that wait longest due. */
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
