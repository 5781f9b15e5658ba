import type { CreateTaskRequest, Run, Step } from '@platform/contracts';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import type { ActionContext } from '../src/tasks/definition/action.registry.ts';
import { RunClaimsService } from '../src/tasks/execution/run-claims.service.ts';
import { RunLeasesWorker } from '../src/tasks/execution/run-leases.worker.ts';
import { RunWorker } from '../src/tasks/execution/run.worker.ts';
import { StepError } from '../src/tasks/runs/step-error.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { LostResponses } from './harness/lost-responses.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction, type Script } from './harness/scripted-action.ts';
import { verifies } from './verifies.ts';

const LEASE_MS = 8_000;
const env = (drainMs: number) => ({
  PLATFORM_RUN_LEASE_MS: String(LEASE_MS),
  PLATFORM_RUN_DRAIN_MS: String(drainMs),
});

/** A process, and the one that follows it on the same database. Both execute runs with the same script. */
class Deployment {
  readonly runs: RunCalls;
  readonly scripted: ScriptedAction;
  private next: TestApp | null = null;

  private constructor(private readonly first: TestApp) {
    this.runs = new RunCalls(first);
    this.scripted = ScriptedAction.install(first);
  }

  static async start(drainMs = 15_000): Promise<Deployment> {
    return new Deployment(await TestApp.start({ env: env(drainMs) }));
  }

  /** Tells the process to end, lets `meanwhile` happen once its runs know that, and waits for its end. */
  async end(meanwhile: () => void): Promise<void> {
    const active = this.first.get(RunLeasesWorker).list();
    const closing = this.first.close();
    await eventually(() => {
      expect(active.every((run) => run.isDraining)).toBe(true);
      return Promise.resolve();
    });
    meanwhile();
    await closing;
  }

  /** Starts the next process; as `api`, it only shows what the first has left. */
  async follow(role: 'all' | 'api' = 'all'): Promise<RunCalls> {
    await this.next?.close();
    this.next = await TestApp.start({
      env: { ...env(15_000), PLATFORM_ROLE: role },
      database: this.first,
    });
    this.scripted.addTo(this.next);
    return new RunCalls(this.next);
  }

  get app(): TestApp {
    return this.next ?? this.first;
  }

  async close(): Promise<void> {
    await this.next?.close();
  }
}

interface HandedOver {
  /** The step after the one that ends last in the first process. */
  last: Script;
  change?: Partial<CreateTaskRequest>;
  /** Called while the step before is executing. */
  whileRunning?: (run: Run) => Promise<unknown>;
}

const untilStopped = ({ signal }: ActionContext) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('a deployment', () => {
  let deployment: Deployment;

  afterEach(() => deployment.close());

  verifies(
    'run.handover',
    'hands a run over between two steps: what ended is not executed again, and nothing is lost',
    async () => {
      deployment = await Deployment.start();
      const { runs, scripted } = deployment;
      const [began, held] = [gate(), gate()];
      const executed: string[] = [];
      const steps = [
        scripted.step('first', () => {
          executed.push('first');
          return { status: 1 };
        }),
        scripted.step('current', async () => {
          executed.push('current');
          began.open();
          await held.opened;
          return { status: 2 };
        }),
        scripted.step(
          'last',
          (_, input) => {
            executed.push('last');
            return input;
          },
          { sum: '{{steps.first.output.status}} and {{steps.current.output.status}}' },
        ),
      ];
      const task = await runs.createTask(steps, { concurrency: 1 });
      const run = await runs.start(task);
      const waiting = await runs.start(task);
      await began.opened;
      await deployment.end(held.open);
      expect(executed).toEqual(['first', 'current']);

      const seen = await deployment.follow('api');
      expect(await seen.get(run)).toMatchObject({
        status: 'QUEUED',
        attempt: 2,
        steps: [
          { id: 'first', status: 'SUCCEEDED', output: { status: 1 } },
          { id: 'current', status: 'SUCCEEDED', output: { status: 2 } },
        ],
        attempts: [{ attempt: 1, status: 'HANDED_OVER' }],
      });
      expect(await seen.get(waiting)).toMatchObject({ status: 'QUEUED', attempt: 1, attempts: [] });
      expect(await deployment.app.sql(`select from run_queue where state <> 'READY'`)).toEqual([]);
      expect(await deployment.app.sql('select from run_slot where run_id is not null')).toEqual([]);

      const after = await deployment.follow();
      const done = await after.reached(run);
      expect(done).toMatchObject({
        status: 'SUCCEEDED',
        attempt: 2,
        steps: [{ id: 'first' }, { id: 'current' }, { id: 'last', output: { sum: '1 and 2' } }],
      });
      expect(done.attempts.map(({ status }) => status)).toEqual(['HANDED_OVER', 'SUCCEEDED']);
      // The run that was handed over has waited longest, so it goes first.
      await after.reached(waiting, 'SUCCEEDED');
      expect(executed).toEqual(['first', 'current', 'last', 'first', 'current', 'last']);
    },
  );

  /** Starts runs whose second step is executing when their process is told to end, and ends in time. */
  async function handOver(runs: RunCalls, scripted: ScriptedAction, tasks: HandedOver[]): Promise<Run[]> {
    const held = gate();
    const started: Run[] = [];
    for (const { last, change, whileRunning } of tasks) {
      const began = gate();
      const task = await runs.createTask(
        [
          scripted.step('first', ({ runId }) => count('first', runId)),
          scripted.step('current', async ({ runId }) => {
            began.open();
            await held.opened;
            return count('current', runId);
          }),
          scripted.step('last', last),
        ],
        change,
      );
      const run = await runs.start(task);
      started.push(run);
      await began.opened;
      await whileRunning?.(run);
    }
    await deployment.end(held.open);
    return started;
  }

  const counts = new Map<string, number>();
  const count = (step: string, runId: string) => {
    const key = `${step} ${runId}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key);
  };
  const executions = (step: string, { id }: Run) => counts.get(`${step} ${id}`);

  verifies(
    ['run.handover', 'run.timeout', 'run.backoff'],
    'counts no attempt that failed, keeps the workflow and the time that have begun',
    async () => {
      deployment = await Deployment.start();
      const { runs, scripted } = deployment;
      const fails = () => {
        throw new StepError('STEP_FAILED', 'On its own');
      };
      const failsOnce = ({ attempt }: ActionContext) => (attempt === 2 ? fails() : 'done');
      const disable = async ({ taskId }: Run) => {
        const { status } = await runs.request('PATCH', `/tasks/${taskId}`, { body: { enabled: false } });
        expect(status).toBe(200);
      };
      const [final, again, changed, late, disabled, cancelled] = (await handOver(runs, scripted, [
        { last: fails },
        { last: failsOnce, change: { retry: { attempts: 1, backoffMs: 0 } } },
        { last: () => 'as it began' },
        { last: untilStopped, change: { timeoutMs: 60_000 } },
        { last: () => 'goes on', whileRunning: disable },
        { last: () => 'must not be executed', whileRunning: disable },
      ])) as [Run, Run, Run, Run, Run, Run];

      const waiting = await deployment.follow('api');
      const steps = [scripted.step('other', () => 'must not be executed')];
      const { status } = await waiting.request('PATCH', `/tasks/${changed.taskId}`, {
        body: { workflow: { steps } },
      });
      expect(status).toBe(200);
      await deployment.app.sql(
        `update run_attempt set started_at = finished_at - interval '59 s' where run_id = $1`,
        [late.id],
      );

      // Requested of the process that handed it over, but not seen by it.
      await deployment.app.sql('update run set cancel_requested = true where id = $1', [cancelled.id]);

      const after = await deployment.follow();
      const statuses = ({ attempts }: Run) => attempts.map(({ status }) => status);
      const failed = await after.reached(final);
      expect([failed.status, statuses(failed)]).toEqual(['FAILED', ['HANDED_OVER', 'FAILED']]);
      expect([executions('first', final), executions('current', final)]).toEqual([1, 1]);
      // Also after a failure, what has ended is not executed again.
      const repeated = await after.reached(again);
      expect(statuses(repeated)).toEqual(['HANDED_OVER', 'FAILED', 'SUCCEEDED']);
      expect(repeated.steps.map(({ output }) => output)).toEqual([1, 1, 'done']);
      expect((await after.reached(changed)).steps.map(({ id }) => id)).toEqual(['first', 'current', 'last']);
      const timedOut = await after.reached(late);
      expect(timedOut).toMatchObject({ status: 'FAILED', error: { code: 'TIMEOUT' } });
      expect(timedOut.durationMs).toBeLessThan(59_000);
      // It was running when its task was disabled.
      expect(statuses(await after.reached(disabled, 'SUCCEEDED'))).toEqual(['HANDED_OVER', 'SUCCEEDED']);
      expect(statuses(await after.reached(cancelled))).toEqual(['HANDED_OVER', 'CANCELLED']);
    },
  );

  verifies(
    ['run.handover', 'workflow.task.cancel'],
    'cancels what a run waits for that is to be canceled before it goes on',
    async () => {
      deployment = await Deployment.start();
      const { runs, scripted } = deployment;
      const [began, held] = [gate(), gate()];
      const current = scripted.step('current', () => {
        began.open();
        return held.opened;
      });
      const waiting = await runs.createTask([{ id: 'pause', kind: 'wait', for: 'PT1H' }]);
      const each: Step = {
        id: 'all',
        kind: 'each',
        items: [0, 1],
        concurrency: 2,
        steps: [
          { id: 'call', kind: 'task', taskId: waiting.id, inputs: {}, when: 'item === 0' },
          { ...current, when: 'item === 1' },
          scripted.step('last', () => 'must not be executed'),
        ],
      };
      const run = await runs.start(await runs.createTask([each]));
      await began.opened;
      const children = () => deployment.app.sql('select status from run where task_id = $1', [waiting.id]);
      await eventually(async () => expect(await children()).toEqual([{ status: 'WAITING' }]));
      await deployment.end(held.open);
      // Requested of the process that handed it over, but not seen by it.
      await deployment.follow('api');
      await deployment.app.sql('update run set cancel_requested = true where id = $1', [run.id]);
      await (await deployment.follow()).reached(run, 'CANCELLED');
      expect(await children()).toEqual([{ status: 'CANCELLED' }]);
    },
  );

  verifies(['run.handover', 'run.cancel'], 'leaves no step open if the run is then canceled', async () => {
    deployment = await Deployment.start();
    const { runs, scripted } = deployment;
    const [began, held] = [gate(), gate()];
    const current = scripted.step('current', () => {
      began.open();
      return held.opened;
    });
    const each: Step = { id: 'all', kind: 'each', items: [0, 1], steps: [current] };
    const run = await runs.start(await runs.createTask([each]));
    await began.opened;
    await deployment.end(held.open);
    const { body } = await (await deployment.follow('api')).cancel(run);
    expect(body.status).toBe('CANCELLED');
    expect(body.steps.map(({ scope, status }) => `${scope} ${status}`)).toEqual([
      'all CANCELLED',
      'all[0].current SUCCEEDED',
    ]);
  });

  verifies(
    ['run.handover', 'run.cancel', 'run.lost-response'],
    'hands a run over once although the response is lost, again and again, and cancels it in between',
    async () => {
      deployment = await Deployment.start();
      const { runs, scripted } = deployment;
      const responses = new LostResponses(deployment.app.get(BackgroundDatabase));
      responses.next(/'HANDED_OVER'/);
      const [run, cancelled] = (await handOver(runs, scripted, [
        { last: () => 'done' },
        { last: () => 'must not be executed' },
      ])) as [Run, Run];
      expect(responses.lost).toBe(1);
      const between = await deployment.follow('api');
      for (const one of [run, cancelled])
        expect(await between.get(one)).toMatchObject({ status: 'QUEUED', attempt: 2, attempts: [{}] });
      expect((await between.cancel(cancelled)).body).toMatchObject({ status: 'CANCELLED' });

      // A process that has claimed it, but is told to end before the next step, leaves no trace.
      const claims = deployment.app.get(RunClaimsService);
      const [claimed] = await claims.claim([{ taskId: run.taskId, count: 1 }]);
      if (claimed === undefined) throw new Error('No run was claimed');
      claimed.isDraining = true;
      await deployment.app.get(RunWorker).run(claimed);
      expect(await between.get(run)).toMatchObject({
        status: 'QUEUED',
        attempt: 2,
        steps: [{ id: 'first' }, { id: 'current' }],
        attempts: [{ status: 'HANDED_OVER' }],
      });

      const after = await deployment.follow();
      expect(await after.reached(run)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
      expect([executions('first', run), executions('current', run)]).toEqual([1, 1]);
      const retried = await after.retry(cancelled);
      expect(retried.status).toBe(202);
      await after.reached(cancelled, 'SUCCEEDED');
      expect([executions('first', cancelled), executions('current', cancelled)]).toEqual([1, 1]);
    },
  );
});
