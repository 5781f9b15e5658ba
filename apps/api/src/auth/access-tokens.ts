import { SignJWT, errors, jwtVerify } from 'jose';
import { systemClock, type Clock } from '../infra/clock.ts';
import { deriveKey } from '../infra/crypto/derive-key.ts';
import { unauthorized } from '../infra/http/app-error.ts';
import { isUuid } from '../infra/http/ids.ts';

/** How many seconds an access token is valid. */
export const ACCESS_TOKEN_SECONDS = 900;

const ALGORITHM = 'HS256';
const TYPE = 'at+jwt';
const ISSUER = 'platform';
const AUDIENCE = 'platform-api';

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
  private readonly key: Buffer;

  constructor(
    secretKey: Buffer,
    private readonly clock: Clock = systemClock,
  ) {
    this.key = deriveKey(secretKey, 'access-token');
  }

  issue({ userId, spaceId, joinedAt, refreshSessionId }: AccessClaims): Promise<string> {
    const now = Math.floor(this.clock.now() / 1000);
    return new SignJWT({ space: spaceId, joined: joinedAt, sid: refreshSessionId })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setSubject(userId)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
      .sign(this.key);
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
      const { payload } = await jwtVerify(token, this.key, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['exp'],
        currentDate: new Date(this.clock.now()),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthorized('The access token has expired');
      throw invalidToken();
    }
  }
}

const invalidToken = () => unauthorized('The access token is not valid');
