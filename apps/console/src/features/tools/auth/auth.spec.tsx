import { expect, it } from '@jest/globals';
import { hasSecret, toAuth, toAuthValues } from './auth.ts';

it('sends a secret under the name of its type, and none that was left empty', () => {
  expect(toAuth({ type: 'apiKey', in: 'query', name: 'key', secret: 's' })).toEqual({
    type: 'apiKey',
    in: 'query',
    name: 'key',
    value: 's',
  });
  expect(toAuth({ type: 'bearer', secret: 's' })).toEqual({ type: 'bearer', token: 's' });
  expect(toAuth({ type: 'basic', username: 'u', secret: 's' })).toEqual({
    type: 'basic',
    username: 'u',
    password: 's',
  });
  expect(toAuth({ type: 'bearer', secret: '' })).toEqual({ type: 'bearer' });
  expect(toAuth({ type: 'none', secret: 'of another type' })).toEqual({ type: 'none' });
});

it("names a connection of the space, or the provider of each person's own", () => {
  const shared = { type: 'connection', connectionId: 'c', providerId: null } as const;
  const each = { type: 'connection', connectionId: null, providerId: 'p' } as const;
  expect([toAuth(toAuthValues(shared)), toAuth(toAuthValues(each))]).toEqual([shared, each]);
});

it('keeps everything but the secret of a stored authentication', () => {
  const stored = { type: 'apiKey', in: 'cookie', name: 'sid', configured: true } as const;
  expect(toAuth(toAuthValues(stored))).toEqual({ type: 'apiKey', in: 'cookie', name: 'sid' });
  expect([hasSecret(stored, 'apiKey'), hasSecret(stored, 'bearer'), hasSecret(undefined, 'bearer')]).toEqual([
    true,
    false,
    false,
  ]);
});
