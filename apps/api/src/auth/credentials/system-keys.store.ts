import type { Database } from '../../infra/database/database.ts';
import { preparedRows, rows, type Sql } from '../../infra/database/rows.ts';

/** A system key with everything that decides whether it is valid. */
export interface SystemKeyRow {
  publicId: string;
  id: string;
  secretHash: Buffer;
  applicationId: string;
  identifier: string;
  spaceId: string;
  isInstalled: boolean;
  isRevoked: boolean;
  /** `last_used_at` is more than a minute old. */
  isStale: boolean;
}

/**
 * Whether the API key that made a system key `k` has ended, or its owner is no longer a member: then the system key has
 * ended as well.
 */
const OUTLIVES_ITS_MAKER = `exists (
  select from api_key maker join membership m using (space_id, user_id)
  where maker.id = k.api_key_id and (m.removed_at is not null or maker.revoked_at is not null
    or maker.expires_at <= clock_timestamp()))`;

/** Whether a system key `k` can be used. */
export const IS_VALID_SYSTEM_KEY = `(k.revoked_at is null and not ${OUTLIVES_ITS_MAKER})`;

/** Every call with a system key reads it. */
export async function findSystemKeys(
  database: Database,
  publicIds: readonly string[],
): Promise<(SystemKeyRow | undefined)[]> {
  const keys = await preparedRows<SystemKeyRow>(
    database,
    'auth.system-keys',
    `select k.public_id, k.id, k.secret_hash, a.id as application_id, a.identifier,
       a.space_id, a.uninstalled_at is null as is_installed, not ${IS_VALID_SYSTEM_KEY} as is_revoked,
       coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as is_stale
     from system_key k join application a on a.id = k.application_id
     where k.public_id = any((select $1::text[])::text[])`,
    [publicIds],
  );
  const byPublicId = new Map(keys.map((key) => [key.publicId, key]));
  return publicIds.map((id) => byPublicId.get(id));
}

export async function updateSystemKeyLastUsed(sql: Sql, keyId: string): Promise<void> {
  await rows(
    sql,
    `update system_key set last_used_at = clock_timestamp()
     where id = $1 and coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)`,
    [keyId],
  );
}
