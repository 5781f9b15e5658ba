import { isRedirectUri, matchesRedirectUri, targetOf, withParameters } from './redirect-uris.ts';

describe('the addresses to which people are sent back', () => {
  it.each([
    'https://editor.example/callback?a=b',
    'http://127.0.0.1/callback',
    'http://[::1]:3000/',
    'http://localhost:8080/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/callback',
  ])('may be %s', (uri) => expect(isRedirectUri(uri)).toBe(true));

  it.each([
    'http://editor.example/callback',
    'http://127.0.0.1.attacker.example/',
    'http://localhost.attacker.example/',
    'https://user:password@editor.example/',
    'https://editor.example/#part',
    'https://editor.example/ x',
    'javascript:alert(1)',
    'JavaScript://127.0.0.1/%0aalert(1)',
    'data:text/html,x',
    'blob:https://editor.example/1',
    'file:///etc/passwd',
    'view-source:https://editor.example/',
    'unknown://callback',
    '//editor.example',
    '',
    `https://editor.example/${'x'.repeat(1_000)}`,
    5,
  ])('may not be %s', (uri) => expect(isRedirectUri(uri)).toBe(false));

  it('match exactly, but for the port of a loopback address', () => {
    const registered = ['https://editor.example/callback', 'http://127.0.0.1:1/callback'];
    const matches = (uri: string) => matchesRedirectUri(registered, uri);
    expect(matches('https://editor.example/callback')).toBe(true);
    expect(matches('http://127.0.0.1:65535/callback')).toBe(true);
    for (const other of [
      'https://editor.example/callback/',
      'https://editor.example/callback?x',
      'https://editor.example:444/callback',
      'https://other.editor.example/callback',
      'http://127.0.0.1:1/other',
      'http://localhost:1/callback',
      'https://127.0.0.1:1/callback',
      'http://127.0.0.1:1/x/../callback',
      'http://127.1:1/callback',
      'http://127.0.0.1:1callback',
      'HTTP://127.0.0.1:1/callback',
    ])
      expect([other, matches(other)]).toEqual([other, false]);
  });

  it('are named for people, and keep their own parameters', () => {
    expect(targetOf('https://editor.example/x')).toEqual({ name: 'editor.example', isLocal: false });
    expect(targetOf('http://[::1]:5/x')).toEqual({ name: '[::1]:5', isLocal: true });
    expect(targetOf('cursor://x')).toEqual({ name: 'cursor:', isLocal: true });
    expect(withParameters('com.example.app:/x?a=b', { code: 'a b&', state: undefined })).toBe(
      'com.example.app:/x?a=b&code=a+b%26',
    );
  });
});
