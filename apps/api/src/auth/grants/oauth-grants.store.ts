import type { OAuthScope, Role } from '@platform/contracts';
import type { Database } from '../../infra/database/database.ts';
import { affected, preparedRows, rows, type Sql } from '../../infra/database/rows.ts';

/** A grant with everything that decides whether its access tokens are valid. */
export interface GrantRow {
  id: string;
  spaceId: string;
  userId: string;
  scopes: OAuthScope[];
  role: Role;
  isRemoved: boolean;
  isEnded: boolean;
  /** `last_used_at` is more than a minute old. */
  isStale: boolean;
}

/** Every call with an access token of a client reads it. */
export async function findGrants(
  database: Database,
  ids: readonly string[],
): Promise<(GrantRow | undefined)[]> {
  const grants = await preparedRows<GrantRow>(
    database,
    'auth.oauth-grants',
    `select g.id, g.space_id, g.user_id, g.scopes, m.role, m.removed_at is not null as is_removed,
       g.revoked_at is not null or g.exchanged_at is null or g.expires_at <= clock_timestamp() as is_ended,
       coalesce(g.last_used_at < clock_timestamp() - interval '1 minute', true) as is_stale
     from oauth_grant g join membership m using (space_id, user_id)
     where g.id = any((select $1::uuid[])::uuid[])`,
    [ids],
  );
  const byId = new Map(grants.map((grant) => [grant.id, grant]));
  return ids.map((id) => byId.get(id));
}

export async function updateGrantUse(sql: Sql, id: string): Promise<void> {
  await rows(
    sql,
    `update oauth_grant set last_used_at = clock_timestamp()
     where id = $1 and coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)`,
    [id],
  );
}

/** The clients that act for a person in a space, by their names, once for each grant. */
export async function listClientNames(
  sql: Sql,
  spaceId: string,
  userId: string,
  limit: number,
): Promise<string[]> {
  const found = await rows<{ name: string }>(
    sql,
    `select c.name from oauth_grant g join oauth_client c on c.id = g.client_id
     where g.space_id = $1 and g.user_id = $2 and g.revoked_at is null and g.exchanged_at is not null
       and g.expires_at > clock_timestamp()
     order by g.id desc limit $3`,
    [spaceId, userId, limit],
  );
  return found.map(({ name }) => name);
}

/** Ends all grants of a person in a space. They stay ended even if the person comes back. */
export async function revokeGrantsOf(sql: Sql, spaceId: string, userId: string): Promise<void> {
  await rows(
    sql,
    `update oauth_grant set revoked_at = clock_timestamp()
     where space_id = $1 and user_id = $2 and revoked_at is null`,
    [spaceId, userId],
  );
}

/** Deletes at most `limit` grants that ended more than 30 days ago. */
export function purgeEndedGrants(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from oauth_grant where id = any(array(
       select id from oauth_grant
       where least(expires_at, revoked_at) < statement_timestamp() - interval '30 days' limit $1))`,
    [limit],
  );
}

/**
 * Deletes at most `limit` clients that nobody has allowed anything: those that were read more than a day ago, and all but the
 * latest 20,000, so that a flood of registrations takes little space.
 */
export function purgeUnusedClients(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from oauth_client where id = any(array(
       select c.id from oauth_client c
       where c.read_at < greatest(statement_timestamp() - interval '1 day',
           (select l.read_at from oauth_client l order by l.read_at desc offset 20000 limit 1))
         and not exists (select from oauth_grant g where g.client_id = c.id) limit $1))`,
    [limit],
  );
}
