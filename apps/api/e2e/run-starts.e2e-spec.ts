import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { RunClaimsService } from '../src/tasks/execution/run-claims.service.ts';
import { RunWritesService } from '../src/tasks/execution/run-writes.service.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { LostCommits } from './harness/lost-commits.ts';
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
afterAll(() => app.close());

const code = (id: string, source: string) => ({ id, kind: 'code' as const, source });

/** The steps that are stored while they execute. */
function watchStarts(): string[] {
  const started: string[] = [];
  const writes = app.get(RunWritesService);
  const startStep = writes.startStep.bind(writes);
  jest.spyOn(writes, 'startStep').mockImplementation((active, step) => {
    started.push(step.stepId);
    return startStep(active, step);
  });
  return started;
}

const leave = async ({ userId }: TestUser) => {
  const { status } = await app.request('DELETE', `/api/members/${userId}`);
  return status;
};

describe('a step of code', () => {
  afterEach(() => jest.restoreAllMocks());

  verifies('run.step.begin', 'that is short is stored once, whether it succeeds or fails', async () => {
    const started = watchStarts();
    const task = await runs.createTask([
      code('one', "console.log('short'); const end = Date.now() + 30; while (Date.now() < end); return 1"),
      { ...code('two', "throw new Error('no')"), onError: 'continue' as const },
      code('three', 'return context.steps.one.output + 2'),
    ]);
    // The first run waits for a process of the sandbox, and a busy machine makes none of them short.
    const run = await eventually(async () => {
      started.length = 0;
      const ended = await runs.reached(await runs.start(task), 'SUCCEEDED');
      expect(started).toEqual([]);
      return ended;
    });
    expect(run.steps).toMatchObject([
      { id: 'one', status: 'SUCCEEDED', output: 1, log: 'short\n' },
      { id: 'two', status: 'FAILED', output: null, error: { code: 'STEP_FAILED' } },
      { id: 'three', status: 'SUCCEEDED', output: 3 },
    ]);
    const [one] = run.steps;
    expect(one?.durationMs).toBeGreaterThanOrEqual(30);
    const ended = await app.sql<{ ms: number }>(
      `select abs(extract(epoch from finished_at - started_at) * 1000 - duration_ms)::float8 as ms
       from run_step where run_id = $1`,
      [run.id],
    );
    for (const { ms } of ended) expect(ms).toBeLessThanOrEqual(2);
  });

  verifies('run.step.begin', 'is stored before it has an effect', async () => {
    const started = watchStarts();
    const seen: string[][] = [];
    const { method } = scripted.step('look', () => seen.push([...started]));
    const task = await runs.createTask([
      code('pure', 'return 1'),
      code('calls', `await platform.tools.invoke('scripted', '${method}', {})`),
    ]);
    await runs.reached(await runs.start(task), 'SUCCEEDED');
    expect(seen).toEqual([['calls']]);
  });

  verifies('run.step.begin', 'is RUNNING while it takes longer', async () => {
    const held = gate();
    const { method } = scripted.step('hold', () => held.opened);
    const task = await runs.createTask([
      code('sleeps', 'await platform.sleep(1200)'),
      code('waits', `await platform.tools.invoke('scripted', '${method}', {})`),
    ]);
    const run = await runs.start(task);
    for (const steps of [
      [{ id: 'sleeps', status: 'RUNNING' }],
      [
        { id: 'sleeps', status: 'SUCCEEDED' },
        { id: 'waits', status: 'RUNNING' },
      ],
    ])
      await eventually(async () => expect((await runs.get(run)).steps).toMatchObject(steps));
    held.open();
    await runs.reached(run, 'SUCCEEDED');
  });

  verifies('run.step.begin', 'has its whole duration, however late its start was stored', async () => {
    const writes = app.get(RunWritesService);
    const startStep = writes.startStep.bind(writes);
    jest.spyOn(writes, 'startStep').mockImplementationOnce(async (active, step) => {
      await delay(400);
      return startStep(active, step);
    });
    const task = await runs.createTask([code('sleeps', 'await platform.sleep(500)')]);
    const run = await runs.reached(await runs.start(task), 'SUCCEEDED');
    expect(run.steps[0]?.durationMs).toBeGreaterThanOrEqual(500);
  });

  verifies(
    'run.step.begin',
    'lies between the step before it and the end of the run, however late its end is stored',
    async () => {
      const writes = app.get(RunWritesService);
      const storeEnds = writes.storeEnds.bind(writes);
      jest.spyOn(writes, 'storeEnds').mockImplementation(async (active) => {
        await delay(100);
        return storeEnds(active);
      });
      const task = await runs.createTask([code('one', 'return 1'), code('two', 'return 2')]);
      const { id } = await runs.reached(await runs.start(task), 'SUCCEEDED');
      const [times] = await app.sql<{ at: Date[] }>(
        `select array[run.started_at, one.started_at, one.finished_at, two.started_at, two.finished_at, run.finished_at] as at
         from run join run_step one on one.run_id = run.id and one.position = 0
           join run_step two on two.run_id = run.id and two.position = 1
         where run.id = $1`,
        [id],
      );
      const at = (times?.at ?? []).map((time) => time.getTime());
      expect(at).toHaveLength(6);
      expect(at).toEqual(at.toSorted((a, b) => a - b));
    },
  );

  verifies(
    ['run.step.begin', 'run.owner'],
    'ends at once, as if not begun, if its owner has left',
    async () => {
      const leaver = await app.addUser('MEMBER');
      const task = await runs
        .by(leaver)
        .createTask([
          scripted.step('leave', () => leave(leaver)),
          code('long', 'await platform.sleep(3600000)'),
        ]);
      const run = await runs.reached(await runs.start(task), 'FAILED');
      expect(run).toMatchObject({ error: { code: 'OWNER_GONE' }, steps: [{ id: 'leave' }] });
      expect(run.steps).toHaveLength(1);
    },
  );
});

describe('a run of an event', () => {
  let shop: EmittingApp;

  beforeAll(async () => {
    shop = await EmittingApp.install(app);
  });
  afterEach(() => jest.restoreAllMocks());

  /** A task that has its slots: no dispatch creates them. */
  async function subscribe(): Promise<void> {
    const task = await shop.task('one', [code('one', 'return 1')]);
    await shop.subscribe(task);
    await runs.reached(await runs.start(task), 'SUCCEEDED');
  }

  verifies('run.start', 'is claimed by the transaction that dispatches the event', async () => {
    await subscribe();
    const claim = jest.spyOn(app.get(RunClaimsService), 'claim');
    await eventually(async () => {
      // A poll of the queue may come in between.
      claim.mockClear();
      const { envelopeId } = await shop.emit({ n: 1 });
      await shop.dispatched(envelopeId);
      for (const { id } of await shop.runs(envelopeId)) await runs.reached({ id }, 'SUCCEEDED');
      expect(claim).not.toHaveBeenCalled();
    });
  });

  verifies('run.start', 'executes once if the response to that COMMIT is lost', async () => {
    await subscribe();
    const commits = new LostCommits(app.get(BackgroundDatabase));
    try {
      commits.next(/insert into delivery/);
      const { envelopeId } = await shop.emit({ n: 2 });
      await shop.dispatched(envelopeId);
      expect(commits.lost).toBe(1);
      for (const { id } of await shop.runs(envelopeId))
        expect(await runs.reached({ id }, 'SUCCEEDED')).toMatchObject({
          attempt: 1,
          attempts: [{ attempt: 1 }],
        });
    } finally {
      commits.restore();
    }
  });
});
