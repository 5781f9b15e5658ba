import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Model, Page } from '@platform/contracts';
import OpenAI from 'openai';
import { DataSource } from 'typeorm';
import { auditLedger } from '../src/usage/ledger-audit.store.ts';
import { SPOKEN } from './fixtures/openai-audio.ts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import {
  addModel,
  entriesOf,
  failureOf,
  lastRequestOf,
  openAiClient,
  UPSTREAM_KEY,
} from './harness/relay-calls.ts';
import { verifies } from './verifies.ts';

const OFFLINE = 'platform/offline';
const LIMITS = {
  'x-ratelimit-limit-requests': '60',
  'x-ratelimit-remaining-tokens': '149984',
  'openai-processing-ms': '21',
};
const MESSAGES = [{ role: 'user' as const, content: 'Say hello' }];
const WEATHER = { name: 'weather', parameters: { type: 'object', properties: {} } };

let app: TestApp;
let server: FakeOpenAiServer;
let ids = 0;

beforeAll(async () => {
  app = await TestApp.start();
  server = await startOpenAiServer({
    apiKey: UPSTREAM_KEY,
    responses: true,
    headers: { ...LIMITS, 'x-internal': 'secret', 'x-ratelimit-owner': UPSTREAM_KEY },
  });
  await addModel(app, 'gpt', server.url);
});
afterAll(async () => {
  await app.settle();
  expect(await auditLedger(app.get(DataSource))).toEqual([]);
  await app.close();
  await server.close();
});

const client = (user: TestUser = app.member) => openAiClient(app, user);
const lastRequest = () => lastRequestOf(server);

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}

/** Makes a response that the server stores. */
async function store(as = app.member, stream = false): Promise<string> {
  const id = `resp_${++ids}`;
  server.nextBehavior({ id, text: ['Kept'] });
  const body = { model: 'gpt', input: 'Keep this', stream };
  expect((await app.request('POST', '/models/v1/responses', { as, body })).status).toBe(200);
  return id;
}

describe.each(['gpt', OFFLINE])('the official client, with %s', (model) => {
  verifies('relay.openai', 'lists and retrieves models', async () => {
    expect((await collect(client().models.list())).map(({ id }) => id)).toContain(model);
    expect((await client().models.retrieve(model)).id).toBe(model);
  });

  verifies('relay.openai', 'completes a chat, whole and streamed', async () => {
    const whole = await client().chat.completions.create({ model, messages: MESSAGES });
    const text = whole.choices[0]?.message.content;
    expect(text).toMatch(/hello/i);
    expect(whole.usage?.total_tokens).toBeGreaterThan(0);
    const stream = client().chat.completions.stream({
      model,
      messages: MESSAGES,
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe(text);
    expect(final.usage?.total_tokens).toBe(whole.usage?.total_tokens);
  });

  verifies('relay.openai', 'makes embeddings, as numbers and in base64', async () => {
    const input = ['one word', 'two words'];
    // By default, the client asks for base64 and decodes it.
    const packed = await client().embeddings.create({ model, input });
    const numbers = await client().embeddings.create({ model, input, encoding_format: 'float' });
    const one = await client().embeddings.create({ model, input: 'one word', encoding_format: 'float' });
    expect(packed.data.map(({ index }) => index)).toEqual([0, 1]);
    for (const [i, { embedding }] of packed.data.entries()) {
      expect(embedding.length).toBeGreaterThan(0);
      expect(Array.from(embedding)).toEqual(Array.from(Float32Array.from(numbers.data[i]?.embedding ?? [])));
    }
    expect(one.data[0]?.embedding.length).toBe(numbers.data[0]?.embedding.length);
    expect(packed.usage.total_tokens).toBeGreaterThan(0);
  });

  verifies('relay.openai', 'creates a response, whole and streamed', async () => {
    const whole = await client().responses.create({ model, input: 'Say hello' });
    expect([whole.object, whole.status, whole.error]).toEqual(['response', 'completed', null]);
    expect(whole.output_text).toMatch(/hello/i);
    expect(whole.usage?.total_tokens).toBeGreaterThan(0);
    const stream = client().responses.stream({ model, input: 'Say hello' });
    const events = await collect(stream);
    const final = await stream.finalResponse();
    expect(final.output_text).toBe(whole.output_text);
    expect(final.usage).toEqual(whole.usage);
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['response.created', 'response.completed']);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    const deltas = events.flatMap((event) =>
      event.type === 'response.output_text.delta' ? [event.delta] : [],
    );
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(whole.output_text);
  });
});

describe('the official client, with a server that stores responses', () => {
  verifies(
    ['relay.openai', 'relay.responses.stored'],
    'retrieves, lists the input, cancels, and deletes',
    async () => {
      for (const stream of [false, true]) {
        const id = await store(app.member, stream);
        const { responses } = client();
        const found = await responses.retrieve(id, { include: ['message.output_text.logprobs'] });
        expect([found.id, found.output_text]).toEqual([id, 'Kept']);
        expect(lastRequest()).toMatchObject({
          method: 'GET',
          path: `/v1/responses/${id}`,
          query: expect.stringContaining('include') as unknown,
        });
        expect(lastRequest().headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
        const items = await collect(responses.inputItems.list(id));
        expect(items).toMatchObject([{ role: 'user', content: 'Keep this' }]);
        expect((await responses.cancel(id)).status).toBe('cancelled');
        await responses.delete(id);
        expect((await failureOf(responses.retrieve(id).then())).status).toBe(404);
      }
    },
  );

  verifies('relay.responses.stored', 'continues one', async () => {
    const id = await store();
    await client().responses.create({ model: 'gpt', input: 'And?', previous_response_id: id });
    expect(lastRequest().body.previous_response_id).toBe(id);
  });

  verifies('relay.responses.stored', 'can ask for one as soon as its end has arrived', async () => {
    for (const stream of [false, true]) {
      const made = await Promise.all(Array.from({ length: 20 }, () => store(app.member, stream)));
      const found = await Promise.all(made.map((id) => client().responses.retrieve(id)));
      expect(found.map(({ id }) => id)).toEqual(made);
    }
  });

  verifies('relay.responses.stored', 'charges nothing for what is only read', async () => {
    const user = await app.addUser('MEMBER');
    const id = await store(user);
    await client(user).responses.retrieve(id);
    await client(user).responses.delete(id);
    expect(await entriesOf(app, user)).toHaveLength(1);
  });
});

describe('a stored response', () => {
  verifies('relay.responses.stored', 'is not found by any other key, person, or space', async () => {
    const id = await store();
    const colleague = await app.addUser('MEMBER');
    const { email, password } = app.member;
    const signIn = await app.request<{ accessToken: string }>('POST', '/api/auth/login', {
      as: null,
      body: { email, password },
    });
    const token = { ...app.member, apiKey: signIn.body.accessToken };
    const made = await app.request<{ key: string }>('POST', '/api/api-keys', {
      as: token,
      body: { name: 'Second', scopes: ['invoke'] },
    });
    expect(made.status).toBe(201);
    const second = { ...app.member, apiKey: made.body.key };
    const others = [colleague, app.admin, app.outsider, token, second];
    const called = server.requests.length;
    for (const other of others) {
      const { responses } = openAiClient(app, other);
      for (const call of [
        responses.retrieve(id),
        responses.delete(id),
        responses.cancel(id),
        responses.inputItems.list(id),
      ]) {
        const error = await failureOf(call.then());
        expect([error.status, error.code]).toEqual([404, 'response_not_found']);
      }
      if (other === app.outsider) continue;
      const error = await failureOf(
        responses.create({ model: 'gpt', input: 'And?', previous_response_id: id }),
      );
      expect([error.status, error.code, error.param]).toEqual([
        404,
        'previous_response_not_found',
        'previous_response_id',
      ]);
    }
    expect(server.requests.length).toBe(called);
    expect((await client().responses.retrieve(id)).id).toBe(id);
  });

  verifies('relay.responses.stored', 'is continued only by models of its own server', async () => {
    // This server gives its response the id of one that somebody else has at the first.
    const id = await store(await app.addUser('MEMBER'));
    const other = await startOpenAiServer({ apiKey: UPSTREAM_KEY, responses: true });
    try {
      await addModel(app, 'elsewhere', other.url);
      await addModel(app, 'sibling', server.url);
      other.nextBehavior({ id, toolCalls: [{ id: `of_${id}`, name: 'f', arguments: '{}' }] });
      const { responses } = client();
      await responses.create({ model: 'elsewhere', input: 'Keep this' });
      const called = server.requests.length;
      const error = await failureOf(responses.create({ model: 'gpt', input: 'x', previous_response_id: id }));
      expect([error.status, error.code]).toEqual([404, 'previous_response_not_found']);
      const input = [{ type: 'item_reference' as const, id: `fc_of_${id}` }];
      expect((await failureOf(responses.create({ model: 'gpt', input }))).code).toBe('item_not_found');
      expect(server.requests.length).toBe(called);
      await responses.create({ model: 'elsewhere', input });
      await responses.create({ model: 'elsewhere', input: 'x', previous_response_id: id });
      await responses.create({ model: 'sibling', input: 'x', previous_response_id: await store() });
    } finally {
      await other.close();
    }
  });

  verifies('relay.responses.stored', 'lends its items to its own key only', async () => {
    const colleague = await app.addUser('MEMBER');
    for (const stream of [false, true]) {
      const call = `of_${++ids}`;
      server.nextBehavior({ id: `resp_${ids}`, toolCalls: [{ id: call, name: 'f', arguments: '{}' }] });
      const ask = (as: TestUser, input: unknown) =>
        app.request('POST', '/models/v1/responses', { as, body: { model: 'gpt', input, stream } });
      expect((await ask(app.member, 'Keep this')).status).toBe(200);
      const id = `fc_${call}`;
      for (const item of [
        { type: 'item_reference', id },
        { id },
        { type: null, id },
        { type: 'reasoning', id, summary: [] },
        { type: 'image_generation_call', id },
      ]) {
        const called = server.requests.length;
        const refused = await ask(colleague, [{ role: 'user', content: 'What is this?' }, item]);
        const error = { type: 'invalid_request_error', code: 'item_not_found', param: 'input[1].id' };
        expect(refused).toMatchObject({ status: 404, body: { error } });
        expect(refused.text).toContain('previous_response_id');
        expect(server.requests.length).toBe(called);
        expect((await ask(app.member, [item])).status).toBe(200);
        expect(lastRequest().body.input).toEqual([item]);
      }
    }
  });

  verifies('relay.responses.stored', 'does not exist while its model is at another server', async () => {
    const other = await startOpenAiServer({ apiKey: UPSTREAM_KEY, responses: true });
    try {
      await addModel(app, 'moving', server.url);
      const id = `resp_${++ids}`;
      server.nextBehavior({ id, text: ['Kept'] });
      const { responses } = client();
      await responses.create({ model: 'moving', input: 'Keep this' });
      const { items } = (await app.request<Page<Model>>('GET', '/api/models?limit=200')).body;
      const path = `/api/models/${items.find(({ name }) => name === 'moving')?.id ?? ''}`;
      const moveTo = async (baseUrl: string) => {
        const body = { baseUrl, apiKey: UPSTREAM_KEY };
        expect((await app.request('PATCH', path, { body })).status).toBe(200);
      };
      await moveTo(other.url);
      for (const call of [responses.retrieve(id), responses.delete(id), responses.inputItems.list(id)]) {
        const error = await failureOf(call.then());
        expect([error.status, error.code]).toEqual([404, 'response_not_found']);
      }
      const next = { input: 'x', previous_response_id: id };
      const error = await failureOf(responses.create({ model: 'moving', ...next }));
      expect([error.status, error.code]).toEqual([404, 'previous_response_not_found']);
      expect(other.requests).toEqual([]);
      await responses.create({ model: 'gpt', ...next });
      await moveTo(server.url);
      expect((await responses.retrieve(id)).output_text).toBe('Kept');
      // As the previous version wrote it.
      await app.get(DataSource).query('update relay_response set server = null where id = $1', [id]);
      expect((await responses.retrieve(id)).output_text).toBe('Kept');
      await responses.create({ model: 'moving', ...next });
    } finally {
      await other.close();
    }
  });

  verifies('relay.responses.stored', 'is not continued in another way', async () => {
    const called = server.requests.length;
    const tried = [
      ['conversation', 'conv_1'],
      ['conversation', { id: 'conv_1' }],
      ['previous_response_id', ['resp_1']],
      ['previous_response_id', { id: 'resp_1' }],
    ] as const;
    for (const [param, value] of tried) {
      const body = { model: 'gpt', input: 'x', [param]: value };
      const response = await app.request('POST', '/models/v1/responses', { as: app.member, body });
      expect([response.status, response.body]).toMatchObject([400, { error: { param } }]);
    }
    expect(server.requests.length).toBe(called);
    const none = { model: 'gpt', input: 'x', conversation: null, previous_response_id: null };
    expect((await app.request('POST', '/models/v1/responses', { as: app.member, body: none })).status).toBe(
      200,
    );
  });

  verifies('relay.responses.stored', 'is not recorded if the caller does not store it', async () => {
    const id = `resp_${++ids}`;
    server.nextBehavior({ id, text: ['Gone'] });
    await client().responses.create({ model: 'gpt', input: 'Forget this', store: false });
    expect((await failureOf(client().responses.retrieve(id).then())).status).toBe(404);
  });

  it.each(['resp_nobody', '..%2F..%2Fmodels', 'a%00b', 'x'.repeat(300), '%E2%80%A8'])(
    'named %s does not exist',
    async (id) => {
      const called = server.requests.length;
      const { status, body } = await app.request('GET', `/models/v1/responses/${id}`, { as: app.member });
      expect([status, body]).toMatchObject([404, { error: { type: 'invalid_request_error' } }]);
      expect(server.requests.length).toBe(called);
    },
  );
});

describe('audio', () => {
  const recording = () => new File([SPOKEN], 'hello "world".mp3', { type: 'audio/mpeg' });

  verifies(['relay.openai', 'relay.audio'], 'is transcribed: as JSON, as text, and in a stream', async () => {
    const user = await app.addUser('MEMBER');
    const { transcriptions } = client(user).audio;
    const asked = { model: 'gpt', file: recording(), language: 'en', prompt: 'Grüße\r\nan alle' };
    expect((await transcriptions.create(asked)).text).toBe('Hello world!');
    const { form } = lastRequest();
    const sent = form?.get('file') as File;
    expect([form?.get('model'), form?.get('language'), form?.get('prompt')]).toEqual([
      'upstream-name',
      'en',
      'Grüße\r\nan alle',
    ]);
    expect([sent.name, sent.type]).toEqual(['hello "world".mp3', 'audio/mpeg']);
    expect(Buffer.from(await sent.arrayBuffer()).equals(SPOKEN)).toBe(true);

    expect(await transcriptions.create({ ...asked, response_format: 'text' })).toBe('Hello world!\n');
    const events = await collect(await transcriptions.create({ ...asked, stream: true }));
    expect(events.map(({ type }) => type)).toEqual([
      'transcript.text.delta',
      'transcript.text.delta',
      'transcript.text.done',
    ]);
    const told = { promptTokens: 14, completionTokens: 3, estimated: false, model: 'gpt', source: 'relay' };
    const [streamed, text, json] = await entriesOf(app, user);
    expect([json, streamed]).toMatchObject([told, told]);
    expect(text).toMatchObject({ completionTokens: 3, estimated: true });
    expect(text?.promptTokens).toBeGreaterThan(100);
  });

  verifies(['relay.openai', 'relay.audio'], 'is spoken: as bytes, and in a stream', async () => {
    const user = await app.addUser('MEMBER');
    const { speech } = client(user).audio;
    const asked = { model: 'gpt', input: 'Hello world!', voice: 'alloy' as const };
    const spoken = await speech.create(asked);
    expect(spoken.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await spoken.arrayBuffer()).equals(SPOKEN)).toBe(true);
    expect(lastRequest().body).toEqual({ ...asked, model: 'upstream-name' });
    const events = await (await speech.create({ ...asked, stream_format: 'sse' })).text();
    expect(events).toContain('speech.audio.done');
    expect(await entriesOf(app, user)).toMatchObject([
      { promptTokens: 5, completionTokens: 40, estimated: false },
      { promptTokens: 3, completionTokens: 0, estimated: true },
    ]);
  });

  verifies('relay.audio', 'is limited to 25 MB', async () => {
    const called = server.requests.length;
    const file = new File([new Uint8Array(25 * 1024 * 1024 + 1)], 'long.wav');
    const error = await failureOf(client().audio.transcriptions.create({ model: 'gpt', file }).then());
    expect([error.status, error.code]).toEqual([413, 'request_too_large']);
    expect(server.requests.length).toBe(called);
  });

  verifies('relay.audio', 'that is not sent as it must be is refused, naming the field', async () => {
    const send = async (fields: [string, string | File][]) => {
      const body = new FormData();
      for (const [name, value] of fields) body.append(name, value);
      const response = await fetch(`${app.url}/models/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${app.member.apiKey}` },
        body,
      });
      const { error } = (await response.json()) as { error: { param: string | null } };
      return [response.status, error.param];
    };
    const file = recording();
    expect(await send([['file', file]])).toEqual([400, 'model']);
    expect(
      await send([
        ['model', 'nope'],
        ['file', file],
      ]),
    ).toEqual([404, 'model']);
    expect(await send([['model', 'gpt']])).toEqual([400, 'file']);
    expect(
      await send([
        ['model', 'gpt'],
        ['file', file],
        ['file', file],
      ]),
    ).toEqual([400, 'file']);
    expect(
      await send([
        ['model', 'gpt'],
        ['file', 'text'],
      ]),
    ).toEqual([400, 'file']);
    expect(
      await send([
        ['model', OFFLINE],
        ['file', file],
      ]),
    ).toEqual([400, 'model']);
    const many = Array.from({ length: 70 }, (_, i): [string, string] => [`f${i}`, 'x']);
    expect(await send([['model', 'gpt'], ['file', file], ...many])).toEqual([400, null]);
    const json = await app.request('POST', '/models/v1/audio/transcriptions', { body: { model: 'gpt' } });
    expect(json).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
    for (const [param, body] of [
      ['input', { model: 'gpt', voice: 'alloy' }],
      ['voice', { model: 'gpt', input: 'Hi' }],
      ['model', { model: OFFLINE, input: 'Hi', voice: 'alloy' }],
    ] as const) {
      const refused = await app.request('POST', '/models/v1/audio/speech', { body });
      expect(refused).toMatchObject({ status: 400, body: { error: { param } } });
    }
  });

  verifies('relay.audio', 'keeps the errors of the server, and is not charged for them', async () => {
    const user = await app.addUser('MEMBER');
    server.nextBehavior({
      kind: 'status',
      status: 400,
      message: 'Audio file might be corrupted',
      code: 'bad',
    });
    const error = await failureOf(
      client(user).audio.transcriptions.create({ model: 'gpt', file: recording() }).then(),
    );
    expect([error.status, error.code, error.headers?.get('openai-processing-ms')]).toEqual([
      400,
      'bad',
      '21',
    ]);
    expect(await entriesOf(app, user)).toEqual([]);
  });
});

describe('headers', () => {
  const told = (headers: Headers) => Object.keys(LIMITS).map((name) => headers.get(name));

  verifies(
    'relay.headers',
    'that tell limits reach the caller, whole, streamed, and with errors',
    async () => {
      const { completions } = client().chat;
      const whole = await completions.create({ model: 'gpt', messages: MESSAGES }).asResponse();
      const stream = await completions
        .create({ model: 'gpt', messages: MESSAGES, stream: true })
        .asResponse();
      await stream.body?.cancel();
      server.nextBehavior({ kind: 'status', status: 429, message: 'Slow down', retryAfter: '3' });
      const error = await failureOf(completions.create({ model: 'gpt', messages: MESSAGES }));
      for (const headers of [whole.headers, stream.headers, error.headers ?? new Headers()]) {
        expect(told(headers)).toEqual(Object.values(LIMITS));
        expect(headers.get('x-internal')).toBeNull();
        expect(headers.get('x-ratelimit-owner')).not.toContain(UPSTREAM_KEY);
      }
      expect(error.headers?.get('retry-after')).toBe('3');
    },
  );

  verifies('relay.headers', 'for experiments reach the server', async () => {
    const headers = { 'OpenAI-Beta': 'assistants=v2' };
    await client().chat.completions.create({ model: 'gpt', messages: MESSAGES }, { headers });
    expect(lastRequest().headers).toMatchObject({
      'openai-beta': 'assistants=v2',
      authorization: `Bearer ${UPSTREAM_KEY}`,
    });
    await client().chat.completions.create({ model: 'gpt', messages: MESSAGES });
    expect(lastRequest().headers).not.toHaveProperty('openai-beta');
    const id = await store();
    await client().responses.retrieve(id, {}, { headers });
    expect(lastRequest().headers['openai-beta']).toBe('assistants=v2');
  });
});

describe('an unknown route', () => {
  it.each([
    ['GET', ''],
    ['GET', '/'],
    ['GET', '/files'],
    ['POST', '/images/generations'],
    ['POST', '/chat/completions/extra'],
    ['DELETE', '/models/gpt'],
    ['PUT', '/responses/resp_1'],
    ['POST', '/audio/translations'],
  ])('%s /models/v1%s is a 404 of OpenAI', async (method, path) => {
    const { status, body } = await app.request(method, `/models/v1${path}`, { as: app.member });
    expect(status).toBe(404);
    expect(body).toEqual({
      error: {
        message: `No route ${method} /models/v1${path}`,
        type: 'invalid_request_error',
        code: 'unknown_url',
        param: null,
      },
    });
  });

  verifies('relay.unknown', 'is told by the official client', async () => {
    const error = await failureOf(client().files.list().then());
    expect([error.status, error.code]).toEqual([404, 'unknown_url']);
  });
});

describe('platform/offline', () => {
  verifies('relay.offline', 'calls tools in a response and takes their results', async () => {
    const tools = [{ type: 'function' as const, strict: false, ...WEATHER }];
    const input = '/local weather {"city":"Bern"}';
    const whole = await client().responses.create({ model: OFFLINE, input, tools });
    const stream = client().responses.stream({ model: OFFLINE, input, tools });
    const events = await collect(stream);
    const [call] = (await stream.finalResponse()).output;
    for (const called of [whole.output[0], call])
      expect(called).toMatchObject({ type: 'function_call', name: 'weather', arguments: '{"city":"Bern"}' });
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const answer = await client().responses.create({
      model: OFFLINE,
      tools,
      input: [
        { role: 'user', content: [{ type: 'input_text', text: input }] },
        ...(whole.output as OpenAI.Responses.ResponseInputItem[]),
        { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
      ],
    });
    expect(answer.output_text).toBe('Done. weather answered: sunny');
  });

  verifies('relay.offline', 'reads media, instructions, and a schema in a response', async () => {
    const seen = await client().responses.create({
      model: OFFLINE,
      instructions: 'Be brief',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
            { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,SGk=' },
          ],
        },
      ],
    });
    expect(seen.output_text).toContain(
      'an image (image/png, detail low), a file (a.txt, text/plain, 2 bytes)',
    );
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const parsed = await client().responses.create({
      model: OFFLINE,
      input: 'Hi',
      text: { format: { type: 'json_schema', name: 'trip', schema } },
    });
    expect(JSON.parse(parsed.output_text)).toEqual({ city: 'You said: Hi' });
  });

  verifies('relay.offline', 'ends a response at its limit, and fails as it is told', async () => {
    const cut = await client().responses.create({ model: OFFLINE, input: '/long 100', max_output_tokens: 5 });
    expect([cut.status, cut.incomplete_details, cut.usage?.output_tokens]).toEqual([
      'incomplete',
      { reason: 'max_output_tokens' },
      5,
    ]);
    const error = await failureOf(client().responses.create({ model: OFFLINE, input: '/fail' }));
    expect([error.status, error.code]).toEqual([503, 'service_unavailable']);
    const stream = await client().responses.create({ model: OFFLINE, input: '/long 3\n/fail', stream: true });
    const last = (await collect(stream)).at(-1);
    expect(last).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
  });

  verifies('relay.offline', 'charges a response and embeddings like any other, at no cost', async () => {
    const user = await app.addUser('MEMBER');
    const { usage } = await client(user).responses.create({ model: OFFLINE, input: 'Hi' });
    const embedded = await client(user).embeddings.create({ model: OFFLINE, input: 'Hi there' });
    expect(await entriesOf(app, user)).toMatchObject([
      { promptTokens: embedded.usage.prompt_tokens, completionTokens: 0, cost: 0, estimated: false },
      {
        promptTokens: usage?.input_tokens,
        completionTokens: usage?.output_tokens,
        cost: 0,
        estimated: false,
      },
    ]);
  });

  verifies(['relay.offline', 'relay.embeddings'], 'refuses what it cannot do, naming it', async () => {
    const { chat, responses, embeddings } = client();
    const base = { model: OFFLINE, messages: MESSAGES };
    const calls: [string, PromiseLike<unknown>][] = [
      ['n', chat.completions.create({ ...base, n: 2 })],
      ['logprobs', chat.completions.create({ ...base, logprobs: true })],
      ['top_logprobs', chat.completions.create({ ...base, top_logprobs: 3 })],
      ['modalities', chat.completions.create({ ...base, modalities: ['text', 'audio'] })],
      [
        'previous_response_id',
        responses.create({ model: OFFLINE, input: 'x', previous_response_id: 'resp_1' }),
      ],
      ['conversation', responses.create({ model: OFFLINE, input: 'x', conversation: 'conv_1' })],
      ['top_logprobs', responses.create({ model: OFFLINE, input: 'x', top_logprobs: 2 })],
      ['background', responses.create({ model: OFFLINE, input: 'x', background: true })],
      ['tools[0].type', responses.create({ model: OFFLINE, input: 'x', tools: [{ type: 'web_search' }] })],
      ['input', responses.create({ model: OFFLINE, input: [] })],
      ['input[0].type', responses.create({ model: OFFLINE, input: [{ type: 'item_reference', id: 'm' }] })],
      ['input', embeddings.create({ model: OFFLINE, input: [1, 2, 3] })],
      ['input', embeddings.create({ model: OFFLINE, input: ['a', ''] })],
      ['dimensions', embeddings.create({ model: OFFLINE, input: 'a', dimensions: 9_000 })],
    ];
    for (const [param, call] of calls) {
      const error = await failureOf(Promise.resolve(call));
      expect([error.status, error.type, error.param]).toEqual([400, 'invalid_request_error', param]);
    }
    // What asks for nothing is not refused.
    const plain = { ...base, n: 1, logprobs: false, modalities: ['text' as const] };
    expect((await chat.completions.create(plain)).choices).toHaveLength(1);
    const short = await embeddings.create({
      model: OFFLINE,
      input: 'a',
      dimensions: 7,
      encoding_format: 'float',
    });
    expect(short.data[0]?.embedding).toHaveLength(7);
  });
});
