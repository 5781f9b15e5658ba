import { errors } from 'jose';
import { systemClock, type Clock } from '../../infra/runtime/clock.ts';
import { deriveKey } from '../../infra/crypto/derive-key.ts';
import { unauthorized } from '../../infra/errors/app-error.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { SignedTokens } from './signed-tokens.ts';

/** How many seconds an access token is valid. */
export const ACCESS_TOKEN_SECONDS = 900;

const KIND = {
  type: 'at+jwt',
  audience: 'platform-api',
  lifetimeSeconds: ACCESS_TOKEN_SECONDS,
};

/** Who signed in, in which space, and with which refresh session. */
export interface AccessClaims {
  userId: string;
  spaceId: string;
  /** When the person joined the space, in ms. A person who was removed and came back needs a new token. */
  joinedAt: number | null;
  refreshSessionId: string;
}

/** Issues and verifies the signed tokens of the console. */
export class AccessTokens {
  private readonly tokens: SignedTokens;

  constructor(secretKey: Buffer, clock: Clock = systemClock) {
    this.tokens = new SignedTokens(KIND, deriveKey(secretKey, 'access-token'), clock);
  }

  issue({ userId, spaceId, joinedAt, refreshSessionId }: AccessClaims): Promise<string> {
    return this.tokens.sign(userId, { space: spaceId, joined: joinedAt, sid: refreshSessionId });
  }

  /** Throws UNAUTHORIZED if the token has expired or was not issued by this service. */
  async verify(token: string): Promise<AccessClaims> {
    const { sub, space, joined, sid } = await this.payloadOf(token);
    if (!isUuid(sub) || !isUuid(space) || !isUuid(sid)) throw invalidToken();
    // Tokens of the previous version lack it.
    const joinedAt = typeof joined === 'number' ? joined : null;
    return { userId: sub, spaceId: space, joinedAt, refreshSessionId: sid };
  }

  private async payloadOf(token: string) {
    try {
      return await this.tokens.verify(token);
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthorized('The access token has expired');
      throw invalidToken();
    }
  }
}

const invalidToken = () => unauthorized('The access token is not valid');
