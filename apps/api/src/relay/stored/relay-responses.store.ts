import { affected, rows, type Sql } from '../../infra/database/rows.ts';

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

/** Inserts different ids, of a response or of its items. A server that gives two responses one id has replaced the first. */
export async function insertIds(
  sql: Sql,
  { spaceId, ownerId }: ResponseOwner,
  ids: string[],
  { model, server }: ResponsePlace,
): Promise<void> {
  await rows(
    sql,
    `insert into relay_response (space_id, owner_id, id, model, server)
     select $1::uuid, $2::uuid, unnest($3::text[]), $4::text, $5::text
     on conflict (space_id, owner_id, id) do update
       set model = excluded.model, server = excluded.server, created_at = excluded.created_at`,
    [spaceId, ownerId, ids, model, server],
  );
}

/** Returns where the responses and items are stored. */
export async function findPlaces(
  sql: Sql,
  { spaceId, ownerId }: ResponseOwner,
  ids: string[],
): Promise<Map<string, ResponsePlace>> {
  const found = await rows<ResponsePlace & { id: string }>(
    sql,
    `select id, model, server from relay_response
     where space_id = $1 and owner_id = $2 and id = any($3::text[])`,
    [spaceId, ownerId, ids],
  );
  return new Map(found.map(({ id, ...place }) => [id, place]));
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
export function purgeResponses(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from relay_response where ctid = any(array(
       select ctid from relay_response where created_at < statement_timestamp() - interval '31 days' limit $1))`,
    [limit],
  );
}
