import type { EntityManager } from 'typeorm';
import type { Database } from '../infra/database/database.ts';
import { firstPreparedRow, preparedRows, rows, type Sql } from '../infra/database/rows.ts';
import type { Account, Charge } from './charge.ts';

/** The first key of this module's advisory locks; the second is a hash of the space id. */
const GATE = 720_006;

/** Identifies an account. `userId` is null for the account of the space. */
export interface AccountKey {
  spaceId: string;
  userId: string | null;
}

export interface AccountState extends Account {
  limited: boolean;
}

/** An entry to be written. Its id was decided before the transaction, so it is written once. */
export type NewEntry =
  | { id: string; kind: 'CHARGE'; charge: Charge }
  | { id: string; kind: 'GRANT' | 'OPENING'; account: AccountKey; tokens: number; by: Grantor };

export interface Grantor {
  createdBy: string;
  note: string | null;
}

/** Locks the limited ones of the two accounts, the space's first, so that transactions cannot deadlock. */
export function lockLimitedAccounts(
  tx: EntityManager,
  spaceId: string,
  userId: string,
): Promise<Pick<Account, 'userId' | 'balance'>[]> {
  return preparedRows(
    tx,
    'lock_limited_accounts',
    `select user_id, balance::float8 as balance from usage_account
     where space_id = $1 and owner_id = any(array[$1, $2]::uuid[]) and has_grant
     order by user_id nulls first for update`,
    [spaceId, userId],
  );
}

/** Returns for each user whether their account or the space's account has a limit. */
export async function loadLimits(
  database: Database,
  users: { spaceId: string; userId: string }[],
): Promise<boolean[]> {
  const found = await preparedRows<{ limited: boolean }>(
    database,
    'usage.limits',
    `select exists (
       select from usage_account a
       where a.space_id = person.space_id and a.owner_id in (person.space_id, person.user_id) and a.has_grant
     ) as limited
     from unnest((select $1::uuid[]), (select $2::uuid[])) with ordinality as person (space_id, user_id, n) order by n`,
    [users.map(({ spaceId }) => spaceId), users.map(({ userId }) => userId)],
  );
  return found.map(({ limited }) => limited);
}

/** Locks accounts in the order that all transactions use, or none if one of them is missing. */
const LOCK_ACCOUNTS = `
  select a.space_id, a.user_id, a.balance::float8 as balance, a.has_grant
  from usage_account a
  join unnest((select $1::uuid[]), (select $2::uuid[])) as w (space_id, owner_id) using (space_id, owner_id)
  where cardinality($1) = (select count(*) from usage_account
    join unnest((select $1::uuid[]), (select $2::uuid[])) as w (space_id, owner_id) using (space_id, owner_id))
  order by a.space_id, a.user_id nulls first for update of a`;

/**
 * Locks accounts in the order that all transactions use (by space, the space's account before those of its users), and
 * creates missing ones. The gate is acquired before the first row lock.
 */
export async function lockAccounts(
  tx: EntityManager,
  accounts: AccountKey[],
): Promise<(AccountKey & { balance: number; hasGrant: boolean })[]> {
  const keys = distinct(accounts);
  const lock = () =>
    preparedRows<AccountKey & { balance: number; hasGrant: boolean }>(
      tx,
      'lock_accounts',
      LOCK_ACCOUNTS,
      columnsOfKeys(keys),
    );
  const locked = await lock();
  if (locked.length === keys.length) return locked;
  await openAccounts(tx, keys);
  return lock();
}

function distinct(accounts: AccountKey[]): AccountKey[] {
  return [...new Map(accounts.map((account) => [`${account.spaceId} ${account.userId}`, account])).values()];
}

function columnsOfKeys(keys: AccountKey[]): [spaceIds: string[], ownerIds: string[]] {
  return [keys.map(({ spaceId }) => spaceId), keys.map((key) => key.userId ?? key.spaceId)];
}

/**
 * Creates accounts with the sum of their charges. Earlier versions of the service write charges without an account, but
 * acquire the same gate: a new account either includes such a charge or is visible to it.
 */
async function openAccounts(tx: EntityManager, accounts: AccountKey[]): Promise<void> {
  const spaces = [...new Set(accounts.map(({ spaceId }) => spaceId))].sort();
  await rows(
    tx,
    `select pg_advisory_xact_lock(${GATE}, hashtext(space)) from unnest($1::uuid[]::text[]) as space`,
    [spaces],
  );
  await rows(
    tx,
    `insert into usage_account (space_id, user_id, balance)
     select w.space_id, w.user_id, coalesce(case
       when w.user_id is null then
         (select sum(tokens) from usage_entry e where e.space_id = w.space_id and e.kind = 'CHARGE')
       else
         (select sum(tokens) from usage_entry e where e.space_id = w.space_id and e.user_id = w.user_id
            and e.kind = 'CHARGE')
       end, 0)
     from unnest($1::uuid[], $2::uuid[]) as w (space_id, user_id)
     where not exists (select from usage_account a
       where a.space_id = w.space_id and a.owner_id = coalesce(w.user_id, w.space_id))
     order by w.space_id, w.user_id nulls first
     on conflict do nothing`,
    [accounts.map(({ spaceId }) => spaceId), accounts.map(({ userId }) => userId)],
  );
}

/** Returns the accounts that an entry changes: both for a charge, one for a grant. */
function affectedAccounts(entry: NewEntry): AccountKey[] {
  if (entry.kind !== 'CHARGE') return [entry.account];
  const { spaceId, userId } = entry.charge;
  return [
    { spaceId, userId: null },
    { spaceId, userId },
  ];
}

/**
 * Locks the accounts of entries, writes the entries, and updates the balances by those that did not exist; nothing if an
 * account is missing. One statement, because all charges of the space wait from its lock to the commit. An update finds
 * the balance as the lock left it, even if that is newer than the snapshot of the statement.
 */
const POST_ENTRIES = `
  with locked as materialized (${LOCK_ACCOUNTS}),
  posted as (
    insert into usage_entry (id, space_id, user_id, kind, tokens, cost, source, agent_id, turn_id, model,
      prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated, causation_run_id, note,
      created_by)
    select id, "spaceId", "userId", kind, tokens, case when kind = 'CHARGE' then cost else 0 end, source, "agentId", "turnId", model,
      coalesce("promptTokens", 0), coalesce("completionTokens", 0), coalesce("cachedTokens", 0),
      coalesce("reasoningTokens", 0), coalesce(estimated, false), "causationRunId", note, "createdBy"
    from json_to_recordset($3) as e (id uuid, "spaceId" uuid, "userId" uuid, kind text, tokens bigint,
      cost numeric, source text, "agentId" uuid, "turnId" text, model text, "promptTokens" int,
      "completionTokens" int, "cachedTokens" int, "reasoningTokens" int, estimated boolean,
      "causationRunId" uuid, note text, "createdBy" uuid)
    -- Counted, because "exists" would lock only the first.
    where (select count(*) from locked) > 0
    on conflict do nothing
    returning id, space_id, user_id, kind, tokens
  ), part as (
    select space_id, coalesce(user_id, space_id) as owner_id, kind, tokens from posted
    union all
    select space_id, space_id, kind, tokens from posted where kind = 'CHARGE'
  ), total as (
    select space_id, owner_id, sum(tokens)::bigint as tokens, bool_or(kind = 'GRANT') as granted,
      (sum(tokens) filter (where kind = 'GRANT'))::bigint as last_grant
    from part group by space_id, owner_id
  ), changed as (
    update usage_account a set balance = a.balance + t.tokens, has_grant = a.has_grant or t.granted,
      last_grant = case when t.granted and a.user_id is null then t.last_grant else a.last_grant end
    from total t where a.space_id = t.space_id and a.owner_id = t.owner_id
    returning a.space_id, a.balance, a.last_grant,
      a.balance * 10 < a.last_grant and (a.balance - t.tokens) * 10 >= a.last_grant as is_low_now
  )
  select (select count(*) from locked) > 0 as locked, array(select id from posted) as posted,
    (select json_agg(json_build_object('spaceId', space_id, 'balance', balance, 'granted', last_grant))
      from changed where is_low_now) as low`;

/** The balance of a space that has just fallen below a tenth of what was last granted to it. */
export interface LowBalance {
  spaceId: string;
  balance: number;
  granted: number;
}

/**
 * Writes entries and updates the balances by those that did not exist. Returns the ids of the new entries, and the spaces whose
 * balance has become low. It locks the
 * accounts until the commit.
 */
export async function postEntries(
  tx: EntityManager,
  entries: NewEntry[],
): Promise<{ posted: Set<string>; low: LowBalance[] }> {
  const keys = distinct(entries.flatMap(affectedAccounts));
  const values = [...columnsOfKeys(keys), JSON.stringify(entries.map(toRecord))];
  const post = () =>
    firstPreparedRow<{ locked: boolean; posted: string[]; low: LowBalance[] | null }>(
      tx,
      'post_entries',
      POST_ENTRIES,
      values,
    );
  let result = await post();
  if (!result?.locked) {
    await openAccounts(tx, keys);
    result = await post();
  }
  if (!result?.locked) throw new Error('The accounts of an entry were not created');
  return { posted: new Set(result.posted), low: result.low ?? [] };
}

function toRecord(entry: NewEntry): object {
  const { id, kind } = entry;
  if (entry.kind !== 'CHARGE') {
    const { account, tokens, by } = entry;
    return { id, kind, ...account, tokens, source: 'grant', ...by };
  }
  const { charge } = entry;
  return { ...charge, id, kind, tokens: -(charge.promptTokens + charge.completionTokens) };
}

/** Reads the limited ones of the two accounts without a lock, the space's first. */
export async function listLimitedAccounts(sql: Sql, spaceId: string, userId: string): Promise<Account[]> {
  return (await loadAccounts(sql, spaceId, userId)).filter(({ limited }) => limited);
}

/** Reads the account of the space and that of the user, in this order, without a lock. */
export function loadAccounts(sql: Sql, spaceId: string, userId: string): Promise<AccountState[]> {
  return rows(
    sql,
    `select w.user_id, coalesce(a.has_grant, false) as limited,
       coalesce(a.balance, 0)::float8 as balance,
       (select coalesce(sum(tokens), 0) from usage_reservation h
         where h.space_id = $1 and (w.user_id is null or h.user_id = w.user_id))::float8 as reserved
     from (values (null::uuid), ($2::uuid)) as w (user_id)
     left join usage_account a on a.space_id = $1 and a.owner_id = coalesce(w.user_id, $1)
     order by w.user_id nulls first`,
    [spaceId, userId],
  );
}
