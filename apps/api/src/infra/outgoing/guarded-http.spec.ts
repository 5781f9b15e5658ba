import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import OpenAI from 'openai';
import { fetch as undiciFetch } from 'undici';
import { scaled } from '../../../e2e/faults/scale.ts';
import { cpuMsOf } from '../../../e2e/harness/cpu-time.ts';
import { GuardedHttp, OutgoingError, type GuardedRequest } from './guarded-http.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

const PUBLIC_MESSAGE = 'The address could not be reached';

const BOMB_BYTES = scaled('BOMB_BYTES', { quick: 5_000_000, slow: 50_000_000 });

describe('GuardedHttp', () => {
  const seen: { url: string; headers: IncomingMessage['headers']; body: string; address?: string }[] = [];
  let handler: Handler;
  let port: number;
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      const { url = '', headers, socket } = req;
      seen.push({ url, headers, body, ...(socket.localAddress && { address: socket.localAddress }) });
      handler(req, res);
    });
  });
  const open: GuardedHttp[] = [];

  /** Names resolve as the table says. */
  function guarded(
    allowPrivate: string[] = [],
    names: Record<string, string[]> = {},
    connectTimeoutMs = 3_000,
  ) {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return names[name] ?? Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`));
    };
    const http = new GuardedHttp({ allowPrivate, resolve, connectTimeoutMs });
    open.push(http);
    return { http, asked };
  }
  const local = () => guarded([`127.0.0.1:${port}`]).http;
  const at = (path = '/', host = '127.0.0.1') => `http://${host}:${port}${path}`;

  async function failure(http: GuardedHttp, url: string, request?: GuardedRequest): Promise<OutgoingError> {
    const error = await http.fetch(url, request).catch((thrown: unknown) => thrown);
    if (!(error instanceof OutgoingError)) throw new Error('expected an OutgoingError', { cause: error });
    expect(error.message).toBe(PUBLIC_MESSAGE);
    return error;
  }

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    seen.length = 0;
    handler = (_, res) => res.end('hello');
  });
  afterEach(() => Promise.all(open.splice(0).map((http) => http.close())));
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('looks up few names at a time, so that a domain without an answer keeps nothing else waiting', async () => {
    const asked: string[] = [];
    const never = new Promise<string[]>(() => undefined);
    const resolve = (name: string) => {
      asked.push(name);
      return name.endsWith('slow.example') ? never : Promise.resolve(['127.0.0.1']);
    };
    const http = new GuardedHttp({ allowPrivate: ['127.0.0.1'], resolve, connectTimeoutMs: 2_000 });
    open.push(http);
    const slow = Array.from({ length: 10 }, (_, i) => failure(http, at('/', `n${i}.slow.example`)));
    expect((await http.fetch(at('/', 'fast.example'))).text()).toBe('hello');
    await Promise.all(slow);
    expect(asked.filter((name) => name !== 'fast.example')).toHaveLength(2);
  });

  it('looks a name up once for all that connect at the same moment', async () => {
    const { promise, resolve: answer } = Promise.withResolvers<string[]>();
    const asked: string[] = [];
    const resolve = (name: string) => {
      asked.push(name);
      return promise;
    };
    const http = new GuardedHttp({ allowPrivate: ['127.0.0.1'], resolve });
    open.push(http);
    const calls = Array.from({ length: 20 }, () => http.fetch(at('/', 'busy.example')));
    setImmediate(() => answer(['127.0.0.1']));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(asked).toHaveLength(1);
  });

  it('sends a request once, also if the response is 421', async () => {
    handler = (_, res) => res.writeHead(421, { 'X-Kind': 'misdirected' }).end('elsewhere');
    const answer = await local().fetch(at('/pay'), { method: 'POST', body: 'once' });
    expect([answer.status, answer.ok, answer.text()]).toEqual([421, false, 'elsewhere']);
    expect(answer.headers.get('x-kind')).toBe('misdirected');
    expect(seen).toHaveLength(1);
  });

  it('makes a call', async () => {
    handler = (_, res) => res.writeHead(418, { 'X-Kind': 'teapot' }).end('{"short":true}');
    const answer = await local().fetch(at('/pot?x=1'), {
      method: 'POST',
      headers: { 'X-Caller': 'me' },
      body: 'boil',
    });
    expect([answer.status, answer.ok, answer.url]).toEqual([418, false, at('/pot?x=1')]);
    expect(answer.headers.get('x-kind')).toBe('teapot');
    expect(answer.json()).toEqual({ short: true });
    expect(seen[0]).toMatchObject({ url: '/pot?x=1', headers: { 'x-caller': 'me' }, body: 'boil' });
  });

  it('takes any status for an answer, an empty body too', async () => {
    handler = (_, res) => res.writeHead(204).end();
    expect(await local().fetch(at())).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
  });

  // The server listens: only the guard stands between.
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::]',
    '[::1]',
    '①②⑦.⓪.⓪.①',
  ])('does not connect to %s', async (host) => {
    expect((await failure(guarded().http, at('/', host))).reason).toMatch(/not public/);
    expect(seen).toEqual([]);
  });

  it.each(['http://[fe80::1%25eth0]/', 'http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/'])(
    'does not connect to %s',
    async (url) => {
      expect((await failure(guarded().http, url)).reason).toMatch(/not public|cannot be read/);
    },
  );

  it.each([
    ['ftp://example.com/', /not http/],
    ['file:///etc/passwd', /not http/],
    ['data:text/plain,hello', /not http/],
    ['http://user:secret@example.com/', /credentials/],
    ['http://user@example.com/', /credentials/],
    ['not an address', /cannot be read/],
    ['//example.com', /cannot be read/],
    ['http://', /cannot be read/],
  ])('refuses %s before any look-up', async (url, reason) => {
    const { http, asked } = guarded();
    const error = await failure(http, url);
    expect(error.reason).toMatch(reason);
    expect(error.reason).not.toContain('secret');
    expect(asked).toEqual([]);
  });

  describe('names', () => {
    it('refuses a name when one of its addresses is private', async () => {
      const { http } = guarded([], { 'mixed.test': ['93.184.215.14', '127.0.0.1'] });
      expect((await failure(http, at('/', 'mixed.test'))).reason).toMatch(/mixed\.test at 127\.0\.0\.1/);
      expect(seen).toEqual([]);
    });

    it('refuses a name that resolves to a private address, under every entry but its own', async () => {
      const names = { 'db.internal': ['127.0.0.1'] };
      await failure(guarded([], names).http, at('/', 'db.internal'));
      await failure(guarded(['other.internal', 'db.internal:1'], names).http, at('/', 'db.internal'));
      expect(seen).toEqual([]);
      expect((await guarded(['DB.internal'], names).http.fetch(at('/', 'db.internal'))).text()).toBe('hello');
      expect((await guarded(['127.0.0.0/8'], names).http.fetch(at('/', 'db.internal'))).text()).toBe('hello');
      expect(seen[0]?.headers.host).toBe(`db.internal:${port}`);
    });

    it('connects to the address that was checked, though the name has another one by then', async () => {
      const answers = [['127.0.0.1'], ['169.254.169.254']];
      let asked = 0;
      const resolve = async () => answers[asked++] ?? [];
      const http = new GuardedHttp({ allowPrivate: [`127.0.0.1:${port}`], resolve });
      open.push(http);
      expect((await http.fetch(at('/', 'rebind.test'))).text()).toBe('hello');
      expect(asked).toBe(1);
      expect(seen[0]?.address).toBe('127.0.0.1');
      // Every further connection is checked again.
      server.closeAllConnections();
      expect((await failure(http, at('/', 'rebind.test'))).reason).toMatch(/169\.254\.169\.254/);
      expect(seen).toHaveLength(1);
    });

    it('tells an unknown name and one without address alike', async () => {
      const { http } = guarded([], { 'empty.test': [] });
      expect((await failure(http, 'http://empty.test/')).reason).toMatch(/no address/);
      expect((await failure(http, 'http://nowhere.test/')).reason).toMatch(/ENOTFOUND/);
    });
  });

  describe('redirects', () => {
    const redirect =
      (location: string, status = 302): Handler =>
      (req, res) => {
        if (req.url === '/start') res.writeHead(status, { Location: location }).end('moved');
        else res.end('arrived');
      };

    it('are answers when nobody asked to follow them', async () => {
      handler = redirect('/end');
      const answer = await local().fetch(at('/start'));
      expect([answer.status, answer.text(), answer.headers.get('location')]).toEqual([302, 'moved', '/end']);
      expect(seen).toHaveLength(1);
    });

    it.each([301, 302, 303, 307, 308])('%i is followed on request', async (status) => {
      handler = redirect('/end', status);
      const answer = await local().fetch(at('/start'), {
        redirects: { most: 1, to: 'any' },
        headers: { 'X-Key': 'k' },
      });
      expect([answer.text(), answer.url]).toEqual(['arrived', at('/end')]);
      expect(seen[1]?.headers['x-key']).toBe('k');
    });

    it.each([
      'http://127.0.0.1:1/',
      'http://169.254.169.254/',
      'file:///etc/passwd',
      'http://a:b@example.com/',
    ])('are checked again: %s', async (location) => {
      handler = redirect(location);
      await failure(local(), at('/start'), { redirects: { most: 5, to: 'any' } });
      expect(seen).toHaveLength(1);
    });

    it('take no credential to another site', async () => {
      handler = redirect(at('/end', 'other.test'));
      const { http } = guarded([`127.0.0.1:${port}`], { 'other.test': ['127.0.0.1'] });
      const headers = { Authorization: 'Bearer canary', 'X-Api-Key': 'canary', Accept: 'text/html' };
      expect((await http.fetch(at('/start'), { redirects: { most: 1, to: 'any' }, headers })).text()).toBe(
        'arrived',
      );
      expect(seen[1]?.headers.accept).toBe('text/html');
      expect(JSON.stringify(seen[1])).not.toContain('canary');
    });

    it('end after as many as were asked for', async () => {
      handler = (_, res) => res.writeHead(302, { Location: '/start' }).end();
      expect((await failure(local(), at('/start'), { redirects: { most: 3, to: 'any' } })).reason).toBe(
        'too many redirects',
      );
      expect(seen).toHaveLength(4);
    });

    it('to another origin are answers if only those to the same are wanted', async () => {
      handler = redirect(at('/end', 'localhost'));
      const redirects = { most: 5, to: 'same-origin' } as const;
      expect((await local().fetch(at('/start'), { redirects })).status).toBe(302);
      handler = redirect('/end');
      expect((await local().fetch(at('/start'), { redirects })).text()).toBe('arrived');
    });

    it.each([
      [301, 'POST', 'GET'],
      [302, 'POST', 'GET'],
      [303, 'POST', 'GET'],
      [307, 'POST', 'POST'],
      [308, 'POST', 'POST'],
      [302, 'PUT', 'PUT'],
      [303, 'PUT', 'GET'],
      [303, 'HEAD', 'HEAD'],
    ])('%i turns %s into %s, as fetch does', async (status, method, next) => {
      const followed: (string | undefined)[] = [];
      handler = (req, res) => {
        if (req.url === '/end') followed.push(req.method);
        redirect('/end', status)(req, res);
      };
      const hasBody = method !== 'HEAD';
      const headers = { 'X-Key': 'k', ...(hasBody && { 'Content-Type': 'text/plain' }) };
      const redirects = { most: 1, to: 'same-origin' } as const;
      await local().fetch(at('/start'), { method, headers, redirects, ...(hasBody && { body: 'x' }) });
      expect(followed).toEqual([next]);
      const keepsBody = hasBody && next === method;
      expect(seen[1]).toMatchObject({ body: keepsBody ? 'x' : '', headers: { 'x-key': 'k' } });
      expect(seen[1]?.headers['content-type']).toBe(keepsBody ? 'text/plain' : undefined);
    });

    it('are no failed connections, which could be tried again', async () => {
      handler = redirect('http://127.0.0.1:1/');
      const error = await failure(local(), at('/start'), { redirects: { most: 1, to: 'any' } });
      expect(error.isConnectionFailure).toBe(false);
    });
  });

  describe('a response that is cut off', () => {
    const text = Array.from({ length: 2_000 }, (_, i) => `${i}`).join();
    const encoded: [string, Buffer][] = [
      ['gzip', gzipSync(text)],
      ['x-gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['deflate', deflateRawSync(text)],
      ['br', brotliCompressSync(text)],
      ['zstd', zstdCompressSync(text)],
      ['gzip, br', brotliCompressSync(gzipSync(text))],
      ['br, identity', brotliCompressSync(text)],
    ];

    it.each(encoded)('is no response: %s', async (encoding, bytes) => {
      handler = (_, res) => res.writeHead(200, { 'Content-Encoding': encoding }).end(bytes);
      const whole = await local().fetch(at());
      expect([whole.text(), whole.headers.get('content-encoding')]).toEqual([text, encoding]);
      for (const missing of [1, 4, 8, bytes.length >> 1, bytes.length - 1]) {
        const part = bytes.subarray(0, -missing);
        handler = (_, res) => res.writeHead(200, { 'Content-Encoding': encoding }).end(part);
        const error = await failure(local(), at());
        expect([missing, error.isConnectionFailure]).toEqual([missing, false]);
      }
    });

    it.each<[string, Handler]>([
      [
        'Content-Length',
        (_, res) => res.writeHead(200, { 'Content-Length': 10 }).write('12345', () => res.destroy()),
      ],
      ['chunks', (_, res) => res.writeHead(200).write('12345', () => res.destroy())],
    ])('is no response: %s', async (_, cut) => {
      handler = cut;
      expect((await failure(local(), at())).isConnectionFailure).toBe(false);
    });

    it('is not one that is empty, whatever its encoding', async () => {
      handler = (_, res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end();
      for (const method of ['GET', 'HEAD'])
        expect((await local().fetch(at(), { method })).bytes.length).toBe(0);
    });

    it('is read as it is if nobody can decode it', async () => {
      handler = (_, res) => res.writeHead(200, { 'Content-Encoding': 'compress' }).end('xyz');
      expect((await local().fetch(at())).text()).toBe('xyz');
    });
  });

  describe('limits', () => {
    it('counts the bytes as they are sent, up to the last one', async () => {
      handler = (_, res) => res.end('x'.repeat(1_000));
      expect((await local().fetch(at(), { maxBytes: 1_000 })).bytes.length).toBe(1_000);
      expect((await failure(local(), at(), { maxBytes: 999 })).reason).toMatch(/more than 999 bytes/);
    });

    it.each([
      ['gzip', gzipSync(Buffer.alloc(BOMB_BYTES))],
      ['br', brotliCompressSync(Buffer.alloc(BOMB_BYTES))],
      ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(BOMB_BYTES)))],
    ])('counts after decompression: %s', async (encoding, bomb) => {
      handler = (_, res) => res.writeHead(200, { 'Content-Encoding': encoding }).end(bomb);
      expect(bomb.length).toBeLessThan(100_000);
      expect((await failure(local(), at(), { maxBytes: 100_000 })).reason).toMatch(/more than 100000 bytes/);
    });

    it('stops decompressing in time what never becomes a byte', async () => {
      // Empty members, compressed again and again: a few kilobytes that arrive at once, and then take seconds.
      const empty = Buffer.concat(Array.from({ length: 5_000 }, () => gzipSync('')));
      const many = gzipSync(Buffer.concat(Array.from({ length: 200 }, () => empty)));
      const members = gzipSync(Buffer.concat(Array.from({ length: 50 }, () => many)));
      handler = (_, res) => res.writeHead(200, { 'Content-Encoding': 'gzip, gzip, gzip' }).end(members);
      const spent = await cpuMsOf(async () => {
        expect((await failure(local(), at(), { timeoutMs: 300 })).reason).toBe('no answer within 300 ms');
      });
      expect(spent).toBeLessThan(2_000);
    });

    it('stops an endless answer and closes the socket', async () => {
      const closed = new Promise<void>((resolve) => {
        handler = (_, res) => {
          const more = () => {
            while (res.writable && res.write('x'.repeat(10_000)));
          };
          res.on('drain', more).on('close', resolve);
          more();
        };
      });
      await failure(local(), at(), { maxBytes: 1_000_000 });
      await closed;
    });

    it.each<[string, Handler]>([
      ['never answers', () => undefined],
      ['never ends its answer', (_, res) => res.writeHead(200).write('x')],
    ])('gives up a server that %s', async (_, silent) => {
      handler = silent;
      expect((await failure(local(), at(), { timeoutMs: 50 })).reason).toBe('no answer within 50 ms');
    });

    it('gives up a connection that is not made in time', async () => {
      // Accepts the TCP connection and never answers the TLS handshake, which is part of connecting.
      const sockets: Socket[] = [];
      const deaf = createTcpServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
      await once(deaf, 'listening');
      const { port: deafPort } = deaf.address() as AddressInfo;
      const { http } = guarded([`127.0.0.1:${deafPort}`], {}, 50);
      const error = await failure(http, `https://127.0.0.1:${deafPort}/`);
      expect(error.reason).toMatch(/ConnectTimeoutError/);
      for (const socket of sockets) socket.destroy();
      deaf.close();
    });

    it('throws the reason of the caller who aborts', async () => {
      handler = () => undefined;
      const abort = new AbortController();
      const reason = new Error('no longer wanted');
      const call = local().fetch(at(), { signal: abort.signal });
      await once(server, 'request');
      abort.abort(reason);
      await expect(call).rejects.toBe(reason);
      await expect(local().fetch(at(), { signal: abort.signal })).rejects.toBe(reason);
    });
  });

  it('tells a refused connection as it tells a blocked one', async () => {
    const free = createTcpServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port: freePort } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');
    const refused = await failure(guarded(['127.0.0.1']).http, `http://127.0.0.1:${freePort}/`);
    expect(refused.reason).toMatch(/ECONNREFUSED/);
  });

  it('refuses a list it cannot read', () => {
    expect(() => new GuardedHttp({ allowPrivate: ['http://host'] })).toThrow(
      'no host, host:port or CIDR range',
    );
  });

  describe('dispatcher', () => {
    const client = (http: GuardedHttp, allowLoopback: boolean) =>
      new OpenAI({
        baseURL: at('/v1'),
        apiKey: 'none',
        maxRetries: 0,
        fetch: undiciFetch as unknown as typeof fetch,
        fetchOptions: { dispatcher: http.dispatcher({ allowLoopback }) } as never,
      });

    it('guards the openai client', async () => {
      await expect(client(guarded().http, false).models.list()).rejects.toThrow('Connection error');
      expect(seen).toEqual([]);
    });

    it('lets it reach the loopback where that is allowed', async () => {
      handler = (_, res) =>
        res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"data":[{"id":"m"}]}');
      const { data } = await client(guarded().http, true).models.list();
      expect(data).toEqual([{ id: 'm' }]);
    });
  });

  it('tells clients of other protocols to which address they may connect', async () => {
    const names = { inside: ['10.0.0.7'], outside: ['8.8.8.8'], mixed: ['8.8.8.8', '10.0.0.7'], none: [] };
    const { http } = guarded(['127.0.0.1:8080'], names);
    expect(await http.findAddress('outside', 443)).toBe('8.8.8.8');
    expect(await http.findAddress('127.0.0.1', 8080)).toBe('127.0.0.1');
    for (const host of ['inside', 'mixed', 'none', '127.0.0.1', '::ffff:127.0.0.1']) {
      await expect(http.findAddress(host, 80)).rejects.toBeInstanceOf(OutgoingError);
    }
  });
});
