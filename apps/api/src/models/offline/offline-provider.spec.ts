import type { ModelDelta, ModelMessage, ModelPart, ModelRequest } from '../port/model-provider.ts';
import { OfflineProvider } from './offline-provider.ts';
import { countTokens, estimatePrompt } from '../port/tokens.ts';

const provider = new OfflineProvider();
const signal = new AbortController().signal;
const tool = (name: string) => ({ name, description: '', parameters: {} });
const user = (...parts: (string | ModelPart)[]): ModelMessage => ({
  role: 'user',
  parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
});

async function ask(messages: ModelMessage[], more: Partial<ModelRequest> = {}): Promise<ModelDelta[]> {
  const request = { model: 'platform/offline', messages, tools: [], settings: {}, ...more };
  const deltas: ModelDelta[] = [];
  for await (const delta of provider.stream(request, signal)) deltas.push(delta);
  return deltas;
}

const text = (deltas: ModelDelta[]) =>
  deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');

describe('OfflineProvider', () => {
  it('reports what it received', async () => {
    const answer = await ask([
      { role: 'system', text: 'You are helpful.' },
      user('earlier'),
      { role: 'assistant', text: 'yes', toolCalls: [] },
      user(
        'Look at this',
        { type: 'image', url: 'data:image/png;base64,AAAA', detail: 'low' },
        { type: 'image', url: 'https://example.com/a.png', detail: 'auto' },
        { type: 'audio', data: 'AAAA', format: 'mp3' },
        { type: 'file', filename: 'a.pdf', mime: 'application/pdf', data: 'AAAAAAA=' },
      ),
    ]);
    expect(text(answer)).toBe(
      'You said: Look at this I received an image (image/png, detail low), an image (by address, detail auto), ' +
        'a recording (mp3, 3 bytes), a file (a.pdf, application/pdf, 5 bytes). Before that you wrote 1 message.',
    );
  });

  it('lets others run while it makes many calls', async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const deltas = await ask([user('/local pick {}\n'.repeat(2_000))], { tools: [tool('pick')] });
    clearImmediate(next);
    expect(deltas.filter(({ type }) => type === 'tool-call')).toHaveLength(4_000);
    expect(turns).toBeGreaterThan(100);
  });

  it('says in its first answer what it is, and what can be tried with the offered tools', async () => {
    const alone = text(await ask([user('Hello! What can you do?')]));
    expect(alone).toMatch(/^You said: Hello! What can you do\?\n\nI am platform\/offline, /);
    expect(alone.match(/`\/[a-z-]+/g)).toEqual(['`/think', '`/long', '`/fail']);
    const tools = ['ask_user', 'current_time__now', 'pick'].map(tool);
    const offered = text(await ask([user('Hello')], { tools }));
    const examples = [...offered.matchAll(/`(\/.*?)`/g)].map(([, example]) => example);
    expect(examples).toEqual([
      '/ask Which color? | red | blue | other',
      '/ask-many Which days? | Mon | Tue | Wed',
      '/call current_time.now {}',
      '/local pick {}',
      '/think 2000',
      '/long 200',
      '/fail',
    ]);
    for (const example of examples.slice(0, 4)) {
      const [first] = await ask([user(example ?? '')], { tools });
      expect(first?.type).toBe('tool-call');
    }
    for (const message of ['/think 1', 'x'.repeat(401)]) {
      expect(text(await ask([user(message)]))).not.toContain('platform/offline');
    }
  });

  it('is deterministic and counts exactly', async () => {
    const messages = [user('Tell me about 北京 and tokenization, please.')];
    const answer = await ask(messages);
    expect(await ask(messages)).toEqual(answer);
    expect(answer.at(-2)).toEqual({
      type: 'usage',
      promptTokens: await estimatePrompt(messages),
      completionTokens: await countTokens(text(answer)),
      cachedTokens: 0,
      reasoningTokens: 0,
    });
  });

  it('makes its calls step by step, then names the results', async () => {
    const tools = [tool('shop__find'), tool('ask_user')];
    const messages = [user('Buy.\n/call shop.find {"q":"tea"}\n\n/ask Which? | green | black')];

    const first = await ask(messages, { tools });
    expect(first.slice(0, 2)).toEqual([
      { type: 'tool-call', index: 0, id: 'call_1', name: 'shop__find', arguments: '{"q":' },
      { type: 'tool-call', index: 0, arguments: '"tea"}' },
    ]);
    messages.push(
      {
        role: 'assistant',
        text: '',
        toolCalls: [{ id: 'call_1', name: 'shop__find', arguments: '{"q":"tea"}' }],
      },
      { role: 'tool', callId: 'call_1', text: '{"id":7}' },
    );

    const second = await ask(messages, { tools });
    expect(second[0]).toMatchObject({ id: 'call_2', name: 'ask_user' });
    messages.push(
      { role: 'assistant', text: '', toolCalls: [{ id: 'call_2', name: 'ask_user', arguments: '{}' }] },
      { role: 'tool', callId: 'call_2', text: 'green' },
    );

    const last = await ask(messages, { tools });
    expect(text(last)).toBe('Done. shop__find answered: {"id":7} ask_user answered: green');
    expect(last.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('obeys the last message alone', async () => {
    const answer = await ask([user('/fail'), user('Hello')]);
    expect(text(answer)).toBe('You said: Hello Before that you wrote 1 message.');
  });

  it('says that a tool is not offered', async () => {
    expect(text(await ask([user('/call shop.find')]))).toBe('The tool shop__find is not offered to me.\n');
  });

  it('yields to other work while it streams', async () => {
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await ask([user('/long 3200')]);
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(100);
  });
});
