import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { storeLogs } from '../src/tasks/execution/run-endings.store.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction } from './harness/scripted-action.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let runs: RunCalls;
let scripted: ScriptedAction;

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_RUN_LEASE_MS: '2000' } });
  runs = new RunCalls(app);
  scripted = ScriptedAction.install(app);
});
afterAll(() => app.close());

const code = (source: string) => ({ id: 'code', kind: 'code' as const, source });

/** The log of the only step, while it executes. */
const runningLog = async (id: string) => {
  const { status, steps } = await runs.get({ id });
  expect([status, steps[0]?.status]).toEqual(['RUNNING', 'RUNNING']);
  return steps[0]?.log;
};

describe('the log of a running step', () => {
  verifies(
    'run.log.live',
    'is visible, also of code that never pauses, and complete in the end',
    async () => {
      const held = gate();
      const { method } = scripted.step('wait', () => held.opened.then(() => 'done'));
      const call = `await platform.tools.invoke('scripted', '${method}', {})`;
      const waits = await runs.createTask([
        code(`console.log('waits'); console.log('still'); ${call}; console.log('goes on')`),
      ]);
      const counts = await runs.createTask([
        code(`console.log('counts'); const end = Date.now() + 6000; while (Date.now() < end); return 'done'`),
      ]);
      const [waiting, counting] = [await runs.start(waits), await runs.start(counts)];
      await eventually(async () => expect(await runningLog(waiting.id)).toBe('waits\nstill\n'));
      await eventually(async () => expect(await runningLog(counting.id)).toBe('counts\n'));
      held.open();
      const done = await runs.reached(waiting, 'SUCCEEDED');
      expect(done.steps[0]?.log).toBe('waits\nstill\ngoes on\n');
      expect((await runs.reached(counting, 'SUCCEEDED')).steps[0]?.log).toBe('counts\n');
    },
  );

  verifies('run.log.live', 'is kept if its process dies, and written by nobody else', async () => {
    const held = gate();
    const task = await runs.createTask([
      scripted.step('logs', async ({ log }) => {
        log('before the end');
        await held.opened;
      }),
    ]);
    const run = await runs.start(task);
    await eventually(async () => expect(await runningLog(run.id)).toBe('before the end\n'));
    // As another process does that takes the run over, and dies.
    await app.sql(
      `update run_queue set fencing_token = gen_random_uuid(), lease_until = clock_timestamp() where run_id = $1`,
      [run.id],
    );
    const [attempt] = await app.sql<{ token: string }>(
      'select fencing_token as token from run_attempt where run_id = $1',
      [run.id],
    );
    const line = {
      runId: run.id,
      fencingToken: attempt?.token ?? '',
      attempt: 1,
      position: 0,
      log: 'forged',
    };
    expect(await storeLogs(app.get(BackgroundDatabase), [line])).toEqual(new Set());
    const interrupted = await runs.reached(run);
    expect(interrupted.steps).toMatchObject([{ status: 'INTERRUPTED', log: 'before the end\n' }]);
    held.open();
  });
});
