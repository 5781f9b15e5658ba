import { parseAllowedHost } from './allowed-hosts.ts';

const range = (text: string) => {
  const entry = parseAllowedHost(text);
  return entry?.kind === 'range' ? `${entry.network.toString()}/${entry.bits}:${entry.port ?? '*'}` : null;
};

describe('parseAllowedHost', () => {
  it.each([
    ['search', 'search', null],
    ['Search.Internal', 'search.internal', null],
    ['search.internal:8080', 'search.internal', 8080],
    ['a_b-c.internal', 'a_b-c.internal', null],
    ['9to5.internal:1', '9to5.internal', 1],
  ])('reads %s as a host', (text, host, port) => {
    expect(parseAllowedHost(text)).toEqual({ kind: 'host', host, port });
  });

  it.each([
    ['10.0.0.5', '10.0.0.5/32:*'],
    ['10.0.0.5:8080', '10.0.0.5/32:8080'],
    ['10.0.0.0/8', '10.0.0.0/8:*'],
    ['::1', '::1/128:*'],
    ['[::1]', '::1/128:*'],
    ['[::1]:9000', '::1/128:9000'],
    ['fd00::/8', 'fd00::/8:*'],
    ['::ffff:10.0.0.5', '10.0.0.5/32:*'],
  ])('reads %s as a range', (text, expected) => {
    expect(range(text)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    '*',
    'http://host',
    'host/path',
    'host:0',
    'host:65536',
    'host:port',
    '-host',
    'host-',
    'a..b',
    '10.0.0.0/33',
    '10.0.0',
    '2130706433',
    '0x7f.1',
    'host.1',
    '[host]:80',
    'user@host',
    'a'.repeat(254),
  ])('refuses %j', (text) => {
    expect(parseAllowedHost(text)).toBeNull();
  });
});
