import type { OAuthScope, Role } from '@platform/contracts';
import { IsNull, LessThan, Not, type EntityManager } from 'typeorm';
import { updateRows } from '../../infra/database/entity-rows.ts';
import { exactlyOne, firstRow, rows } from '../../infra/database/rows.ts';
import { OAuthGrantEntity } from '../grants/oauth-grant.entity.ts';

export interface NewGrant {
  id: string;
  spaceId: string;
  userId: string;
  clientId: string;
  scopes: OAuthScope[];
  redirectUri: string;
  codeChallenge: string;
  codeHash: Buffer;
}

/** Stores a grant whose code is valid for two minutes. Returns false if the request has become one before. */
export async function insertGrant(tx: EntityManager, grant: NewGrant): Promise<boolean> {
  const inserted = await firstRow(
    tx,
    `insert into oauth_grant
       (id, space_id, user_id, client_id, scopes, redirect_uri, code_challenge, code_hash, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + interval '2 minutes')
     on conflict (id) do nothing returning id`,
    [
      grant.id,
      grant.spaceId,
      grant.userId,
      grant.clientId,
      grant.scopes,
      grant.redirectUri,
      grant.codeChallenge,
      grant.codeHash,
    ],
  );
  return inserted !== null;
}

/** Counts the grants of a person that have not ended. */
export async function countGrants(tx: EntityManager, spaceId: string, userId: string): Promise<number> {
  const { count } = await exactlyOne<{ count: number }>(
    tx,
    `select count(*)::int as count from oauth_grant
     where space_id = $1 and user_id = $2 and revoked_at is null and expires_at > clock_timestamp()`,
    [spaceId, userId],
  );
  return count;
}

/** A grant with what decides about its next token. */
export interface LockedGrant {
  id: string;
  spaceId: string;
  userId: string;
  clientId: string;
  clientName: string;
  role: Role;
  scopes: OAuthScope[];
  redirectUri: string;
  codeChallenge: string;
  codeHash: Buffer;
  tokenHash: Buffer | null;
  previousHash: Buffer | null;
  isExchanged: boolean;
  /** Revoked, expired, or of a person who has left the space. */
  isEnded: boolean;
  isInGrace: boolean;
}

/** Locks a grant, so that its code and its refresh token are used one after another. */
export function lockGrant(tx: EntityManager, id: string): Promise<LockedGrant | null> {
  return firstRow<LockedGrant>(
    tx,
    `select g.id, g.space_id, g.user_id, g.client_id, c.name as client_name, m.role, g.scopes, g.redirect_uri,
       g.code_challenge, g.code_hash, g.token_hash, g.previous_hash, g.exchanged_at is not null as is_exchanged,
       g.revoked_at is not null or g.expires_at <= clock_timestamp() or m.removed_at is not null as is_ended,
       coalesce(g.previous_valid_until > clock_timestamp(), false) as is_in_grace
     from oauth_grant g join oauth_client c on c.id = g.client_id join membership m using (space_id, user_id)
     where g.id = $1 for update of g`,
    [id],
  );
}

/** Gives a locked grant its first refresh token. */
export async function storeFirstToken(tx: EntityManager, id: string, tokenHash: Buffer): Promise<void> {
  await rows(
    tx,
    `update oauth_grant set exchanged_at = clock_timestamp(), token_hash = $2,
       expires_at = clock_timestamp() + interval '30 days' where id = $1`,
    [id, tokenHash],
  );
}

/** Replaces the refresh token of a locked grant. The current one stays valid for another 30 seconds. */
export async function storeNextToken(tx: EntityManager, id: string, tokenHash: Buffer): Promise<void> {
  await rows(
    tx,
    `update oauth_grant set token_hash = $2, previous_hash = token_hash,
       previous_valid_until = clock_timestamp() + interval '30 seconds',
       expires_at = clock_timestamp() + interval '30 days' where id = $1`,
    [id, tokenHash],
  );
}

/** The grants of a space, or of one person there, that have not ended; newest first. */
export function listGrants(
  tx: EntityManager,
  { spaceId, userId }: { spaceId: string; userId: string | null },
  before: string | null,
  limit: number,
): Promise<OAuthGrantEntity[]> {
  const query = tx
    .createQueryBuilder(OAuthGrantEntity, 'grant')
    .innerJoinAndSelect('grant.client', 'client')
    .innerJoin('grant.user', 'user')
    .addSelect(['user.id', 'user.email', 'user.name'])
    .where({ spaceId, revokedAt: IsNull(), exchangedAt: Not(IsNull()) })
    .andWhere('grant.expires_at > clock_timestamp()')
    .orderBy('grant.id', 'DESC')
    .limit(limit);
  if (userId !== null) query.andWhere({ userId });
  if (before !== null) query.andWhere({ id: LessThan(before) });
  return query.getMany();
}

/** Returns the grant if it has just ended, and had not before. */
export async function revokeGrant(
  tx: EntityManager,
  where: { id: string; spaceId?: string; userId?: string },
): Promise<OAuthGrantEntity | null> {
  const [revoked] = await updateRows(
    tx,
    OAuthGrantEntity,
    { ...where, revokedAt: IsNull() },
    { revokedAt: () => 'clock_timestamp()' },
  );
  return revoked ?? null;
}
