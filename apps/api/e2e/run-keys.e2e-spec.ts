import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { ErrorBody, Run, Task } from '@platform/contracts';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { enterKeys } from '../src/tasks/keys/run-keys.store.ts';
import { RunKeysWorker } from '../src/tasks/keys/run-keys.worker.ts';
import { CLAIM_RUNS } from '../src/tasks/execution/run-claims.store.ts';
import { Fleet } from './faults/fleet.ts';
import { judge } from './faults/referee.ts';
import { LIMIT_MS, scaled } from './faults/scale.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { rowsRead } from './harness/query-plan.ts';
import { seededRandom } from './harness/random.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction } from './harness/scripted-action.ts';
import { StepError } from '../src/tasks/runs/step-error.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

type Gate = ReturnType<typeof gate> & { fail?: true };

describe('a task with a key of concurrency', () => {
  let app: TestApp;
  let runs: RunCalls;
  let scripted: ScriptedAction;
  /** What the runs that execute wait for, by their ids. */
  const executing = new Map<string, Gate>();
  /** The runs that have begun, in order. */
  const begun: string[] = [];

  beforeAll(async () => {
    app = await TestApp.start();
    runs = new RunCalls(app);
    scripted = ScriptedAction.install(app);
  });
  afterAll(() => app.close());
  beforeEach(() => {
    executing.clear();
    begun.length = 0;
  });

  const keyed = (change: Partial<Task> = {}) =>
    runs.createTask(
      [
        scripted.step('work', async ({ runId }) => {
          const held: Gate = gate();
          executing.set(runId, held);
          begun.push(runId);
          await held.opened;
          executing.delete(runId);
          if (held.fail) throw new StepError('STEP_FAILED', 'It fails');
        }),
      ],
      { concurrency: 10, concurrencyKey: '{{inputs.customer}}', perKey: 1, ...change },
    );

  /** Starts runs of customers, one after another. */
  async function start(task: Task, ...customers: unknown[]): Promise<Run[]> {
    const started: Run[] = [];
    for (const customer of customers) started.push(await runs.start(task, { customer }));
    return started;
  }

  const execute = (...wanted: (Run | undefined)[]) =>
    eventually(() => {
      expect([...executing.keys()].sort()).toEqual(wanted.map((run) => run?.id ?? '').sort());
      return Promise.resolve();
    });

  /** Once the runs wait for a place of their key. */
  const wait = (...wanted: (Run | undefined)[]) =>
    eventually(async () => {
      for (const run of wanted)
        expect(await runs.get({ id: run?.id ?? '' })).toMatchObject({ status: 'QUEUED', waitsForKey: {} });
    });

  const release = (run: Run | undefined) => executing.get(run?.id ?? '')?.open();

  const places = () => app.sql('select run_id from run_key_place');

  verifies(
    'run.key',
    'executes so many runs of each value at once, the oldest first, and says what they wait for',
    async () => {
      const task = await keyed({ perKey: 2 });
      expect(task).toMatchObject({ concurrencyKey: '{{inputs.customer}}', perKey: 2 });
      // Values are compared as JSON; runs without one share it.
      const [a1, a2, a3, a4, b1, none1, none2, none3] = await start(
        task,
        { id: 1, name: 'a' },
        { name: 'a', id: 1 },
        { id: 1, name: 'a' },
        { id: 1, name: 'a' },
        '1',
        undefined,
        undefined,
        undefined,
      );
      await execute(a1, a2, b1, none1, none2);
      await wait(a3, a4, none3);
      const { waitsForKey } = await runs.get(a4 as Run);
      expect(waitsForKey).toEqual({ perKey: 2, runIds: [a1?.id, a2?.id].sort() });
      expect(await runs.get(a3 as Run)).toMatchObject({ startedAt: null, attempts: [] });
      expect((await runs.get(a1 as Run)).waitsForKey).toBeNull();
      release(a2);
      await execute(a1, a3, b1, none1, none2);
      release(a1);
      await execute(a3, a4, b1, none1, none2);
      for (const run of [a3, a4, b1, none1, none2]) release(run);
      await execute(none3);
      release(none3);
      for (const run of [a4, none3]) expect((await runs.reached(run as Run)).status).toBe('SUCCEEDED');
      expect(begun.filter((id) => [a1, a2, a3, a4].some((run) => run?.id === id))).toEqual(
        [a1, a2, a3, a4].map((run) => run?.id),
      );
      expect(await places()).toEqual([]);
    },
  );

  verifies('run.key.place', 'passes a place on when a run fails, is canceled, or waits', async () => {
    const task = await keyed();
    const [failing, cancelled, gone, last] = await start(task, 'a', 'a', 'a', 'a');
    await execute(failing);
    await wait(cancelled, gone, last);
    // One that waits leaves no place behind.
    await runs.cancel(gone as Run);
    const held = executing.get(failing?.id ?? '');
    if (held) held.fail = true;
    release(failing);
    await execute(cancelled);
    await runs.cancel(cancelled as Run);
    release(cancelled);
    await execute(last);
    release(last);
    expect((await runs.reached(failing as Run)).status).toBe('FAILED');
    expect((await runs.reached(last as Run)).status).toBe('SUCCEEDED');
    expect(await places()).toEqual([]);

    const waiting = await runs.createTask(
      [
        scripted.step('first', ({ runId }) => begun.push(runId)),
        { id: 'hour', kind: 'wait', for: 'PT1H' },
        scripted.step('second', ({ runId }) => begun.push(runId)),
      ],
      { concurrencyKey: '{{inputs.customer}}' },
    );
    const [one, two] = await start(waiting, 'a', 'a');
    for (const run of [one, two]) await runs.reached(run as Run, 'WAITING');
    await runs.endWaits(one as Run);
    await runs.reached(one as Run, 'SUCCEEDED');
    await runs.cancel(two as Run);
    expect(await places()).toEqual([]);
  });

  verifies(
    'run.key.place',
    'lets runs begin after a change of the task, and after a release that nobody saw',
    async () => {
      const task = await keyed();
      const change = async (body: object) => {
        const { status, body: changed } = await runs.request<Task>('PATCH', `/tasks/${task.id}`, { body });
        expect(status).toBe(200);
        return changed;
      };
      const [one, two, three, four, five] = await start(task, 'a', 'a', 'a', 'a', 'a');
      await execute(one);
      await wait(two, three, four, five);
      await change({ perKey: 2 });
      await execute(one, two);
      // A lower limit ends nothing.
      await change({ perKey: 1 });
      release(two);
      await runs.reached(two as Run);
      await execute(one);
      // As if the end of a run had been overlooked.
      await app.sql(`alter table run_queue disable trigger user`);
      release(one);
      await runs.reached(one as Run);
      await app.sql(`alter table run_queue enable trigger user`);
      await execute(three);
      expect(await change({ concurrencyKey: null })).toMatchObject({ concurrencyKey: null, perKey: 1 });
      await execute(three, four, five);
      for (const run of [three, four, five]) release(run);
      for (const run of [three, four, five]) await runs.reached(run as Run, 'SUCCEEDED');
      expect(await places()).toEqual([]);
    },
  );

  it('refuses a key without a template, or with one that has no value, and a limit out of bounds', async () => {
    const steps = [{ id: 'one', kind: 'code', source: 'return 1;' }];
    const refused = async (change: object) =>
      (
        await runs.request<ErrorBody>('POST', '/tasks', {
          body: { name: 'Wrong', type: 'MANUAL', workflow: { steps }, ...change },
        })
      ).body.message;
    const shape =
      'concurrencyKey must be a text of at most 500 characters with a template, such as {{trigger.payload.customerId}}';
    for (const concurrencyKey of ['', 'customer', 7, 'x'.repeat(500) + '{{inputs.a}}'])
      expect(await refused({ concurrencyKey })).toContain(shape);
    expect(await refused({ concurrencyKey: '{{steps.one.output}}' })).toContain(
      'no earlier step has the id one',
    );
    expect(await refused({ concurrencyKey: '{{trigger.id}}' })).toContain(
      'concurrencyKey has {{trigger.id}}, but no event starts a task of type MANUAL',
    );
    for (const perKey of [0, 101, 1.5]) expect(await refused({ perKey })).toContain('perKey');
  });
});

describe('with many runs of one key', () => {
  const RUNS = 20_000;
  const HOT = '00';
  let app: TestApp;
  let runs: RunCalls;
  let task: Task;

  beforeAll(async () => {
    app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    runs = new RunCalls(app);
    task = await runs.createTask([{ id: 'one', kind: 'code', source: 'return 1;' }], {
      concurrencyKey: '{{inputs.customer}}',
      perKey: 2,
    });
    await app.sql(
      `with new as (
         insert into run (id, space_id, task_id, owner_user_id, origin, inputs)
         select uuid_v7(), $1, $2, $3, 'MANUAL', '{}' from generate_series(1, $4::int) returning id
       ) insert into run_queue (run_id, task_id, space_id, available_at, concurrency_key)
       select id, $2, $1, 'infinity', decode($5, 'hex') from new`,
      [app.admin.spaceId, task.id, task.ownerUserId, RUNS, HOT],
    );
    await app.sql('insert into run_slot (task_id, n) select $1, n from generate_series(1, 5) n', [task.id]);
    await app.sql('analyze run, run_queue, run_slot, task');
  });
  afterAll(() => app.close());

  verifies(
    'run.key.plans',
    'reads few rows to claim one of another key, and to give a place to the next',
    async () => {
      const other = await runs.start(task, { customer: 'other' });
      expect(
        await rowsRead(app, CLAIM_RUNS, [
          [task.id],
          [5],
          Array.from({ length: 5 }, () => randomUUID()),
          20_000,
        ]),
      ).toBeLessThan(600);
      const next = `select run_id from run_queue where task_id = $1 and concurrency_key = decode($2, 'hex')
      and available_at = 'infinity' and state = 'READY' order by run_id limit 1 for update skip locked`;
      expect(await rowsRead(app, next, [task.id, HOT])).toBeLessThan(10);
      await runs.cancel(other);
      // Those that wait although there are places receive them.
      await app.get(RunKeysWorker).release();
      const filled = await app.sql<{ id: string }>(
        `select run_id as id from run_queue where available_at < 'infinity' order by run_id`,
      );
      const oldest = await app.sql<{ id: string }>(
        'select id from run where task_id = $1 order by id limit 2',
        [task.id],
      );
      expect(filled).toEqual(oldest);
    },
  );
});

describe('places of keys', () => {
  const RUNS = scaled('KEY_RUNS', { quick: 120, slow: 2_000 });
  const WORKERS = 6;
  const PER_KEY = 2;
  const random = seededRandom();
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  });
  afterAll(() => app.close());

  verifies(
    'run.key',
    'are never given to too many runs, and all runs end, whatever workers do at the same moment',
    async () => {
      const steps = [{ id: 'one', kind: 'code' as const, source: 'return 1;' }];
      const change = { concurrencyKey: '{{inputs.customer}}', perKey: PER_KEY };
      const task = await new RunCalls(app).createTask(steps, change);
      // Of some, the key is known when they are queued.
      await app.sql(
        `with new as (
           insert into run (id, space_id, task_id, owner_user_id, origin, inputs)
           select uuid_v7(), $1, $2, $3, 'MANUAL', '{}' from generate_series(1, $4::int) returning id
         ) insert into run_queue (run_id, task_id, space_id, concurrency_key)
         select id, $2, $1, case when get_byte(uuid_send(id), 15) % 2 = 0 then
           decode('0' || get_byte(uuid_send(id), 14) % 3, 'hex') end from new`,
        [app.admin.spaceId, task.id, task.ownerUserId, RUNS],
      );
      const database = app.get(BackgroundDatabase);
      const executing = new Map<string, number>();
      let most = 0;
      const claim = () =>
        app.sql<{ runId: string; fencingToken: string; hex: string | null }>(
          `update run_queue set state = 'RUNNING', fencing_token = gen_random_uuid() where run_id = (
             select run_id from run_queue where task_id = $1 and state = 'READY' and available_at <= clock_timestamp()
             order by available_at limit 1 for update skip locked)
           returning run_id as "runId", fencing_token as "fencingToken", encode(concurrency_key, 'hex') as hex`,
          [task.id],
        );
      // In each of these ways a run stops executing.
      const ends = [
        'delete from run_queue where run_id = any($1)',
        `delete from run_queue where run_id = any($1)`,
        `update run_queue set state = 'READY', available_at = clock_timestamp() where run_id = any($1)`,
        `update run_queue set state = 'READY', available_at = clock_timestamp(), concurrency_key = null where run_id = any($1)`,
      ];
      const work = async () => {
        for (let isAny = true; isAny;) {
          const claimed = [...(await claim()), ...(random(2) === 0 ? await claim() : [])];
          const keyed = claimed.map(({ hex, ...run }) => {
            const key = hex === null || random(10) === 0 ? `0${random(3)}` : hex;
            return { ...run, attempt: 1, taskId: task.id, key, perKey: PER_KEY };
          });
          let entries = await database.transaction((tx) => enterKeys(tx, keyed));
          while (entries.includes('again'))
            entries = await database.transaction((tx) => enterKeys(tx, keyed));
          const entered = keyed.filter((_, i) => entries[i] === 'enters');
          for (const { key } of entered) {
            executing.set(key, (executing.get(key) ?? 0) + 1);
            most = Math.max(most, executing.get(key) ?? 0);
          }
          // Others work meanwhile.
          for (let pause = random(3); pause > 0; pause--) await app.sql('select 1');
          for (const { key } of entered) executing.set(key, (executing.get(key) ?? 0) - 1);
          // Several end in one statement, as runs of a process do.
          await app.sql(ends[random(ends.length)] ?? '', [entered.map(({ runId }) => runId)]);
          isAny = (await app.sql('select from run_queue where task_id = $1 limit 1', [task.id])).length > 0;
        }
      };
      let isOver = false;
      const sweep = async () => {
        while (!isOver) await app.get(RunKeysWorker).release();
      };
      const workers = Promise.all(Array.from({ length: WORKERS }, work)).finally(() => (isOver = true));
      await Promise.all([workers, sweep()]);
      expect(most).toBe(PER_KEY);
      expect(await app.sql('select run_id from run_key_place')).toEqual([]);
    },
  );
});

describe('processes that die', () => {
  const KILLS = scaled('KEY_KILLS', { quick: 1, slow: 4 });
  let fleet: Fleet;
  beforeAll(async () => {
    const env = { PLATFORM_RUN_LEASE_MS: '5000' };
    fleet = await Fleet.start({ transport: 'in-process', processes: 2, env });
  });
  afterAll(() => fleet.close());

  verifies(
    ['run.key', 'run.key.place'],
    'leave no place behind, and none is given to too many runs',
    async () => {
      const world = await fleet.install('keys');
      await world.subscribe('single', { perKey: 1, input: { ms: 20 } });
      await world.subscribe('pair', { perKey: 2, input: { ms: 20 }, retry: { onInterrupted: true } });
      const emitter = fleet.emitter(world);
      for (let kill = 0; kill < KILLS; kill++) {
        if (kill > 0) await fleet.add();
        await Promise.all(Array.from({ length: 15 }, () => emitter.emit({ kind: 'rush', amount: 1 })));
        const [oldest] = fleet.members;
        if (oldest) await fleet.kill(oldest);
      }
      // No more effects of a label at the same time than its key has places, and an effect for each run.
      console.info('run keys', await judge(fleet));
      expect(await fleet.app.sql('select run_id from run_key_place')).toEqual([]);
    },
  );
});
