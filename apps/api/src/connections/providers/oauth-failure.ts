import type { SignInProblem } from '@platform/contracts';

export type OAuthFailureKind =
  /** There was no answer, or the server says that it is out of order. It may have done what it was asked to. */
  | 'unreachable'
  /** The server does not accept the code or the refresh token, or the person said no. */
  | 'refused'
  /** The server does not accept the platform. */
  | 'client'
  /** The answer is from another issuer. */
  | 'issuer'
  /** The answer is not one of OAuth 2, or for another client. */
  | 'invalid';

/** An authorization server gave no tokens. */
export class OAuthFailure extends Error {
  override name = 'OAuthFailure';

  constructor(
    readonly kind: OAuthFailureKind,
    /** The `error` of the answer, which is one of a few words; null if there was none. */
    readonly code: string | null,
    options: { cause?: unknown } = {},
  ) {
    super(`The authorization server gave no tokens: ${kind}`, options);
  }

  get problem(): SignInProblem {
    switch (this.kind) {
      case 'unreachable':
        return 'UNREACHABLE';
      case 'refused':
        return this.code === 'access_denied' ? 'DENIED' : 'REFUSED';
      case 'client':
        return 'REFUSED';
      case 'issuer':
        return 'ISSUER';
      case 'invalid':
        return 'INVALID_ANSWER';
    }
  }
}
