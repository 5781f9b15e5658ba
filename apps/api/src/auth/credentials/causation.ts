import { systemClock, type Clock } from '../../infra/runtime/clock.ts';
import { deriveKey } from '../../infra/crypto/derive-key.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { SignedTokens } from './signed-tokens.ts';

/** The header that names the run whose step makes a call. */
export const CAUSATION_HEADER = 'X-Platform-Causation';
/** How many seconds a run can be named by one header value. */
export const CAUSATION_SECONDS = 600;

// Neither the key nor the type is that of access tokens: a causation token is no credential.
const KIND = {
  type: 'causation+jwt',
  audience: 'platform-causation',
  lifetimeSeconds: CAUSATION_SECONDS,
};

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
  private readonly tokens: SignedTokens;

  constructor(secretKey: Buffer, clock: Clock = systemClock) {
    this.tokens = new SignedTokens(KIND, deriveKey(secretKey, 'causation'), clock);
  }

  /** Returns the value of the header for the outgoing calls of a run. */
  sign({ runId, spaceId }: Causation): Promise<string> {
    return this.tokens.sign(runId, { space: spaceId });
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
      return await this.tokens.verify(value);
    } catch {
      return null;
    }
  }
}
