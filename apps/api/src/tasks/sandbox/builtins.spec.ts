import { createHash, createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } from 'quickjs-emscripten';
import { Execution } from './execution.ts';
import { createMemory, Interpreter } from './interpreter.ts';
import type { SandboxLimits } from './messages.ts';
import { SANDBOX_LIMITS, SandboxPool } from './sandbox-pool.ts';

const pool = new SandboxPool(1);
afterAll(() => pool.close());

async function run(source: string, context: object = {}): Promise<unknown> {
  const json = await pool.run({
    owner: 'ada',
    source,
    context: JSON.stringify(context),
    signal: new AbortController().signal,
    log: () => undefined,
    call: async (action, request) => {
      const { ms } = JSON.parse(request) as { ms: number };
      await delay(ms);
      return JSON.stringify(action);
    },
    toCallError: () => ({ code: 'FAILED', message: 'Failed' }),
  });
  return json === null ? null : (JSON.parse(json) as unknown);
}

/** The message of what the expression throws. */
const thrownBy = (expression: string) =>
  run(`try { return { value: ${expression} } } catch (error) { return String(error) }`);

const TEXT = 'Grüße, 世界 😀\u0000 "\\ud800';

describe('what code has beside the language', () => {
  it('are hashes and signatures of texts and bytes', async () => {
    const expected = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) => [
      createHash(algorithm).update(TEXT).digest('hex'),
      createHash(algorithm)
        .update(Buffer.from([1, 2, 0, 255]))
        .digest('base64'),
      createHmac(algorithm, 'kéy').update(TEXT).digest('base64url'),
      createHmac(algorithm, Buffer.from([0, 1]))
        .update(Buffer.from([7]))
        .digest('hex'),
    ]);
    const source = `const { text } = context;
      return ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) => [
        platform.hash(algorithm, text), platform.hash(algorithm, new Uint8Array([9, 1, 2, 0, 255]).subarray(1), 'base64'),
        platform.hmac(algorithm, 'kéy', text, 'base64url'),
        platform.hmac(algorithm, new Uint8Array([0, 1]).buffer, new Uint8Array([7])) ])`;
    expect(await run(source, { text: TEXT })).toEqual(expected);
    const empty = createHash('sha256').digest('hex');
    const nothing = 'return [platform.hash("sha256", ""), platform.hash("sha256", new Uint8Array())]';
    expect(await run(nothing)).toEqual([empty, empty]);
  });

  it('are base64 of texts and bytes, in both alphabets', async () => {
    const base64 = Buffer.from(TEXT).toString('base64');
    const source = `const { text } = context, url = platform.base64.encode(text, { url: true });
      return [ platform.base64.encode(text), platform.base64.decode(url), platform.base64.decode(platform.base64.encode(text)),
        [...platform.base64.decodeBytes('+/8=')], [...platform.base64.decodeBytes('-_8')], platform.base64.decode(''),
        btoa('\\u0000ÿ'), atob('AP8=') ]`;
    const text = TEXT.toWellFormed();
    const bytes = [251, 255];
    expect(await run(source, { text: TEXT })).toEqual([
      base64,
      text,
      text,
      bytes,
      bytes,
      '',
      'AP8=',
      '\u0000ÿ',
    ]);
  });

  it('are UTF-8 and other encodings of texts', async () => {
    const source = `const bytes = new TextEncoder().encode(context.text);
      return [[...bytes], new TextDecoder().decode(bytes), new TextDecoder('gbk').decode(new Uint8Array([214, 208])),
        new TextDecoder().decode(new Uint8Array([255])), new TextDecoder().decode(), new TextEncoder().encode('').length,
        new TextDecoder('UTF8').encoding]`;
    const text = TEXT.toWellFormed();
    const expected = [[...Buffer.from(TEXT)], text, '中', '\ufffd', '', 0, 'utf-8'];
    expect(await run(source, { text: TEXT })).toEqual(expected);
  });

  it('are URLs and their queries', async () => {
    const source = `const url = new URL('../b?x=1&y=a%20b#h', 'https://Ada:s@example.com:8080/a/c');
      const before = { ...Object.fromEntries(['origin', 'host', 'port', 'username', 'pathname', 'hash'].map((name) => [name, url[name]])) };
      url.searchParams.append('z', 'ü&=');
      url.searchParams.set('x', 2);
      url.port = 443;
      const live = url.searchParams;
      url.search = '?q=1&q=2';
      const query = new URLSearchParams({ a: 'b c', d: 1 });
      query.delete('d');
      return { before, url, all: live.getAll('q'), has: [live.has('q', '2'), live.has('x')], size: live.size, query: query.toString(),
        pairs: [...new URLSearchParams([['b', '1'], ['a', '2']])], parsed: URL.parse('nowhere'), can: URL.canParse('a:b'),
        text: String(new URL('https://example.com')) }`;
    expect(await run(source)).toEqual({
      before: {
        origin: 'https://example.com:8080',
        host: 'example.com:8080',
        port: '8080',
        username: 'Ada',
        pathname: '/b',
        hash: '#h',
      },
      url: 'https://Ada:s@example.com/b?q=1&q=2#h',
      all: ['1', '2'],
      has: [true, false],
      size: 2,
      query: 'a=b+c',
      pairs: [
        ['b', '1'],
        ['a', '2'],
      ],
      parsed: null,
      can: true,
      text: 'https://example.com/',
    });
    const changed = `const url = new URL('https://a.b/?x=1'); url.searchParams.append('z', 'ü&='); url.searchParams.set('x', 2);
      return url.href`;
    expect(await run(changed)).toBe('https://a.b/?x=2&z=%C3%BC%26%3D');
  });

  it('are copies of values, and sleep', async () => {
    const source = `const value = { date: new Date(0), map: new Map([['a', new Set([1])]]), list: [1, , 3], bytes: new Uint8Array([1]),
        error: new TypeError('x'), pattern: /a/g };
      value.self = value;
      const copy = structuredClone(value);
      await platform.sleep(1);
      return [copy.self === copy, copy !== value, copy.date.getTime(), [...copy.map.get('a')], 1 in copy.list, copy.bytes[0],
        copy.bytes !== value.bytes, copy.error.name, copy.error.message, String(copy.pattern)]`;
    const expected = [true, true, 0, [1], false, 1, true, 'TypeError', 'x', '/a/g'];
    expect(await run(source)).toEqual(expected);
  });

  it.each([
    ['platform.hash("crc", "")', 'TypeError: The algorithm must be one of md5, sha1, sha256, sha512'],
    ['platform.hash("md5", "", "utf8")', 'TypeError: The encoding must be one of hex, base64, base64url'],
    ['platform.hash("md5", 1)', 'TypeError: The data must be a text or bytes'],
    ['platform.hash("md5", { bytes: 0 })', 'TypeError: The data must be a text or bytes'],
    ['platform.hmac("md5", undefined, "")', 'TypeError: The key must be a text or bytes'],
    [
      'platform.hash("md5", "x".repeat(1048577))',
      'RangeError: The data must have at most 1048576 characters or bytes',
    ],
    ['platform.base64.decode("*")', 'TypeError: The text is not base64'],
    ['platform.base64.decode("/w==")', 'TypeError: The encoded data was not valid for encoding utf-8'],
    ['btoa("世")', 'InvalidCharacterError: Invalid character'],
    ['new URL("nowhere")', 'TypeError: Invalid URL'],
    ['new TextDecoder("utf-9")', 'RangeError: The "utf-9" encoding is not supported'],
    [
      'new TextDecoder().decode(new Uint8Array(), { stream: true })',
      'TypeError: TextDecoder cannot decode parts of a text: decode all bytes at once',
    ],
    ['structuredClone(() => 1)', 'DataCloneError: A function cannot be cloned'],
    [
      'JSON.stringify(structuredClone(new URLSearchParams()))',
      'DataCloneError: A URLSearchParams cannot be cloned',
    ],
  ])('say what is wrong: %s', async (expression, message) => {
    expect(await thrownBy(expression)).toBe(message);
  });

  it('say where they failed, and refuse what JSON would empty', async () => {
    await expect(run('\nreturn new URL("nowhere")')).rejects.toThrow('TypeError: Invalid URL (line 2)');
    await expect(run('return new URLSearchParams("a=b")')).rejects.toThrow('it is no JSON: URLSearchParams');
  });

  it('do nothing else, whatever the code replaces', async () => {
    const source = `Array.prototype.toJSON = () => 'constructor'; Array.prototype.slice = Array.from = Reflect.apply = null;
      try { return String(platform.hash('md5', 'x')) } finally { delete Array.prototype.toJSON }`;
    expect(await run(source)).toBe('undefined');
    expect(await run('return [typeof process, platform.hash("md5", "x")]')).toEqual([
      'undefined',
      createHash('md5').update('x').digest('hex'),
    ]);
  });

  it('end with the processor time of the code, although QuickJS does not look at it meanwhile', async () => {
    const limits: SandboxLimits = { ...SANDBOX_LIMITS, cpuMs: 50 };
    const quickJs = newVariant(RELEASE_SYNC, { wasmMemory: createMemory(limits) });
    const interpreter = new Interpreter(await newQuickJSWASMModuleFromVariant(quickJs), limits);
    const host = { log: () => undefined, call: () => undefined };
    const source = `const text = 'x'.repeat(1e6); for (;;) try { platform.hash('sha512', text) } catch {}`;
    const before = process.threadCpuUsage();
    const state = new Execution(interpreter, host).start(source, '{}');
    const { user, system } = process.threadCpuUsage(before);
    expect(state).toMatchObject({ type: 'failed', failure: { kind: 'limit' } });
    // Until QuickJS looks at the time by itself, there are hashes for some seconds.
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  it('refuse a query that is too long in all', async () => {
    const query = (length: number) =>
      thrownBy(`new URLSearchParams([['a', 'x'.repeat(${length})], ['b', 'y']]).toString().length`);
    expect(await query(1024 * 1024 - 5)).toEqual({ value: 1024 * 1024 + 1 });
    expect(await query(1024 * 1024 - 4)).toBe(
      'RangeError: The query must have at most 1048576 characters or bytes',
    );
  });
});
