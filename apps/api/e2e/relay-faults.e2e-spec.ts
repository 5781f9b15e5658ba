import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page, UsageBalance, UsageEntry } from '@platform/contracts';
import { eventOf, startHostileServer, stream, type HostileServer } from './fixtures/hostile-server.ts';
import { startOpenAiServer } from './fixtures/openai-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { cpuMsOf } from './harness/cpu-time.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const KEY = 'sk-upstream-canary-5c20';
const MESSAGES = [{ role: 'user' as const, content: 'Say hello' }];
const MB = 1024 * 1024;

let app: TestApp;
let server: HostileServer;

beforeAll(async () => {
  app = await TestApp.start();
  server = await startHostileServer();
  await addModel('hostile', server.url);
});
afterAll(async () => {
  await app.settle();
  await app.close();
  await server.close();
});

async function addModel(name: string, baseUrl: string, as: TestUser = app.admin): Promise<void> {
  const body = { name, baseUrl, apiKey: KEY };
  expect((await app.request('POST', '/api/models', { as, body })).status).toBe(201);
}

const complete = (body: object = {}, as: TestUser = app.member) =>
  app.request('POST', '/models/v1/chat/completions', {
    as,
    body: { model: 'hostile', messages: MESSAGES, ...body },
  });

/** What the last call of the user was charged. */
async function chargeOf(user: TestUser): Promise<UsageEntry | undefined> {
  await app.settle();
  return (await app.request<Page<UsageEntry>>('GET', '/api/usage/entries', { as: user })).body.items[0];
}

/** A call whose answer need not be what its type says. */
async function bytesOf(body: object, as: TestUser = app.member): Promise<number> {
  const init = { as, body: { model: 'hostile', messages: MESSAGES, ...body } };
  const response = await app.fetch('POST', '/models/v1/chat/completions', init);
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
  return bytes;
}

describe('a hostile model server', () => {
  it.each([
    ['whole', 'application/json', '"usage":{'.repeat(29_000)],
    ['whole and nested', 'application/json', '{"usage":'.repeat(29_000)],
    ['streamed', 'text/event-stream', `data: ${'"usage":{'.repeat(29_000)}\n\n`],
    ['streamed in CRLF events', 'text/event-stream', 'data: {"usage":{}}\r\n\r\n'.repeat(29_000)],
  ])('that writes 29,000 × "usage":{ blocks nobody: %s', async (_, type, text) => {
    server.answer = (res) => res.writeHead(200, { 'Content-Type': type }).end(text);
    const spent = await cpuMsOf(async () => {
      expect(await bytesOf({ stream: type !== 'application/json' })).toBe(text.length);
      await app.settle();
    });
    expect(spent).toBeLessThan(2_000);
  });

  describe('that repeats the key of the model', () => {
    const encoded = Buffer.from(`Authorization: Bearer ${KEY}`).toString('base64');
    const echo = JSON.stringify({ error: { message: `You sent ${KEY}, ${encoded}` }, choices: [], id: 'ü' });

    async function answersWithoutKey(stream: boolean, length: number): Promise<void> {
      const { text, headers } = await complete({ stream });
      expect(Buffer.byteLength(text)).toBe(length);
      const all = text + JSON.stringify([...headers]);
      expect(all).not.toContain(KEY);
      expect(all).not.toContain(encoded.slice(-20, -4));
      expect(text).toMatch(/You sent \*{23}, QXV0aG9yaXphdGlvbjogQmVhcmVyI.*\*/);
      expect(text).toContain('ü');
    }

    it('in a complete response, is masked', async () => {
      server.answer = (res) =>
        res
          .writeHead(200, {
            'Content-Type': `application/json; key=${KEY}`,
            'Content-Length': Buffer.byteLength(echo),
          })
          .end(echo);
      await answersWithoutKey(false, Buffer.byteLength(echo));
    });

    it.each([1, 10, 10_000])('in a stream in pieces of %i bytes, is masked', async (size) => {
      const bytes = Buffer.from(`data: ${echo}\n\ndata: [DONE]\n\n`);
      server.answer = (res) => {
        stream(res);
        for (let at = 0; at < bytes.length; at += size) res.write(bytes.subarray(at, at + size));
        res.end();
      };
      await answersWithoutKey(true, bytes.length);
    });

    it('split over several chunks, is masked', async () => {
      const pieces = `You sent ${KEY}.`.match(/.{1,3}/g) ?? [];
      server.answer = (res) => {
        stream(res);
        for (const content of pieces) res.write(eventOf({ content }));
        res.end('data: [DONE]\n\n');
      };
      const { text } = await complete({ stream: true });
      const said = [...text.matchAll(/"content":"(.*?)"/g)].map(([, piece]) => piece).join('');
      expect(said).toMatch(/^You sent .{0,3}\*{20,}\.$/);
      expect(text).toMatch(/\[DONE\]\n\n$/);
    });

    it.each([KEY, encoded, encodeURIComponent(KEY)])('in an error response, is masked: %s', async (form) => {
      server.answer = (res) =>
        res
          .writeHead(429, { 'Retry-After': KEY, 'Content-Type': 'application/json' })
          .end(JSON.stringify({ error: { message: `You sent ${form}`, code: null } }));
      const { status, text, headers } = await complete();
      expect(status).toBe(429);
      expect(text).not.toContain(form);
      expect(headers.get('retry-after')).toBe('*'.repeat(KEY.length));
    });
  });

  it('that compresses unasked is refused before it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * MB));
    server.answer = (res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
    expect(await complete()).toMatchObject({
      status: 503,
      body: { error: { code: 'upstream_unreachable' } },
    });
  });

  it('that sends endless informational responses is disconnected', async () => {
    server.answer = ({ socket }) => {
      const timer = setInterval(() => socket?.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'), 5);
      socket?.once('close', () => clearInterval(timer));
    };
    expect(await complete()).toMatchObject({
      status: 503,
      body: { error: { code: 'upstream_unreachable' } },
    });
  });
});

describe('stream_options', () => {
  it('are requested again after an error that only mentions them', async () => {
    const plain = await startOpenAiServer();
    await addModel('plain', plain.url);
    const refusal = { kind: 'status', status: 400, message: 'Too long. stream_options are fine.' } as const;
    plain.nextBehavior(refusal, refusal);
    expect((await complete({ model: 'plain', stream: true })).status).toBe(400);
    expect((await complete({ model: 'plain', stream: true })).status).toBe(200);
    expect(plain.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, true]);
    expect(await chargeOf(app.member)).toMatchObject({ model: 'plain', estimated: false });
    await plain.close();
  });
});

describe('audio, with a limited balance', () => {
  const GRANTED = 100_000;
  let owner: TestUser;
  let called: number;

  beforeEach(async () => {
    owner = await app.addUser('ADMIN', null);
    await addModel('hostile', server.url, owner);
    await app.request('POST', '/api/usage/grants', { as: owner, body: { tokens: GRANTED } });
    called = 0;
  });

  /** What the server does with the next calls. */
  const answerWith = (answer: HostileServer['answer']) => {
    server.answer = (res, req) => {
      called++;
      answer(res, req);
    };
  };

  const speak = (signal?: AbortSignal) =>
    app.fetch('POST', '/models/v1/audio/speech', {
      as: owner,
      body: { model: 'hostile', input: 'Say hello to all of them', voice: 'alloy' },
      signal,
    });

  const transcribe = (signal?: AbortSignal) => {
    const raw = new FormData();
    raw.append('model', 'hostile');
    raw.append('file', new File([Buffer.alloc(1_000, 7)], 'a.wav'));
    return app.fetch('POST', '/models/v1/audio/transcriptions', { as: owner, raw, signal });
  };

  const CALLS = [
    ['spoken', speak, 'audio/mpeg', Buffer.alloc(1_000, 7), { promptTokens: 6, completionTokens: 0 }],
    ['transcribed', transcribe, 'text/plain', 'Hello', { promptTokens: 1_000, completionTokens: 1 }],
  ] as const;

  const balance = async () =>
    (await app.request<UsageBalance>('GET', '/api/usage/balance', { as: owner })).body.space;

  /** Nothing is held any more, and the balance lacks what was charged. */
  async function charges(): Promise<UsageEntry[]> {
    await app.settle();
    const path = '/api/usage/entries?limit=200';
    const { items } = (await app.request<Page<UsageEntry>>('GET', path, { as: owner })).body;
    const charged = items.filter(({ source }) => source === 'relay');
    const tokens = charged.reduce((sum, entry) => sum + entry.tokens, 0);
    expect(await balance()).toMatchObject({ balance: GRANTED + tokens, held: 0 });
    return charged;
  }

  describe.each(CALLS)('that is %s', (_, call, type, piece, used) => {
    verifies('relay.audio', 'is not charged if the server dies before it responds', async () => {
      answerWith((res) => res.destroy());
      const response = await call();
      expect([response.status, await response.json()]).toMatchObject([
        503,
        { error: { code: 'upstream_unreachable' } },
      ]);
      expect(await charges()).toEqual([]);
    });

    verifies('relay.audio', 'is not charged if the server refuses it', async () => {
      answerWith((res) => res.writeHead(500, { 'Content-Type': 'application/json' }).end('{"error":{}}'));
      const response = await call();
      expect([response.status, await response.json()]).toEqual([500, { error: {} }]);
      expect(await charges()).toEqual([]);
    });

    verifies('relay.audio', 'is cut off and charged by an estimate if the server dies', async () => {
      answerWith((res) => {
        res.writeHead(200, { 'Content-Type': type, 'Content-Length': 100_000 });
        res.write(piece, () => res.destroy());
      });
      const response = await call();
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
      expect(await charges()).toMatchObject([{ ...used, model: 'hostile', estimated: true }]);
    });

    verifies(['relay.audio', 'relay.leaving'], 'is aborted and charged if the caller leaves', async () => {
      const gone = new AbortController();
      answerWith((res) => res.writeHead(200, { 'Content-Type': type }).write(piece));
      const response = await call(gone.signal);
      await response.body?.getReader().read();
      expect((await balance()).held).toBeGreaterThan(0);
      gone.abort();
      await server.closed;
      await eventually(async () => expect(await charges()).toHaveLength(1));
      expect(await charges()).toMatchObject([{ ...used, estimated: true }]);
    });

    verifies(
      ['relay.audio', 'relay.leaving'],
      'is aborted if the caller leaves before it begins',
      async () => {
        const gone = new AbortController();
        answerWith(() => gone.abort());
        await expect(call(gone.signal)).rejects.toThrow();
        await server.closed;
        await eventually(async () => expect(await charges()).toHaveLength(1));
        const { promptTokens } = used;
        expect(await charges()).toMatchObject([{ promptTokens, completionTokens: 0, estimated: true }]);
      },
    );

    verifies(['relay.audio', 'relay.ledger.hold'], 'does not reach the server without balance', async () => {
      answerWith((res) => {
        const usage = { input_tokens: GRANTED, output_tokens: 0 };
        res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ text: '', usage }));
      });
      expect((await call()).status).toBe(200);
      expect(await charges()).toMatchObject([{ tokens: -GRANTED, estimated: false }]);
      const response = await call();
      expect([response.status, await response.json()]).toMatchObject([
        402,
        { error: { code: 'insufficient_quota' } },
      ]);
      expect(called).toBe(1);
      expect(await charges()).toHaveLength(1);
    });
  });
});

describe('the name of a model', () => {
  verifies('relay.errors', 'that is invalid is a 400, and fails no concurrent call', async () => {
    server.answer = (res) => stream(res).end(`${eventOf({ content: 'Hi' })}data: [DONE]\n\n`);
    const names = ['a\0b', '\0', 'x'.repeat(201), '\ud800'];
    const calls = await Promise.all([
      ...Array.from({ length: 20 }, () => complete({ stream: true })),
      ...names.map((model) => complete({ model })),
      ...Array.from({ length: 20 }, () => complete({ stream: true })),
    ]);
    const statuses = calls.map(({ status }) => status);
    expect(statuses.splice(20, names.length)).toEqual(names.map(() => 400));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(calls[20]?.body).toMatchObject({ error: { type: 'invalid_request_error', param: 'model' } });
  });
});
