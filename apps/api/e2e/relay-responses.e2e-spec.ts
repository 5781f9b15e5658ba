import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import type { UsageBalance } from '@platform/contracts';
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai';
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

const ROUTE = '/models/v1/responses';

let app: TestApp;
let model: FakeOpenAiServer;
let old: FakeOpenAiServer;

beforeAll(async () => {
  app = await TestApp.start();
  model = await startOpenAiServer({ apiKey: UPSTREAM_KEY, responses: true });
  old = await startOpenAiServer({ apiKey: UPSTREAM_KEY });
  await addModel(app, 'gpt', model.url);
  await addModel(app, 'old', old.url);
});
afterAll(async () => {
  await app.settle();
  expect(await auditLedger(app.get(DataSource))).toEqual([]);
  await app.close();
  await model.close();
  await old.close();
});

const client = (user = app.member) => openAiClient(app, user);

const respond = (body: object, as = app.member) =>
  app.request<OpenAI.Responses.Response>('POST', ROUTE, { as, body: { model: 'gpt', input: 'Hi', ...body } });

/** What the model's server answers to one that calls it itself. */
async function direct(body: object): Promise<string> {
  const response = await fetch(`${model.url}/responses`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${UPSTREAM_KEY}` },
    body: JSON.stringify({ model: 'upstream-name', input: 'Hi', ...body }),
  });
  return response.text();
}

const lastRequest = () => lastRequestOf(model);

describe('a model', () => {
  verifies('relay.models', 'is returned by its name, or not found', async () => {
    for (const [name, owner] of [
      ['gpt', 'space'],
      ['platform/offline', 'platform'],
    ] as const) {
      expect(await client().models.retrieve(name)).toMatchObject({
        id: name,
        object: 'model',
        owned_by: owner,
      });
    }
    for (const [name, user] of [
      ['nope', app.member],
      ['gpt', app.outsider],
    ] as const) {
      const error = await failureOf(client(user).models.retrieve(name).then());
      expect([error.status, error.code, error.param]).toEqual([404, 'model_not_found', 'model']);
    }
  });
});

describe('a response', () => {
  verifies('relay.responses', 'comes back as the server wrote it, to the official client too', async () => {
    const response = await client().responses.create({ model: 'gpt', input: 'Hi' });
    expect(response.output_text).toBe('Hello world!');
    expect(response.usage).toMatchObject({ input_tokens: 10, output_tokens: 3 });
    const { text, headers } = await respond({});
    expect(headers.get('content-type')).toBe('application/json');
    expect(text).toBe(await direct({}));
  });

  verifies(
    'relay.responses',
    'is asked for under the name and the key of the model, otherwise as sent',
    async () => {
      const more = { instructions: 'Be brief', store: false, metadata: { a: 'ü' }, unknown: [null, 1e21] };
      await respond(more);
      const { body, headers, path } = lastRequest();
      expect(path).toBe('/v1/responses');
      expect(body).toEqual({ model: 'upstream-name', input: 'Hi', ...more });
      expect(headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
    },
  );

  verifies('relay.responses', 'calls tools', async () => {
    model.nextBehavior({ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' }] });
    const tools = [{ type: 'function' as const, name: 'weather', strict: false, parameters: {} }];
    const { output } = await client().responses.create({ model: 'gpt', input: 'Weather?', tools });
    expect(output).toMatchObject([{ type: 'function_call', name: 'weather', arguments: '{"city":"Bern"}' }]);
    expect(lastRequest().body.tools).toEqual(tools);
    const result = { type: 'function_call_output' as const, call_id: 'call_1', output: 'sunny' };
    const next = await client().responses.create({
      model: 'gpt',
      input: [
        { role: 'user', content: 'Weather?' },
        ...(output as OpenAI.Responses.ResponseInputItem[]),
        result,
      ],
    });
    expect(next.output_text).toBe('Hello world!');
  });

  const answers: [string, FakeAnswer][] = [
    ['words', { text: ['Hello', ' wörld', ' "usage":{"input_tokens":1}'] }],
    ['calls', { text: ['Hm'], toolCalls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }] }],
    ['many events', { text: Array.from({ length: 2_000 }, (_, i) => ` ${i}`) }],
  ];

  it.each(answers)('of %s is streamed byte for byte', async (_, answer) => {
    model.nextBehavior(answer, answer);
    const { text, headers } = await respond({ stream: true });
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(lastRequest().body).not.toHaveProperty('stream_options');
    expect(text).toBe(await direct({ stream: true }));
  });

  verifies('relay.responses', 'is streamed to the official client while it is written', async () => {
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    model.nextBehavior({ text: ['early', ' late'], pauseAfter: { chunks: 4, until } });
    const types: string[] = [];
    let text = '';
    for await (const event of await client().responses.create({ model: 'gpt', input: 'Hi', stream: true })) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') {
        text += event.delta;
        goOn();
      }
      if (event.type === 'response.completed') expect(event.response.usage?.output_tokens).toBe(2);
    }
    expect(text).toBe('early late');
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed']);

    const whole = await client().responses.stream({ model: 'gpt', input: 'Hi' }).finalResponse();
    expect(whole.output_text).toBe('Hello world!');
  });

  verifies('relay.responses', 'does not contain the key of the server, however it is cut', async () => {
    const said = `The key is ${UPSTREAM_KEY}.`;
    model.nextBehavior({ text: said.match(/.{1,5}/gs) ?? [] });
    let text = '';
    for await (const event of await client().responses.create({ model: 'gpt', input: 'Hi', stream: true })) {
      if (event.type === 'response.output_text.delta') text += event.delta;
      expect(JSON.stringify(event)).not.toContain(UPSTREAM_KEY);
    }
    expect(text).toMatch(/^The key is .?.?\*{16,}.?\.$/);
    expect(text).toHaveLength(said.length);
  });
});

describe('a response is charged', () => {
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 100,
    total_tokens: 1_100,
    prompt_tokens_details: { cached_tokens: 600 },
    completion_tokens_details: { reasoning_tokens: 40 },
  };

  verifies(['relay.responses', 'relay.ledger'], 'with the figures of the server', async () => {
    const user = await app.addUser('MEMBER');
    for (const options of [{}, { stream: true }]) {
      model.nextBehavior({ text: ['Hi'], usage });
      expect((await respond(options, user)).status).toBe(200);
    }
    const charged = {
      source: 'relay',
      model: 'gpt',
      tokens: -1_100,
      cachedTokens: 600,
      reasoningTokens: 40,
      cost: 0.0024,
      estimated: false,
    };
    expect(await entriesOf(app, user)).toMatchObject([charged, charged]);
  });

  verifies(
    ['relay.responses', 'relay.ledger'],
    'with the figures of a last event that is very long',
    async () => {
      const user = await app.addUser('MEMBER');
      model.nextBehavior({ text: Array.from({ length: 30 }, () => 'y'.repeat(50_000)), usage });
      expect((await respond({ stream: true }, user)).status).toBe(200);
      expect(await entriesOf(app, user)).toMatchObject([{ promptTokens: 1_000, estimated: false }]);
    },
  );

  verifies(['relay.responses', 'relay.ledger'], 'by an estimate if the server reports nothing', async () => {
    const user = await app.addUser('MEMBER');
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'Say hello' }] }];
    for (const options of [{}, { stream: true }]) {
      model.nextBehavior({ text: ['Hello', ' world', '!'], usage: null });
      await respond({ input, ...options }, user);
    }
    const counted = { promptTokens: 6, completionTokens: 3, estimated: true };
    expect(await entriesOf(app, user)).toMatchObject([counted, counted]);
  });

  verifies(['relay.responses', 'relay.leaving'], 'for what a caller got that leaves', async () => {
    const user = await app.addUser('MEMBER');
    // Words for far longer than the test may take.
    model.nextBehavior({ text: Array.from({ length: 100_000 }, () => ' word'), paceMs: 5 });
    const stream = await client(user).responses.create({ model: 'gpt', input: 'Say hello', stream: true });
    let deltas = 0;
    for await (const event of stream)
      if (event.type === 'response.output_text.delta' && ++deltas === 20) break;
    expect(await lastRequest().closed).toBe(true);
    const [entry] = await eventually(async () => {
      const found = await entriesOf(app, user);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(entry).toMatchObject({ source: 'relay', estimated: true });
    expect(entry?.completionTokens).toBeGreaterThanOrEqual(18);
    expect(entry?.completionTokens).toBeLessThan(10_000);
  });

  verifies(
    ['relay.responses', 'relay.ledger.hold'],
    'against a reservation, and refused without balance',
    async () => {
      const owner = await app.addUser('ADMIN', null);
      await addModel(app, 'gpt', model.url, { as: owner });
      await app.request('POST', '/api/usage/grants', { as: owner, body: { tokens: 1_000 } });
      const balance = async () =>
        (await app.request<UsageBalance>('GET', '/api/usage/balance', { as: owner })).body.space;
      const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
      model.nextBehavior({ text: ['Hi'], usage, pauseAfter: { chunks: 1, until } });
      const running = respond({ stream: true, max_output_tokens: 500 }, owner);
      await eventually(async () => expect((await balance()).held).toBeGreaterThanOrEqual(500));
      goOn();
      expect((await running).status).toBe(200);
      await app.settle();
      expect(await balance()).toMatchObject({ balance: -100, held: 0 });
      const error = await failureOf(client(owner).responses.create({ model: 'gpt', input: 'Hi' }));
      expect([error.status, error.code]).toEqual([402, 'insufficient_quota']);
    },
  );
});

describe('a response to another library', () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
  const call = { toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' }], usage };
  const description = 'Returns the weather of a city.';
  const schema = { type: 'object', properties: { city: { type: 'string' } } } as const;
  const charged = { source: 'relay', model: 'gpt', tokens: -1_100, estimated: false };

  verifies(['relay.responses', 'relay.ledger'], 'the AI SDK: text, tools, stream, and usage', async () => {
    const user = await app.addUser('MEMBER');
    const provider = createOpenAI({ baseURL: `${app.url}/models/v1`, apiKey: user.apiKey });
    const gpt = provider.responses('gpt');
    const asked: unknown[] = [];
    const weather = tool({
      description,
      inputSchema: jsonSchema<{ city: string }>(schema),
      execute: (input) => {
        asked.push(input);
        return 'sunny';
      },
    });
    model.nextBehavior(call, { text: ['It is', ' sunny.'], usage });
    const told = await generateText({
      model: gpt,
      maxRetries: 0,
      tools: { weather },
      stopWhen: isStepCount(2),
      prompt: 'Weather in Bern?',
    });
    expect(told.text).toBe('It is sunny.');
    expect(asked).toEqual([{ city: 'Bern' }]);
    expect(lastRequest().body.input).toContainEqual(
      expect.objectContaining({ type: 'function_call_output', call_id: 'call_1', output: 'sunny' }),
    );
    expect(told.steps.map((step) => [step.usage.inputTokens, step.usage.outputTokens])).toEqual([
      [1_000, 100],
      [1_000, 100],
    ]);
    // By default, it refers to what the server stores.
    const answer = { role: 'user' as const, content: 'Sure?' };
    const messages = [{ role: 'user' as const, content: 'Hi' }, ...told.responseMessages, answer];
    model.nextBehavior({ text: ['Yes'], usage });
    expect((await generateText({ model: gpt, maxRetries: 0, messages })).text).toBe('Yes');
    expect(lastRequest().body.input).toContainEqual({ type: 'item_reference', id: 'msg_fake' });
    model.nextBehavior({ text: ['Hello', ' world', '!'], usage });
    const stream = streamText({ model: gpt, maxRetries: 0, prompt: 'Hi' });
    const parts: string[] = [];
    for await (const part of stream.textStream) parts.push(part);
    expect(parts).toEqual(['Hello', ' world', '!']);
    expect(await stream.usage).toMatchObject({ inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 });
    expect(await entriesOf(app, user)).toMatchObject([charged, charged, charged, charged]);
  });

  verifies(['relay.responses', 'relay.ledger'], 'LangChain: text, tools, stream, and usage', async () => {
    const user = await app.addUser('MEMBER');
    const configuration = { baseURL: `${app.url}/models/v1` };
    const access = { apiKey: user.apiKey, configuration, maxRetries: 0 };
    const gpt = new ChatOpenAI({ model: 'gpt', useResponsesApi: true, ...access });
    const weather = {
      type: 'function' as const,
      function: { name: 'weather', description, parameters: schema },
    };
    model.nextBehavior(call, { text: ['It is', ' sunny.'], usage });
    const question = { role: 'user' as const, content: 'Weather in Bern?' };
    const first = await gpt.bindTools([weather]).invoke([question]);
    expect(first.tool_calls).toMatchObject([{ id: 'call_1', name: 'weather', args: { city: 'Bern' } }]);
    const result = new ToolMessage({ tool_call_id: 'call_1', content: 'sunny' });
    const told = await gpt.bindTools([weather]).invoke([question, first, result]);
    expect(told.text).toBe('It is sunny.');
    expect(lastRequest().body.input).toContainEqual(
      expect.objectContaining({ type: 'function_call_output', call_id: 'call_1', output: 'sunny' }),
    );
    const figures = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
    for (const { usage_metadata } of [first, told]) expect(usage_metadata).toMatchObject(figures);
    model.nextBehavior({ text: ['Hello', ' world', '!'], usage });
    const chunks = [];
    for await (const chunk of await gpt.stream('Hi')) chunks.push(chunk);
    expect(chunks.map(({ text }) => text).filter((text) => text !== '')).toEqual(['Hello', ' world', '!']);
    expect(chunks.filter(({ usage_metadata }) => usage_metadata)).toMatchObject([
      { usage_metadata: figures },
    ]);
    expect(await entriesOf(app, user)).toMatchObject([charged, charged, charged]);
  });
});

describe('a model without the Responses API', () => {
  verifies('relay.responses', 'is a 404 that names chat completions, and not charged', async () => {
    const user = await app.addUser('MEMBER');
    for (const stream of [false, true]) {
      {
        const error = await failureOf(client(user).responses.create({ model: 'old', input: 'Hi', stream }));
        expect([error.status, error.code, error.param]).toEqual([404, 'responses_not_supported', 'model']);
        expect(error.message).toContain('/models/v1/chat/completions');
      }
    }
    model.nextBehavior({ kind: 'status', status: 405, message: 'Method Not Allowed' });
    expect((await respond({}, user)).body).toMatchObject({ error: { code: 'responses_not_supported' } });
    expect(await entriesOf(app, user)).toEqual([]);
  });

  verifies(
    'relay.responses',
    'differs from a server that does not know the model, a previous response, or an item',
    async () => {
      for (const message of [
        'The model upstream-name does not exist',
        'previous_response_id resp_1 not found',
        "Item with id 'msg_1' not found.",
      ]) {
        model.nextBehavior({ kind: 'status', status: 404, message, code: 'not_found' });
        expect((await respond({})).body).toMatchObject({ error: { message, code: 'not_found' } });
      }
    },
  );
});

describe('an invalid request', () => {
  verifies(
    ['relay.responses', 'relay.errors.order'],
    'names its field and does not reach the server',
    async () => {
      const called = model.requests.length;
      for (const [status, param, body] of [
        [404, 'model', { model: 'nope', input: 7 }],
        [400, 'input', { input: 7 }],
        [400, 'stream', { stream: 'yes' }],
        [400, 'background', { background: true }],
      ] as const) {
        expect(await respond(body)).toMatchObject({ status, body: { error: { param } } });
      }
      expect(model.requests.length).toBe(called);
    },
  );
});
