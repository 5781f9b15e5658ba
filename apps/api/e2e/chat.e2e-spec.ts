import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ErrorBody, Page, Session } from '@platform/contracts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { AgentCalls, STREAMED, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventData, eventNames, textOf } from './harness/frames.ts';
import { problemsOf } from './harness/problems.ts';
import { verifies } from './verifies.ts';

const MB = 1024 * 1024;
const PIXEL = 'iVBORw0KGgo=';
const WAVE = Buffer.from('RIFF\0\0\0\0WAVEfmt ').toString('base64');
const contents = said('Hi');

let app: TestApp;
let openai: FakeOpenAiServer;
/** An agent of the offline model, and one of the fake server's, which takes every kind of content. */
let offline: AgentCalls;
let hosted: AgentCalls;

beforeAll(async () => {
  openai = await startOpenAiServer();
  app = await TestApp.start();
  offline = await AgentCalls.make(app);
  hosted = await AgentCalls.make(app, {
    baseUrl: openai.url,
    maxOutputTokens: 100,
    capabilities: { images: true, audio: true, files: true, tools: true },
  });
});
afterAll(async () => {
  await app.close();
  await openai.close();
});

/** A chat that must be refused for its body, naming the field; nothing is started. */
async function refused(body: unknown, field: string, expected: string): Promise<void> {
  const { status, body: error } = await offline.post<ErrorBody>(body);
  const { message, errors } = error;
  expect(error).toEqual({ success: false, code: 'VALIDATION_ERROR', message, errors });
  expect(status).toBe(400);
  const problems = problemsOf(error).filter((sentence) => sentence.startsWith(field));
  expect(problems).toContainEqual(expect.stringContaining(expected));
}

async function accepted(body: object): Promise<void> {
  const { status, text } = await offline.json({ contents, ...body });
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
}

/** The last request that reached the model. */
function lastRequest(): Record<string, unknown> {
  return openai.requests.at(-1)?.body ?? {};
}

/** What the model was given as the last message of its user. */
function heard(): unknown {
  const messages = lastRequest().messages as { role: string; content: unknown }[];
  return messages.findLast(({ role }) => role === 'user')?.content;
}

describe('contents', () => {
  verifies('chat.contents.required', 'empty or missing contents are refused', async () => {
    for (const body of [undefined, {}, { contents: null }]) await refused(body, 'contents', 'is required');
    await refused({ contents: [] }, 'contents', 'must not be empty');
    for (const wrong of ['Hi', {}, 5, true])
      await refused({ contents: wrong }, 'contents', 'must be an array');
    await refused({ contents: Array(65).fill(contents[0]) }, 'contents', 'at most 64');
    await accepted({ contents: Array(64).fill(contents[0]) });
  });

  verifies('chat.contents.types', 'items are of the four types and of their shape', async () => {
    const second = (item: unknown) => ({ contents: [contents[0], item] });
    const url = 'https://example.com/x';
    const wrong: [item: unknown, field: string, expected: string][] = [
      ['Hi', 'contents[1]', 'must be an object'],
      [null, 'contents[1]', 'must be an object'],
      [['text'], 'contents[1]', 'must be an object'],
      [{}, 'contents[1].type', 'one of text, image_url, audio, file'],
      [{ type: 'video' }, 'contents[1].type', 'one of text, image_url, audio, file'],
      [{ type: 'TEXT', text: 'Hi' }, 'contents[1].type', 'one of'],
      [{ type: 'input_text', text: 'Hi' }, 'contents[1].type', 'one of'],
      [{ type: 'text' }, 'contents[1].text', 'must be a string'],
      [{ type: 'text', text: 5 }, 'contents[1].text', 'must be a string'],
      [{ type: 'text', text: 'Hi', lang: 'en' }, 'contents[1].lang', 'not a known field'],
      [{ type: 'image_url', image_url: url }, 'contents[1].image_url', 'must be an object with url'],
      [{ type: 'image_url' }, 'contents[1].image_url', 'must be an object with url'],
      [{ type: 'image_url', image_url: {} }, 'contents[1].image_url.url', 'http: or https: address'],
      [
        { type: 'image_url', image_url: { url, detail: 'medium' } },
        'contents[1].image_url.detail',
        'one of auto, low, high',
      ],
      [{ type: 'image_url', image_url: { url, alt: '' } }, 'contents[1].image_url.alt', 'not a known field'],
      [{ type: 'audio', audio: { url } }, 'contents[1].audio', 'not a known field'],
      [{ type: 'audio', audio_url: { url: 5 } }, 'contents[1].audio_url.url', 'http: or https: address'],
      [{ type: 'audio', audio_url: { url, format: 'wav' } }, 'contents[1].audio_url.format', 'not a known'],
      [{ type: 'file', file_info: {} }, 'contents[1].file_info.url', 'http: or https: address'],
      [{ type: 'file', file_info: null }, 'contents[1].file_info', 'must be an object with url'],
      [{ type: 'file', file_url: { url } }, 'contents[1].file_url', 'not a known field'],
    ];
    for (const [item, field, expected] of wrong) await refused(second(item), field, expected);

    const image_url = { url: `data:image/png;base64,${PIXEL}` };
    for (const detail of ['auto', 'low', 'high', null, undefined])
      await accepted(second({ type: 'image_url', image_url: { ...image_url, detail } }));
    await accepted(second({ type: 'audio', audio_url: { url: `data:audio/wav;base64,${WAVE}` } }));
    const file_info = { url: 'data:text/plain;base64,SGk=', name: 'a.txt', size: 2, of: { any: ['shape'] } };
    await accepted(second({ type: 'file', file_info }));
    await accepted({ contents: said('') });
  });

  verifies(
    'chat.contents.urls',
    'media are addresses of http, https or data with base64 that decodes',
    async () => {
      const wrong = [
        '',
        'example.com/cat.png',
        '/cat.png',
        '//example.com/cat.png',
        'http:',
        'http://',
        'http:example.com',
        ' https://example.com/cat.png',
        'ftp://example.com/cat.png',
        'file:///etc/passwd',
        'javascript:alert(1)',
        'blob:https://example.com/1',
        'gs://bucket/cat.png',
        'data:',
        'data:image/png',
        'data:image/png,plain',
        'data:image/png;base64',
        'data:image/png;base64,',
        'data:image/png;base64,@@@@',
        'data:image/png;base64,AAAAA',
        'data:image/png;base64,AA=A',
        'data:;base64,AAAA',
        'data:image/png;base32,AAAA',
      ];
      for (const url of wrong) {
        const expected = 'must be an http: or https: address or a data:<type>;base64,… URI';
        await refused(
          { contents: [...contents, ...contents, { type: 'image_url', image_url: { url } }] },
          'contents[2].image_url.url',
          expected,
        );
        await refused(
          { contents: [{ type: 'audio', audio_url: { url } }] },
          'contents[0].audio_url.url',
          expected,
        );
        await refused(
          { contents: [{ type: 'file', file_info: { url } }] },
          'contents[0].file_info.url',
          expected,
        );
      }
      const right = [
        'http://example.com',
        'https://example.com:8443/a.png?b=c#d',
        'HTTPS://EXAMPLE.COM/A.PNG',
        `data:image/png;base64,${PIXEL}`,
        `DATA:image/PNG;charset=utf-8;BASE64,${PIXEL}`,
      ];
      for (const url of right) await accepted({ contents: [{ type: 'image_url', image_url: { url } }] });
      const files = [
        'data:image/png;base64,AAAA',
        'data:a/b;base64,AA==',
        'data:a/b+c;charset=utf-8;base64,AAA',
      ];
      for (const url of files) await accepted({ contents: [{ type: 'file', file_info: { url } }] });
    },
  );

  verifies(
    'chat.messages.refused',
    'messages in OpenAI’s format are refused, alone and beside contents',
    async () => {
      const messages = [{ role: 'user', content: 'Hi' }];
      await refused({ messages }, 'messages', 'not a known field');
      await refused({ messages, contents }, 'messages', 'not a known field');
      await refused({ messages: [], contents }, 'messages', 'not a known field');
    },
  );
});

describe('settings', () => {
  verifies('chat.settings.bounds', 'bounds are inclusive, and penalties have none', async () => {
    const right = [
      { temperature: 0, top_p: 0, max_tokens: 1 },
      { temperature: 2, top_p: 1, max_tokens: Number.MAX_SAFE_INTEGER },
      { frequency_penalty: -1e6, presence_penalty: 1e6 },
      { frequency_penalty: 2.000001, presence_penalty: -2.000001 },
      { chat_mode: 'ask', disable_web_search: true },
      { chat_mode: 'agent', disable_web_search: false },
      {},
      null,
    ];
    for (const settings of right) await accepted({ settings });

    const wrong: [setting: string, value: unknown, expected: string][] = [
      ['temperature', -0.000001, 'must not be less than 0'],
      ['temperature', 2.000001, 'must not be greater than 2'],
      ['top_p', -0.000001, 'must not be less than 0'],
      ['top_p', 1.000001, 'must not be greater than 1'],
      ['max_tokens', 0, 'must not be less than 1'],
      ['max_tokens', -5, 'must not be less than 1'],
      ['max_tokens', 1.5, 'must be an integer'],
      ['chat_mode', 'ASK', 'one of the following values: ask, agent'],
      ['chat_mode', '', 'one of the following values'],
      ['disable_web_search', 1, 'must be a boolean'],
      ['disable_web_search', 'true', 'must be a boolean'],
      ...['temperature', 'top_p', 'frequency_penalty', 'presence_penalty'].map(
        (setting): [string, unknown, string] => [setting, '1', 'must be a number'],
      ),
      ['max_tokens', '1', 'must be an integer'],
      ['presence_penalty', [1], 'must be a number'],
    ];
    for (const [setting, value, expected] of wrong)
      await refused({ contents, settings: { [setting]: value } }, `settings.${setting}`, expected);

    const raw = JSON.stringify({ contents, settings: { frequency_penalty: 0 } }).replace(':0}', ':1e999}');
    const infinite = await offline.post<ErrorBody>(undefined, { raw });
    expect([infinite.status, infinite.body.message]).toEqual([
      400,
      expect.stringContaining('settings.frequency_penalty must be a number'),
    ]);
  });

  verifies(
    'chat.settings.unknown',
    'unknown fields are refused, those of execute and of prototypes too',
    async () => {
      const unknown = ['maxTokens', 'seed', 'model', 'constructor', 'toString', 'Temperature'];
      for (const field of unknown)
        await refused(
          { contents, settings: { temperature: 1, [field]: 1 } },
          `settings.${field}`,
          'not a known field',
        );
      const raw = JSON.stringify({ contents, settings: { x: 1 } }).replace('"x"', '"__proto__"');
      const proto = await offline.post<ErrorBody>(undefined, { raw });
      expect([proto.status, proto.body.message]).toEqual([
        400,
        expect.stringContaining('__proto__ is not a known field'),
      ]);
      for (const settings of [[], 'hot', 5, [{}]])
        await refused({ contents, settings }, 'settings', 'must be');
    },
  );

  verifies(
    'chat.settings.model',
    'reach the model over the agent’s own, max_tokens lowered to its limit',
    async () => {
      const { path } = hosted;
      const own = {
        temperature: 0.2,
        top_p: 0.5,
        max_tokens: 50,
        frequency_penalty: 0.1,
        presence_penalty: 0.3,
      };
      const sent = (
        { temperature, top_p, max_tokens, frequency_penalty, presence_penalty } = lastRequest(),
      ) => ({
        temperature,
        top_p,
        max_tokens,
        frequency_penalty,
        presence_penalty,
      });
      await hosted.json({ contents });
      expect(sent()).toEqual({ max_tokens: 100 });
      await app.request('PATCH', path, { body: { settings: own } });
      await hosted.json({ contents });
      expect(sent()).toEqual(own);
      await hosted.json({ contents, settings: { temperature: 0, top_p: null, presence_penalty: -3.5 } });
      expect(sent()).toEqual({ ...own, temperature: 0, presence_penalty: -3.5 });
      await hosted.json({ contents, settings: { max_tokens: 101 } });
      expect(sent().max_tokens).toBe(100);
      await hosted.json({ contents, settings: { max_tokens: 7 } });
      expect(sent().max_tokens).toBe(7);
      expect(lastRequest()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
      await app.request('PATCH', path, { body: { settings: {} } });
    },
  );
});

verifies('models.resolve', 'every call uses the model that the agent has now', async () => {
  const calls = await AgentCalls.make(app);
  const used = async () => {
    const { turnId } = (await calls.json({ contents: said('Hi') })).body;
    return (await calls.turn(turnId)).model;
  };
  expect([await used(), await used()]).toEqual(['platform/offline', 'platform/offline']);
  const name = `model-${randomUUID()}`;
  await app.client().models.create({ name, baseUrl: openai.url });
  await app.client().agents.update(calls.agentId, { model: name });
  expect([await used(), await used()]).toEqual([name, name]);
});

verifies('chat.model', 'owners and admins run a turn on another model, and it stays there', async () => {
  const calls = openai.requests.length;
  const model = 'platform/offline';
  const asked = await hosted.json({ contents: said('/ask Which? | A | B'), model });
  const { turnId, session_id: sessionId, interaction } = asked.body;
  expect(asked.body).toMatchObject({ status: 'input_required', interaction: { question: 'Which?' } });
  const [{ id: optionId } = { id: '' }] = interaction?.options ?? [];
  const answer = { sessionId, interactionId: interaction?.interactionId, selectedOptionIds: [optionId] };
  await hosted.app
    .fetch('POST', `${hosted.path}/turns/${turnId}/resume`, {
      as: hosted.user,
      body: answer,
      headers: STREAMED,
    })
    .then((response) => response.text());
  expect(await hosted.turn(turnId)).toMatchObject({ status: 'COMPLETED', model });

  const inputs = { query: 'Hi' };
  expect((await hosted.request('POST', '/execute', { body: { inputs, model } })).status).toBe(200);
  const job = await app.client().agents.invokeAsync(hosted.agentId, { inputs, model });
  expect(await hosted.turn(job.turnId)).toMatchObject({ status: 'COMPLETED', model });
  expect(openai.requests.length).toBe(calls);

  const failed = await hosted.json({ contents: said('/fail'), model, turnId: randomUUID() });
  const failedTurn = failed.headers.get('x-turn-id') ?? '';
  await hosted.json({ contents: said('/fail'), turnId: failedTurn });
  expect(await hosted.turn(failedTurn)).toMatchObject({ status: 'FAILED', model });
  expect(openai.requests.length).toBe(calls);

  const unknown = await hosted.json({ contents, model: 'nobody/knows' });
  expect([unknown.status, unknown.text]).toEqual([503, expect.stringContaining('nobody/knows')]);
  for (const [path, body] of [
    ['/chat', { contents, model, stream: false }],
    ['/execute', { inputs, model }],
  ] as const) {
    const refusal = await hosted.by(app.member).request<ErrorBody>('POST', path, { body });
    expect([refusal.status, refusal.body.code]).toEqual([403, 'FORBIDDEN']);
  }
  await refused({ contents, model: ' ' }, 'model', 'must be a text that is not blank');
});

describe('the body', () => {
  verifies('chat.body.strict', 'each wrong field is named with what was expected', async () => {
    const wrong: [field: string, value: unknown, expected: string][] = [
      ['stream', 'true', 'must be a boolean'],
      ['stream', 1, 'must be a boolean'],
      ['session_id', '', 'longer than or equal to 1'],
      ['session_id', 'x'.repeat(129), 'shorter than or equal to 128'],
      ['session_id', 5, 'must be a'],
      ['session_id', 'a\0b', 'without U+0000'],
      ['session_id', 'a\ud800', 'must be a'],
      ['turnId', 'not-a-uuid', 'must be a UUID'],
      ['turnId', `${randomUUID()}0`, 'must be a UUID'],
      ['turnId', `{${randomUUID()}}`, 'must be a UUID'],
      ['turnId', '', 'must be a UUID'],
      ['turnId', 5, 'must be a UUID'],
      ['registeredLocalTools', 'door', 'must be an array'],
      ['registeredLocalTools', {}, 'must be an array'],
      ['sessionId', 's', 'not a known field'],
      ['inputs', {}, 'not a known field'],
      ['models', 'gpt-x', 'not a known field'],
      ['constructor', 1, 'not a known field'],
    ];
    for (const [field, value, expected] of wrong)
      await refused({ contents, [field]: value }, field, expected);
    await refused(
      { contents, registeredLocalTools: [5] },
      'registeredLocalTools',
      'each value must be a string',
    );

    const all = { contents: [], stream: 'no', turnId: 'x', settings: { top_p: 2 } };
    for (const field of ['contents', 'stream', 'turnId', 'settings.top_p']) await refused(all, field, 'must');

    for (const field of ['session_id', 'turnId', 'settings', 'registeredLocalTools'])
      await accepted({ [field]: null });
    await accepted({ settings: { temperature: null, max_tokens: null, chat_mode: null } });
    const names = ['x', 'x'.repeat(128), '🦊'.repeat(128), 'a/b?c#d %2F é 名\n"\\', '..'];
    for (const session_id of names) await accepted({ session_id });
    const uuids = [
      randomUUID().toUpperCase(),
      '01980000-0000-7000-8000-000000000001',
      '6fa459ea-ee8a-1ca4-894e-db77e160355e',
      '00000000-0000-0000-0000-000000000001',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ];
    for (const turnId of uuids) await accepted({ turnId });
    const nothing = await offline.post({ contents, stream: null });
    expect(nothing.headers.get('content-type')).toBe('text/event-stream');
  });

  verifies(
    'chat.body.unreadable',
    'malformed, too large, too deep and unknown: the flat error body',
    async () => {
      const flat = (answer: { status: number; body: unknown; headers: Headers }) => {
        const { code, message, errors } = answer.body as ErrorBody;
        expect(answer.body).toEqual({
          success: false,
          code: expect.any(String),
          message: expect.any(String),
          ...(code === 'VALIDATION_ERROR' && { errors }),
        });
        expect(answer.headers.get('content-type')).toContain('application/json');
        return [answer.status, code, message];
      };
      for (const raw of ['{', '{"contents":', '{"a":1}}', "{'a':1}", '\u0000', 'NaN', '5', '"text"', 'null'])
        expect(flat(await offline.post(undefined, { raw }))).toEqual([
          400,
          'VALIDATION_ERROR',
          'The body is not valid JSON',
        ]);
      expect(flat(await offline.post(undefined, { raw: '[]' }))).toEqual([
        400,
        'VALIDATION_ERROR',
        'The body must be a JSON object',
      ]);

      const large = said('x'.repeat(10 * MB));
      expect(flat(await offline.post({ contents: large }))).toEqual([
        413,
        'PAYLOAD_TOO_LARGE',
        expect.stringContaining(String(10 * MB)),
      ]);
      const agent = { name: 'A', model: 'platform/offline', systemPrompt: 'x'.repeat(MB) };
      expect(flat(await app.request('POST', '/api/agents', { body: agent }))).toEqual([
        413,
        'PAYLOAD_TOO_LARGE',
        expect.stringContaining(String(MB)),
      ]);
      const inflated = gzipSync(JSON.stringify({ contents: large }));
      const zipped = await fetch(`${app.url}${offline.path}/chat`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${app.admin.apiKey}`,
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
        },
        body: inflated,
      });
      expect([inflated.length < MB, zipped.status]).toEqual([true, 413]);

      // body › contents › item › file_info: what hangs below makes 64 levels, or 65.
      const deep = (levels: number) => {
        const info = `{"url":"data:text/plain;base64,SGk=","x":${'['.repeat(levels - 4)}${']'.repeat(levels - 4)}}`;
        return `{"stream":false,"contents":[{"type":"file","file_info":${info}}]}`;
      };
      expect((await offline.post(undefined, { raw: deep(64) })).status).toBe(200);
      expect(flat(await offline.post(undefined, { raw: deep(65) }))).toEqual([
        400,
        'VALIDATION_ERROR',
        'The body is nested deeper than 64 levels',
      ]);
      expect(flat(await offline.post(undefined, { raw: deep(100_000) }))[0]).toBe(400);

      const typed = {
        raw: JSON.stringify({ contents }),
        headers: { ...STREAMED, 'Content-Type': 'text/plain' },
      };
      expect(flat(await offline.post(undefined, typed))).toEqual([
        400,
        'VALIDATION_ERROR',
        expect.stringContaining('Content-Type: application/json'),
      ]);
      const encoded = { raw: '{}', headers: { 'Content-Encoding': 'gzip' } };
      expect(flat(await offline.post(undefined, encoded))[0]).toBe(400);

      for (const path of [
        '/api/nothing',
        '/api',
        `${offline.path}/chats`,
        '/api/agents/a/b/c/d',
        '/models/v2/x',
      ])
        expect([path, ...flat(await app.request('POST', path, { body: {} }))]).toEqual([
          path,
          404,
          'NOT_FOUND',
          `No route POST ${path}`,
        ]);
      expect(flat(await app.request('GET', `${offline.path}/chat`)).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
      expect(flat(await app.request('GET', '/api/agents/%ZZ'))[0]).toBe(400);
    },
  );
});

describe('the stream protocol', () => {
  const wrongHeaders: Record<string, string>[] = [
    {},
    { 'X-Platform-Stream-Protocol': '' },
    { 'X-Platform-Stream-Protocol': 'langgraph-v2' },
    { 'X-Platform-Stream-Protocol': 'LANGGRAPH-V3' },
    { 'X-Platform-Stream-Protocol': 'langgraph-v3, langgraph-v3' },
    { 'X-Platform-Stream-Protocol': 'langgraph-v31' },
  ];

  verifies('chat.protocol.426', 'a streaming request without it, or with another, is a 426', async () => {
    const session_id = randomUUID();
    for (const headers of wrongHeaders) {
      for (const stream of [undefined, null, true]) {
        const { status, body } = await offline.post({ contents, stream, session_id }, { headers });
        expect([status, body]).toEqual([
          426,
          {
            success: false,
            code: 'STREAM_PROTOCOL_REQUIRED',
            message: expect.stringContaining('X-Platform-Stream-Protocol: langgraph-v3'),
          },
        ]);
      }
    }
    expect((await offline.request('GET', `/sessions/${session_id}`)).status).toBe(404);
  });

  verifies(['chat.protocol.echo'], 'a stream carries it and is exactly text/event-stream', async () => {
    const { headers, frames } = await offline.stream({ contents });
    expect(headers.get('x-platform-stream-protocol')).toBe('langgraph-v3');
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('content-encoding')).toBeNull();
    const { turnId, sessionId } = eventData(frames, 'session-started');
    expect([headers.get('x-turn-id'), headers.get('x-session-id')]).toEqual([turnId, sessionId]);

    const again = await offline.attach(String(turnId), '', { Accept: 'application/json' });
    expect(again.response.headers.get('x-platform-stream-protocol')).toBe('langgraph-v3');
    expect(again.response.headers.get('content-type')).toBe('text/event-stream');
    await again.leave();
  });

  verifies('chat.protocol.order', '401, then an unreadable body, 404, 403, 400, 426', async () => {
    const restricted = await AgentCalls.make(app, null, { accessScope: 'RESTRICTED', allowedUserIds: [] });
    const nowhere = new AgentCalls(app, randomUUID());
    const none = { headers: {} };
    const status = async (calls: AgentCalls, init: { as?: TestUser | null; raw?: string; body?: unknown }) =>
      (await calls.request('POST', '/chat', init)).status;
    const malformed = { raw: '{' };
    const wrong = { body: { contents: [] } };

    expect(await status(nowhere, { as: null, ...malformed })).toBe(401);
    expect(await status(offline, { as: null, raw: 'x'.repeat(11 * MB) })).toBe(401);
    expect(await status(nowhere, malformed)).toBe(400);
    expect(await status(restricted, malformed)).toBe(400);
    expect(await status(nowhere, wrong)).toBe(404);
    expect(await status(restricted, wrong)).toBe(403);
    expect((await offline.post(wrong.body, none)).status).toBe(400);
    expect((await offline.post({ contents, settings: { top_p: 2 } }, none)).status).toBe(400);
    expect((await offline.post({ contents }, none)).status).toBe(426);

    const { frames } = await offline.stream({ contents });
    const { turnId } = eventData(frames, 'session-started');
    expect((await offline.post({ contents: said('Other'), turnId }, none)).status).toBe(426);
    expect((await offline.post({ contents: said('Other'), turnId })).status).toBe(409);
  });
});

describe('the JSON answer', () => {
  verifies(
    'chat.json',
    'has the answer, the usage and seconds; the protocol header does not matter',
    async () => {
      openai.nextBehavior(
        {
          text: ['Forty', '-two'],
          usage: { prompt_tokens: 31, completion_tokens: 4, total_tokens: 35 },
          paceMs: 30,
        },
        { text: ['Nothing', ' counted'], usage: null },
      );
      const turnId = randomUUID();
      const headers = { 'X-Platform-Stream-Protocol': 'something else', Accept: 'text/event-stream' };
      const body = { contents, turnId, session_id: 's é', stream: false };
      const began = performance.now();
      const answer = await hosted.post<{ execution_time: number }>(body, { headers });
      const took = (performance.now() - began) / 1_000;
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.headers.get('x-turn-id')).toBe(turnId);
      expect(decodeURIComponent(answer.headers.get('x-session-id') ?? '')).toBe('s é');
      expect(answer.body).toEqual({
        session_id: 's é',
        turnId,
        status: 'completed',
        contents: [{ type: 'text', text: 'Forty-two' }],
        answer: 'Forty-two',
        toolExecutions: [],
        knowledgeEvidence: [],
        interaction: null,
        tokens_used: 35,
        token_usage: { prompt_tokens: 31, completion_tokens: 4, total_tokens: 35, cost: 0 },
        execution_time: expect.any(Number),
      });
      // Four chunks at 30 ms, in seconds.
      expect(answer.body.execution_time).toBeGreaterThan(0.05);
      expect(answer.body.execution_time).toBeLessThanOrEqual(took);

      const estimated = await hosted.json({ contents });
      expect(estimated.body.token_usage).toMatchObject({
        estimated: true,
        prompt_tokens: expect.any(Number),
      });
      expect(estimated.body.token_usage.completion_tokens).toBeGreaterThan(0);
    },
  );

  verifies('chat.json', 'costs what the model’s prices say, streamed or not', async () => {
    const priced = await AgentCalls.make(app, {
      baseUrl: openai.url,
      price: { inputPerMillion: 2, outputPerMillion: 10, cachedInputPerMillion: 1 },
    });
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      prompt_tokens_details: { cached_tokens: 500 },
    };
    openai.nextBehavior({ text: ['a'], usage }, { text: ['a'], usage });
    const cost = (500 * 2 + 500 * 1 + 100 * 10) / 1_000_000;
    const { body } = await priced.json({ contents });
    expect(body.token_usage).toEqual({
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      cost,
    });
    const { frames } = await priced.stream({ contents });
    expect(eventData(frames, 'response-completed').token_usage).toEqual(body.token_usage);
  });
});

describe('sessions', () => {
  verifies('chat.sessions', 'a session_id continues the conversation, an unknown one starts it', async () => {
    const session_id = `talk ${randomUUID()}`;
    openai.nextBehavior({ text: ['I am Ada.'] });
    await hosted.json({ contents: said('Who are you?'), session_id });
    const { frames } = await hosted.stream({ contents: said('And now?'), session_id });
    expect(eventData(frames, 'session-started').sessionId).toBe(session_id);
    expect(lastRequest().messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', content: 'I am Ada.' },
      { role: 'user', content: 'And now?' },
    ]);

    const alone = await hosted.stream({ contents: said('Alone') });
    expect(lastRequest().messages).toHaveLength(2);
    const { sessionId } = eventData(alone.frames, 'session-started');
    expect(sessionId).toMatch(/^[0-9a-f-]{36}$/);
    await hosted.json({ contents: said('Two'), session_id: String(sessionId) });
    expect(lastRequest().messages).toHaveLength(4);
  });

  verifies('chat.sessions', 'belong to one user and one agent, whatever their name', async () => {
    const session_id = randomUUID();
    await hosted.json({ contents, session_id });
    await hosted.by(app.member).json({ contents, session_id });
    expect(lastRequest().messages).toHaveLength(2);
    const another = await AgentCalls.make(app, { baseUrl: openai.url });
    await another.json({ contents, session_id });
    expect(lastRequest().messages).toHaveLength(2);
    const { body } = await hosted.by(app.member).request<Page<Session>>('GET', '/sessions');
    expect(body.items).toHaveLength(1);
  });
});

describe('media', () => {
  let files: Server;
  let at: string;

  beforeAll(async () => {
    files = createServer((req, res) => {
      if (req.url === '/song.mp3') res.setHeader('Content-Type', 'audio/mpeg').end('ID3 song');
      else if (req.url === '/notes.md')
        res.setHeader('Content-Type', 'text/markdown; charset=utf-8').end('# Notes');
      else res.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(files, 'listening');
    at = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  });
  afterAll(() => files.close());

  verifies('chat.media.model', 'reach the model as its protocol wants them; text files as text', async () => {
    const data = (type: string, text: string | Buffer) =>
      `data:${type};base64,${Buffer.from(text as string).toString('base64')}`;
    const latin1 = (text: string) => Buffer.from(text, 'latin1');
    const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
    const { frames } = await hosted.stream({
      contents: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'https://example.com/cat.png', detail: 'low' } },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
        // What the bytes are counts, not what they are called.
        { type: 'image_url', image_url: { url: `Data:text/html;base64,${PIXEL}` } },
        { type: 'audio', audio_url: { url: `DATA:audio/mpeg;base64,${WAVE}` } },
        { type: 'audio', audio_url: { url: data('audio/wav', 'ID3 song') } },
        { type: 'audio', audio_url: { url: `${at}/song.mp3` } },
        { type: 'file', file_info: { url: data('application/pdf', '%PDF'), name: 'a.pdf', pages: 3 } },
        { type: 'file', file_info: { url: data('text/csv', 'a,b\n1,2'), name: 'a.csv' } },
        { type: 'file', file_info: { url: `${at}/notes.md`, name: 'notes.md' } },
        { type: 'file', file_info: { url: data('application/octet-stream', 'x = 1'), name: 'x.py' } },
        // What Excel saves as CSV and as Unicode text.
        { type: 'file', file_info: { url: data('text/csv', latin1('Größe;Ort\nXL;Köln')), name: 'b.csv' } },
        { type: 'file', file_info: { url: data('text/plain', utf16('名前\t値')), name: 'b.txt' } },
      ],
    });
    expect(eventNames(frames)).not.toContain('error-occurred');
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    expect(heard()).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png', detail: 'low' } },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'auto' } },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'auto' } },
      { type: 'input_audio', input_audio: { data: WAVE, format: 'wav' } },
      { type: 'input_audio', input_audio: { data: base64('ID3 song'), format: 'mp3' } },
      { type: 'input_audio', input_audio: { data: base64('ID3 song'), format: 'mp3' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: data('application/pdf', '%PDF') } },
      { type: 'text', text: 'File a.csv:\na,b\n1,2' },
      { type: 'text', text: 'File notes.md:\n# Notes' },
      { type: 'text', text: 'File x.py:\nx = 1' },
      { type: 'text', text: 'File b.csv:\nGröße;Ort\nXL;Köln' },
      { type: 'text', text: 'File b.txt:\n名前\t値' },
    ]);

    await hosted.stream({ contents: [...said('One'), ...said('two')] });
    expect(heard()).toBe('One\n\ntwo');
  });

  verifies('chat.media.model', 'that cannot be fetched are a 400 that names the item', async () => {
    const calls = openai.requests.length;
    for (const url of [
      `${at}/nothing`,
      'http://10.0.0.1/a.wav',
      'http://169.254.169.254/latest',
      'http://[::1]/',
    ]) {
      const body = { contents: [...contents, { type: 'audio', audio_url: { url } }] };
      const { status, body: error } = await hosted.post(body);
      expect([url, status, error.message]).toEqual([
        url,
        400,
        expect.stringMatching(/^contents\[1\]\.audio_url\.url could not be fetched/),
      ]);
    }
    expect(openai.requests).toHaveLength(calls);
  });

  verifies(
    'chat.media.model',
    'of formats that it cannot be told are a 400 that names the item',
    async () => {
      const calls = openai.requests.length;
      const data = (type: string, text: string) =>
        `data:${type};base64,${Buffer.from(text).toString('base64')}`;
      const wrong: [item: object, message: RegExp][] = [
        [
          { type: 'audio', audio_url: { url: data('audio/ogg', 'OggS') } },
          /^contents\[1\]\.audio_url\.url must be a WAV/,
        ],
        [
          { type: 'audio', audio_url: { url: data('audio/wav', 'OggS') } },
          /^contents\[1\]\.audio_url\.url must be a WAV/,
        ],
        [
          { type: 'audio', audio_url: { url: `${at}/notes.md` } },
          /^contents\[1\]\.audio_url\.url must be a WAV/,
        ],
        [
          { type: 'image_url', image_url: { url: data('text/html', '<p>') } },
          /^contents\[1\]\.image_url\.url must be a PNG/,
        ],
        [
          { type: 'image_url', image_url: { url: data('image/png', '<p>') } },
          /^contents\[1\]\.image_url\.url must be a PNG/,
        ],
      ];
      for (const [item, message] of wrong) {
        const { status, body } = await hosted.post({ contents: [...contents, item] });
        expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
      }
      expect(openai.requests).toHaveLength(calls);
    },
  );

  verifies('chat.media.model', 'of earlier turns go along with the next', async () => {
    const session_id = randomUUID();
    const image_url = { url: `data:image/png;base64,${PIXEL}` };
    await hosted.json({ contents: [{ type: 'image_url', image_url }], session_id });
    await hosted.json({ contents: said('And?'), session_id });
    const { messages } = lastRequest() as { messages: unknown[] };
    expect(messages[1]).toEqual({
      role: 'user',
      content: [{ type: 'image_url', image_url: { ...image_url, detail: 'auto' } }],
    });
  });

  verifies(
    'chat.media.capability',
    'of earlier turns are named to a model that cannot take them',
    async () => {
      const session_id = randomUUID();
      const data = (type: string, text: string) =>
        `data:${type};base64,${Buffer.from(text).toString('base64')}`;
      const media = [
        { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
        { type: 'audio', audio_url: { url: `data:audio/wav;base64,${WAVE}` } },
        { type: 'file', file_info: { url: data('application/pdf', '%PDF'), name: 'a.pdf' } },
        { type: 'file', file_info: { url: data('text/csv', 'a,b'), name: 'a.csv' } },
      ];
      await hosted.json({ contents: media, session_id });
      const name = `blind-${randomUUID()}`;
      const capabilities = { images: false, audio: false, files: false };
      await app.client().models.create({ name, baseUrl: openai.url, capabilities });
      await hosted.json({ contents: said('And?'), session_id, model: name });
      const { messages } = lastRequest() as { messages: unknown[] };
      expect(messages[1]).toEqual({
        role: 'user',
        content: [
          '[an image that was sent earlier]',
          '[an image that was sent earlier]',
          '[a recording that was sent earlier]',
          '[the file a.pdf that was sent earlier]',
          'File a.csv:\na,b',
        ].join('\n\n'),
      });
    },
  );

  verifies('chat.media.capability', 'that the model cannot take are a 400 that names the item', async () => {
    const blind = await AgentCalls.make(app, {
      baseUrl: openai.url,
      capabilities: { images: false, audio: false, files: false },
    });
    const session_id = randomUUID();
    const wrong: [item: object, kind: string][] = [
      [{ type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }, 'images'],
      [{ type: 'audio', audio_url: { url: 'data:audio/wav;base64,AAAA' } }, 'audio'],
      [{ type: 'file', file_info: { url: 'data:application/pdf;base64,AAAA' } }, 'files'],
    ];
    for (const [item, kind] of wrong) {
      for (const stream of [true, false]) {
        const { status, body } = await blind.post({ contents: [...contents, item], session_id, stream });
        expect([status, body]).toMatchObject([
          400,
          {
            success: false,
            code: 'VALIDATION_ERROR',
            message: expect.stringMatching(
              new RegExp(`^contents\\[1\\]: the model .* does not take ${kind}$`),
            ),
          },
        ]);
      }
    }
    const file_info = { url: 'data:text/plain;base64,SGk=' };
    expect((await blind.json({ contents: [{ type: 'file', file_info }] })).status).toBe(200);
    expect((await blind.request('GET', `/sessions/${session_id}`)).status).toBe(404);
  });
});

describe('the client library', () => {
  verifies(['chat.json', 'stream.end'], 'chats in both forms', async () => {
    const { agents } = app.client();
    const stream = agents.chatStream(offline.agentId, { contents: said('Good day') });
    const events = [];
    for await (const { event } of stream) events.push(event);
    expect(events).toEqual([
      'session.started',
      ...events.filter((event) => event === 'content.delta'),
      'context.usage',
      'response.completed',
      'stream.ended',
    ]);
    const answer = await agents.chat(offline.agentId, { contents: said('Good day') });
    expect(answer.answer).toContain('You said: Good day');
    const { frames } = await offline.stream({ contents: said('Good day') });
    expect(textOf(frames)).toBe(answer.answer);
  });
});
