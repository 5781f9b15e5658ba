import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FakeTimer } from '../test/fake-timer.ts';
import { answer, TestServer } from '../test/test-server.ts';
import { PlatformClient } from './client.ts';
import type { PlatformClientOptions } from './client.ts';
import { parseRetryAfter, PlatformConnectionError, PlatformError } from './errors.ts';
import { backoffDelay } from './retry.ts';

const PAGE = { items: [], nextCursor: null };

let server: TestServer;
let timer: FakeTimer;

beforeEach(async () => {
  timer = new FakeTimer({ limits: [60_000] });
  server = await new TestServer().start();
});
afterEach(() => server.stop());

function client(options: Partial<PlatformClientOptions> = {}): PlatformClient {
  return new PlatformClient({ baseUrl: server.url, timer, random: () => 0.5, ...options });
}

describe('errors', () => {
  it('contain the error of the service and the headers that identify the call', async () => {
    server.handle = (_, response) =>
      answer(
        response,
        429,
        { success: false, message: 'Too many calls', code: 'RATE_LIMITED' },
        { 'X-Request-Id': 'req-7', 'X-Turn-Id': 'turn-7', 'Retry-After': '12' },
      );
    const error: unknown = await client()
      .agents.create({ name: 'a', model: 'm', systemPrompt: 's' })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({
      name: 'PlatformError',
      status: 429,
      code: 'RATE_LIMITED',
      message: 'Too many calls',
      requestId: 'req-7',
      turnId: 'turn-7',
      retryAfter: 12,
    });
  });

  it.each([
    [404, '<html>nothing here</html>', 'NOT_FOUND', 'HTTP 404 Not Found'],
    [413, '', 'PAYLOAD_TOO_LARGE', 'HTTP 413 Payload Too Large'],
    [418, '"tea"', 'UNEXPECTED_RESPONSE', "HTTP 418 I'm a Teapot"],
    [504, '{"error":"upstream"}', 'SERVER_ERROR', 'HTTP 504 Gateway Timeout'],
  ])('describe a foreign body by its status (%d)', async (status, body, code, message) => {
    server.handle = (_, response) => void response.writeHead(status).end(body);
    await expect(client().auth.me()).rejects.toMatchObject({
      status,
      code,
      message,
      requestId: null,
      turnId: null,
      retryAfter: null,
    });
  });

  it('report a successful response that is not JSON', async () => {
    server.handle = (_, response) => void response.end('<html>Please sign in to the hotel</html>');
    await expect(client().auth.me()).rejects.toMatchObject({
      name: 'PlatformError',
      code: 'UNEXPECTED_RESPONSE',
    });
  });

  it('name the call and the reason if there was no response', async () => {
    const { auth } = client();
    await server.stop();
    const error: unknown = await auth
      .changePassword({ currentPassword: 'a', newPassword: 'b' })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(PlatformConnectionError);
    expect((error as Error).message).toMatch(/^No response to POST \/api\/auth\/password: .*ECONNREFUSED/);
    expect((error as Error).cause).toMatchObject({ name: 'TypeError' });
    await server.start();
  });

  it.each([
    [null, null],
    ['0', 0],
    ['120', 120],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['soon', null],
  ])('read Retry-After %p as %p', (header, seconds) => {
    expect(parseRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(seconds);
  });
});

describe('retries', () => {
  const away = { success: false, message: 'Restarting', code: 'UNAVAILABLE' };

  it('a GET is retried twice after a lost connection', async () => {
    server.handle = (_, response) => {
      if (server.seen.length < 3) response.socket?.destroy();
      else answer(response, 200, PAGE);
    };
    expect(await client().models.list()).toEqual(PAGE);
    expect(timer.delays).toEqual([187.5, 375]);
  });

  it('a GET waits as long as a 503 requires, and fails after two retries', async () => {
    server.handle = (_, response) => answer(response, 503, away, { 'Retry-After': '2' });
    await expect(client().models.list()).rejects.toMatchObject({ status: 503, message: 'Restarting' });
    expect(server.seen).toHaveLength(3);
    expect(timer.delays).toEqual([2000, 2000]);
  });

  it('a GET does not wait for minutes', async () => {
    server.handle = (_, response) => answer(response, 503, away, { 'Retry-After': '300' });
    await expect(client().models.list()).rejects.toMatchObject({ status: 503, retryAfter: 300 });
    expect(server.seen).toHaveLength(1);
  });

  it('a GET that was rejected is not repeated', async () => {
    server.handle = (_, response) =>
      answer(response, 400, { success: false, message: 'x', code: 'VALIDATION_ERROR' });
    await expect(client().models.list()).rejects.toMatchObject({ status: 400 });
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['POST', (c: PlatformClient) => c.agents.chat('a-1', { contents: [] })],
    ['PATCH', (c: PlatformClient) => c.agents.update('a-1', { name: 'b' })],
  ])('a %s is never repeated', async (_, call) => {
    server.handle = (_request, response) => {
      if (server.seen.length === 1) response.socket?.destroy();
      else answer(response, 503, away);
    };
    await expect(call(client())).rejects.toBeInstanceOf(PlatformConnectionError);
    await expect(call(client())).rejects.toMatchObject({ status: 503 });
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    [1, 0, 50],
    [1, 1, 100],
    [2, 0.5, 150],
    [4, 0.5, 600],
    [9, 0, 500],
    [9, 1, 1000],
  ])('back off exponentially with jitter: retry %d, random %d', (attempt, random, ms) => {
    expect(backoffDelay(attempt, { baseDelayMs: 100, maxDelayMs: 1000 }, random)).toBe(ms);
  });
});

describe('timeout and signal', () => {
  const silent = () => undefined;

  it('reports a response that takes too long', async () => {
    server.handle = silent;
    const call = client({ timer: undefined }).agents.create(
      { name: 'a', model: 'm', systemPrompt: 's' },
      { timeoutMs: 40 },
    );
    await expect(call).rejects.toThrow('No complete response to POST /api/agents within 40 ms');
  });

  it('reports a body that takes too long', async () => {
    server.handle = (_, response) => void response.writeHead(200).write('{"items":');
    const call = client({ timer: undefined }).spaces.create({ name: 'x' }, { timeoutMs: 60 });
    await expect(call).rejects.toBeInstanceOf(PlatformConnectionError);
  });

  it('leaves no timer behind', async () => {
    server.handle = (_, response) => answer(response, 200, PAGE);
    await client().agents.list();
    expect(timer.running).toBe(0);
  });

  it('throws the reason of the signal', async () => {
    const leaving = new AbortController();
    server.handle = () => leaving.abort(new Error('Page left'));
    await expect(client().agents.list({}, { signal: leaving.signal })).rejects.toThrow('Page left');
    expect(server.seen).toHaveLength(1);
  });
});

describe('credentials', () => {
  const accepts = (token: string) => {
    server.handle = (request, response) => {
      if (request.headers.authorization === `Bearer ${token}`) answer(response, 200, PAGE);
      else answer(response, 401, { success: false, message: 'Sign in', code: 'UNAUTHORIZED' });
    };
  };
  const sent = () => server.seen.map(({ headers }) => headers.authorization);

  it('uses the current token for every call', async () => {
    accepts('t2');
    let n = 0;
    const { agents } = client({ accessToken: async () => `t${++n}` });
    await expect(agents.list()).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    expect(await agents.list()).toEqual(PAGE);
  });

  it('sends none if there is none', async () => {
    server.handle = (_, response) => answer(response, 200, PAGE);
    await client().agents.list();
    await client({ accessToken: () => null }).agents.list();
    expect(sent()).toEqual([undefined, undefined]);
  });

  it('renews a rejected token, repeats the call with any method, and keeps the token', async () => {
    accepts('new');
    const { agents } = client({ accessToken: 'old', onUnauthorized: async () => 'new' });
    await agents.create({ name: 'a', model: 'm', systemPrompt: 's' });
    await agents.list();
    expect(sent()).toEqual(['Bearer old', 'Bearer new', 'Bearer new']);
    expect(server.seen[1]?.body).toEqual({ name: 'a', model: 'm', systemPrompt: 's' });
  });

  it('renews once for concurrent calls', async () => {
    accepts('new');
    let renewals = 0;
    let finish: (token: string) => void = () => undefined;
    const renewed = new Promise<string>((done) => (finish = done));
    const onUnauthorized = () => {
      renewals++;
      return renewed;
    };
    const { agents } = client({ accessToken: 'old', onUnauthorized });
    const respond = server.handle;
    let refused = 0;
    server.handle = async (request, response) => {
      await respond(request, response);
      // The new token is returned only after all five calls were rejected.
      if (response.statusCode === 401 && ++refused === 5) finish('new');
    };
    expect(await Promise.all(Array.from({ length: 5 }, () => agents.list()))).toEqual(Array(5).fill(PAGE));
    expect(renewals).toBe(1);
  });

  it('renews once per call, and reports the 401 if there is no new token', async () => {
    accepts('never');
    await expect(
      client({ accessToken: 'a', onUnauthorized: async () => 'b' }).agents.list(),
    ).rejects.toMatchObject({
      status: 401,
    });
    await expect(
      client({ accessToken: 'a', onUnauthorized: async () => null }).agents.list(),
    ).rejects.toMatchObject({
      message: 'Sign in',
    });
    expect(sent()).toEqual(['Bearer a', 'Bearer b', 'Bearer a']);
  });

  it('throws the error of a failed renewal unchanged', async () => {
    accepts('never');
    const onUnauthorized = () => Promise.reject(new RangeError('Signed out'));
    await expect(client({ accessToken: 'a', onUnauthorized }).agents.list()).rejects.toThrow(RangeError);
    expect(server.seen).toHaveLength(1);
  });

  it('refreshes with the cookie only, without a renewal', async () => {
    accepts('never');
    let renewals = 0;
    const onUnauthorized = async () => `t${++renewals}`;
    const inits: (RequestInit | undefined)[] = [];
    const { auth } = client({
      accessToken: 'a',
      onUnauthorized,
      fetch: (input, init) => {
        inits.push(init);
        return fetch(input, init);
      },
    });
    await expect(auth.refresh({ spaceId: 's' })).rejects.toMatchObject({ status: 401 });
    await expect(auth.login({ email: 'e', password: 'p' })).rejects.toMatchObject({ status: 401 });
    await expect(auth.logout()).rejects.toMatchObject({ status: 401 });
    await expect(auth.me()).rejects.toMatchObject({ status: 401 });
    expect(inits.map((init) => init?.credentials)).toEqual([
      'include',
      'include',
      'include',
      undefined,
      undefined,
    ]);
    expect(sent().slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(server.seen.slice(0, 3).map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/api/auth/refresh', { spaceId: 's' }],
      ['POST', '/api/auth/login', { email: 'e', password: 'p' }],
      ['POST', '/api/auth/logout', {}],
    ]);
    expect(renewals).toBe(1);
  });
});

describe('a signal that lives as long as the application', () => {
  it('keeps no listeners of finished calls', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    server.handle = (_, response) => answer(response, 200, PAGE);
    const given: WeakRef<AbortSignal>[] = [];
    const own = client({
      fetch: (url, init) => {
        if (init?.signal) given.push(new WeakRef(init.signal));
        // fetch does the same, and may leave the listener there.
        init?.signal?.addEventListener('abort', () => undefined);
        return fetch(url, { ...init, signal: null });
      },
    });
    const { signal } = new AbortController();
    for (let i = 0; i < 100; i++) await own.agents.list({}, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
    expect(given).toHaveLength(100);
    expect(given.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(10);
  });
});
