import type { EntityManager } from 'typeorm';
import { firstPreparedRow, firstRow, preparedRows, rows, type Sql } from '../infra/database/rows.ts';
import type { Charge, ChargeSource } from './charge.ts';

export interface Reservation {
  /** The id of the call; its ledger entry gets the same id. */
  id: string;
  spaceId: string;
  userId: string;
  tokens: number;
  source: ChargeSource;
  /** Identifies for the owner what was used, such as the id of a turn. */
  reference: string;
  /** Milliseconds until the reservation expires, unless it is renewed. */
  leaseMs: number;
  /** What is charged if the reservation expires. Without it, the `onExpiredReservation` handler of the source decides. */
  chargeOnExpiry?: Charge;
}

export interface LockedReservation {
  source: ChargeSource;
  reference: string;
  chargeOnExpiry: Charge | null;
}

/** A new lease; a `chargeOnExpiry` replaces the stored one. */
export interface Renewal {
  id: string;
  chargeOnExpiry?: Charge;
}

/** What others have reserved when a reservation is stored. */
interface Reserved {
  /** Tokens on the account of the space. */
  space: number;
  /** Tokens on the account of the user. */
  user: number;
  /** Whether the reservation was stored now: only if an account has a limit. */
  stored: boolean;
  /** Whether it was stored before. */
  existed: boolean;
}

/**
 * Stores a reservation if an account has a limit. One statement, because callers wait for it. It stores nothing unless its
 * transaction has locked an account: sent together with a BEGIN that fails, it would be executed by itself.
 */
export async function insertReservation(tx: EntityManager, reservation: Reservation): Promise<Reserved> {
  const { id, spaceId, userId, tokens, source, reference, chargeOnExpiry, leaseMs } = reservation;
  const reserved = await firstPreparedRow<Reserved>(
    tx,
    'insert_reservation',
    `with stored as (
       insert into usage_reservation (id, space_id, user_id, tokens, source, reference, charge_on_expiry, lease_ms,
         expires_at)
       select $1::uuid, $2::uuid, $3::uuid, $4::bigint, $5::text, $6::text, $7::json, $8::int,
         clock_timestamp() + $8::int * interval '1 millisecond'
       where exists (
         select from usage_account where space_id = $2::uuid and owner_id in ($2::uuid, $3::uuid) and has_grant
       ) and pg_current_xact_id_if_assigned() is not null
       on conflict do nothing
       returning id
     )
     -- Does not see the row that the same statement stores.
     select coalesce(sum(tokens) filter (where id <> $1), 0)::float8 as space,
       coalesce(sum(tokens) filter (where id <> $1 and user_id = $3), 0)::float8 as "user",
       exists (select from stored) as stored, coalesce(bool_or(id = $1), false) as existed
     from usage_reservation where space_id = $2`,
    [
      id,
      spaceId,
      userId,
      tokens,
      source,
      reference,
      chargeOnExpiry && JSON.stringify(chargeOnExpiry),
      leaseMs,
    ],
  );
  if (reserved === null) throw new Error('A sum has one row');
  return reserved;
}

/** Stores reservations; those that are already stored are not changed. */
export async function insertReservations(sql: Sql, reservations: Reservation[]): Promise<void> {
  await rows(
    sql,
    `insert into usage_reservation (id, space_id, user_id, tokens, source, reference, charge_on_expiry, lease_ms,
       expires_at)
     select r.id, r."spaceId", r."userId", r.tokens, r.source, r.reference, r."chargeOnExpiry", r."leaseMs",
       clock_timestamp() + r."leaseMs" * interval '1 millisecond'
     from json_to_recordset($1) as r (id uuid, "spaceId" uuid, "userId" uuid, tokens bigint, source text,
       reference text, "chargeOnExpiry" json, "leaseMs" int)
     on conflict do nothing`,
    [JSON.stringify(reservations)],
  );
}

/** Returns the ids of the reservations that still exist. Skips locked rows, so it cannot deadlock with charges. */
export async function renewReservations(sql: Sql, renewals: Renewal[]): Promise<string[]> {
  const renewed = await rows<{ id: string }>(
    sql,
    `with renewal as (
       select id, "chargeOnExpiry" from json_to_recordset($1) as r (id uuid, "chargeOnExpiry" json)
     ), free as (
       select id from usage_reservation where id = any(array(select id from renewal)) for update skip locked
     )
     update usage_reservation u set expires_at = clock_timestamp() + lease_ms * interval '1 millisecond',
       charge_on_expiry = coalesce(r."chargeOnExpiry", u.charge_on_expiry)
     from free join renewal r using (id) where u.id = free.id returning u.id`,
    [JSON.stringify(renewals)],
  );
  return renewed.map(({ id }) => id);
}

export async function deleteReservations(tx: EntityManager, ids: string[]): Promise<void> {
  await preparedRows(
    tx,
    'delete_reservations',
    'delete from usage_reservation where id = any((select $1::uuid[])::uuid[])',
    [ids],
  );
}

/** The position of a pass over expired reservations. */
export interface ExpiredPosition {
  id: string;
  expiresAt: string;
}

/** Lists expired reservations after a position, oldest first. */
export function listExpiredReservations(
  sql: Sql,
  after: ExpiredPosition | null,
  limit: number,
): Promise<ExpiredPosition[]> {
  return rows(
    sql,
    `select id, expires_at::text as expires_at from usage_reservation
     where expires_at < now() and ($1::timestamptz is null or (expires_at, id) > ($1, $2::uuid))
     order by usage_reservation.expires_at, id limit $3`,
    [after?.expiresAt ?? null, after?.id ?? null, limit],
  );
}

/** Locks an expired reservation. Returns null if it was renewed or released, or if another transaction has locked it. */
export function lockExpiredReservation(tx: EntityManager, id: string): Promise<LockedReservation | null> {
  return firstRow(
    tx,
    `select source, reference, charge_on_expiry from usage_reservation
     where id = $1 and expires_at < clock_timestamp() for update skip locked`,
    [id],
  );
}
