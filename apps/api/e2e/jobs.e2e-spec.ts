import { randomBytes, randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { ChatResponse, ErrorBody, ExecuteResponse, Job, JobPhase } from '@platform/contracts';
import { AuthenticatorService } from '../src/auth/credentials/authenticator.service.ts';
import { WaitingTurnsWorker } from '../src/turns/interactions/waiting-turns.worker.ts';
import { TurnToolsService } from '../src/turns/engine/turn-tools.service.ts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { readStream, textOf } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { JobCalls } from './harness/job-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { SqlMeter } from './harness/sql-meter.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let model: ScriptedModel;
/** Uses the scripted model; the other one the offline model. */
let calls: AgentCalls;
let offline: AgentCalls;
let jobs: JobCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  calls = await AgentCalls.make(app, { baseUrl: model.url });
  offline = await AgentCalls.make(app);
  jobs = new JobCalls(app);
});

afterAll(async () => {
  await app.close();
  await model.close();
});

/** A prompt that the model leaves unfinished after its first word, until it is let go. */
function held(): { prompt: string; letGo: () => void } {
  const { opened, open } = gate();
  const prompt = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
  return { prompt, letGo: open };
}

const chatting = (prompt: string, more: object = {}) => ({
  agentId: calls.agentId,
  contents: said(prompt),
  ...more,
});

/** A job whose first word has been said. */
async function running(more: object = {}): Promise<{ job: Job; letGo: () => void }> {
  const { prompt, letGo } = held();
  const job = await jobs.start(chatting(prompt, more));
  await eventually(async () => expect(await jobs.get(job)).toMatchObject({ phase: 'answering' }));
  return { job, letGo };
}

/** A job that asks which colour. */
const asking = async (more: object = {}) =>
  jobs.reached(
    await jobs.start({ agentId: offline.agentId, contents: said('/ask Colour? | red | blue'), ...more }),
    'INPUT_REQUIRED',
  );

const answerOf = (job: Job) => job.result as ChatResponse;

describe('a job', () => {
  verifies(
    'job.contents',
    'with contents runs in the background and results in a chat response',
    async () => {
      const session = randomUUID();
      const turnId = randomUUID();
      const settings = { temperature: 1.5, max_tokens: 50 };
      const prompt = model.prompt();
      const posted = await jobs.post(
        chatting(prompt, { type: 'AGENT_INVOKE', session_id: session, turnId, settings }),
      );
      expect(posted.status).toBe(202);
      expect(posted.body).toMatchObject({
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        type: 'AGENT_INVOKE',
        agentId: calls.agentId,
        sessionId: session,
        turnId,
        createdAt: expect.any(String),
      });
      const done = await jobs.reached(posted.body, 'COMPLETED');
      expect(done).toEqual({
        id: posted.body.id,
        type: 'AGENT_INVOKE',
        agentId: calls.agentId,
        status: 'COMPLETED',
        phase: 'finished',
        progress: 100,
        sessionId: session,
        turnId,
        result: {
          session_id: session,
          turnId,
          status: 'completed',
          contents: [{ type: 'text', text: 'Hello world!' }],
          answer: 'Hello world!',
          toolExecutions: [],
          knowledgeEvidence: [],
          interaction: null,
          tokens_used: 13,
          token_usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13, cost: 0 },
          execution_time: expect.any(Number),
        },
        createdAt: expect.any(String),
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
      });
      const [request, ...more] = model.requests(prompt);
      expect(more).toEqual([]);
      expect(request?.body).toMatchObject({ temperature: 1.5 });
      expect(await calls.turn(turnId)).toMatchObject({
        status: 'COMPLETED',
        segments: [{ origin: 'start' }],
      });
      const { items } = await app.client().usage.entries({ source: 'job' });
      expect(items.filter((entry) => entry.turnId === turnId)).toMatchObject([{ tokens: -13 }]);
    },
  );

  verifies('job.contents', 'continues a conversation', async () => {
    const session = randomUUID();
    const first = model.prompt({ text: ['Noted.'] });
    await jobs.reached(await jobs.start(chatting(first, { sessionId: session })), 'COMPLETED');
    const prompt = model.prompt();
    await jobs.reached(await jobs.start(chatting(prompt, { sessionId: session })), 'COMPLETED');
    const messages = model.requests(prompt)[0]?.body.messages as { content: string }[];
    expect(messages.map(({ content }) => content)).toEqual(['Be brief.', first, 'Noted.', prompt]);
  });

  verifies('job.inputs', 'with inputs results in exactly an execute response', async () => {
    const { agentId } = await AgentCalls.make(
      app,
      { baseUrl: model.url },
      { systemPrompt: 'You are {{role}}.' },
    );
    const query = model.prompt();
    const inputs = { query, role: 'a poet' };
    const done = await jobs.reached(
      await jobs.start({ agentId, inputs, settings: { maxTokens: 20 } }),
      'COMPLETED',
    );
    expect(done.result as ExecuteResponse).toEqual({
      answer: 'Hello world!',
      agent_id: agentId,
      execution_time: expect.any(Number),
      token_usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13, cost: 0 },
    });
    const { messages } = model.requests(query)[0]?.body as { messages: { content: string }[] };
    expect(messages[0]?.content).toBe('You are a poet.');
  });

  verifies('job.inputs', 'offers no questions, and stores a session only with memory', async () => {
    const query = model.prompt();
    const forgetting = await jobs.start({ agentId: calls.agentId, inputs: { query } });
    await jobs.reached(forgetting, 'COMPLETED');
    expect(model.requests(query)[0]?.body.tools).toBeUndefined();
    const session = randomUUID();
    const inputs = { query: model.prompt(), memory: true, session_id: session };
    const keeping = await jobs.start({ agentId: calls.agentId, inputs });
    expect(keeping.sessionId).toBe(session);
    await jobs.reached(keeping, 'COMPLETED');
    const { items } = await app.client().agents.sessions(calls.agentId, { limit: 200 });
    const sessions = items.map(({ sessionId }) => sessionId);
    expect(sessions).toContain(session);
    expect(sessions).not.toContain(forgetting.sessionId);
  });

  verifies(
    'job.input',
    'is returned with what it was given if that is asked for, and only then',
    async () => {
      const { agentId } = await AgentCalls.make(app, null, { systemPrompt: 'You are {{role}}.' });
      const withInput = async (job: Job) =>
        (await jobs.request('GET', `/${job.id}?include=input`)).body.input;
      const file_info = { url: 'data:text/plain;base64,SGVsbG8=', name: 'a.txt', pages: 2 };
      const contents = [...said('Sum it up.'), { type: 'file' as const, file_info }];
      const chat = await jobs.start({ agentId, contents });
      expect(chat).not.toHaveProperty('input');
      expect(await withInput(chat)).toEqual({
        contents: [
          contents[0],
          {
            type: 'file',
            file_info: { name: 'a.txt', pages: 2, url: expect.stringMatching(/^\/api\/.*\/attachments\//) },
            attachment: expect.objectContaining({ mime: 'text/plain', bytes: 5 }),
          },
        ],
        variables: {},
        isShortened: false,
      });
      const done = await jobs.reached(chat, 'COMPLETED');
      expect(done).not.toHaveProperty('input');
      expect((await jobs.list()).items[0]).not.toHaveProperty('input');

      const query = 'a'.repeat(70_000);
      const execution = await jobs.start({ agentId, inputs: { query, role: 'a poet', large: query } });
      const given = await withInput(await jobs.reached(execution, 'COMPLETED'));
      expect(given).toEqual({
        contents: [{ type: 'text', text: expect.stringMatching(/^a{65000,}…$/) }],
        variables: { role: 'a poet' },
        isShortened: true,
      });

      await app.client().agents.deleteSession(agentId, chat.sessionId);
      expect(await withInput(chat)).toBeNull();
      expect((await jobs.by(app.member).request('GET', `/${chat.id}?include=input`)).status).toBe(404);
      expect((await jobs.request('GET', `/${chat.id}?include=inputs`)).status).toBe(400);
    },
  );

  verifies('job.input', 'is read, listed, and waited for without what it was given', async () => {
    const { prompt, letGo } = held();
    const large = randomBytes(2 * 1024 * 1024).toString('base64');
    const job = await jobs.start({ agentId: calls.agentId, inputs: { query: prompt, large } });
    await eventually(async () => expect(await jobs.get(job)).toMatchObject({ phase: 'answering' }));
    const { version } = (await jobs.changed(job, '')) ?? { version: '' };
    const meter = await SqlMeter.attach(app);
    try {
      // Connections tell late what they have read before.
      await eventually(async () => {
        await meter.reset();
        expect(await jobs.changed(job, version, 600)).toBeNull();
        expect((await jobs.list()).items[0]?.id).toBe(job.id);
        expect((await calls.turn(job.turnId)).status).toBe('RUNNING');
        expect((await meter.read()).chunks).toBeLessThan(100);
      }, 20_000);
    } finally {
      await meter.close();
      letGo();
    }
    await jobs.reached(job, 'COMPLETED');
  });

  verifies('job.stream', 'is read as the stream of its turn, byte for byte', async () => {
    const { job, letGo } = await running();
    const during = jobs.stream(job);
    letGo();
    const { headers, bytes, frames } = await during;
    expect(headers.get('x-platform-stream-protocol')).toBe('langgraph-v3');
    expect(textOf(frames)).toBe('One two');
    expect((await jobs.stream(job)).bytes).toBe(bytes);
    const attached = await calls.attach(job.turnId);
    expect((await attached.rest()).bytes).toBe(bytes);
    const tail = await jobs.request('GET', `/${job.id}/stream?after=3`);
    expect(bytes.endsWith(tail.text)).toBe(true);
    expect(tail.text.startsWith('id: 1.4\n')).toBe(true);
  });

  it('names the run of a task that caused it, in its turn and in the ledger as well', async () => {
    const causationRunId = randomUUID();
    const authenticator = app.get(AuthenticatorService);
    const authenticate = authenticator.authenticate.bind(authenticator);
    const caused = jest
      .spyOn(authenticator, 'authenticate')
      .mockImplementationOnce(async (header) => ({ ...(await authenticate(header)), causationRunId }));
    const job = await jobs.start(chatting(model.prompt()));
    caused.mockRestore();
    await jobs.reached(job, 'COMPLETED');
    const runs = await app.sql(
      `select j.causation_run_id as job, t.causation_run_id as turn, e.causation_run_id as entry, e.source
       from agent_job j join turn t on t.id = j.turn_id join usage_entry e on e.turn_id = t.client_turn_id
       where j.id = $1`,
      [job.id],
    );
    expect(runs).toEqual([
      { job: causationRunId, turn: causationRunId, entry: causationRunId, source: 'job' },
    ]);
  });

  verifies('job.failed', 'whose model fails is FAILED, with the reason', async () => {
    const job = await jobs.start({ agentId: offline.agentId, contents: said('/fail') });
    expect(await jobs.reached(job, 'FAILED')).toMatchObject({
      phase: 'finished',
      error: { code: 'UNAVAILABLE', message: expect.stringContaining('offline model failed') },
      finishedAt: expect.any(String),
    });
    expect(await jobs.get(job)).not.toHaveProperty('result');
  });
});

describe('the body of a job', () => {
  const cases: [what: string, body: object, message: string][] = [
    ['neither contents nor inputs', {}, 'either contents'],
    ['contents and inputs', { contents: said('x'), inputs: { query: 'x' } }, 'either contents'],
    ['empty contents', { contents: [] }, 'contents must not be empty'],
    ['inputs that are a list', { inputs: [] }, 'inputs must be an object'],
    ['inputs without a question', { inputs: {} }, 'inputs must have query'],
    ['a timeout that is too short', { timeoutMs: 999 }, 'timeoutMs'],
    ['a timeout that is too long', { timeout: 86_400_001 }, 'timeout'],
    ['both names of the timeout', { timeout: 1_000, timeoutMs: 1_000 }, 'timeoutMs and timeout'],
    ['both names of the session', { sessionId: 'a', session_id: 'a' }, 'sessionId and session_id'],
    ['another type', { type: 'OTHER' }, 'type'],
    ['a turnId that is no UUID', { turnId: 'x' }, 'turnId'],
    ['a key of 256 characters', { idempotencyKey: 'k'.repeat(256) }, 'idempotencyKey'],
    ['a webhook without url', { webhook: {} }, 'webhook.url'],
    ['a webhook that is a file', { webhook: { url: 'file:///etc/passwd' } }, 'webhook.url'],
    ['a webhook with credentials', { webhook: { url: 'http://a:b@example.com' } }, 'webhook.url'],
    ['an unknown field', { stream: true }, 'stream is not a known field'],
    ['a chat setting out of range', { settings: { temperature: 2.1 } }, 'settings.temperature'],
    ['an execute setting for contents', { settings: { maxTokens: 5 } }, 'settings.maxTokens'],
    [
      'a chat setting for inputs',
      { inputs: { query: 'x' }, settings: { chat_mode: 'ask' } },
      'settings.chat_mode',
    ],
    [
      'an execute setting out of range',
      { inputs: { query: 'x' }, settings: { temperature: 1.1 } },
      'settings.temperature',
    ],
  ];
  for (const [what, fields, message] of cases) {
    verifies('job.invalid', `${what}: 400`, async () => {
      const whole =
        'contents' in fields || 'inputs' in fields || message.startsWith('either')
          ? {}
          : { contents: said('x') };
      const { status, body } = await jobs.post({ agentId: calls.agentId, ...whole, ...fields });
      expect([status, body]).toMatchObject([
        400,
        { success: false, code: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
      ]);
    });
  }

  verifies('job.invalid', 'is judged behind the agent: 404, 403, then 400', async () => {
    const restricted = await AgentCalls.make(app, null, { accessScope: 'RESTRICTED', allowedUserIds: [] });
    const wrong = { contents: [], unknown: 1 };
    expect((await jobs.post({ agentId: randomUUID(), ...wrong })).status).toBe(404);
    expect((await jobs.post({ agentId: 'none', ...wrong })).status).toBe(404);
    expect((await jobs.post({ agentId: restricted.agentId, ...wrong })).status).toBe(403);
    expect((await jobs.by(app.outsider).post({ agentId: calls.agentId, ...wrong })).status).toBe(403);
    expect((await jobs.post({ agentId: calls.agentId, ...wrong })).status).toBe(400);
    const without = await jobs.post({ contents: said('x') });
    expect([without.status, (without.body as unknown as ErrorBody).message]).toEqual([
      400,
      expect.stringContaining('agentId'),
    ]);
  });

  verifies('job.invalid', 'names a model that is gone: 503', async () => {
    const { agentId } = await AgentCalls.make(app, null, { model: 'gone' });
    const { status, text } = await jobs.post({ agentId, contents: said('x') });
    expect([status, text]).toEqual([503, expect.stringContaining('gone')]);
  });
});

describe('the same job again', () => {
  verifies(
    'job.idempotent',
    '50 at once with one key: one job, one turn, one call of the model',
    async () => {
      const prompt = model.prompt();
      const body = chatting(prompt, { idempotencyKey: randomUUID() });
      const answers = await Promise.all(Array.from({ length: 50 }, () => jobs.post(body)));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 202]);
      const [job, ...others] = new Map(answers.map((answer) => [answer.body.id, answer.body])).values();
      expect(others).toEqual([]);
      if (job) await jobs.reached(job, 'COMPLETED');
      expect(model.requests(prompt)).toHaveLength(1);
      const again = await jobs.post(body);
      expect([again.status, again.body.id, again.body.status]).toEqual([200, job?.id, 'COMPLETED']);
    },
  );

  verifies('job.idempotent', 'by the header or by the turn; another body is a 409', async () => {
    const key = randomUUID();
    const turnId = randomUUID();
    const prompt = model.prompt();
    const first = await jobs.post(chatting(prompt, { turnId }), { 'Idempotency-Key': key });
    expect(first.status).toBe(202);
    const same = [
      await jobs.post(chatting(prompt, { turnId }), { 'Idempotency-Key': key }),
      await jobs.post(chatting(prompt, { turnId, idempotencyKey: key })),
      await jobs.post(chatting(prompt, { turnId: turnId.toUpperCase(), timeoutMs: 3_600_000 })),
    ];
    expect(same.map(({ status, body }) => [status, body.id])).toEqual(same.map(() => [200, first.body.id]));
    const others = [
      chatting('Other', { turnId, idempotencyKey: key }),
      chatting(prompt, { idempotencyKey: key }),
      chatting(prompt, { turnId, idempotencyKey: key, timeoutMs: 5_000 }),
      chatting('Other', { turnId }),
    ];
    for (const body of others) expect((await jobs.post(body)).status).toBe(409);
    const two = await jobs.post(chatting(prompt, { idempotencyKey: 'a' }), { 'Idempotency-Key': 'b' });
    expect(two.status).toBe(400);
    const elsewhere = await jobs.by(app.member).post(chatting(model.prompt(), { idempotencyKey: key }));
    expect(elsewhere.status).toBe(202);
  });

  verifies('job.idempotent', 'a turn that was a chat is no job: 409', async () => {
    const turnId = randomUUID();
    const prompt = model.prompt();
    await calls.json({ contents: said(prompt), turnId });
    expect((await jobs.post(chatting(prompt, { turnId }))).status).toBe(409);
  });
});

describe('how a job stands', () => {
  verifies('job.progress', 'is reported phase by phase, never decreasing, at each change', async () => {
    const [asked, tool, answer] = [gate(), gate(), gate()];
    app.get(TurnToolsService).register({
      toolsFor: async (turn) =>
        turn.agent.id !== calls.agentId
          ? []
          : [
              {
                name: 'slow__wait',
                description: 'Waits',
                parameters: { type: 'object' },
                toolId: 'slow',
                tool: 'slow',
                method: 'wait',
                kind: 'test',
                acts: false,
                run: async () => {
                  await tool.opened;
                  return { text: 'done' };
                },
              },
            ],
    });
    const prompt = model.prompt(
      {
        toolCalls: [{ id: 'call_1', name: 'slow__wait', arguments: '{}' }],
        pauseAfter: { chunks: 0, until: asked.opened },
      },
      {
        text: Array.from({ length: 40 }, (_, i) => `${i} `),
        pauseAfter: { chunks: 20, until: answer.opened },
      },
    );
    const letGo: Partial<Record<JobPhase, () => void>> = {
      thinking: asked.open,
      'using-tools': tool.open,
      answering: answer.open,
    };
    const first = await jobs.start(chatting(prompt));
    const told = [first];
    for (let job = first, seen = ''; job.status !== 'COMPLETED';) {
      const next = await jobs.changed(first, seen, 20_000);
      // Each answer came because something was new, not because the time was over.
      if (next === null) throw new Error(`Nothing new after ${job.phase}`);
      ({ job, version: seen } = next);
      told.push(job);
      letGo[job.phase]?.();
    }
    // The first ones may be too short to be seen.
    const phases = told.map(({ phase }) => phase).filter((phase, i, all) => phase !== all[i - 1]);
    expect(phases).toContain('thinking');
    expect(phases.slice(phases.indexOf('using-tools')).filter((phase) => phase !== 'thinking')).toEqual([
      'using-tools',
      'answering',
      'finished',
    ]);
    const progress = told.map((job) => job.progress);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(new Set(progress).size).toBeGreaterThan(3);
    expect(progress.at(-1)).toBe(100);
  });

  verifies('job.progress', 'is read without storing anything', async () => {
    const { job: started, letGo } = await running();
    const stored = () => app.sql('select xmin, progress from agent_job where id = $1', [started.id]);
    // A worker may still handle the hint of the new job.
    await eventually(async () => {
      const before = await stored();
      const job = await jobs.get(started);
      expect(job.progress).toBeGreaterThan(5);
      const { headers } = await jobs.request('GET', `/${job.id}`);
      expect(await jobs.changed(job, headers.get('etag') ?? '', 300)).toBeNull();
      expect((await jobs.list()).items.find(({ id }) => id === job.id)).toMatchObject({
        progress: job.progress,
      });
      expect(await stored()).toEqual(before);
    });
    expect(await stored()).toMatchObject([{ progress: 0 }]);
    letGo();
    await jobs.reached(started, 'COMPLETED');
  });

  verifies(
    'job.version',
    'every answer has an ETag; 304 when it was seen, at once or after waitMs',
    async () => {
      const prompt = held();
      const made = await jobs.post(chatting(prompt.prompt));
      expect(made.headers.get('etag')).toMatch(/^"[\w-]{27}"$/);
      const job = await eventually(async () => {
        const now = await jobs.get(made.body);
        expect(now.phase).toBe('answering');
        return now;
      });
      const known = await jobs.request('GET', `/${job.id}`);
      expect(known.body).toEqual(job);
      const version = known.headers.get('etag') ?? '';
      expect((await jobs.request('GET', `/${job.id}`)).headers.get('etag')).toBe(version);
      for (const seen of [version, `W/${version}`, `"other", ${version}`, '*']) {
        const same = await jobs.request('GET', `/${job.id}`, { headers: { 'If-None-Match': seen } });
        expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', version]);
      }
      expect(await jobs.changed(job, '"other"', 20_000)).toEqual({ job, version });
      expect(await jobs.changed(job, version, 300)).toBeNull();
      const change = jobs.changed(job, version);
      prompt.letGo();
      const next = await change;
      expect(next?.version).not.toBe(version);
      const done = await jobs.reached(job, 'COMPLETED');
      const last = await jobs.request('GET', `/${job.id}`);
      expect(last.body).toEqual(done);
      // What has ended never changes: there is nothing to wait for.
      const began = performance.now();
      expect(await jobs.changed(job, last.headers.get('etag') ?? '', 30_000)).toBeNull();
      expect(performance.now() - began).toBeLessThan(25_000);
      expect((await jobs.cancel(done)).headers.get('etag')).toBe(last.headers.get('etag'));
      for (const waitMs of ['30001', '-1', 'x', '1.5'])
        expect((await jobs.request('GET', `/${job.id}?waitMs=${waitMs}`)).status).toBe(400);
    },
  );

  verifies('job.version', 'two who poll side by side both see every change', async () => {
    const job = await asking();
    const version = (await jobs.request('GET', `/${job.id}`)).headers.get('etag') ?? '';
    const poll = async (): Promise<string[]> => {
      const told: string[] = [];
      for (let seen = version, last = job; last.finishedAt === null;) {
        const next = await jobs.changed(job, seen);
        if (next === null) continue;
        ({ job: last, version: seen } = next);
        told.push(last.status);
      }
      return told;
    };
    const pollers = [poll(), poll(), poll()];
    const first = answerOf(job).interaction;
    await offline.request('POST', `/turns/${job.turnId}/resume`, {
      body: {
        sessionId: job.sessionId,
        interactionId: first?.interactionId,
        selectedOptionIds: ['option_1'],
      },
      headers: STREAMED,
    });
    for (const statuses of await Promise.all(pollers)) expect(statuses.at(-1)).toBe('COMPLETED');
  });

  verifies('job.list', 'newest first, by status and agent, page by page', async () => {
    const user = await app.addUser('MEMBER');
    const own = jobs.by(user);
    const contents = said('/fail');
    const made: Job[] = [];
    for (let i = 0; i < 3; i++)
      made.push(
        await own.reached(await own.start({ agentId: calls.agentId, contents: said(model.prompt()) })),
      );
    const failed = await own.reached(await own.start({ agentId: offline.agentId, contents }), 'FAILED');
    const ids = [...made.map(({ id }) => id), failed.id].reverse();
    const all = await own.list();
    expect(all.items.map(({ id }) => id)).toEqual(ids);
    for (const job of all.items) expect(job).not.toHaveProperty('result');
    expect((await own.list('?status=FAILED')).items.map(({ id }) => id)).toEqual([failed.id]);
    expect((await own.list(`?agentId=${calls.agentId}`)).items).toHaveLength(3);
    expect((await own.list(`?agentId=${randomUUID()}`)).items).toEqual([]);
    const page = await own.list('?limit=3');
    expect(page.items.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const rest = await own.list(`?limit=3&cursor=${page.nextCursor ?? ''}`);
    expect([rest.items.map(({ id }) => id), rest.nextCursor]).toEqual([ids.slice(3), null]);
    expect((await own.request('GET', `?status=FAILED&cursor=${page.nextCursor ?? ''}`)).status).toBe(400);
    expect((await own.request('GET', '?status=DONE')).status).toBe(400);
    expect((await jobs.by(app.outsider).list()).items).toEqual([]);
  });
});

describe('cancel', () => {
  verifies(
    'job.cancel',
    'a running job: its call of the model is closed, what was said is kept',
    async () => {
      const { job } = await running();
      const cancelled = await jobs.cancel(job);
      expect([cancelled.status, cancelled.body.id]).toEqual([202, job.id]);
      const done = await jobs.reached(job, 'CANCELLED');
      expect(done).toMatchObject({ phase: 'finished', finishedAt: expect.any(String) });
      expect(answerOf(done)).toMatchObject({ status: 'cancelled', answer: 'One' });
      expect(done.progress).toBeLessThan(100);
    },
  );

  verifies('job.cancel', 'a job that waits never runs', async () => {
    const session = randomUUID();
    const { letGo } = await running({ sessionId: session });
    const prompt = model.prompt();
    const waiting = await jobs.start(chatting(prompt, { sessionId: session }));
    expect((await jobs.cancel(waiting)).body).toMatchObject({
      status: 'CANCELLED',
      startedAt: null,
      error: { code: 'CANCELLED' },
    });
    letGo();
    await app.settle();
    expect(model.requests(prompt)).toEqual([]);
    expect((await jobs.request('GET', `/${waiting.id}/stream`)).status).toBe(404);
  });

  verifies('job.cancel', 'a job that asks asks no longer', async () => {
    const job = await asking();
    expect((await jobs.cancel(job)).body).toMatchObject({ status: 'CANCELLED' });
    const { body } = await offline.request<{ items: unknown[] }>(
      'GET',
      `/sessions/${job.sessionId}/interactions/pending`,
    );
    expect(body.items).toEqual([]);
  });

  verifies('job.cancel', 'a job that asks keeps its text and results from before the question', async () => {
    const contents = said('/long 5\n/call current_time.now {}\n/ask Colour? | red | blue');
    const agent = await AgentCalls.make(app, null, { tools: [{ toolId: 'current_time', methods: null }] });
    const asked = await jobs.reached(
      await jobs.start({ agentId: agent.agentId, contents }),
      'INPUT_REQUIRED',
    );
    const before = answerOf(asked);
    expect(before.answer).not.toBe('');
    await jobs.cancel(asked);
    const { answer, contents: shown, toolExecutions, ...rest } = answerOf(await jobs.get(asked));
    expect([answer, shown]).toEqual([before.answer, said(before.answer)]);
    expect(toolExecutions).toEqual(before.toolExecutions);
    expect(rest).toMatchObject({ status: 'cancelled', tokens_used: before.tokens_used });
  });

  verifies('job.cancel', 'what has ended stays as it is', async () => {
    const done = await jobs.reached(await jobs.start(chatting(model.prompt())), 'COMPLETED');
    const { status, body } = await jobs.cancel(done);
    expect([status, body]).toEqual([202, done]);
    expect(await jobs.get(done)).toEqual(done);
  });

  verifies('job.cancel', 'a client that stops asking cancels nothing', async () => {
    const { job, letGo } = await running();
    const left = new AbortController();
    const poll = jobs.request('GET', `/${job.id}?waitMs=30000`, {
      headers: { 'If-None-Match': '*' },
      signal: left.signal,
    });
    left.abort();
    await expect(poll).rejects.toThrow();
    letGo();
    expect(answerOf(await jobs.reached(job, 'COMPLETED')).answer).toBe('One two');
  });
});

describe('the time of a job', () => {
  /** As if the job had been created as long ago as it may take. */
  const pass = (job: Job) =>
    app.sql(`update agent_job set deadline = deadline - timeout_ms * interval '1 ms' where id = $1`, [
      job.id,
    ]);

  verifies('job.timeout', 'ends a running one', async () => {
    const { job } = await running({ timeoutMs: 90_000 });
    await pass(job);
    const done = await jobs.reached(job, 'TIMED_OUT');
    expect(done).toMatchObject({
      phase: 'finished',
      error: { code: 'TIMED_OUT', message: 'The job did not finish within 90000 ms' },
    });
    expect(answerOf(done)).toMatchObject({ status: 'cancelled', answer: 'One' });
    expect(await calls.turn(job.turnId)).toMatchObject({ status: 'CANCELLED' });
  });

  verifies('job.timeout', 'ends one that waits and one that asks', async () => {
    const session = randomUUID();
    const { letGo } = await running({ sessionId: session });
    const waiting = await jobs.start(chatting(model.prompt(), { sessionId: session, timeout: 1_000 }));
    expect(await jobs.reached(waiting, 'TIMED_OUT')).toMatchObject({ startedAt: null });
    letGo();
    const question = await asking({ timeoutMs: 90_000 });
    await pass(question);
    expect(await jobs.reached(question, 'TIMED_OUT')).toMatchObject({ error: { code: 'TIMED_OUT' } });
    expect((await jobs.list('?status=TIMED_OUT')).items.map(({ id }) => id)).toEqual(
      expect.arrayContaining([question.id, waiting.id]),
    );
  });
});

describe('a job that has FAILED', () => {
  verifies('job.frozen', 'does not change when a chat reruns its turn', async () => {
    const prompt = model.prompt({ kind: 'status', status: 400 }, { text: ['Better.'] });
    const turnId = randomUUID();
    const session = randomUUID();
    const started = await jobs.start(chatting(prompt, { turnId, sessionId: session }));
    const failed = await jobs.reached(started, 'FAILED');
    const version = (await jobs.request('GET', `/${failed.id}`)).headers.get('etag') ?? '';
    const again = await calls.json({ contents: said(prompt), turnId, session_id: session });
    expect([again.status, again.body.answer]).toEqual([200, 'Better.']);
    expect(await calls.turn(turnId)).toMatchObject({ status: 'COMPLETED' });
    expect(await jobs.get(failed)).toEqual(failed);
    expect(await jobs.changed(failed, version, 0)).toBeNull();
    expect((await jobs.list('?status=FAILED')).items.map(({ id }) => id)).toContain(failed.id);
  });
});

describe('a question', () => {
  verifies('job.question', 'waits; a normal resume continues it, and the job follows', async () => {
    const job = await asking();
    expect(job).toMatchObject({ phase: 'waiting-for-input', finishedAt: null });
    const { interaction, status } = answerOf(job);
    expect([status, interaction]).toMatchObject([
      'input_required',
      { question: 'Colour?', turnId: job.turnId, sessionId: job.sessionId },
    ]);
    const body = {
      sessionId: job.sessionId,
      interactionId: interaction?.interactionId,
      selectedOptionIds: ['option_2'],
    };
    const resume = () =>
      app.fetch('POST', `${offline.path}/turns/${job.turnId}/resume`, {
        as: app.admin,
        body,
        headers: STREAMED,
      });
    const { bytes, frames } = await readStream(await resume());
    expect(textOf(frames)).toContain('blue');
    const done = await jobs.reached(job, 'COMPLETED');
    expect(done.progress).toBe(100);
    expect(answerOf(done).answer).toContain('blue');
    expect((await jobs.stream(job)).bytes).toBe(bytes);
  });

  verifies(
    ['job.question', 'job.progress'],
    'and the response to it never decrease the progress',
    async () => {
      const contents = said('/long 2000\n/ask Colour? | red | blue\n/think 20000');
      const job = await jobs.reached(
        await jobs.start({ agentId: offline.agentId, contents }),
        'INPUT_REQUIRED',
      );
      expect(job.progress).toBeGreaterThan(30);
      const interactionId = answerOf(job).interaction?.interactionId;
      const resumed = await app.fetch('POST', `${offline.path}/turns/${job.turnId}/resume`, {
        as: app.admin,
        body: { sessionId: job.sessionId, interactionId, selectedOptionIds: ['option_1'] },
        headers: STREAMED,
      });
      const thinking = await eventually(async () => {
        const now = await jobs.get(job);
        expect(now).toMatchObject({ status: 'RUNNING', phase: 'thinking', finishedAt: null });
        return now;
      });
      expect(thinking.progress).toBeGreaterThanOrEqual(job.progress);
      await jobs.cancel(job);
      await resumed.text();
      expect((await jobs.reached(job, 'CANCELLED')).progress).toBeGreaterThanOrEqual(thinking.progress);
    },
  );

  verifies('job.question', 'ends its job when it expires', async () => {
    const job = await asking();
    await app.sql(
      `update interaction set expires_at = clock_timestamp()
       where turn_id = (select turn_id from agent_job where id = $1)`,
      [job.id],
    );
    await app.get(WaitingTurnsWorker).expire();
    expect(await jobs.reached(job, 'CANCELLED')).toMatchObject({ error: { code: 'EXPIRED' } });
  });

  verifies('job.question', 'is dismissed by a new turn of its session', async () => {
    const job = await asking();
    await offline.json({ contents: said('Never mind'), session_id: job.sessionId });
    expect(await jobs.reached(job, 'CANCELLED')).toMatchObject({ error: { code: 'DISMISSED' } });
  });
});

describe('a busy session', () => {
  verifies('job.session.busy', 'makes jobs wait, and they run when it is free, oldest first', async () => {
    const session_id = randomUUID();
    const { prompt, letGo } = held();
    const chat = await calls.open({ contents: said(prompt), session_id });
    await chat.until('content-delta');
    const prompts = [1, 2, 3, 4].map(() => model.prompt());
    const waiting: Job[] = [];
    for (const each of prompts) waiting.push(await jobs.start(chatting(each, { session_id })));
    for (const job of waiting) {
      const now = await jobs.request('GET', `/${job.id}`);
      expect(now.body).toMatchObject({ status: 'QUEUED', phase: 'queued', progress: 0, startedAt: null });
      expect(await jobs.changed(job, now.headers.get('etag') ?? '', 200)).toBeNull();
    }
    expect((await calls.request('DELETE', `/sessions/${session_id}`)).status).toBe(409);
    letGo();
    await chat.rest();
    const done = await Promise.all(waiting.map((job) => jobs.reached(job, 'COMPLETED')));
    const started = done.map(({ startedAt }) => startedAt ?? '');
    expect(started).toEqual([...started].sort());
    const history = model.requests(prompts[3] ?? '')[0]?.body.messages as { role: string; content: string }[];
    expect(history.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      prompt,
      ...prompts,
    ]);
  });
});

describe('who may see a job', () => {
  verifies('job.access', 'its owner alone: others 404, another space 403, nowhere 404', async () => {
    const job = await jobs.reached(await jobs.start(chatting(model.prompt())), 'COMPLETED');
    const ways: [string, string][] = [
      ['GET', ''],
      ['POST', '/cancel'],
      ['GET', '/stream'],
    ];
    for (const [method, path] of ways) {
      const status = async (as: JobCalls, id: string) => (await as.request(method, `/${id}${path}`)).status;
      expect(await status(jobs.by(app.member), job.id)).toBe(404);
      expect(await status(jobs.by(app.outsider), job.id)).toBe(403);
      expect(await status(jobs, randomUUID())).toBe(404);
      expect(await status(jobs, 'no-uuid')).toBe(404);
    }
  });

  verifies('job.access', 'not without the agent: 403 on every way in, and not in the list', async () => {
    const { agentId } = await AgentCalls.make(app, { baseUrl: model.url });
    const own = jobs.by(app.member);
    const job = await own.reached(await own.start({ agentId, contents: said(model.prompt()) }), 'COMPLETED');
    await app.client().agents.update(agentId, { accessScope: 'RESTRICTED', allowedUserIds: [] });
    expect((await own.request('GET', `/${job.id}`)).status).toBe(403);
    expect((await own.request('GET', `/${job.id}/stream`)).status).toBe(403);
    expect((await own.cancel(job)).status).toBe(403);
    expect((await own.list(`?agentId=${agentId}`)).items).toEqual([]);
  });

  verifies(
    'job.access',
    'lost before the claim: FAILED with FORBIDDEN, and the model is not called',
    async () => {
      const lost: [string, (agentId: string, userId: string) => Promise<unknown>, string][] = [
        [
          'FORBIDDEN',
          (agentId) => app.client().agents.update(agentId, { accessScope: 'RESTRICTED', allowedUserIds: [] }),
          'does not list',
        ],
        ['FORBIDDEN', (_, userId) => app.client().members.remove(userId), 'no longer a member'],
        ['NOT_FOUND', (agentId) => app.client().agents.delete(agentId), 'does not exist'],
      ];
      for (const [code, lose, message] of lost) {
        const user = await app.addUser('MEMBER');
        const own = jobs.by(user);
        const agent = (await AgentCalls.make(app, { baseUrl: model.url })).by(user);
        const session_id = randomUUID();
        const { prompt, letGo } = held();
        const chat = await agent.open({ contents: said(prompt), session_id });
        await chat.until('content-delta');
        const unheard = model.prompt();
        const { id } = await own.start({ agentId: agent.agentId, contents: said(unheard), session_id });
        await lose(agent.agentId, user.userId);
        letGo();
        await app.settle();
        await eventually(async () => {
          const [turn] = await app.sql<{ status: string; error: object }>(
            'select t.status, t.error from turn t join agent_job j on j.turn_id = t.id where j.id = $1',
            [id],
          );
          expect(turn).toMatchObject({
            status: 'FAILED',
            error: { code, message: expect.stringContaining(message) },
          });
        });
        expect(model.requests(unheard)).toEqual([]);
      }
    },
  );
});
