import { SignJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import { deriveKey } from '../../infra/crypto/derive-key.ts';
import { AccessTokens } from './access-tokens.ts';
import { CausationTokens } from './causation.ts';

const SECRET = Buffer.alloc(32, 7);
const CAUSATION = {
  runId: '01980000-0000-7000-8000-000000000001',
  spaceId: '01980000-0000-7000-8000-000000000002',
};
const NOW = Date.UTC(2026, 0, 1);

function tokensAt(time: number, secret = SECRET) {
  const clock = { time, now: () => clock.time };
  return { tokens: new CausationTokens(secret, clock), clock };
}

interface Forgery {
  typ?: string;
  iss?: string;
  aud?: string;
  alg?: string;
  sub?: string;
  space?: unknown;
  key?: Uint8Array;
  exp?: number | null;
}

/** A value as ours, except for what is changed. */
function forged(change: Forgery = {}) {
  const token = new SignJWT({ space: 'space' in change ? change.space : CAUSATION.spaceId })
    .setProtectedHeader({ alg: change.alg ?? 'HS256', typ: change.typ ?? 'causation+jwt' })
    .setSubject(change.sub ?? CAUSATION.runId)
    .setIssuer(change.iss ?? 'platform')
    .setAudience(change.aud ?? 'platform-causation');
  if (change.exp !== null) token.setExpirationTime(change.exp ?? NOW / 1000 + 60);
  return token.sign(change.key ?? deriveKey(SECRET, 'causation'));
}

describe('CausationTokens', () => {
  it('verifies what it signed, for ten minutes', async () => {
    const { tokens, clock } = tokensAt(NOW);
    const value = await tokens.sign(CAUSATION);
    clock.time = NOW + 599_000;
    await expect(tokens.verify(value)).resolves.toEqual(CAUSATION);
    clock.time = NOW + 600_000;
    await expect(tokens.verify(value)).resolves.toBeNull();
  });

  it('signs a typed HS256 token that names the run and its space', async () => {
    const value = await tokensAt(NOW).tokens.sign(CAUSATION);
    expect(decodeProtectedHeader(value)).toEqual({ alg: 'HS256', typ: 'causation+jwt' });
    expect(decodeJwt(value)).toEqual({
      sub: CAUSATION.runId,
      space: CAUSATION.spaceId,
      iss: 'platform',
      aud: 'platform-causation',
      iat: NOW / 1000,
      exp: NOW / 1000 + 600,
    });
  });

  it('verifies the forgery that changes nothing, so that the others prove something', async () => {
    await expect(tokensAt(NOW).tokens.verify(await forged())).resolves.toEqual(CAUSATION);
  });

  it.each<[string, Forgery]>([
    ['another type', { typ: 'at+jwt' }],
    ['another issuer', { iss: 'someone' }],
    ['another audience', { aud: 'platform-api' }],
    ['another algorithm', { alg: 'HS512' }],
    ['the key of access tokens', { key: deriveKey(SECRET, 'access-token') }],
    ['the master key', { key: SECRET }],
    ['no end', { exp: null }],
    ['a run that is no id', { sub: 'run' }],
    ['a space that is no id', { space: 'space' }],
    ['no space', { space: undefined }],
  ])('refuses a value with %s', async (_, change) => {
    await expect(tokensAt(NOW).tokens.verify(await forged(change))).resolves.toBeNull();
  });

  it.each(['', 'x', 'a.b.c', `${'a'.repeat(10_000)}.b.c`])('refuses %j', async (value) => {
    await expect(tokensAt(NOW).tokens.verify(value)).resolves.toBeNull();
  });

  it('makes no credential, and takes none', async () => {
    const accessTokens = new AccessTokens(SECRET, { now: () => NOW });
    const { tokens } = tokensAt(NOW);
    await expect(accessTokens.verify(await tokens.sign(CAUSATION))).rejects.toThrow('is not valid');
    const claims = { userId: CAUSATION.runId, spaceId: CAUSATION.spaceId, joinedAt: 1 };
    const access = await accessTokens.issue({ ...claims, refreshSessionId: CAUSATION.runId });
    await expect(tokens.verify(access)).resolves.toBeNull();
  });
});
