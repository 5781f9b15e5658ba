import { eventually } from '../../../e2e/harness/eventually.ts';
import { gate } from '../../../e2e/harness/gate.ts';
import type { PlatformConfig } from '../../infra/config/platform-config.ts';
import type { BackgroundDatabase } from '../../infra/database/database.ts';
import type { Messaging } from '../../infra/messaging/messaging.ts';
import type { ActiveRun } from './active-run.ts';
import type { RunClaimsService } from './run-claims.service.ts';
import type { WantedRuns } from './run-claims.store.ts';
import { RunStarterWorker } from './run-starter.worker.ts';
import type { RunWorker } from './run.worker.ts';
import type { EventRun, RunCreationService, RunStart } from '../runs/run-creation.service.ts';
import type { EntityManager } from 'typeorm';

/** How many tasks of an owner one look shows. */
const SHOWN = 8;

/**
 * A queue of one owner. Only hints and ends of runs make the worker look: its own polls find nothing, unless a look shows not
 * all tasks.
 */
class Queue {
  readonly waiting = new Map<string, number>();
  readonly executing: (() => void)[] = [];
  started = 0;
  /** Of each run. */
  inputBytes = 0;
  private claimedWithin: ActiveRun[] = [];
  private isMore = false;
  hint = () => Promise.resolve();
  /** Resolves when no turn of another space goes first. */
  giveWay = () => Promise.resolve();
  private readonly worker: RunStarterWorker;

  constructor(runConcurrency: number) {
    const query = ({ values }: { values: unknown[] }) => {
      const [after = ''] = values[4] as string[];
      const tasks = [...this.waiting].filter(([id, count]) => id > after && count > 0).sort();
      this.isMore = tasks.length >= SHOWN;
      const rows = tasks
        .slice(0, SHOWN)
        .map(([taskId, waiting]) => ({ spaceId: 'space', ownerUserId: 'owner', taskId, waiting }));
      return Promise.resolve({ rows });
    };
    const database = { hasRows: () => Promise.resolve(this.isMore), driver: { master: { query } } };
    const messaging = {
      consume: (_kind: string, handler: () => Promise<void>) => (this.hint = handler),
      onRecovery: () => undefined,
      getState: () => 'in-process',
    };
    const execute = () => new Promise<void>((resolve) => this.executing.push(resolve));
    const claims = {
      claim: (wanted: WantedRuns[]) => Promise.resolve(this.claim(wanted)),
      openClaim: (wanted: WantedRuns[]) => ({
        claim: () => Promise.resolve({ runs: (this.claimedWithin = this.claim(wanted)), tasks: [] }),
        find: () => Promise.resolve(this.claimedWithin),
      }),
    };
    this.worker = new RunStarterWorker(
      { runConcurrency, isWorker: true } as PlatformConfig,
      database as unknown as BackgroundDatabase,
      messaging as unknown as Messaging,
      claims as unknown as RunClaimsService,
      { run: execute } as unknown as RunWorker,
      {
        useStarter: () => undefined,
        giveWay: () => this.giveWay(),
      } as unknown as RunCreationService,
    );
    this.worker.onApplicationBootstrap();
  }

  /** Queues runs in a transaction, which claims them as well. */
  async queueWithin(taskId: string, count: number, spaceId = 'space'): Promise<RunStart> {
    const start = this.worker.openStart();
    this.waiting.set(taskId, (this.waiting.get(taskId) ?? 0) + count);
    const run = { spaceId, ownerUserId: 'owner', taskId } as EventRun;
    await start.claim(
      {} as EntityManager,
      Array.from({ length: count }, () => run),
    );
    return start;
  }

  reached(started: number): Promise<void> {
    return eventually(async () => {
      await Promise.resolve();
      expect(this.started).toBeGreaterThanOrEqual(started);
    });
  }

  stop(): Promise<void> {
    return this.worker.beforeApplicationShutdown();
  }

  private claim(wanted: readonly WantedRuns[]): ActiveRun[] {
    return wanted.flatMap(({ taskId, count }) => {
      const claimed = Math.min(count, this.waiting.get(taskId) ?? 0);
      this.waiting.set(taskId, (this.waiting.get(taskId) ?? 0) - claimed);
      this.started += claimed;
      const run = { spaceId: 'space', ownerUserId: 'owner', taskId, inputBytes: this.inputBytes };
      return Array.from({ length: claimed }, () => ({ run }) as ActiveRun);
    });
  }
}

const TASKS = Array.from({ length: 3 * SHOWN }, (_, i) => `task ${String.fromCharCode(97 + i)}`);

describe('the starter of runs', () => {
  it('starts what was passed over when a run ends, however many tasks of the owner were looked at since', async () => {
    const queue = new Queue(16);
    for (const task of TASKS) queue.waiting.set(task, 4);
    await queue.hint();
    for (let ended = 0; ended < 4 * TASKS.length; ended += 1) {
      await queue.reached(ended + 1);
      queue.executing.shift()?.();
    }
    expect(queue.started).toBe(4 * TASKS.length);
    await queue.stop();
  });

  it('starts runs with the transaction that queues them, as many as there are places', async () => {
    const queue = new Queue(16);
    await new Promise(setImmediate);
    await (await queue.queueWithin('task', 10)).execute();
    // An owner has at most a quarter of the places.
    expect(queue.executing).toHaveLength(4);
    expect((await (await queue.queueWithin('task', 1)).execute()).size).toBe(0);
    queue.executing.shift()?.();
    await new Promise(setImmediate);
    await (await queue.queueWithin('task', 1)).execute();
    expect(queue.executing).toHaveLength(4);
    await queue.stop();
  });

  it('starts fewer runs if their inputs are large', async () => {
    const queue = new Queue(16);
    queue.inputBytes = 3 * 1024 * 1024;
    await new Promise(setImmediate);
    await (await queue.queueWithin('task', 1)).execute();
    expect((await (await queue.queueWithin('task', 2)).execute()).size).toBe(0);
    queue.executing.shift()?.();
    await queue.reached(2);
    await queue.stop();
  });

  it('starts no run before those that wait', async () => {
    const queue = new Queue(16);
    queue.waiting.set('before', 20);
    await queue.hint();
    await queue.reached(4);
    await new Promise(setImmediate);
    queue.executing.shift()?.();
    await queue.queueWithin('task', 1);
    expect(queue.waiting.get('task')).toBe(1);
    await queue.stop();
    await queue.queueWithin('task', 1);
    expect(queue.waiting.get('task')).toBe(2);
  });

  it('starts a run of another space, whatever waits in this one', async () => {
    const queue = new Queue(16);
    queue.waiting.set('before', 20);
    await queue.hint();
    await queue.reached(4);
    await new Promise(setImmediate);
    const start = await queue.queueWithin('task', 1, 'other space');
    expect(queue.waiting.get('task')).toBe(0);
    await start.execute();
    expect(queue.executing).toHaveLength(5);
    await queue.stop();
  });

  it('lets urgent work go before runs that wait, but not before those of a transaction', async () => {
    const queue = new Queue(16);
    for (const task of TASKS) queue.waiting.set(task, 4);
    await queue.hint();
    await queue.reached(4);
    await new Promise(setImmediate);
    const { opened, open } = gate();
    queue.giveWay = () => opened;
    queue.executing.shift()?.();
    await new Promise(setImmediate);
    expect(queue.started).toBe(4);
    const start = await queue.queueWithin('task', 1, 'other space');
    await start.execute();
    expect(queue.started).toBe(5);
    open();
    await queue.reached(6);
    await queue.stop();
  });

  it('waits until a process that ends has given back what a transaction has claimed', async () => {
    const queue = new Queue(16);
    await new Promise(setImmediate);
    const start = await queue.queueWithin('task', 1);
    await queue.stop();
    let isDone = false;
    const executed = start.execute().then(() => (isDone = true));
    await new Promise(setImmediate);
    expect([isDone, queue.executing.length]).toEqual([false, 1]);
    queue.executing.shift()?.();
    await executed;
  });

  it('gives places back if a transaction fails, and executes what it may have claimed', async () => {
    const queue = new Queue(16);
    await new Promise(setImmediate);
    for (let i = 0; i < 10; i += 1) (await queue.queueWithin('task', 4)).fail(new Error('rolled back'));
    expect(queue.executing).toHaveLength(0);
    const start = await queue.queueWithin('task', 4);
    start.fail(Object.assign(new Error('terminated'), { code: 'ECONNRESET' }));
    await new Promise(setImmediate);
    expect(queue.executing).toHaveLength(4);
    await queue.stop();
  });

  it('starts a run that a hint is about although it has looked at the tasks after it', async () => {
    const queue = new Queue(400);
    // It has looked when it started.
    await new Promise(setImmediate);
    const [first = '', ...others] = TASKS.slice(0, SHOWN + 1);
    for (const task of others) queue.waiting.set(task, 1);
    await queue.hint();
    // Without a pause: it goes on with the tasks after these in a moment.
    while (queue.started < SHOWN) await new Promise(setImmediate);
    queue.waiting.set(first, 1);
    await queue.hint();
    await queue.reached(SHOWN + 1);
    await queue.stop();
  });
});
