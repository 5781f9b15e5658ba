import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** A response belongs to the key that created it, in one space. */
export interface ResponseOwner {
  spaceId: string;
  ownerId: string;
}

/** Where a response is stored. */
export interface ResponsePlace {
  /** The name of the model. */
  model: string;
  /** The id of its server; null if the previous version wrote it. */
  server: string | null;
}

/** A server that gives two responses one id has replaced the first. */
export async function insertResponse(
  sql: Sql,
  { spaceId, ownerId }: ResponseOwner,
  id: string,
  { model, server }: ResponsePlace,
): Promise<void> {
  await rows(
    sql,
    `insert into relay_response (space_id, owner_id, id, model, server) values ($1, $2, $3, $4, $5)
     on conflict (space_id, owner_id, id) do update
       set model = excluded.model, server = excluded.server, created_at = excluded.created_at`,
    [spaceId, ownerId, id, model, server],
  );
}

/** Returns where the response is stored, or null. */
export async function findResponse(
  sql: Sql,
  { spaceId, ownerId }: ResponseOwner,
  id: string,
): Promise<ResponsePlace | null> {
  return firstRow<ResponsePlace>(
    sql,
    'select model, server from relay_response where space_id = $1 and owner_id = $2 and id = $3',
    [spaceId, ownerId, id],
  );
}

export async function deleteResponse(
  sql: Sql,
  { spaceId, ownerId }: ResponseOwner,
  id: string,
): Promise<void> {
  await rows(sql, 'delete from relay_response where space_id = $1 and owner_id = $2 and id = $3', [
    spaceId,
    ownerId,
    id,
  ]);
}

/** Removes the oldest. OpenAI stores responses for 30 days. */
export async function purgeResponses(sql: Sql, limit: number): Promise<number> {
  const purged = await rows(
    sql,
    `delete from relay_response where ctid = any(array(
       select ctid from relay_response where created_at < statement_timestamp() - interval '31 days' limit $1))
     returning id`,
    [limit],
  );
  return purged.length;
}
