import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import {
  WIRE_EVENT,
  type ErrorBody,
  type Interaction,
  type Page,
  type ProductEventName,
  type Session,
} from '@platform/contracts';
import { productEvent } from '../src/streams/frame.ts';
import type { Behavior } from './fixtures/openai-server.ts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import {
  eventData,
  eventNames,
  framesIn,
  readStream,
  textOf,
  type StreamedAnswer,
} from './harness/frames.ts';
import { retainedBytes } from './harness/memory.ts';
import { gate } from './harness/gate.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

const MB = 1024 * 1024;
const METHODS = ['custom:platform', 'messages', 'tools', 'lifecycle', 'input'];
const WIRE_NAMES: Record<ProductEventName, string> = {
  'session.started': 'session-started',
  'content.delta': 'content-delta',
  'tool.execution': 'tool-execution',
  'knowledge.evidence': 'knowledge-evidence',
  'agent.input.required': 'agent-input-required',
  'local.tool.call': 'local-tool-call',
  'context.usage': 'context-usage',
  'response.completed': 'response-completed',
  'turn.persist_pending': 'turn-persist-pending',
  'error.occurred': 'error-occurred',
  'stream.ended': 'stream-ended',
};

let app: TestApp;
/** Another process on the same database. */
let neighbour: TestApp;
let model: ScriptedModel;
let calls: AgentCalls;
/** Of a model that may answer at any length. */
let verbose: AgentCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  neighbour = await TestApp.start({ database: app });
  calls = await AgentCalls.make(app, { baseUrl: model.url });
  const limits = { contextWindow: 100_000_000, maxOutputTokens: 50_000_000 };
  verbose = await AgentCalls.make(app, { baseUrl: model.url, ...limits });
});
afterAll(async () => {
  await neighbour.close();
  await app.close();
  await model.close();
});

/** The model says `One`, waits to be let go, and says the rest. */
function held(): { prompt: string; letGo: () => void } {
  const { opened, open } = gate();
  const text = ['One', ...Array.from({ length: 200 }, (_, i) => ` and ${i + 2}`)];
  return { prompt: model.prompt({ text, pauseAfter: { chunks: 2, until: opened } }), letGo: open };
}

/** A model step of every kind of delta, and a second one. */
const everything: Behavior[] = [
  {
    reasoning: ['Well', ', well'],
    text: ['Looking', '.'],
    toolCalls: [{ id: 'call_1', name: 'weather__now', arguments: '{"city":"Ulm"}' }],
  },
  { text: ['Done', ' 🦊 ', 'é'] },
];

describe('frames', () => {
  verifies(
    'stream.frames',
    'are JSON of one shape in one line each, counted from 1 without a gap',
    async () => {
      const { bytes, frames } = await calls.stream({ contents: said(model.prompt(...everything)) });
      const blocks = bytes.split('\n\n');
      expect(blocks.pop()).toBe('');
      expect(blocks).toHaveLength(frames.length);
      blocks.forEach((block, i) => {
        const [id, data, ...more] = block.split('\n');
        expect([id, more]).toEqual([`id: 1.${i + 1}`, []]);
        expect(data).toMatch(/^data: \{/);
      });
      expect(bytes).not.toMatch(/\r|\[DONE\]/);
      for (const [i, frame] of frames.entries()) {
        expect(frame).toEqual({
          type: 'event',
          method: expect.any(String),
          params: { namespace: [], timestamp: expect.any(Number), data: expect.any(Object) },
          seq: i + 1,
        });
        expect(METHODS).toContain(frame.method);
        expect(Math.abs(Date.now() - frame.params.timestamp)).toBeLessThan(60_000);
        expect(frame.params.data.event).toEqual(expect.any(String));
      }
      expect(new Set(frames.map(({ method }) => method))).toEqual(
        new Set(['custom:platform', 'messages', 'tools', 'lifecycle']),
      );
      expect(textOf(frames)).toBe('Looking.Done 🦊 é');
    },
  );

  verifies('stream.frames', 'report each model step with LangGraph’s methods', async () => {
    const { frames } = await calls.stream({ contents: said(model.prompt(...everything)) });
    const of = (method: string) =>
      frames.filter((frame) => frame.method === method).map(({ params }) => params.data);
    expect(of('lifecycle').map(({ event }) => event)).toEqual(['started', 'running', 'completed']);
    const events = of('messages').map(({ event }) => event);
    // Deltas that arrive together are one.
    expect(events.filter((event, i) => event !== 'content-block-delta' || event !== events[i - 1])).toEqual([
      'message-start',
      'content-block-start',
      'content-block-delta',
      'content-block-finish',
      'content-block-start',
      'content-block-finish',
      'content-block-start',
      'content-block-finish',
      'message-finish',
      'message-start',
      'content-block-start',
      'content-block-finish',
      'message-finish',
    ]);
    expect(of('messages').filter(({ event }) => event === 'content-block-finish')).toMatchObject([
      { index: 0, content: { type: 'reasoning', reasoning: 'Well, well' } },
      { index: 1, content: { type: 'text', text: 'Looking.' } },
      { index: 2, content: { type: 'tool_call', id: 'call_1', name: 'weather__now', args: { city: 'Ulm' } } },
      { index: 0, content: { type: 'text', text: 'Done 🦊 é' } },
    ]);
    expect(of('messages').at(-1)).toMatchObject({
      reason: 'stop',
      usage: { input_tokens: 10, output_tokens: 3, total_tokens: 13 },
    });
    expect(of('tools')).toMatchObject([
      { event: 'tool-started', tool_call_id: 'call_1', tool_name: 'weather__now', input: { city: 'Ulm' } },
      { event: 'tool-error', tool_call_id: 'call_1', code: 'NOT_FOUND' },
    ]);
  });

  verifies('stream.frames', 'are at most 32 KB, however large what they carry', async () => {
    const long = '🦊é\n"'.repeat(30_000);
    const args = JSON.stringify({ text: 'x'.repeat(100_000), more: { of: '名'.repeat(50_000) } });
    const prompt = model.prompt(
      { text: [long, long], toolCalls: [{ id: 'c', name: 'n', arguments: args }] },
      { text: ['.'] },
    );
    const { bytes, frames } = await verbose.stream({ contents: said(prompt) });
    expect(textOf(frames) === `${long}${long}.`).toBe(true);
    const sizes = bytes.split('\n\n').map((block) => Buffer.byteLength(block));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(32 * 1024);
    const { arguments: shown, truncated } = eventData(frames, 'tool-execution');
    expect(truncated).toBe(true);
    expect(shown).toEqual({
      text: expect.stringMatching(/^x+…$/),
      more: { of: expect.stringMatching(/^名+…$/) },
    });
  });

  verifies('stream.wire-names', 'the eleven product events travel under their hyphenated names', async () => {
    expect(WIRE_EVENT).toEqual(WIRE_NAMES);
    expect(Object.keys(WIRE_NAMES)).toHaveLength(11);
    for (const [name, wire] of Object.entries(WIRE_NAMES)) {
      const { method, data } = productEvent(name as ProductEventName, {} as never);
      expect([method, JSON.parse(data)]).toEqual(['custom:platform', { event: wire }]);
    }
    const { frames } = await calls.stream({ contents: said(model.prompt(...everything)) });
    expect([...new Set(eventNames(frames))]).toEqual(
      [
        'session-started',
        'context-usage',
        'content-delta',
        'tool-execution',
        'response-completed',
        'stream-ended',
      ].sort((a, b) => eventNames(frames).indexOf(a) - eventNames(frames).indexOf(b)),
    );
    const known: string[] = Object.values(WIRE_NAMES);
    for (const { method, params } of frames)
      expect(known.includes(String(params.data.event))).toBe(method === 'custom:platform');
  });
});

describe('the end', () => {
  verifies(
    'stream.end',
    'response-completed tells session, tokens and seconds; stream-ended is last, once',
    async () => {
      const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
      const prompt = model.prompt({ text: ['a', 'b', 'c'], usage, paceMs: 40 });
      const turnId = randomUUID();
      const begun = performance.now();
      const { frames } = await calls.stream({ contents: said(prompt), session_id: 'mine', turnId });
      const took = (performance.now() - begun) / 1000;
      const names = eventNames(frames);
      expect(names.filter((name) => name === 'response-completed')).toHaveLength(1);
      expect(names.filter((name) => name === 'stream-ended')).toHaveLength(1);
      expect(frames.at(-1)?.params.data).toEqual({ event: 'stream-ended', lastSeq: frames.length });
      const completed = eventData(frames, 'response-completed');
      expect(completed).toEqual({
        event: 'response-completed',
        session_id: 'mine',
        turnId,
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        tokens_used: 25,
        execution_time: expect.any(Number),
        token_usage: { ...usage, cost: 0 },
        finishReason: 'completed',
      });
      // The model took five chunks at 40 ms.
      expect(completed.execution_time).toBeGreaterThan(0.15);
      expect(completed.execution_time).toBeLessThanOrEqual(took);
      const [answer] = await calls.messages('mine');
      expect(answer?.id).toBe(completed.messageId);
      expect(eventData(frames, 'context-usage')).toMatchObject({
        usedTokens: 25,
        maxTokens: 128_000,
        estimated: false,
      });
    },
  );

  verifies('stream.end', 'a response that reached its limit says so', async () => {
    const offline = await AgentCalls.make(app);
    const { frames } = await offline.stream({ contents: said('/long 50'), settings: { max_tokens: 5 } });
    expect(eventData(frames, 'response-completed')).toMatchObject({ finishReason: 'length' });
    expect(textOf(frames)).toBe('word word word word word');
  });
});

describe('re-attaching', () => {
  verifies(
    'stream.reattach',
    'gives the same bytes from any place, on any instance, after the turn',
    async () => {
      const turnId = randomUUID();
      const { bytes, frames } = await calls.stream({ contents: said(model.prompt(...everything)), turnId });
      const from = (seq: number) => bytes.slice(bytes.indexOf(`id: 1.${seq}\n`));
      for (const instance of [calls, calls.via(neighbour)]) {
        const whole = await (await instance.attach(turnId)).rest();
        expect(whole.bytes).toBe(bytes);
        expect(whole.headers.get('x-turn-id')).toBe(turnId);
        for (let seq = 0; seq < frames.length; seq++) {
          const part = await (await instance.attach(turnId, `?after=${seq}`)).rest();
          expect([seq, part.bytes]).toEqual([seq, from(seq + 1)]);
        }
        const ended = await (await instance.attach(turnId, `?segment=1&after=${frames.length}`)).rest();
        expect([ended.status, ended.bytes]).toEqual([200, '']);
        const resumed = await (await instance.attach(turnId, '', { 'Last-Event-ID': '1.4' })).rest();
        expect(resumed.bytes).toBe(from(5));
        const asked = await (await instance.attach(turnId, '?after=2', { 'Last-Event-ID': '1.4' })).rest();
        expect(asked.bytes).toBe(from(3));
        const strange = await (await instance.attach(turnId, '', { 'Last-Event-ID': 'x' })).rest();
        expect(strange.bytes).toBe(bytes);
      }
    },
  );

  verifies('stream.reattach', 'gives the same bytes while the turn runs, on any instance', async () => {
    const { prompt, letGo } = held();
    const turnId = randomUUID();
    const first = await calls.open({ contents: said(prompt), turnId });
    const seen = framesIn(await first.until('content-delta'));
    const readers = await Promise.all(
      [calls, calls.via(neighbour)].flatMap((instance) => [
        instance.attach(turnId),
        instance.attach(turnId),
        instance.attach(turnId, `?after=${seen.length - 1}`),
        // A place that is still to come.
        instance.attach(turnId, `?after=${seen.length + 1}`),
      ]),
    );
    await Promise.all([readers[0]?.until('content-delta'), readers[4]?.until('content-delta')]);
    letGo();
    const [{ bytes, frames }, ...others] = await Promise.all([first.rest(), ...readers.map((r) => r.rest())]);
    expect(textOf(frames)).toMatch(/^One and 2 .* and 201$/);
    const from = (seq: number) => bytes.slice(bytes.indexOf(`id: 1.${seq}\n`));
    const parts = [bytes, bytes, from(seen.length), from(seen.length + 2)];
    expect(others.map((other) => other.bytes)).toEqual([...parts, ...parts]);
  });

  verifies('stream.reattach', 'at a place that never comes ends with the segment', async () => {
    const { prompt, letGo } = held();
    const turnId = randomUUID();
    const first = await calls.open({ contents: said(prompt), turnId });
    await first.until('content-delta');
    const readers = await Promise.all(
      [calls, calls.via(neighbour)].flatMap((instance) =>
        [1_000, 999_999_999].map((seq) => instance.attach(turnId, `?after=${seq}`)),
      ),
    );
    letGo();
    await first.rest();
    const ends = await Promise.all(readers.map((reader) => reader.rest()));
    expect(ends.map(({ status, bytes }) => [status, bytes])).toEqual(readers.map(() => [200, '']));
  });

  verifies('stream.reattach', 'gives each segment its own, the latest by default', async () => {
    const prompt = model.prompt({ kind: 'status', status: 401 });
    const body = { contents: said(prompt), turnId: randomUUID() };
    const first = await calls.stream(body);
    const second = await calls.stream(body);
    expect(second.bytes).toMatch(/^id: 2\.1\n/);
    const read = async (query: string, headers = {}) =>
      (await (await calls.via(neighbour).attach(body.turnId, query, headers)).rest()).bytes;
    expect(await read('')).toBe(second.bytes);
    expect(await read('?segment=2')).toBe(second.bytes);
    expect(await read('?segment=1')).toBe(first.bytes);
    const rest = (bytes: string) => bytes.slice(bytes.indexOf('\n\n') + 2);
    expect(await read('', { 'Last-Event-ID': '1.1' })).toBe(rest(first.bytes));
    expect(await read('?segment=2', { 'Last-Event-ID': '1.4' })).toBe(second.bytes);
  });

  verifies('stream.reattach.beyond', 'beyond an ended segment is 409, to what is not there 404', async () => {
    const turnId = randomUUID();
    const { frames } = await calls.stream({ contents: said(model.prompt()), turnId });
    const refused = async (query: string, id: string = turnId, headers = {}) => {
      const { status, body } = await calls.request<ErrorBody>('GET', `/turns/${id}/stream${query}`, {
        headers,
      });
      return [status, body.code, body.message];
    };
    const beyond = [409, 'CONFLICT', `Segment 1 ends at ${frames.length}`];
    expect(await refused(`?after=${frames.length + 1}`)).toEqual(beyond);
    expect(await refused('', turnId, { 'Last-Event-ID': `1.${frames.length + 1}` })).toEqual(beyond);
    expect(await refused('?segment=2')).toEqual([404, 'NOT_FOUND', expect.any(String)]);
    expect(await refused('', randomUUID())).toEqual([404, 'NOT_FOUND', expect.any(String)]);
    expect(await refused('', 'no-uuid')).toEqual([404, 'NOT_FOUND', expect.any(String)]);
    for (const [query, field] of [
      ['?segment=0', 'segment'],
      ['?segment=x', 'segment'],
      ['?after=-1', 'after'],
      ['?after=1.5', 'after'],
      ['?after=', 'after'],
      ['?from=1', 'from'],
    ] as const)
      expect(await refused(query)).toEqual([400, 'VALIDATION_ERROR', expect.stringMatching(`^${field} `)]);
  });

  verifies(
    'stream.forgotten',
    'to frames that are no longer kept is a 404; a repeated start tells the history',
    async () => {
      const prompt = model.prompt(...everything);
      const body = { contents: said(prompt), turnId: randomUUID(), session_id: randomUUID() };
      const { frames } = await calls.stream(body);
      await app.settle();
      await app.sql(`
      with gone as (delete from stream_frame returning stream_id)
      update stream set ended_at = ended_at - interval '8 days' where id in (select stream_id from gone)`);
      expect((await calls.request('GET', `/turns/${body.turnId}/stream`)).status).toBe(404);
      const short = await calls.stream(body);
      expect(eventNames(short.frames)).toEqual([
        'session-started',
        'content-delta',
        'response-completed',
        'stream-ended',
      ]);
      expect(short.frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      expect(textOf(short.frames)).toBe(textOf(frames));
      expect(eventData(short.frames, 'response-completed')).toEqual(eventData(frames, 'response-completed'));
      expect((await calls.json(body)).body).toMatchObject({
        answer: 'Looking.Done 🦊 é',
        status: 'completed',
      });
      expect(model.requests(prompt)).toHaveLength(2);
    },
  );

  verifies('stream.forgotten', 'each segment with its own text, its own usage and its own end', async () => {
    const question = { question: 'Which?', options: [{ label: 'This' }, { label: 'That' }] };
    const prompt = model.prompt(
      {
        text: ['First', ', I ask.'],
        toolCalls: [{ id: 'call_1', name: 'ask_user', arguments: JSON.stringify(question) }],
      },
      { text: ['Then', ' I know.'], finishReason: 'length' },
    );
    const body = { contents: said(prompt), turnId: randomUUID(), session_id: randomUUID() };
    const first = await calls.stream(body);
    const { interaction } = eventData(first.frames, 'agent-input-required') as { interaction: Interaction };
    const answer = {
      sessionId: body.session_id,
      interactionId: interaction.interactionId,
      selectedOptionIds: [interaction.options[0]?.id],
    };
    const resume = async () => {
      const path = `${calls.path}/turns/${body.turnId}/resume`;
      return readStream(await app.fetch('POST', path, { as: app.admin, body: answer, headers: STREAMED }));
    };
    const second = await resume();
    await app.settle();
    await app.sql('delete from stream_frame');
    for (const [sent, told, text, finishReason] of [
      [first, await calls.stream(body), 'First, I ask.', 'input_required'],
      [second, await resume(), 'Then I know.', 'length'],
    ] as const) {
      expect(textOf(told.frames)).toBe(text);
      const completed = eventData(told.frames, 'response-completed');
      expect(completed).toEqual(eventData(sent.frames, 'response-completed'));
      expect(completed.finishReason).toBe(finishReason);
    }
    expect((await calls.json(body)).body).toMatchObject({
      status: 'input_required',
      answer: 'First, I ask.',
      interaction: { interactionId: interaction.interactionId, question: 'Which?' },
    });
    expect(model.requests(prompt)).toHaveLength(2);
  });

  verifies(
    'stream.forgotten',
    'each segment with its own question, also of one step of the model',
    async () => {
      const call = (id: string) => ({
        id,
        name: 'ask_user',
        arguments: JSON.stringify({ question: id, options: [{ label: 'This' }] }),
      });
      const prompt = model.prompt({ toolCalls: [call('One'), call('Two')] });
      const body = { contents: said(prompt), turnId: randomUUID(), session_id: randomUUID() };
      const questionIn = ({ frames }: StreamedAnswer) =>
        (eventData(frames, 'agent-input-required') as { interaction: Interaction }).interaction;
      const first = questionIn(await calls.stream(body));
      const resume = async () => {
        const path = `${calls.path}/turns/${body.turnId}/resume`;
        const answer = {
          sessionId: body.session_id,
          interactionId: first.interactionId,
          selectedOptionIds: [first.options[0]?.id],
        };
        return readStream(await app.fetch('POST', path, { as: app.admin, body: answer, headers: STREAMED }));
      };
      const second = questionIn(await resume());
      await app.settle();
      await app.sql('delete from stream_frame');
      expect([first.question, second.question]).toEqual(['One', 'Two']);
      expect(questionIn(await calls.stream(body))).toEqual(first);
      expect(questionIn(await resume())).toEqual(second);
    },
  );
});

describe('readers', () => {
  verifies('stream.leave', 'who leaves do not stop the turn', async () => {
    const { prompt, letGo } = held();
    const body = { contents: said(prompt), turnId: randomUUID() };
    const first = await calls.open(body);
    await first.until('content-delta');
    await first.leave();
    letGo();
    await app.settle();
    expect((await calls.turn(body.turnId)).status).toBe('COMPLETED');
    expect(textOf((await calls.stream(body)).frames)).toMatch(/ and 201$/);
    expect(model.requests(prompt)).toHaveLength(1);
    expect(await model.requests(prompt)[0]?.closed).toBe(false);
  });

  verifies('stream.leave', 'who disconnect before a JSON response do not stop the turn either', async () => {
    const { prompt, letGo } = held();
    const body = { contents: said(prompt), turnId: randomUUID(), stream: false };
    const left = new AbortController();
    const answer = calls.post(body, { signal: left.signal }).catch((error: unknown) => (error as Error).name);
    await eventually(() => {
      expect(model.requests(prompt)).toHaveLength(1);
      return Promise.resolve();
    });
    left.abort();
    expect(await answer).toBe('AbortError');
    letGo();
    await app.settle();
    expect((await calls.json(body)).body.answer).toMatch(/ and 201$/);
    expect(model.requests(prompt)).toHaveLength(1);
  });

  verifies('stream.slow-reader', 'who do not read cost no memory and hold up nobody', async () => {
    const piece = 'x'.repeat(4096);
    const long: Behavior = { text: Array.from({ length: 8192 }, () => piece) };
    const body = { contents: said(model.prompt(long)), turnId: randomUUID() };
    const request = [
      `GET ${verbose.path}/turns/${body.turnId}/stream HTTP/1.1`,
      'Host: test',
      `Authorization: Bearer ${app.admin.apiKey}`,
    ];
    const stalled: Socket[] = [];
    /** Asks for the stream, sees that it comes, and reads no more. */
    const stall = async () => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
      stalled.push(socket);
      socket.write(`${request.join('\r\n')}\r\n\r\n`);
      await once(socket, 'readable');
    };
    const before = retainedBytes();
    try {
      const response = await verbose.start(body);
      for (let i = 0; i < 5; i++) await stall();
      let read = 0;
      for await (const bytes of response.body ?? []) read += bytes.length;
      await app.settle();
      for (let i = 0; i < 10; i++) await stall();
      const { frames } = await calls.stream({ contents: said(model.prompt()) });
      expect(textOf(frames)).toBe('Hello world!');
      const [stored] = await app.sql<{ bytes: number }>(
        `select sum(length(data))::int as bytes from stream_frame f join turn_segment g using (stream_id)
           join turn t on t.id = g.turn_id where t.client_turn_id = $1`,
        [body.turnId],
      );
      expect(stored?.bytes).toBeGreaterThan(32 * MB);
      expect(read).toBeGreaterThanOrEqual(stored?.bytes ?? Infinity);
      for (const socket of stalled) expect(socket.destroyed).toBe(false);
      // Less than the stream itself, for 15 readers. V8 gives the memory of buffers back in the background.
      await eventually(() => {
        expect((retainedBytes() - before) / MB).toBeLessThan(32);
        return Promise.resolve();
      });
    } finally {
      for (const socket of stalled) socket.destroy();
    }
  });

  verifies('stream.most', 'may have 200 streams open; one more is 429 and starts nothing', async () => {
    const { prompt, letGo } = held();
    const own = calls.by(await app.addUser('MEMBER'));
    const body = { contents: said(prompt), turnId: randomUUID() };
    const first = await own.open(body);
    const others = await Promise.all(Array.from({ length: 199 }, () => own.attach(body.turnId)));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
    const next = { contents: said('Hi'), turnId: randomUUID() };
    for (const refused of [await own.post(next), await own.request('GET', `/turns/${body.turnId}/stream`)]) {
      expect(refused).toMatchObject({ status: 429, body: { success: false, code: 'RATE_LIMITED' } });
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    expect((await own.request('GET', `/turns/${next.turnId}`)).status).toBe(404);
    expect((await own.json({ contents: said('Hi') })).status).toBe(200);
    expect((await calls.post(next)).status).toBe(200);
    await others[0]?.leave();
    await eventually(async () => {
      expect((await own.post(next)).status).toBe(200);
    });
    letGo();
    const { bytes } = await first.rest();
    const rest = await Promise.all(others.slice(1).map((other) => other.rest()));
    expect(rest.every((other) => other.bytes === bytes)).toBe(true);
  });

  verifies('stream.heartbeat', 'get a comment every ten seconds, from before the first token', async () => {
    const { opened, open: letGo } = gate();
    const prompt = model.prompt({ text: ['Late'], pauseAfter: { chunks: 0, until: opened } });
    jest.useFakeTimers({
      doNotFake: [
        'Date',
        'setTimeout',
        'clearTimeout',
        'setImmediate',
        'clearImmediate',
        'nextTick',
        'queueMicrotask',
        'performance',
        'hrtime',
      ],
    });
    try {
      const response = await calls.start({ contents: said(prompt) });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      const readOn = async (until: RegExp) => {
        while (!until.test(text)) text += (await reader?.read())?.value ?? '';
      };
      await readOn(/running/);
      expect(text).not.toMatch(/^:/m);
      jest.advanceTimersByTime(10_000);
      await readOn(/^:\n\n/m);
      jest.advanceTimersByTime(10_000);
      await readOn(/^:\n\n[^]*^:\n\n/m);
      letGo();
      await readOn(/stream-ended.*\n\n/);
      expect(framesIn(text).map(({ seq }) => seq)).toEqual(framesIn(text).map((_, i) => i + 1));
      expect(text.match(/^:\n\n/gm)).toHaveLength(2);
    } finally {
      jest.useRealTimers();
    }
  });

  verifies('stream.takeover', 'of a turn that another process ended see how it ends', async () => {
    // So long that both processes have polled the log in between.
    const text = Array.from({ length: 60 }, (_, i) => ` ${i + 1}`);
    const { opened, open: letGo } = gate();
    const prompt = model.prompt({
      text,
      paceMs: 15,
      pauseAfter: { chunks: 40, until: opened },
      breakAfter: { chunks: 50, how: 'hang' },
    });
    const body = { contents: said(prompt), turnId: randomUUID() };
    const stream = await calls.open(body);
    await stream.untilSaid(' 39');
    const sweeper = await TestApp.start({ database: app, env: { PLATFORM_STREAM_LEASE_MS: '400' } });
    try {
      await app.sql(
        `update stream set fencing_token = gen_random_uuid(), lease_until = clock_timestamp()
         where id = (select g.stream_id from turn_segment g join turn t on t.id = g.turn_id where client_turn_id = $1)`,
        [body.turnId],
      );
      letGo();
      const { frames } = await stream.rest();
      expect(eventData(frames, 'error-occurred')).toMatchObject({ code: 'INTERRUPTED', retryable: true });
      expect(frames.at(-1)?.params.data).toEqual({ event: 'stream-ended', lastSeq: frames.length });
      expect(await model.requests(prompt)[0]?.closed).toBe(true);
      expect((await calls.turn(body.turnId)).status).toBe('FAILED');
      expect(textOf((await calls.stream(body)).frames)).toBe('Hello world!');
    } finally {
      await sweeper.close();
    }
  });
});

describe('U+0000', () => {
  verifies(
    'stream.nul',
    'in an answer is stored and streamed, and does not fail its neighbours',
    async () => {
      const strange = ['a\0b', ' \ud83d', ' \udc00', ' \u2028é'];
      const turns = Array.from({ length: 9 }, (_, i) => {
        const isStrange = i % 3 === 0;
        const { opened, open } = gate();
        const text = isStrange ? strange : ['plain', ' text'];
        const prompt = model.prompt({ text, pauseAfter: { chunks: 2, until: opened } });
        const body = { contents: said(prompt), session_id: randomUUID(), turnId: randomUUID() };
        return { body, prompt, text: text.join(''), letGo: open };
      });
      const streams = await Promise.all(turns.map(({ body }) => calls.open(body)));
      await Promise.all(streams.map((stream) => stream.until('content-delta')));
      for (const { letGo } of turns) letGo();
      const ended = await Promise.all(streams.map((stream) => stream.rest()));
      for (const [i, { body, text }] of turns.entries()) {
        const { bytes = '', frames = [] } = ended[i] ?? {};
        expect([i, textOf(frames), eventNames(frames).at(-2)]).toEqual([i, text, 'response-completed']);
        expect(bytes).not.toContain('\0');
        const again = await (await calls.via(neighbour).attach(body.turnId)).rest();
        expect(again.bytes).toBe(bytes);
        expect((await calls.json(body)).body.answer).toBe(text);
        const [answer] = await calls.messages(body.session_id);
        expect(answer?.contents).toEqual(said(text));
      }
      const [{ body, text } = { body: { session_id: '' }, text: '' }] = turns;
      const next = model.prompt();
      await calls.json({ contents: said(next), session_id: body.session_id });
      expect(model.requests(next)[0]?.body.messages).toContainEqual({ role: 'assistant', content: text });
    },
  );

  verifies('stream.nul', 'is accepted in user messages, files, and tool calls', async () => {
    const prompt = model.prompt({
      toolCalls: [{ id: 'c\0', name: 'n\0', arguments: '{"a\\u0000":"\\u0000"}' }],
    });
    const session_id = randomUUID();
    const url = `data:text/plain;base64,${Buffer.from('x\0y').toString('base64')}`;
    const own = calls.by(await app.addUser('MEMBER'));
    const contents = [
      ...said('\0 \ud83d'),
      { type: 'file', file_info: { url, name: 'n\0' } },
      ...said(prompt),
    ];
    const { body } = await own.json({ contents, session_id });
    expect(body.status).toBe('completed');
    expect(await own.messages(session_id)).toHaveLength(2);
    const { body: sessions } = await own.request<Page<Session>>('GET', '/sessions');
    expect(sessions.items).toHaveLength(1);
  });
});
