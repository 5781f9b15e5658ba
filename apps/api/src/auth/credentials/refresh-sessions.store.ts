import type { EntityManager } from 'typeorm';
import { affected, exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { RefreshSessionEntity } from './refresh-session.entity.ts';

export async function newSessionId(tx: EntityManager): Promise<string> {
  const { id } = await exactlyOne<{ id: string }>(tx, 'select uuid_v7() as id');
  return id;
}

export async function insertSession(
  tx: EntityManager,
  session: Pick<RefreshSessionEntity, 'id' | 'userId' | 'spaceId' | 'tokenHash'>,
): Promise<void> {
  await tx.insert(RefreshSessionEntity, session);
}

/** Returns the space that a person used last. */
export async function findLastSpace(tx: EntityManager, userId: string): Promise<string | null> {
  const session = await tx.findOne(RefreshSessionEntity, {
    where: { userId },
    order: { refreshedAt: 'DESC' },
  });
  return session?.spaceId ?? null;
}

/** Ends the session of a token, current or previous. */
export async function revokeByToken(sql: Sql, id: string, tokenHash: Buffer): Promise<void> {
  await rows(
    sql,
    `update refresh_session set revoked_at = clock_timestamp()
     where id = $1 and $2 in (token_hash, previous_hash) and revoked_at is null`,
    [id, tokenHash],
  );
}

/** Ends all sessions of a user, or all but one. */
export async function revokeSessionsOf(
  tx: EntityManager,
  userId: string,
  exceptId: string | null,
): Promise<void> {
  await rows(
    tx,
    `update refresh_session set revoked_at = clock_timestamp()
     where user_id = $1 and id is distinct from $2::uuid and revoked_at is null`,
    [userId, exceptId],
  );
}

/** Continues a session in another space of its user. */
export async function moveSession(tx: EntityManager, id: string, spaceId: string): Promise<void> {
  await tx.update(RefreshSessionEntity, { id }, { spaceId });
}

type Holder = Pick<RefreshSessionEntity, 'userId' | 'spaceId'>;

/** Replaces a current token with its successor; returns null if it is not the current one. */
export function rotateToken(
  tx: EntityManager,
  id: string,
  presented: Buffer,
  successor: Buffer,
): Promise<Holder | null> {
  return firstRow<Holder>(
    tx,
    `update refresh_session
     set token_hash = $3, previous_hash = $2, previous_valid_until = clock_timestamp() + interval '30 seconds',
       refreshed_at = clock_timestamp(), expires_at = clock_timestamp() + interval '30 days'
     where id = $1 and token_hash = $2 and revoked_at is null and expires_at > clock_timestamp()
     returning user_id, space_id`,
    [id, presented, successor],
  );
}

/** Returns the holder of the previous token while it is still valid. */
export function findInGrace(tx: EntityManager, id: string, presented: Buffer): Promise<Holder | null> {
  return firstRow<Holder>(
    tx,
    `select user_id, space_id from refresh_session
     where id = $1 and previous_hash = $2 and previous_valid_until > clock_timestamp() and revoked_at is null`,
    [id, presented],
  );
}

export async function revokeSession(tx: EntityManager, id: string): Promise<void> {
  await rows(
    tx,
    'update refresh_session set revoked_at = clock_timestamp() where id = $1 and revoked_at is null',
    [id],
  );
}

/** Deletes at most `limit` sessions that ended more than 30 days ago. */
export function purgeEndedSessions(sql: Sql, limit: number): Promise<number> {
  return affected(
    sql,
    `delete from refresh_session where id = any(array(
       select id from refresh_session
       where least(expires_at, revoked_at) < statement_timestamp() - interval '30 days' limit $1))`,
    [limit],
  );
}
