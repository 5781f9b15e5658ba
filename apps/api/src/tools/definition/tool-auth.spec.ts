import type { ToolAuth } from '@platform/contracts';
import { checkAuth, describeAuth, secretOf, sendsAlike } from './tool-auth.ts';

const ID = '01980000-0000-7000-8000-000000000000';

describe('the authentication of a tool', () => {
  it.each<[ToolAuth, string]>([
    [{ type: 'apiKey', in: 'query', name: 'key', value: 's3cret ü' }, 's3cret ü'],
    [{ type: 'bearer', token: 'abc' }, 'abc'],
    [{ type: 'basic', username: 'Zoë', password: 'a:b\u00fc' }, 'a:b\u00fc'],
    [{ type: 'header', name: 'X-Key', value: 'abc' }, 'abc'],
    [{ type: 'none' }, ''],
    [{ type: 'connection', providerId: ID, connectionId: null }, ''],
    [{ type: 'connection', connectionId: ID }, ''],
  ])('is described without its secret: %j', (auth, secret) => {
    expect(checkAuth(auth, 'auth')).toEqual([]);
    expect(secretOf(auth)).toBe(secret);
    const described = describeAuth(auth, true);
    expect(Object.keys(described)).not.toEqual(expect.arrayContaining(['value']));
    expect(Object.values(described)).not.toContain(secret);
    // What was read can be sent back; the secret stays as it is.
    expect(checkAuth(described, 'auth')).toEqual([]);
  });

  it.each<[unknown, string]>([
    ['bearer', 'auth must be an object'],
    [{ type: '__proto__' }, 'auth.type must be one of'],
    [{ type: 'bearer', token: 5 }, 'auth.token must be a text'],
    [{ type: 'bearer', token: 'x'.repeat(4_001) }, 'auth.token must be a text of at most 4000'],
    [{ type: 'bearer', token: 'a\r\nX-Evil: 1' }, 'auth.token must contain only what a header can carry'],
    [{ type: 'bearer', password: 'a' }, 'auth.password is not a known field'],
    [{ type: 'apiKey', in: 'cookie', name: 'k', value: 'a;b' }, 'auth.value must contain only what a cookie'],
    [{ type: 'apiKey', in: 'header', name: 'X-Platform-Causation' }, 'auth.name must not be a header'],
    [{ type: 'header', name: 'a b' }, 'auth.name must be the name'],
    [{ type: 'basic', username: 'a:b' }, 'auth.username must be a text'],
    [{ type: 'connection', providerId: 'x' }, 'auth.providerId must be an id'],
    [{ type: 'connection', providerId: ID, token: 'a' }, 'auth.token is not a known field'],
  ])('is refused, without its values: %j', (auth, message) => {
    const problems = checkAuth(auth, 'auth');
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems.join()).not.toContain('X-Evil');
  });

  it('is sent alike only if all but the secret is the same', () => {
    const header = { type: 'header', name: 'X-Key', configured: true } as const;
    expect(sendsAlike(header, { ...header, configured: false })).toBe(true);
    expect(sendsAlike(header, { ...header, name: 'X-Other' })).toBe(false);
    expect(sendsAlike(header, { type: 'bearer', configured: true })).toBe(false);
    expect(
      sendsAlike({ ...header, type: 'apiKey', in: 'header' }, { ...header, type: 'apiKey', in: 'query' }),
    ).toBe(false);
  });
});
