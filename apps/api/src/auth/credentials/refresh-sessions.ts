import type { EntityManager } from 'typeorm';
import { hashSecret } from '../../infra/crypto/api-tokens.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { formatToken, MarkedTokens, parseToken } from './marked-tokens.ts';
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

/**
 * Sign-ins of browsers. Every use of a refresh token replaces it with its successor. The previous token stays valid for
 * 30 s in case a response is lost; an older one is considered stolen and ends the session. The session id is not a secret,
 * so only a secret that was issued for the session counts as an older token.
 */
export class RefreshSessions {
  private readonly tokens: MarkedTokens;

  constructor(secretKey: Buffer) {
    this.tokens = new MarkedTokens(secretKey, 'refresh-token');
  }

  async open(tx: EntityManager, userId: string, spaceId: string): Promise<RefreshSession> {
    const id = await newSessionId(tx);
    const token = this.tokens.create(id);
    await insertSession(tx, { id, userId, spaceId, tokenHash: hashSecret(token.secret) });
    return { id, userId, spaceId, token: formatToken(token) };
  }

  /** Exchanges a token for its successor; returns null if the token is not valid. */
  async rotate(tx: EntityManager, token: string): Promise<RefreshSession | null> {
    const presented = parseToken(token);
    if (!presented) return null;
    const { id, secret } = presented;
    const successor = this.tokens.successorOf(presented);
    const session =
      (await rotateToken(tx, id, hashSecret(secret), hashSecret(successor.secret))) ??
      (await findInGrace(tx, id, hashSecret(secret)));
    if (session) return { id, ...session, token: formatToken(successor) };
    // Secrets of older versions have no mark: they are valid, but do not prove a theft.
    if (this.tokens.isOurs(presented)) await revokeSession(tx, id);
    return null;
  }

  /** Ends the session of a token, if there is one. */
  async close(sql: Sql, token: string): Promise<void> {
    const presented = parseToken(token);
    if (!presented) return;
    await revokeByToken(sql, presented.id, hashSecret(presented.secret));
  }
}
