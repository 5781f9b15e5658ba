import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UsageBalance } from '@platform/contracts';
import OpenAI from 'openai';
import { DataSource } from 'typeorm';
import { auditLedger } from '../src/usage/ledger-audit.store.ts';
import { startOpenAiServer, type FakeAnswer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import {
  addModel,
  entriesOf,
  failureOf,
  lastRequestOf,
  openAiClient,
  UPSTREAM_KEY,
} from './harness/relay-calls.ts';
import { verifies } from './verifies.ts';

const MESSAGES = [{ role: 'user' as const, content: 'Say hello' }];
const ASKED = { stream: true as const, stream_options: { include_usage: true } };

let app: TestApp;
let model: FakeOpenAiServer;

beforeAll(async () => {
  app = await TestApp.start();
  model = await startOpenAiServer({ apiKey: UPSTREAM_KEY });
  await addModel(app, 'gpt', model.url);
});
afterAll(async () => {
  await app.settle();
  expect(await auditLedger(app.get(DataSource))).toEqual([]);
  await app.close();
  await model.close();
});

const client = (user = app.member, apiKey = user.apiKey) => openAiClient(app, { apiKey });

const complete = (body: object, as = app.member) =>
  app.request<OpenAI.ChatCompletion>('POST', '/models/v1/chat/completions', {
    as,
    body: { model: 'gpt', messages: MESSAGES, ...body },
  });

/** What the model's server answers to one that calls it itself. */
async function direct(path: string, body: object): Promise<string> {
  const response = await fetch(model.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${UPSTREAM_KEY}` },
    body: JSON.stringify({ ...body, model: 'upstream-name' }),
  });
  return response.text();
}

const lastRequest = () => lastRequestOf(model);

describe('models', () => {
  verifies('relay.models', 'are listed as OpenAI lists its own', async () => {
    const { data } = await client().models.list();
    expect(data.map(({ id, object, owned_by }) => [id, object, owned_by])).toEqual([
      ['gpt', 'model', 'space'],
      ['platform/offline', 'model', 'platform'],
    ]);
    expect(Date.now() / 1000 - (data[0]?.created ?? 0)).toBeLessThan(60);
    expect((await client(app.outsider).models.list()).data.map(({ id }) => id)).toEqual(['platform/offline']);
  });

  verifies('relay.completion', 'are called with an access token as well', async () => {
    const { email, password } = app.member;
    const login = await app.request<{ accessToken: string }>('POST', '/api/auth/login', {
      as: null,
      body: { email, password },
    });
    const answer = await client(app.member, login.body.accessToken).chat.completions.create({
      model: 'gpt',
      messages: MESSAGES,
    });
    expect(answer.choices[0]?.message.content).toBe('Hello world!');
  });
});

describe('a completion', () => {
  verifies('relay.completion', 'comes back as the server wrote it', async () => {
    const answer = await client().chat.completions.create({ model: 'gpt', messages: MESSAGES });
    expect(answer.choices[0]?.message.content).toBe('Hello world!');
    expect(answer.usage).toEqual({ prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 });

    const { status, text, headers } = await complete({});
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(headers.get('x-request-id')).not.toBeNull();
    expect(text).toBe(await direct('/chat/completions', { messages: MESSAGES }));
  });

  verifies(
    'relay.completion',
    'reaches the server under its own name and key, otherwise as sent',
    async () => {
      const more = {
        temperature: 0.25,
        logit_bias: { 50256: -100 },
        metadata: { a: 'ü' },
        unknown: [null, 1e21],
      };
      await complete(more);
      const { body, headers, path } = lastRequest();
      expect(path).toBe('/v1/chat/completions');
      expect(body).toEqual({ model: 'upstream-name', messages: MESSAGES, ...more });
      expect(headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
      expect(JSON.stringify(headers)).not.toContain(app.member.apiKey);
    },
  );

  verifies('relay.completion', 'may be large, both ways', async () => {
    const content = 'x'.repeat(5_000_000);
    const text = Array.from({ length: 40 }, () => 'y'.repeat(100_000));
    model.nextBehavior({ text });
    const answer = await complete({ messages: [{ role: 'user', content }] });
    expect(answer.body.choices[0]?.message.content).toBe(text.join(''));
    expect((lastRequest().body.messages as { content: string }[])[0]?.content).toBe(content);
  });

  verifies('relay.completion', 'calls tools', async () => {
    model.nextBehavior({ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' }] });
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: {} } }];
    const answer = await client().chat.completions.create({ model: 'gpt', messages: MESSAGES, tools });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
      },
    });
    expect(lastRequest().body.tools).toEqual(tools);
  });
});

describe('a stream', () => {
  const answers: [string, FakeAnswer][] = [
    ['words', { text: ['Hello', ' wörld', ' "usage":{"prompt_tokens":1}'] }],
    ['thoughts and calls', { reasoning: ['Hm'], toolCalls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }] }],
    ['many chunks', { text: Array.from({ length: 5_000 }, (_, i) => ` ${i}`) }],
    ['a gap before its end', { text: ['a'], endGapMs: 50 }],
  ];

  it.each(answers)('of %s is forwarded byte for byte', async (_, answer) => {
    for (const options of [{ stream: true }, ASKED]) {
      model.nextBehavior(answer, answer);
      const { text, headers } = await complete(options);
      expect(headers.get('content-type')).toBe('text/event-stream');
      expect(lastRequest().body.stream_options).toEqual({ include_usage: true });
      expect(text).toBe(await direct('/chat/completions', { messages: MESSAGES, ...options }));
    }
  });

  verifies(
    'relay.stream',
    'is read by the official client, with the figures where it asks for them',
    async () => {
      for (const asked of [false, true]) {
        const chunks = [];
        const request = { model: 'gpt', messages: MESSAGES, stream: true as const };
        const options = asked ? { stream_options: { include_usage: true } } : {};
        for await (const chunk of await client().chat.completions.create({ ...request, ...options }))
          chunks.push(chunk);
        expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello world!');
        expect(chunks.filter(({ usage }) => usage)).toHaveLength(asked ? 1 : 0);
        expect(chunks.filter(({ choices }) => choices.length === 0)).toHaveLength(asked ? 1 : 0);
      }
    },
  );

  verifies('relay.stream', 'keeps a last choice that contains the usage', async () => {
    model.nextBehavior({ text: ['Hi'], usageIn: 'last-choice' });
    const { text } = await complete({ stream: true });
    expect(text).toContain('"finish_reason":"stop"');
    expect(text).toContain('"usage":{"prompt_tokens":10');
  });

  verifies('relay.stream', 'comes while it is written', async () => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    model.nextBehavior({ text: ['early', 'late'], pauseAfter: { chunks: 2, until } });
    const response = await app.fetch('POST', '/models/v1/chat/completions', {
      body: { model: 'gpt', messages: MESSAGES, stream: true },
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('early')) text += (await reader?.read())?.value ?? '';
    expect(text).not.toContain('late');
    goOn();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
      text += part.value;
    expect(text).toMatch(/late.*data: \[DONE\]\n\n$/s);
  });

  verifies('relay.stream', 'of a server that refuses stream_options is asked for without them', async () => {
    const old = await startOpenAiServer({ refuseStreamOptions: true });
    await addModel(app, 'old', old.url);
    for (let i = 0; i < 2; i++) {
      const { status, text } = await complete({ model: 'old', stream: true });
      expect([status, text.endsWith('data: [DONE]\n\n')]).toEqual([200, true]);
    }
    expect(old.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false]);
    const [entry] = await entriesOf(app, app.member);
    expect(entry).toMatchObject({ model: 'old', completionTokens: 3, estimated: true });
    expect((await complete({ model: 'old', ...ASKED })).status).toBe(400);
    await old.close();
  });

  verifies('relay.stream', 'that breaks off breaks off for the caller too', async () => {
    model.nextBehavior({ text: ['Hello', ' world'], breakAfter: { chunks: 2, how: 'cut' } });
    const read = async () => {
      const chunks = [];
      const stream = { model: 'gpt', messages: MESSAGES, stream: true as const };
      for await (const chunk of await client().chat.completions.create(stream)) chunks.push(chunk);
      return chunks;
    };
    await expect(read()).rejects.toThrow();
    const [entry] = await entriesOf(app, app.member);
    expect(entry).toMatchObject({ completionTokens: 1, estimated: true });
  });
});

describe('embeddings', () => {
  verifies('relay.embeddings', 'are handed on and charged', async () => {
    const user = await app.addUser('MEMBER');
    const input = ['one', 'two', 'three'];
    const { data, usage } = await client(user).embeddings.create({ model: 'gpt', input });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([8, 8, 8]);
    expect(usage.prompt_tokens).toBe(15);
    const body = { input, encoding_format: 'base64' };
    const { text } = await app.request('POST', '/models/v1/embeddings', { body: { model: 'gpt', ...body } });
    expect(text).toBe(await direct('/embeddings', body));
    expect(await entriesOf(app, user)).toMatchObject([
      { source: 'relay', model: 'gpt', promptTokens: 15, completionTokens: 0, estimated: false },
    ]);
  });
});

describe('platform/offline', () => {
  const offline = (content: string, more: object = {}) => ({
    model: 'platform/offline',
    messages: [{ role: 'user' as const, content }],
    ...more,
  });

  verifies('relay.offline', 'sends a complete response', async () => {
    const answer = await client().chat.completions.create(offline('Good morning'));
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'platform/offline',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }],
    });
    expect(answer.choices[0]?.message.content).toMatch(
      /^You said: Good morning\n\nI am platform\/offline.*`\/think 2000`/s,
    );
    const [entry] = await entriesOf(app, app.member);
    expect(entry).toMatchObject({
      model: 'platform/offline',
      promptTokens: answer.usage?.prompt_tokens,
      completionTokens: answer.usage?.completion_tokens,
      cost: 0,
      estimated: false,
    });
  });

  verifies('relay.offline', 'streams word by word, with the usage last if requested', async () => {
    const stream = await client().chat.completions.create(offline('/long 3', ASKED) as never);
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>)
      chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('word word word');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
    const { text } = await complete(offline('/long 3', { stream: true }));
    expect(text).not.toContain('"usage"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  verifies('relay.offline', 'calls tools and takes their results', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: {} } }];
    const ask = offline('/local weather {"city":"Bern"}', { tools });
    const runner = client().chat.completions.stream(ask);
    const first = (await runner.finalChatCompletion()).choices[0];
    expect(first?.finish_reason).toBe('tool_calls');
    const [call] = first?.message.tool_calls ?? [];
    expect(call).toMatchObject({ function: { name: 'weather', arguments: '{"city":"Bern"}' } });
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'sunny' };
    const messages = [...ask.messages, { role: 'assistant' as const, tool_calls: [call] }, result];
    const answer = await complete({ ...ask, messages });
    expect(answer.body.choices[0]?.message.content).toBe('Done. weather answered: sunny');
  });

  verifies('relay.offline', 'stops at max_tokens', async () => {
    for (const limit of [{ max_completion_tokens: 5 }, { max_tokens: 5 }]) {
      const answer = await client().chat.completions.create(offline('/long 100', limit));
      expect(answer.choices[0]?.finish_reason).toBe('length');
      expect(answer.usage?.completion_tokens).toBe(5);
    }
  });

  verifies('relay.offline', 'responds in JSON, with an instance of the requested schema', async () => {
    const ask = async (format: object, more = {}) =>
      (await client().chat.completions.create(offline('Hi', { response_format: format, ...more })))
        .choices[0];
    const content = async (format: object) =>
      JSON.parse((await ask(format))?.message.content ?? '') as unknown;
    expect(await content({ type: 'json_object' })).toEqual({ answer: 'You said: Hi' });
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'array', items: { enum: ['Mon', 'Tue'] } } },
      required: ['city', 'days'],
      additionalProperties: false,
    };
    const named = { type: 'json_schema', json_schema: { name: 'trip', strict: true, schema } };
    expect(await content(named)).toEqual({ city: 'You said: Hi', days: ['Mon'] });
    expect((await ask(named, { max_tokens: 3 }))?.finish_reason).toBe('length');
    for (const [param, format] of [
      ['response_format.type', { type: 'xml' }],
      ['response_format.json_schema', { type: 'json_schema' }],
      ['response_format.json_schema.schema', { type: 'json_schema', json_schema: { schema: 7 } }],
    ] as const) {
      const refused = await failureOf(ask(format));
      expect([refused.status, refused.param]).toEqual([400, param]);
    }
  });

  verifies(
    'relay.offline',
    'fails as it is told: by status, or, once it has begun, by an event',
    async () => {
      const error = await failureOf(client().chat.completions.create(offline('/fail')));
      expect([error.status, error.code]).toEqual([503, 'service_unavailable']);
      const { status, text } = await complete(offline('/long 3\n/fail', { stream: true }));
      expect(status).toBe(200);
      expect(JSON.parse(text.trim().split('data: ').at(-1) ?? '')).toMatchObject({
        error: { type: 'server_error', code: 'service_unavailable' },
      });
    },
  );

  verifies('relay.offline', 'refuses what it cannot read, naming it', async () => {
    for (const [param, messages] of [
      ['messages[0].role', [{ role: 'robot', content: 'x' }]],
      ['messages[0].content', [{ role: 'user' }]],
      ['messages[0].content[0].type', [{ role: 'user', content: [{ type: 'video' }] }]],
      ['messages[0].content[0].image_url', [{ role: 'user', content: [{ type: 'image_url' }] }]],
    ] as const) {
      const { status, body } = await complete({ model: 'platform/offline', messages });
      expect([status, body]).toMatchObject([400, { error: { param } }]);
    }
  });

  verifies('relay.offline', 'replaces no other model', async () => {
    const embedded = await TestApp.start({ env: { PLATFORM_EMBEDDED: '1' } });
    const body = { model: 'gpt-4o', messages: MESSAGES };
    const { status } = await embedded.request('POST', '/models/v1/chat/completions', { body });
    await embedded.close();
    expect(status).toBe(404);
  });
});

describe('a caller that leaves', () => {
  verifies('relay.leaving', 'ends the upstream call and pays for what it got', async () => {
    const user = await app.addUser('MEMBER');
    // Words for far longer than the test may take.
    model.nextBehavior({ text: Array.from({ length: 100_000 }, () => ' word'), paceMs: 5 });
    const stream = await client(user).chat.completions.create({
      model: 'gpt',
      messages: MESSAGES,
      stream: true,
    });
    let chunks = 0;
    for await (const _ of stream) if (++chunks === 20) break;
    expect(await lastRequest().closed).toBe(true);
    const entries = await eventually(async () => {
      const found = await entriesOf(app, user);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(entries[0]).toMatchObject({ source: 'relay', promptTokens: 6, estimated: true });
    expect(entries[0]?.completionTokens).toBeGreaterThanOrEqual(18);
    expect(entries[0]?.completionTokens).toBeLessThan(10_000);
  });

  verifies('relay.leaving', 'ends it also before the first byte', async () => {
    const user = await app.addUser('MEMBER');
    const before = model.requests.length;
    model.nextBehavior({ kind: 'hang' });
    const leaving = new AbortController();
    const call = client(user).chat.completions.create(
      { model: 'gpt', messages: MESSAGES },
      { signal: leaving.signal },
    );
    await eventually(async () => expect(model.requests.length).toBe(before + 1));
    leaving.abort();
    await expect(call).rejects.toThrow(OpenAI.APIUserAbortError);
    expect(await lastRequest().closed).toBe(true);
    await eventually(async () =>
      expect(await entriesOf(app, user)).toMatchObject([
        { promptTokens: 6, completionTokens: 0, estimated: true },
      ]),
    );
  });

  verifies('relay.leaving', 'ends platform/offline', async () => {
    const user = await app.addUser('MEMBER');
    const messages = [{ role: 'user' as const, content: '/long 3\n/think 600000' }];
    const stream = await client(user).chat.completions.create({
      model: 'platform/offline',
      messages,
      stream: true,
    });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === ' word') break;
    await eventually(async () => expect(await entriesOf(app, user)).toMatchObject([{ estimated: true }]));
  });
});

describe('an error', () => {
  const refusal = async (method: string, path: string, init: Parameters<TestApp['request']>[2] = {}) => {
    const { status, body } = await app.request<{ error: Record<string, unknown> }>(method, path, init);
    expect(Object.keys(body)).toEqual(['error']);
    expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type']);
    return [status, body.error.type, body.error.code, body.error.param];
  };
  const chat = '/models/v1/chat/completions';
  const INVALID = 'invalid_request_error';

  verifies('relay.errors', 'has OpenAI’s shape wherever it is found', async () => {
    expect(await refusal('GET', '/models/v1/models', { as: null })).toEqual([
      401,
      INVALID,
      'invalid_api_key',
      null,
    ]);
    expect(await refusal('POST', chat, { as: null, raw: '{' })).toEqual([
      401,
      INVALID,
      'invalid_api_key',
      null,
    ]);
    expect(await refusal('POST', chat, { raw: '{' })).toEqual([400, INVALID, 'invalid_request', null]);
    expect(await refusal('POST', chat, { raw: '[]' })).toEqual([400, INVALID, 'invalid_request', null]);
    expect(await refusal('POST', chat, { raw: `"${'x'.repeat(10_485_760)}"` })).toEqual([
      413,
      INVALID,
      'request_too_large',
      null,
    ]);
    expect(await refusal('GET', '/models/v1/nothing')).toEqual([404, INVALID, 'unknown_url', null]);
    expect(await refusal('GET', chat)).toEqual([404, INVALID, 'unknown_url', null]);
    expect(await refusal('POST', chat, { body: { messages: MESSAGES } })).toEqual([
      400,
      INVALID,
      'invalid_request',
      'model',
    ]);
    expect(await refusal('POST', chat, { body: { model: 'gpt', messages: [] } })).toEqual([
      400,
      INVALID,
      'invalid_request',
      'messages',
    ]);
  });

  verifies('relay.errors', 'is what the official client expects', async () => {
    const unknown = await failureOf(client().chat.completions.create({ model: 'nope', messages: MESSAGES }));
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
    expect([unknown.code, unknown.param]).toEqual(['model_not_found', 'model']);
    const stranger = new OpenAI({ baseURL: `${app.url}/models/v1`, apiKey: 'pk_nobody', maxRetries: 0 });
    const refused = await failureOf(stranger.models.list().then());
    expect(refused).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(refused.code).toBe('invalid_api_key');
  });

  verifies('relay.errors', 'for too many requests has a Retry-After', async () => {
    const narrow = await TestApp.start({ env: { PLATFORM_RATE_LIMIT: '2' }, database: app });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await narrow.request('GET', '/models/v1/models'));
    await narrow.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.body).toMatchObject({ error: { type: 'requests', code: 'rate_limit_exceeded' } });
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  verifies('relay.errors.order', '401, unreadable, 404, 400, 402', async () => {
    const poor = await app.addUser('ADMIN', null);
    await addModel(app, 'gpt', model.url, { as: poor });
    await app.request('POST', '/api/usage/grants', { as: poor, body: { tokens: 1 } });
    await complete({}, poor);
    await app.settle();
    const called = model.requests.length;
    const order = async (body: object) => (await refusal('POST', chat, { as: poor, body }))[0];
    expect(await order({ model: 'nope', messages: [] })).toBe(404);
    expect(await order({ model: 'gpt', messages: [] })).toBe(400);
    expect(await order({ model: 'platform/offline', messages: [{ role: 'robot' }] })).toBe(400);
    expect(await order({ model: 'gpt', messages: MESSAGES })).toBe(402);
    expect(await order({ model: 'platform/offline', messages: MESSAGES })).toBe(402);
    expect(model.requests.length).toBe(called);
  });
});

describe('an error of the model’s server', () => {
  const failing = (behavior: Parameters<FakeOpenAiServer['nextBehavior']>[0], more = {}) => {
    model.nextBehavior(behavior);
    return complete(more);
  };

  verifies('relay.errors.upstream', 'keeps status, body, and Retry-After', async () => {
    for (const stream of [false, true]) {
      const refused = { kind: 'status', status: 429, retryAfter: '7', code: 'rate_limit_exceeded' } as const;
      const busy = await failing({ ...refused, message: 'Rate limit reached for upstream-name' }, { stream });
      expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '7']);
      expect(busy.body).toEqual({
        error: {
          message: 'Rate limit reached for upstream-name',
          type: 'invalid_request_error',
          param: null,
          code: 'rate_limit_exceeded',
        },
      });
      const wrong = await failing({ kind: 'status', status: 400, message: 'temperature?' }, { stream });
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('temperature?')]);
      expect((await failing({ kind: 'status', status: 500 }, { stream })).status).toBe(500);
    }
    model.nextBehavior({ kind: 'status', status: 429 });
    const error = await failureOf(client().chat.completions.create({ model: 'gpt', messages: MESSAGES }));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
  });

  verifies('relay.errors.upstream', 'never reveals the key or an address', async () => {
    const { hostname } = new URL(model.url);
    for (const message of [`Bad key ${UPSTREAM_KEY}`, `No route to ${hostname}`, 'Engine at 10.0.0.1 died']) {
      const { status, text } = await failing({ kind: 'status', status: 500, message });
      expect(status).toBe(500);
      expect(text).not.toContain(message);
      expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error', code: 'upstream_error' } });
    }
  });

  verifies('relay.errors.upstream', 'that refuses the space’s key is no 401 of the caller’s', async () => {
    await addModel(app, 'wrong-key', model.url, { apiKey: 'sk-wrong-canary' });
    const { status, text } = await complete({ model: 'wrong-key' });
    expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: 'upstream_unauthorized' } }]);
    expect(text).not.toContain('sk-wrong-canary');
  });

  verifies(
    'relay.errors.upstream',
    'is a 503 where there is no answer, and no redirect is followed',
    async () => {
      const nobody = createServer().listen(0, '127.0.0.1');
      await once(nobody, 'listening');
      const { port } = nobody.address() as AddressInfo;
      nobody.close();
      await once(nobody, 'close');
      await addModel(app, 'nobody', `http://127.0.0.1:${port}/v1`);
      await addModel(app, 'private', 'http://10.255.255.1/v1');
      for (const name of ['nobody', 'private']) {
        const { status, text } = await complete({ model: name });
        expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: 'upstream_unreachable' } }]);
        expect(text).not.toMatch(/127\.0\.0\.1|10\.255|ECONN/);
      }
      expect((await failing({ kind: 'cut' })).status).toBe(503);
      const away = await failing({ kind: 'status', status: 307, location: 'http://127.0.0.1:9/' });
      expect([away.status, away.headers.get('location')]).toEqual([503, null]);
    },
  );

  verifies(['relay.ledger', 'relay.errors.upstream'], 'is not charged', async () => {
    const user = await app.addUser('MEMBER');
    for (const status of [400, 429, 500]) {
      model.nextBehavior({ kind: 'status', status });
      expect((await complete({}, user)).status).toBe(status);
    }
    expect(await entriesOf(app, user)).toEqual([]);
  });
});

describe('the ledger', () => {
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 100,
    total_tokens: 1_100,
    prompt_tokens_details: { cached_tokens: 600 },
    completion_tokens_details: { reasoning_tokens: 40 },
  };

  verifies('relay.ledger', 'has one entry for each call, with the figures of the server', async () => {
    const user = await app.addUser('MEMBER');
    for (const options of [{}, { stream: true }, ASKED]) {
      model.nextBehavior({ text: ['Hi'], usage });
      expect((await complete(options, user)).status).toBe(200);
    }
    const entries = await entriesOf(app, user);
    expect(entries).toHaveLength(3);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        source: 'relay',
        model: 'gpt',
        tokens: -1_100,
        promptTokens: 1_000,
        completionTokens: 100,
        cachedTokens: 600,
        reasoningTokens: 40,
        cost: 0.0024,
        estimated: false,
      });
    }
  });

  verifies('relay.ledger', 'estimates if the server reports nothing', async () => {
    const user = await app.addUser('MEMBER');
    for (const options of [{}, { stream: true }]) {
      model.nextBehavior({ text: ['Hello', ' world', '!'], usage: null });
      await complete(options, user);
    }
    const counted = { promptTokens: 6, completionTokens: 3, estimated: true };
    expect(await entriesOf(app, user)).toMatchObject([counted, counted]);
  });

  verifies('relay.ledger', 'loses none of many at once', async () => {
    const user = await app.addUser('MEMBER');
    const calls = await Promise.all(Array.from({ length: 150 }, () => complete({ stream: true }, user)));
    expect(calls.every(({ status }) => status === 200)).toBe(true);
    await app.settle();
    const [sum] = await app.sql<{ count: number; tokens: number }>(
      'select count(*)::int, sum(tokens)::int as tokens from usage_entry where user_id = $1',
      [user.userId],
    );
    expect(sum).toEqual({ count: 150, tokens: -150 * 13 });
  });

  verifies('relay.ledger.hold', 'adds up with a limit and many at once', async () => {
    const user = await app.addUser('MEMBER');
    await app.request('POST', '/api/usage/grants', { body: { userId: user.userId, tokens: 1_000_000 } });
    const calls = await Promise.all(Array.from({ length: 60 }, () => complete({}, user)));
    expect(calls.every(({ status }) => status === 200)).toBe(true);
    await app.settle();
    const { body } = await app.request<UsageBalance>('GET', '/api/usage/balance', { as: user });
    expect(body.user).toEqual({ limited: true, balance: 1_000_000 - 60 * 13, held: 0 });
  });

  verifies(
    'relay.ledger.hold',
    'holds while a call runs, gives back what it did not use, then refuses',
    async () => {
      const owner = await app.addUser('ADMIN', null);
      await addModel(app, 'gpt', model.url, { as: owner });
      await app.request('POST', '/api/usage/grants', { as: owner, body: { tokens: 5_000 } });
      const balance = async () =>
        (await app.request<UsageBalance>('GET', '/api/usage/balance', { as: owner })).body.space;

      const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
      model.nextBehavior({ text: ['Hi'], usage, pauseAfter: { chunks: 1, until } });
      const running = complete({ stream: true, max_tokens: 500 }, owner);
      await eventually(async () => expect(await balance()).toMatchObject({ balance: 5_000, held: 507 }));
      goOn();
      expect((await running).status).toBe(200);
      await app.settle();
      expect(await balance()).toMatchObject({ balance: 3_900, held: 0 });

      model.nextBehavior({ text: ['Hi'], usage: { ...usage, completion_tokens: 2_900 } });
      await complete({}, owner);
      await app.settle();
      const error = await failureOf(
        client(owner).chat.completions.create({ model: 'gpt', messages: MESSAGES }),
      );
      expect([error.status, error.type, error.code]).toEqual([
        402,
        'insufficient_quota',
        'insufficient_quota',
      ]);
      expect(await balance()).toMatchObject({ balance: 0, held: 0 });
    },
  );

  verifies('relay.ledger.hold', 'gives the hold of a refused call back', async () => {
    const owner = await app.addUser('ADMIN', null);
    await addModel(app, 'gpt', model.url, { as: owner });
    await app.request('POST', '/api/usage/grants', { as: owner, body: { tokens: 5_000 } });
    model.nextBehavior({ kind: 'status', status: 500 }, { kind: 'cut' });
    expect((await complete({}, owner)).status).toBe(500);
    expect((await complete({}, owner)).status).toBe(503);
    await app.settle();
    const { body } = await app.request<UsageBalance>('GET', '/api/usage/balance', { as: owner });
    expect(body.space).toMatchObject({ balance: 5_000, held: 0 });
  });
});

describe('a shutdown', () => {
  verifies('relay.shutdown', 'waits for a call to end and charges it', async () => {
    const user = await app.addUser('MEMBER');
    const second = await TestApp.start({ database: app });
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    model.nextBehavior({ text: ['Hello', ' world'], pauseAfter: { chunks: 2, until } });
    const body = { model: 'gpt', messages: MESSAGES, stream: true };
    const called = model.requests.length;
    const running = second.request('POST', '/models/v1/chat/completions', { as: user, body });
    await eventually(async () => {
      expect(model.requests.length).toBe(called + 1);
      expect(lastRequest().firstByteAt).not.toBeNull();
    });
    const closing = second.close();
    await eventually(async () => {
      // Of somebody else: one that comes before the shutdown has begun is answered and charged.
      const late = await second.request('POST', '/models/v1/chat/completions', { body });
      expect(late.status).toBe(503);
    });
    goOn();
    expect((await running).text).toMatch(/world.*\[DONE\]\n\n$/s);
    await closing;
    expect(await entriesOf(app, user)).toMatchObject([{ completionTokens: 2, estimated: false }]);
  });
});
