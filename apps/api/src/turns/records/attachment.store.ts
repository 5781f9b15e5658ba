import { createHash } from 'node:crypto';
import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { isUuid } from '../../infra/requests/ids.ts';

/** Returns an attachment of the session with its bytes, or null. */
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

/** Stores an attachment and returns its id. */
export async function insertAttachment(
  tx: Sql,
  owner: { spaceId: string; sessionRef: string },
  { mime, data }: { mime: string; data: Buffer },
): Promise<string> {
  const { id } = await exactlyOne<{ id: string }>(
    tx,
    `insert into attachment (space_id, session_id, mime, bytes, sha256, data)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    [owner.spaceId, owner.sessionRef, mime, data.length, createHash('sha256').update(data).digest(), data],
  );
  return id;
}

export interface StoredMedium {
  id: string;
  mime: string;
  data: Buffer;
}

/**
 * Returns the attachments of the last message completely, because the message was accepted as it is, and as many of the
 * earlier ones, the latest first, as fit into `maxBytes`.
 */
export async function loadAttachments(
  sql: Sql,
  [last = [], ...earlier]: string[][],
  maxBytes: number,
): Promise<Map<string, StoredMedium>> {
  const older = earlier.flat();
  if (last.length + older.length === 0) return new Map();
  const found = await rows<StoredMedium>(
    sql,
    `select id, mime, data from attachment where id = any($1::uuid[] || array(
       select id from (
         select a.id, sum(a.bytes) over (order by o.place) as total
         from unnest($2::uuid[]) with ordinality as o(id, place) join attachment a on a.id = o.id
       ) sized where total <= $3))`,
    [last, older, maxBytes],
  );
  return new Map(found.map((medium) => [medium.id, medium]));
}

/** Returns the type and size of attachments by their ids. */
export async function describeAttachments(
  sql: Sql,
  ids: string[],
): Promise<Map<string, { mime: string; bytes: number }>> {
  if (ids.length === 0) return new Map();
  const found = await rows<{ id: string; mime: string; bytes: number }>(
    sql,
    'select id, mime, bytes from attachment where id = any($1::uuid[])',
    [ids],
  );
  return new Map(found.map(({ id, mime, bytes }) => [id, { mime, bytes }]));
}
