import type { DataSource, EntityManager } from 'typeorm';
import { preparedRows, rows, type Sql } from '../infra/database/rows.ts';
import type { Account, Charge } from './charge.ts';

/** First half of the advisory locks of this module; the second half is made of the space's id. */
const GATE = 720_006;

/** Whose account; a null user: the space's own. */
export interface AccountKey {
  spaceId: string;
  userId: string | null;
}

export interface AccountState extends Account {
  limited: boolean;
}

/** A line of the ledger that is about to be written. Its id was chosen before the transaction: it is written once. */
export type NewEntry =
  | { id: string; kind: 'CHARGE'; charge: Charge }
  | { id: string; kind: 'GRANT' | 'OPENING'; account: AccountKey; tokens: number; by: Grantor };

export interface Grantor {
  createdBy: string;
  note: string | null;
}

/** Locks those of the two accounts that have a limit: the space's first, so that nobody waits in a circle. */
export function lockLimitedAccounts(
  tx: EntityManager,
  spaceId: string,
  userId: string,
): Promise<Pick<Account, 'userId' | 'balance'>[]> {
  return rows(
    tx,
    `select user_id as "userId", balance::float8 as balance from usage_account
     where space_id = $1 and owner_id = any(array[$1, $2]::uuid[]) and has_grant
     order by user_id nulls first for update`,
    [spaceId, userId],
  );
}

/** For each person whether the space's account or the own has a limit. */
export async function loadLimits(
  database: DataSource,
  people: { spaceId: string; userId: string }[],
): Promise<boolean[]> {
  const found = await preparedRows<{ limited: boolean }>(
    database,
    'usage.limits',
    `select exists (
       select from usage_account a
       where a.space_id = person.space_id and a.owner_id in (person.space_id, person.user_id) and a.has_grant
     ) as limited
     from unnest($1::uuid[], $2::uuid[]) with ordinality as person (space_id, user_id, n) order by n`,
    [people.map(({ spaceId }) => spaceId), people.map(({ userId }) => userId)],
  );
  return found.map(({ limited }) => limited);
}

/**
 * Locks accounts in the one order of all transactions, by space, the space's own before those of its users, and opens
 * those that nobody was charged to before. Waiting for the gate comes before the first lock of a row.
 */
export async function lockAccounts(
  tx: EntityManager,
  accounts: AccountKey[],
): Promise<(AccountKey & { balance: number; hasGrant: boolean })[]> {
  const keys = [
    ...new Map(accounts.map((account) => [`${account.spaceId} ${account.userId}`, account])).values(),
  ];
  const parameters = [keys.map(({ spaceId }) => spaceId), keys.map((key) => key.userId ?? key.spaceId)];
  const lock = () =>
    rows<AccountKey & { balance: number; hasGrant: boolean }>(
      tx,
      `select a.space_id as "spaceId", a.user_id as "userId", a.balance::float8 as balance,
         a.has_grant as "hasGrant"
       from usage_account a
       join unnest($1::uuid[], $2::uuid[]) as w (space_id, owner_id) using (space_id, owner_id)
       where cardinality($1) = (select count(*) from usage_account
         join unnest($1::uuid[], $2::uuid[]) as w (space_id, owner_id) using (space_id, owner_id))
       order by a.space_id, a.user_id nulls first for update of a`,
      parameters,
    );
  const locked = await lock();
  if (locked.length === keys.length) return locked;
  await openAccounts(tx, keys);
  return lock();
}

/**
 * Begins to keep balances. Older versions of the service write charges without an account, and pass this gate as they
 * do: an account that is opened counts them in its sum or is seen by them.
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

/** The accounts that an entry changes: a charge both, a grant one. */
function affectedAccounts(entry: NewEntry): AccountKey[] {
  if (entry.kind !== 'CHARGE') return [entry.account];
  const { spaceId, userId } = entry.charge;
  return [
    { spaceId, userId: null },
    { spaceId, userId },
  ];
}

/**
 * Writes entries and changes the accounts by those that were not there before; returns their ids. It locks the
 * accounts until the commit.
 */
export async function postEntries(tx: EntityManager, entries: NewEntry[]): Promise<Set<string>> {
  await lockAccounts(tx, entries.flatMap(affectedAccounts));
  const posted = await rows<{ id: string }>(
    tx,
    `with posted as (
       insert into usage_entry (id, space_id, user_id, kind, tokens, cost, source, agent_id, turn_id, model,
         prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, estimated, causation_run_id, note,
         created_by)
       select id, "spaceId", "userId", kind, tokens, coalesce(cost, 0), source, "agentId", "turnId", model,
         coalesce("promptTokens", 0), coalesce("completionTokens", 0), coalesce("cachedTokens", 0),
         coalesce("reasoningTokens", 0), coalesce(estimated, false), "causationRunId", note, "createdBy"
       from json_to_recordset($1) as e (id uuid, "spaceId" uuid, "userId" uuid, kind text, tokens bigint,
         cost numeric, source text, "agentId" uuid, "turnId" text, model text, "promptTokens" int,
         "completionTokens" int, "cachedTokens" int, "reasoningTokens" int, estimated boolean,
         "causationRunId" uuid, note text, "createdBy" uuid)
       on conflict do nothing
       returning id, space_id, user_id, kind, tokens
     ), part as (
       select space_id, coalesce(user_id, space_id) as owner_id, kind, tokens from posted
       union all
       select space_id, space_id, kind, tokens from posted where kind = 'CHARGE'
     ), total as (
       select space_id, owner_id, sum(tokens)::bigint as tokens, bool_or(kind = 'GRANT') as granted
       from part group by space_id, owner_id
     ), changed as (
       update usage_account a set balance = a.balance + t.tokens, has_grant = a.has_grant or t.granted
       from total t where a.space_id = t.space_id and a.owner_id = t.owner_id
     )
     select id from posted`,
    [JSON.stringify(entries.map(toRecord))],
  );
  return new Set(posted.map(({ id }) => id));
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

/** Those of the two accounts that have a limit as they stand, without a lock; the space's first. */
export async function listLimitedAccounts(sql: Sql, spaceId: string, userId: string): Promise<Account[]> {
  return (await loadAccounts(sql, spaceId, userId)).filter(({ limited }) => limited);
}

/** The space's account and the user's as they stand, without a lock; the space's first. */
export function loadAccounts(sql: Sql, spaceId: string, userId: string): Promise<AccountState[]> {
  return rows(
    sql,
    `select w.user_id as "userId", coalesce(a.has_grant, false) as limited,
       coalesce(a.balance, 0)::float8 as balance,
       (select coalesce(sum(tokens), 0) from usage_reservation h
         where h.space_id = $1 and (w.user_id is null or h.user_id = w.user_id))::float8 as reserved
     from (values (null::uuid), ($2::uuid)) as w (user_id)
     left join usage_account a on a.space_id = $1 and a.owner_id = coalesce(w.user_id, $1)
     order by w.user_id nulls first`,
    [spaceId, userId],
  );
}
