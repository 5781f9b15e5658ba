import type { ToolMethodRequest } from '@platform/contracts';
import {
  changeMethod,
  checkMethodChange,
  checkMethods,
  newMethod,
  schemaSizeProblem,
} from './method-definition.ts';
import { sameOrigin, serverUrlProblem } from '../http/server-url.ts';

const METHOD: ToolMethodRequest = { name: 'm', httpMethod: 'get', path: '/', inputSchema: {} };

describe('a method', () => {
  it.each([
    [{ name: 'a b' }, 'name must be 1 to 64'],
    [{ name: 'x'.repeat(65) }, 'name must be 1 to 64'],
    [{ httpMethod: 'CONNECT' }, 'httpMethod must be an HTTP method'],
    [{ httpMethod: 'GET /' }, 'httpMethod must be an HTTP method'],
    [{ path: 'pets' }, 'path must begin with /'],
    [{ path: '/a\\b' }, 'path must begin with /'],
    [{ path: '/a b' }, 'path must begin with /'],
    [{ serverUrl: 'javascript:1' }, 'serverUrl must be an http or https address'],
    [{ inputSchema: [] }, 'inputSchema must be an object'],
    [{ bindings: [{ port: 'a', in: 'trailer' }] }, 'item 0: in must be one of path'],
    [{ bindings: [{ port: 'a', in: 'path', evil: 1 }] }, 'item 0.evil is not a known field'],
    [{ bindings: Array.from({ length: 1_001 }, () => ({ port: 'a', in: 'path' })) }, 'at most 1000 bindings'],
    [{ encoding: { a: 'x'.repeat(65_536) } }, 'encoding must have at most 65536 bytes'],
    [{ imported: { a: 'x'.repeat(524_288) } }, 'imported must have at most 524288 bytes'],
    [{ cache: { ttlSeconds: 86_401 } }, 'cache must have a ttlSeconds that is an integer from 0 to 86400'],
    [{ cache: { ttlSeconds: 1, more: 1 } }, 'cache must have only ttlSeconds'],
    [{ timeoutMs: 999 }, 'timeoutMs must be an integer from 1000 to 300000'],
    [{ enabled: 'yes' }, 'enabled must be a boolean'],
    [{ constructor: 1 }, 'constructor is not a known field'],
  ])('is refused: %j', (change, message) => {
    const problems = checkMethods([{ ...METHOD, ...change }], 'methods');
    expect(problems).toEqual([expect.stringContaining(`methods[0].`)]);
    expect(problems[0]).toContain(message);
  });

  it('has a limit for the depth of its schemas, which is checked without overflow', () => {
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 100_000; i++) deep = { deep };
    expect(checkMethods([{ ...METHOD, inputSchema: deep }], 'methods')).toEqual([
      'methods[0].inputSchema must not be nested deeper than 64 levels',
    ]);
  });

  it('has one limit for both schemas', () => {
    const half = { a: 'x'.repeat(131_060) };
    expect(schemaSizeProblem(newMethod({ ...METHOD, inputSchema: half, outputSchema: half }), '')).toEqual(
      [],
    );
    const more = { a: 'x'.repeat(131_080) };
    expect(
      schemaSizeProblem(newMethod({ ...METHOD, inputSchema: half, outputSchema: more }), ''),
    ).toHaveLength(1);
  });

  it('has a verb in either case, which is stored in lower case', () => {
    expect(checkMethods([{ ...METHOD, httpMethod: 'GET' }], 'methods')).toEqual([]);
    const method = newMethod({ ...METHOD, httpMethod: 'GET' });
    expect(method).toMatchObject({ httpMethod: 'get', acts: false, operationKey: 'GET /' });
    expect(changeMethod(method, { httpMethod: 'COPY' })).toMatchObject({ httpMethod: 'copy' });
  });

  it('has defaults that depend on its verb', () => {
    expect(newMethod(METHOD)).toMatchObject({ acts: false, retry: { attempts: 2 }, operationKey: 'GET /' });
    expect(newMethod({ ...METHOD, httpMethod: 'post' })).toMatchObject({
      acts: true,
      retry: { attempts: 0 },
    });
    expect(newMethod({ ...METHOD, httpMethod: 'post', acts: false }).acts).toBe(false);
  });

  it('changes only in the fields that are sent; null removes what can be absent', () => {
    const current = newMethod({ ...METHOD, serverUrl: 'https://a.example', description: 'Old' });
    expect(changeMethod(current, { path: '/b', serverUrl: null, description: null })).toEqual({
      ...current,
      path: '/b',
      serverUrl: null,
    });
    expect(checkMethodChange({ path: '/b', name: null })).toEqual([]);
    expect(checkMethodChange({ path: 'b' })).toEqual([expect.stringMatching(/^path must begin/)]);
    expect(checkMethodChange([])).toEqual(['The body must be a JSON object']);
  });

  it('does not pass its retries to a verb for which nobody asked', () => {
    const method = newMethod({ name: 'm', httpMethod: 'get', path: '/', inputSchema: {} });
    expect(changeMethod(method, { httpMethod: 'post' }).retry.attempts).toBe(0);
    expect(
      changeMethod(method, { httpMethod: 'post', retry: { attempts: 1, backoffMs: 5 } }).retry.attempts,
    ).toBe(1);
    const configured = changeMethod(method, { retry: { attempts: 3, backoffMs: 5 } });
    expect(changeMethod(configured, { httpMethod: 'post' }).retry.attempts).toBe(3);
    expect(changeMethod(configured, { description: 'x' }).retry.attempts).toBe(3);
  });
});

describe('the address of a server', () => {
  it.each([
    'https://user@a.example',
    'https://:p@a.example',
    'https://a.example/?k=1',
    'https://a.example/#a',
    '//a',
  ])('is refused: %s', (url) => expect(serverUrlProblem(url)).not.toBeNull());

  it('receives credentials only on the same scheme, host, and port', () => {
    expect(sameOrigin('https://a.example/v1', 'https://A.example:443/v2')).toBe(true);
    for (const other of ['http://a.example', 'https://a.example:444', 'https://b.a.example', 'nonsense'])
      expect(sameOrigin('https://a.example', other)).toBe(false);
    expect(sameOrigin('nonsense', 'nonsense')).toBe(false);
  });
});
