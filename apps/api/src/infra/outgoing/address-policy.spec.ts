import { AddressPolicy } from './address-policy.ts';
import { parseAllowedHost } from '../config/allowed-hosts.ts';

const policy = (allowLoopback: boolean, ...entries: string[]) =>
  new AddressPolicy(
    entries.flatMap((entry) => parseAllowedHost(entry) ?? []),
    allowLoopback,
  );
const strict = policy(false);

describe('AddressPolicy', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'lets %s pass',
    (address) => expect(strict.allows('host', address, 443)).toBe(true),
  );

  it.each([
    ['this network', '0.0.0.0'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, metadata', '169.254.169.254'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmark', '198.18.0.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['compatible', '::7f00:1'],
    ['compatible', '::808:808'],
    ['mapped', '::ffff:127.0.0.1'],
    ['mapped', '::ffff:a00:1'],
    ['translated', '64:ff9b::7f00:1'],
    ['translated', '64:ff9b:1::1'],
    ['discard', '100::1'],
    ['Teredo', '2001::1'],
    ['documentation', '2001:db8::1'],
    ['6to4', '2002:7f00:1::'],
    ['documentation', '3fff::1'],
    ['unallocated', '4000::1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fd12:3456::1'],
    ['link-local', 'fe80::1'],
    ['link-local with zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'localhost'],
    ['nothing', ''],
  ])('refuses what is %s: %s', (_, address) => {
    expect(strict.allows('host', address, 443)).toBe(false);
  });

  it.each([
    ['10.0.0.5', 'any', '10.0.0.5', 1, true],
    ['10.0.0.5', 'any', '10.0.0.6', 1, false],
    ['10.0.0.5:80', 'any', '10.0.0.5', 80, true],
    ['10.0.0.5:80', 'any', '10.0.0.5', 81, false],
    ['10.0.0.0/8', 'any', '10.9.9.9', 1, true],
    ['10.0.0.0/8', 'any', '::ffff:10.9.9.9', 1, true],
    ['10.0.0.0/8', 'any', '11.0.0.1', 1, true],
    ['10.0.0.0/8', 'any', 'fd00::1', 1, false],
    ['fd00::/8', 'any', 'fd00::1', 1, true],
    ['db.internal', 'db.internal', '10.0.0.5', 1, true],
    ['db.internal', 'DB.Internal.', '10.0.0.5', 1, true],
    ['db.internal', 'evil.db.internal', '10.0.0.5', 1, false],
    ['db.internal:5432', 'db.internal', '10.0.0.5', 80, false],
  ])('with %s listed, %s at %s, port %i: %s', (entry, host, address, port, allowed) => {
    expect(policy(false, entry).allows(host, address, port)).toBe(allowed);
  });

  it('opens the loopback alone where that is allowed', () => {
    const allows = (address: string) => policy(true).allows('host', address, 11434);
    expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].map(allows)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['10.0.0.1', '169.254.169.254', '0.0.0.0', '::'].map(allows)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
