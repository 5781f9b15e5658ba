import { SignJWT, jwtVerify, type JWTPayload } from 'jose';
import type { Clock } from '../../infra/runtime/clock.ts';

const ALGORITHM = 'HS256';
const ISSUER = 'platform';

/** What distinguishes one kind of token from another, besides its key. */
export interface TokenKind {
  /** The `typ` of the header. */
  type: string;
  audience: string;
  lifetimeSeconds: number;
}

/** Signs and verifies tokens of one kind (JWT). Each kind has its own key, type, and audience, so that none passes for another. */
export class SignedTokens {
  constructor(
    private readonly kind: TokenKind,
    private readonly key: Buffer,
    private readonly clock: Clock,
  ) {}

  sign(subject: string, claims: JWTPayload): Promise<string> {
    const { type, audience, lifetimeSeconds } = this.kind;
    const now = Math.floor(this.clock.now() / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: type })
      .setSubject(subject)
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeSeconds)
      .sign(this.key);
  }

  /** Returns the claims. Throws an error of `jose` if the token has expired or is not one of this kind. */
  async verify(token: string): Promise<JWTPayload> {
    const { type, audience } = this.kind;
    const { payload } = await jwtVerify(token, this.key, {
      algorithms: [ALGORITHM],
      typ: type,
      issuer: ISSUER,
      audience,
      requiredClaims: ['exp'],
      currentDate: new Date(this.clock.now()),
    });
    return payload;
  }
}
