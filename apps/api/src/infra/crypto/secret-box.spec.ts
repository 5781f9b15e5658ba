import { randomBytes } from 'node:crypto';
import { SecretBox } from './secret-box.ts';

const box = new SecretBox(randomBytes(32));
const context = { spaceId: 'space-1', recordId: 'model-1', field: 'apiKey' };

describe('SecretBox', () => {
  it.each(['', 'sk-123', 'geheim ünïcode 密码', 'x'.repeat(100_000)])('gives back what it sealed', (text) => {
    expect(box.open(context, box.seal(context, text))).toBe(text);
  });

  it('seals the same text differently each time, and shows nothing of it', () => {
    const [first, second] = [box.seal(context, 'canary'), box.seal(context, 'canary')];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^v1\.[\w-]+$/);
    expect(Buffer.from(first.slice(3), 'base64url').toString('latin1')).not.toContain('canary');
  });

  it.each([
    { ...context, spaceId: 'space-2' },
    { ...context, recordId: 'model-2' },
    { ...context, field: 'password' },
  ])('does not open for another place: %j', (other) => {
    expect(() => box.open(other, box.seal(context, 'secret'))).toThrow('cannot be opened here');
  });

  it('does not open under another master key', () => {
    const sealed = new SecretBox(randomBytes(32)).seal(context, 'secret');
    expect(() => box.open(context, sealed)).toThrow('cannot be opened here');
  });

  it('notices every altered byte', () => {
    const bytes = Buffer.from(box.seal(context, 'secret').slice(3), 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      expect(() => box.open(context, `v1.${altered.toString('base64url')}`)).toThrow('cannot be opened');
    }
  });

  it.each(['', 'v1', 'v1.', 'v1.AAAA', 'v2.AAAA', 'plain text'])('refuses %j', (sealed) => {
    expect(() => box.open(context, sealed)).toThrow('The sealed secret');
  });

  it('refuses a context that could be read in two ways, and a short key', () => {
    expect(() => box.seal({ ...context, recordId: 'a|b' }, 'x')).toThrow('may not contain');
    expect(() => new SecretBox(randomBytes(16))).toThrow('32 bytes');
  });
});
