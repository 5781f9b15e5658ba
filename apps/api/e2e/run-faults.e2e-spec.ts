import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import type { ActionContext } from '../src/tasks/definition/action.registry.ts';
import { RunCreationService } from '../src/tasks/runs/run-creation.service.ts';
import { endAttempts, storeSteps } from '../src/tasks/execution/run-endings.store.ts';
import { RunWorker } from '../src/tasks/execution/run.worker.ts';
import { RunWritesService } from '../src/tasks/execution/run-writes.service.ts';
import { StepError } from '../src/tasks/runs/step-error.ts';
import { scaled } from './faults/scale.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { LostResponses } from './harness/lost-responses.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction } from './harness/scripted-action.ts';
import { verifies } from './verifies.ts';

/** Where a test waits until leases expire. */
const SHORT_MS = 2_000;
/** Where runs must keep their processes, whatever pauses. */
const LONG_MS = 8_000;
/** The slow tier has the processor to itself. */
const GAP_MS = scaled('RUN_GAP_MS', { quick: 2_000, slow: 500 });
const ABORT_MS = scaled('RUN_ABORT_MS', { quick: 10_000, slow: 1_000 });
const lease = (ms: number) => ({ PLATFORM_RUN_LEASE_MS: String(ms) });

/** Two processes on one database. Requests go to the first; both execute runs. */
let app: TestApp;
let other: TestApp;
let runs: RunCalls;
let scripted: ScriptedAction;

/** Starts both for the tests of a group. */
function withLeasesOf(ms: number): void {
  beforeAll(async () => {
    const env = lease(ms);
    app = await TestApp.start({ env });
    other = await TestApp.start({ env, database: app });
    runs = new RunCalls(app);
    scripted = ScriptedAction.install(app, other);
  });

  afterEach(async () => {
    disarmFailpoints();
    await expectConsistent();
  });

  afterAll(async () => {
    await Promise.all([app.close(), other.close()]);
  });
}

/** Every unfinished run is in the queue, no other is, and only running ones occupy slots. */
async function expectConsistent(): Promise<void> {
  const broken = await app.sql(
    `select r.id, r.status, q.state, s.n from run r
       full join run_queue q on q.run_id = r.id
       full join run_slot s on s.run_id = coalesce(r.id, q.run_id)
     where (r.id is not null or q.run_id is not null or s.run_id is not null) and not coalesce(
       case r.status when 'QUEUED' then q.state = 'READY' and s.n is null
         when 'RUNNING' then q.state = 'RUNNING' and s.n is not null
         else q.run_id is null and s.n is null end, false)`,
  );
  expect(broken).toEqual([]);
}

/** Waits until an assertion about what the test itself has seen holds. */
const soon = (check: () => void) => eventually(() => Promise.resolve().then(check));

const never = () => {
  throw new Error('Must not be called');
};

describe('slots', () => {
  withLeasesOf(LONG_MS);

  verifies('run.slots', 'are never exceeded by two processes', async () => {
    let running = 0;
    let most = 0;
    const task = await runs.createTask(
      [
        scripted.step('work', async () => {
          most = Math.max(most, ++running);
          await delay(5 + Math.random() * 20);
          running--;
        }),
      ],
      { concurrency: 3 },
    );
    const started = await Promise.all(Array.from({ length: 60 }, () => runs.start(task)));
    for (const run of started) expect((await runs.reached(run)).status).toBe('SUCCEEDED');
    expect(most).toBe(3);
  });

  verifies('run.slots', 'follow a limit that is lowered and raised', async () => {
    const open: (() => void)[] = [];
    const task = await runs.createTask(
      [
        scripted.step('wait', () => {
          const { opened, open: finish } = gate();
          open.push(finish);
          return opened;
        }),
      ],
      { concurrency: 4 },
    );
    const started: Run[] = [];
    for (let i = 0; i < 8; i++) started.push(await runs.start(task));
    const count = async () => (await runs.list(`/tasks/${task.id}/runs?status=RUNNING`)).items.length;
    const endOne = async () => {
      const before = await runs.list(`/tasks/${task.id}/runs?status=SUCCEEDED`);
      open.shift()?.();
      await eventually(async () => {
        const after = await runs.list(`/tasks/${task.id}/runs?status=SUCCEEDED`);
        expect(after.items).toHaveLength(before.items.length + 1);
      });
    };
    await eventually(async () => expect(await count()).toBe(4));
    // A run is RUNNING before its first step begins.
    await soon(() => {
      expect(open).toHaveLength(4);
    });
    await runs.request('PATCH', `/tasks/${task.id}`, { body: { concurrency: 2 } });
    await endOne();
    await endOne();
    // Publishes what waits: nothing of it may start.
    await app.get(RunCreationService).publish(started.map(({ id }) => id));
    await eventually(async () => expect(await count()).toBe(2));
    await endOne();
    await eventually(async () => expect([await count(), open.length]).toEqual([2, 2]));
    await runs.request('PATCH', `/tasks/${task.id}`, { body: { concurrency: 5 } });
    await eventually(async () => expect(await count()).toBe(5));
    await soon(() => {
      expect(open).toHaveLength(5);
    });
    for (const finish of open) finish();
    for (const run of started) await runs.reached(run, 'SUCCEEDED');
  });

  verifies('run.next', 'pass at once to the run that has waited longest', async () => {
    const order: string[] = [];
    const task = await runs.createTask([scripted.step('work', ({ runId }) => void order.push(runId))], {
      concurrency: 1,
    });
    const blocking = gate();
    const first = scripted.step('block', () => blocking.opened);
    const blocked = await runs.createTask(
      [first, scripted.step('work', ({ runId }) => void order.push(runId))],
      {
        concurrency: 1,
      },
    );
    const started: Run[] = [];
    for (let i = 0; i < 10; i++) started.push(await runs.start(blocked));
    await runs.reached(await runs.start(task));
    expect(order).toHaveLength(1);
    blocking.open();
    const ended: Run[] = [];
    for (const run of started) ended.push(await runs.reached(run));
    expect(order.slice(1)).toEqual(started.map(({ id }) => id));
    const gaps = ended
      .slice(1)
      .map(({ startedAt }, i) => Date.parse(startedAt ?? '') - Date.parse(ended[i]?.finishedAt ?? ''));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    expect(gaps.sort((a, b) => a - b)[5]).toBeLessThan(GAP_MS);
  });
});

describe('leases', () => {
  withLeasesOf(LONG_MS);

  verifies('run.interrupted', 'that expire leave a cancelled run CANCELLED', async () => {
    armFailpoints(['runs.claimed@1']);
    const task = await runs.createTask([scripted.step('never', never)]);
    const lost = await runs.reached(await runs.start(task), 'RUNNING');
    await runs.cancel(lost);
    expect((await runs.reached(lost)).status).toBe('CANCELLED');
  });

  verifies('run.clock', 'is told from a clock that jumps', async () => {
    const held = gate();
    const task = await runs.createTask([scripted.step('wait', () => held.opened.then(() => 'done'))]);
    const run = await runs.reached(await runs.start(task), 'RUNNING');
    const renewals = new Set<string>();
    for (let jumps = 0; jumps < 2; jumps++) {
      await app.sql(`update run_queue set lease_until = lease_until - interval '1 hour'`);
      await eventually(async () => {
        const [row] = await app.sql<{ lease: string; valid: boolean }>(
          `select lease_until::text as lease, lease_until > clock_timestamp() as valid from run_queue
           where run_id = $1`,
          [run.id],
        );
        expect(row?.valid).toBe(true);
        renewals.add(row?.lease ?? '');
      });
    }
    expect(renewals.size).toBe(2);
    held.open();
    expect(await runs.reached(run)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  });

  verifies('run.fencing', 'changes nothing, also in one statement with those that go on', async () => {
    const held = gate();
    const task = await runs.createTask([scripted.step('wait', () => held.opened)]);
    const [stale, valid] = [await runs.start(task), await runs.start(task)];
    // A run is RUNNING before its first step is stored.
    for (const run of [stale, valid]) {
      await eventually(async () =>
        expect((await runs.get(run)).steps).toMatchObject([{ status: 'RUNNING' }]),
      );
    }
    const tokens = await app.sql<{ id: string; token: string }>(
      'select run_id as id, fencing_token as token from run_queue where run_id = any($1::uuid[])',
      [[stale.id, valid.id]],
    );
    const claimOf = ({ id }: Run, token = tokens.find((row) => row.id === id)?.token ?? '') => ({
      runId: id,
      fencingToken: token,
      attempt: 1,
    });
    const claims = [claimOf(stale, randomUUID()), claimOf(valid)];
    const database = app.get(BackgroundDatabase);
    const step = {
      attempt: 1,
      stepId: 'next',
      scope: 'next',
      stepAttempt: 1,
      kind: 'tool' as const,
      acts: true,
    };
    const now = Date.now();
    const begun = { ...step, input: null, log: '', error: null, begunAt: now };
    const ended = { ...begun, status: 'SUCCEEDED' as const, output: '1', endedAt: now };
    const running = { ...begun, status: 'RUNNING' as const, output: null, endedAt: null };
    const rows = [
      { ...ended, position: 0 },
      { ...running, position: 1 },
    ];
    const steps = claims.flatMap((claim) => rows.map((row) => ({ ...claim, row })));
    expect(await storeSteps(database, steps)).toEqual(new Set([valid.id]));
    const end = {
      status: 'SUCCEEDED' as const,
      error: null,
      delayMs: null,
      ended: { ...ended, position: 1 },
    };
    const ends = claims.map((claim) => ({ ...claim, ...end }));
    expect((await endAttempts(database, ends)).held).toEqual(new Set([valid.id]));
    const done = { status: 'SUCCEEDED', output: 1 };
    expect(await runs.get(valid)).toMatchObject({ status: 'SUCCEEDED', steps: [done, done] });
    expect((await runs.get(stale)).steps).toMatchObject([{ status: 'RUNNING', output: null }]);
    held.open();
    expect(await runs.reached(stale)).toMatchObject({ status: 'SUCCEEDED', steps: [{ id: 'wait' }] });
  });
});

describe('a process that dies', () => {
  withLeasesOf(SHORT_MS);

  verifies('run.interrupted', 'leaves runs INTERRUPTED of which a step may have had an effect', async () => {
    // The claim and the start of the step are stored, and nothing follows, as if the process had been killed.
    armFailpoints(['runs.claimed@1']);
    const task = await runs.createTask([scripted.step('never', never)]);
    const started = await runs.start(task);
    await eventually(async () => expect((await runs.get(started)).status).toBe('RUNNING'));
    await app.sql(
      `insert into run_step (run_id, attempt, position, step_id, scope, kind, status, acts)
       values ($1, 1, 0, 'never', 'never', 'tool', 'RUNNING', true)`,
      [started.id],
    );
    const run = await runs.reached(started);
    const error = { code: 'INTERRUPTED', message: 'The process that executed the run has ended' };
    expect(run).toMatchObject({
      status: 'INTERRUPTED',
      error,
      steps: [{ id: 'never', status: 'INTERRUPTED' }],
      attempts: [{ status: 'INTERRUPTED', error }],
    });
  });

  verifies(['run.interrupted', 'workflow.resume'], 'goes on by itself if nothing happens twice', async () => {
    let calls = 0;
    armFailpoints(['runs.claimed@2']);
    const task = await runs.createTask([
      scripted.step('work', () => ++calls),
      { id: 'pause', kind: 'wait', for: 'PT1H' },
      scripted.step('after', () => ++calls),
    ]);
    const started = await runs.reached(await runs.start(task), 'WAITING');
    await runs.endWaits(started);
    // The second claim, after the wait, is stored and nothing follows.
    const run = await runs.reached(started, 'SUCCEEDED');
    expect(run.attempts.map(({ status }) => status)).toEqual(['WAITED', 'INTERRUPTED', 'SUCCEEDED']);
    expect(run.steps.map(({ output }) => output)).toEqual([1, expect.anything(), 2]);
  });

  verifies(
    'run.interrupted',
    'has its runs attempted again if their task wants that, but not forever',
    async () => {
      let calls = 0;
      const retry = { attempts: 0, backoffMs: 0, onInterrupted: true };
      const task = await runs.createTask([scripted.step('work', () => ++calls)], { concurrency: 1, retry });
      armFailpoints(['runs.claimed@1']);
      const interrupted = await runs.start(task);
      const waiting = await runs.start(task);
      const run = await runs.reached(interrupted);
      expect(run).toMatchObject({ status: 'SUCCEEDED', attempt: 2, steps: [{ output: expect.any(Number) }] });
      expect(run.attempts.map(({ status }) => status)).toEqual(['INTERRUPTED', 'SUCCEEDED']);
      expect((await runs.reached(waiting)).status).toBe('SUCCEEDED');
      expect(calls).toBe(2);
      armFailpoints(['runs.claimed']);
      const poison = await runs.reached(await runs.start(task), 'INTERRUPTED');
      expect(poison.attempts.map(({ status }) => status)).toEqual(Array(4).fill('INTERRUPTED'));
    },
  );
});

describe('a process that has lost a run', () => {
  withLeasesOf(LONG_MS);

  verifies('run.fencing', 'stops its code soon, and stores nothing', async () => {
    const discarded = () =>
      app.get(RunWritesService).zombieResults + other.get(RunWritesService).zombieResults;
    const before = discarded();
    let began = gate();
    let aborted = Promise.withResolvers<number>();
    const task = await runs.createTask([
      scripted.step('work', async ({ signal }: ActionContext) => {
        signal.addEventListener('abort', () => aborted.resolve(performance.now()), { once: true });
        began.open();
        await aborted.promise;
        return 'a result that comes too late';
      }),
      scripted.step('never', never),
    ]);
    const lost: Run[] = [];
    const times: number[] = [];
    while (lost.length < 3) {
      began = gate();
      aborted = Promise.withResolvers<number>();
      const run = await runs.start(task);
      lost.push(run);
      await began.opened;
      const takenAt = performance.now();
      await takeOver(run.id);
      times.push((await aborted.promise) - takenAt);
    }
    // Of several, because the machine may pause meanwhile.
    expect(Math.min(...times)).toBeLessThan(ABORT_MS);
    await soon(() => {
      expect(discarded()).toBe(before + 3);
    });
    for (const run of lost) {
      expect(await runs.get(run)).toMatchObject({
        status: 'RUNNING',
        steps: [{ id: 'work', status: 'RUNNING', output: null }],
      });
    }
    await expire(...lost);
    for (const run of lost) {
      expect(await runs.reached(run)).toMatchObject({
        status: 'INTERRUPTED',
        steps: [{ status: 'INTERRUPTED' }],
      });
    }
  });

  verifies('run.fencing', 'stores no result, also if it does not notice the loss before', async () => {
    const discarded = () =>
      app.get(RunWritesService).zombieResults + other.get(RunWritesService).zombieResults;
    const lost: Run[] = [];
    for (const step of ['first', 'last']) {
      const before = discarded();
      const task = await runs.createTask([
        scripted.step('first', async ({ runId }) => {
          if (step === 'first') await takeOver(runId);
          return 'first';
        }),
        scripted.step('last', async ({ runId }) => {
          await takeOver(runId);
          return 'last';
        }),
      ]);
      const run = await runs.start(task);
      lost.push(run);
      await soon(() => {
        expect(discarded()).toBe(before + 1);
      });
      const { steps } = await runs.get(run);
      expect(steps.find(({ id }) => id === step)).toMatchObject({ status: 'RUNNING', output: null });
    }
    await expire(...lost);
    for (const run of lost) await runs.reached(run, 'INTERRUPTED');
  });

  /** As another process does, which works for an hour. */
  const takeOver = (runId: string) =>
    app.sql(
      `update run_queue set fencing_token = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 hour'
       where run_id = $1`,
      [runId],
    );

  /** Whoever took them over dies as well. */
  const expire = (...lost: Run[]) =>
    app.sql('update run_queue set lease_until = clock_timestamp() where run_id = any($1::uuid[])', [
      lost.map(({ id }) => id),
    ]);
});

describe('lost responses', () => {
  withLeasesOf(LONG_MS);

  verifies('run.lost-response', 'of a claim, a step, or an end change nothing', async () => {
    let calls = 0;
    const task = await runs.createTask([
      scripted.step('first', () => 'first'),
      scripted.step('work', () => ++calls),
    ]);
    const responses = [app, other].map((one) => new LostResponses(one.get(BackgroundDatabase)));
    const lost = () => responses.reduce((sum, one) => sum + one.lost, 0);
    try {
      const patterns = [/wanted as/, /insert into run_step/, /delete from run_queue/];
      for (const [i, pattern] of patterns.entries()) {
        for (const one of responses) one.next(pattern);
        const run = await runs.reached(await runs.start(task));
        const steps = [{ output: 'first' }, { output: i + 1 }];
        expect(run).toMatchObject({ status: 'SUCCEEDED', attempt: 1, steps });
        expect(run.attempts).toHaveLength(1);
        expect(lost()).toBeGreaterThan(i);
      }
    } finally {
      for (const one of responses) one.restore();
    }
  });

  verifies('run.lost-response', 'of a requeue, a start, or a retry change nothing', async () => {
    let calls = 0;
    const fails = () => {
      if (++calls < 3) throw new StepError('STEP_FAILED', 'Not yet');
      return calls;
    };
    const task = await runs.createTask([scripted.step('work', fails)], {
      retry: { attempts: 1, backoffMs: 0 },
    });
    const responses = [app, other].map((one) => new LostResponses(one.get(BackgroundDatabase)));
    const commits = new LostCommits(app.get(DataSource));
    try {
      for (const one of responses) one.next(/update run_queue q set state = 'READY'/);
      commits.next(/insert into run_queue/);
      const failed = await runs.reached(await runs.start(task));
      expect(failed).toMatchObject({ status: 'FAILED', attempt: 2 });
      expect(commits.lost).toBe(1);
      commits.next(/insert into run_queue/);
      expect((await runs.retry(failed)).status).toBe(202);
      expect(commits.lost).toBe(2);
      expect(await runs.reached(failed, 'SUCCEEDED')).toMatchObject({ attempt: 3, steps: [{ output: 3 }] });
      expect((await runs.list(`/tasks/${task.id}/runs`)).items).toHaveLength(1);
    } finally {
      commits.restore();
      for (const one of responses) one.restore();
    }
  });
});

describe('hints', () => {
  withLeasesOf(LONG_MS);

  verifies('run.queue.hints', 'that are lost, repeated, or forged change nothing', async () => {
    const calls = new Map<string, number>();
    const task = await runs.createTask(
      [scripted.step('work', ({ runId }) => void calls.set(runId, (calls.get(runId) ?? 0) + 1))],
      { concurrency: 10 },
    );
    const creation = app.get(RunCreationService);
    const { ownerUserId } = task;
    const run = { spaceId: app.admin.spaceId, taskId: task.id, ownerUserId, origin: 'MANUAL' as const };
    // Nobody publishes these.
    const ids: string[] = [];
    await app.get(DataSource).transaction(async (tx) => {
      while (ids.length < 20) ids.push(await creation.createManualRun(tx, { ...run, inputs: {} }));
    });
    const forged = ['', 'nonsense', "'; drop table run; --", randomUUID()];
    for (const one of [app, other]) {
      const half = ids.slice(0, 10);
      await one.get(RunCreationService).publish([...half, ...half.reverse(), ...forged, ...half]);
    }
    for (const id of ids) await runs.reached({ id }, 'SUCCEEDED');
    await app.get(RunCreationService).publish(ids);
    await other.get(RunCreationService).publish(ids);
    // Hints are handled after the call that publishes them.
    await delay(0);
    await Promise.all([app, other].map((one) => one.get(RunWorker).drain()));
    expect([...calls.values()]).toEqual(Array(20).fill(1));
  });
});

describe('a process that is told to end', () => {
  verifies(
    'run.shutdown',
    'finishes steps, gives the other runs back, and leaves no lease behind',
    async () => {
      const env = { ...lease(LONG_MS), PLATFORM_RUN_DRAIN_MS: '4000' };
      const third = await TestApp.start({ env });
      const calls = new RunCalls(third);
      const actions = ScriptedAction.install(third);
      const held = gate();
      const short = await calls.createTask([
        actions.step('wait', () => held.opened.then(() => 'still stored')),
      ]);
      const forever = ({ signal }: ActionContext) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      const long = await calls.createTask([actions.step('forever', forever)], { timeoutMs: 3_600_000 });
      const again = await calls.createTask([actions.step('forever', forever)], {
        timeoutMs: 3_600_000,
        concurrency: 1,
        retry: { attempts: 0, backoffMs: 0, onInterrupted: true },
      });
      const [finishing, stopped, returned] = [
        await calls.start(short),
        await calls.start(long),
        await calls.start(again),
      ];
      const counted = await calls.createTask([actions.step('forever', forever)], {
        timeoutMs: 3_600_000,
        retry: { attempts: 1, backoffMs: 60_000 },
      });
      const attemptedAgain = await calls.start(counted);
      const waiting = await calls.start(again);
      for (const run of [finishing, stopped, returned, attemptedAgain]) await calls.reached(run, 'RUNNING');
      const closing = third.close();
      held.open();
      await closing;
      const successor = await TestApp.start({ env: { ...env, PLATFORM_ROLE: 'api' }, database: third });
      const after = new RunCalls(successor);
      try {
        const [a, b, c, d, e] = await Promise.all(
          [finishing, stopped, returned, waiting, attemptedAgain].map((run) => after.get(run)),
        );
        expect(a).toMatchObject({ status: 'SUCCEEDED', attempt: 1, steps: [{ output: 'still stored' }] });
        expect(b).toMatchObject({ status: 'INTERRUPTED', steps: [{ status: 'INTERRUPTED' }] });
        expect(c).toMatchObject({ status: 'QUEUED', attempt: 2, attempts: [{ status: 'INTERRUPTED' }] });
        expect(d).toMatchObject({ status: 'QUEUED', attempt: 1, attempts: [] });
        expect(e).toMatchObject({
          status: 'QUEUED',
          attempt: 2,
          steps: [{ status: 'INTERRUPTED' }],
          attempts: [{ status: 'INTERRUPTED' }],
        });
        expect(await successor.sql(`select from run_queue where state <> 'READY'`)).toEqual([]);
        expect(await successor.sql('select from run_slot where run_id is not null')).toEqual([]);
      } finally {
        await successor.close();
      }
    },
  );
});
