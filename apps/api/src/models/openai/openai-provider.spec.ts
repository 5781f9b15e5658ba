import { setImmediate } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { openAiProvider } from '../../../e2e/fixtures/openai-provider.ts';
import { startOpenAiServer, type Behavior, type FakeAnswer } from '../../../e2e/fixtures/openai-server.ts';
import { eventually } from '../../../e2e/harness/eventually.ts';
import { ProviderError, type ModelDelta, type ModelRequest } from '../port/model-provider.ts';
import type { OpenAiProvider } from './openai-provider.ts';

type Server = Awaited<ReturnType<typeof startOpenAiServer>>;

const signal = new AbortController().signal;
const request: ModelRequest = {
  model: 'fake',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  settings: {},
};
const HELLO: ModelDelta[] = ['Hello', ' world', '!'].map((text) => ({ type: 'text', text }));

async function collect(provider: OpenAiProvider, more: Partial<ModelRequest> = {}): Promise<ModelDelta[]> {
  const deltas: ModelDelta[] = [];
  for await (const delta of provider.stream({ ...request, ...more }, signal)) deltas.push(delta);
  return deltas;
}

async function failure(provider: OpenAiProvider): Promise<ProviderError> {
  const error = await collect(provider).catch((thrown: unknown) => thrown);
  if (error instanceof ProviderError) return error;
  throw new Error('expected a ProviderError', { cause: error });
}

describe('OpenAiProvider', () => {
  let server: Server;
  let provider: OpenAiProvider;
  beforeEach(async () => {
    server = await startOpenAiServer();
    provider = openAiProvider(server.url, 'sk-canary', { stallMs: 10_000 });
  });
  afterEach(() => server.close());

  it('sends the request as OpenAI wants it', async () => {
    const tool = { name: 'shop__find', description: 'Finds', parameters: { type: 'object' } };
    await collect(provider, {
      messages: [
        { role: 'system', text: 'Be brief.' },
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'Look' },
            { type: 'image', url: 'data:image/png;base64,AAAA', detail: 'low' },
            { type: 'audio', data: 'BBBB', format: 'wav' },
            { type: 'file', filename: 'a.pdf', mime: 'application/pdf', data: 'CCCC' },
          ],
        },
        { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'shop__find', arguments: '{}' }] },
        { role: 'tool', callId: 'c1', text: '[]' },
        { role: 'assistant', text: 'Nothing there.', toolCalls: [] },
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'And' },
            { type: 'text', text: 'now?' },
          ],
        },
      ],
      tools: [tool],
      settings: { temperature: 0, maxTokens: 5, topP: 1, frequencyPenalty: -1, presencePenalty: 2 },
    });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-canary');
    expect(server.requests[0]?.body).toEqual({
      model: 'fake',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0,
      max_tokens: 5,
      top_p: 1,
      frequency_penalty: -1,
      presence_penalty: 2,
      tools: [{ type: 'function', function: tool }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
            { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,CCCC' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'shop__find', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '[]' },
        { role: 'assistant', content: 'Nothing there.' },
        { role: 'user', content: 'And\n\nnow?' },
      ],
    });
  });

  it.each(['', '{"a":', '[1]', 'null'])(
    'sends %j, which a model has called a tool with, as JSON',
    async (json) => {
      const toolCalls = [
        { id: 'c1', name: 'find', arguments: json },
        { id: 'c2', name: 'find', arguments: '{"a": 1}' },
      ];
      await collect(provider, {
        messages: [{ role: 'assistant', text: '', toolCalls }],
        tools: [],
        settings: {},
      });
      const { messages } = server.requests[0]?.body as { messages: { tool_calls: { function: object }[] }[] };
      // Some servers parse all calls of a conversation.
      expect(messages[0]?.tool_calls.map((call) => call.function)).toEqual([
        { name: 'find', arguments: '{}' },
        { name: 'find', arguments: '{"a": 1}' },
      ]);
    },
  );

  it('sends nothing of the environment, and no credential where there is none', async () => {
    const names = ['OPENAI_API_KEY', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_ADMIN_KEY'];
    for (const name of names) process.env[name] = 'canary';
    try {
      await collect(openAiProvider(server.url, null));
    } finally {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    }
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('canary');
  });

  it('tells reasoning apart and keeps every character', async () => {
    server.nextBehavior({ reasoning: ['Hm', '…'], text: ['a\u0000b', '😀', '\ud800'] });
    expect((await collect(provider)).slice(0, 5)).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning', text: '…' },
      { type: 'text', text: 'a\u0000b' },
      { type: 'text', text: '😀' },
      { type: 'text', text: '\ud800' },
    ]);
  });

  const usage = {
    prompt_tokens: 7,
    completion_tokens: 5,
    total_tokens: 12,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  it.each<FakeAnswer>([{ usageIn: 'own-chunk' }, { usageIn: 'last-choice' }])(
    'reads the usage wherever it is: %j',
    async (where) => {
      server.nextBehavior({ text: ['Hi'], usage, ...where });
      expect((await collect(provider)).slice(1)).toEqual([
        { type: 'usage', promptTokens: 7, completionTokens: 5, cachedTokens: 4, reasoningTokens: 3 },
        { type: 'finish', reason: 'stop' },
      ]);
    },
  );

  it('tells no usage where the server tells none', async () => {
    server.nextBehavior({ text: ['Hi'], usage: null });
    expect((await collect(provider)).map(({ type }) => type)).toEqual(['text', 'finish']);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['eos', 'stop'],
  ])('takes finish reason %s for %s', async (finishReason, reason) => {
    server.nextBehavior({ text: ['Hi'], finishReason });
    expect((await collect(provider)).at(-1)).toEqual({ type: 'finish', reason });
  });

  it('knows tool calls whatever the finish reason says', async () => {
    server.nextBehavior({ toolCalls: [{ id: 'c', name: 'n', arguments: '{}' }], finishReason: 'stop' });
    expect((await collect(provider)).at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
  });

  it.each<[string, Behavior]>([
    ['the connection is cut', { kind: 'cut' }],
    ['429', { kind: 'status', status: 429 }],
    ['429 with a short Retry-After', { kind: 'status', status: 429, retryAfter: '0' }],
    ['500', { kind: 'status', status: 500 }],
    ['503', { kind: 'status', status: 503, retryAfter: new Date(0).toUTCString() }],
  ])('tries once more when %s', async (_, behavior) => {
    server.nextBehavior(behavior);
    expect((await collect(provider)).slice(0, 3)).toEqual(HELLO);
    expect(server.requests).toHaveLength(2);
  });

  it.each<[Behavior, number, Partial<ProviderError>]>([
    [{ kind: 'cut' }, 2, { code: 'unavailable' }],
    [{ kind: 'status', status: 500 }, 2, { code: 'unavailable' }],
    [{ kind: 'status', status: 429 }, 2, { code: 'rate-limited' }],
    [{ kind: 'status', status: 429, retryAfter: '30' }, 1, { code: 'rate-limited', retryAfter: 30 }],
    [{ kind: 'status', status: 503, retryAfter: '60' }, 1, { code: 'unavailable', retryAfter: 60 }],
    [{ kind: 'status', status: 400, code: 'context_length_exceeded' }, 1, { code: 'refused' }],
    [{ kind: 'status', status: 401, message: 'Incorrect API key: sk-canary' }, 1, { code: 'refused' }],
    [{ kind: 'status', status: 404 }, 1, { code: 'refused' }],
    [{ text: ['a'], breakAfter: { chunks: 2, how: 'cut' } }, 1, { code: 'unavailable' }],
    [{ text: ['a'], breakAfter: { chunks: 2, how: 'error' } }, 1, { code: 'unavailable' }],
    [{ text: ['a'], breakAfter: { chunks: 2, how: 'end' } }, 1, { code: 'bad-answer' }],
    [{ text: ['a'], breakAfter: { chunks: 2, how: 'nonsense' } }, 1, { code: 'bad-answer' }],
    [{ text: ['a'], finishReason: null }, 1, { code: 'bad-answer' }],
  ])('says of %j, after %i tries, %j', async (behavior, tries, expected) => {
    server.nextBehavior(behavior, behavior);
    const error = await failure(provider);
    expect(error).toMatchObject(expected);
    expect(error.retryable).toBe(expected.code !== 'refused');
    expect(server.requests).toHaveLength(tries);
    expect(error.message).toMatch(/^[A-Z].*\.$/);
    expect(`${error.message} ${error.detail ?? ''} ${String(error.cause)}`).not.toMatch(
      /sk-canary|127\.0\.0\.1|10\.0\.0\.1|https?:/,
    );
  });

  it('fails as unavailable where nobody listens', async () => {
    await server.close();
    expect(await failure(provider)).toMatchObject({ code: 'unavailable' });
    server = await startOpenAiServer();
  });

  it('takes a page that is no stream for a bad answer', async () => {
    const models = openAiProvider(`${server.url}/nowhere`, null);
    expect(await failure(models)).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('404') as string,
    });
  });

  describe('idle timeout', () => {
    // The time of the provider passes when a test says so, and not because the machine has paused.
    beforeEach(() => {
      provider = openAiProvider(server.url, null, { stallMs: 100 });
      jest.useFakeTimers({
        doNotFake: [
          'Date',
          'hrtime',
          'nextTick',
          'performance',
          'queueMicrotask',
          'setImmediate',
          'setInterval',
        ],
      });
    });
    afterEach(() => {
      // A mock of a timer would otherwise be restored to the one that is not real.
      jest.restoreAllMocks();
      jest.useRealTimers();
    });

    it.each<[string, Behavior, number]>([
      ['before the answer', { kind: 'hang' }, 0],
      ['in the answer', { text: ['a', 'b'], breakAfter: { chunks: 2, how: 'hang' } }, 1],
    ])('gives up a server that falls silent %s, and closes the socket', async (_, behavior, before) => {
      server.nextBehavior(behavior);
      const stream = provider.stream(request, signal)[Symbol.asyncIterator]();
      for (let i = 0; i < before; i++) await stream.next();
      const silent = stream.next().catch((error: unknown) => error);
      await eventually(async () => expect(server.requests).toHaveLength(1));
      await setImmediate();
      jest.advanceTimersByTime(100);
      expect(await silent).toBeInstanceOf(ProviderError);
      expect(await silent).toMatchObject({ code: 'timeout', retryable: true });
      expect(server.requests).toHaveLength(1);
      expect(await server.requests[0]?.closed).toBe(true);
    });

    it('takes an answer whose end is said for whole, though its figures never come', async () => {
      server.nextBehavior({ text: ['a'], usage: null, breakAfter: { chunks: 3, how: 'hang' } });
      const timers = jest.spyOn(globalThis, 'setTimeout');
      const collecting = collect(provider);
      // It waits two seconds for the figures, once it has read the end.
      await eventually(async () => expect(timers).toHaveBeenCalledWith(expect.any(Function), 2_000));
      jest.advanceTimersByTime(100);
      expect(await collecting).toEqual([
        { type: 'text', text: 'a' },
        { type: 'finish', reason: 'stop' },
      ]);
      expect(await server.requests[0]?.closed).toBe(true);
    });

    it('does not count the time that the reader takes', async () => {
      server.nextBehavior({ text: ['a', 'b'], paceMs: 5 });
      const stream = provider.stream(request, signal)[Symbol.asyncIterator]();
      expect((await stream.next()).value).toEqual({ type: 'text', text: 'a' });
      jest.advanceTimersByTime(250);
      await setImmediate();
      expect((await stream.next()).value).toEqual({ type: 'text', text: 'b' });
      expect((await stream.next()).value).toMatchObject({ type: 'usage' });
      expect((await stream.next()).value).toMatchObject({ type: 'finish' });
    });
  });

  it('leaves out stream_options where the server refuses them, and remembers it', async () => {
    const old = await startOpenAiServer({ refuseStreamOptions: true });
    try {
      const provider = openAiProvider(old.url, null);
      await Promise.all([collect(provider), collect(provider)]);
      const together = old.requests.splice(0).map(({ body }) => 'stream_options' in body);
      expect(together.filter((asked) => asked)).toHaveLength(2);
      expect(together.filter((asked) => !asked)).toHaveLength(2);
      expect((await collect(provider)).map(({ type }) => type)).toEqual(['text', 'text', 'text', 'finish']);
      expect(old.requests.map(({ body }) => 'stream_options' in body)).toEqual([false]);
    } finally {
      await old.close();
    }
  });

  it('learns nothing from a refusal that the next try meets as well', async () => {
    const refusal = {
      kind: 'status',
      status: 400,
      message: 'Prompt too long; stream_options are fine',
    } as const;
    server.nextBehavior(refusal, refusal);
    expect(await failure(provider)).toMatchObject({ code: 'refused' });
    expect((await collect(provider)).at(-2)).toMatchObject({ type: 'usage' });
    const asks = server.requests.map(({ body }) => 'stream_options' in body);
    expect(asks).toEqual([true, false, true]);
  });

  it('says max_completion_tokens where the server wants that', async () => {
    server.nextBehavior({
      kind: 'status',
      status: 400,
      message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    });
    await collect(provider, { settings: { maxTokens: 9 } });
    await collect(provider, { settings: { maxTokens: 9 } });
    const names = server.requests.map(({ body }) => Object.keys(body).find((key) => key.startsWith('max_')));
    expect(names).toEqual(['max_tokens', 'max_completion_tokens', 'max_completion_tokens']);
  });

  it('follows no redirect', async () => {
    server.nextBehavior({ kind: 'status', status: 307, location: `${server.url}/chat/completions` });
    expect(await failure(provider)).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('307') as string,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('asks nothing of the server when it is aborted beforehand', async () => {
    const stream = provider.stream(request, AbortSignal.abort());
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow('aborted');
    expect(server.requests).toHaveLength(0);
  });

  it('aborts during the wait for a second try', async () => {
    server.nextBehavior({ kind: 'status', status: 429, retryAfter: '9' });
    const abort = new AbortController();
    const reading = provider.stream(request, abort.signal)[Symbol.asyncIterator]().next();
    const stopped = expect(reading).rejects.toThrow('enough');
    await eventually(async () => expect(server.requests).toHaveLength(1));
    setTimeout(() => abort.abort(new Error('enough')), 100);
    await stopped;
    expect(server.requests).toHaveLength(1);
  });

  it('closes the socket after an abort, whatever the server still has to say', async () => {
    // Words for far longer than the test may take.
    server.nextBehavior({ text: Array.from({ length: 100_000 }, () => 'x'), paceMs: 5 });
    const abort = new AbortController();
    const reading = (async () => {
      for await (const delta of provider.stream(request, abort.signal))
        if (delta.type === 'text') abort.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(await server.requests[0]?.closed).toBe(true);
  });

  it('reads an answer to its very end, so that the connection can be used again', async () => {
    for (let i = 0; i < 5; i++) {
      server.nextBehavior({ text: ['a'], endGapMs: 5 });
      await collect(provider);
      expect(await server.requests[i]?.closed).toBe(false);
    }
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBeLessThan(5);
  });
});
