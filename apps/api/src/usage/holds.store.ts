import type { EntityManager } from 'typeorm';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import type { Charge, ChargeSource } from './charge.ts';

export interface Hold {
  /** The id of the call, by which it is settled; its entry gets the same one. */
  id: string;
  spaceId: string;
  userId: string;
  tokens: number;
  source: ChargeSource;
  /** By which the owner finds again what was used, such as the id of a turn. */
  reference: string;
  /** Milliseconds until it counts as abandoned, unless renewed. */
  leaseMs: number;
  /** What is charged should it be abandoned, where the source has no `onExpiredReservation`; none: nothing. */
  settleWith?: Charge;
}

export interface ExpiredReservation {
  source: ChargeSource;
  reference: string;
  settleWith: Charge | null;
}

/** What a hold of this process stands at: it is renewed, and `settleWith` replaces what it carried. */
export interface Renewal {
  id: string;
  settleWith?: Charge;
}

/** What open holds hold of the space's account and of the user's, and whether the one of that id is among them. */
export async function sumReservedTokens(
  sql: Sql,
  spaceId: string,
  userId: string,
  id: string,
): Promise<{ space: number; user: number; isThere: boolean }> {
  const held = await firstRow<{ space: number; user: number; isThere: boolean }>(
    sql,
    `select coalesce(sum(tokens), 0)::float8 as space,
       coalesce(sum(tokens) filter (where user_id = $2), 0)::float8 as "user",
       exists (select from usage_reservation where id = $3) as "isThere"
     from usage_reservation where space_id = $1`,
    [spaceId, userId, id],
  );
  return held ?? { space: 0, user: 0, isThere: false };
}

/** Stores them; those that are stored already stay as they are. */
export async function insertHolds(sql: Sql, holds: Hold[]): Promise<void> {
  await rows(
    sql,
    `insert into usage_reservation (id, space_id, user_id, tokens, source, reference, settle_with, lease_ms, expires_at)
     select h.id, h."spaceId", h."userId", h.tokens, h.source, h.reference, h."settleWith", h."leaseMs",
       clock_timestamp() + h."leaseMs" * interval '1 millisecond'
     from json_to_recordset($1) as h (id uuid, "spaceId" uuid, "userId" uuid, tokens bigint, source text,
       reference text, "settleWith" json, "leaseMs" int)
     on conflict do nothing`,
    [JSON.stringify(holds)],
  );
}

/** Returns those that still stand. It waits for no lock, so it cannot wait in a circle with settlements. */
export async function renewReservations(sql: Sql, renewals: Renewal[]): Promise<string[]> {
  const renewed = await rows<{ id: string }>(
    sql,
    `with renewal as (
       select id, "settleWith" from json_to_recordset($1) as r (id uuid, "settleWith" json)
     ), free as (
       select id from usage_reservation where id = any(array(select id from renewal)) for update skip locked
     )
     update usage_reservation h set expires_at = clock_timestamp() + lease_ms * interval '1 millisecond',
       settle_with = coalesce(r."settleWith", h.settle_with)
     from free join renewal r using (id) where h.id = free.id returning h.id`,
    [JSON.stringify(renewals)],
  );
  return renewed.map(({ id }) => id);
}

export async function deleteReservations(tx: EntityManager, ids: string[]): Promise<void> {
  await rows(tx, 'delete from usage_reservation where id = any($1::uuid[])', [ids]);
}

/** Where a walk over expired holds stands. */
export interface ExpiredPosition {
  id: string;
  expiresAt: string;
}

/** Those that expired before now, the oldest first. */
export function expiredHolds(
  sql: Sql,
  after: ExpiredPosition | null,
  limit: number,
): Promise<ExpiredPosition[]> {
  return rows(
    sql,
    `select id, expires_at::text as "expiresAt" from usage_reservation
     where expires_at < now() and ($1::timestamptz is null or (expires_at, id) > ($1, $2::uuid))
     order by expires_at, id limit $3`,
    [after?.expiresAt ?? null, after?.id ?? null, limit],
  );
}

/** Null where it was renewed or settled meanwhile, or is being so. */
export function lockExpiredReservation(tx: EntityManager, id: string): Promise<ExpiredReservation | null> {
  return firstRow(
    tx,
    `select source, reference, settle_with as "settleWith" from usage_reservation
     where id = $1 and expires_at < clock_timestamp() for update skip locked`,
    [id],
  );
}
