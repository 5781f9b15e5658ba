import { SignJWT, jwtVerify } from 'jose';
import { systemClock, type Clock } from '../infra/clock.ts';
import { deriveKey } from '../infra/crypto/derive-key.ts';
import { isUuid } from '../infra/http/ids.ts';

/** The header that names the run whose step makes a call. */
export const CAUSATION_HEADER = 'X-Platform-Causation';
/** How many seconds a run can be named by one header value. */
export const CAUSATION_SECONDS = 600;

const ALGORITHM = 'HS256';
// Neither the key nor the type is that of access tokens: a causation token is no credential.
const TYPE = 'causation+jwt';
const ISSUER = 'platform';
const AUDIENCE = 'platform-causation';

/** The run that causes a call, and its space. */
export interface Causation {
  runId: string;
  spaceId: string;
}

/**
 * Signs and verifies the values of `X-Platform-Causation`. Outgoing calls of a run carry one, so that the loop guard
 * recognizes the events that come back through the public API.
 */
export class CausationTokens {
  private readonly key: Buffer;

  constructor(
    secretKey: Buffer,
    private readonly clock: Clock = systemClock,
  ) {
    this.key = deriveKey(secretKey, 'causation');
  }

  /** Returns the value of the header for the outgoing calls of a run. */
  sign({ runId, spaceId }: Causation): Promise<string> {
    const now = Math.floor(this.clock.now() / 1000);
    return new SignJWT({ space: spaceId })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setSubject(runId)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setIssuedAt(now)
      .setExpirationTime(now + CAUSATION_SECONDS)
      .sign(this.key);
  }

  /** Returns null if the value has expired or was not signed by this service. */
  async verify(value: string): Promise<Causation | null> {
    const claims = await this.claimsOf(value);
    if (claims === null) return null;
    const { sub, space } = claims;
    return isUuid(sub) && isUuid(space) ? { runId: sub, spaceId: space } : null;
  }

  private async claimsOf(value: string) {
    try {
      const { payload } = await jwtVerify(value, this.key, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['exp'],
        currentDate: new Date(this.clock.now()),
      });
      return payload;
    } catch {
      return null;
    }
  }
}
