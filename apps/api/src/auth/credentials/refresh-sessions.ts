import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { hashSecret } from '../../infra/crypto/api-tokens.ts';
import { deriveKey } from '../../infra/crypto/derive-key.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import {
  findInGrace,
  insertSession,
  newSessionId,
  revokeByToken,
  revokeSession,
  rotateToken,
} from './refresh-sessions.store.ts';

/** How long a sign-in lasts without use. */
export const REFRESH_MS = 30 * 24 * 3_600_000;

export interface RefreshSession {
  id: string;
  userId: string;
  spaceId: string;
  /** The cookie of the browser: `<id>.<secret>`. */
  token: string;
}

/** Half of a secret is its seed. The other half is a mark that only this service can make. */
const SEED_BYTES = 16;

/**
 * Sign-ins of browsers. Every use of a refresh token replaces it with its successor. The previous token stays valid for
 * 30 s in case a response is lost; an older one is considered stolen and ends the session. The session id is not a secret,
 * so only a secret that was issued for the session counts as an older token.
 */
export class RefreshSessions {
  private readonly key: Buffer;
  private readonly markKey: Buffer;

  constructor(secretKey: Buffer) {
    this.key = deriveKey(secretKey, 'refresh-token');
    this.markKey = deriveKey(secretKey, 'refresh-token-mark');
  }

  async open(tx: EntityManager, userId: string, spaceId: string): Promise<RefreshSession> {
    const id = await newSessionId(tx);
    const secret = this.secretOf(id, randomBytes(SEED_BYTES));
    await insertSession(tx, { id, userId, spaceId, tokenHash: hashSecret(secret) });
    return { id, userId, spaceId, token: `${id}.${secret}` };
  }

  /** Exchanges a token for its successor; returns null if the token is not valid. */
  async rotate(tx: EntityManager, token: string): Promise<RefreshSession | null> {
    const presented = parseToken(token);
    if (!presented) return null;
    const { id, secret } = presented;
    // Derived from the token, so that concurrent requests with the same token receive the same successor.
    const seed = createHmac('sha256', this.key).update(`${id}.${secret}`).digest().subarray(0, SEED_BYTES);
    const successor = this.secretOf(id, seed);
    const session =
      (await rotateToken(tx, id, hashSecret(secret), hashSecret(successor))) ??
      (await findInGrace(tx, id, hashSecret(secret)));
    if (session) return { id, ...session, token: `${id}.${successor}` };
    if (this.wasIssued(id, secret)) await revokeSession(tx, id);
    return null;
  }

  /** Ends the session of a token, if there is one. */
  async close(sql: Sql, token: string): Promise<void> {
    const presented = parseToken(token);
    if (!presented) return;
    await revokeByToken(sql, presented.id, hashSecret(presented.secret));
  }

  private secretOf(id: string, seed: Buffer): string {
    return Buffer.concat([seed, this.markOf(id, seed)]).toString('base64url');
  }

  /** Secrets of older versions have no mark: they are valid, but do not prove a theft. */
  private wasIssued(id: string, secret: string): boolean {
    const bytes = Buffer.from(secret, 'base64url');
    const seed = bytes.subarray(0, SEED_BYTES);
    return timingSafeEqual(bytes.subarray(SEED_BYTES), this.markOf(id, seed));
  }

  private markOf(id: string, seed: Buffer): Buffer {
    return createHmac('sha256', this.markKey).update(id.toLowerCase()).update(seed).digest().subarray(0, 16);
  }
}

/** Returns null if the text does not have the form of a refresh token. */
export function parseToken(token: string): { id: string; secret: string } | null {
  const [id, secret, ...rest] = token.split('.');
  if (!isUuid(id) || secret === undefined || rest.length > 0) return null;
  return /^[\w-]{43}$/.test(secret) ? { id, secret } : null;
}
