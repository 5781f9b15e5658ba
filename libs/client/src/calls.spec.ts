import { FakeTimer } from '../test/fake-timer.ts';
import { answer, startStream, TestServer } from '../test/test-server.ts';
import { sse, turnFrames } from '../test/fixtures.ts';
import { PlatformClient } from './client.ts';
import type { PlatformClientOptions } from './client.ts';
import { PlatformConnectionError, PlatformTimeoutError } from './errors.ts';

const FAILURE = { success: false, message: 'Try again', code: 'SERVER_ERROR' };
const CONTENTS = [{ type: 'text' as const, text: 'Hi' }];
const TURN = '3a5cf4a4-6a0c-4f0e-9f44-24b8a9a5a001';
const EVENT = { appIdentifier: 'shop', event: 'order.created', payload: {} };

let server: TestServer;
let timer: FakeTimer;

beforeEach(async () => {
  timer = new FakeTimer({ limits: [60_000, 45_000] });
  server = await new TestServer().start();
});
afterEach(() => server.stop());

function client(options: Partial<PlatformClientOptions> = {}): PlatformClient {
  return new PlatformClient({ baseUrl: server.url, timer, random: () => 0.5, ...options });
}

/** Fails so many calls, then succeeds. */
function failFirst(count: number, status: number | 'cut', headers = {}, body: unknown = { ok: true }): void {
  let failed = 0;
  server.handle = (_, response) => {
    if (++failed > count) answer(response, 200, body);
    else if (status === 'cut') response.destroy();
    else answer(response, status, FAILURE, headers);
  };
}

/** What can be sent twice without doing anything twice. */
const SAFE: [string, (client: PlatformClient) => PromiseLike<unknown>][] = [
  ['GET', ({ agents }) => agents.get('a')],
  ['PUT', ({ usage }) => usage.setStorageQuotas({ events: null, rows: null } as never)],
  ['DELETE', ({ agents }) => agents.delete('a')],
  ['a turn with a turnId', ({ agents }) => agents.chat('a', { contents: CONTENTS, turnId: TURN })],
  ['a job with a turnId', ({ jobs }) => jobs.create({ agentId: 'a', contents: CONTENTS, turnId: TURN })],
  ['a job with a key', ({ jobs }) => jobs.create({ agentId: 'a', contents: CONTENTS, idempotencyKey: 'k' })],
  ['an event with a key', ({ events }) => events.emit({ ...EVENT, idempotencyKey: 'k' })],
];

const UNSAFE: [string, (client: PlatformClient) => PromiseLike<unknown>][] = [
  ['a POST', ({ agents }) => agents.create({ name: 'a', model: 'm', systemPrompt: 's' })],
  ['a PATCH', ({ agents }) => agents.update('a', { name: 'b' })],
  ['a turn without a turnId', ({ agents }) => agents.chat('a', { contents: CONTENTS })],
  ['an execution', ({ agents }) => agents.execute('a', { inputs: { query: 'x' } })],
  ['a job without a key', ({ jobs }) => jobs.create({ agentId: 'a', contents: CONTENTS })],
  ['an event without a key', ({ events }) => events.emit(EVENT)],
];

describe('a call that is safe to repeat', () => {
  for (const [name, call] of SAFE) {
    it.each([408, 429, 500, 502, 503, 504, 'cut'] as const)(
      `${name} is repeated after %s`,
      async (status) => {
        failFirst(2, status);
        await call(client());
        expect(server.seen).toHaveLength(3);
        expect(new Set(server.seen.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      },
    );
  }

  it.each([400, 401, 403, 404, 409, 413, 426, 501])('is not repeated after %s', async (status) => {
    failFirst(1, status);
    await expect(client().agents.get('a')).rejects.toMatchObject({ status });
    expect(server.seen).toHaveLength(1);
  });

  it('waits as long as the service requires', async () => {
    failFirst(2, 429, { 'Retry-After': '7' });
    const waits: [number, unknown][] = [];
    await client({ onWait: (delayMs, error) => waits.push([delayMs, error]) }).agents.get('a');
    expect(timer.delays).toEqual([7_000, 7_000]);
    const told = [7_000, expect.objectContaining({ status: 429, retryAfter: 7 })];
    expect(waits).toEqual([told, told]);
  });

  it('does not wait for minutes', async () => {
    failFirst(1, 429, { 'Retry-After': '91' });
    await expect(client().agents.get('a')).rejects.toMatchObject({ status: 429, retryAfter: 91 });
    expect(server.seen).toHaveLength(1);
  });

  it('is repeated as often as the client, or the call, says', async () => {
    for (const [options, maxRetries, calls] of [
      [{}, undefined, 3],
      [{ maxRetries: 0 }, undefined, 1],
      [{ maxRetries: 4 }, undefined, 5],
      [{ maxRetries: 4 }, 1, 2],
      [{}, 0, 1],
    ] as const) {
      server.seen.length = 0;
      failFirst(9, 500);
      await expect(client(options).agents.get('a', { maxRetries })).rejects.toMatchObject({ status: 500 });
      expect(server.seen).toHaveLength(calls);
    }
  });

  it('that deletes has succeeded if the repetition finds nothing', async () => {
    let calls = 0;
    server.handle = (_, response) => {
      if (++calls === 1) response.destroy();
      else answer(response, 404, FAILURE);
    };
    await expect(client().agents.delete('a')).resolves.toBeUndefined();
    calls = 1;
    await expect(client().agents.delete('a')).rejects.toMatchObject({ status: 404 });
  });
});

describe('a call that could take effect twice', () => {
  for (const [name, call] of UNSAFE) {
    it(`${name} is repeated if it was refused before it began`, async () => {
      failFirst(2, 429);
      await call(client());
      expect(server.seen).toHaveLength(3);
    });

    it.each([408, 503, 'cut'] as const)(`${name} is not repeated after %s`, async (status) => {
      failFirst(1, status);
      await expect(call(client())).rejects.toBeInstanceOf(Error);
      expect(server.seen).toHaveLength(1);
    });
  }
});

describe('the start of a stream', () => {
  it.each([408, 429, 500, 502, 503, 504])('is repeated after %s with the same turnId', async (status) => {
    let calls = 0;
    server.handle = (_, response) => {
      if (++calls <= 2) {
        answer(response, status, FAILURE);
        return;
      }
      startStream(response);
      response.end(sse(turnFrames(['Hello'])));
    };
    expect(await client().agents.chatStream('a', { contents: CONTENTS }).text()).toBe('Hello');
    const turns = server.seen.map(({ body }) => (body as { turnId: string }).turnId);
    expect([turns.length, new Set(turns).size]).toEqual([3, 1]);
  });

  it('is repeated twice, and not at all for an execution', async () => {
    failFirst(99, 500);
    await expect(client().agents.chatStream('a', { contents: CONTENTS }).text()).rejects.toMatchObject({
      status: 500,
    });
    expect(server.seen).toHaveLength(3);
    await expect(client().agents.executeStream('a', { inputs: {} }).text()).rejects.toMatchObject({
      status: 500,
    });
    expect(server.seen).toHaveLength(4);
    const once = client().agents.chatStream('a', { contents: CONTENTS }, { maxRetries: 0 });
    await expect(once.text()).rejects.toMatchObject({ status: 500 });
    expect(server.seen).toHaveLength(5);
  });
});

describe('a list', () => {
  const pages = [
    { items: [{ id: '1' }, { id: '2' }], nextCursor: 'c1' },
    { items: [], nextCursor: 'c2' },
    { items: [{ id: '3' }], nextCursor: null },
  ];
  const servePages = () => {
    server.handle = ({ query }, response) => {
      const cursor = query.get('cursor');
      answer(response, 200, pages[cursor === null ? 0 : Number(cursor.slice(1))]);
    };
  };

  it('is a page if it is awaited, and all items if it is iterated', async () => {
    servePages();
    expect(await client().tasks.list({ limit: 2 })).toEqual(pages[0]);
    expect(server.seen).toHaveLength(1);
    const ids: string[] = [];
    for await (const { id } of client().tasks.list({ limit: 2 })) ids.push(id);
    expect(ids).toEqual(['1', '2', '3']);
    expect(server.seen.slice(1).map(({ query }) => query.toString())).toEqual([
      'limit=2',
      'limit=2&cursor=c1',
      'limit=2&cursor=c2',
    ]);
  });

  it('loads no page that is not needed, and can be iterated again', async () => {
    servePages();
    const list = client().tasks.list();
    for (let i = 0; i < 2; i++) for await (const { id } of list) if (id === '2') break;
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['says nothing of a next page', undefined, ['1']],
    ['has an empty cursor', '', ['1']],
  ])('ends if a page %s', async (_, nextCursor, expected) => {
    server.handle = (_, response) => {
      if (server.seen.length > 3) response.destroy();
      else answer(response, 200, { items: [{ id: '1' }], nextCursor });
    };
    const ids: string[] = [];
    for await (const { id } of client({ maxRetries: 0 }).tasks.list()) ids.push(id);
    expect(ids).toEqual(expected);
  });

  it('fails if a page has the cursor that it was read with, instead of repeating it forever', async () => {
    server.handle = (_, response) => {
      if (server.seen.length > 5) response.destroy();
      else answer(response, 200, pages[0]);
    };
    const read = async () => {
      for await (const { id } of client({ maxRetries: 0 }).tasks.list()) expect(id).toBeDefined();
    };
    await expect(read()).rejects.toThrow('repeats');
    expect(server.seen).toHaveLength(2);
  });

  it('throws the error of the page that failed', async () => {
    server.handle = ({ query }, response) =>
      query.has('cursor') ? answer(response, 403, FAILURE) : answer(response, 200, pages[0]);
    const ids: string[] = [];
    const read = async () => {
      for await (const { id } of client().tasks.list()) ids.push(id);
    };
    await expect(read()).rejects.toMatchObject({ status: 403 });
    expect(ids).toEqual(['1', '2']);
  });
});

describe('a result', () => {
  it('comes with its response if asked', async () => {
    server.handle = (_, response) =>
      answer(response, 200, { id: 'a' }, { 'X-Request-Id': 'req-9', RateLimit: '"default";r=7;t=3' });
    const { data, response, requestId } = await client().agents.get('a').withResponse();
    expect(data).toEqual({ id: 'a' });
    expect([response.status, response.headers.get('RateLimit'), requestId]).toEqual([
      200,
      '"default";r=7;t=3',
      'req-9',
    ]);
    expect((await client().agents.list().withResponse()).requestId).toBe('req-9');
    expect(server.seen).toHaveLength(2);
  });

  it('is a promise like any other', async () => {
    failFirst(0, 500, {}, { id: 'a' });
    const { agents } = client();
    const call = agents.get('a');
    expect(call).toBeInstanceOf(Promise);
    const ended: string[] = [];
    expect(await call.finally(() => void ended.push('finally'))).toEqual({ id: 'a' });
    expect(await Promise.all([call, call.then(({ id }) => id)])).toEqual([{ id: 'a' }, 'a']);
    failFirst(1, 404);
    const failed: unknown = await agents.get('a').catch((error: unknown) => error);
    expect(failed).toMatchObject({ status: 404 });
    expect(ended).toEqual(['finally']);
  });

  it('that fails is thrown once, by what was awaited', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    failFirst(9, 404);
    await expect(client().agents.get('a').withResponse()).rejects.toMatchObject({ status: 404 });
    await expect(client().tasks.list().withResponse()).rejects.toMatchObject({ status: 404 });
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a timeout', () => {
  it('has a class of its own, and is a connection error', async () => {
    server.handle = (_, response) => {
      response.writeHead(200);
      response.write('{');
    };
    const impatient = client({ timeoutMs: 30, maxRetries: 0, timer: undefined });
    const error = await impatient.auth.me().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(PlatformTimeoutError);
    expect(error).toBeInstanceOf(PlatformConnectionError);
    expect(error).toMatchObject({ name: 'PlatformTimeoutError', timeoutMs: 30 });
    expect((error as Error).message).toBe('No complete response to GET /api/auth/me within 30 ms');
  });

  it('differs from a lost connection', async () => {
    failFirst(9, 'cut');
    const error = await client()
      .auth.me()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PlatformConnectionError);
    expect(error).not.toBeInstanceOf(PlatformTimeoutError);
  });
});
