import { firstRow, type Sql } from '../../infra/database/rows.ts';
import { isUuid } from '../../infra/http/ids.ts';

/** What was sent in a session, with its bytes; null where the session has none of that id. */
export async function findAttachment(
  sql: Sql,
  sessionRef: string,
  id: string,
): Promise<{ mime: string; data: Buffer } | null> {
  if (!isUuid(id)) return null;
  return firstRow(sql, 'select mime, data from attachment where session_id = $1 and id = $2', [
    sessionRef,
    id,
  ]);
}
