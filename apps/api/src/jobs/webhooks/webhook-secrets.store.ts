import { affected, type Sql } from '../../infra/database/rows.ts';

/** Deletes at most `limit` secrets that expired more than a day ago. Returns how many. */
export function purgeSecrets(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from webhook_secret where id = any(array(
       select id from webhook_secret where expires_at < statement_timestamp() - interval '1 day' limit $1))`,
    [limit],
  );
}
