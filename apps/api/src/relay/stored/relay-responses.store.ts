import { firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** A response belongs to the key that created it, in one space. */
export interface ResponseOwner {
  spaceId: string;
  ownerId: string;
}

/** A server that gives two responses one id has replaced the first. */
export async function insertResponse(
  sql: Sql,
  { spaceId, ownerId }: ResponseOwner,
  id: string,
  model: string,
): Promise<void> {
  await rows(
    sql,
    `insert into relay_response (space_id, owner_id, id, model) values ($1, $2, $3, $4)
     on conflict (space_id, owner_id, id) do update set model = excluded.model, created_at = excluded.created_at`,
    [spaceId, ownerId, id, model],
  );
}

/** Returns the name of the model whose server stores the response, or null. */
export async function findModelOf(
  sql: Sql,
  { spaceId, ownerId }: ResponseOwner,
  id: string,
): Promise<string | null> {
  const found = await firstRow<{ model: string }>(
    sql,
    'select model from relay_response where space_id = $1 and owner_id = $2 and id = $3',
    [spaceId, ownerId, id],
  );
  return found?.model ?? null;
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
