import { randomUUID } from 'node:crypto';
import type {
  CancelResponse,
  ChatResponse,
  ExecuteResponse,
  Interaction,
  Page,
  Session,
} from '@platform/contracts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { scaled } from './faults/scale.ts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventData, eventNames, framesIn, readStream, textOf } from './harness/frames.ts';
import { ServiceProcess } from './harness/process.ts';
import { PATIENCE } from './harness/settings.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

const MOMENTS = scaled('CANCEL_MOMENTS', { quick: 60, slow: 200 });

let app: TestApp;
let twin: TestApp;
let agent: AgentCalls;

beforeAll(async () => {
  app = await TestApp.start();
  twin = await TestApp.start({ database: app });
  agent = await AgentCalls.make(app);
});

afterAll(async () => {
  await twin.close();
  await app.close();
});

const pendingOf = async (session: string, calls = agent) =>
  (
    await calls.request<{ items: Interaction[] }>(
      'GET',
      `/sessions/${encodeURIComponent(session)}/interactions/pending`,
    )
  ).body.items;

const ask = async (directives: string, calls = agent) => {
  const turnId = randomUUID();
  const session = randomUUID();
  const answer = await calls.stream({ turnId, session_id: session, contents: said(directives) });
  const [question] = await pendingOf(session, calls);
  if (question === undefined) throw new Error(`No question in ${eventNames(answer.frames).join(', ')}`);
  return { turnId, session, question, frames: answer.frames };
};

const resume = (turnId: string, body: object, calls = agent) =>
  calls.app.fetch('POST', `${calls.path}/turns/${turnId}/resume`, {
    as: calls.user,
    body,
    headers: STREAMED,
  });

const cancel = (turnId: string, sessionId: string, calls = agent) =>
  calls.request<CancelResponse>('POST', `/turns/${turnId}/cancel`, { body: { sessionId } });

describe('questions', () => {
  verifies(
    ['question.asked', 'question.resume'],
    'ask, pending, resume on another instance, done',
    async () => {
      const { turnId, session, question, frames } = await ask('/ask Which colour? | red | blue');
      expect(eventNames(frames).slice(-3)).toEqual([
        'agent-input-required',
        'response-completed',
        'stream-ended',
      ]);
      expect(eventData(frames, 'agent-input-required')).toMatchObject({ interaction: question });
      expect(eventData(frames, 'response-completed')).toMatchObject({ finishReason: 'input_required' });
      expect(frames.filter(({ method }) => method === 'input').map(({ params }) => params.data)).toEqual([
        { event: 'requested', interrupt_id: question.interactionId, payload: question },
      ]);
      expect(question).toMatchObject({
        turnId,
        sessionId: session,
        kind: 'single',
        question: 'Which colour?',
        options: [
          { id: 'option_1', label: 'red' },
          { id: 'option_2', label: 'blue' },
        ],
        allowOther: false,
        minSelected: 1,
        maxSelected: 1,
      });
      expect((await agent.turn(turnId)).status).toBe('INPUT_REQUIRED');

      const body = {
        sessionId: session,
        interactionId: question.interactionId,
        selectedOptionIds: ['option_2'],
        otherText: null,
      };
      const resumed = await readStream(await resume(turnId, body, agent.via(twin)));
      expect(resumed.headers.get('x-platform-stream-protocol')).toBe('langgraph-v3');
      expect(resumed.frames.map(({ seq }) => seq)).toEqual(resumed.frames.map((_, i) => i + 1));
      expect(eventData(resumed.frames, 'session-started')).toMatchObject({ segment: 2, resumed: true });
      expect(textOf(resumed.frames)).toContain('blue');
      expect(await pendingOf(session)).toEqual([]);
      expect(await pendingOf('\0')).toEqual([]);
      expect(await agent.turn(turnId)).toMatchObject({
        status: 'COMPLETED',
        segments: [{ origin: 'start' }, { origin: 'resume' }],
      });
    },
  );

  verifies(
    'question.resume.idempotent',
    '50 parallel resumes are one run; another choice is a conflict',
    async () => {
      const { turnId, session, question } = await ask('/ask Which? | a | b');
      const body = {
        sessionId: session,
        interactionId: question.interactionId,
        selectedOptionIds: ['option_1'],
      };
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, i) =>
          readStream(await resume(turnId, body, i % 2 ? agent : agent.via(twin))),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1);
      expect((await agent.turn(turnId)).segments).toHaveLength(2);
      const other = await resume(turnId, { ...body, selectedOptionIds: ['option_2'] });
      expect([other.status, await other.json()]).toEqual([
        409,
        expect.objectContaining({ code: 'CONFLICT' }),
      ]);
      const [steps] = await app.sql<{ count: number }>(
        `select count(*)::int as count from turn_step i join turn t on t.id = i.turn_id
       where t.client_turn_id = $1 and i.kind = 'model'`,
        [turnId],
      );
      expect(steps?.count).toBe(2);
    },
  );

  verifies('question.resume.answers', 'an invalid response is rejected with the reason', async () => {
    const single = await ask('/ask Which? | a | b');
    const wrong = async ({ turnId, session, question }: typeof single, answer: object) => {
      const body = { sessionId: session, interactionId: question.interactionId, ...answer };
      const response = await resume(turnId, body);
      return [response.status, ((await response.json()) as { message: string }).message];
    };
    expect(await wrong(single, { selectedOptionIds: ['a'] })).toEqual([400, expect.stringContaining('a')]);
    expect(await wrong(single, { selectedOptionIds: [] })).toEqual([
      400,
      expect.stringContaining('Between 1 and 1'),
    ]);
    expect(await wrong(single, { selectedOptionIds: ['option_1', 'option_2'] })).toEqual([
      400,
      expect.any(String),
    ]);
    expect(await wrong(single, { selectedOptionIds: [], otherText: 'c' })).toEqual([
      400,
      expect.stringContaining('otherText'),
    ]);
    expect(await wrong(single, { selectedOptionIds: 'option_1' })).toEqual([
      400,
      expect.stringContaining('selectedOptionIds'),
    ]);
    expect((await agent.turn(single.turnId)).status).toBe('INPUT_REQUIRED');

    const many = await ask('/ask-many Which? | a | b | other');
    expect(many.question).toMatchObject({ kind: 'multi', allowOther: true });
    const { turnId, session, question } = many;
    const body = { sessionId: session, interactionId: question.interactionId };
    const answered = await readStream(
      await resume(turnId, { ...body, selectedOptionIds: ['option_1'], otherText: 'mauve' }),
    );
    expect(textOf(answered.frames)).toContain('mauve');
  });

  verifies(
    'question.resume.unknown',
    'foreign and unknown things are 404, a missing header is 426',
    async () => {
      const { turnId, session, question } = await ask('/ask Which? | a | b');
      const body = {
        sessionId: session,
        interactionId: question.interactionId,
        selectedOptionIds: ['option_1'],
      };
      const statusOf = async (path: string, changed: object, calls = agent) =>
        (await resume(path, { ...body, ...changed }, calls)).status;
      expect(await statusOf(turnId, { interactionId: randomUUID() })).toBe(404);
      expect(await statusOf(turnId, { interactionId: 'no-uuid' })).toBe(404);
      expect(await statusOf(turnId, { sessionId: 'another' })).toBe(404);
      expect(await statusOf(randomUUID(), {})).toBe(404);
      expect(await statusOf(turnId, {}, agent.by(app.member))).toBe(404);
      const bare = await agent.request('POST', `/turns/${turnId}/resume`, { body });
      expect([bare.status, bare.body.code]).toEqual([426, 'STREAM_PROTOCOL_REQUIRED']);
      expect(await pendingOf('unknown session')).toEqual([]);
    },
  );

  verifies('question.several', 'two questions of one step come one after the other', async () => {
    const first = await ask('/ask First? | a | b\n/ask Second? | c | d');
    const answer = (question: Interaction) => ({
      sessionId: first.session,
      interactionId: question.interactionId,
      selectedOptionIds: ['option_1'],
    });
    const between = await readStream(await resume(first.turnId, answer(first.question)));
    expect(eventNames(between.frames)).toContain('agent-input-required');
    expect(between.frames.filter(({ method }) => method === 'messages')).toEqual([]);
    const [second] = await pendingOf(first.session);
    if (second === undefined) throw new Error('No second question');
    expect(second.question).toBe('Second?');
    const done = await readStream(await resume(first.turnId, answer(second)));
    expect(textOf(done.frames)).toContain('c');
    expect((await agent.turn(first.turnId)).status).toBe('COMPLETED');
  });

  verifies('question.dismissed', 'a new turn takes the place of the question', async () => {
    const { turnId, session, question } = await ask('/ask Which? | a | b');
    await agent.stream({ session_id: session, contents: said('Never mind') });
    expect(await pendingOf(session)).toEqual([]);
    expect(await agent.turn(turnId)).toMatchObject({ status: 'CANCELLED', error: { code: 'DISMISSED' } });
    const late = await resume(turnId, {
      sessionId: session,
      interactionId: question.interactionId,
      selectedOptionIds: ['option_1'],
    });
    expect([late.status, await late.json()]).toEqual([
      409,
      expect.objectContaining({ message: expect.stringContaining('dismissed') as string }),
    ]);
    const closing = await (await agent.attach(turnId)).rest();
    expect(eventData(closing.frames, 'response-completed')).toMatchObject({ finishReason: 'cancelled' });
  });

  verifies('question.expired', 'time runs out', async () => {
    const { WaitingTurnsWorker } = await import('../src/turns/interactions/waiting-turns.worker.ts');
    const { turnId, session, question } = await ask('/ask Which? | a | b');
    await app.sql(`update interaction set expires_at = clock_timestamp() where id = $1`, [
      question.interactionId,
    ]);
    await app.get(WaitingTurnsWorker).expire();
    expect(await agent.turn(turnId)).toMatchObject({ status: 'CANCELLED', error: { code: 'EXPIRED' } });
    const late = await resume(turnId, {
      sessionId: session,
      interactionId: question.interactionId,
      selectedOptionIds: ['option_1'],
    });
    expect(late.status).toBe(409);
  });
});

describe('cancel', () => {
  let openai: FakeOpenAiServer;
  let slow: AgentCalls;

  beforeAll(async () => {
    openai = await startOpenAiServer({
      // Words for far longer than a turn may last here.
      behavior: { text: Array.from({ length: 20_000 }, (_, i) => `w${i} `), paceMs: 10 },
    });
    slow = await AgentCalls.make(app, { baseUrl: openai.url, apiKey: 'k' });
  });

  afterAll(() => openai.close());

  verifies(
    ['cancel.running', 'cancel.session'],
    'mid-stream: text is kept and charged, the socket closed',
    async () => {
      const turnId = randomUUID();
      const session = randomUUID();
      const live = await slow.open({ turnId, session_id: session, contents: said('Go') });
      await live.untilSaid('w5 ');
      expect((await cancel(turnId, 'another session', slow)).status).toBe(404);
      expect((await slow.request('POST', `/turns/${turnId}/cancel`, { body: {} })).body).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining('sessionId') as string,
      });
      expect((await cancel(turnId, session, slow)).body).toEqual({
        turnId,
        sessionId: session,
        status: 'cancelling',
      });
      expect(await openai.requests.at(-1)?.closed).toBe(true);
      const { frames } = await live.rest();
      expect(eventData(frames, 'response-completed')).toMatchObject({ finishReason: 'cancelled' });
      const turn = await slow.turn(turnId);
      expect(turn.status).toBe('CANCELLED');
      expect(turn.token_usage.completion_tokens).toBeGreaterThan(0);
      expect((await slow.messages(session))[0]).toMatchObject({
        role: 'assistant',
        contents: [{ type: 'text', text: textOf(frames) }],
      });
      expect((await cancel(turnId, session, slow)).body.status).toBe('cancelled');
      expect((await cancel('no-uuid', session, slow)).status).toBe(404);
      const done = await agent.json({ session_id: session, contents: said('Hi') });
      expect((await cancel(done.body.turnId, session)).body.status).toBe('completed');
    },
  );

  verifies(
    'cancel.places',
    'before the start, before the first token, in a tool, while waiting',
    async () => {
      const session = randomUUID();
      const early = randomUUID();
      expect((await cancel(early, session, slow)).status).toBe(404);
      const calls = openai.requests.length;
      const wished = await slow.stream({ turnId: early, session_id: session, contents: said('Go') });
      expect(eventData(wished.frames, 'response-completed')).toMatchObject({ finishReason: 'cancelled' });
      expect(openai.requests).toHaveLength(calls);

      openai.nextBehavior({ kind: 'hang' });
      const silent = randomUUID();
      const waiting = slow.stream({ turnId: silent, session_id: session, contents: said('Go') });
      await eventually(async () => expect(openai.requests).toHaveLength(calls + 1));
      await cancel(silent, session, slow);
      expect(eventNames((await waiting).frames).at(-1)).toBe('stream-ended');
      expect((await slow.turn(silent)).status).toBe('CANCELLED');

      const local = await AgentCalls.make(app, null, {
        localTools: [{ name: 'gps', description: 'Where', inputSchema: { type: 'object' } }],
      });
      const inTool = randomUUID();
      const stream = await local.open({
        turnId: inTool,
        session_id: session,
        contents: said('/local gps {}'),
        registeredLocalTools: ['gps'],
      });
      await stream.until('local-tool-call');
      await cancel(inTool, session, local);
      await stream.rest();
      expect((await local.turn(inTool)).status).toBe('CANCELLED');

      const asked = await ask('/ask Which? | a | b');
      expect((await cancel(asked.turnId, asked.session)).body.status).toBe('cancelled');
      expect(await pendingOf(asked.session)).toEqual([]);
    },
  );

  verifies(
    'cancel.processes',
    'random moments over two processes: closed soon, nothing overwritten',
    async () => {
      const service = await ServiceProcess.spawn({
        DATABASE_URL: app.databaseUrl,
        PLATFORM_SECRET_KEY: app.secretKey,
        PLATFORM_DATA_DIR: app.dataDir,
        ...PATIENCE,
      });
      await service.ready();
      const post = (url: string, path: string, body: object) =>
        fetch(`${url}${slow.path}${path}`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${slow.user.apiKey}`,
            'Content-Type': 'application/json',
            ...STREAMED,
          },
          body: JSON.stringify(body),
        });
      const random = seededRandom();
      const closedAfter: number[] = [];
      const turnIds: string[] = [];
      const one = async (i: number) => {
        const turnId = randomUUID();
        turnIds.push(turnId);
        const session = randomUUID();
        const [runs, cancels] = [i % 2 ? app.url : service.url, i % 4 < 2 ? app.url : service.url];
        const contents = said(`turn ${turnId}`);
        const reading = post(runs, '/chat', { turnId, session_id: session, contents }).then(readStream);
        await new Promise((resolve) => setTimeout(resolve, random(400)));
        const { status } = await post(cancels, `/turns/${turnId}/cancel`, { sessionId: session });
        const at = performance.now();
        expect([200, 404]).toContain(status);
        const { status: answered, bytes, frames } = await reading;
        expect([answered, bytes]).toEqual([200, expect.any(String)]);
        const request = openai.requests.find(({ body }) => JSON.stringify(body).includes(turnId));
        if (request) {
          expect(await request.closed).toBe(true);
          // A cancel can come before its turn; a call can be over before the cancel is answered.
          const since = Math.max(at, request.startedAt);
          closedAfter.push(Math.max(0, (request.abortedAt ?? Infinity) - since));
        }
        const end = eventData(frames, 'response-completed').finishReason;
        expect([(await slow.turn(turnId)).status, end]).toEqual(['CANCELLED', 'cancelled']);
      };
      try {
        for (let i = 0; i < MOMENTS; i += 10)
          await Promise.all(Array.from({ length: 10 }, (_, k) => one(i + k)));
      } finally {
        await service.kill();
      }
      // A request that is left behind would count against the requests that wait for their turns.
      expect(await app.sql('select 1 from cancel_request where client_turn_id = any($1)', [turnIds])).toEqual(
        [],
      );
      closedAfter.sort((a, b) => a - b);
      const [median = 0, slowest = 0] = [closedAfter[closedAfter.length >> 1], closedAfter.at(-1)];
      // The model speaks a token every 10 ms, so a tenth of the time is what it said after the stop.
      console.info(
        `${closedAfter.length} calls of the model closed: p50 ${Math.round(median)} ms, slowest ${Math.round(slowest)} ms after the cancel`,
      );
      // A call that nobody closes ends after 200 s.
      expect(median).toBeLessThan(20_000);
    },
  );
});

describe('tools in the loop', () => {
  const withTools = () =>
    AgentCalls.make(app, null, {
      tools: [{ toolId: 'current_time', methods: null }],
      localTools: [{ name: 'gps', description: 'Where', inputSchema: { type: 'object' } }],
    });

  verifies('tools.parallel', 'current_time works if the agent lists it', async () => {
    const calls = await withTools();
    const { body } = await calls.json({
      contents: said(
        '/call current_time.now {"timezone":"Europe/Berlin"}\n/call current_time.now {"timezone":"Nowhere"}',
      ),
    });
    expect(body.toolExecutions).toHaveLength(2);
    const byZone = (zone: string) =>
      body.toolExecutions.find((execution) => execution.arguments.timezone === zone);
    expect(byZone('Europe/Berlin')).toMatchObject({
      status: 'succeeded',
      tool: 'current_time',
      method: 'now',
      result: { timezone: 'Europe/Berlin' },
    });
    expect(byZone('Nowhere')).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('IANA') as string },
    });
  });

  const localCall = async () => {
    const calls = await withTools();
    const turnId = randomUUID();
    const live = await calls.open({
      turnId,
      contents: said('/local gps {"precise":true}'),
      registeredLocalTools: ['gps', 'undeclared'],
    });
    const frame = eventData(framesIn(await live.until('local-tool-call')), 'local-tool-call');
    const answer = (body: object, by = calls) =>
      by.request('POST', `/turns/${turnId}/local-tools/${String(frame.callId)}`, { body });
    return { calls, turnId, live, frame, answer };
  };

  verifies('local-tools.result', 'the first result wins', async () => {
    const { calls, turnId, live, frame, answer } = await localCall();
    expect(frame).toMatchObject({ tool: 'gps', arguments: { precise: true }, timeoutMs: 60_000 });
    expect((await answer({})).status).toBe(400);
    expect((await answer({ result: 1, error: 'x' })).status).toBe(400);
    expect((await answer({ result: 'Ulm' }, calls.by(app.member))).status).toBe(404);
    expect(
      (await calls.request('POST', `/turns/${turnId}/local-tools/unknown`, { body: { result: 1 } })).status,
    ).toBe(404);
    expect((await answer({ result: { city: 'Ulm' } }, calls.via(twin))).status).toBe(200);
    expect((await answer({ result: { city: 'Ulm' } })).status).toBe(200);
    expect((await answer({ result: { city: 'Bonn' } })).status).toBe(409);
    const { frames } = await live.rest();
    expect(textOf(frames)).toContain('Ulm');
    const unregistered = await calls.json({ contents: said('/local gps {}') });
    expect(unregistered.body.answer).not.toContain('Ulm');
    expect(unregistered.body.toolExecutions.some(({ status }) => status === 'succeeded')).toBe(false);
  });

  verifies(
    'local-tools.result',
    'each call is asked anew where a model’s server repeats their ids',
    async () => {
      const call = { toolCalls: [{ id: 'call_0', name: 'gps', arguments: '{}' }] };
      const openai = await startOpenAiServer({
        behavior: ({ messages }) => {
          const results = (messages as { role: string }[]).filter(({ role }) => role === 'tool').length;
          return results < 2 ? call : { text: ['Done'] };
        },
      });
      const calls = await AgentCalls.make(
        app,
        { baseUrl: openai.url },
        { localTools: [{ name: 'gps', description: 'Where', inputSchema: { type: 'object' } }] },
      );
      const turnId = randomUUID();
      const live = await calls.open({ turnId, contents: said('Go'), registeredLocalTools: ['gps'] });
      const answer = (result: string, id = 'call_0') =>
        calls.request('POST', `/turns/${turnId}/local-tools/${id}`, { body: { result } });
      await live.until('local-tool-call');
      expect((await answer('Ulm', 'a%00b')).status).toBe(404);
      expect((await answer('Ulm')).status).toBe(200);
      // Clients run a call once by its id, so each gets an id of its own.
      const second = await eventually(async () => {
        const [open] = await app.sql<{ id: string }>(
          `select call_id as id from local_tool_call where outcome is null and turn_id =
             (select id from turn where client_turn_id = $1)`,
          [turnId],
        );
        if (open === undefined) throw new Error('No second call is open');
        return open.id;
      });
      expect(second).not.toBe('call_0');
      expect((await answer('Bonn', second)).status).toBe(200);
      const { frames } = await live.rest();
      expect(textOf(frames)).toBe('Done');
      const told = (openai.requests.at(-1)?.body.messages ?? []) as { role: string; content: string }[];
      expect(told.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
        '"Ulm"',
        '"Bonn"',
      ]);
      await openai.close();
    },
  );

  verifies('local-tools.result', 'arguments that do not fit into a frame reach no client cut', async () => {
    const openai = await startOpenAiServer();
    const note = 'x'.repeat(40_000);
    openai.nextBehavior(
      { toolCalls: [{ id: 'call_0', name: 'gps', arguments: JSON.stringify({ note }) }] },
      { text: ['Done'] },
    );
    const calls = await AgentCalls.make(
      app,
      { baseUrl: openai.url },
      { localTools: [{ name: 'gps', description: 'Where', inputSchema: { type: 'object' } }] },
    );
    const { frames } = await calls.stream({ contents: said('Go'), registeredLocalTools: ['gps'] });
    expect(eventNames(frames)).not.toContain('local-tool-call');
    expect(textOf(frames)).toBe('Done');
    const told = (openai.requests.at(-1)?.body.messages ?? []) as { role: string; content: string }[];
    expect(told.find(({ role }) => role === 'tool')?.content).toContain('30720');
    await openai.close();
  });

  verifies('local-tools.denied', 'denied and failed calls are reported to the model', async () => {
    const denied = await localCall();
    await denied.answer({ denied: true, reason: 'not here' });
    const { frames } = await denied.live.rest();
    const shown = frames.filter(({ params }) => params.data.event === 'tool-execution').at(-1);
    expect(shown?.params.data).toMatchObject({ status: 'denied', error: { message: 'not here' } });
    const failed = await localCall();
    await failed.answer({ error: 'no signal' });
    expect(textOf((await failed.live.rest()).frames)).toContain('no signal');
  });

  verifies('local-tools.result', 'have names that no other tool of the agent has', async () => {
    const openai = await startOpenAiServer();
    for (const name of ['ask_user', 'current_time__now']) {
      const calls = await AgentCalls.make(
        app,
        { baseUrl: openai.url, apiKey: 'k' },
        {
          tools: [{ toolId: 'current_time', methods: null }],
          localTools: [{ name, description: 'Mine', inputSchema: { type: 'object' } }],
        },
      );
      const body = { contents: said('Hi'), stream: false };
      const refused = await calls.post({ ...body, registeredLocalTools: [name] });
      expect([refused.status, refused.body.message]).toEqual([
        400,
        `The agent has two tools that the model knows as ${name}: the local tool needs another name`,
      ]);
      expect((await calls.post(body)).status).toBe(200);
    }
    expect(openai.requests).toHaveLength(2);
    await openai.close();
  });

  verifies('tools.ask-mode', 'what acts is not offered in ask mode', async () => {
    const openai = await startOpenAiServer();
    const calls = await AgentCalls.make(
      app,
      { baseUrl: openai.url, apiKey: 'k' },
      {
        tools: [{ toolId: 'current_time', methods: null }],
        localTools: [{ name: 'gps', description: 'Where', inputSchema: { type: 'object' } }],
      },
    );
    const offered = async (settings: object) => {
      await calls.json({ contents: said('Hi'), settings, registeredLocalTools: ['gps'] });
      const tools = (openai.requests.at(-1)?.body.tools ?? []) as { function: { name: string } }[];
      return tools.map((tool) => tool.function.name).sort();
    };
    expect(await offered({})).toEqual(['ask_user', 'current_time__now', 'gps']);
    expect(await offered({ chat_mode: 'ask' })).toEqual(['ask_user', 'current_time__now']);
    await openai.close();
  });
});

describe('execute', () => {
  const execute = (body: unknown, calls = agent) =>
    calls.request<ExecuteResponse>('POST', '/execute', { body });

  verifies('execute.answer', 'has exactly the specified keys', async () => {
    const began = performance.now();
    const { status, body } = await execute({ inputs: { query: 'Hello' } });
    const took = (performance.now() - began) / 1_000;
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['agent_id', 'answer', 'execution_time', 'token_usage']);
    expect(Object.keys(body.token_usage).sort()).toEqual([
      'completion_tokens',
      'cost',
      'prompt_tokens',
      'total_tokens',
    ]);
    expect(body.answer).toContain('Hello');
    expect(body.agent_id).toBe(agent.agentId);
    expect(body.execution_time).toBeLessThanOrEqual(took);
    const { prompt_tokens, completion_tokens, total_tokens } = body.token_usage;
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
  });

  verifies('execute.inputs', 'inputs are checked, variables demanded and inserted', async () => {
    const problem = async (inputs: unknown, calls = agent) => {
      const { status, body } = await execute({ inputs }, calls);
      return [status, (body as unknown as { message: string }).message];
    };
    expect(await problem(undefined)).toEqual([400, expect.stringContaining('inputs')]);
    expect(await problem([])).toEqual([400, expect.stringContaining('inputs must be an object')]);
    expect(await problem({})).toEqual([400, expect.stringContaining('query')]);
    expect(await problem({ query: 1 })).toEqual([400, expect.stringContaining('inputs.query')]);
    expect(await problem({ query: 'x', memory: 'yes' })).toEqual([
      400,
      expect.stringContaining('inputs.memory'),
    ]);
    expect(await problem({ query: 'x', context: 1 })).toEqual([
      400,
      expect.stringContaining('inputs.context'),
    ]);
    expect(await problem({ query: 'x', internet: 1 })).toEqual([
      400,
      expect.stringContaining('inputs.internet'),
    ]);
    expect(await problem({ images: ['ftp://x'] })).toEqual([
      400,
      expect.stringContaining('inputs.images[0]'),
    ]);
    expect(await problem({ query: 'x', session_id: 'a\0b' })).toEqual([
      400,
      expect.stringContaining('inputs.session_id'),
    ]);
    expect(await problem({ audios: 'x' })).toEqual([400, expect.stringContaining('inputs.audios')]);

    const openai = await startOpenAiServer();
    const greeter = await AgentCalls.make(
      app,
      { baseUrl: openai.url, apiKey: 'k' },
      { systemPrompt: 'Greet {{name}} as {{title}}.' },
    );
    expect(await problem({ query: 'x', name: 'Ada' }, greeter)).toEqual([
      400,
      expect.stringContaining('inputs.title'),
    ]);
    const alone = await execute({ inputs: { name: '{{title}}', title: { of: 'Dr' } } }, greeter);
    expect(alone.status).toBe(200);
    const [system] = openai.requests.at(-1)?.body.messages as { content: string }[];
    expect(system?.content).toBe('Greet {{title}} as {"of":"Dr"}.');
    await openai.close();
  });

  verifies('execute.settings', 'has its own ranges with inclusive bounds', async () => {
    const statusOf = async (settings: object) => (await execute({ inputs: { query: 'x' }, settings })).status;
    expect(await statusOf({ temperature: 0, top_p: 0, maxTokens: 1 })).toBe(200);
    expect(await statusOf({ temperature: 1, top_p: 1, presence_penalty: -9, frequency_penalty: 9 })).toBe(
      200,
    );
    expect(await statusOf({ temperature: 1.01 })).toBe(400);
    expect(await statusOf({ top_p: 1.01 })).toBe(400);
    expect(await statusOf({ maxTokens: 0 })).toBe(400);
    expect(await statusOf({ max_tokens: 5 })).toBe(400);
    expect(await statusOf({ chat_mode: 'ask' })).toBe(400);
  });

  verifies('execute.memory', 'uses memory only if requested', async () => {
    const openai = await startOpenAiServer();
    const calls = await AgentCalls.make(app, { baseUrl: openai.url, apiKey: 'k' });
    const session_id = randomUUID();
    const seen = () => (openai.requests.at(-1)?.body.messages as unknown[]).length;
    await execute({ inputs: { query: 'one', memory: true, session_id } }, calls);
    await execute({ inputs: { query: 'two', memory: true, session_id } }, calls);
    expect(seen()).toBe(4);
    await execute({ inputs: { query: 'three', session_id } }, calls);
    expect(seen()).toBe(2);
    const made = await execute({ inputs: { query: 'four', memory: true } }, calls);
    expect(made.headers.get('x-session-id')).toMatch(/^[0-9a-f-]{36}$/);
    const { body } = await calls.request<Page<Session>>('GET', '/sessions');
    expect(body.items.map(({ sessionId }) => sessionId).sort()).toEqual(
      [session_id, made.headers.get('x-session-id')].sort(),
    );
    await openai.close();
  });

  verifies('execute.memory', 'lists and keeps a session without memory once it is continued', async () => {
    const first = await execute({ inputs: { query: 'one' } });
    const session = first.headers.get('x-session-id') ?? '';
    const find = () => agent.request<Session>('GET', `/sessions/${session}`);
    expect((await find()).status).toBe(404);
    await agent.json({ session_id: session, contents: said('two') });
    expect((await find()).body).toMatchObject({ sessionId: session, turnCount: 2 });
    expect(await agent.messages(session)).toHaveLength(4);
    const kept = await app.sql('select expires_at from session where name = $1', [session]);
    expect(kept).toEqual([{ expires_at: null }]);
  });

  verifies('execute.stream', 'streams on demand, with questions', async () => {
    const path = `${agent.path}/execute`;
    const body = { inputs: { query: '/ask Which? | a | b' }, stream: true };
    expect((await app.request('POST', path, { body })).status).toBe(426);
    const streamed = await readStream(await app.fetch('POST', path, { body, headers: STREAMED }));
    expect(streamed.headers.get('content-type')).toBe('text/event-stream');
    expect(eventNames(streamed.frames)).toContain('agent-input-required');
    const json = await app.request<ChatResponse>('POST', path, { body: { ...body, stream: false } });
    expect(json.body.interaction).toBeUndefined();
    expect(json.status).toBe(200);
  });
});
