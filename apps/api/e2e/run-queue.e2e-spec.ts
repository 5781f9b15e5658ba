import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import type { Task } from '@platform/contracts';
import pg from 'pg';
import { PartitionsWorker } from '../src/infra/database/partitions.worker.ts';
import { KEPT_PLAN } from '../src/infra/database/connection.ts';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { Messaging } from '../src/infra/messaging/messaging.ts';
import { RunClaimsService } from '../src/tasks/execution/run-claims.service.ts';
import { CLAIM_RUNS, EXPIRING_RUNS } from '../src/tasks/execution/run-claims.store.ts';
import { END_ATTEMPTS, STORE_STEPS, STORE_LOGS } from '../src/tasks/execution/run-endings.store.ts';
import { WAITING_TASKS } from '../src/tasks/runs/run-queue.store.ts';
import { CANCEL_RUNS, LIST_AWAITED, LIST_QUEUED_OF_TASK } from '../src/tasks/waits/cancellations.store.ts';
import { findRunsStatement, IN_INDEX_ORDER, type RunFilter } from '../src/tasks/history/run-list.store.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { LostResponses } from './harness/lost-responses.ts';
import { rowsRead } from './harness/query-plan.ts';
import { RedisServer } from './harness/redis.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedAction } from './harness/scripted-action.ts';
import { verifies } from './verifies.ts';

describe('with many runs', () => {
  const RUNS = 20_000;
  let app: TestApp;
  let task: Task;
  /** Made while the queue was empty, as a process keeps them. */
  let plans: string[];

  beforeAll(async () => {
    app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    plans = await preparedPlans(app, [WAITING_TASKS, CLAIM_RUNS, STORE_STEPS, STORE_LOGS, END_ATTEMPTS]);
    const runs = new RunCalls(app);
    const steps = [{ id: 'one', kind: 'code' as const, source: 'return 1;' }];
    task = await runs.createTask(steps, { concurrency: 100 });
    const busy = await runs.createTask(steps, { concurrency: 100 });
    await fill(task, 'QUEUED', RUNS);
    await fill(busy, 'RUNNING', RUNS);
    await fill(busy, 'SUCCEEDED', RUNS);
    await app.sql(`insert into run_slot (task_id, n) select $1, n from generate_series(1, 100) n`, [task.id]);
    await app.sql('analyze run, run_queue, run_slot, task');
  });

  afterAll(() => app.close());

  async function fill(
    { id, spaceId, ownerUserId }: Task & { spaceId?: string },
    status: string,
    count: number,
  ) {
    await app.sql(
      `with new as (
         insert into run (id, space_id, task_id, owner_user_id, origin, status, inputs)
         select uuid_v7(), $1, $2, $3, 'MANUAL', $4, '{}' from generate_series(1, $5) returning id
       ) insert into run_queue (run_id, task_id, space_id, state, fencing_token, lease_until, hints, next_publish_at)
       select id, $2, $1, case $4 when 'QUEUED' then 'READY' else 'RUNNING' end, gen_random_uuid(),
         clock_timestamp() + interval '1 hour', 1,
         case $4 when 'QUEUED' then clock_timestamp() + interval '1 hour' end
       from new where $4 <> 'SUCCEEDED'`,
      [spaceId ?? app.admin.spaceId, id, ownerUserId, status, count],
    );
  }

  verifies('run.queue.plans', 'plans that were made while the queue was empty use indexes', async () => {
    for (const plan of plans) {
      const lines = plan.split('\n');
      expect(lines.filter((line) => line.includes('Seq Scan'))).toEqual([]);
      const conditions = lines.flatMap((line, i) => (/Index( Only)? Scan/.test(line) ? lines[i + 1] : []));
      expect(conditions).not.toEqual([]);
      // By the first column of the index.
      const keys =
        /Index Cond: \(+(run_id|child_run_id|id|task_id|space_id) = ([^A]|ANY \((\$\d|\(InitPlan))|Index Cond: \(ROW\(space_id/;
      expect(conditions.filter((condition) => !keys.test(condition ?? ''))).toEqual([]);
    }
  });

  verifies('run.queue.plans', 'claims and polls read few rows', async () => {
    expect(await rowsRead(app, CLAIM_RUNS, [[task.id], [1], [randomUUID()], 20_000])).toBeLessThan(600);
    expect(await rowsRead(app, LIST_QUEUED_OF_TASK, [task.id, 100])).toBeLessThan(1_100);
    const queued = await app.sql<{ id: string }>(LIST_QUEUED_OF_TASK, [task.id, 100]);
    const ids = queued.map(({ id }) => id);
    expect(await rowsRead(app, LIST_AWAITED, [ids])).toBeLessThan(1_100);
    expect(await rowsRead(app, CANCEL_RUNS, [ids, randomUUID()])).toBeLessThan(1_100);
    expect(await rowsRead(app, EXPIRING_RUNS, [12_000, 1_000])).toBeLessThan(20);
  });

  verifies(
    'run.queue.plans',
    'a look at the queue reads few rows, however many spaces have runs',
    async () => {
      const first = '00000000-0000-0000-0000-000000000000';
      const look = [first, first, [], [], []];
      const alone = await rowsRead(app, WAITING_TASKS, look);
      await app.sql(
        `insert into run_queue (run_id, task_id, space_id, owner_user_id)
       select uuid_v7(), gen_random_uuid(), s.id, gen_random_uuid()
       from (select gen_random_uuid() as id from generate_series(1, 2000)) s, generate_series(1, 5)`,
      );
      await app.sql('analyze run_queue');
      const read = await rowsRead(app, WAITING_TASKS, look);
      await app.sql('delete from run_queue where task_id not in (select id from task)');
      expect(alone).toBeLessThan(200);
      expect(read).toBeLessThan(5_000);
    },
  );

  verifies('run.queue.plans', 'pages of lists read few rows, also of a rare status', async () => {
    const { spaceId, userId } = app.admin;
    const all: RunFilter = {
      spaceId,
      taskId: null,
      events: null,
      ownerUserId: null,
      origin: null,
      statuses: null,
      errorCode: null,
      failures: null,
      isDismissed: null,
      areTests: false,
      from: null,
      to: null,
    };
    const events = Array.from({ length: 10 }, (_, n) => `${randomUUID()}/order.event-${n}`);
    await app.sql(
      `insert into run (id, space_id, task_id, owner_user_id, origin, status, inputs, envelope_id, root_id, depth, trigger, path)
       select uuid_v7(), $1, $2, $3, 'EVENT', 'SUCCEEDED', '{}', uuid_v7(), uuid_v7(), 0, '{}', ($4::text[])[1 + n % 10:1 + n % 10]
       from generate_series(1, $5) n`,
      [spaceId, task.id, userId, events, RUNS],
    );
    await app.sql('analyze run');
    for (const scope of [
      {},
      { ownerUserId: userId },
      { taskId: task.id },
      { origin: 'MANUAL' as const },
      { events },
      { events: events.slice(0, 1) },
    ])
      for (const status of [null, 'FAILED', 'SUCCEEDED', 'QUEUED'] as const) {
        const { text, values } = findRunsStatement(
          { ...all, ...scope, statuses: status && [status] },
          { after: null, order: 'desc', limit: 51 },
        );
        expect(await rowsRead(app, text, values, IN_INDEX_ORDER)).toBeLessThan(4_000);
      }
  });
});

describe('old runs', () => {
  verifies('run.retention', 'go with all that belongs to them', async () => {
    const app = await TestApp.start({ env: { PLATFORM_EVENT_RETENTION_DAYS: '90' } });
    try {
      const runs = new RunCalls(app);
      const scripted = ScriptedAction.install(app);
      const task = await runs.createTask([scripted.step('one', () => 1)]);
      const kept = await runs.reached(await runs.start(task));
      await app.sql(`select ensure_partition('run', clock_timestamp() - n * interval '1 month') from
        generate_series(4, 6) n`);
      const [oldest, expired, waiting] = await Promise.all([6, 5, 4].map((n) => createOld(app, task, n)));
      // Each keeps its own month, and no other.
      await app.sql(
        `insert into run_queue (run_id, task_id, space_id, available_at)
         select id, task_id, space_id, clock_timestamp() + interval '1 day' from run where id = any($1)`,
        [[oldest, waiting]],
      );
      await app.sql(
        `insert into run_queue (run_id, task_id, space_id, available_at)
         values (uuid_v7_floor(clock_timestamp() - interval '1 year'), $1, $2, clock_timestamp() + interval '1 day')`,
        [task.id, app.admin.spaceId],
      );
      await app.sweep();
      await app.get(PartitionsWorker).maintain();
      const ids = async (table: string, column = 'run_id') =>
        (await app.sql<{ id: string }>(`select ${column} as id from ${table} order by 1`)).map(
          ({ id }) => id,
        );
      expect(await ids('run', 'id')).toEqual([oldest, waiting, kept.id]);
      expect(await ids('run_queue')).toEqual([oldest, waiting]);
      expect(await ids('run_attempt')).toEqual([oldest, waiting, kept.id]);
      expect(await ids('run_step')).toEqual([oldest, waiting, kept.id]);
      expect(await ids('scheduled_run')).toEqual([]);
      expect((await runs.request('GET', `/runs/${expired}`)).status).toBe(404);
      expect((await runs.get(kept)).steps).toHaveLength(1);
    } finally {
      await app.close();
    }
  });

  /** A run of some months ago, with an attempt, a step, and a due time. */
  async function createOld(app: TestApp, { id: taskId, ownerUserId }: Task, months: number): Promise<string> {
    const [run] = await app.sql<{ id: string }>(
      `insert into run (id, space_id, task_id, owner_user_id, origin, status, inputs)
       select (left(uuid_v7_floor(clock_timestamp() - $4 * interval '1 month')::text, 24) || right($5, 12))::uuid,
         $1, $2, $3, 'MANUAL', 'QUEUED', '{}'
       returning id`,
      [app.admin.spaceId, taskId, ownerUserId, months, randomUUID()],
    );
    const id = run?.id ?? '';
    await app.sql(
      `insert into run_attempt (run_id, attempt, fencing_token, status) values ($1, 1, gen_random_uuid(), 'FAILED')`,
      [id],
    );
    await app.sql(
      `insert into run_step (run_id, attempt, position, step_id, kind, status) values ($1, 1, 0, 'one', 'code', 'FAILED')`,
      [id],
    );
    await app.sql(
      `insert into scheduled_run (task_id, due_at, run_id)
       values ($1, clock_timestamp() - $3 * interval '1 month', $2)`,
      [taskId, id, months],
    );
    return id;
  }
});

describe('runs with large inputs', () => {
  verifies('run.queue.bytes', 'are claimed a few at a time', async () => {
    const app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    try {
      const runs = new RunCalls(app);
      const task = await runs.createTask([{ id: 'one', kind: 'code', source: 'return 1;' }]);
      for (let n = 0; n < 4; n++) await runs.start(task, { text: 'x'.repeat(6_000_000) });
      const claim = () => app.get(RunClaimsService).claim([{ taskId: task.id, count: 5 }]);
      expect((await claim()).map(({ run }) => run.inputBytes)).toEqual([6_000_011, 6_000_011, 6_000_011]);
      await runs.start(task);
      expect((await claim()).map(({ run }) => run.inputBytes)).toEqual([6_000_011, 0]);
    } finally {
      await app.close();
    }
  });
});

describe('slots of a new task', () => {
  const steps = [{ id: 'one', kind: 'code' as const, source: 'return 1;' }];
  let app: TestApp;
  let runs: RunCalls;

  beforeAll(async () => {
    app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    runs = new RunCalls(app);
  });

  afterAll(() => app.close());

  verifies('run.next', 'are used also if another process has just created them', async () => {
    const task = await runs.createTask(steps, { concurrency: 5 });
    const run = await runs.start(task);
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      const slots = 'insert into run_slot (task_id, n) select $1, n from generate_series(1, 5) n';
      await other.query(slots, [task.id]);
      const claim = app.get(RunClaimsService).claim([{ taskId: task.id, count: 1 }]);
      await eventually(async () => {
        const waiting = await other.query(
          'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
          [(other as unknown as { processID: number }).processID],
        );
        expect(waiting.rowCount).toBe(1);
      });
      await other.query('commit');
      expect((await claim).map((active) => active.run.id)).toEqual([run.id]);
    } finally {
      await other.end();
    }
  });

  verifies('run.lost-response', 'cost no run that is claimed at the same time', async () => {
    const task = await runs.createTask(steps, { concurrency: 5 });
    const claims = app.get(RunClaimsService);
    await runs.start(task);
    await claims.claim([{ taskId: task.id, count: 1 }]);
    const next = await runs.start(task);
    const first = await runs.start(await runs.createTask(steps, { concurrency: 5 }));
    const responses = new LostResponses(app.get(BackgroundDatabase));
    try {
      responses.next(/insert into run_slot/);
      const claimed = await claims.claim([next, first].map(({ taskId }) => ({ taskId, count: 1 })));
      expect(claimed.map((active) => active.run.id).sort()).toEqual([next.id, first.id].sort());
      expect(responses.lost).toBe(1);
    } finally {
      responses.restore();
    }
  });
});

describe('with Redis', () => {
  verifies(
    ['run.next', 'run.queue.hints'],
    'runs start at once, in any process, and after an outage',
    async () => {
      const redis = await RedisServer.start();
      const env = { REDIS_URL: redis.url };
      const app = await TestApp.start({ env: { ...env, PLATFORM_ROLE: 'api' } });
      const workers = [
        await TestApp.start({ env: { ...env, PLATFORM_ROLE: 'worker' }, database: app }),
        await TestApp.start({ env: { ...env, PLATFORM_ROLE: 'worker' }, database: app }),
      ];
      try {
        const runs = new RunCalls(app);
        const scripted = ScriptedAction.install(app, ...workers);
        const held = gate();
        let calls = 0;
        const work = scripted.step('work', async () => {
          calls += 1;
          await held.opened;
          await delay(5);
        });
        const task = await runs.createTask([work], { concurrency: 2 });
        const started = await Promise.all(Array.from({ length: 20 }, () => runs.start(task)));
        // Before any row would be published again, after half a minute.
        await eventually(
          async () =>
            expect(await runs.list(`/tasks/${task.id}/runs?status=RUNNING`)).toMatchObject({
              items: [{}, {}],
            }),
          20_000,
        );
        held.open();
        for (const run of started) expect((await runs.reached(run)).status).toBe('SUCCEEDED');
        expect(calls).toBe(20);
        await redis.kill();
        // A worker that has not noticed still looks at the queue once a second.
        await eventually(async () => {
          const states = workers.map((worker) => worker.get(Messaging as Type<Messaging>).getState());
          expect(states).toEqual(await Promise.resolve(['down', 'down']));
        });
        const stored = await Promise.all(Array.from({ length: 5 }, () => runs.start(task)));
        await delay(1_000);
        for (const run of stored) expect((await runs.get(run)).status).toBe('QUEUED');
        await redis.start();
        for (const run of stored) expect((await runs.reached(run)).status).toBe('SUCCEEDED');
        expect(calls).toBe(25);
      } finally {
        await Promise.all(workers.map((worker) => worker.close()));
        await app.close();
        await redis.kill();
      }
    },
  );
});

/** The plans of statements that the connections of workers prepare once and keep. */
async function preparedPlans(app: TestApp, statements: readonly string[]): Promise<string[]> {
  const runner = app.get(BackgroundDatabase).createQueryRunner();
  try {
    for (const [name, value] of Object.entries(KEPT_PLAN)) await runner.query(`set ${name} = ${value}`);
    const plans: string[] = [];
    for (const [i, statement] of statements.entries()) {
      await runner.query(`prepare plan_${i} as ${statement}`);
      const parameters = Array.from(new Set(statement.match(/\$\d+/g)), () => 'null').join(', ');
      const plan = (await runner.query(`explain execute plan_${i}(${parameters})`)) as Record<
        string,
        string
      >[];
      plans.push(plan.map((line) => Object.values(line)[0]).join('\n'));
      await runner.query(`deallocate plan_${i}`);
    }
    return plans;
  } finally {
    for (const name of Object.keys(KEPT_PLAN)) await runner.query(`reset ${name}`);
    await runner.release();
  }
}
