import { randomUUID } from 'node:crypto';
import type { Agent, Frame } from '@platform/contracts';
import type { BuiltinCall, BuiltinTool } from '../src/tools/platform/builtin-tool.ts';
import { builtinTools } from '../src/tools/platform/builtin-tools.ts';
import { ToolError } from '../src/tools/calls/tool-error.ts';
import type { FakeAnswer } from './fixtures/openai-answers.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventData, eventNames, textOf } from './harness/frames.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let model: ScriptedModel;
let agent: AgentCalls;

/** What the built-in tool `probe` does; each test sets its own. */
let probe: (input: Record<string, unknown>, call: BuiltinCall) => Promise<unknown>;
const PROBE: BuiltinTool = {
  name: 'probe',
  description: 'Runs what a test sets',
  kind: 'builtin',
  methods: [
    {
      name: 'run',
      description: 'Runs',
      acts: false,
      inputSchema: { type: 'object' },
      run: (input, call) => probe(input, call),
    },
  ],
};
const builtins = builtinTools as Map<string, BuiltinTool>;

beforeAll(async () => {
  builtins.set(PROBE.name, PROBE);
  model = await ScriptedModel.start();
  app = await TestApp.start({ env: { PLATFORM_STREAM_LEASE_MS: '6000' } });
  agent = await AgentCalls.make(app, { baseUrl: model.url }, { tools: [{ toolId: 'probe', methods: null }] });
});
afterAll(async () => {
  builtins.delete(PROBE.name);
  await app.close();
  await model.close();
});
beforeEach(() => {
  probe = () => Promise.resolve('fine');
});

const call = (...args: string[]): FakeAnswer => ({
  text: ['Let me see. '],
  toolCalls: args.map((text, i) => ({ id: `c${i + 1}`, name: 'probe__run', arguments: text })),
});

/** Says how each call ended: its last frame of both kinds, in the order of the calls. */
function endsIn(frames: Frame<Record<string, unknown>>[]): [string, string, unknown][] {
  const ends = new Map<string, [string, string, unknown]>();
  for (const { method, params } of frames) {
    const { event, tool_call_id, callId, status, error } = params.data;
    if (method === 'tools') ends.set(String(tool_call_id), [String(event), '', null]);
    if (event === 'tool-execution')
      ends.set(String(callId), [ends.get(String(callId))?.[0] ?? '', String(status), error]);
  }
  return [...ends].sort().map(([, end]) => end);
}

/** What the model was told of its calls. */
function toldOf(prompt: string): string[] {
  const messages = (model.requests(prompt).at(-1)?.body.messages ?? []) as {
    role: string;
    content: string;
  }[];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

describe('the open calls of a turn that ends early', () => {
  /** A turn whose second call never ends and does not look at its signal; the first has ended. */
  async function hanging() {
    probe = (input) => (input.hang === true ? new Promise(() => undefined) : Promise.resolve('fine'));
    const [turnId, session] = [randomUUID(), randomUUID()];
    const prompt = model.prompt(call('{}', '{"hang":true}'));
    return { turnId, session, body: { turnId, session_id: session, contents: said(prompt) } };
  }

  const cancel = (turnId: string, sessionId: string) =>
    agent.request('POST', `/turns/${turnId}/cancel`, { body: { sessionId } });

  verifies('cancel.tools', 'are closed in the stream before its end', async () => {
    const { turnId, session, body } = await hanging();
    const live = await agent.open(body);
    await live.until('tool-execution');
    await cancel(turnId, session);
    const { frames } = await live.rest();
    const cancelled = { code: 'CANCELLED', message: 'The turn was canceled before the call ended' };
    expect(endsIn(frames)).toEqual([
      expect.arrayContaining([expect.stringMatching(/tool-(finished|error)/)]),
      ['tool-error', 'failed', cancelled],
    ]);
    expect(frames.slice(-3).map(({ params }) => params.data.event)).toEqual([
      'response-completed',
      'interrupted',
      'stream-ended',
    ]);
  });

  verifies(
    'cancel.tools',
    'are closed in the JSON response, and a cancel does not wait for them',
    async () => {
      const { turnId, session, body } = await hanging();
      const answering = agent.json(body);
      await eventually(async () => expect((await agent.turn(turnId)).status).toBe('RUNNING'));
      const live = await agent.attach(turnId);
      await live.until('tool-execution');
      await cancel(turnId, session);
      const { body: answer } = await answering;
      expect(answer.status).toBe('cancelled');
      expect(answer.toolExecutions).toHaveLength(2);
      expect(answer.toolExecutions.filter(({ status }) => status === 'started')).toEqual([]);
    },
  );

  verifies('cancel.tools', 'are closed if their process died', async () => {
    const { turnId, body } = await hanging();
    const live = await agent.open(body);
    await live.until('tool-execution');
    await app.sql(
      `update stream set fencing_token = gen_random_uuid(), lease_until = clock_timestamp() where id = (
         select g.stream_id from turn_segment g join turn t on t.id = g.turn_id where t.client_turn_id = $1)`,
      [turnId],
    );
    const { frames } = await live.rest();
    const interrupted = { code: 'INTERRUPTED', message: 'The turn failed before the call ended' };
    expect(endsIn(frames).at(-1)).toEqual(['tool-error', 'failed', interrupted]);
    expect((await agent.turn(turnId)).status).toBe('FAILED');
  });
});

describe('arguments that no tool can take', () => {
  const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  it.each([
    ['5,000 deep', deep(5_000), 'nested deeper than 64'],
    ['120,000 deep', deep(120_000), 'nested deeper than 64'],
    ['of 300 KB', JSON.stringify({ text: 'x'.repeat(300 * 1024) }), 'longer than'],
    ['no JSON', '{"a":', 'not a JSON object'],
    ['no object', '[1]', 'not a JSON object'],
  ])('fail their call and not the turn: %s', async (_, args, problem) => {
    const prompt = model.prompt(call(args), { text: ['I see.'] });
    const { frames } = await agent.stream({ contents: said(prompt) });
    expect(textOf(frames)).toBe('Let me see. I see.');
    expect(endsIn(frames)).toEqual([
      ['tool-error', 'failed', { code: 'VALIDATION_ERROR', message: expect.stringContaining(problem) }],
    ]);
    expect(toldOf(prompt)).toEqual([expect.stringContaining(problem)]);
  });

  it('end the turn if they were cut off: the model would only be cut off again', async () => {
    const prompt = model.prompt({ ...call('{"text":"Once upon'), finishReason: 'length' });
    const session_id = randomUUID();
    const { frames } = await agent.stream({ contents: said(prompt), session_id });
    expect(eventData(frames, 'response-completed')).toMatchObject({ finishReason: 'length' });
    expect(textOf(frames)).toBe('Let me see. ');
    expect(eventNames(frames)).not.toContain('tool-execution');
    expect(model.requests(prompt)).toHaveLength(1);
    const next = model.prompt();
    expect((await agent.json({ contents: said(next), session_id })).body.answer).toBe('Hello world!');
    const { messages } = model.requests(next)[0]?.body as { messages: object[] };
    expect(messages.at(-2)).toEqual({ role: 'assistant', content: 'Let me see. ' });
  });
});

describe('what a tool throws', () => {
  it('reaches the model and the reader only if it was written for them', async () => {
    probe = (input) =>
      Promise.reject(
        input.own === true
          ? new ToolError('No such city')
          : Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { name: 'QueryFailedError' }),
      );
    const prompt = model.prompt(call('{"own":true}'), call('{"own":false}'), { text: ['Well.'] });
    const { bytes, frames } = await agent.stream({ contents: said(prompt) });
    expect(toldOf(prompt)).toEqual([
      '{"error":{"code":"TOOL_ERROR","message":"No such city"}}',
      '{"error":{"code":"TOOL_ERROR","message":"The tool failed"}}',
    ]);
    expect(bytes).not.toContain('10.0.0.7');
    expect(textOf(frames)).toBe('Let me see. Let me see. Well.');
  });
});

describe('a built-in tool', () => {
  verifies('tools.builtin', 'knows its caller, and reads the attachments of the session', async () => {
    const other = await agent.json({ contents: [file('Secret')] });
    const foreign = await attachmentOf(other.body.session_id);
    const session = randomUUID();
    await agent.json({ session_id: session, contents: [...said('Here'), file('Ulm')] });
    const own = await attachmentOf(session);
    let seen: BuiltinCall | undefined;
    const read: unknown[] = [];
    probe = async (_, made) => {
      seen = made;
      for (const id of [own, foreign, 'no-uuid']) {
        const found = await made.attachments.read(id);
        read.push(found && [found.mime, found.data.toString()]);
      }
    };
    await agent.json({ session_id: session, contents: said(model.prompt(call('{}'))) });
    expect(seen).toMatchObject({
      spaceId: app.admin.spaceId,
      userId: app.admin.userId,
      agent: { id: agent.agentId, name: 'A' },
      configuration: {},
      now: expect.any(Date),
      signal: expect.any(AbortSignal),
    });
    expect(read).toEqual([['text/plain', 'Ulm'], null, null]);
  });

  const file = (text: string) => ({
    type: 'file' as const,
    file_info: { url: `data:text/plain;base64,${Buffer.from(text).toString('base64')}`, name: 'a.txt' },
  });

  async function attachmentOf(session: string): Promise<string> {
    for (const { contents } of await agent.messages(session))
      for (const part of contents) if ('attachment' in part && part.attachment) return part.attachment.id;
    throw new Error('Nothing is attached');
  }
});

describe('an agent that lists tools which are not there', () => {
  verifies('tools.missing', 'is reported in its definition and in the stream', async () => {
    const gone = randomUUID();
    const listing = await AgentCalls.make(
      app,
      { baseUrl: model.url },
      {
        tools: [
          { toolId: 'current_time', methods: null },
          { toolId: 'probe', methods: ['run', 'walk'] },
          { toolId: gone, methods: null },
        ],
      },
    );
    const { body } = await listing.request<Agent>('GET', '');
    expect(body.tools.map(({ toolId, status }) => [toolId, status])).toEqual([
      ['current_time', 'ready'],
      ['probe', 'unknown'],
      [gone, 'unknown'],
    ]);
    const { frames } = await listing.stream({ contents: said(model.prompt()) });
    const running = frames.find(
      ({ method, params }) => method === 'lifecycle' && params.data.event === 'running',
    );
    expect(running?.params.data.warnings).toEqual([
      'The agent lists methods that the tool probe does not have: walk',
      `The agent lists the tool ${gone}, which does not exist`,
    ]);
    // What was read can be sent back.
    const { status, body: same } = await listing.request<Agent>('PATCH', '', { body: { tools: body.tools } });
    expect([status, same.version]).toEqual([200, body.version]);
  });
});
