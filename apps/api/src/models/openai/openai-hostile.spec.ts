import { setImmediate, setTimeout } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  eventOf,
  pour,
  startHostileServer,
  stream,
  type HostileServer,
} from '../../../e2e/fixtures/hostile-server.ts';
import { openAiProvider, type ProviderOptions } from '../../../e2e/fixtures/openai-provider.ts';
import { scaled } from '../../../e2e/faults/scale.ts';
import { ProviderError, type ModelDelta } from '../port/model-provider.ts';

const MB = 1024 * 1024;
const BOMB_MB = scaled('BOMB_MB', { quick: 80, slow: 200 });
const KEY = 'sk-canary-4b7e19c2';
const FINISH = eventOf({}, { finish_reason: 'stop' });
const DONE = 'data: [DONE]\n\n';
const EMPTY = eventOf({});

describe('OpenAiProvider and a hostile server', () => {
  let server: HostileServer;
  beforeAll(async () => {
    server = await startHostileServer();
  });
  afterAll(() => server.close());

  async function* read(options: ProviderOptions = {}, maxTokens?: number): AsyncGenerator<ModelDelta> {
    yield* openAiProvider(server.url, KEY, options).stream(
      {
        model: 'm',
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
        tools: [],
        settings: maxTokens === undefined ? {} : { maxTokens },
      },
      new AbortController().signal,
    );
  }

  async function collect(options?: ProviderOptions, maxTokens?: number): Promise<ModelDelta[]> {
    const deltas: ModelDelta[] = [];
    for await (const delta of read(options, maxTokens)) deltas.push(delta);
    return deltas;
  }

  async function failure(options?: ProviderOptions): Promise<ProviderError> {
    const error = await collect(options).catch((thrown: unknown) => thrown);
    if (error instanceof ProviderError) return error;
    throw new Error('expected a ProviderError', { cause: error });
  }

  const textOf = (deltas: ModelDelta[], type: 'text' | 'reasoning' = 'text') =>
    deltas.map((delta) => (delta.type === type ? delta.text : '')).join('');

  describe('that compresses', () => {
    const whole = eventOf({ content: 'Hi' }) + FINISH + DONE;

    it('is asked not to', async () => {
      let asked: unknown;
      server.answer = (res, req) => {
        asked = req.headers['accept-encoding'];
        stream(res).end(whole);
      };
      expect(textOf(await collect())).toBe('Hi');
      expect(asked).toBe('identity');
    });

    it.each([
      ['gzip', gzipSync(whole)],
      ['br', brotliCompressSync(whole)],
      ['zstd', zstdCompressSync(whole)],
    ])('is understood all the same: %s', async (encoding, bytes) => {
      server.answer = (res) => stream(res, { 'Content-Encoding': encoding }).end(bytes);
      expect(await collect()).toEqual([
        { type: 'text', text: 'Hi' },
        { type: 'finish', reason: 'stop' },
      ]);
    });

    it.each(['compress', 'gzip, gzip', 'nonsense'])('is not understood in %s', async (encoding) => {
      server.answer = (res) => stream(res, { 'Content-Encoding': encoding }).end(whole);
      expect(await failure()).toMatchObject({ code: 'bad-answer' });
    });

    it.each([
      ['of one line', `data: ${'x'.repeat(BOMB_MB * MB)}`, /too long/],
      ['of comments', ':\n\n'.repeat((BOMB_MB * MB) / 5), /more than its answer can be/],
      ['of empty chunks', 'data: {}\n\n'.repeat((BOMB_MB * MB) / 10), /parts without content/],
    ])('is cut off when little bytes become many: %s', async (_, content, message) => {
      const bomb = gzipSync(content);
      expect(bomb.length).toBeLessThan(MB);
      server.answer = (res) => stream(res, { 'Content-Encoding': 'gzip' }).end(bomb);
      const before = process.memoryUsage().rss;
      const error = await failure();
      expect(error.code).toBe('bad-answer');
      expect(error.message).toMatch(message);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB);
    });
  });

  it('stops reading an endless response beyond its token limit, and closes the socket', async () => {
    server.answer = (res) => pour(server, stream(res), eventOf({ content: 'word '.repeat(100) }), 300 * MB);
    const deltas = await collect({ maxOutputTokens: 1_000 });
    expect(deltas.at(-1)).toEqual({ type: 'finish', reason: 'length' });
    expect(textOf(deltas)).toHaveLength(1_000 * 16 + 65_536);
    await server.closed;
    expect(server.written).toBeLessThan(20 * MB);
  });

  it('goes by the tokens that the request allows, and counts thoughts as well', async () => {
    server.answer = (res) =>
      pour(server, stream(res), eventOf({ reasoning_content: 'hm '.repeat(100) }), 300 * MB);
    const deltas = await collect({ maxOutputTokens: 100_000 }, 10);
    expect(deltas.at(-1)).toEqual({ type: 'finish', reason: 'length' });
    expect(textOf(deltas, 'reasoning')).toHaveLength(10 * 16 + 65_536);
  });

  it('gives up a server that sends nothing but empty chunks', async () => {
    server.answer = (res) => pour(server, stream(res), EMPTY.repeat(1_000), EMPTY.length * 1_000_000);
    expect((await failure()).message).toMatch(/parts without content/);
    await server.closed;
    expect(server.written).toBeLessThan(EMPTY.length * 100_000);
  });

  it('yields to other work while chunks arrive faster than they are read', async () => {
    server.answer = (res) => stream(res).end(EMPTY.repeat(10_000) + FINISH + DONE);
    const others = { running: true, turns: 0 };
    const run = (async () => {
      for (; others.running; others.turns++) await setImmediate();
    })();
    await collect();
    others.running = false;
    await run;
    expect(others.turns).toBeGreaterThan(10_000 / 256);
  });

  it('goes on after an empty finish reason, which some servers send with every piece', async () => {
    const said = eventOf({ content: 'Hi' }, { finish_reason: '' });
    server.answer = (res) => stream(res).end(said + FINISH + DONE);
    expect((await collect()).at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    server.answer = (res) => stream(res).end(said);
    expect(await failure()).toMatchObject({ code: 'bad-answer' });
  });

  describe('tool calls', () => {
    const call = (index: number, json = '{}') => ({
      tool_calls: [{ index, id: `c${index}`, function: { name: 'f', arguments: json } }],
    });

    it('are at most 128 in a step', async () => {
      const calls = Array.from({ length: 128 }, (_, i) => eventOf(call(i))).join('');
      server.answer = (res) => stream(res).end(calls + FINISH + DONE);
      expect((await collect()).filter(({ type }) => type === 'tool-call')).toHaveLength(128);
      server.answer = (res) => stream(res).end(calls + eventOf(call(128)) + FINISH + DONE);
      expect(await failure()).toMatchObject({
        code: 'bad-answer',
        message: expect.stringMatching(/128 tool calls/),
      });
    });

    it('are at most 128 in one chunk', async () => {
      const all = Array.from({ length: 5_000 }, (_, i) => call(i).tool_calls).flat();
      server.answer = (res) => stream(res).end(eventOf({ tool_calls: all }) + FINISH + DONE);
      expect(await failure()).toMatchObject({ code: 'bad-answer' });
    });

    it('stay apart if the server gives all of them one index', async () => {
      const piece = (id: string, json: string, name?: string) =>
        eventOf({ tool_calls: [{ index: 0, id, function: { name, arguments: json } }] });
      // A new id without a name begins no call: some servers give each piece an id of its own.
      const pieces = piece('c1', '{"a"', 'f') + piece('x', ':1}') + piece('c2', '{}', 'g') + piece('c2', ' ');
      server.answer = (res) => stream(res).end(pieces + FINISH + DONE);
      const calls = (await collect()).filter((delta) => delta.type === 'tool-call');
      expect(calls.map(({ index, name, arguments: json }) => [index, name, json])).toEqual([
        [0, 'f', '{"a"'],
        [0, undefined, ':1}'],
        [1, 'g', '{}'],
        [1, undefined, ' '],
      ]);
    });

    it.each([
      ['in one', (i: number) => call(0, 'x'.repeat(1_000) + String(i % 10))],
      ['in several', (i: number) => call(i % 100, 'x'.repeat(1_000))],
      [
        'in their names',
        (i: number) => ({ tool_calls: [{ index: 0, function: { name: `${'n'.repeat(1_000)}${i}` } }] }),
      ],
    ])('have at most 1 MB of arguments, %s', async (_, made) => {
      const calls = Array.from({ length: 1_100 }, (__, i) => eventOf(made(i)));
      server.answer = (res) => stream(res).end(calls.join('') + FINISH + DONE);
      expect(await failure()).toMatchObject({ code: 'bad-answer', message: expect.stringMatching(/1 MB/) });
    });
  });

  it.each([
    ['line', 'x'.repeat(10_000)],
    ['event', `data: ${'x'.repeat(10_000)}\n`],
    ['event of empty lines', 'data:\n'.repeat(1_000)],
  ])('gives up an unfinished %s of more than 1 MB', async (_, piece) => {
    server.answer = (res) => {
      stream(res).write('data: ');
      pour(server, res, piece, 300 * MB);
    };
    expect(await failure()).toMatchObject({ code: 'bad-answer', message: expect.stringMatching(/too long/) });
    await server.closed;
    expect(server.written).toBeLessThan(30 * MB);
  });

  describe('that leaves the connection open', () => {
    it('after its finish reason, does not keep the answer from its end', async () => {
      server.answer = (res) => stream(res).write(eventOf({ content: 'Hi' }) + FINISH);
      expect((await collect()).at(-1)).toEqual({ type: 'finish', reason: 'stop' });
      await server.closed;
    });

    it('and goes on with comments, delays it by no more', async () => {
      server.answer = (res) => {
        stream(res).write(FINISH);
        const timer = setInterval(() => res.write(':\n\n'), 100);
        res.once('close', () => clearInterval(timer));
      };
      expect(await collect()).toEqual([{ type: 'finish', reason: 'stop' }]);
      await server.closed;
    });

    it('may send its figures until then', async () => {
      // It waits as long as the machine needs.
      jest.useFakeTimers({ doNotFake: ['nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
      server.answer = (res) => {
        stream(res).write(FINISH);
        void setTimeout(300).then(() =>
          res.end(`data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n${DONE}`),
        );
      };
      const collecting = collect().finally(() => jest.useRealTimers());
      expect((await collecting)[0]).toMatchObject({ type: 'usage', promptTokens: 3, completionTokens: 2 });
    });
  });

  it('gives up a server whose headers never end', async () => {
    server.answer = ({ socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket?.write('X-More: 1\r\n'), 20);
      socket?.once('close', () => clearInterval(timer));
    };
    expect(await failure({ stallMs: 500 })).toMatchObject({ code: 'timeout' });
  });

  it('gives up a refusal that never ends', async () => {
    server.answer = (res) => pour(server, res.writeHead(400), 'x'.repeat(1_000), 300 * MB);
    expect(await failure()).toMatchObject({ code: 'refused' });
    await server.closed;
    expect(server.written).toBeLessThan(20 * MB);
  });

  describe('that repeats its key', () => {
    const base64 = Buffer.from(`Authorization: Bearer ${KEY}`).toString('base64');
    const pieces = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];

    it.each([1, 3, 7, 1_000])('tells nobody, in pieces of %i characters', async (size) => {
      const echo = `You sent ${KEY}, or ${base64}, or ?key=${KEY}.`;
      const said = pieces(echo, size);
      server.answer = (res) =>
        stream(res).end(
          said.map((content) => eventOf({ content })).join('') +
            said.map((reasoning_content) => eventOf({ reasoning_content })).join('') +
            eventOf({ tool_calls: [{ index: 0, id: KEY, function: { name: KEY } }] }) +
            said
              .map((json) => eventOf({ tool_calls: [{ index: 0, function: { arguments: json } }] }))
              .join('') +
            FINISH +
            DONE,
        );
      const deltas = await collect();
      const calls = deltas.map((delta) => (delta.type === 'tool-call' ? delta.arguments : '')).join('');
      for (const text of [textOf(deltas), textOf(deltas, 'reasoning'), calls]) {
        expect(text).toHaveLength(echo.length);
        expect(text).toMatch(/^You sent .{0,3}\*{15,}, or \w{20,}\*{20,}.{0,3}, or \?key=.{0,3}\*{15,}\.$/);
      }
      const all = JSON.stringify(deltas) + calls;
      expect(all).not.toContain(KEY.slice(4));
      expect(all).not.toContain(base64.slice(34, -4));
    });

    it('tells nobody in its error code', async () => {
      const provider = openAiProvider(server.url, 'my_secret_key');
      server.answer = (res) =>
        res
          .writeHead(400)
          .end(JSON.stringify({ error: { message: 'my_secret_key', code: 'my_secret_key' } }));
      const reading = provider
        .stream({ model: 'm', messages: [], tools: [], settings: {} }, new AbortController().signal)
        .next();
      await expect(reading).rejects.toMatchObject({
        message: "The model's server refused the request (HTTP 400).",
        detail: '*'.repeat('my_secret_key'.length),
      });
    });
  });
});
