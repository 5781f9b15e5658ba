import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { hashSecret } from '../infra/crypto/api-tokens.ts';
import { deriveKey } from '../infra/crypto/derive-key.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { isUuid } from '../infra/http/ids.ts';

/** How long a sign-in lasts without being used. */
export const REFRESH_MS = 30 * 24 * 3_600_000;

export interface RefreshSession {
  id: string;
  userId: string;
  spaceId: string;
  /** What the browser keeps: `<id>.<secret>`. */
  token: string;
}

/** Half of a secret is its seed, half a mark that only this service can make. */
const SEED_BYTES = 16;

/**
 * Sign-ins of browsers. Every use of a refresh token replaces it by its successor; the one before is good for
 * 30 s more, for answers that got lost, and an older one is taken for stolen and ends the session. The session id
 * is no secret, so only a secret that was issued for this session counts as an older one.
 */
export class RefreshSessions {
  private readonly key: Buffer;
  private readonly markKey: Buffer;

  constructor(secretKey: Buffer) {
    this.key = deriveKey(secretKey, 'refresh-token');
    this.markKey = deriveKey(secretKey, 'refresh-token-mark');
  }

  async open(tx: EntityManager, userId: string, spaceId: string): Promise<RefreshSession> {
    const made = await firstRow<{ id: string }>(tx, 'select uuid_v7() as id');
    if (!made) throw new Error('PostgreSQL made no id');
    const secret = this.secretOf(made.id, randomBytes(SEED_BYTES));
    await rows(
      tx,
      'insert into refresh_session (id, user_id, space_id, token_hash) values ($1, $2, $3, $4)',
      [made.id, userId, spaceId, hashSecret(secret)],
    );
    return { id: made.id, userId, spaceId, token: `${made.id}.${secret}` };
  }

  /** Exchanges a token for its successor; null where it opens nothing (any more). */
  async rotate(tx: EntityManager, token: string): Promise<RefreshSession | null> {
    const presented = parseToken(token);
    if (!presented) return null;
    const { id, secret } = presented;
    // Follows from the token itself, so that everybody who presents the same one gets the same successor.
    const seed = createHmac('sha256', this.key).update(`${id}.${secret}`).digest().subarray(0, SEED_BYTES);
    const successor = this.secretOf(id, seed);
    const session =
      (await exchange(tx, id, hashSecret(secret), hashSecret(successor))) ??
      (await inGrace(tx, id, hashSecret(secret)));
    if (session) return { id, ...session, token: `${id}.${successor}` };
    if (this.wasIssued(id, secret)) await revokeSession(tx, id);
    return null;
  }

  /** Ends the session of a token; a token of none ends nothing. */
  async close(sql: Sql, token: string): Promise<void> {
    const presented = parseToken(token);
    if (!presented) return;
    await rows(
      sql,
      `update refresh_session set revoked_at = clock_timestamp()
       where id = $1 and $2 in (token_hash, previous_hash) and revoked_at is null`,
      [presented.id, hashSecret(presented.secret)],
    );
  }

  private secretOf(id: string, seed: Buffer): string {
    return Buffer.concat([seed, this.markOf(id, seed)]).toString('base64url');
  }

  /** Secrets of older versions carry no mark: they work, but do not prove a theft. */
  private wasIssued(id: string, secret: string): boolean {
    const bytes = Buffer.from(secret, 'base64url');
    const seed = bytes.subarray(0, SEED_BYTES);
    return timingSafeEqual(bytes.subarray(SEED_BYTES), this.markOf(id, seed));
  }

  private markOf(id: string, seed: Buffer): Buffer {
    return createHmac('sha256', this.markKey).update(id.toLowerCase()).update(seed).digest().subarray(0, 16);
  }
}

/** Ends every session of a user except one, or all of them. */
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

/** The session goes on in another space of its user. */
export async function moveSession(tx: EntityManager, id: string, spaceId: string): Promise<void> {
  await rows(tx, 'update refresh_session set space_id = $2 where id = $1', [id, spaceId]);
}

type Holder = Pick<RefreshSession, 'userId' | 'spaceId'>;

function exchange(
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
     returning user_id as "userId", space_id as "spaceId"`,
    [id, presented, successor],
  );
}

function inGrace(tx: EntityManager, id: string, presented: Buffer): Promise<Holder | null> {
  return firstRow<Holder>(
    tx,
    `select user_id as "userId", space_id as "spaceId" from refresh_session
     where id = $1 and previous_hash = $2 and previous_valid_until > clock_timestamp() and revoked_at is null`,
    [id, presented],
  );
}

async function revokeSession(tx: EntityManager, id: string): Promise<void> {
  await rows(
    tx,
    'update refresh_session set revoked_at = clock_timestamp() where id = $1 and revoked_at is null',
    [id],
  );
}

/** Null where the text has not the form of a refresh token. */
export function parseToken(token: string): { id: string; secret: string } | null {
  const [id, secret, ...rest] = token.split('.');
  if (!isUuid(id) || secret === undefined || rest.length > 0) return null;
  return /^[\w-]{43}$/.test(secret) ? { id, secret } : null;
}

/** Removes sessions that ended more than 30 days ago, in batches. */
export async function removeEndedSessions(sql: Sql): Promise<void> {
  const batch = 1000;
  for (let removed = batch; removed === batch;) {
    const gone = await rows(
      sql,
      `delete from refresh_session where id in (
         select id from refresh_session where least(expires_at, revoked_at) < clock_timestamp() - interval '30 days'
         limit $1
       ) returning id`,
      [batch],
    );
    removed = gone.length;
  }
}
