import { randomUUID } from 'node:crypto';
import type { ErrorBody, Page, RetryPreview, Run, Step, Task } from '@platform/contracts';
import { jest } from '@jest/globals';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { tryShareSubscriptions } from '../src/events/catalog/subscription-lock.store.ts';
import { EventWaitsService } from '../src/events/waits/event-waits.service.ts';
import { StepError } from '../src/tasks/runs/step-error.ts';
import { WaitWorker } from '../src/tasks/schedule/wait.worker.ts';
import { WAITS_PAGE } from '../src/tasks/waits/event-waits.store.ts';
import { TestApp } from './harness/app.ts';
import { installApplication } from './harness/applications.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { lockWait } from './harness/lock-waits.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction } from './harness/scripted-action.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let runs: RunCalls;
let scripted: ScriptedAction;

beforeAll(async () => {
  app = await TestApp.start();
  runs = new RunCalls(app);
  scripted = ScriptedAction.install(app);
});

const code = (id: string, source: string, more: Partial<Step> = {}): Step =>
  ({ id, kind: 'code', source, ...more }) as Step;

const outcomes = ({ steps }: Run) => steps.map(({ scope, status }) => `${scope} ${status}`);

const outputOf = ({ steps }: Run, scope: string) => steps.find((step) => step.scope === scope)?.output;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  return client;
}

/** Resolves once so many statements wait for locks. */
function waiters(count: number): Promise<void> {
  return eventually(async () => {
    const waiting = await app.sql(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(waiting).toHaveLength(count);
  });
}

const fails = () => {
  throw new StepError('STEP_FAILED', 'On its own');
};

describe('steps that contain others', () => {
  verifies(
    'workflow.branch',
    'executes the first branch whose condition holds, else the others',
    async () => {
      const steps: Step[] = [
        {
          id: 'decide',
          kind: 'branch',
          branches: [
            { when: 'inputs.amount > 100', steps: [code('large', 'return "large";')] },
            { when: 'inputs.amount > 10', steps: [code('medium', 'return "medium";')] },
          ],
          otherwise: [code('small', 'return "small";')],
        },
        code('after', 'return context.steps.decide.output;'),
      ];
      const task = await runs.createTask(steps);
      for (const [amount, size] of [
        [500, 'large'],
        [50, 'medium'],
        [5, 'small'],
      ] as const) {
        const run = await runs.reached(await runs.start(task, { amount }), 'SUCCEEDED');
        expect(outcomes(run)).toEqual(['decide SUCCEEDED', `decide.${size} SUCCEEDED`, 'after SUCCEEDED']);
        expect(outputOf(run, 'after')).toBe(size);
      }
    },
  );

  verifies(
    'workflow.each',
    'executes its steps for each item, and collects what failed if it goes on',
    async () => {
      const inner = scripted.step('charge', (_, { n }) => (n === 2 ? fails() : { charged: n }), {
        n: '{{item.n}}',
      });
      const each = (onItemError: 'stop' | 'continue'): Step => ({
        id: 'all',
        kind: 'each',
        items: '{{inputs.orders}}',
        concurrency: 3,
        onItemError,
        steps: [inner, code('at', 'return [context.index, context.steps.charge.output.charged];')],
      });
      const orders = [1, 2, 3, 4].map((n) => ({ n }));
      const going = await runs.createTask([each('continue')]);
      const run = await runs.reached(await runs.start(going, { orders }), 'SUCCEEDED');
      expect(outputOf(run, 'all')).toEqual([
        { status: 'SUCCEEDED', output: [0, 1] },
        { status: 'FAILED', error: { code: 'STEP_FAILED', message: 'On its own' } },
        { status: 'SUCCEEDED', output: [2, 3] },
        { status: 'SUCCEEDED', output: [3, 4] },
      ]);
      expect(run.steps[0]).toMatchObject({
        scope: 'all',
        status: 'SUCCEEDED',
        items: { count: 4, failed: 1 },
      });
      const stopping = await runs.createTask([each('stop')]);
      const stopped = await runs.reached(await runs.start(stopping, { orders }), 'FAILED');
      expect(stopped.error).toMatchObject({ code: 'STEP_FAILED' });
      expect(stopped.steps[0]).toMatchObject({ scope: 'all', status: 'FAILED' });
    },
  );

  verifies('workflow.task', 'starts another task, and continues with its output', async () => {
    const released = gate();
    const child = await runs.createTask([
      scripted.step('sum', (_, { n }) => released.opened.then(() => Number(n) + 1), {
        n: '{{inputs.n}}',
      }),
    ]);
    const parent = await runs.createTask([
      { id: 'call', kind: 'task', taskId: child.id, inputs: { n: '{{inputs.n}}' } },
      code('after', 'return context.steps.call.output.output * 10;'),
    ]);
    const started = await runs.reached(await runs.start(parent, { n: 4 }), 'WAITING');
    released.open();
    const run = await runs.reached(started, 'SUCCEEDED');
    expect(outputOf(run, 'after')).toBe(50);
    expect(run.attempts.map(({ status }) => status)).toEqual(['WAITED', 'SUCCEEDED']);
    const failing = await runs.createTask([scripted.step('no', fails)]);
    const calling = await runs.createTask([
      { id: 'call', kind: 'task', taskId: failing.id, inputs: {}, onError: 'continue' },
    ]);
    const handled = await runs.reached(await runs.start(calling), 'SUCCEEDED');
    expect(handled.steps).toMatchObject([{ status: 'FAILED', error: { code: 'RUN_FAILED' } }]);
  });
});

describe('the output of another run', () => {
  verifies('workflow.task', 'is the error of its last step, if the run went on after that', async () => {
    const child = await runs.createTask([{ ...scripted.step('no', fails), onError: 'continue' }]);
    const call: Step = { id: 'call', kind: 'task', taskId: child.id, inputs: {} };
    const run = await runs.reached(await runs.start(await runs.createTask([call])), 'SUCCEEDED');
    const error = { code: 'STEP_FAILED', message: 'On its own' };
    expect(outputOf(run, 'call')).toMatchObject({ status: 'SUCCEEDED', output: { error } });
  });

  const KB = 1024;
  const call = ({ id }: Task): Step => ({ id: 'call', kind: 'task', taskId: id, inputs: {} });
  const returning = (bytes: number) =>
    runs.createTask([scripted.step('large', () => 'x'.repeat(bytes - 2))], { concurrency: 10 });

  verifies('workflow.bounds', 'fails the step if the run would have more than 8 MB', async () => {
    const child = await returning(900 * KB);
    const each: Step = {
      id: 'all',
      kind: 'each',
      items: Array.from({ length: 10 }, (_, i) => i),
      concurrency: 10,
      onItemError: 'continue',
      steps: [call(child), code('after', 'return context.steps.call.output.status;')],
    };
    const run = await runs.reached(await runs.start(await runs.createTask([each])));
    expect(run.status).toBe('SUCCEEDED');
    expect(run.steps[0]).toMatchObject({ scope: 'all', items: { count: 10, failed: 1 } });
    expect(outputOf(run, 'all')).toContainEqual({
      status: 'FAILED',
      error: {
        code: 'STEP_TOO_LARGE',
        message:
          'The inputs and outputs of a run have at most 8388608 bytes; The output of step call exceeds them',
      },
    });
    const [stored] = await app.sql(
      'select sum(octet_length(output::text))::int <= 8 * 1024 * 1024 as fits from run_step where run_id = $1',
      [run.id],
    );
    expect(stored).toEqual({ fits: true });
  });

  verifies('workflow.bounds', 'fails the step if that has more than 1 MB with its run', async () => {
    const fitting = await runs.createTask([call(await returning(KB * KB - 100))]);
    expect(await runs.reached(await runs.start(fitting))).toMatchObject({ status: 'SUCCEEDED' });
    const run = await runs.reached(await runs.start(await runs.createTask([call(await returning(KB * KB))])));
    expect(run).toMatchObject({
      status: 'FAILED',
      error: {
        code: 'STEP_TOO_LARGE',
        message: 'The output of step call has 1048663 bytes; at most 1048576 are stored',
      },
      steps: [{ status: 'FAILED', output: null }],
    });
  });
});

describe('a run with very many steps', () => {
  verifies('workflow.bounds', 'skips no more of them when it has as many as can be read again', async () => {
    const skipped = code('skipped', '', { when: 'false' });
    const task = await runs.createTask([{ id: 'pause', kind: 'wait', for: 'PT1H' }, skipped]);
    for (const [stored, outcome] of [
      [99_998, { status: 'SUCCEEDED', error: null }],
      [
        99_999,
        { status: 'FAILED', error: { code: 'TOO_MANY_STEPS', message: 'A run stores at most 100000 steps' } },
      ],
    ] as const) {
      const run = await runs.reached(await runs.start(task), 'WAITING');
      await app.sql(
        `insert into run_step (run_id, attempt, position, step_id, scope, step_attempt, kind, status, output, acts)
         select $1, 1, i, 'x', 'x[' || i || '].x', 1, 'code', 'SKIPPED', 'null', false from generate_series(1, $2::int) i`,
        [run.id, stored],
      );
      await runs.endWaits(run);
      await eventually(async () => {
        const [found] = await app.sql('select status, error from run where id = $1', [run.id]);
        expect(found).toEqual(outcome);
      });
    }
  });
});

describe('a step with too much output', () => {
  verifies(
    ['workflow.bounds', 'workflow.retry'],
    'is not executed again, since it would return it again',
    async () => {
      const large = scripted.step('large', () => 'x'.repeat(1024 * 1024));
      const child = await runs.createTask([scripted.step('fitting', () => 'x'.repeat(1024 * 1024 - 2))]);
      const call: Step = { id: 'call', kind: 'task', taskId: child.id, inputs: {} };
      for (const step of [large, call]) {
        const repeated = { ...step, retry: { attempts: 2, backoffMs: 0 } };
        const run = await runs.result([repeated]);
        expect(run).toMatchObject({ status: 'FAILED', error: { code: 'STEP_TOO_LARGE' } });
        expect(run.steps).toMatchObject([{ stepAttempt: 1 }]);
        const going = await runs.result([{ ...repeated, onError: 'continue' }]);
        expect(going).toMatchObject({ status: 'SUCCEEDED', steps: [{ status: 'FAILED', stepAttempt: 1 }] });
      }
    },
  );
});

describe('what failed before the run waited', () => {
  const childrenOf = (task: Task) => app.sql('select id from run where task_id = $1', [task.id]);

  verifies('workflow.task', 'fails with the other run', async () => {
    const failing = await runs.createTask([scripted.step('no', fails)]);
    const call: Step = { id: 'call', kind: 'task', taskId: failing.id, inputs: {} };
    const run = await runs.reached(await runs.start(await runs.createTask([call])));
    expect(run).toMatchObject({ status: 'FAILED', error: { code: 'RUN_FAILED' } });
    expect(await childrenOf(failing)).toHaveLength(1);
    await runs.retry(run);
    await eventually(async () => expect(await runs.get(run)).toMatchObject({ status: 'FAILED', attempt: 4 }));
    expect(await childrenOf(failing)).toHaveLength(1);
  });

  verifies('workflow.task', 'fails with it, whatever the message of its error quotes', async () => {
    const quotes = () => {
      throw new StepError('STEP_FAILED', 'Row a\0b \ud800');
    };
    const failing = await runs.createTask([scripted.step('no', quotes)]);
    const call: Step = { id: 'call', kind: 'task', taskId: failing.id, inputs: {} };
    const caller = await runs.createTask([call]);
    const run = await runs.reached(await runs.start(caller), 'FAILED');
    expect(run.error?.message).toMatch(/ did not succeed: Row a\ufffdb \ufffd$/);

    // As a process of the previous version has stored it.
    await runs.request('PATCH', `/tasks/${failing.id}`, { body: { enabled: false } });
    const older = await runs.reached(await runs.start(caller), 'WAITING');
    await app.sql(
      `with child as (
         update run set status = 'FAILED', error = $2 where task_id = $1 and status = 'QUEUED' returning id
       ), gone as (
         delete from run_queue using child where run_id = child.id
       ) update run_wait set due_at = clock_timestamp() from child where child_run_id = child.id`,
      [failing.id, String.raw`{"code":"STEP_FAILED","message":"Row a\u0000b \ud800"}`],
    );
    expect((await runs.reached(older, 'FAILED')).error?.message).toMatch(/: Row a\ufffdb \ufffd$/);
  });

  verifies(
    'workflow.task.once',
    'goes on with the run that it has started, whatever became of it',
    async () => {
      const executed: string[] = [];
      let isBroken = true;
      const child = await runs.createTask([
        scripted.step('first', (_, { n }) => executed.push(`first ${String(n)}`), { n: '{{inputs.n}}' }),
        scripted.step(
          'second',
          (_, { n }) => {
            if (n === 1 && isBroken) fails();
            return executed.push(`second ${String(n)}`);
          },
          { n: '{{inputs.n}}' },
        ),
      ]);
      const each: Step = {
        id: 'all',
        kind: 'each',
        items: [0, 1],
        steps: [{ id: 'call', kind: 'task', taskId: child.id, inputs: { n: '{{item}}' } }],
      };
      const task = await runs.createTask([each]);
      const run = await runs.reached(await runs.start(task), 'FAILED');
      isBroken = false;
      await runs.retry(run);
      const done = await runs.reached(run, 'SUCCEEDED');
      expect(executed).toEqual(['first 0', 'second 0', 'first 1', 'second 1']);
      expect(await childrenOf(child)).toHaveLength(2);
      expect(outputOf(done, 'all')).toMatchObject([{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }]);
    },
  );

  verifies(
    'workflow.task.once',
    'starts another run for other inputs, and for a retry that begins there',
    async () => {
      let isBroken = true;
      const child = await runs.createTask([
        scripted.step('work', (_, { n }) => (isBroken ? fails() : n), { n: '{{inputs.n}}' }),
      ]);
      const call = (n: number): Step => ({ id: 'call', kind: 'task', taskId: child.id, inputs: { n } });
      const last = scripted.step('last', (_, { n }) => (n === 3 ? n : fails()), {
        n: '{{steps.call.output.output}}',
      });
      const task = await runs.createTask([call(1), last]);
      const run = await runs.reached(await runs.start(task), 'FAILED');
      isBroken = false;
      await runs.request('PATCH', `/tasks/${task.id}`, { body: { workflow: { steps: [call(2), last] } } });
      await runs.retry(run);
      const again = await runs.reached(run, 'FAILED');
      expect(again).toMatchObject({ error: { message: 'On its own' } });
      const children = async () =>
        app.sql('select inputs, status from run where task_id = $1 order by id', [child.id]);
      const [first, second] = [
        { inputs: { n: 1 }, status: 'FAILED' },
        { inputs: { n: 2 }, status: 'SUCCEEDED' },
      ];
      expect(await children()).toEqual([first, second]);
      // What comes after it is attempted again: no other run.
      await runs.retry(run);
      await runs.reached(run, 'FAILED');
      expect(await children()).toEqual([first, second]);
      await runs.retry(run, { from: 'call' });
      await runs.reached(run, 'FAILED');
      expect(await children()).toEqual([first, second, second]);
    },
  );

  verifies('workflow.task.once', 'has it retried, also if it is still being canceled', async () => {
    const released = gate();
    let executions = 0;
    const work = ({ signal }: { signal: AbortSignal }) => {
      executions += 1;
      if (executions > 1) return 'done';
      return new Promise((_, reject) =>
        signal.addEventListener(
          'abort',
          () => void released.opened.then(() => reject(signal.reason as Error)),
        ),
      );
    };
    const child = await runs.createTask([scripted.step('work', work)]);
    const call: Step = { id: 'call', kind: 'task', taskId: child.id, inputs: {} };
    const run = await runs.reached(await runs.start(await runs.createTask([call])), 'WAITING');
    await eventually(() => {
      expect(executions).toBe(1);
      return Promise.resolve();
    });
    expect((await runs.cancel(run)).body).toMatchObject({ status: 'CANCELLED' });
    expect((await runs.retry(run)).status).toBe(202);
    await runs.reached(run, 'WAITING');
    released.open();
    expect(outputOf(await runs.reached(run, 'SUCCEEDED'), 'call')).toMatchObject({ output: 'done' });
    expect(await childrenOf(child)).toHaveLength(1);
  });

  verifies('workflow.task.cancel', 'cancels the runs that execute, wait, and have not begun', async () => {
    const executing = Promise.withResolvers<undefined>();
    const slow = ({ signal }: { signal: AbortSignal }) => {
      executing.resolve(undefined);
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    };
    const pause: Step = { id: 'pause', kind: 'wait', for: 'PT1H' };
    const deepest = await runs.createTask([scripted.step('slow', slow)], { concurrency: 1 });
    const call = ({ id }: Task): Step => ({ id: 'call', kind: 'task', taskId: id, inputs: {} });
    const middle = await runs.createTask([call(deepest)]);
    const waiting = await runs.createTask([pause]);
    const parent = async (task: Task) => runs.start(await runs.createTask([call(task)]));
    const parents = [await parent(middle), await parent(waiting)];
    await executing.promise;
    // The only slot of the task is taken, so that this one has not begun.
    parents.push(await parent(deepest));
    for (const run of parents) {
      await runs.reached(run, 'WAITING');
      expect((await runs.cancel(run)).body).toMatchObject({ status: 'CANCELLED' });
    }
    for (const task of [middle, deepest, waiting])
      await eventually(async () => {
        const states = await app.sql<{ status: string }>('select status from run where task_id = $1', [
          task.id,
        ]);
        expect(new Set(states.map(({ status }) => status))).toEqual(new Set(['CANCELLED']));
      });
  });

  verifies('workflow.task.cancel', 'cancels what a run has begun to wait for meanwhile', async () => {
    const [began, held] = [gate(), gate()];
    const executing = await runs.createTask([scripted.step('held', () => new Promise(() => undefined))]);
    const last = await runs.createTask([{ id: 'pause', kind: 'wait', for: 'PT1H' }]);
    const hold = scripted.step('hold', () => {
      began.open();
      return held.opened;
    });
    const call = ({ id }: Task, more: Partial<Step> = {}) =>
      ({ id: `call_${id.replaceAll('-', '')}`, kind: 'task', taskId: id, inputs: {}, ...more }) as Step;
    const going = await runs.createTask([hold, call(last)]);
    const each: Step = {
      id: 'all',
      kind: 'each',
      items: [0, 1],
      concurrency: 2,
      // The second one has a later id, so it is locked afterwards.
      steps: [
        call(executing, { when: 'item === 0' }),
        { id: 'pause', kind: 'wait', for: 'PT0.2S', when: 'item === 1' },
        call(going, { when: 'item === 1' }),
      ],
    };
    const run = await runs.start(await runs.createTask([each]));
    await began.opened;
    await runs.reached(run, 'WAITING');
    const [first] = (await childrenOf(executing)) as { id: string }[];
    const [second] = (await childrenOf(going)) as [{ id: string }];
    const other = await connect();
    try {
      await other.query('begin');
      await other.query('select from run_queue where run_id = $1 for update', [first?.id]);
      const cancelled = runs.cancel(run);
      await waiters(1);
      held.open();
      await runs.reached(second, 'WAITING');
      await other.query('commit');
      expect((await cancelled).body).toMatchObject({ status: 'CANCELLED' });
    } finally {
      await other.end();
    }
    expect(await app.sql('select status from run where task_id = $1', [last.id])).toEqual([
      { status: 'CANCELLED' },
    ]);
  });

  verifies('workflow.task.cancel', 'cancels what an item waits for if another item fails', async () => {
    const waiting = await runs.createTask([{ id: 'pause', kind: 'wait', for: 'PT1H' }]);
    const each: Step = {
      id: 'all',
      kind: 'each',
      items: [0, 1],
      concurrency: 2,
      steps: [
        { id: 'call', kind: 'task', taskId: waiting.id, inputs: {}, when: 'item === 0' },
        { id: 'pause', kind: 'wait', for: 'PT0.2S', when: 'item === 1' },
        scripted.step('no', fails),
      ],
    };
    const run = await runs.reached(await runs.start(await runs.createTask([each])));
    expect(run).toMatchObject({ status: 'FAILED', error: { message: 'On its own' } });
    expect(run.steps.find(({ scope }) => scope === 'all[0].call')).toMatchObject({ status: 'CANCELLED' });
    expect(await app.sql('select status from run where task_id = $1', [waiting.id])).toEqual([
      { status: 'CANCELLED' },
    ]);
  });

  verifies('workflow.task.cancel', 'is known at once to the run that waits', async () => {
    const child = await runs.createTask([code('one', 'return 1;')], { enabled: false });
    const call: Step = { id: 'call', kind: 'task', taskId: child.id, inputs: {} };
    const run = await runs.reached(await runs.start(await runs.createTask([call])), 'WAITING');
    const [started] = await app.sql<{ id: string }>('select id from run where task_id = $1', [child.id]);
    await runs.cancel({ id: started?.id ?? '' });
    const cancelledAt = Date.now();
    expect(await runs.reached(run)).toMatchObject({ status: 'FAILED', error: { code: 'RUN_CANCELLED' } });
    // Without being told, it looks once a minute.
    expect(Date.now() - cancelledAt).toBeLessThan(30_000);
  });

  verifies(
    'workflow.task',
    'continues at once, also if the wait was being looked at as the other run ended',
    async () => {
      const held = gate();
      const child = await runs.createTask([scripted.step('held', () => held.opened)]);
      const call: Step = { id: 'call', kind: 'task', taskId: child.id, inputs: {} };
      const run = await runs.reached(await runs.start(await runs.createTask([call])), 'WAITING');
      await eventually(async () =>
        expect(await app.sql('select status from run where task_id = $1', [child.id])).toEqual([
          { status: 'RUNNING' },
        ]),
      );
      const [worker, row] = await Promise.all([connect(), connect()]);
      try {
        // The wait is due, but nobody can look at it until its row is locked.
        await worker.query('begin');
        await worker.query('select from run where id = $1 for update', [run.id]);
        await runs.endWaits(run);
        await row.query('begin');
        await row.query('select from run_wait where run_id = $1 for update', [run.id]);
        await worker.query('commit');
        // Whoever looks at waits passes it over, and the end of the other run waits for it.
        held.open();
        await waiters(1);
        await row.query('commit');
        const releasedAt = Date.now();
        expect(await runs.reached(run)).toMatchObject({ status: 'SUCCEEDED' });
        // Without being told, it looks once a minute.
        expect(Date.now() - releasedAt).toBeLessThan(30_000);
      } finally {
        await Promise.all([worker.end(), row.end()]);
      }
    },
  );

  verifies('workflow.each', 'is an entry, and not executed again because other items wait', async () => {
    const failing = await runs.createTask([scripted.step('no', fails)]);
    const charge = scripted.step('charge', () => fails());
    const each: Step = {
      id: 'all',
      kind: 'each',
      items: [1, 2, 3],
      concurrency: 3,
      onItemError: 'continue',
      steps: [
        { id: 'call', kind: 'task', taskId: failing.id, inputs: {}, when: 'item === 1' },
        { id: 'pause', kind: 'wait', for: 'PT0.2S', when: 'item === 2' },
        { ...charge, when: 'item === 3' },
      ],
    };
    const run = await runs.reached(await runs.start(await runs.createTask([each])), 'SUCCEEDED');
    expect(outputOf(run, 'all')).toMatchObject([
      { status: 'FAILED' },
      { status: 'SUCCEEDED' },
      { status: 'FAILED' },
    ]);
    expect(await childrenOf(failing)).toHaveLength(1);
    expect(
      await app.sql(`select from run_step where run_id = $1 and step_id = 'charge' and status = 'FAILED'`, [
        run.id,
      ]),
    ).toHaveLength(1);
  });
});

describe('a run that waits', () => {
  verifies('workflow.wait', 'occupies nothing until the time is over, and then continues', async () => {
    const task = await runs.createTask(
      [code('before', 'return 1;'), { id: 'pause', kind: 'wait', for: 'PT1H' }, code('after', 'return 2;')],
      { concurrency: 1 },
    );
    const run = await runs.reached(await runs.start(task), 'WAITING');
    expect(outcomes(run)).toEqual(['before SUCCEEDED', 'pause WAITING']);
    expect(await app.sql('select from run_queue where run_id = $1', [run.id])).toEqual([]);
    expect(await app.sql('select from run_slot where run_id = $1', [run.id])).toEqual([]);
    // Another run of the task has the slot meanwhile.
    const other = await runs.reached(await runs.start(task), 'WAITING');
    await runs.endWaits(run);
    const done = await runs.reached(run, 'SUCCEEDED');
    expect(outcomes(done)).toEqual(['before SUCCEEDED', 'pause SUCCEEDED', 'after SUCCEEDED']);
    expect(outputOf(done, 'pause')).toEqual({ endedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(done.attempts.map(({ status }) => status)).toEqual(['WAITED', 'SUCCEEDED']);
    expect((await runs.get(other)).status).toBe('WAITING');
  });

  verifies(
    'workflow.wait',
    'waits with several items at the same time, as many as may be under way',
    async () => {
      const task = await runs.createTask([
        {
          id: 'all',
          kind: 'each',
          items: [1, 2, 3],
          concurrency: 2,
          steps: [{ id: 'pause', kind: 'wait', for: 'PT1H' }, code('at', 'return context.item;')],
        },
      ]);
      const run = await runs.reached(await runs.start(task), 'WAITING');
      const waits = () =>
        app.sql<{ scope: string }>('select scope from run_wait where run_id = $1 order by scope', [run.id]);
      expect(await waits()).toEqual([{ scope: 'all[0].pause' }, { scope: 'all[1].pause' }]);
      await app.sql(
        `update run_wait set due_at = clock_timestamp() where scope = 'all[0].pause' and run_id = $1`,
        [run.id],
      );
      await eventually(async () =>
        expect(await waits()).toEqual([{ scope: 'all[1].pause' }, { scope: 'all[2].pause' }]),
      );
      await eventually(async () => {
        await runs.endWaits(run);
        expect((await runs.get(run)).status).toBe('SUCCEEDED');
      });
      const done = await runs.get(run);
      expect(outputOf(done, 'all')).toEqual([1, 2, 3].map((output) => ({ status: 'SUCCEEDED', output })));
    },
  );

  verifies(
    'workflow.wait',
    'ends at the time in any offset, in any year, and at no day that there is not',
    async () => {
      const task = await runs.createTask([{ id: 'pause', kind: 'wait', until: '{{inputs.until}}' }]);
      const until = (text: string) => runs.start(task, { until: text });
      const date = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString().slice(0, 10);
      const waiting = await until(`${date}T23:30:00+23:30`);
      await runs.reached(waiting, 'WAITING');
      expect(await app.sql('select due_at from run_wait where run_id = $1', [waiting.id])).toEqual([
        { due_at: new Date(`${date}T00:00:00Z`) },
      ]);
      await runs.reached(await until('0000-01-01T00:00:00Z'), 'SUCCEEDED');
      expect((await runs.reached(await until('2027-02-30T00:00:00Z'), 'FAILED')).error).toMatchObject({
        code: 'WAIT_INVALID',
      });
    },
  );

  verifies('workflow.wait', 'ends after more days than a duration can have', async () => {
    const pause = { id: 'pause', kind: 'wait' as const, for: 'P30D' };
    const branches = [{ when: 'true', steps: [pause] }];
    const task = await runs.createTask([{ id: 'choose', kind: 'branch', branches }]);
    const run = await runs.reached(await runs.start(task), 'WAITING');
    await app.sql(`update run_step set started_at = started_at - interval '30 days' where run_id = $1`, [
      run.id,
    ]);
    await runs.endWaits(run);
    const { steps } = await runs.reached(run, 'SUCCEEDED');
    expect(steps.map(({ durationMs }) => durationMs)).toEqual([2_147_483_647, 2_147_483_647]);
  });

  verifies('workflow.wait', 'ends although PostgreSQL rejects the end of another one', async () => {
    const start = async (id: string) =>
      runs.reached(await runs.start(await runs.createTask([{ id, kind: 'wait', for: 'PT1H' }])), 'WAITING');
    const [rejected, fine] = [await start('rejected'), await start('fine')];
    await app.sql(
      `create function reject_step() returns trigger language plpgsql as
         $$ begin raise exception 'Rejected' using errcode = '22P05'; end $$`,
    );
    await app.sql(
      `create trigger reject_step before update on run_step for each row
         when (old.step_id = 'rejected') execute function reject_step()`,
    );
    try {
      await app.sql(
        `update run_wait set due_at = clock_timestamp() - (run_id = $1)::int * interval '1 minute'
         where run_id in ($1, $2)`,
        [rejected.id, fine.id],
      );
      await runs.reached(fine, 'SUCCEEDED');
      expect((await runs.get(rejected)).status).toBe('WAITING');
    } finally {
      await app.sql('drop function reject_step cascade');
    }
    await runs.endWaits(rejected);
    await runs.reached(rejected, 'SUCCEEDED');
  });

  verifies('workflow.wait.cancel', 'ends after its application was uninstalled', async () => {
    const steps: Step[] = [{ id: 'question', kind: 'ask', message: 'Still needed?' }];
    const manifest = {
      identifier: 'desk',
      name: 'Desk',
      version: '1',
      events: [],
      tables: [],
      subscriptions: [],
    };
    const task = { key: 'ask', name: 'Ask', type: 'MANUAL' as const, workflow: { steps } };
    await installApplication(app, { ...manifest, tasks: [task] });
    const [found] = await app.sql<{ id: string }>(`select id from task where application_key = 'ask'`);
    const run = await runs.reached(await runs.start(found ?? { id: '' }), 'WAITING');
    await app.sweep();
    expect((await runs.get(run)).status).toBe('WAITING');
    expect((await app.request('DELETE', '/api/applications/desk')).status).toBe(204);
    await app.sweep();
    expect(await runs.get(run)).toMatchObject({ status: 'CANCELLED', error: { code: 'TASK_GONE' } });
    expect((await runs.request<Page<unknown>>('GET', '/inbox')).body.items).toEqual([]);
  });

  verifies('workflow.wait.cancel', 'is canceled at once, and ends if its task is deleted', async () => {
    const steps: Step[] = [
      { id: 'pause', kind: 'wait', until: new Date(Date.now() + 3_600_000).toISOString() },
    ];
    const task = await runs.createTask(steps);
    const [cancelled, orphan] = [await runs.start(task), await runs.start(task)];
    for (const run of [cancelled, orphan]) await runs.reached(run, 'WAITING');
    expect((await runs.cancel(cancelled)).body).toMatchObject({
      status: 'CANCELLED',
      steps: [{ status: 'CANCELLED' }],
    });
    expect((await runs.request('DELETE', `/tasks/${task.id}`)).status).toBe(204);
    const ended = await runs.reached(orphan, 'CANCELLED');
    expect(ended.error).toMatchObject({ code: 'TASK_GONE' });
    expect(await app.sql('select from run_wait where task_id = $1', [task.id])).toEqual([]);
  });
});

describe('a wait for an event', () => {
  verifies(
    'workflow.wait.event',
    'ends with the first event that fits, and that is emitted afterwards',
    async () => {
      const shop = await EmittingApp.install(app);
      const paid = (n: number, amount: number) => shop.emit({ n, amount, currency: 'EUR' });
      const task = await runs.createTask([
        {
          id: 'payment',
          kind: 'wait',
          event: {
            applicationIdentifier: 'shop',
            event: 'order.created',
            filter: { currency: 'EUR', n: '{{inputs.order}}', amount: { $gte: 10 } },
          },
        },
        code('after', 'return context.steps.payment.output.trigger.payload.amount;'),
      ]);
      await paid(1, 99);
      const [first, second] = [await runs.start(task, { order: 1 }), await runs.start(task, { order: 2 })];
      for (const run of [first, second]) await runs.reached(run, 'WAITING');
      // What all runs of the task wait for finds none of them.
      expect(await app.sql(`select distinct field from run_wait where kind = 'EVENT'`)).toEqual([
        { field: 'n' },
      ]);
      const woken = jest.spyOn(app.get(WaitWorker), 'wake');
      await paid(1, 5);
      await paid(3, 50);
      await paid(1, 20);
      const done = await runs.reached(first, 'SUCCEEDED');
      // By the one event that fits: nothing waits for the next poll.
      expect(woken).toHaveBeenCalledTimes(1);
      expect(outputOf(done, 'after')).toBe(20);
      expect((await runs.get(second)).status).toBe('WAITING');
      await runs.endWaits(second);
      const late = await runs.reached(second, 'FAILED');
      expect(outputOf(late, 'payment')).toEqual({ timedOut: true });
    },
  );

  verifies('workflow.wait.event', 'ends with an event that comes while it is being stored', async () => {
    const shop = await EmittingApp.install(app);
    const event = { applicationIdentifier: 'shop', event: 'order.created', filter: { n: 77 } };
    const task = await runs.createTask([{ id: 'payment', kind: 'wait', event }]);
    // As a large dispatch of the space, for which the wait has to wait.
    const dispatch = app.get(DataSource).createQueryRunner();
    await dispatch.startTransaction();
    expect(await tryShareSubscriptions(dispatch.manager, app.admin.spaceId)).toBe(true);
    const run = await runs.start(task);
    await lockWait(app, 'advisory');
    await shop.emit({ n: 77 });
    await dispatch.commitTransaction();
    await dispatch.release();
    expect(outputOf(await runs.reached(run, 'SUCCEEDED'), 'payment')).toMatchObject({ timedOut: false });
  });

  verifies('workflow.wait.event', 'waits also if many other fields are waited for', async () => {
    const shop = await EmittingApp.install(app);
    const waitBy = async (field: string): Promise<Run> => {
      const event = { applicationIdentifier: 'shop', event: 'order.created', filter: { [field]: 1 } };
      const run = await runs.start(await runs.createTask([{ id: 'payment', kind: 'wait', event }]));
      return runs.reached(run, 'WAITING', 'FAILED');
    };
    for (const [many, different] of [
      [10, 'field'],
      [1_000, 'event'],
    ] as const) {
      const first = await waitBy('n');
      await app.sql(
        `insert into run_wait
         select (jsonb_populate_record(w, jsonb_build_object('scope', 's' || i, '${different}', 'other' || i))).*
         from run_wait w, generate_series(2, $2) i where w.run_id = $1`,
        [first.id, many],
      );
      const others = [await waitBy('amount'), await waitBy('n')];
      expect(
        await app.sql('select field from run_wait where run_id = any($1) order by run_id', [
          others.map(({ id }) => id),
        ]),
      ).toEqual([{ field: '' }, { field: 'n' }]);
      await shop.emit({ n: 1, amount: 1 });
      for (const run of [first, ...others]) await runs.reached(run, 'SUCCEEDED');
    }
  });
});

describe('many waits for an event', () => {
  /** Lets a run wait so often within a transaction that is undone. `end`: what an event with the amount does. */
  async function waiting(
    count: number,
    check: (
      end: (amount: number) => Promise<{ ended: number; complete: number }>,
      statements: jest.SpiedFunction<EntityManager['query']>,
    ) => Promise<void>,
  ): Promise<void> {
    const shop = await EmittingApp.install(app);
    const awaited = {
      applicationIdentifier: 'shop',
      event: 'order.created',
      filter: { amount: { $gte: 10 } },
    };
    const run = await runs.start(await runs.createTask([{ id: 'payment', kind: 'wait', event: awaited }]));
    await runs.reached(run, 'WAITING');
    const undone = new Error('Undone');
    const { applicationId } = shop;
    const waited = [{ applicationId, event: 'order.created', field: '' }];
    const ended = app.get(DataSource).transaction(async (tx) => {
      await tx.query(
        `insert into run_wait
         select (jsonb_populate_record(w, jsonb_build_object('scope', 's' || i))).*
         from run_wait w, generate_series(2, $2::int) i where w.run_id = $1`,
        [run.id, count],
      );
      const event = {
        spaceId: app.admin.spaceId,
        applicationId,
        event: 'order.created',
        emittedAt: new Date(Date.now() + 60_000),
        trigger: { id: randomUUID() },
      };
      const end = (amount: number) =>
        app.get(EventWaitsService).end(tx, waited, [{ ...event, payload: { amount } }]);
      await check(end, jest.spyOn(tx, 'query'));
      expect(await tx.query('select count(*)::int as ended from run_wait where result is not null')).toEqual([
        { ended: count },
      ]);
      throw undone;
    });
    await expect(ended).rejects.toBe(undone);
    await shop.emit({ n: 1, amount: 10 });
    await runs.reached(run, 'SUCCEEDED');
  }

  verifies('workflow.wait.event', 'end with two statements, which keep no other space waiting', () =>
    waiting(300, async (end, statements) => {
      expect([await end(5), await end(10), await end(10)]).toEqual(
        [0, 300, 0].map((ended) => ({ ended, complete: 1 })),
      );
      expect(statements.mock.calls.length).toBeLessThanOrEqual(6);
    }),
  );

  verifies(
    'workflow.wait.event',
    'end in several transactions, beside which other spaces have turns',
    async () => {
      const shop = await EmittingApp.install(app);
      const event = { applicationIdentifier: 'shop', event: 'order.created', filter: { kind: 'many' } };
      const run = await runs.start(await runs.createTask([{ id: 'payment', kind: 'wait', event }]));
      await runs.reached(run, 'WAITING');
      await app.sql(
        `insert into run_wait
       select (jsonb_populate_record(w, jsonb_build_object('scope', 's' || i))).*
       from run_wait w, generate_series(2, $2::int) i where w.run_id = $1`,
        [run.id, WAITS_PAGE + 500],
      );
      const end = jest.spyOn(app.get(EventWaitsService), 'end');
      const task = await shop.task('Many');
      await shop.subscribe(task, { filter: { kind: 'many' } });
      const { envelopeId } = await shop.emit({ n: 1, kind: 'many' });
      expect(await shop.dispatched(envelopeId)).toMatchObject({ status: 'DISPATCHED', matched_count: 1 });
      const made = await Promise.all(
        end.mock.results.map(({ value }) => value as Promise<{ ended: number }>),
      );
      expect(made.map(({ ended }) => ended).filter((ended) => ended > 0)).toEqual([WAITS_PAGE, 500]);
      expect(await shop.runs(envelopeId)).toHaveLength(1);
      await runs.reached(run, 'SUCCEEDED');
    },
  );

  verifies('workflow.wait.event', 'are read in parts, so that their filters take little memory', () =>
    waiting(4_500, async (end, statements) => {
      const first = { ended: WAITS_PAGE, complete: 0 };
      expect([await end(10), await end(10)]).toEqual([first, first]);
      expect(await end(10)).toEqual({ ended: 500, complete: 1 });
      const found = await Promise.all(
        statements.mock.results.map(({ value }) => value as Promise<unknown[]>),
      );
      expect(Math.max(...found.map(({ length }) => length))).toBe(WAITS_PAGE);
    }),
  );
});

describe('fields of every step', () => {
  verifies('workflow.when', 'skips a step whose condition does not hold', async () => {
    const task = await runs.createTask([
      code('first', 'return 1;'),
      code('second', 'return 2;', { when: 'steps.first.output > 1' }),
      code('third', 'return context.steps.second.output;'),
      code('last', 'return 3;', { when: 'nothing.here' }),
    ]);
    const run = await runs.reached(await runs.start(task), 'FAILED');
    expect(outcomes(run)).toEqual(['first SUCCEEDED', 'second SKIPPED', 'third SUCCEEDED', 'last FAILED']);
    expect(run.error?.message).toContain('The condition of step last failed');
    const endless = await runs.createTask([code('only', 'return 1;', { when: '(() => { for (;;); })()' })]);
    const { error } = await runs.reached(await runs.start(endless), 'FAILED');
    expect(error?.message).toContain('more than 0.05 s of processor time');
  });

  verifies(
    'workflow.retry',
    'executes a step again that failed, and goes on after the last failure if told to',
    async () => {
      let calls = 0;
      const task = await runs.createTask([
        {
          ...scripted.step('flaky', () => (++calls < 3 ? fails() : calls)),
          retry: { attempts: 2, backoffMs: 1 },
        },
        { ...scripted.step('never', fails), retry: { attempts: 1 }, onError: 'continue' },
        code('after', 'return context.steps.never.output.error.code;'),
      ]);
      const run = await runs.reached(await runs.start(task), 'SUCCEEDED');
      expect(run.steps).toMatchObject([
        { scope: 'flaky', status: 'SUCCEEDED', stepAttempt: 3, output: 3 },
        { scope: 'never', status: 'FAILED', stepAttempt: 2 },
        { output: 'STEP_FAILED' },
      ]);
      expect(run.attempts).toHaveLength(1);
    },
  );

  verifies('workflow.timeout', 'ends an execution that takes too long', async () => {
    const untilStopped = ({ signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const task = await runs.createTask([{ ...scripted.step('slow', untilStopped), timeoutMs: 100 }]);
    const run = await runs.reached(await runs.start(task), 'FAILED');
    expect(run.steps).toMatchObject([
      { error: { code: 'TIMEOUT', message: 'The step did not finish within 100 ms' } },
    ]);
  });
});

describe('a retry', () => {
  verifies('workflow.retry-continues', 'continues at the step that failed', async () => {
    const executed: string[] = [];
    let isBroken = true;
    const task = await runs.createTask([
      scripted.step('first', () => executed.push('first')),
      {
        id: 'all',
        kind: 'each',
        items: [1, 2, 3],
        steps: [
          scripted.step(
            'charge',
            (_, { n }) => {
              executed.push(`charge ${String(n)}`);
              return isBroken && n === 2 ? fails() : n;
            },
            { n: '{{item}}' },
          ),
        ],
      },
      scripted.step('last', () => executed.push('last')),
    ]);
    const failed = await runs.reached(await runs.start(task), 'FAILED');
    isBroken = false;
    await runs.retry(failed);
    const run = await runs.reached(failed, 'SUCCEEDED');
    expect(executed).toEqual(['first', 'charge 1', 'charge 2', 'charge 2', 'charge 3', 'last']);
    expect(outputOf(run, 'all')).toEqual([1, 2, 3].map((output) => ({ status: 'SUCCEEDED', output })));
  });
});

describe('a retry from a step', () => {
  verifies(
    ['workflow.retry-from', 'workflow.retry-preview'],
    'executes it and all after it again',
    async () => {
      const executed: string[] = [];
      const step = (id: string, script: () => unknown = () => id) =>
        scripted.step(id, () => {
          executed.push(id);
          return script();
        });
      const inner: Step = { id: 'both', kind: 'each', items: [1, 2], steps: [step('inner')] };
      const task = await runs.createTask([step('first'), inner, step('last', fails)]);
      const run = await runs.reached(await runs.start(task), 'FAILED');
      const retry = (from: string) =>
        runs.request<ErrorBody>('POST', `/runs/${run.id}/retry`, { body: { from } });
      for (const unknown of ['nowhere', 'inner', 'both[0].inner'])
        expect((await retry(unknown)).status).toBe(400);
      const preview = (query: string) =>
        runs.request<RetryPreview>('GET', `/runs/${run.id}/retry?${query}`, {});
      for (const [query, status] of [
        ['from=inner', 400],
        ['version=0', 400],
        ['version=9', 409],
      ] as const)
        expect((await preview(query)).status).toBe(status);
      const planned = (await preview('from=both')).body;
      expect(planned).toMatchObject({ version: 1, kept: [{ scope: 'first', kind: 'tool', name: null }] });
      expect(planned.repeated.map(({ scope, hasEffects }) => [scope, hasEffects])).toEqual([
        ['both', false],
        ['both[0].inner', true],
        ['both[1].inner', true],
        ['last', true],
      ]);
      expect((await retry('both')).status).toBe(202);
      await eventually(async () =>
        expect(await runs.get(run)).toMatchObject({ status: 'FAILED', attempt: 2 }),
      );
      expect(executed).toEqual(['first', 'inner', 'inner', 'last', 'inner', 'inner', 'last']);
      const { steps } = await runs.get(run);
      expect(steps.map(({ scope }) => scope)).toEqual([
        'first',
        'both',
        'both[0].inner',
        'both[1].inner',
        'last',
      ]);
    },
  );

  verifies('workflow.retry-from', 'changes nothing if another retry comes first', async () => {
    const task = await runs.createTask([scripted.step('first', () => 1), scripted.step('last', fails)]);
    const run = await runs.reached(await runs.start(task), 'FAILED');
    const other = await connect();
    try {
      await other.query('begin');
      await other.query('update run set attempt = attempt + 1 where id = $1', [run.id]);
      const retried = runs.request<ErrorBody>('POST', `/runs/${run.id}/retry`, { body: { from: 'first' } });
      await waiters(1);
      await other.query('commit');
      const { status, body } = await retried;
      expect([status, body.message]).toEqual([409, `Run ${run.id} was attempted again meanwhile`]);
    } finally {
      await other.end();
    }
    expect(await app.sql('select from run_step where run_id = $1 and superseded', [run.id])).toEqual([]);
  });
});

describe('a retry after the task was changed', () => {
  const change = async (run: Run, steps: Step[]) => {
    const answer = await runs.request('PATCH', `/tasks/${run.taskId}`, { body: { workflow: { steps } } });
    expect(answer.status).toBe(200);
  };

  verifies(
    'workflow.retry-continues',
    'goes on with the fix, unless what has ended differs in it',
    async () => {
      const first = scripted.step('first', () => 1);
      const task = await runs.createTask([first, scripted.step('last', fails)]);
      const [fixed, other] = [await runs.start(task), await runs.start(task)];
      for (const run of [fixed, other]) await runs.reached(run, 'FAILED');
      await change(fixed, [first, code('last', 'return context.steps.first.output + 1;')]);
      await runs.retry(fixed);
      const done = await runs.reached(fixed, 'SUCCEEDED');
      expect(done).toMatchObject({ taskVersion: 2, steps: [{ output: 1 }, { output: 2 }] });

      await change(other, [code('first', 'return 9;'), code('last', 'return 2;')]);
      const refused = await runs.request<ErrorBody>('POST', `/runs/${other.id}/retry`);
      expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
      expect(refused.body.message).toBe(
        'Steps that have ended differ in version 3 of the task: first. Retry with version 1, which the run began with, or start another run',
      );
      const unknown = await runs.request<ErrorBody>('POST', `/runs/${other.id}/retry`, {
        body: { version: 2 },
      });
      expect(unknown.status).toBe(409);
      const kept = await runs.request('POST', `/runs/${other.id}/retry`, { body: { version: 1 } });
      expect(kept.status).toBe(202);
      // The version that it began with fails as before.
      await eventually(async () =>
        expect(await runs.get(other)).toMatchObject({ status: 'FAILED', attempt: 2, taskVersion: 1 }),
      );
    },
  );

  verifies(
    'workflow.retry-continues',
    'goes on with the version that was checked, also if it begins after the next change',
    async () => {
      const held = gate();
      let isHeld = false;
      const first = scripted.step('first', () => (isHeld ? held.opened : 1));
      const task = await runs.createTask([first, scripted.step('last', fails)], { concurrency: 1 });
      const run = await runs.reached(await runs.start(task), 'FAILED');
      await change(run, [first, code('last', 'return 2;')]);
      isHeld = true;
      await runs.reached(await runs.start(task), 'RUNNING');
      expect((await runs.retry(run)).status).toBe(202);
      await change(run, [code('first', 'return 9;'), code('last', 'return 3;')]);
      held.open();
      const done = await runs.reached(run, 'SUCCEEDED');
      expect(done).toMatchObject({ taskVersion: 2, steps: [{ output: 1 }, { output: 2 }] });
    },
  );
});

describe('a workflow that can never work', () => {
  const noop = (id: string): Step => code(id, 'return 1;');
  const nested = (depth: number): object =>
    depth === 0 ? noop('leaf') : { id: `each${depth}`, kind: 'each', items: [1], steps: [nested(depth - 1)] };
  const branch = (steps: object[]) => ({ id: 'b', kind: 'branch', branches: [{ when: 'true', steps }] });

  verifies('workflow.checked', 'is refused with the path of each problem', async () => {
    const cases: [object[], string][] = [
      [[branch([noop('a')]), noop('a')], 'workflow.steps.1.id must be unique: another step has the id a'],
      [
        [nested(4)],
        'workflow.steps.0.steps.0.steps.0.steps.0.steps must not be nested more than 4 levels deep',
      ],
      [[branch([])], 'workflow.steps.0.branches.0.steps must be an array of 1 to 200 steps'],
      [
        [branch(Array.from({ length: 200 }, (_, i) => noop(`s${i}`)))],
        'workflow.steps must have at most 200 steps in total',
      ],
      [[{ ...noop('a'), when: 'inputs.' }], 'workflow.steps.0.when must be a JavaScript expression'],
      [
        [noop('load'), { ...noop('a'), when: 'steps.laod.output > 1' }],
        'workflow.steps.1.when names the step laod, but no earlier step has this id (did you mean load?)',
      ],
      [
        [{ ...branch([noop('a')]), branches: [{ when: 'steps.a.output', steps: [noop('a')] }] }],
        'workflow.steps.0.branches.0.when names the step a, but no earlier step has this id',
      ],
      [
        [{ ...noop('a'), retry: { attempts: 11 } }],
        'workflow.steps.0.retry.attempts must be an integer from 0 to 10',
      ],
      [[{ ...noop('a'), onError: 'ignore' }], 'workflow.steps.0.onError must be fail or continue'],
      [
        [{ ...branch([noop('a')]), retry: { attempts: 1 } }],
        'workflow.steps.0.retry must not be given for a step of kind branch',
      ],
      [
        [{ id: 'all', kind: 'each', items: Array.from({ length: 1_001 }, () => 1), steps: [noop('a')] }],
        'workflow.steps.0.items must have at most 1000 items',
      ],
      [
        [
          { id: 'all', kind: 'each', items: '{{inputs.all}}', steps: [noop('a')] },
          { id: 'out', kind: 'task', taskId: 'x', inputs: { n: '{{item}}' } },
        ],
        'workflow.steps.1.inputs has {{item}}, which must be a path that starts with inputs, trigger, or steps',
      ],
      [
        [
          branch([noop('inner')]),
          { id: 'out', kind: 'task', taskId: 'x', inputs: { n: '{{steps.inner.output}}' } },
        ],
        'no earlier step has the id inner',
      ],
      [
        [{ id: 'pause', kind: 'wait', until: '9999-01-01T00:00:00Z' }],
        'workflow.steps.0.until must be at most a year from now',
      ],
      [[{ id: 'pause', kind: 'wait', for: 'P2Y' }], 'workflow.steps.0.for must be at most a year'],
      [[{ id: 'pause', kind: 'wait', for: 'an hour' }], 'workflow.steps.0.for must be an ISO 8601 duration'],
      [[{ id: 'pause', kind: 'wait' }], 'workflow.steps.0 must have one of for, until, and event'],
      [
        [{ id: 'call', kind: 'task', taskId: '7b1f8f4c-0000-7000-8000-000000000000', inputs: {} }],
        'workflow.steps.0.taskId must name a task',
      ],
    ];
    for (const [steps, message] of cases) {
      const body = { name: 'Wrong', type: 'MANUAL', workflow: { steps } };
      const answer = await runs.request<{ message: string }>('POST', '/tasks', { body });
      expect(answer.body.message).toContain(message);
      expect(answer.status).toBe(400);
    }
  });
});
