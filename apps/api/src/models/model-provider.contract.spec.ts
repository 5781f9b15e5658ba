import { openAiProvider } from '../../e2e/fixtures/openai-provider.ts';
import { startOpenAiServer, type Behavior } from '../../e2e/fixtures/openai-server.ts';
import {
  ProviderError,
  type ModelDelta,
  type ModelProvider,
  type ModelRequest,
} from './port/model-provider.ts';
import { OfflineProvider } from './offline/offline-provider.ts';

/** What the suite wants of a model; each adapter's harness makes it happen in its own way. */
type Scenario = 'hundred words' | 'tool calls' | 'slow' | 'limited' | 'failing';

interface Harness {
  name: string;
  start(): Promise<{
    provider: ModelProvider;
    request(scenario: Scenario): ModelRequest;
    /** Resolves when nothing of the call is left at the provider. */
    released(): Promise<void>;
    stop(): Promise<void>;
  }>;
}

const tools = ['shop__find', 'shop__sell'].map((name) => ({
  name,
  description: '',
  parameters: { type: 'object' },
}));
const say = (text: string): ModelRequest => ({
  model: 'm',
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  tools,
  settings: {},
});
const words = Array.from({ length: 100 }, (_, i) => (i === 0 ? 'word' : ' word'));

const offline: Harness = {
  name: 'OfflineProvider',
  start: async () => ({
    provider: new OfflineProvider(),
    request: (scenario) => {
      const request = say(
        {
          'hundred words': '/long 100',
          'tool calls': '/call shop.find {"q":"tea"}\n/call shop.sell {"id":7}',
          slow: '/long 3\n/think 60000',
          limited: '/long 100',
          failing: '/fail',
        }[scenario],
      );
      return scenario === 'limited' ? { ...request, settings: { maxTokens: 5 } } : request;
    },
    released: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  }),
};

const openai: Harness = {
  name: 'OpenAiProvider',
  start: async () => {
    const behaviors: Record<Scenario, Behavior> = {
      'hundred words': { text: words },
      'tool calls': {
        toolCalls: [
          { id: 'call_1', name: 'shop__find', arguments: '{"q":"tea"}' },
          { id: 'call_2', name: 'shop__sell', arguments: '{"id":7}' },
        ],
      },
      slow: { text: words, breakAfter: { chunks: 4, how: 'hang' } },
      limited: { text: words.slice(0, 5), finishReason: 'length' },
      failing: { kind: 'status', status: 503 },
    };
    const server = await startOpenAiServer({ behavior: ({ model }) => behaviors[model as Scenario] });
    return {
      provider: openAiProvider(server.url, 'sk-canary'),
      request: (scenario) => ({ ...say('Hello'), model: scenario }),
      released: async () => {
        expect(await server.requests.at(-1)?.closed).toBe(true);
      },
      stop: () => server.close(),
    };
  },
};

describe.each([offline, openai])('ModelProvider: $name', (harness) => {
  let running: Awaited<ReturnType<Harness['start']>>;
  beforeAll(async () => {
    running = await harness.start();
  });
  afterAll(() => running.stop());

  const stream = (scenario: Scenario, signal = new AbortController().signal) =>
    running.provider.stream(running.request(scenario), signal);

  it('streams the text in pieces, then the usage, then the finish', async () => {
    const deltas = await collect(stream('hundred words'));
    const texts = deltas.slice(0, -2);
    expect(texts.length).toBe(100);
    expect(texts.map((delta) => (delta.type === 'text' ? delta.text : '?')).join('')).toBe(words.join(''));
    expect(deltas.slice(-2)).toEqual([
      {
        type: 'usage',
        promptTokens: expect.any(Number) as number,
        completionTokens: 100,
        cachedTokens: 0,
        reasoningTokens: 0,
      },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it('streams tool calls in pieces that add up', async () => {
    const deltas = await collect(stream('tool calls'));
    const calls: { id?: string; name?: string; json: string; pieces: number }[] = [];
    for (const delta of deltas) {
      if (delta.type !== 'tool-call') continue;
      const call = (calls[delta.index] ??= { json: '', pieces: 0 });
      if (delta.id !== undefined) call.id = delta.id;
      if (delta.name !== undefined) call.name = delta.name;
      call.json += delta.arguments;
      call.pieces++;
    }
    expect(calls).toEqual([
      { id: 'call_1', name: 'shop__find', json: '{"q":"tea"}', pieces: expect.any(Number) as number },
      { id: 'call_2', name: 'shop__sell', json: '{"id":7}', pieces: expect.any(Number) as number },
    ]);
    expect(calls.every(({ pieces }) => pieces > 1)).toBe(true);
    expect(deltas.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
  });

  it('tells that the answer was cut at the limit of tokens', async () => {
    const deltas = await collect(stream('limited'));
    expect(deltas.filter(({ type }) => type === 'text')).toHaveLength(5);
    expect(deltas.at(-1)).toEqual({ type: 'finish', reason: 'length' });
  });

  it('throws the reason of an abort in the middle of the answer, and lets go of the provider', async () => {
    const abort = new AbortController();
    const reason = new Error('cancelled by the user');
    const seen: string[] = [];
    const reading = (async () => {
      for await (const delta of stream('slow', abort.signal)) {
        if (delta.type === 'text') seen.push(delta.text);
        // Later than this the provider is silent, and the abort comes while it is waited for.
        if (seen.length === 3) setImmediate(() => abort.abort(reason));
      }
    })();
    await expect(reading).rejects.toBe(reason);
    expect(seen).toEqual(['word', ' word', ' word']);
    await running.released();
  });

  it('does nothing when it is aborted beforehand', async () => {
    const reason = new Error('too late');
    await expect(collect(stream('hundred words', AbortSignal.abort(reason)))).rejects.toBe(reason);
    await collect(stream('hundred words'));
  });

  it('lets go of the provider when the reader leaves', async () => {
    for await (const delta of stream('slow')) {
      expect(delta.type).toBe('text');
      break;
    }
    await running.released();
  });

  it('fails with a ProviderError that shows neither key nor address', async () => {
    const error = await collect(stream('failing')).catch((thrown: unknown) => thrown);
    if (!(error instanceof ProviderError)) throw new Error('expected a ProviderError');
    expect(error).toMatchObject({ code: 'unavailable', retryable: true });
    expect(error.message).toMatch(/^[A-Z].*\.$/);
    expect(error.message).not.toMatch(/127\.0\.0\.1|sk-|https?:/);
  });
});

/** What the suite wants of a call that has one answer. */
type CallScenario = 'normal' | 'failing' | 'slow';

interface CallHarness {
  name: string;
  start(): Promise<{
    provider: ModelProvider;
    /** The model to ask. */
    model(scenario: CallScenario): string;
    /** What turns a text into one for which the scenario happens. */
    text(scenario: CallScenario, text: string): string;
    stop(): Promise<void>;
  }>;
}

const offlineCalls: CallHarness = {
  name: 'OfflineProvider',
  start: async () => ({
    provider: new OfflineProvider(),
    model: () => 'platform/offline',
    text: (scenario, text) => (scenario === 'failing' ? '/fail' : text),
    stop: () => Promise.resolve(),
  }),
};

const openaiCalls: CallHarness = {
  name: 'OpenAiProvider',
  start: async () => {
    const server = await startOpenAiServer({
      calls: ({ model }) =>
        model === 'failing' ? { kind: 'status', status: 503 } : model === 'slow' ? { kind: 'hang' } : null,
    });
    return {
      provider: openAiProvider(server.url, 'sk-canary'),
      model: (scenario) => scenario,
      text: (_, text) => text,
      stop: () => server.close(),
    };
  },
};

describe.each([offlineCalls, openaiCalls])('ModelProvider, embed and rerank: $name', (harness) => {
  let running: Awaited<ReturnType<CallHarness['start']>>;
  beforeAll(async () => {
    running = await harness.start();
  });
  afterAll(() => running.stop());

  const TEXTS = ['The quick brown fox', 'jumps over the lazy dog', '退款政策', '?!'];
  const never = new AbortController().signal;
  const embed = (texts: string[], scenario: CallScenario = 'normal', signal = never) =>
    running.provider.embed({ model: running.model(scenario), texts }, signal);
  const rerank = (query: string, texts: string[], scenario: CallScenario = 'normal', signal = never) =>
    running.provider.rerank({ model: running.model(scenario), query, texts }, signal);

  it('returns one vector for each text, in their order, all of the same length', async () => {
    const { vectors, promptTokens } = await embed(TEXTS);
    expect(vectors).toHaveLength(TEXTS.length);
    expect(new Set(vectors.map(({ length }) => length)).size).toBe(1);
    expect(vectors.every((vector) => vector.some((value) => value !== 0))).toBe(true);
    expect(promptTokens).toBeGreaterThan(0);
    const alone = await Promise.all(TEXTS.map(async (text) => (await embed([text])).vectors[0]));
    expect(vectors).toEqual(alone);
    expect(vectors[0]).not.toEqual(vectors[1]);
  });

  it('ranks texts by how well they answer', async () => {
    const { scores } = await rerank('lazy dog', TEXTS);
    expect(scores).toHaveLength(TEXTS.length);
    expect(scores.indexOf(Math.max(...scores.map((score) => score ?? -Infinity)))).toBe(1);
  });

  it('throws the reason of an abort, before and during the call', async () => {
    const reason = new Error('cancelled');
    await expect(embed(TEXTS, 'normal', AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(rerank('x', TEXTS, 'normal', AbortSignal.abort(reason))).rejects.toBe(reason);
    const abort = new AbortController();
    const calls = [embed(TEXTS, 'slow', abort.signal), rerank('x', TEXTS, 'slow', abort.signal)];
    abort.abort(reason);
    for (const call of calls) await expect(call).rejects.toBe(reason);
  });

  it('fails with a ProviderError that shows neither key nor address', async () => {
    const text = running.text('failing', 'Hello');
    for (const call of [embed([text], 'failing'), rerank(text, TEXTS, 'failing')]) {
      const error = await call.catch((thrown: unknown) => thrown);
      if (!(error instanceof ProviderError)) throw new Error('expected a ProviderError');
      expect(error).toMatchObject({ code: 'unavailable', retryable: true });
      expect(error.message).toMatch(/^[A-Z].*\.$/);
      expect(error.message).not.toMatch(/127\.0\.0\.1|sk-|https?:/);
    }
  });
});

interface ListHarness {
  name: string;
  /** What the server offers. */
  names: string[];
  start(): Promise<{ provider: ModelProvider; slow: ModelProvider; stop(): Promise<void> }>;
}

const offlineList: ListHarness = {
  name: 'OfflineProvider',
  names: ['platform/offline'],
  start: async () => {
    const provider = new OfflineProvider();
    return { provider, slow: provider, stop: () => Promise.resolve() };
  },
};

const openaiList: ListHarness = {
  name: 'OpenAiProvider',
  names: ['fake'],
  start: async () => {
    const servers = [
      await startOpenAiServer(),
      await startOpenAiServer({ models: () => ({ kind: 'hang' }) }),
    ];
    const [provider, slow] = servers.map(({ url }) => openAiProvider(url, 'sk-canary'));
    if (provider === undefined || slow === undefined) throw new Error('expected two servers');
    return {
      provider,
      slow,
      stop: async () => {
        await Promise.all(servers.map((server) => server.close()));
      },
    };
  },
};

describe.each([offlineList, openaiList])('ModelProvider, list of models: $name', (harness) => {
  let running: Awaited<ReturnType<ListHarness['start']>>;
  beforeAll(async () => {
    running = await harness.start();
  });
  afterAll(() => running.stop());

  it('returns the names by which the provider knows its models', async () => {
    const { signal } = new AbortController();
    expect(await running.provider.listModels(signal)).toEqual({ names: harness.names, isComplete: true });
  });

  it('throws the reason of an abort, before and during the call', async () => {
    const reason = new Error('cancelled');
    await expect(running.provider.listModels(AbortSignal.abort(reason))).rejects.toBe(reason);
    const abort = new AbortController();
    const call = running.slow.listModels(abort.signal);
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

async function collect(stream: AsyncIterable<ModelDelta>): Promise<ModelDelta[]> {
  const deltas: ModelDelta[] = [];
  for await (const delta of stream) deltas.push(delta);
  return deltas;
}
