import { rows, type Sql } from '../../infra/database/rows.ts';

/** Deletes at most `limit` secrets that expired more than a day ago. Returns how many. */
export async function purgeSecrets(sql: Sql, limit: number): Promise<number> {
  const purged = await rows(
    sql,
    `delete from webhook_secret where id = any(array(
       select id from webhook_secret where expires_at < statement_timestamp() - interval '1 day' limit $1))
     returning id`,
    [limit],
  );
  return purged.length;
}
