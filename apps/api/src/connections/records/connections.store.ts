import { IsNull, LessThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { affected, exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { ConnectionProviderEntity } from './connection-provider.entity.ts';
import { ConnectionEntity } from './connection.entity.ts';

export async function newId(tx: Sql): Promise<string> {
  const { id } = await exactlyOne<{ id: string }>(tx, 'select uuid_v7() as id');
  return id;
}

/** Providers of a space with ids below `before`, newest first. */
export function listProviders(
  tx: EntityManager,
  spaceId: string,
  before: string | null,
  limit: number,
): Promise<ConnectionProviderEntity[]> {
  return tx.find(ConnectionProviderEntity, {
    where: { spaceId, deletedAt: IsNull(), ...(before !== null && { id: LessThan(before) }) },
    order: { id: 'DESC' },
    take: limit,
  });
}

/** Throws NOT_FOUND, or FORBIDDEN for a provider of another space. */
export async function getProvider(
  tx: EntityManager,
  spaceId: string,
  id: string,
  { lock = null }: { lock?: 'read' | 'write' | null } = {},
): Promise<ConnectionProviderEntity> {
  const label = `Provider ${id}`;
  const provider = await tx.findOne(ConnectionProviderEntity, {
    where: { spaceId, id: requireUuid(id, label), deletedAt: IsNull() },
    ...(lock !== null && { lock: { mode: lock === 'write' ? 'pessimistic_write' : 'pessimistic_read' } }),
  });
  if (provider === null)
    throw await missingOrForeign(tx, ConnectionProviderEntity, { id, deletedAt: IsNull() }, label);
  return provider;
}

/** The connections that a person sees: their own and those of the space, newest first. */
export function listConnections(
  tx: EntityManager,
  { spaceId, userId }: { spaceId: string; userId: string },
  before: string | null,
  limit: number,
): Promise<ConnectionEntity[]> {
  const seen = { spaceId, status: Not('REVOKED' as const), ...(before !== null && { id: LessThan(before) }) };
  return tx.find(ConnectionEntity, {
    where: [
      { ...seen, ownerUserId: userId },
      { ...seen, ownerUserId: IsNull() },
    ],
    order: { id: 'DESC' },
    take: limit,
  });
}

/** Throws NOT_FOUND, also for what belongs to another person, and FORBIDDEN for what belongs to another space. */
export async function getConnection(
  tx: EntityManager,
  { spaceId, userId }: { spaceId: string; userId: string },
  id: string,
  { lock = false } = {},
): Promise<ConnectionEntity> {
  const label = `Connection ${id}`;
  const known = { id: requireUuid(id, label), spaceId, status: Not('REVOKED' as const) };
  const connection = await tx.findOne(ConnectionEntity, {
    where: [
      { ...known, ownerUserId: userId },
      { ...known, ownerUserId: IsNull() },
    ],
    ...(lock && { lock: { mode: 'pessimistic_write' as const } }),
  });
  if (connection === null)
    throw await missingOrForeign(tx, ConnectionEntity, { id, spaceId: Not(spaceId) }, label);
  return connection;
}

/** The names of what `revokeAllOf` would revoke. */
export async function listNamesOf(
  sql: Sql,
  { spaceId, userId }: { spaceId: string; userId: string },
  limit: number,
): Promise<string[]> {
  const found = await rows<{ name: string }>(
    sql,
    `select name from connection where space_id = $1 and owner_user_id = $2 and status <> 'REVOKED'
     order by id desc limit $3`,
    [spaceId, userId, limit],
  );
  return found.map(({ name }) => name);
}

export function findOwn(
  tx: EntityManager,
  providerId: string,
  ownerUserId: string,
): Promise<ConnectionEntity | null> {
  return tx.findOne(ConnectionEntity, {
    where: { providerId, ownerUserId, status: Not('REVOKED') },
    lock: { mode: 'pessimistic_write' },
  });
}

export async function countOfSpace(sql: Sql, spaceId: string): Promise<number> {
  const { count } = await exactlyOne<{ count: number }>(
    sql,
    `select count(*)::int as count from connection
     where space_id = $1 and owner_user_id is null and status <> 'REVOKED'`,
    [spaceId],
  );
  return count;
}

/**
 * Everything that a token was for may have changed: its owners must connect again, and what was to be revoked must not be sent to another
 * server. Returns how many connections have ended.
 */
export async function endConnections(sql: Sql, providerId: string): Promise<number> {
  await rows(
    sql,
    `update connection set revoke_at = null, secret = null, refresh_token = null
     where provider_id = $1 and status = 'REVOKED' and revoke_at is not null`,
    [providerId],
  );
  const ended = await rows(
    sql,
    `update connection set status = 'EXPIRED', reason = 'PROVIDER_CHANGED', secret = null, refresh_token = null,
       expires_at = null, renew_at = null, lease_until = null, fencing_token = fencing_token + 1,
       generation = generation + 1, updated_at = clock_timestamp()
     where provider_id = $1 and status <> 'REVOKED' and kind in ('oauth2-code', 'oauth2-client') returning id`,
    [providerId],
  );
  return ended.length;
}

/**
 * Nobody can use a revoked connection any more. Its tokens are kept until they are revoked at the provider as well, if it
 * offers that.
 */
const REVOKE = `
  update connection c set status = 'REVOKED', updated_at = clock_timestamp(), lease_until = null,
    fencing_token = c.fencing_token + 1, generation = c.generation + 1, revoke_attempts = 0,
    revoke_at = case when p.oauth ->> 'revocationEndpoint' is null or coalesce(c.refresh_token, c.secret) is null
      then null else clock_timestamp() end,
    secret = case when p.oauth ->> 'revocationEndpoint' is null then null else c.secret end,
    refresh_token = case when p.oauth ->> 'revocationEndpoint' is null then null else c.refresh_token end
  from connection_provider p where p.id = c.provider_id and c.status <> 'REVOKED'`;

export interface RevokedConnection {
  id: string;
  name: string;
  providerId: string;
}

const REVOKED = 'returning c.id, c.name, c.provider_id';

export function revokeConnection(sql: Sql, id: string): Promise<RevokedConnection | null> {
  return firstRow(sql, `${REVOKE} and c.id = $1 ${REVOKED}`, [id]);
}

export function revokeAllOf(
  sql: Sql,
  of: { providerId: string } | { spaceId: string; userId: string },
): Promise<RevokedConnection[]> {
  return 'providerId' in of
    ? rows(sql, `${REVOKE} and c.provider_id = $1 ${REVOKED}`, [of.providerId])
    : rows(sql, `${REVOKE} and c.space_id = $1 and c.owner_user_id = $2 ${REVOKED}`, [of.spaceId, of.userId]);
}

/** Returns whether it is the first time that the tool uses the connection. */
export async function insertUse(sql: Sql, connectionId: string, toolId: string): Promise<boolean> {
  const inserted = await rows(
    sql,
    `insert into connection_use (connection_id, tool_id) values ($1, $2) on conflict do nothing returning tool_id`,
    [connectionId, toolId],
  );
  return inserted.length > 0;
}

export function purgeRevoked(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from connection where id = any(array(
       select id from connection
       where status = 'REVOKED' and updated_at < statement_timestamp() - interval '30 days' order by updated_at limit $1))`,
    [limit],
  );
}
