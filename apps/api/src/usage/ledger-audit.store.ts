import { rows, type Sql } from '../infra/database/rows.ts';

/** An account with inconsistent figures. */
export interface Discrepancy {
  spaceId: string;
  /** Null for the account of the space. */
  userId: string | null;
  /** Null if the account has entries but no row. */
  balance: number | null;
  entries: number;
  hasGrant: boolean;
  grants: number;
  held: number;
}

/**
 * Sums all entries and returns the accounts whose balance is not that sum, whose `has_grant` is wrong, or whose
 * reservations are negative. A single statement, so that it sees one snapshot even under load.
 */
export function auditLedger(sql: Sql): Promise<Discrepancy[]> {
  return rows(
    sql,
    `with entry as (
       select space_id, user_id, tokens, kind from usage_entry
       union all
       select space_id, null, tokens, kind from usage_entry where kind = 'CHARGE'
     ), total as (
       select space_id, user_id, sum(tokens) as entries, count(*) filter (where kind = 'GRANT') as grants
       from entry group by space_id, user_id
     ), held as (
       select space_id, user_id, sum(tokens) as held from usage_reservation
       group by grouping sets ((space_id, user_id), (space_id))
     ), account as (
       select space_id, user_id from usage_account
       union select space_id, user_id from total
       union select space_id, user_id from held
     )
     select k.space_id, k.user_id, a.balance::float8 as balance,
       coalesce(t.entries, 0)::float8 as entries, coalesce(a.has_grant, false) as has_grant,
       coalesce(t.grants, 0)::int as grants, coalesce(h.held, 0)::float8 as held
     from account k
     left join usage_account a on a.space_id = k.space_id and a.user_id is not distinct from k.user_id
     left join total t on t.space_id = k.space_id and t.user_id is not distinct from k.user_id
     left join held h on h.space_id = k.space_id and h.user_id is not distinct from k.user_id
     where coalesce(a.balance, 0) <> coalesce(t.entries, 0) or (a.balance is null and t.entries is not null)
       or coalesce(a.has_grant, false) <> (coalesce(t.grants, 0) > 0)
       or h.held < 0`,
  );
}
