import type { Task } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { EventBatchesService } from '../src/events/dispatch/event-batches.service.ts';
import { SchedulerWorker } from '../src/tasks/schedule/scheduler.worker.ts';
import { WaitWorker } from '../src/tasks/schedule/wait.worker.ts';
import { completeWait } from '../src/tasks/waits/waits.store.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { subscribe } from './harness/event-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { verifies } from './verifies.ts';

/** Its workers do something only when a test says so. */
let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
});
afterAll(() => app.close());

const YEARLY = { cron: '0 0 1 1 *', timezone: 'UTC' };
const steps = [{ id: 'main', kind: 'code', source: '' }];

async function createTask(as: TestUser): Promise<Task> {
  const body = { name: 'Yearly', type: 'SCHEDULE', schedule: YEARLY, workflow: { steps } };
  const { status, body: task, text } = await app.request<Task>('POST', '/api/tasks', { as, body });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return task;
}

/** Returns how much is done until the rows of the other space, which are due last, have gone. */
async function doneUntil(left: string, values: unknown[], work: () => Promise<number>): Promise<number> {
  let done = 0;
  while ((await app.sql(left, values)).length > 0) done += await work();
  return done;
}

describe('Much that is due in one space keeps another one waiting for one share only:', () => {
  verifies('tasks.due-turns', 'schedules', async () => {
    const [busy, quiet] = [await createTask(app.admin), await createTask(app.outsider)];
    await app.sql(
      `insert into task select (jsonb_populate_record(t, jsonb_build_object('id', uuid_v7()))).*
       from task t, generate_series(1, 100) where t.id = $1`,
      [busy.id],
    );
    await app.sql(
      `update task set next_due_at = '2026-01-01'::timestamptz + case when id = $1 then 1 else 0 end * interval '1 day'`,
      [quiet.id],
    );
    const done = await doneUntil(
      `select from task where id = $1 and next_due_at < '2026-01-03'`,
      [quiet.id],
      () => app.get(SchedulerWorker).startDue(),
    );
    expect(done).toBe(41);
  });

  verifies('tasks.due-turns', 'batches of events', async () => {
    const [busy, quiet] = await Promise.all(
      [app.admin, app.outsider].map(async (user) => {
        await installApplication(app, shopManifest({ subscriptions: [] }), user);
        return (await subscribe(app, {}, user)).id;
      }),
    );
    // Without events: nothing starts, and the batch is gone.
    const insert = `insert into event_batch (run_id, space_id, subscription_id, key_hash, event_count, bytes, is_open, due_at)
      select uuid_v7(), space_id, id, '', 0, 0, false, $2 from subscription, generate_series(1, $3::int) where id = $1`;
    await app.sql(insert, [busy, '2026-01-01', 300]);
    await app.sql(insert, [quiet, '2026-01-02', 1]);
    const done = await doneUntil('select from event_batch where subscription_id = $1', [quiet], () =>
      app.get(EventBatchesService).startDue(),
    );
    expect(done).toBe(105);
  });

  /** Lets runs of a new task wait. Returns the id of the first one. */
  async function wait(user: TestUser, dueAt: string, count: number, status = 'WAITING'): Promise<string> {
    const task = await createTask(user);
    const [first] = await app.sql<{ id: string }>(
      `insert into run (space_id, task_id, owner_user_id, origin, status, inputs)
       select space_id, id, owner_user_id, 'MANUAL', $3, '{}' from task, generate_series(1, $2::int) where id = $1
       returning id`,
      [task.id, count, status],
    );
    await app.sql(
      `insert into run_wait (run_id, scope, space_id, task_id, attempt, position, kind, despite_disabled, due_at)
       select id, 'main', space_id, task_id, 1, 0, 'TIME', false, $2 from run where task_id = $1`,
      [task.id, dueAt],
    );
    return first?.id ?? '';
  }

  verifies('tasks.due-turns', 'waits of runs', async () => {
    await wait(app.admin, '2026-01-01', 1_500);
    const quiet = await wait(app.outsider, '2026-01-02', 1);
    const done = await doneUntil('select from run_wait where run_id = $1', [quiet], () =>
      app.get(WaitWorker).endDue(),
    );
    expect(done).toBe(1_001);
  });

  verifies('tasks.due-turns', 'and waits of runs that execute count as well as others', async () => {
    await app.sql('delete from run_wait');
    await wait(app.admin, '2026-01-01', 250, 'RUNNING');
    const quiet = await wait(app.outsider, '2026-01-02', 1);
    // As the worker does.
    while ((await app.get(WaitWorker).endDue()) > 0);
    expect(await app.sql('select from run_wait where run_id = $1', [quiet])).toEqual([]);
  });

  verifies(
    'workflow.wait',
    'a wait that ends with a result just when its time is over has that result',
    async () => {
      await app.sql('delete from run_wait');
      const id = await wait(app.admin, '2026-01-01', 1);
      await app.sql(
        `insert into run_step (run_id, attempt, position, step_id, scope, step_attempt, kind, status, acts)
       values ($1, 1, 0, 'main', 'main', 1, 'ask', 'WAITING', false)`,
        [id],
      );
      await app.sql(`update run_wait set kind = 'QUESTION' where run_id = $1`, [id]);
      const answer = app.get(DataSource).createQueryRunner();
      await answer.startTransaction();
      await completeWait(answer.manager, { runId: id, scope: 'main' }, { approved: true });
      expect(await app.get(WaitWorker).endDue()).toBe(0);
      await answer.commitTransaction();
      await answer.release();
      while ((await app.get(WaitWorker).endDue()) > 0);
      expect(await app.sql('select output from run_step where run_id = $1', [id])).toEqual([
        { output: { approved: true } },
      ]);
    },
  );
});
