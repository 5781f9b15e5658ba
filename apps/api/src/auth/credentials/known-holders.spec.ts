import { mintKey, parseKey, type ParsedKey } from '../../infra/crypto/api-tokens.ts';
import { KnownHolders } from './known-holders.ts';

const holder = { kind: 'user', userId: 'u', spaceId: 's' } as const;

function made(): { parsed: ParsedKey; publicId: string; secretHash: Buffer } {
  const { key, publicId, secretHash } = mintKey('pk');
  const parsed = parseKey(key);
  if (parsed === null) throw new Error('A new key does not parse');
  return { parsed, publicId, secretHash };
}

describe('KnownHolders', () => {
  it('knows the holder of a key, but not for another secret', () => {
    const known = new KnownHolders();
    const [key, other] = [made(), made()];
    known.add(key.publicId, { secretHash: key.secretHash, holder });
    expect(known.find(key.parsed)).toEqual(holder);
    expect(known.find({ ...key.parsed, secret: other.parsed.secret })).toBeNull();
    expect(known.find(other.parsed)).toBeNull();
    known.delete(key.publicId);
    expect(known.find(key.parsed)).toBeNull();
  });

  it('forgets the key that was added first, at 10,000 keys', () => {
    const known = new KnownHolders();
    const [first, second] = [made(), made()];
    for (const { publicId, secretHash } of [first, second]) known.add(publicId, { secretHash, holder });
    for (let n = 0; n < 9_999; n++) known.add(`key ${n}`, { secretHash: second.secretHash, holder });
    expect(known.find(first.parsed)).toBeNull();
    expect(known.find(second.parsed)).toEqual(holder);
  });
});
