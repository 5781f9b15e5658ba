import type { AgentStep, ExecuteResponse } from '@platform/contracts';
import { AgentCalls } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { ServiceProcess } from './harness/process.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

/** Long enough for a busy process to renew its leases in time. */
const LEASE_MS = 5_000;

let app: TestApp;
let model: ScriptedModel;
let agent: AgentCalls;
let runs: RunCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  agent = await AgentCalls.make(app, { baseUrl: model.url });
  runs = new RunCalls(app);
});

afterAll(async () => {
  await app.close();
  await model.close();
});

const step = (query: string, more: Partial<AgentStep> = {}): AgentStep => ({
  id: 'ask',
  kind: 'agent',
  agentId: agent.agentId,
  inputs: { query },
  ...more,
});

const turnsOf = (runId: string) =>
  app.sql<{ status: string; userId: string }>(
    'select status, user_id as "userId" from turn where causation_run_id = $1',
    [runId],
  );

describe('a step of kind agent', () => {
  verifies('run.agent', 'returns the response of an execution, as the owner of the task', async () => {
    const owner = runs.by(app.member);
    const prompt = model.prompt({ text: ['The answer', ' is 42'] });
    const task = await owner.createTask([
      step('{{inputs.question}}'),
      step('Then {{steps.ask.output.answer}}', { id: 'again' }),
    ]);
    const run = await runs.reached(await runs.start(task, { question: prompt }));
    expect(run.status).toBe('SUCCEEDED');
    const output = run.steps[0]?.output as ExecuteResponse;
    expect(Object.keys(output).sort()).toEqual(['agent_id', 'answer', 'execution_time', 'token_usage']);
    expect(output).toMatchObject({ answer: 'The answer is 42', agent_id: agent.agentId });
    expect(run.steps[0]?.input).toEqual({ query: prompt });
    expect(model.requests('Then The answer is 42')).toHaveLength(1);
    const { userId } = app.member;
    expect(await turnsOf(run.id)).toEqual([
      { status: 'COMPLETED', userId },
      { status: 'COMPLETED', userId },
    ]);
    const sources = await app.sql<{ source: string }>(
      `select distinct source from usage_entry where user_id = $1`,
      [userId],
    );
    expect(sources).toEqual([{ source: 'task' }]);
  });

  verifies('run.agent', 'is checked on each call', async () => {
    const owner = await app.addUser('MEMBER');
    const own = runs.by(owner);
    const access = (users: TestUser[]) =>
      app.client().agents.update(agent.agentId, {
        accessScope: 'RESTRICTED',
        allowedUserIds: users.map(({ userId }) => userId),
      });
    await access([app.admin]);
    try {
      const refused = await own.request('POST', '/tasks', {
        body: { name: 'T', type: 'MANUAL', workflow: { steps: [step('Hello')] } },
      });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(
        'workflow.steps.0.agentId must name an agent that the owner of the task can call',
      );
      await access([app.admin, owner]);
      const task = await own.createTask([step('Hello')]);
      expect((await own.reached(await own.start(task))).status).toBe('SUCCEEDED');
      await access([app.admin]);
      const run = await own.reached(await own.start(task));
      expect(run).toMatchObject({ status: 'FAILED', error: { code: 'FORBIDDEN' } });
      expect(run.steps).toMatchObject([{ status: 'FAILED', error: { code: 'FORBIDDEN' } }]);
      expect(await turnsOf(run.id)).toEqual([]);
    } finally {
      await app.client().agents.update(agent.agentId, { accessScope: 'SPACE', allowedUserIds: [] });
    }
  });

  verifies('run.agent', 'fails the run as the turn failed, or if its inputs are wrong', async () => {
    const gone = await app.client().agents.create({ name: 'B', model: 'unknown-model', systemPrompt: 'Hi' });
    const failed = await runs.result([step('Hello', { agentId: gone.id })]);
    expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'UNAVAILABLE' } });
    const wrong = await runs.result([step('x', { inputs: { query: 7 } })]);
    expect(wrong).toMatchObject({ status: 'FAILED', error: { code: 'VALIDATION_ERROR' } });
    const unknown = await runs.request('POST', '/tasks', {
      body: { name: 'T', type: 'MANUAL', workflow: { steps: [step('Hello', { agentId: 'none' })] } },
    });
    expect(unknown.status).toBe(400);
  });

  verifies('run.agent', 'is stopped with its run', async () => {
    const prompt = model.prompt({ kind: 'hang' });
    const task = await runs.createTask([step(prompt)]);
    const run = await runs.start(task);
    await eventually(async () => expect(await turnsOf(run.id)).toHaveLength(1));
    await eventually(async () => expect(model.requests(prompt)).toHaveLength(await Promise.resolve(1)));
    await runs.cancel(run);
    // Its model never responds.
    expect((await runs.reached(run)).status).toBe('CANCELLED');
    // The run waits for the end of its turn, but not for as long as it takes.
    await eventually(async () => expect(await turnsOf(run.id)).toMatchObject([{ status: 'CANCELLED' }]));
    const late = await runs.result([step(model.prompt({ kind: 'hang' }))], { timeoutMs: 1_000 });
    expect(late).toMatchObject({ status: 'FAILED', error: { code: 'TIMEOUT' } });
  });
});

describe('a process that is stopped longer than its lease, and goes on', () => {
  verifies('run.fencing', 'discards what another process has done instead', async () => {
    const { opened, open } = gate();
    const prompt = model.prompt(
      { text: ['late'], pauseAfter: { chunks: 0, until: opened } },
      { text: ['in time'] },
    );
    const requests = await TestApp.start({ env: { PLATFORM_ROLE: 'api' }, database: app });
    await app.close();
    const env = {
      DATABASE_URL: requests.databaseUrl,
      PLATFORM_SECRET_KEY: requests.secretKey,
      PLATFORM_DATA_DIR: requests.dataDir,
      PLATFORM_ROLE: 'worker',
      PLATFORM_LOG_LEVEL: 'warn',
      PLATFORM_RUN_LEASE_MS: String(LEASE_MS),
      PLATFORM_STREAM_LEASE_MS: String(LEASE_MS),
    };
    const paused = await (await ServiceProcess.spawn(env)).ready();
    const calls = new RunCalls(requests, app.admin);
    let other: ServiceProcess | null = null;
    try {
      const task = await calls.createTask([step(prompt)], {
        concurrency: 1,
        retry: { attempts: 0, backoffMs: 0, onInterrupted: true },
      });
      const run = await calls.start(task);
      await eventually(async () => expect((await calls.get(run)).steps).toHaveLength(1));
      await eventually(async () => expect(model.requests(prompt)).toHaveLength(await Promise.resolve(1)));
      paused.signal('SIGSTOP');
      other = await (await ServiceProcess.spawn(env)).ready();
      const taken = await calls.reached(run);
      expect(taken).toMatchObject({
        status: 'SUCCEEDED',
        attempt: 2,
        steps: [{ output: { answer: 'in time' } }],
      });
      expect(taken.attempts.map(({ status }) => status)).toEqual(['INTERRUPTED', 'SUCCEEDED']);
      open();
      paused.signal('SIGCONT');
      await eventually(async () => {
        await Promise.resolve();
        expect(paused.printed).toContain('"zombieResults":1');
      });
      expect(await calls.get(run)).toEqual(taken);
      expect(await requests.sql('select from run_queue')).toEqual([]);
      expect(await requests.sql('select from run_slot where run_id is not null')).toEqual([]);
      const next = await calls.reached(await calls.start(task));
      expect(next.status).toBe('SUCCEEDED');
      other.signal('SIGTERM');
      paused.signal('SIGTERM');
      expect(await Promise.all([paused.exit(), other.exit()])).toEqual([0, 0]);
    } finally {
      open();
      paused.signal('SIGCONT');
      await Promise.all([paused.kill(), other?.kill()]);
      await requests.close();
    }
  });
});
