import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

export interface ClaimedRevocation {
  id: string;
  spaceId: string;
  providerId: string;
  attempts: number;
}

export const REVOCATIONS_DUE = 'select 1 from connection where revoke_at <= statement_timestamp()';

/** Claims until the next attempt is due, which comes later each time. */
export function claimRevocation(sql: Sql): Promise<ClaimedRevocation | null> {
  return firstRow(
    sql,
    `update connection
     set revoke_attempts = revoke_attempts + 1,
       revoke_at = clock_timestamp() + make_interval(secs => least(21600, 30 * power(2, revoke_attempts)))
     where id = (select id from connection where revoke_at <= statement_timestamp() order by revoke_at
       limit 1 for update skip locked)
     returning id, space_id, provider_id, revoke_attempts as attempts`,
  );
}

export async function endRevocation(sql: Sql, id: string): Promise<void> {
  await rows(
    sql,
    `update connection set revoke_at = null, secret = null, refresh_token = null
     where id = $1 and status = 'REVOKED'`,
    [id],
  );
}
