import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { CancelledRuns, ErrorBody, Run, Step, Task, Trigger } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { uuidV7 } from '../src/infra/runtime/uuid-v7.ts';
import { RunClaimsService } from '../src/tasks/execution/run-claims.service.ts';
import { CLAIM_RUNS } from '../src/tasks/execution/run-claims.store.ts';
import { RunCreationService } from '../src/tasks/runs/run-creation.service.ts';
import { RunLineageService } from '../src/tasks/runs/run-lineage.service.ts';
import { StepRunnerService } from '../src/tasks/execution/step-runner.service.ts';
import { SandboxPool } from '../src/tasks/sandbox/sandbox-pool.ts';
import { RunWorker } from '../src/tasks/execution/run.worker.ts';
import { RunWritesService } from '../src/tasks/execution/run-writes.service.ts';
import { StepError } from '../src/tasks/runs/step-error.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { lockWait } from './harness/lock-waits.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction } from './harness/scripted-action.ts';
import { verifies } from './verifies.ts';

const KB = 1024;
const startTimer = setTimeout;

let app: TestApp;
let runs: RunCalls;
let scripted: ScriptedAction;

beforeAll(async () => {
  app = await TestApp.start();
  runs = new RunCalls(app);
  scripted = ScriptedAction.install(app);
});

afterAll(() => app.close());

describe('manual runs', () => {
  verifies('run.manual', 'execute their steps in order and show them', async () => {
    const task = await runs.createTask([
      scripted.step('load', (_, input) => ({ output: [input.order, { id: 'B' }], status: 2 }), {
        order: '{{inputs.order}}',
      }),
      scripted.step(
        'send',
        ({ log }, input) => {
          log('first line');
          log('second line');
          return input;
        },
        { first: '{{steps.load.output.output.0}}', text: 'Sent {{steps.load.output.status}}' },
      ),
    ]);
    const started = await runs.start(task, { order: { id: 'A' } });
    expect(started).toMatchObject({ taskId: task.id, taskName: 'Test', origin: 'MANUAL', attempt: 1 });
    const run = await runs.reached(started);
    expect(run).toMatchObject({ status: 'SUCCEEDED', inputs: { order: { id: 'A' } } });
    expect(run).not.toHaveProperty('error');
    expect(run.steps).toEqual([
      {
        id: 'load',
        scope: 'load',
        stepAttempt: 1,
        kind: 'tool',
        status: 'SUCCEEDED',
        input: { order: { id: 'A' } },
        output: { output: [{ id: 'A' }, { id: 'B' }], status: 2 },
        log: '',
        simulated: null,
        startedAt: expect.any(String),
        durationMs: expect.any(Number),
      },
      expect.objectContaining({
        id: 'send',
        input: { first: { id: 'A' }, text: 'Sent 2' },
        output: { first: { id: 'A' }, text: 'Sent 2' },
        log: 'first line\nsecond line\n',
      }),
    ]);
    expect(run.attempts).toEqual([
      {
        attempt: 1,
        status: 'SUCCEEDED',
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
      },
    ]);
  });

  verifies('run.no-trigger', 'have none, and inputs cannot contain one', async () => {
    let seen: unknown;
    const task = await runs.createTask([scripted.step('look', (context) => void (seen = context.trigger))]);
    const run = await runs.reached(await runs.start(task));
    expect(run.trigger).toBeNull();
    expect(seen).toBeNull();
    const forged = await runs.request('POST', `/tasks/${task.id}/run`, {
      body: { inputs: { trigger: { event: 'order.created' } } },
    });
    expect(forged.status).toBe(400);
    expect(forged.text).toContain('inputs.trigger must not be given');
    const beside = await runs.request('POST', `/tasks/${task.id}/run`, { body: { trigger: {} } });
    expect(beside.status).toBe(400);
  });

  test('need no body, and accept a key such as __proto__', async () => {
    const task = await runs.createTask([scripted.step('look', ({ inputs }) => Object.keys(inputs))]);
    const bare = await runs.request('POST', `/tasks/${task.id}/run`);
    expect(bare.status).toBe(202);
    const raw = '{"inputs":{"__proto__":1,"constructor":2}}';
    const { body } = await runs.request('POST', `/tasks/${task.id}/run`, { raw });
    expect((await runs.reached(body)).steps[0]?.output).toEqual(['__proto__', 'constructor']);
  });
});

describe('runs of events', () => {
  async function createEventRun(
    task: { id: string; ownerUserId: string },
    trigger: Trigger,
  ): Promise<string> {
    const id = uuidV7();
    const creation = app.get(RunCreationService);
    const { payload, ...listed } = trigger;
    await app.get(DataSource).transaction((tx) =>
      creation.createEventRuns(tx, [
        {
          id,
          spaceId: app.admin.spaceId,
          taskId: task.id,
          ownerUserId: task.ownerUserId,
          trigger: listed,
          payload: JSON.stringify(payload),
          envelopeId: trigger.id,
          generation: 0,
          subscriptionId: randomUUID(),
          rootId: trigger.id,
          depth: trigger.depth,
          path: ['shop/order.created', 'shop/"quoted", {braces}'],
        },
      ]),
    );
    await creation.publish([id]);
    return id;
  }

  const someTrigger = (): Trigger => ({
    event: 'order.created',
    payload: { total: 3, text: 'null byte \u0000', list: [1.5] },
    source: 'app',
    id: uuidV7(),
    emittedAt: '2026-01-02T03:04:05.678Z',
    spaceId: app.admin.spaceId,
    actorUserId: null,
    causationId: null,
    depth: 0,
  });

  verifies('run.trigger', 'have the trigger as it was recorded, and a lineage', async () => {
    const trigger = someTrigger();
    let seen: unknown;
    const task = await runs.createTask(
      [
        scripted.step('look', (context, input) => ((seen = [context.trigger, context.inputs]), input), {
          total: '{{trigger.payload.total}}',
        }),
      ],
      { type: 'EVENT' },
    );
    const id = await createEventRun(task, trigger);
    const run = await runs.reached({ id });
    expect(run).toMatchObject({ status: 'SUCCEEDED', origin: 'EVENT', trigger, inputs: {} });
    expect(Object.keys(run.trigger ?? {})).toHaveLength(9);
    expect(run.steps[0]?.output).toEqual({ total: 3 });
    expect(seen).toEqual([trigger, {}]);
    const call = { spaceId: app.admin.spaceId, causationRunId: id };
    const lineage = await app.get(RunLineageService).find(app.get(DataSource), call);
    const path = ['shop/order.created', 'shop/"quoted", {braces}'];
    expect(lineage).toEqual({ envelopeId: trigger.id, rootId: trigger.id, depth: 0, path, taskId: task.id });
    const { items } = await runs.list(`/tasks/${task.id}/runs`);
    const { payload: _, ...listed } = trigger;
    expect(items[0]?.trigger).toEqual(listed);
  });

  verifies('run.atomic', 'exist only with the transaction that creates them', async () => {
    const task = await runs.createTask([scripted.step('never', () => null)]);
    const { ownerUserId } = task;
    const run = { spaceId: app.admin.spaceId, taskId: task.id, ownerUserId, origin: 'MANUAL' as const };
    let id = '';
    const broken = app.get(DataSource).transaction(async (tx) => {
      id = await app.get(RunCreationService).createManualRun(tx, { ...run, inputs: {} });
      throw new Error('Rolled back');
    });
    await expect(broken).rejects.toThrow('Rolled back');
    await app.get(RunCreationService).publish([id]);
    expect((await runs.request('GET', `/runs/${id}`)).status).toBe(404);
    expect(await app.sql('select from run_queue where run_id = $1', [id])).toEqual([]);
  });
});

describe('access', () => {
  verifies('run.access', 'is for the owner of the task and for admins', async () => {
    const own = runs.by(app.member);
    const task = await own.createTask([scripted.step('look', ({ owner }) => owner)]);
    const run = await own.reached(await own.start(task));
    expect((await runs.get(run)).id).toBe(run.id);
    const other = runs.by(await app.addUser('MEMBER'));
    const statuses = async (by: RunCalls, id: string) => [
      (await by.request('GET', `/runs/${id}`)).status,
      (await by.cancel({ id })).status,
      (await by.retry({ id })).status,
    ];
    expect(await statuses(other, run.id)).toEqual([404, 404, 404]);
    expect(await statuses(runs.by(app.outsider), run.id)).toEqual([403, 403, 403]);
    expect(await statuses(runs, randomUUID())).toEqual([404, 404, 404]);
    expect(await statuses(runs, 'nonsense')).toEqual([404, 404, 404]);
    const start = (by: RunCalls, id: string) => by.request('POST', `/tasks/${id}/run`, { body: {} });
    expect((await start(other, task.id)).status).toBe(403);
    expect((await start(runs.by(app.outsider), task.id)).status).toBe(403);
    expect((await start(own, randomUUID())).status).toBe(404);
    expect((await other.request('GET', `/tasks/${task.id}/runs`)).status).toBe(403);
  });

  verifies('run.access', 'refuses to retry a run whose owner has lost the task', async () => {
    const own = runs.by(app.member);
    const owners: string[] = [];
    const task = await own.createTask([
      scripted.step('look', ({ owner }) => {
        owners.push(owner.userId);
        throw new StepError('STEP_FAILED', 'No');
      }),
    ]);
    const run = await own.reached(await own.start(task), 'FAILED');
    await app.sql('update task set owner_user_id = $2 where id = $1', [task.id, app.admin.userId]);
    const message = `Only its owner and admins have access to task ${task.id}`;
    for (const body of [{}, { version: 1 }, { from: 'look' }]) {
      const refused = await own.request<ErrorBody>('POST', `/runs/${run.id}/retry`, { body });
      expect([refused.status, refused.body.message]).toEqual([403, message]);
    }
    const preview = await own.request<ErrorBody>('GET', `/runs/${run.id}/retry`);
    expect([preview.status, preview.body.message]).toEqual([403, message]);
    expect(owners).toEqual([app.member.userId]);
    expect((await runs.retry(run)).status).toBe(202);
  });

  verifies('run.owner', 'is that of the owner, also if an admin starts the run', async () => {
    const leaver = await app.addUser('MEMBER');
    const own = runs.by(leaver);
    const task = await own.createTask([
      scripted.step('look', ({ owner }) => owner),
      scripted.step('leave', () => leaveSpace(leaver)),
      scripted.step('never', () => null),
    ]);
    const started = await runs.start(task);
    const run = await runs.reached(started);
    expect(run.steps[0]?.output).toEqual({
      kind: 'user',
      userId: leaver.userId,
      spaceId: leaver.spaceId,
      role: 'MEMBER',
      credential: { kind: 'internal', id: leaver.userId },
      causationRunId: run.id,
    });
    expect(run).toMatchObject({ status: 'FAILED', error: { code: 'OWNER_GONE' } });
    expect(run.steps.map(({ id }) => id)).toEqual(['look', 'leave']);
    expect(await runs.reached(await runs.start(task))).toMatchObject({
      status: 'FAILED',
      steps: [],
      error: { code: 'OWNER_GONE' },
    });
  });

  verifies('task.owner.transfer', 'continues as the person who has taken the task over', async () => {
    const leaver = await app.addUser('MEMBER');
    const task = await runs
      .by(leaver)
      .createTask([
        scripted.step('first', ({ owner }) => owner.userId),
        scripted.step('leave', () => leaveSpace(leaver, `?transferTo=${app.member.userId}`)),
        scripted.step('last', ({ owner }) => owner.userId),
      ]);
    const run = await runs.reached(await runs.start(task));
    expect(run).toMatchObject({ status: 'SUCCEEDED', ownerUserId: app.member.userId });
    expect(run.steps.map(({ output }) => output)).toEqual([leaver.userId, '204', app.member.userId]);
    expect(run.attempts.map(({ status }) => status)).toEqual(['HANDED_OVER', 'SUCCEEDED']);
  });

  async function leaveSpace({ userId }: TestUser, query = ''): Promise<string> {
    const { status } = await app.request('DELETE', `/api/members/${userId}${query}`);
    return String(status);
  }
});

describe('lists', () => {
  verifies('run.list', 'are newest first, by status and task, page by page', async () => {
    const user = await app.addUser('MEMBER');
    const own = runs.by(user);
    const good = await own.createTask([scripted.step('one', () => null)]);
    const bad = await own.createTask([
      scripted.step('one', () => {
        throw new StepError('STEP_FAILED', 'No');
      }),
    ]);
    const made: Run[] = [];
    for (const task of [good, bad, good, bad, good]) made.push(await own.reached(await own.start(task)));
    const ids = made.map(({ id }) => id).reverse();
    const first = await own.list('/runs?limit=2');
    const second = await own.list(`/runs?limit=2&cursor=${first.nextCursor}`);
    const third = await own.list(`/runs?limit=2&cursor=${second.nextCursor}`);
    expect([first, second, third].flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids);
    expect(third.nextCursor).toBeNull();
    const failed = await own.list('/runs?status=FAILED');
    expect(failed.items.map(({ id }) => id)).toEqual([ids[1], ids[3]]);
    const ofTask = await own.list(`/tasks/${good.id}/runs?status=SUCCEEDED`);
    expect(ofTask.items.map(({ id }) => id)).toEqual([ids[0], ids[2], ids[4]]);
    const all = await runs.list('/runs?limit=5');
    expect(all.items.map(({ id }) => id)).toEqual(ids);
    const elsewhere = await runs.by(app.outsider).list('/runs');
    expect(elsewhere.items).toEqual([]);
    const foreign = await own.request('GET', `/runs?status=FAILED&cursor=${first.nextCursor}`);
    expect(foreign.status).toBe(400);
    expect((await own.request('GET', '/runs?status=DONE')).status).toBe(400);
  });

  verifies('run.list.omits', 'leave out what only the run itself shows', async () => {
    const run = await runs.result([scripted.step('one', () => 1)]);
    const [listed] = (await runs.list(`/tasks/${run.taskId}/runs`)).items;
    const { inputs, steps, attempts, erasedAt, questions, test, waitsForKey, ...rest } = run;
    expect([inputs, steps.length, attempts.length, erasedAt, questions, test, waitsForKey]).toEqual([
      {},
      1,
      1,
      null,
      [],
      null,
      null,
    ]);
    expect(listed).toEqual(rest);
  });

  verifies('run.list.filters', 'are those of an owner, an origin, and a time', async () => {
    const user = await app.addUser('MEMBER');
    const own = runs.by(user);
    const task = await own.createTask([scripted.step('one', () => null)]);
    const made: Run[] = [];
    for (let i = 0; i < 3; i++) made.push(await own.reached(await own.start(task)));
    const ids = made.map(({ id }) => id).reverse();
    const { createdAt } = made[1] ?? task;
    const idsOf = async (query: string, by = runs) =>
      (await by.list(`/runs?${query}`)).items.map(({ id }) => id);
    expect(await idsOf(`ownerUserId=${user.userId}`)).toEqual(ids);
    expect(await idsOf(`taskId=${task.id}&origin=MANUAL`)).toEqual(ids);
    expect(await idsOf(`taskId=${task.id}&origin=EVENT`)).toEqual([]);
    expect(await idsOf(`taskId=${task.id}&from=${createdAt}`)).toEqual(ids.slice(0, 2));
    expect(await idsOf(`taskId=${task.id}&to=${createdAt}`)).toEqual(ids.slice(2));
    expect(await idsOf(`ownerUserId=${app.admin.userId}`, own)).toEqual([]);
    expect(await idsOf('origin=MANUAL', own)).toEqual(ids);
    expect((await runs.request('GET', '/runs?origin=event')).status).toBe(400);
  });
});

describe('failures', () => {
  verifies('run.failed', 'end the run with the code of the step', async () => {
    const run = await runs.result([
      scripted.step('before', () => 1),
      scripted.step('breaks', ({ log }) => {
        log('about to break');
        throw new StepError('STEP_FAILED', 'Total is missing');
      }),
      scripted.step('never', () => null),
    ]);
    const error = { code: 'STEP_FAILED', message: 'Total is missing' };
    expect(run).toMatchObject({
      status: 'FAILED',
      error,
      attempts: [{ attempt: 1, status: 'FAILED', error }],
    });
    expect(run.steps).toMatchObject([
      { id: 'before', status: 'SUCCEEDED' },
      { id: 'breaks', status: 'FAILED', output: null, log: 'about to break\n', error },
    ]);
    const secret = await runs.result([
      scripted.step('breaks', () => {
        throw new Error('password=hunter2');
      }),
    ]);
    expect(secret.error).toEqual({ code: 'SERVER_ERROR', message: 'The step failed unexpectedly' });
    const missing = await runs.result([scripted.step('reads', () => null, { x: '{{inputs.nothing}}' })]);
    expect(missing).toMatchObject({ status: 'FAILED', error: { code: 'VALIDATION_ERROR' } });
    expect(missing.error?.message).toContain('{{inputs.nothing}} has no value');
  });

  verifies('run.bounds', 'of logs and outputs hold', async () => {
    const run = await runs.result([
      scripted.step('one', ({ log }) => {
        for (let i = 0; i < 300; i++) log('x'.repeat(KB - 1));
        return 'y'.repeat(1000 * KB);
      }),
      scripted.step('two', ({ log }) => {
        log('too late');
        return 'z'.repeat(KB * KB);
      }),
    ]);
    const [one, two] = run.steps;
    expect(one?.log.length).toBeGreaterThan(255 * KB);
    expect(Buffer.byteLength(run.steps.map(({ log }) => log).join(''))).toBeLessThan(257 * KB);
    expect(one?.log.slice(-100)).toContain('the rest was dropped');
    expect(String(one?.output).length).toBe(1000 * KB);
    expect(two?.log).toBe('');
    expect(run.error).toEqual({
      code: 'STEP_TOO_LARGE',
      message: `The output of step two has ${KB * KB + 2} bytes; at most ${KB * KB} are stored`,
    });
    const unusual = await runs.result([
      scripted.step('one', ({ log }) => {
        log('null \u0000, half \ud800');
        return { text: 'null \u0000, half \ud800', nothing: undefined, ['__proto__x']: 1 };
      }),
      scripted.step('two', () => undefined),
    ]);
    expect(unusual.steps).toMatchObject([
      { log: 'null \u0000, half \ud800\n', output: { text: 'null \u0000, half \ud800', ['__proto__x']: 1 } },
      { output: null, status: 'SUCCEEDED' },
    ]);
  });

  const timeoutMs = 3_599_999;

  /** Runs a test that decides when the time limit of a run is over. */
  async function withTimeLimit(test: (expire: () => void) => Promise<void>): Promise<void> {
    let expire = () => {};
    const set = jest.spyOn(globalThis, 'setTimeout').mockImplementation((then: () => void, ms?: number) => {
      if (ms === timeoutMs) expire = then;
      return startTimer(then, ms);
    });
    try {
      await test(() => expire());
    } finally {
      set.mockRestore();
    }
  }

  verifies('run.timeout', 'stops the code', () =>
    withTimeLimit(async (expire) => {
      const began = gate();
      const waits = scripted.step('waits', (context) => {
        began.open();
        return untilStopped(context);
      });
      const task = await runs.createTask([waits, scripted.step('never', () => null)], { timeoutMs });
      const started = await runs.start(task);
      await began.opened;
      expire();
      const run = await runs.reached(started);
      const error = { code: 'TIMEOUT', message: `The run did not finish within ${timeoutMs} ms` };
      expect(run).toMatchObject({
        status: 'FAILED',
        error,
        steps: [{ id: 'waits', status: 'INTERRUPTED', error }],
      });
      expect(run.steps).toHaveLength(1);
    }),
  );

  verifies(
    ['run.timeout', 'workflow.retry-continues'],
    'executes what it cut off when it is retried, also if the workflow goes on after failures',
    () =>
      withTimeLimit(async (expire) => {
        const began = gate();
        const executed: unknown[] = [];
        let isSlow = true;
        const charge = scripted.step(
          'charge',
          async (context, { n }) => {
            if (n === 2 && isSlow) {
              began.open();
              await untilStopped(context);
            }
            executed.push(n);
            return n;
          },
          { n: '{{item}}' },
        );
        const all: Step = { id: 'all', kind: 'each', items: [1, 2, 3], onError: 'continue', steps: [charge] };
        const task = await runs.createTask([all], { timeoutMs });
        const started = await runs.start(task);
        await began.opened;
        expire();
        const run = await runs.reached(started);
        expect(run).toMatchObject({ status: 'FAILED', error: { code: 'TIMEOUT' } });
        expect(run.steps.map(({ scope, status, error }) => [scope, status, error?.code])).toEqual([
          ['all', 'INTERRUPTED', 'TIMEOUT'],
          ['all[0].charge', 'SUCCEEDED', undefined],
          ['all[1].charge', 'INTERRUPTED', 'TIMEOUT'],
        ]);
        isSlow = false;
        await runs.retry(run);
        const { steps } = await runs.reached(run, 'SUCCEEDED');
        expect(executed).toEqual([1, 2, 3]);
        expect(steps[0]?.output).toEqual([1, 2, 3].map((output) => ({ status: 'SUCCEEDED', output })));
        // Another execution: the turn of an agent was canceled, and must not be found again.
        expect(steps[2]).toMatchObject({ scope: 'all[1].charge', stepAttempt: 2 });
      }),
  );

  verifies(
    ['run.timeout', 'workflow.retry-continues'],
    'goes on with a step that it ended between two executions',
    () =>
      withTimeLimit(async (expire) => {
        let isBroken = true;
        const flaky: Step = {
          ...scripted.step('flaky', () => {
            if (isBroken) throw new StepError('STEP_FAILED', 'No');
            return 1;
          }),
          retry: { attempts: 1, backoffMs: 3_600_000 },
        };
        const all: Step = { id: 'all', kind: 'each', items: [1], onError: 'continue', steps: [flaky] };
        const run = await runs.start(await runs.createTask([all], { timeoutMs }));
        await eventually(async () =>
          expect((await runs.get(run)).steps[1]).toMatchObject({ status: 'FAILED' }),
        );
        expire();
        expect(await runs.reached(run)).toMatchObject({ status: 'FAILED', error: { code: 'TIMEOUT' } });
        isBroken = false;
        await runs.retry(run);
        const { steps } = await runs.reached(run, 'SUCCEEDED');
        expect(steps[0]?.output).toEqual([{ status: 'SUCCEEDED', output: 1 }]);
      }),
  );

  /** Of a run whose first attempt does not evaluate its condition: the step is not executed later. */
  const expectEvaluatedAgain = async (code: string) => {
    const never = { ...scripted.step('never', () => 'must not be executed'), when: 'false' };
    const run = await runs.result([never]);
    expect(run).toMatchObject({ status: 'FAILED', error: { code } });
    await runs.retry(run);
    expect((await runs.reached(run, 'SUCCEEDED')).steps).toMatchObject([{ status: 'SKIPPED' }]);
  };

  it('evaluates a condition again that the time limit of the run cut off', async () => {
    const holds = jest.spyOn(app.get(StepRunnerService), 'holds').mockImplementationOnce((active) => {
      active.stop('timed-out');
      return Promise.reject(active.signal.reason as Error);
    });
    try {
      await expectEvaluatedAgain('TIMEOUT');
    } finally {
      holds.mockRestore();
    }
  });

  it('evaluates a condition again that failed unexpectedly', async () => {
    const execution = jest
      .spyOn(app.get(SandboxPool), 'run')
      .mockRejectedValueOnce(new Error('A sandbox process could not start'));
    try {
      await expectEvaluatedAgain('CONDITION_FAILED');
    } finally {
      execution.mockRestore();
    }
  });

  verifies(['run.backoff', 'run.duration'], 'is doubled between the attempts', async () => {
    const calls: number[] = [];
    const run = await runs.result(
      [
        scripted.step('flaky', () => {
          calls.push(performance.now());
          if (calls.length < 4) throw new StepError('STEP_FAILED', `Call ${calls.length}`);
          return calls.length;
        }),
      ],
      { retry: { attempts: 3, backoffMs: 100 } },
    );
    expect(run).toMatchObject({ status: 'SUCCEEDED', attempt: 4, steps: [{ output: 4 }] });
    expect(run).not.toHaveProperty('error');
    expect(run.attempts.map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'FAILED', 'SUCCEEDED']);
    expect(run.attempts[0]?.error?.message).toBe('Call 1');
    const last = run.attempts.at(-1);
    expect(run.startedAt).toBe(last?.startedAt);
    expect(run.durationMs).toBe(Date.parse(last?.finishedAt ?? '') - Date.parse(last?.startedAt ?? ''));
    const gaps = calls.slice(1).map((at, i) => at - (calls[i] ?? 0));
    for (const [i, gap] of gaps.entries()) expect(gap).toBeGreaterThanOrEqual(100 * 2 ** i - 2);
    const given = await runs.result(
      [
        scripted.step('breaks', () => {
          throw new StepError('STEP_FAILED', 'Always');
        }),
      ],
      { retry: { attempts: 1, backoffMs: 0 } },
    );
    expect(given).toMatchObject({ status: 'FAILED', attempt: 2, error: { message: 'Always' } });
  });
});

describe('retry', () => {
  verifies('run.retry', 'adds one attempt to the same run', async () => {
    let isBroken = true;
    const task = await runs.createTask([
      scripted.step('one', () => {
        if (isBroken) throw new StepError('STEP_FAILED', 'Broken');
        return 'fine';
      }),
    ]);
    const failed = await runs.reached(await runs.start(task));
    expect(failed.status).toBe('FAILED');
    isBroken = false;
    const answers = await Promise.all(Array.from({ length: 8 }, () => runs.retry(failed)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409, 409, 409]);
    const run = await runs.reached(failed, 'SUCCEEDED');
    expect(run).toMatchObject({ id: failed.id, attempt: 2, steps: [{ output: 'fine' }] });
    expect(run).not.toHaveProperty('error');
    expect(run.attempts.map(({ status }) => status)).toEqual(['FAILED', 'SUCCEEDED']);
    const again = await runs.retry(run);
    expect(again.status).toBe(409);
    expect(again.text).toContain('is SUCCEEDED');
    const { items } = await runs.list(`/tasks/${task.id}/runs`);
    expect(items).toHaveLength(1);
  });

  test('is refused once the task is deleted', async () => {
    const task = await runs.createTask([
      scripted.step('one', () => {
        throw new StepError('STEP_FAILED', 'No');
      }),
    ]);
    const run = await runs.reached(await runs.start(task));
    expect((await app.request('DELETE', `/api/tasks/${task.id}`)).status).toBe(204);
    expect((await runs.retry(run)).status).toBe(404);
    expect((await runs.get(run)).status).toBe('FAILED');
  });
});

describe('cancel', () => {
  verifies('run.cancel', 'is immediate for a queued run, and cooperative for a running one', async () => {
    const began = gate();
    let isStopped = false;
    const task = await runs.createTask(
      [
        scripted.step('waits', ({ signal }) => {
          signal.addEventListener('abort', () => (isStopped = true), { once: true });
          began.open();
          return untilStopped({ signal });
        }),
        scripted.step('never', () => null),
      ],
      { concurrency: 1 },
    );
    const running = await runs.reached(await runs.start(task), 'RUNNING');
    const queued = await runs.start(task);
    const answer = await runs.cancel(queued);
    expect([answer.status, answer.body.status]).toEqual([202, 'CANCELLED']);
    expect(answer.body).toMatchObject({ cancelRequested: true, startedAt: null, steps: [], attempts: [] });
    await began.opened;
    const requested = await runs.cancel(running);
    // The process that executes the run has taken the request, so it need not look for it.
    expect([requested.status, isStopped]).toEqual([202, true]);
    const run = await runs.reached(running);
    expect(run).toMatchObject({
      status: 'CANCELLED',
      cancelRequested: true,
      steps: [{ id: 'waits', status: 'CANCELLED' }],
      attempts: [{ status: 'CANCELLED' }],
    });
    expect((await runs.cancel(run)).body).toEqual(run);
    const again = await runs.retry(queued);
    expect([again.status, again.body.cancelRequested]).toEqual([202, false]);
    await runs.reached(queued, 'RUNNING');
    await runs.cancel(queued);
    expect(await runs.reached(queued)).toMatchObject({ status: 'CANCELLED', attempt: 2 });
  });

  verifies('run.cancel', 'ends a run that fails before its process has seen the request', async () => {
    const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' }, database: app });
    try {
      let calls = 0;
      const fails = scripted.step('fails', async ({ runId }) => {
        calls += 1;
        await new RunCalls(api).cancel({ id: runId });
        throw new StepError('STEP_FAILED', 'On its own');
      });
      const run = await runs.result([fails], { retry: { attempts: 2, backoffMs: 0 } });
      expect(run).toMatchObject({ status: 'CANCELLED', cancelRequested: true, attempt: 1 });
      expect(run.finishedAt).not.toBeNull();
      expect(calls).toBe(1);
    } finally {
      await api.close();
    }
  });

  verifies('run.cancel', 'ends a run whose process gives it back', async () => {
    const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    try {
      const own = new RunCalls(api);
      const work = ScriptedAction.install(api);
      const run = await own.start(await own.createTask([work.step('one', () => 1)]));
      const claims = api.get(RunClaimsService);
      const [claimed] = await claims.claim([{ taskId: run.taskId, count: 1 }]);
      expect((await own.cancel(run)).body).toMatchObject({ status: 'RUNNING', cancelRequested: true });
      if (claimed) await api.get(RunWritesService).handOver(claimed);
      for (const active of await claims.claim([{ taskId: run.taskId, count: 1 }]))
        await api.get(RunWorker).run(active);
      expect(await own.get(run)).toMatchObject({ status: 'CANCELLED', attempts: [{ status: 'CANCELLED' }] });
      expect(work.calls).toEqual([]);
    } finally {
      await api.close();
    }
  });
});

describe('the runs of a task that is deleted', () => {
  verifies('run.task-gone', 'end at once, those that execute and those that wait', async () => {
    const stopped = scripted.step('wait', untilStopped);
    const task = await runs.createTask([stopped], { concurrency: 1, timeoutMs: 3_600_000 });
    const running = await runs.start(task);
    await runs.reached(running, 'RUNNING');
    const run = { spaceId: app.admin.spaceId, taskId: task.id, ownerUserId: task.ownerUserId };
    const creation = app.get(RunCreationService);
    await app.get(DataSource).transaction(async (tx) => {
      for (let i = 0; i < 1_100; i++)
        await creation.createManualRun(tx, { ...run, origin: 'MANUAL' as const, inputs: {} });
    });
    const attempts = await app.sql('select from run_attempt');
    expect((await runs.request('DELETE', `/tasks/${task.id}`)).status).toBe(204);
    const ended = await app.sql<{ error: unknown; count: number }>(
      `select error::text as error, count(*)::int as count from run
       where task_id = $1 and status = 'CANCELLED' and id <> $2 group by 1`,
      [task.id, running.id],
    );
    expect(ended).toEqual([{ error: null, count: 1_100 }]);
    await eventually(async () => {
      expect(await app.sql('select from run_queue where task_id = $1', [task.id])).toEqual([]);
    });
    expect(await app.sql('select from run_attempt')).toHaveLength(attempts.length);
    expect(await app.sql(`select status from run where id = $1`, [running.id])).toEqual([
      { status: 'CANCELLED' },
    ]);
  });
});

describe('runs that never end', () => {
  verifies('run.fair', 'leave places for another owner, and another space', async () => {
    const held = gate();
    const [neighbor, outsider] = [runs.by(app.member), runs.by(app.outsider)];
    const forever = await runs.createTask([scripted.step('wait', () => held.opened)], { concurrency: 100 });
    const { ownerUserId, id: taskId } = forever;
    const run = { spaceId: app.admin.spaceId, taskId, ownerUserId, origin: 'MANUAL' as const, inputs: {} };
    const creation = app.get(RunCreationService);
    const ids = await app.get(DataSource).transaction(async (tx) => {
      const queued: string[] = [];
      while (queued.length < 110) queued.push(await creation.createManualRun(tx, run));
      return queued;
    });
    await creation.publish(ids);
    // As many as one owner can have, and then some.
    const running = () => app.sql(`select from run_queue where task_id = $1 and state = 'RUNNING'`, [taskId]);
    await eventually(async () => expect(await running()).toHaveLength(100));
    const work = scripted.step('work', () => 'done');
    expect(await outsider.result([work])).toMatchObject({ status: 'SUCCEEDED' });
    expect(await neighbor.result([work])).toMatchObject({ status: 'SUCCEEDED' });
    held.open();
    for (const id of ids) expect((await runs.reached({ id })).status).toBe('SUCCEEDED');
  });
});

describe('a task that is disabled', () => {
  const change = (id: string, body: object) => runs.request<Task>('PATCH', `/tasks/${id}`, { body });

  verifies(
    'task.disabled',
    'starts none of its waiting runs until it is enabled, except by hand',
    async () => {
      const finish = gate();
      const task = await runs.createTask([scripted.step('waits', () => finish.opened)], { concurrency: 1 });
      const running = await runs.reached(await runs.start(task), 'RUNNING');
      const waiting = [await runs.start(task), await runs.start(task)];
      expect((await change(task.id, { enabled: false })).body).toMatchObject({ enabled: false });
      finish.open();
      expect(await runs.reached(running)).toMatchObject({ status: 'SUCCEEDED' });
      const byHand = await runs.start(task);
      expect(await runs.reached(byHand)).toMatchObject({ status: 'SUCCEEDED' });
      for (const run of waiting)
        expect(await runs.get(run)).toMatchObject({ status: 'QUEUED', startedAt: null });
      await runs.cancel(waiting[0] as Run);
      await runs.retry(waiting[0] as Run);
      expect(await runs.reached(waiting[0] as Run)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await runs.get(waiting[1] as Run)).toMatchObject({ status: 'QUEUED' });
      await change(task.id, { enabled: true });
      expect(await runs.reached(waiting[1] as Run)).toMatchObject({ status: 'SUCCEEDED' });
    },
  );

  verifies(
    'task.disabled',
    'lets no run go on that was started before it was enabled, and waits',
    async () => {
      const wait = { id: 'pause', kind: 'wait', for: 'PT1H' } as Step;
      const task = await runs.createTask([wait], { enabled: false });
      const run = await runs.reached(await runs.start(task), 'WAITING');
      await change(task.id, { enabled: true });
      await change(task.id, { enabled: false });
      expect(await app.sql('select despite_disabled from run_wait where run_id = $1', [run.id])).toEqual([
        { despite_disabled: false },
      ]);
      await runs.endWaits(run);
      await runs.reached(run, 'QUEUED');
      await change(task.id, { enabled: true });
      await runs.reached(run, 'SUCCEEDED');
    },
  );

  verifies(
    'task.disabled',
    'is not claimed while it is being disabled, nor by what began before',
    async () => {
      const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
      try {
        const own = new RunCalls(api);
        const task = await own.createTask([{ id: 'one', kind: 'code', source: 'return 1' }]);
        await own.start(task);
        const second = await own.start(task);
        const claimOne = () => api.get(RunClaimsService).claim([{ taskId: task.id, count: 1 }]);
        // Makes the slots.
        await claimOne();
        await api.get(DataSource).transaction(async (tx) => {
          await tx.query('select from task where id = $1 for update', [task.id]);
          await tx.query('update task set enabled = false where id = $1', [task.id]);
          expect(await claimOne()).toEqual([]);
        });
        expect(await claimOne()).toEqual([]);
        expect(await own.get(second)).toMatchObject({ status: 'QUEUED' });
        // People who disable it wait for a claim that is under way.
        await own.request('PATCH', `/tasks/${task.id}`, { body: { enabled: true } });
        const claim = api.get(DataSource).createQueryRunner();
        await claim.startTransaction();
        await claim.query(CLAIM_RUNS, [[task.id], [1], [randomUUID()], 20_000]);
        const disabled = own.request('PATCH', `/tasks/${task.id}`, { body: { enabled: false } });
        await lockWait(api);
        await claim.commitTransaction();
        await claim.release();
        expect((await disabled).status).toBe(200);
      } finally {
        await api.close();
      }
    },
  );

  verifies('task.disabled.runs', 'cancels waiting or all runs if asked to', async () => {
    const task = await runs.createTask([scripted.step('waits', untilStopped)], { concurrency: 1 });
    const start = () => runs.start(task);
    const running = await runs.reached(await start(), 'RUNNING');
    const queued = [await start(), await start()];
    expect((await change(task.id, { runs: 'CANCEL' })).status).toBe(400);
    expect((await change(task.id, { enabled: false, runs: 'CANCEL_QUEUED' })).status).toBe(200);
    for (const run of queued) expect(await runs.get(run)).toMatchObject({ status: 'CANCELLED' });
    expect(await runs.get(running)).toMatchObject({ status: 'RUNNING', cancelRequested: false });
    expect((await change(task.id, { enabled: false, runs: 'CANCEL' })).status).toBe(200);
    expect(await runs.reached(running)).toMatchObject({ status: 'CANCELLED' });
  });

  verifies('task.runs.cancel', 'ends many runs with one request, which counts them', async () => {
    const task = await runs.createTask([scripted.step('waits', untilStopped)], { concurrency: 1 });
    const running = await runs.reached(await runs.start(task), 'RUNNING');
    await runs.start(task);
    await runs.start(task);
    const cancel = (body: object, by = runs) =>
      by.request<CancelledRuns>('POST', `/tasks/${task.id}/runs/cancel`, { body });
    expect((await cancel({}, runs.by(app.member))).status).toBe(403);
    expect((await cancel({ status: 'FAILED' })).status).toBe(400);
    const queued = await cancel({ status: 'QUEUED' });
    expect([queued.status, queued.body]).toEqual([202, { cancelled: 2, requested: 0, isAnyLeft: false }]);
    expect((await cancel({})).body).toEqual({ cancelled: 0, requested: 1, isAnyLeft: false });
    expect(await runs.reached(running)).toMatchObject({ status: 'CANCELLED', cancelRequested: true });
    expect((await cancel({})).body).toEqual({ cancelled: 0, requested: 0, isAnyLeft: false });
  });

  verifies(
    'task.runs.cancel',
    'ends all that wait, also beside one that executes while it waits',
    async () => {
      const task = await runs.createTask([scripted.step('waits', untilStopped)]);
      // More than one statement cancels. The first executes while a step of it waits.
      await app.sql(
        `with new as (
         insert into run (id, space_id, task_id, owner_user_id, origin, status, inputs)
         select uuid_v7(), $1, $2, $3, 'MANUAL', case n when 1 then 'RUNNING' else 'WAITING' end, '{}'
         from generate_series(1, 1201) n returning id
       ) insert into run_wait (run_id, scope, space_id, task_id, attempt, position, kind, despite_disabled)
       select id, 'waits', $1, $2, 1, 0, 'TIME', false from new`,
        [app.admin.spaceId, task.id, task.ownerUserId],
      );
      const { body } = await runs.request<CancelledRuns>('POST', `/tasks/${task.id}/runs/cancel`, {
        body: {},
      });
      expect(body).toEqual({ cancelled: 1200, requested: 0, isAnyLeft: false });
      const left = await app.sql(
        `select status, count(*)::int as runs from run where task_id = $1 group by status order by status`,
        [task.id],
      );
      expect(left).toEqual([
        { status: 'CANCELLED', runs: 1200 },
        { status: 'RUNNING', runs: 1 },
      ]);
    },
  );

  verifies('task.runs.cancel', 'ends one that begins to wait meanwhile', async () => {
    const held = gate();
    const task = await runs.createTask([
      scripted.step('first', (_, { n }) => (n === 1 ? held.opened : null), { n: '{{inputs.n}}' }),
      { id: 'pause', kind: 'wait', for: 'PT1H' },
    ]);
    const executing = await runs.start(task, { n: 1 });
    const waiting = await runs.reached(await runs.start(task, { n: 2 }), 'WAITING');
    await runs.reached(executing, 'RUNNING');
    const other = app.get(DataSource).createQueryRunner();
    await other.startTransaction();
    await other.query('select from run where id = $1 for update', [waiting.id]);
    const cancelled = runs.request<CancelledRuns>('POST', `/tasks/${task.id}/runs/cancel`, { body: {} });
    await lockWait(app);
    held.open();
    await runs.reached(executing, 'WAITING');
    await other.commitTransaction();
    await other.release();
    expect((await cancelled).body).toEqual({ cancelled: 2, requested: 0, isAnyLeft: false });
    for (const run of [executing, waiting]) expect((await runs.get(run)).status).toBe('CANCELLED');
  });
});

/** Waits until the run is stopped. */
function untilStopped({ signal }: { signal: AbortSignal }): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
