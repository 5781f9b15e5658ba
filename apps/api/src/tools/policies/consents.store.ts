import { affected, firstRow, rows, type Sql } from '../../infra/database/rows.ts';

export interface Consent {
  placeId: string;
  methodId: string;
  methodVersion: string;
}

export async function hasConsent(sql: Sql, { placeId, methodId, methodVersion }: Consent): Promise<boolean> {
  const row = await firstRow(
    sql,
    `select from tool_consent where place_id = $1 and method_id = $2 and method_version = $3
       and expires_at > clock_timestamp()`,
    [placeId, methodId, methodVersion],
  );
  return row !== null;
}

/** Stores that a person approves all calls of a method in a place, for 30 days. */
export async function saveConsent(
  sql: Sql,
  { placeId, methodId, methodVersion }: Consent,
  { spaceId, approvedBy }: { spaceId: string; approvedBy: string },
): Promise<void> {
  await rows(
    sql,
    `insert into tool_consent (place_id, method_id, space_id, method_version, approved_by, expires_at)
     values ($1, $2, $3, $4, $5, clock_timestamp() + interval '30 days')
     on conflict (place_id, method_id) do update set method_version = excluded.method_version,
       approved_by = excluded.approved_by, expires_at = excluded.expires_at`,
    [placeId, methodId, spaceId, methodVersion, approvedBy],
  );
}

export function purgeConsents(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from tool_consent where (place_id, method_id) in (
       select place_id, method_id from tool_consent where expires_at < statement_timestamp() order by expires_at limit $1)`,
    [limit],
  );
}
