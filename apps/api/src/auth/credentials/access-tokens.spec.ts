import { SignJWT, decodeProtectedHeader, decodeJwt } from 'jose';
import { deriveKey } from '../../infra/crypto/derive-key.ts';
import { AccessTokens } from './access-tokens.ts';

const SECRET = Buffer.alloc(32, 7);
const CLAIMS = {
  userId: '01980000-0000-7000-8000-000000000001',
  spaceId: '01980000-0000-7000-8000-000000000002',
  joinedAt: 1_760_000_000_123,
  refreshSessionId: '01980000-0000-7000-8000-000000000003',
};
const NOW = Date.UTC(2026, 0, 1);

function tokensAt(time: number, secret = SECRET) {
  const clock = { time, now: () => clock.time };
  return { tokens: new AccessTokens(secret, clock), clock };
}

/** A token as ours, but for what is changed. */
function forged(change: { typ?: string; iss?: string; aud?: string; alg?: string; key?: Uint8Array } = {}) {
  return new SignJWT({ space: CLAIMS.spaceId, sid: CLAIMS.refreshSessionId })
    .setProtectedHeader({ alg: change.alg ?? 'HS256', typ: change.typ ?? 'at+jwt' })
    .setSubject(CLAIMS.userId)
    .setIssuer(change.iss ?? 'platform')
    .setAudience(change.aud ?? 'platform-api')
    .setExpirationTime(NOW / 1000 + 60)
    .sign(change.key ?? deriveKey(SECRET, 'access-token'));
}

describe('AccessTokens', () => {
  it('reads back what it issued, for 15 minutes', async () => {
    const { tokens, clock } = tokensAt(NOW);
    const token = await tokens.issue(CLAIMS);
    clock.time = NOW + 899_000;
    await expect(tokens.verify(token)).resolves.toEqual(CLAIMS);
    clock.time = NOW + 900_000;
    await expect(tokens.verify(token)).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: 'The access token has expired',
    });
  });

  it('issues a typed HS256 token with issuer, audience and times', async () => {
    const token = await tokensAt(NOW).tokens.issue(CLAIMS);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
    expect(decodeJwt(token)).toEqual({
      sub: CLAIMS.userId,
      space: CLAIMS.spaceId,
      joined: CLAIMS.joinedAt,
      sid: CLAIMS.refreshSessionId,
      iss: 'platform',
      aud: 'platform-api',
      iat: NOW / 1000,
      exp: NOW / 1000 + 900,
    });
  });

  it('accepts the forgery that changes nothing, so that the others prove something', async () => {
    await expect(tokensAt(NOW).tokens.verify(await forged())).resolves.toEqual({
      ...CLAIMS,
      joinedAt: null,
    });
  });

  it.each([
    ['another type', { typ: 'JWT' }],
    ['another issuer', { iss: 'somebody' }],
    ['another audience', { aud: 'others' }],
    ['another algorithm', { alg: 'HS512' }],
    ['the bare secret as key', { key: SECRET }],
  ])('refuses %s', async (_, change) => {
    await expect(tokensAt(NOW).tokens.verify(await forged(change))).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });

  it('refuses an unsigned token, a damaged one and no token at all', async () => {
    const { tokens } = tokensAt(NOW);
    const [, payload = ''] = (await tokens.issue(CLAIMS)).split('.');
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    for (const text of [`${none}.${payload}.`, `${await tokens.issue(CLAIMS)}x`, 'nonsense', '']) {
      await expect(tokens.verify(text)).rejects.toMatchObject({ message: 'The access token is not valid' });
    }
  });

  it('refuses the token of another installation', async () => {
    const token = await tokensAt(NOW, Buffer.alloc(32, 8)).tokens.issue(CLAIMS);
    await expect(tokensAt(NOW).tokens.verify(token)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('refuses a token whose claims are no ids', async () => {
    const token = await new SignJWT({ space: 'x', sid: 'y' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setSubject('z')
      .setIssuer('platform')
      .setAudience('platform-api')
      .setExpirationTime(NOW / 1000 + 60)
      .sign(deriveKey(SECRET, 'access-token'));
    await expect(tokensAt(NOW).tokens.verify(token)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});
