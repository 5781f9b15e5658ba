import { hashPassword, verifyPassword } from './passwords.ts';

describe('passwords', () => {
  it('keeps the cost with the hash and salts each one', async () => {
    const [first, second] = await Promise.all([hashPassword('a secret'), hashPassword('a secret')]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(second).not.toBe(first);
  });

  it('accepts the right password alone', async () => {
    const stored = await hashPassword('correct horse');
    expect(await verifyPassword('correct horse', stored)).toBe(true);
    expect(await verifyPassword('correct horse ', stored)).toBe(false);
    expect(await verifyPassword('', stored)).toBe(false);
  });

  it('takes composed and decomposed characters for the same', async () => {
    expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true);
  });

  it('verifies a hash of another cost: a test vector of the reference implementation', async () => {
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await verifyPassword('password', stored)).toBe(true);
    expect(await verifyPassword('Password', stored)).toBe(false);
  });

  it('refuses an unknown account and throws at a hash it cannot read', async () => {
    expect(await verifyPassword('anything', null)).toBe(false);
    await expect(verifyPassword('anything', '$2b$10$abc')).rejects.toThrow('unknown format');
  });
});
