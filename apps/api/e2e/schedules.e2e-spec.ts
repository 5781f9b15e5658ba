import type {
  ErrorBody,
  Page,
  Run,
  RunStatus,
  ScheduledTime,
  SchedulePreview,
  Task,
  TaskSchedule,
} from '@platform/contracts';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { RunCreationService } from '../src/tasks/runs/run-creation.service.ts';
import { SchedulerWorker } from '../src/tasks/schedule/scheduler.worker.ts';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { eventually } from './harness/eventually.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { verifies } from './verifies.ts';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const YEARLY = { cron: '0 0 1 1 *', timezone: 'UTC' };
const MINUTELY = { cron: '* * * * *', timezone: 'UTC' };

async function create(task: object = {}): Promise<Task> {
  const workflow = { steps: [{ id: 'main', kind: 'code', source: 'return context.execution.inputs' }] };
  const body = { name: 'Nightly', type: 'SCHEDULE', schedule: YEARLY, workflow, ...task };
  const { status, body: created, text } = await app.request<Task>('POST', '/api/tasks', { body });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return created;
}

const patch = async ({ id }: Task, body: object) =>
  (await app.request<Task>('PATCH', `/api/tasks/${id}`, { body })).body;

/** Moves the time at which the task is due next. */
async function makeDue({ id }: Task, ago: string): Promise<Date> {
  const [row] = await app.sql<{ dueAt: Date }>(
    `update task set next_due_at = date_trunc('minute', clock_timestamp()) - $2::interval where id = $1
     returning next_due_at as "dueAt"`,
    [id, ago],
  );
  if (row === undefined) throw new Error('No such task');
  return row.dueAt;
}

const runsOf = async ({ id }: Task) =>
  (await app.request<Page<Run>>('GET', `/api/tasks/${id}/runs`)).body.items;

async function oneRunOf(task: Task): Promise<Run> {
  await eventually(async () => expect(await runsOf(task)).toMatchObject([{ status: 'SUCCEEDED' }]));
  const [run] = await runsOf(task);
  return (await app.request<Run>('GET', `/api/runs/${run?.id}`)).body;
}

describe('Schedules', () => {
  verifies(['schedule.due', 'schedule.next'], 'start a run at the due time', async () => {
    const task = await create();
    const dueAt = await makeDue(task, '0 minutes');
    const run = await oneRunOf(task);
    const inputs = { schedule: { dueAt: dueAt.toISOString(), missed: 0 } };
    expect(run).toMatchObject({ origin: 'SCHEDULE', trigger: null, inputs });
    // No trigger in what the code sees, either.
    expect(run.steps).toMatchObject([{ output: inputs }]);
    expect(await app.request('GET', `/api/tasks/${task.id}`)).toMatchObject({
      body: { nextDueAt: task.nextDueAt, updatedAt: task.updatedAt },
    });
  });

  verifies('schedule.catch-up', 'catch up once after downtime', async () => {
    const task = await create({ schedule: MINUTELY, enabled: false });
    await app.sql('update task set enabled = true where id = $1', [task.id]);
    const dueAt = await makeDue(task, '90 minutes');
    await eventually(async () => expect((await runsOf(task)).length).toBeGreaterThan(0));
    const runs = await runsOf(task);
    const { body } = await app.request<Run>('GET', `/api/runs/${runs.at(-1)?.id}`);
    const { schedule } = body.inputs as { schedule: { dueAt: string; missed: number } };
    expect(schedule.missed).toBeGreaterThanOrEqual(90);
    expect(new Date(schedule.dueAt).getTime() - dueAt.getTime()).toBe(schedule.missed * 60_000);
    // A minute may have passed meanwhile; what was missed has one run.
    expect(runs.length).toBeLessThanOrEqual(2);
    await patch(task, { enabled: false });
  });

  verifies(
    'schedule.catch-up',
    'have one run at most that waits behind another, and say what it missed',
    async () => {
      const task = await create({ schedule: MINUTELY, enabled: false, concurrency: 1 });
      const hold = (n: number) =>
        app.sql('insert into run_slot (task_id, n, run_id) values ($1, $2, gen_random_uuid())', [task.id, n]);
      // As if a run hung.
      await hold(1);
      await app.sql('update task set enabled = true where id = $1', [task.id]);
      const start = async (ago: string) => {
        const dueAt = await makeDue(task, ago);
        await eventually(async () => {
          await app.get(SchedulerWorker).startDue();
          const due = await app.sql('select from task where id = $1 and next_due_at = $2', [task.id, dueAt]);
          expect(due).toEqual([]);
        });
      };
      await start('40 minutes');
      const [first] = await runsOf(task);
      const missedOf = async () => {
        const { body } = await app.request<Run>('GET', `/api/runs/${first?.id}`);
        return (body.inputs as { schedule: { missed: number } }).schedule.missed;
      };
      expect(await missedOf()).toBeGreaterThanOrEqual(40);
      const before = await missedOf();
      await app.sql('delete from scheduled_run where task_id = $1 and run_id <> $2', [task.id, first?.id]);
      await app.sql(`update scheduled_run set due_at = due_at - interval '1 hour' where task_id = $1`, [
        task.id,
      ]);
      await start('2 minutes');
      expect(await runsOf(task)).toMatchObject([{ id: first?.id, status: 'QUEUED' }]);
      expect(await missedOf()).toBeGreaterThanOrEqual(before + 3);
      await app.sql('delete from run_slot where task_id = $1', [task.id]);
      await patch(task, { enabled: false });
    },
  );

  verifies('schedule.due', 'start one run each, however many processes look', async () => {
    const other = await TestApp.start({ database: app });
    try {
      const tasks = await Promise.all(Array.from({ length: 30 }, () => create()));
      await app.sql(
        `update task set next_due_at = '2026-01-01' where id = any($1) and next_due_at is not null`,
        [tasks.map(({ id }) => id)],
      );
      const schedulers = [app.get(SchedulerWorker), other.get(SchedulerWorker)];
      while ((await Promise.all(schedulers.map((one) => one.startDue()))).some((count) => count > 0));
      // What a scheduler has locked by itself meanwhile, the others have passed over.
      await eventually(async () => {
        const due = await app.sql(`select from task where id = any($1) and next_due_at = '2026-01-01'`, [
          tasks.map(({ id }) => id),
        ]);
        expect(due).toHaveLength(0);
      });
      const counts = await app.sql<{ taskId: string; runs: number }>(
        `select task_id as "taskId", count(*)::int as runs from run where task_id = any($1) group by task_id`,
        [tasks.map(({ id }) => id)],
      );
      expect(counts.map(({ runs }) => runs)).toEqual(tasks.map(() => 1));
    } finally {
      await other.close();
    }
  });

  verifies('schedule.due', 'start no second run for a due time that has one', async () => {
    const task = await create();
    const dueAt = await makeDue(task, '0 minutes');
    await oneRunOf(task);
    await app.sql('update task set next_due_at = $2 where id = $1', [task.id, dueAt]);
    await eventually(async () => {
      const { body } = await app.request<Task>('GET', `/api/tasks/${task.id}`);
      expect(body.nextDueAt).toBe(task.nextDueAt);
    });
    expect(await runsOf(task)).toHaveLength(1);
  });

  it('that cannot be read keep no others from running', async () => {
    const broken = await create();
    await app.sql(`update task set schedule = '{"cron":"x","timezone":"y"}' where id = $1`, [broken.id]);
    await makeDue(broken, '1 day');
    const task = await create();
    await makeDue(task, '0 minutes');
    await oneRunOf(task);
    expect(await runsOf(broken)).toEqual([]);
    expect((await app.request<Task>('GET', `/api/tasks/${broken.id}`)).body.nextDueAt).toBeNull();
  });

  it('are left to processes that run jobs', async () => {
    const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    try {
      const body = {
        name: 'Nightly',
        type: 'SCHEDULE',
        schedule: YEARLY,
        workflow: { steps: [{ id: 'main', kind: 'code', source: '' }] },
      };
      const { id } = (await api.request<Task>('POST', '/api/tasks', { body })).body;
      await api.sql(`update task set next_due_at = '2026-01-01' where id = $1`, [id]);
      const worker = await TestApp.start({ database: api, env: { PLATFORM_ROLE: 'worker' } });
      await eventually(async () => {
        const { body: page } = await api.request<Page<Run>>('GET', `/api/tasks/${id}/runs`);
        expect(page.items).toMatchObject([{ origin: 'SCHEDULE' }]);
      }).finally(() => worker.close());
    } finally {
      await api.close();
    }
  });
});

describe('A scheduler', () => {
  let api: TestApp;
  let task: Task;
  let published: jest.SpiedFunction<RunCreationService['publish']>;
  beforeAll(async () => {
    // Starts due tasks only when a test says so.
    api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    const workflow = { steps: [{ id: 'main', kind: 'code', source: '' }] };
    const body = { name: 'Nightly', type: 'SCHEDULE', schedule: YEARLY, workflow };
    task = (await api.request<Task>('POST', '/api/tasks', { body })).body;
    await api.sql(`update task set next_due_at = '2026-01-01' where id = $1`, [task.id]);
    published = jest.spyOn(api.get(RunCreationService), 'publish');
  });
  afterEach(() => published.mockRestore());

  const expectStarted = async () => {
    const { body } = await api.request<Page<Run>>('GET', `/api/tasks/${task.id}/runs`);
    expect(body.items).toMatchObject([{ origin: 'SCHEDULE', status: 'QUEUED' }]);
    expect(published.mock.calls).toEqual([[[body.items[0]?.id]]]);
  };

  it('makes the partition of its runs if it is missing', async () => {
    const [current] = await api.sql<{ name: string }>(
      "select 'run_' || to_char(clock_timestamp() at time zone 'UTC', 'YYYYMM') as name",
    );
    await api.sql(`drop table ${current?.name}`);
    expect(await api.get(SchedulerWorker).startDue()).toBe(1);
    await expectStarted();
  });

  it('publishes the runs of a commit whose response was lost', async () => {
    const commits = new LostCommits(api.get(BackgroundDatabase));
    try {
      commits.next(/insert into scheduled_run/);
      expect(await api.get(SchedulerWorker).startDue()).toBe(1);
      expect(commits.lost).toBe(1);
      await expectStarted();
    } finally {
      commits.restore();
    }
  });
});

describe('While the last run has not ended, a due time', () => {
  /** Not due by itself around now. */
  const FAR = { cron: `0 0 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`, timezone: 'UTC' };
  // Its schedulers work only when a test says so, and nobody executes runs.
  let api: TestApp;
  beforeAll(async () => {
    api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  });
  afterAll(() => api.close());

  const createTask = async (overlap?: TaskSchedule['overlap']) => {
    const workflow = { steps: [{ id: 'main', kind: 'code', source: '' }] };
    const schedule = { ...FAR, ...(overlap && { overlap }) };
    const body = { name: 'Nightly', type: 'SCHEDULE', schedule, workflow };
    return (await api.request<Task>('POST', '/api/tasks', { body })).body;
  };
  const start = async ({ id }: Task, dueAt: string) => {
    await api.sql('update task set next_due_at = $2 where id = $1', [id, dueAt]);
    await api.get(SchedulerWorker).startDue();
  };
  const timesOf = async ({ id }: Task, query = '') =>
    (await api.request<Page<ScheduledTime>>('GET', `/api/tasks/${id}/schedule/times${query}`)).body;
  /** Lets the first run of a task have another status, as whoever executes it does. */
  const set = (id: string | undefined, status: RunStatus) =>
    api.sql(
      `with gone as (delete from run_queue where run_id = $1 and $2 <> 'QUEUED')
       update run set status = $2, started_at = clock_timestamp() where id = $1`,
      [id, status],
    );
  const canStart = async (id: string | undefined) =>
    (await api.sql(`select from run_queue where run_id = $1 and available_at <= clock_timestamp()`, [id]))
      .length === 1;
  const now = Date.now();
  const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  const [FIRST, SECOND, THIRD, FOURTH] = [ago(40), ago(30), ago(20), ago(10)];
  const release = () => api.get(SchedulerWorker).releaseHeld();

  verifies(
    ['schedule.overlap', 'schedule.times'],
    'waits in one run, which stands for all until it begins',
    async () => {
      const task = await createTask();
      expect(task.schedule).toEqual({ ...FAR, overlap: 'queue-one' });
      await start(task, FIRST);
      const [first] = (await timesOf(task)).items;
      expect(await canStart(first?.runId)).toBe(true);
      await set(first?.runId, 'RUNNING');
      await start(task, SECOND);
      await start(task, THIRD);
      const { items } = await timesOf(task);
      const [third, second] = items;
      expect(items).toEqual([
        { dueAt: THIRD, outcome: 'JOINED', runId: second?.runId, waitsFor: null, missed: 0 },
        { dueAt: SECOND, outcome: 'STARTED', runId: expect.any(String), waitsFor: first?.runId, missed: 0 },
        { ...first, waitsFor: null },
      ]);
      // A run that waits for a person, an event, or a time has not ended.
      for (const status of ['RUNNING', 'WAITING'] as const) {
        await set(first?.runId, status);
        await release();
        expect(await canStart(second?.runId)).toBe(false);
      }
      await set(first?.runId, 'FAILED');
      await release();
      expect(await canStart(second?.runId)).toBe(true);
      const { body: run } = await api.request<Run>('GET', `/api/runs/${second?.runId}`);
      expect(run.inputs).toEqual({ schedule: { dueAt: third?.dueAt, missed: 1 } });
      expect((await timesOf(task)).items.map(({ waitsFor }) => waitsFor)).toEqual([null, null, null]);
    },
  );

  verifies(['schedule.overlap', 'schedule.times'], 'is skipped, and says because of which run', async () => {
    const task = await createTask('skip');
    await start(task, FIRST);
    const [first] = (await timesOf(task)).items;
    // Also before it has begun, and as long as it waits.
    for (const [dueAt, status] of [
      [SECOND, 'QUEUED'],
      [THIRD, 'WAITING'],
    ] as const) {
      if (status !== 'QUEUED') await set(first?.runId, status);
      await start(task, dueAt);
      expect((await timesOf(task)).items[0]).toMatchObject({
        dueAt,
        outcome: 'SKIPPED',
        runId: first?.runId,
      });
    }
    await set(first?.runId, 'SUCCEEDED');
    await start(task, FOURTH);
    const { items } = await timesOf(task);
    expect(items.map(({ outcome }) => outcome)).toEqual(['STARTED', 'SKIPPED', 'SKIPPED', 'STARTED']);
    // A page continues where the one before it has ended.
    const page = await timesOf(task, '?limit=3');
    expect(page.items).toEqual(items.slice(0, 3));
    expect((await timesOf(task, `?limit=3&cursor=${page.nextCursor}`)).items).toEqual(items.slice(3));
  });

  verifies('schedule.overlap', 'replaces the run that has not ended', async () => {
    const task = await createTask('cancel-previous');
    await start(task, FIRST);
    const [first] = (await timesOf(task)).items;
    await api.sql(
      `with running as (update run_queue set state = 'RUNNING' where run_id = $1)
       update run set status = 'RUNNING', started_at = clock_timestamp() where id = $1`,
      [first?.runId],
    );
    await start(task, SECOND);
    const [second] = (await timesOf(task)).items;
    expect(second).toMatchObject({ outcome: 'STARTED', waitsFor: first?.runId });
    await release();
    expect(await canStart(second?.runId)).toBe(false);
    const { body: cancelled } = await api.request<Run>('GET', `/api/runs/${first?.runId}`);
    expect(cancelled).toMatchObject({ status: 'RUNNING', cancelRequested: true });
    await set(first?.runId, 'CANCELLED');
    await release();
    expect(await canStart(second?.runId)).toBe(true);
  });

  verifies(
    'schedule.overlap',
    'has a run also after a wait that is longer than due times are kept',
    async () => {
      const task = await createTask();
      await start(task, FIRST);
      const [first] = (await timesOf(task)).items;
      await set(first?.runId, 'WAITING');
      await start(task, SECOND);
      await api.sql(`update scheduled_run set due_at = due_at - interval '10 years' where task_id = $1`, [
        task.id,
      ]);
      await api.sweep();
      const { items } = await timesOf(task);
      expect(items).toMatchObject([{ outcome: 'STARTED', waitsFor: first?.runId }]);
      await set(first?.runId, 'SUCCEEDED');
      await release();
      expect(await canStart(items[0]?.runId)).toBe(true);
      await api.sweep();
      expect((await timesOf(task)).items).toEqual([]);
    },
  );

  verifies('schedule.overlap', 'waits no longer because many others do', async () => {
    const { id } = await createTask();
    await api.sql(
      `insert into scheduled_run (task_id, due_at, run_id, missed, outcome, waits_for)
       select $1, $2::timestamptz + i * interval '1 second', uuid_v7(), 0, 'STARTED', uuid_v7() from generate_series(1, 1500) i`,
      [id, FIRST],
    );
    await release();
    expect(
      await api.sql('select from scheduled_run where task_id = $1 and waits_for is not null', [id]),
    ).toEqual([]);
  });

  verifies('schedule.overlap', 'has a run beside it', async () => {
    const task = await createTask('allow');
    for (const dueAt of [FIRST, SECOND]) {
      await start(task, dueAt);
      const [last] = (await timesOf(task)).items;
      expect(last).toMatchObject({ dueAt, outcome: 'STARTED', waitsFor: null });
      expect(await canStart(last?.runId)).toBe(true);
      await set(last?.runId, 'RUNNING');
    }
  });

  it('does not join a run that goes on after it has begun', async () => {
    const task = await createTask();
    await start(task, FIRST);
    const [first] = (await timesOf(task)).items;
    // As after a step that waited.
    await set(first?.runId, 'QUEUED');
    await start(task, SECOND);
    const [second] = (await timesOf(task)).items;
    expect(second).toMatchObject({ outcome: 'STARTED', waitsFor: first?.runId });
    // A run that waits can be cancelled, and does not come back.
    const cancelled = await api.request<Run>('POST', `/api/runs/${second?.runId}/cancel`);
    expect(cancelled.body.status).toBe('CANCELLED');
    await set(first?.runId, 'SUCCEEDED');
    await release();
    expect(await canStart(second?.runId)).toBe(false);
  });

  it('keeps what overlapping runs do when only the time changes', async () => {
    const task = await createTask('skip');
    const change = (schedule: object) =>
      api.request<Task & ErrorBody>('PATCH', `/api/tasks/${task.id}`, { body: { schedule } });
    const other = { cron: '0 1 * * *', timezone: 'UTC' };
    expect((await change(other)).body.schedule).toEqual({ ...other, overlap: 'skip' });
    expect((await change({ ...other, overlap: 'allow' })).body.schedule).toEqual({
      ...other,
      overlap: 'allow',
    });
    for (const overlap of ['SKIP', '', 1, true, {}]) {
      const { status, body } = await change({ ...other, overlap });
      expect(status).toBe(400);
      expect(body.message).toContain(
        'schedule.overlap must be one of queue-one, skip, cancel-previous, allow',
      );
    }
  });
});

it('A task whose commit was not acknowledged is created once', async () => {
  const commits = new LostCommits(app.get(DataSource));
  try {
    commits.next(/insert into "task"/i);
    const task = await create({ name: 'Once' });
    const stored = await app.sql(`select id from task where name = 'Once'`);
    expect([commits.lost, stored]).toEqual([1, [{ id: task.id }]]);
  } finally {
    commits.restore();
  }
});

describe('When a task is due next', () => {
  const year = new Date().getUTCFullYear() + 1;

  verifies('schedule.next', 'follows its schedule, and whether it is enabled', async () => {
    const task = await create();
    expect(task.nextDueAt).toBe(`${year}-01-01T00:00:00.000Z`);
    expect(await patch(task, { name: 'Renamed' })).toMatchObject({ nextDueAt: task.nextDueAt });
    expect(await patch(task, { enabled: false })).toMatchObject({ nextDueAt: null });
    expect(await patch(task, { enabled: true })).toMatchObject({ nextDueAt: task.nextDueAt });
    const schedule = { cron: '30 12 2 1 *', timezone: 'Europe/Berlin' };
    expect(await patch(task, { schedule })).toMatchObject({
      schedule,
      nextDueAt: `${year}-01-02T11:30:00.000Z`,
    });
    expect(await patch(task, { type: 'MANUAL' })).toMatchObject({ schedule: null, nextDueAt: null });
    expect(await patch(task, { type: 'SCHEDULE', schedule: YEARLY })).toMatchObject({
      nextDueAt: task.nextDueAt,
    });
  });

  it('does not move while its run is still to be started', async () => {
    // Nothing is started here.
    const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    try {
      const workflow = { steps: [{ id: 'main', kind: 'code' as const, source: '' }] };
      const body = { name: 'Nightly', type: 'SCHEDULE', schedule: YEARLY, workflow };
      const { id } = (await api.request<Task>('POST', '/api/tasks', { body })).body;
      const manifest = (version: string, schedule: TaskSchedule) =>
        shopManifest({
          version,
          tasks: [{ key: 'nightly', name: version, schedule, workflow }],
          subscriptions: [],
        });
      await installApplication(api, manifest('1', YEARLY));
      const past = '2026-01-01T00:00:00.000Z';
      await api.sql('update task set next_due_at = $1', [past]);
      const dueTimes = async () =>
        (await api.request<Page<Task>>('GET', '/api/tasks')).body.items.map(({ nextDueAt }) => nextDueAt);
      const change = async (schedule: TaskSchedule, version: string) => {
        const changed = await api.request('PATCH', `/api/tasks/${id}`, { body: { name: version, schedule } });
        const options = { body: manifest(version, schedule) };
        const upgraded = await api.request('PUT', '/api/applications/shop', options);
        expect([changed.status, upgraded.status]).toEqual([200, 200]);
      };

      await change({ ...YEARLY }, '2');
      expect(await dueTimes()).toEqual([past, past]);
      await change({ cron: '0 0 2 1 *', timezone: 'UTC' }, '3');
      const next = `${year}-01-02T00:00:00.000Z`;
      expect(await dueTimes()).toEqual([next, next]);
    } finally {
      await api.close();
    }
  });

  verifies('schedule.preview', 'is shown before it is stored', async () => {
    const preview = await app.request<SchedulePreview>('POST', '/api/tasks/schedule-preview', {
      body: { cron: '0 12 25 12 *', timezone: 'America/New_York' },
    });
    expect(preview.status).toBe(200);
    expect(preview.body.dueAt).toHaveLength(5);
    for (const dueAt of preview.body.dueAt) expect(dueAt).toMatch(/^\d{4}-12-25T17:00:00\.000Z$/);
  });

  it.each<[object, string]>([
    [{ cron: '* * * * * *', timezone: 'UTC' }, 'cron must have five fields'],
    [{ cron: '0 0 30 2 *', timezone: 'UTC' }, 'cron must be due at some time'],
    [{ cron: '* * * * *', timezone: 'Mars/Base' }, 'timezone must be the IANA name'],
    [{ cron: '* * * * *' }, 'timezone is required'],
    [{ cron: '* * * * *', timezone: 'UTC', seconds: 1 }, 'seconds is not a known field'],
  ])('is not shown for %j', async (body, message) => {
    const answer = await app.request<ErrorBody>('POST', '/api/tasks/schedule-preview', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
  });
});
