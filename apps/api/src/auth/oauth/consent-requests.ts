import type { OAuthScope } from '@platform/contracts';
import { errors } from 'jose';
import { deriveKey } from '../../infra/crypto/derive-key.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { systemClock, type Clock } from '../../infra/runtime/clock.ts';
import { SignedTokens } from '../credentials/signed-tokens.ts';

/** How long a person has to answer. */
const KIND = { type: 'consent+jwt', audience: 'platform-consent', lifetimeSeconds: 600 };

/** A request of a client that was checked, and is shown to a person. */
export interface ConsentRequest {
  /** The id of the grant that it becomes, so that one request becomes one grant. */
  grantId: string;
  /** The row of the client. */
  clientId: string;
  spaceId: string;
  scopes: OAuthScope[];
  redirectUri: string;
  state: string | undefined;
  codeChallenge: string;
}

/** Remembers what a person was shown, without storing anything before the person agrees. */
export class ConsentRequests {
  private readonly tokens: SignedTokens;

  constructor(secretKey: Buffer, clock: Clock = systemClock) {
    this.tokens = new SignedTokens(KIND, deriveKey(secretKey, 'consent-request'), clock);
  }

  sign(userId: string, asked: ConsentRequest): Promise<string> {
    return this.tokens.sign(userId, { asked });
  }

  /** Throws VALIDATION_ERROR unless the request was shown to this person within the last ten minutes. */
  async verify(request: string, userId: string): Promise<ConsentRequest> {
    const { sub, asked } = await this.tokens.verify(request).catch((error: unknown) => {
      if (error instanceof errors.JWTExpired)
        throw invalid('This request has expired: start again in the client');
      throw invalid('request must be the one of a preview');
    });
    if (sub !== userId) throw invalid('This request was shown to someone else');
    return asked as ConsentRequest;
  }
}
