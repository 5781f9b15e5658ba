import { hashSecret, mintKey, parseKey, secretMatches } from './api-tokens.ts';

describe('API keys', () => {
  it.each(['pk', 'app'] as const)('parses the %s keys it makes', (prefix) => {
    const { key, publicId, secretHash } = mintKey(prefix);
    expect(key).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{54}$`));
    const parsed = parseKey(key);
    expect(parsed).toEqual({ prefix, publicId, secret: key.slice(prefix.length + 13, -6) });
    expect(secretMatches(parsed?.secret ?? '', secretHash)).toBe(true);
  });

  it('pins the form of a key', () => {
    const key = `pk_0123456789AB${'a'.repeat(36)}0EGX9f`;
    expect(parseKey(key)).toEqual({ prefix: 'pk', publicId: '0123456789AB', secret: 'a'.repeat(36) });
  });

  it('never makes the same key twice', () => {
    const keys = Array.from({ length: 1_000 }, () => mintKey('pk').key);
    expect(new Set(keys).size).toBe(1_000);
  });

  it('catches every mistyped character and every pair swapped', () => {
    const { key } = mintKey('pk');
    for (let at = 3; at < key.length; at++) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(parseKey(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
      const [one = '', two = ''] = key.slice(at, at + 2);
      if (two !== '' && one !== two) {
        expect(parseKey(key.slice(0, at) + two + one + key.slice(at + 2))).toBeNull();
      }
    }
  });

  it.each(['', 'pk_', 'pk_short', 'sk_', `${mintKey('pk').key} `, mintKey('pk').key.replace('pk', 'app')])(
    'refuses %j',
    (text) => expect(parseKey(text)).toBeNull(),
  );

  it('matches no other secret and no cut hash', () => {
    const hash = hashSecret('one');
    expect(secretMatches('two', hash)).toBe(false);
    expect(secretMatches('one', hash.subarray(1))).toBe(false);
  });
});
