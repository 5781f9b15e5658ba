import type { ApiKey, PersonalApiKey } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { invalid } from '../infra/http/app-error.ts';
import { keyPrefix } from './identity.service.ts';

export interface ApiKeyRow {
  id: string;
  name: string;
  publicId: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  spaceId: string;
  spaceName: string;
}

/** The keys of a person in one space, or in every space, the newest first. */
export function listKeys(
  sql: Sql,
  { userId, spaceId }: { userId: string; spaceId: string | null },
  after: string | null,
  limit: number,
): Promise<ApiKeyRow[]> {
  return rows<ApiKeyRow>(
    sql,
    `select k.id, k.name, k.public_id as "publicId", k.created_at as "createdAt", k.expires_at as "expiresAt",
       k.last_used_at as "lastUsedAt", s.id as "spaceId", s.name as "spaceName"
     from api_key k join space s on s.id = k.space_id
     where k.user_id = $1 and ($2::uuid is null or k.space_id = $2) and k.revoked_at is null
       and ($3::uuid is null or k.id < $3)
     order by k.id desc limit $4`,
    [userId, spaceId, after, limit],
  );
}

/**
 * Revokes all keys of a person, or those named, with an entry in the audit log of each key's space.
 * Returns how many; a key that was revoked before counts as done, one of somebody else is a VALIDATION_ERROR.
 */
export async function revokePersonalKeys(
  tx: EntityManager,
  userId: string,
  which: string[] | 'all',
  requestId: string,
): Promise<number> {
  const ids = which === 'all' ? null : which;
  if (ids?.length === 0) return 0;
  if (ids) await refuseForeignKeys(tx, userId, ids);
  const revoked = await firstRow<{ count: number }>(
    tx,
    `with revoked as (
       update api_key set revoked_at = clock_timestamp()
       where user_id = $1 and revoked_at is null and ($2::uuid[] is null or id = any($2))
       returning id, space_id, name, public_id
     ), noted as (
       insert into audit_entry (space_id, actor_user_id, action, target_type, target_id, details, request_id)
       select space_id, $1, 'api-key.revoke', 'api-key', id,
         json_build_object('name', name, 'prefix', $4::text || public_id), $3
       from revoked
     )
     select count(*)::int as count from revoked`,
    [userId, ids, requestId, keyPrefix('')],
  );
  return revoked?.count ?? 0;
}

async function refuseForeignKeys(tx: EntityManager, userId: string, ids: string[]): Promise<void> {
  const own = await rows<{ id: string }>(
    tx,
    'select id from api_key where id = any($1::uuid[]) and user_id = $2',
    [ids, userId],
  );
  const known = new Set(own.map(({ id }) => id));
  const foreign = ids.findIndex((id) => !known.has(id.toLowerCase()));
  if (foreign >= 0) throw invalid(`revokeApiKeys[${foreign}] must be the id of one of your API keys`);
}

export function toApiKey({ id, name, publicId, createdAt, expiresAt, lastUsedAt }: ApiKeyRow): ApiKey {
  return {
    id,
    name,
    prefix: keyPrefix(publicId),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

export function toPersonalKey(row: ApiKeyRow): PersonalApiKey {
  return { ...toApiKey(row), space: { id: row.spaceId, name: row.spaceName } };
}
