import { MarkedTokens } from '../credentials/marked-tokens.ts';
import { ConsentRequests } from './consent-requests.ts';

/** Everything that the authorization server hands out to prove itself later, each with a key of its own. */
export class OAuthSecrets {
  readonly requests: ConsentRequests;
  readonly codes: MarkedTokens;
  readonly refreshTokens: MarkedTokens;

  constructor(secretKey: Buffer) {
    this.requests = new ConsentRequests(secretKey);
    this.codes = new MarkedTokens(secretKey, 'oauth-code');
    this.refreshTokens = new MarkedTokens(secretKey, 'oauth-refresh-token');
  }
}
