import type { DataSource, EntityManager } from 'typeorm';
import { firstRow, preparedRows, rows, type Sql } from '../infra/database/rows.ts';
import type { Account, Charge, ChargeSource } from './charge.ts';

/** First half of the advisory locks of this module; the second half is made of the space's id. */
const GATE = 720_006;

export interface Hold {
  spaceId: string;
  userId: string;
  tokens: number;
  source: ChargeSource;
  /** By which the owner finds again what was used, such as the id of a turn. */
  reference: string;
  /** Milliseconds until it counts as abandoned, unless renewed. */
  leaseMs: number;
  /** What is charged should it be abandoned, where the source has no `onExpiredHold`; none: nothing. */
  settleWith?: Charge;
}

export interface ExpiredHold {
  source: ChargeSource;
  reference: string;
  settleWith: Charge | null;
}

export interface AccountState extends Account {
  limited: boolean;
}

/** Locks those of the two accounts that have a limit: the space's first, so that nobody waits in a circle. */
export function lockLimited(
  tx: EntityManager,
  spaceId: string,
  userId: string,
): Promise<Pick<Account, 'userId' | 'balance'>[]> {
  return rows(
    tx,
    `select user_id as "userId", balance::float8 as balance from usage_account
     where space_id = $1 and (user_id is null or user_id = $2) and has_grant
     order by user_id nulls first for update`,
    [spaceId, userId],
  );
}

/** What open holds hold of the space's account and of the user's. */
export async function heldTokens(
  sql: Sql,
  spaceId: string,
  userId: string,
): Promise<{ space: number; user: number }> {
  const held = await firstRow<{ space: number; user: number }>(
    sql,
    `select coalesce(sum(tokens), 0)::float8 as space,
       coalesce(sum(tokens) filter (where user_id = $2), 0)::float8 as "user"
     from usage_hold where space_id = $1`,
    [spaceId, userId],
  );
  return held ?? { space: 0, user: 0 };
}

export async function insertHold(tx: EntityManager, hold: Hold): Promise<string> {
  const row = await firstRow<{ id: string }>(
    tx,
    `insert into usage_hold (space_id, user_id, tokens, source, reference, settle_with, lease_ms, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7::int, clock_timestamp() + $7::int * interval '1 millisecond')
     returning id`,
    [
      hold.spaceId,
      hold.userId,
      hold.tokens,
      hold.source,
      hold.reference,
      hold.settleWith && JSON.stringify(hold.settleWith),
      hold.leaseMs,
    ],
  );
  if (!row) throw new Error('The hold was not stored');
  return row.id;
}

export async function renewHolds(sql: Sql, ids: string[]): Promise<string[]> {
  const renewed = await rows<{ id: string }>(
    sql,
    `update usage_hold set expires_at = clock_timestamp() + lease_ms * interval '1 millisecond'
     where id = any($1::uuid[]) returning id`,
    [ids],
  );
  return renewed.map(({ id }) => id);
}

/** False where somebody has removed it before. */
export async function removeHold(tx: EntityManager, id: string): Promise<boolean> {
  return (await firstRow(tx, 'delete from usage_hold where id = $1 returning id', [id])) !== null;
}

/** Answers those that were there. */
export async function removeHolds(tx: EntityManager, ids: string[]): Promise<Set<string>> {
  const removed = await rows<{ id: string }>(
    tx,
    'delete from usage_hold where id = any($1::uuid[]) returning id',
    [ids],
  );
  return new Set(removed.map(({ id }) => id));
}

/** For each person whether the space's account or the own has a limit. */
export async function haveLimits(
  database: DataSource,
  people: { spaceId: string; userId: string }[],
): Promise<boolean[]> {
  const found = await preparedRows<{ limited: boolean }>(
    database,
    'usage.limits',
    `select exists (
       select from usage_account a
       where a.space_id = person.space_id and (a.user_id is null or a.user_id = person.user_id) and a.has_grant
     ) as limited
     from unnest($1::uuid[], $2::uuid[]) with ordinality as person (space_id, user_id, n) order by n`,
    [people.map(({ spaceId }) => spaceId), people.map(({ userId }) => userId)],
  );
  return found.map(({ limited }) => limited);
}

export async function expiredHoldIds(sql: Sql, after: string | null, limit: number): Promise<string[]> {
  const expired = await rows<{ id: string }>(
    sql,
    `select id from usage_hold where expires_at < now() and ($1::uuid is null or id > $1)
     order by id limit $2`,
    [after, limit],
  );
  return expired.map(({ id }) => id);
}

/** Null where it was renewed or settled meanwhile, or is being so. */
export function lockExpiredHold(tx: EntityManager, id: string): Promise<ExpiredHold | null> {
  return firstRow(
    tx,
    `select source, reference, settle_with as "settleWith" from usage_hold
     where id = $1 and expires_at < clock_timestamp() for update skip locked`,
    [id],
  );
}

/**
 * Writes the entry, then lowers the accounts that are kept. The entry passes the gate that `openAccount` closes:
 * a new account either counts it in its sum or is seen here by the second statement.
 */
export async function postCharge(tx: EntityManager, charge: Charge): Promise<void> {
  await rows(
    tx,
    `insert into usage_entry (space_id, user_id, kind, tokens, cost, source, agent_id, turn_id, model,
       prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated)
     select $1::uuid, $2::uuid, 'CHARGE', -($8::bigint + $9::bigint), $3::numeric, $4, $5::uuid, $6, $7,
       $8::int, $9::int, $10::int, $11::int, $12::boolean
     from (select pg_advisory_xact_lock_shared(${GATE}, hashtext($1::uuid::text))) as gate`,
    [
      charge.spaceId,
      charge.userId,
      charge.cost,
      charge.source,
      charge.agentId,
      charge.turnId,
      charge.model,
      charge.promptTokens,
      charge.completionTokens,
      charge.cachedTokens,
      charge.reasoningTokens,
      charge.estimated,
    ],
  );
  await rows(
    tx,
    `with locked as (
       select 1 from usage_account where space_id = $1 and (user_id is null or user_id = $2)
       order by user_id nulls first for update
     )
     update usage_account set balance = balance - $3
     where space_id = $1 and (user_id is null or user_id = $2) and (select count(*) from locked) > 0`,
    [charge.spaceId, charge.userId, charge.promptTokens + charge.completionTokens],
  );
}

/** As `postCharge`, for many: the same steps, in the order of the accounts. */
export async function postCharges(tx: EntityManager, charges: Charge[]): Promise<void> {
  const spaces = [...new Set(charges.map(({ spaceId }) => spaceId))].sort();
  await rows(
    tx,
    `select pg_advisory_xact_lock_shared(${GATE}, hashtext(space)) from unnest($1::uuid[]::text[]) as space`,
    [spaces],
  );
  await rows(
    tx,
    `insert into usage_entry (space_id, user_id, kind, tokens, cost, source, agent_id, turn_id, model,
       prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated)
     select c."spaceId", c."userId", 'CHARGE', -(c."promptTokens"::bigint + c."completionTokens"), c.cost, c.source,
       c."agentId", c."turnId", c.model, c."promptTokens", c."completionTokens", c."cachedTokens",
       c."reasoningTokens", c.estimated
     from json_to_recordset($1) as c ("spaceId" uuid, "userId" uuid, cost numeric, source text, "agentId" uuid,
       "turnId" text, model text, "promptTokens" int, "completionTokens" int, "cachedTokens" int,
       "reasoningTokens" int, estimated boolean)`,
    [JSON.stringify(charges)],
  );
  await rows(
    tx,
    `with total as (
       select space_id, user_id, sum(tokens) as tokens
       from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as charge (space_id, user_id, tokens)
       group by grouping sets ((space_id, user_id), (space_id))
     ), account as (
       select a.space_id, a.user_id from usage_account a
       join total t on t.space_id = a.space_id and t.user_id is not distinct from a.user_id
       order by a.space_id, a.user_id nulls first for update of a
     )
     update usage_account a set balance = a.balance - t.tokens
     from account k join total t on t.space_id = k.space_id and t.user_id is not distinct from k.user_id
     where a.space_id = k.space_id and a.user_id is not distinct from k.user_id`,
    [
      charges.map(({ spaceId }) => spaceId),
      charges.map(({ userId }) => userId),
      charges.map(({ promptTokens, completionTokens }) => promptTokens + completionTokens),
    ],
  );
}

/**
 * Begins to keep the balance of an account: what was charged so far counts. Waits for the charges that are
 * under way and keeps new ones waiting, so it needs a transaction of its own, which locks nothing else.
 */
export async function openAccount(tx: EntityManager, spaceId: string, userId: string | null): Promise<void> {
  const open = await firstRow(
    tx,
    'select 1 from usage_account where space_id = $1 and user_id is not distinct from $2::uuid',
    [spaceId, userId],
  );
  if (open) return;
  await rows(tx, `select pg_advisory_xact_lock(${GATE}, hashtext($1::uuid::text))`, [spaceId]);
  await rows(
    tx,
    `insert into usage_account (space_id, user_id, balance)
     select $1, $2::uuid, coalesce(sum(tokens), 0) from usage_entry
     where space_id = $1 and kind = 'CHARGE' and ($2::uuid is null or user_id = $2)
     on conflict do nothing`,
    [spaceId, userId],
  );
}

export interface Grant {
  spaceId: string;
  /** Null: the space. */
  userId: string | null;
  tokens: number;
  note: string | null;
  createdBy: string;
}

/** Raises an account that is open; answers the id of the entry. */
export async function postGrant(tx: EntityManager, grant: Grant): Promise<string> {
  const { spaceId, userId, tokens, note, createdBy } = grant;
  await rows(
    tx,
    `update usage_account set balance = balance + $3, has_grant = true
     where space_id = $1 and user_id is not distinct from $2::uuid`,
    [spaceId, userId, tokens],
  );
  const entry = await firstRow<{ id: string }>(
    tx,
    `insert into usage_entry (space_id, user_id, kind, tokens, source, note, created_by)
     values ($1, $2, 'GRANT', $3, 'grant', $4, $5) returning id`,
    [spaceId, userId, tokens, note, createdBy],
  );
  if (!entry) throw new Error('The grant was not stored');
  return entry.id;
}

/** Those of the two accounts that have a limit as they stand, without a lock; the space's first. */
export function limitedAccounts(sql: Sql, spaceId: string, userId: string): Promise<Account[]> {
  return rows(
    sql,
    `select user_id as "userId", balance::float8 as balance,
       (select coalesce(sum(tokens), 0) from usage_hold h
         where h.space_id = $1 and (a.user_id is null or h.user_id = a.user_id))::float8 as held
     from usage_account a where space_id = $1 and (user_id is null or user_id = $2) and has_grant
     order by user_id nulls first`,
    [spaceId, userId],
  );
}

/** The space's account and the user's as they stand, without a lock; the space's first. */
export function accountStates(sql: Sql, spaceId: string, userId: string): Promise<AccountState[]> {
  return rows(
    sql,
    `select w.user_id as "userId", coalesce(a.has_grant, false) as limited,
       coalesce(a.balance, (
         select sum(tokens) from usage_entry e
         where e.space_id = $1 and e.kind = 'CHARGE' and (w.user_id is null or e.user_id = w.user_id)
       ), 0)::float8 as balance,
       (select coalesce(sum(tokens), 0) from usage_hold h
         where h.space_id = $1 and (w.user_id is null or h.user_id = w.user_id))::float8 as held
     from (values (null::uuid), ($2::uuid)) as w (user_id)
     left join usage_account a on a.space_id = $1 and a.user_id is not distinct from w.user_id
     order by w.user_id nulls first`,
    [spaceId, userId],
  );
}
