import type { KeyScope, Role } from '@platform/contracts';
import type { Database } from '../../infra/database/database.ts';
import { firstPreparedRow, firstRow, preparedRows, rows, type Sql } from '../../infra/database/rows.ts';
import type { AccessClaims } from './access-tokens.ts';
import type { UserPrincipal } from '../principals/principal.ts';

/** An API key with everything that decides whether it is valid. */
export interface KeyRow {
  publicId: string;
  id: string;
  secretHash: Buffer;
  spaceId: string;
  userId: string;
  role: Role;
  scopes: KeyScope[];
  isRemoved: boolean;
  isRevoked: boolean;
  isExpired: boolean;
  /** `last_used_at` is more than a minute old. */
  isStale: boolean;
}

/** Every call with an API key reads it. */
export async function findApiKeys(
  database: Database,
  publicIds: readonly string[],
): Promise<(KeyRow | undefined)[]> {
  const keys = await preparedRows<KeyRow>(
    database,
    'auth.api-keys',
    `select k.public_id, k.id, k.secret_hash, k.space_id,
       k.user_id, m.role, k.scopes, m.removed_at is not null as is_removed, k.revoked_at is not null as is_revoked,
       coalesce(k.expires_at <= clock_timestamp(), false) as is_expired,
       coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as is_stale
     from api_key k join membership m using (space_id, user_id)
     where k.public_id = any((select $1::text[])::text[])`,
    [publicIds],
  );
  const byPublicId = new Map(keys.map((key) => [key.publicId, key]));
  return publicIds.map((id) => byPublicId.get(id));
}

/** The sign-in behind an access token. */
export interface SignInRow {
  /** Null if the person is not a member of the space. */
  role: Role | null;
  isRevoked: boolean;
  passwordTemporary: boolean;
}

/** Every call with an access token reads it. */
export function findSignIn(
  database: Database,
  { refreshSessionId, userId, spaceId, joinedAt }: AccessClaims,
): Promise<SignInRow | null> {
  return firstPreparedRow(
    database,
    'auth.sign-in',
    `select m.role, s.revoked_at is not null as is_revoked, u.password_temporary
     from refresh_session s join platform_user u on u.id = s.user_id
     left join membership m on m.space_id = $3 and m.user_id = s.user_id and m.removed_at is null
       and ($4::timestamptz is null or m.created_at = $4)
     where s.id = $1 and s.user_id = $2`,
    [refreshSessionId, userId, spaceId, joinedAt === null ? null : new Date(joinedAt)],
  );
}

export async function updateLastUsed(sql: Sql, keyId: string): Promise<void> {
  await rows(
    sql,
    `update api_key set last_used_at = clock_timestamp()
     where id = $1 and coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)`,
    [keyId],
  );
}

/** Returns the keys of the callers who have lost the right to call. */
export async function listRevokedCallers(
  sql: Sql,
  callers: readonly (readonly [key: string, caller: UserPrincipal])[],
): Promise<string[]> {
  const revoked = await rows<{ key: string }>(
    sql,
    `select c.key from unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[])
       as c(key, credential, space, person, role)
     where not exists (
         select from membership m where m.space_id = c.space and m.user_id = c.person and m.removed_at is null
           and (m.role = 'ADMIN' or c.role <> 'ADMIN')
       ) or not exists (
         select from api_key k where k.id = c.credential and k.revoked_at is null
           and coalesce(k.expires_at > clock_timestamp(), true)
         union all
         select from refresh_session s where s.id = c.credential and s.revoked_at is null
         union all
         select from oauth_grant g where g.id = c.credential and g.revoked_at is null
       )`,
    [
      callers.map(([key]) => key),
      callers.map(([, caller]) => caller.credential.id),
      callers.map(([, caller]) => caller.spaceId),
      callers.map(([, caller]) => caller.userId),
      callers.map(([, caller]) => caller.role),
    ],
  );
  return revoked.map(({ key }) => key);
}

/** Whether a time is in the past by the clock of the database. */
export async function isPast(sql: Sql, time: Date): Promise<boolean> {
  return (await firstRow(sql, 'select 1 where $1::timestamptz <= clock_timestamp()', [time])) !== null;
}
