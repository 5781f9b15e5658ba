import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PlatformError } from '@platform/client';
import { AgentCalls, STREAMED, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let calls: AgentCalls;
beforeAll(async () => {
  app = await TestApp.start({
    env: { PLATFORM_CORS_ORIGINS: 'https://console.example', PLATFORM_RATE_LIMIT: '1200' },
  });
  calls = await AgentCalls.make(app);
});
afterAll(() => app.close());

/** A call whose response is not decompressed. */
async function send(method: string, path: string, headers: Record<string, string>, body?: object) {
  const call = request(`${app.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${app.admin.apiKey}`, 'Content-Type': 'application/json', ...headers },
  });
  call.end(body && JSON.stringify(body));
  const [message] = (await once(call, 'response')) as [IncomingMessage];
  return { headers: message.headers, body: Buffer.concat(await message.toArray()) };
}

describe('compression', () => {
  verifies('responses.compressed', 'makes lists, answers, and the API document small', async () => {
    for (let i = 0; i < 3; i++) {
      const form = { name: `Agent ${i}`, model: 'platform/offline', systemPrompt: 'Be brief. '.repeat(200) };
      expect((await app.request('POST', '/api/agents', { body: form })).status).toBe(201);
    }
    for (const path of ['/api/agents', '/api/openapi.json']) {
      const plain = await send('GET', path, {});
      const brotli = await send('GET', path, { 'Accept-Encoding': 'gzip, br' });
      const gzip = await send('GET', path, { 'Accept-Encoding': 'gzip' });
      expect([plain, brotli, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([
        undefined,
        'br',
        'gzip',
      ]);
      expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
      expect(brotli.body.length).toBeLessThan(plain.body.length / 3);
      expect(brotli.headers.vary).toMatch(/Accept-Encoding/);
      expect(brotli.headers.etag).toBe(plain.headers.etag);
    }
    const answer = await send(
      'POST',
      `/api/agents/${calls.agentId}/chat`,
      { 'Accept-Encoding': 'br' },
      {
        contents: said('/long 500'),
        stream: false,
      },
    );
    expect(answer.headers['content-encoding']).toBe('br');
    const { answer: text } = JSON.parse(brotliDecompressSync(answer.body).toString()) as { answer: string };
    expect(text.length).toBeGreaterThan(1024);
  });

  verifies('responses.compressed', 'leaves streams and small answers alone', async () => {
    const stream = await send(
      'POST',
      `/api/agents/${calls.agentId}/chat`,
      { ...STREAMED, 'Accept-Encoding': 'gzip, br' },
      { contents: said('/long 500'), stream: true },
    );
    expect(stream.headers['content-encoding']).toBeUndefined();
    expect(stream.body.toString()).toContain('"stream-ended"');
    const me = await send('GET', '/api/auth/me', { 'Accept-Encoding': 'gzip, br' });
    expect(me.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(me.body.toString())).toMatchObject({ user: { email: app.admin.email } });
  });
});

describe('what is not valid', () => {
  verifies(
    'errors.fields',
    'is named field by field, and a missing field is required and nothing else',
    async () => {
      const agent = { settings: { temperature: 'hot', top_p: 7 }, tools: [{ methods: [1] }], color: 'red' };
      const { status, body } = await app.request('POST', '/api/agents', { body: agent });
      expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
      const errors = body.errors as { path: string; message: string }[];
      expect(errors).toEqual(
        expect.arrayContaining([
          { path: 'name', message: 'is required' },
          { path: 'model', message: 'is required' },
          { path: 'color', message: 'is not a known field' },
          { path: 'tools[0].toolId', message: expect.stringMatching(/^must be /) },
          { path: 'settings.temperature', message: 'must be a number' },
          { path: 'settings.top_p', message: 'must not be greater than 1' },
        ]),
      );
      expect(new Set(errors.map(({ path }) => path)).size).toBe(errors.length);
      const sentence = errors.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
      expect(body.message).toBe(`${sentence.join('; ')}; … and ${errors.length - 3} more`);
      const failure: unknown = await app
        .client()
        .tasks.create({ ...agent, workflow: 5 } as never)
        .catch((error: unknown) => error);
      expect((failure as PlatformError).errors).toContainEqual({ path: 'name', message: 'is required' });
    },
  );
});

describe('limits', () => {
  verifies('access.rate-limit', 'are told with every response, also to browsers', async () => {
    const { headers } = await app.request('GET', '/api/auth/me', {
      headers: { Origin: 'https://console.example' },
    });
    expect(headers.get('ratelimit-policy')).toBe('"credential";q=1200;w=60, "holder";q=6000;w=60');
    expect(headers.get('ratelimit')).toMatch(/^"credential";r=\d+;t=\d+$/);
    const exposed = headers.get('access-control-expose-headers')?.split(',') ?? [];
    expect(exposed).toEqual(expect.arrayContaining(['RateLimit-Policy', 'RateLimit', 'Retry-After']));
  });
});
