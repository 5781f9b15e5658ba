import { firstRow, type Sql } from '../infra/database/rows.ts';
import { forbidden, notFound, type AppError } from '../infra/http/app-error.ts';
import { isUuid } from '../infra/http/ids.ts';

/** Where the id of a resource is looked up, and which rows still count as existing. */
const RESOURCES = {
  space: { id: 'id', exists: 'true' },
  membership: { id: 'user_id', exists: 'removed_at is null' },
  invitation: { id: 'id', exists: 'ended_at is null' },
  api_key: { id: 'id', exists: 'revoked_at is null' },
  model: { id: 'id', exists: 'deleted_at is null' },
  agent: { id: 'id', exists: 'deleted_at is null' },
  agent_job: { id: 'id', exists: 'true' },
} as const;

export type ScopedTable = keyof typeof RESOURCES;

/**
 * The error for an id that reading by (space_id, id) did not find: 403 where it exists elsewhere, else 404.
 * `label` begins the sentence, such as `Agent 0198…`.
 */
export async function missingOrForeign(
  sql: Sql,
  table: ScopedTable,
  id: string,
  label: string,
): Promise<AppError> {
  if (!isUuid(id)) return notFound(`${label} does not exist`);
  const { id: column, exists } = RESOURCES[table];
  const elsewhere = await firstRow(sql, `select 1 from ${table} where ${column} = $1 and ${exists} limit 1`, [
    id,
  ]);
  return elsewhere ? forbidden(`You have no access to ${label}`) : notFound(`${label} does not exist`);
}

/** An id that is no UUID exists nowhere: 404 before any query could choke on it. */
export function requireUuid(id: string, label: string): string {
  if (!isUuid(id)) throw notFound(`${label} does not exist`);
  return id;
}
