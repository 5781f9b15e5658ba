import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, UsageEntry } from '@platform/contracts';
import { eventOf, startHostileServer, stream, type HostileServer } from './fixtures/hostile-server.ts';
import { startOpenAiServer } from './fixtures/openai-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { cpuMsOf } from './harness/cpu-time.ts';
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

async function addModel(name: string, baseUrl: string): Promise<void> {
  const body = { name, baseUrl, apiKey: KEY };
  expect((await app.request('POST', '/api/models', { body })).status).toBe(201);
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
    plain.nextBehaviour(refusal, refusal);
    expect((await complete({ model: 'plain', stream: true })).status).toBe(400);
    expect((await complete({ model: 'plain', stream: true })).status).toBe(200);
    expect(plain.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, true]);
    expect(await chargeOf(app.member)).toMatchObject({ model: 'plain', estimated: false });
    await plain.close();
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
