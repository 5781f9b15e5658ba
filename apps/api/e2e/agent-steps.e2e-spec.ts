import { randomUUID } from 'node:crypto';
import type { AgentStep, ErrorBody, ExecuteResponse, Question, Run } from '@platform/contracts';
import { jest } from '@jest/globals';
import { SweeperWorker } from '../src/infra/database/sweeper.worker.ts';
import { ExecutionsService } from '../src/turns/lifecycle/executions.service.ts';
import { AgentCalls, STREAMED } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { ServiceProcess } from './harness/process.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

/** Of the process that is paused. Long enough for a busy one to renew them; the turn still runs when the run goes on elsewhere. */
const SHORT_LEASES = { PLATFORM_RUN_LEASE_MS: '5000', PLATFORM_STREAM_LEASE_MS: '8000' };

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

  verifies('workflow.retry-from', 'executes an agent again', async () => {
    const prompt = model.prompt({ text: ['Red'] }, { text: ['Blue'] });
    const failing = {
      id: 'fail',
      kind: 'code' as const,
      source: 'throw new Error(context.steps.ask.output.answer)',
    };
    const run = await runs.reached(
      await runs.start(await runs.createTask([step(prompt), failing])),
      'FAILED',
    );
    expect(run.error?.message).toContain('Red');
    await runs.request('POST', `/runs/${run.id}/retry`, { body: { from: 'ask' } });
    const again = await eventually(async () => {
      const found = await runs.get(run);
      expect(found).toMatchObject({ status: 'FAILED', attempt: 2 });
      return found;
    });
    expect(again.error?.message).toContain('Blue');
    expect(model.requests(prompt)).toHaveLength(2);
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

  verifies('run.agent', 'waits while its session runs another turn', async () => {
    const inSession = (query: string) =>
      runs.createTask([step(query, { inputs: { query, memory: true, session_id: 'shared' } })]);
    const hanging = model.prompt({ kind: 'hang' });
    const first = await runs.start(await inSession(hanging));
    await eventually(async () => expect(await turnsOf(first.id)).toHaveLength(1));
    const execute = jest.spyOn(app.get(ExecutionsService), 'run');
    const second = await runs.start(await inSession(model.prompt({ text: ['Later'] })));
    await eventually(async () =>
      expect(execute.mock.calls.length > 1 || (await runs.get(second)).status === 'FAILED').toBe(true),
    );
    await runs.cancel(first);
    expect(await runs.reached(second)).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: { answer: 'Later' } }],
    });
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

describe('an agent that asks', () => {
  const question = {
    question: 'Which colors?',
    options: [{ label: 'red' }, { label: 'blue' }, { label: 'blue' }],
  };
  const asks = (more: object = {}) => ({
    toolCalls: [{ id: randomUUID(), name: 'ask_user', arguments: JSON.stringify({ ...question, ...more }) }],
  });

  /** A run whose agent behaves like that, once it waits with a question that is not `before`. */
  const asked = async (run: Run, before = ''): Promise<Question> => {
    const id = await eventually(async () => {
      const { status, questions } = await runs.get(run);
      expect(status).toBe('WAITING');
      const found = questions.find((one) => one.id !== before)?.id;
      if (found === undefined) throw new Error('No question');
      return found;
    });
    return (await runs.request<Question>('GET', `/inbox/${id}`)).body;
  };
  const start = async (prompt: string, more: Partial<AgentStep> = {}) =>
    runs.start(await runs.createTask([step(prompt, more)]));
  const answer = (id: string, values: object) =>
    runs.request<Question & ErrorBody>('POST', `/inbox/${id}/answer`, { body: { values } });

  /** What the turn of the run asks, for the API of turns. */
  const pendingOf = async (run: Run) => {
    const [found] = await app.sql<{ turnId: string; sessionId: string; interactionId: string }>(
      `select t.client_turn_id as "turnId", s.name as "sessionId", i.id as "interactionId"
       from turn t join session s on s.id = t.session_id join interaction i on i.turn_id = t.id
       where t.causation_run_id = $1 and i.status = 'PENDING'`,
      [run.id],
    );
    if (found === undefined) throw new Error('No interaction');
    return found;
  };
  const resume = async (run: Run, selectedOptionIds: string[]) => {
    const { turnId, ...pending } = await pendingOf(run);
    const body = { ...pending, selectedOptionIds };
    return agent.request(`POST`, `/turns/${turnId}/resume`, { body, headers: STREAMED });
  };

  verifies('run.agent.asks', 'puts the run into WAITING, and continues with each answer', async () => {
    const prompt = model.prompt(asks(), asks({ multiple: true, allowOther: true }), { text: ['Painted'] });
    const run = await start(prompt);
    const first = await asked(run);
    expect(first).toMatchObject({
      status: 'OPEN',
      message: 'Which colors?',
      recipients: 'owner',
      scope: 'ask',
      fields: [{ key: 'choice', type: 'choice', choices: ['red', 'blue', 'blue (option_3)'] }],
    });
    expect(await app.sql('select from run_queue where run_id = $1', [run.id])).toEqual([]);
    const none = await answer(first.id, {});
    expect([none.status, none.body.message]).toEqual([400, 'values must have 1 of choice, not 0']);
    expect((await answer(first.id, { choice: 'green' })).status).toBe(400);
    // However many answer at once, one answer continues the turn.
    const choices = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'red' : 'blue (option_3)'));
    const answers = await Promise.all(choices.map((choice) => answer(first.id, { choice })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
    const chosen = choices[answers.findIndex(({ status }) => status === 200)];
    const second = await asked(run, first.id);
    expect(second.fields.map(({ key, type }) => [key, type])).toEqual([
      ['option_1', 'boolean'],
      ['option_2', 'boolean'],
      ['option_3', 'boolean'],
      ['other', 'text'],
    ]);
    const wrong = await answer(second.id, { option_1: false });
    expect(wrong.body.message).toBe('values must have 1 to 4 of option_1, option_2, option_3, other, not 0');
    expect((await answer(second.id, { option_1: true, other: 'green' })).status).toBe(200);
    const done = await runs.reached(run);
    expect(done).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { answer: 'Painted' } }] });
    expect(done.steps).toHaveLength(1);
    expect(await turnsOf(run.id)).toMatchObject([{ status: 'COMPLETED' }]);
    const sent = JSON.stringify(model.requests(prompt).at(-1)?.body.messages);
    const label = chosen === 'red' ? 'red' : 'blue';
    expect(sent).toContain(JSON.stringify(JSON.stringify({ selected: [label] })).slice(1, -1));
    expect(sent).toContain(
      JSON.stringify(JSON.stringify({ selected: ['red'], other: 'green' })).slice(1, -1),
    );
    expect(model.requests(prompt)).toHaveLength(3);
  });

  verifies('run.agent.asks', 'waits for each answer for longer than frames are kept', async () => {
    const two = { toolCalls: [...asks().toolCalls, ...asks().toolCalls] };
    const run = await start(model.prompt(two, { text: ['Painted'] }));
    let last = '';
    for (const choice of ['red', 'blue']) {
      last = (await asked(run, last)).id;
      await app.settle();
      await app.sql('delete from stream_frame');
      expect((await answer(last, { choice })).status).toBe(200);
    }
    expect(await runs.reached(run)).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: { answer: 'Painted' } }],
    });
  });

  verifies('run.agent.asks', 'continues the run when its turn is answered instead', async () => {
    const run = await start(model.prompt(asks(), { text: ['Painted'] }));
    const { id } = await asked(run);
    const request = { values: { choice: 'red' } };
    const [resumed, ...inbox] = await Promise.all([
      resume(run, ['option_2']),
      ...Array.from({ length: 5 }, () => answer(id, request.values)),
    ]);
    const won = [resumed, ...inbox].filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const done = await runs.reached(run);
    expect(done).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { answer: 'Painted' } }] });
    expect((await runs.request<Question>('GET', `/inbox/${id}`)).body).toMatchObject({
      status: 'ANSWERED',
      values: { choice: resumed.status === 200 ? 'blue' : 'red' },
      answeredBy: { id: app.admin.userId },
    });
  });

  verifies('run.agent.asks', 'waits for a turn that its user has answered', async () => {
    const { opened, open } = gate();
    const run = await start(
      model.prompt(asks(), { text: ['Painted'], pauseAfter: { chunks: 0, until: opened } }),
    );
    await asked(run);
    const resuming = resume(run, ['option_1']);
    try {
      await eventually(async () => expect((await runs.get(run)).status).toBe('RUNNING'));
    } finally {
      open();
    }
    expect((await resuming).status).toBe(200);
    expect(await runs.reached(run)).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: { answer: 'Painted' } }],
    });
  });

  verifies('run.agent.asks', 'is canceled with its run, and with its turn', async () => {
    const run = await start(model.prompt(asks()));
    const { id } = await asked(run);
    await runs.cancel(run);
    expect((await runs.request<Question>('GET', `/inbox/${id}`)).body.status).toBe('CANCELLED');
    await app.get(SweeperWorker).sweep();
    await eventually(async () => expect(await turnsOf(run.id)).toMatchObject([{ status: 'CANCELLED' }]));

    const other = await start(model.prompt(asks()));
    const open = await asked(other);
    const { turnId, sessionId } = await pendingOf(other);
    await agent.request('POST', `/turns/${turnId}/cancel`, { body: { sessionId } });
    expect(await runs.reached(other)).toMatchObject({ status: 'FAILED', error: { code: 'TURN_CANCELLED' } });
    expect((await runs.request<Question>('GET', `/inbox/${open.id}`)).body.status).toBe('CANCELLED');
  });

  verifies('run.agent.asks', 'does not begin anew, unasked, when the task has another owner', async () => {
    const prompt = model.prompt(asks(), { text: ['Painted'] });
    const former = await app.addUser('MEMBER');
    const task = await runs.by(former).createTask([step(prompt, { retry: { attempts: 2, backoffMs: 1 } })], {
      retry: { attempts: 2, backoffMs: 1 },
    });
    const run = await runs.start(task);
    const { id } = await asked(run);
    await runs.request('POST', `/tasks/${task.id}/owner`, { body: {} });
    expect((await answer(id, { choice: 'red' })).status).toBe(200);
    const failed = await runs.reached(run, 'FAILED');
    // The second attempt goes on after the wait.
    expect(failed).toMatchObject({ attempt: 2, error: { code: 'OWNER_CHANGED' } });
    expect(model.requests(prompt)).toHaveLength(1);
    await runs.request('POST', `/runs/${run.id}/retry`, { body: {} });
    expect(await runs.reached(run)).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: { answer: 'Painted' } }],
    });
    const users = (await turnsOf(run.id)).map(({ userId }) => userId);
    expect(users.sort()).toEqual([former.userId, app.admin.userId].sort());
  });

  verifies('question.abandoned', 'goes on with an error when its agent is deleted', async () => {
    const { agentId } = await AgentCalls.make(app, { baseUrl: model.url });
    const run = await start(model.prompt(asks()), { agentId });
    const { id } = await asked(run);
    await app.client().agents.delete(agentId);
    await app.sweep();
    const failed = await runs.reached(run, 'FAILED');
    expect(failed.error).toMatchObject({ code: 'NOT_FOUND', message: `Agent ${agentId} does not exist` });
    expect((await runs.request<Question>('GET', `/inbox/${id}`)).body.status).toBe('CANCELLED');
    expect(await turnsOf(run.id)).toMatchObject([{ status: 'CANCELLED' }]);
  });

  verifies('question.abandoned', 'goes on with an error when its owner is removed', async () => {
    const [leaver, other] = [await app.addUser('MEMBER'), await app.addUser('MEMBER')];
    const startAs = async (user: TestUser) =>
      runs.by(user).start(await runs.by(user).createTask([step(model.prompt(asks()))]));
    const [left, transferred] = [await startAs(leaver), await startAs(other)];
    for (const run of [left, transferred]) await asked(run);
    const removed = await Promise.all([
      app.request('DELETE', `/api/members/${leaver.userId}`, { as: app.admin }),
      app.request('DELETE', `/api/members/${other.userId}?transferTo=${app.admin.userId}`, { as: app.admin }),
    ]);
    expect(removed.map(({ status }) => status)).toEqual([204, 204]);
    await app.sweep();
    // Its task is disabled.
    await runs.reached(left, 'QUEUED');
    expect((await runs.reached(transferred, 'FAILED')).error).toMatchObject({ code: 'OWNER_CHANGED' });
    for (const run of [left, transferred])
      expect(await turnsOf(run.id)).toMatchObject([{ status: 'CANCELLED' }]);
  });

  verifies('run.agent.asks', 'fails the step if nobody answers in time', async () => {
    const run = await start(model.prompt(asks()), { onError: 'continue' });
    const { id } = await asked(run);
    await runs.endWaits(run);
    const done = await runs.reached(run);
    expect(done).toMatchObject({ status: 'SUCCEEDED', steps: [{ error: { code: 'QUESTION_EXPIRED' } }] });
    expect((await runs.request<Question>('GET', `/inbox/${id}`)).body.status).toBe('EXPIRED');
    expect(await turnsOf(run.id)).toMatchObject([{ status: 'CANCELLED' }]);
  });

  verifies('run.agent.asks', 'cannot ask when code calls it', async () => {
    const prompt = model.prompt({ text: ['Painted'] });
    const source = `return (await platform.agents.execute('${agent.agentId}', { query: '${prompt}' })).answer;`;
    const run = await runs.result([{ id: 'call', kind: 'code', source }]);
    expect(run.steps[0]?.output).toBe('Painted');
    expect(JSON.stringify(model.requests(prompt)[0]?.body)).not.toContain('ask_user');
  });
});

const WORKER = { PLATFORM_ROLE: 'worker', PLATFORM_RUN_DRAIN_MS: '0' };

/** The service in processes of their own: requests here, and workers that the test starts. */
async function startFleet() {
  const requests = await TestApp.start({ env: { PLATFORM_ROLE: 'api' }, database: app });
  await app.close();
  const env = {
    DATABASE_URL: requests.databaseUrl,
    PLATFORM_SECRET_KEY: requests.secretKey,
    PLATFORM_DATA_DIR: requests.dataDir,
    PLATFORM_LOG_LEVEL: 'warn',
    ...WORKER,
  };
  const startWorker = async (more: Record<string, string> = {}) =>
    (await ServiceProcess.spawn({ ...env, ...more })).ready();
  const startBeside = () => TestApp.start({ database: requests, env: WORKER });
  return { requests, startWorker, startBeside, calls: new RunCalls(requests, app.admin) };
}

describe('a process whose run another one continues', () => {
  /** Resolves when a step of the run has called the model. */
  const called = (prompt: string) =>
    eventually(async () => expect(model.requests(prompt)).toHaveLength(await Promise.resolve(1)));

  verifies(['run.fencing', 'run.handover'], 'neither stores its result nor stops the turn', async () => {
    const { requests, startWorker, startBeside, calls } = await startFleet();
    const { opened, open } = gate();
    const late = { text: ['late'], pauseAfter: { chunks: 0, until: opened } };
    // The others keep theirs, however busy the machine is.
    const paused = await startWorker(SHORT_LEASES);
    // Only the one that is paused needs a process of its own: a start takes seconds.
    let other: TestApp | null = null;
    try {
      const prompt = model.prompt(late, { text: ['in time'] });
      const task = await calls.createTask([step(prompt)], {
        concurrency: 1,
        retry: { attempts: 0, backoffMs: 0, onInterrupted: true },
      });
      const run = await calls.start(task);
      await eventually(async () => expect((await calls.get(run)).steps).toHaveLength(1));
      await called(prompt);
      paused.signal('SIGSTOP');
      other = await startBeside();
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
      expect(await requests.sql('select from run_queue where run_id = $1', [run.id])).toEqual([]);
      expect(await requests.sql('select from run_slot where run_id = $1', [run.id])).toEqual([]);

      // A deployment: the run is stopped at once, and its turn goes on.
      paused.signal('SIGTERM');
      expect(await paused.exit()).toBe(0);
      const deployed = gate();
      const second = model.prompt({ text: ['finished'], pauseAfter: { chunks: 0, until: deployed.opened } });
      const next = await calls.start(await calls.createTask([step(second)]));
      await called(second);
      const closing = other.close();
      other = null;
      const replacement = await startBeside();
      try {
        await eventually(async () => expect((await calls.get(next)).attempt).toBe(2));
        deployed.open();
        expect(await calls.reached(next)).toMatchObject({
          status: 'SUCCEEDED',
          steps: [{ output: { answer: 'finished' } }],
        });
        expect(model.requests(second)).toHaveLength(1);
        await closing;
      } finally {
        deployed.open();
        await replacement.close();
      }
    } finally {
      open();
      paused.signal('SIGCONT');
      await Promise.all([paused.kill(), other?.close()]);
      await requests.close();
    }
  });
});
