import type { RunStatus, Task, TaskResultList } from '@platform/contracts';
import { randomUUID } from 'node:crypto';
import { IN_INDEX_ORDER } from '../src/tasks/history/run-list.store.ts';
import { resultsStatement } from '../src/tasks/results/results.store.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { rowsRead } from './harness/query-plan.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

const MANY = 20_000;

let app: TestApp;
let runs: RunCalls;

beforeAll(async () => {
  // Executes nothing.
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  runs = new RunCalls(app);
});
afterAll(() => app.close());

const createTask = (by = runs): Promise<Task> =>
  by.createTask([{ id: 'a', kind: 'code', source: 'return 1;' }]);

/** Stores runs that took as many ms as their number, the latest last. */
async function store({ id }: Task, status: RunStatus, count: number, first = 1): Promise<void> {
  await app.sql(
    `with made as (
       insert into run (id, space_id, task_id, owner_user_id, origin, status, inputs)
       select uuid_v7(), space_id, id, owner_user_id, 'MANUAL', $2, '{}' from task, generate_series(1, $3) where id = $1
       returning id
     )
     insert into run_attempt (run_id, attempt, status, fencing_token, started_at, finished_at)
     select id, 1, $2, id, at, at + ($4 - 1 + row_number() over (order by id)) * interval '1 ms'
     from made, (select clock_timestamp() as at) now where $2 <> 'QUEUED'`,
    [id, status, count, first],
  );
}

async function results(tasks: readonly { id: string }[], as: TestUser = app.admin): Promise<TaskResultList> {
  const taskIds = tasks.map(({ id }) => id).join(',');
  const { status, body, text } = await app.request<TaskResultList>(
    'GET',
    `/api/runs/results?taskIds=${taskIds}`,
    { as },
  );
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body;
}

verifies('task.results', 'returns the latest results of the tasks that the caller sees', async () => {
  const [busy, quiet, idle] = [await createTask(), await createTask(), await createTask()];
  const theirs = await createTask(runs.by(app.member));
  await store(busy, 'SUCCEEDED', 30);
  await store(busy, 'FAILED', 2, 100);
  await store(busy, 'QUEUED', 3);
  await store(busy, 'CANCELLED', 1, 200);
  await store(quiet, 'INTERRUPTED', 1, 7);
  await store(theirs, 'SUCCEEDED', 1, 5);
  await app.sql(
    `update run set test = '{"effects":"none","trigger":null,"workflow":null}', cancel_requested = true
     where id = (select r.id from run r join run_attempt a on a.run_id = r.id where task_id = $1
       and a.finished_at - a.started_at = interval '29 ms')`,
    [busy.id],
  );
  const { items } = await results([busy, quiet, idle, theirs, { id: 'no-id' }, { id: randomUUID() }]);
  const found = new Map(items.map((item) => [item.taskId, item.results]));
  expect([...found.keys()].sort()).toEqual([busy.id, quiet.id, theirs.id].sort());
  const shown = found.get(busy.id) ?? [];
  // Without those that wait, and without a test.
  expect(shown.map(({ durationMs }) => durationMs)).toEqual([
    200,
    101,
    100,
    30,
    ...Array.from({ length: 16 }, (_, i) => 28 - i),
  ]);
  expect(shown[0]).toEqual({
    id: expect.any(String),
    status: 'CANCELLED',
    createdAt: expect.any(String),
    durationMs: 200,
  });
  expect((await runs.get({ id: shown[1]?.id ?? '' })).status).toBe('FAILED');
  expect(found.get(quiet.id)).toMatchObject([{ status: 'INTERRUPTED', durationMs: 7 }]);

  expect((await results([busy, theirs], app.member)).items.map(({ taskId }) => taskId)).toEqual([theirs.id]);
  expect((await results([busy], app.outsider)).items).toEqual([]);
  await app.request('DELETE', `/api/tasks/${quiet.id}`);
  expect((await results([quiet])).items).toEqual([]);
  const path = '/api/runs/results';
  expect((await app.request('GET', path)).status).toBe(400);
  const tooMany = Array.from({ length: 201 }, () => randomUUID()).join(',');
  expect((await app.request('GET', `${path}?taskIds=${tooMany}`)).status).toBe(400);
});

verifies('task.results', 'reads no more runs than it returns, however many there are', async () => {
  const [busy, rare] = [await createTask(), await createTask()];
  await store(rare, 'FAILED', 3);
  await store(busy, 'SUCCEEDED', MANY);
  await app.sql('analyze run, run_attempt, task');
  const { text, values } = resultsStatement({
    spaceId: app.admin.spaceId,
    taskIds: [busy.id, rare.id],
    ownerUserId: null,
  });
  // 23 runs, which several nodes pass on.
  expect(await rowsRead(app, text, values, IN_INDEX_ORDER)).toBeLessThan(600);
  expect((await results([busy, rare])).items.map((item) => item.results.length).sort()).toEqual([20, 3]);

  await app.sql(
    `update run set test = '{"effects":"none","trigger":null,"workflow":null}', cancel_requested = true where task_id = $1`,
    [busy.id],
  );
  await app.sql('vacuum analyze run');
  // A bounded number of tests.
  expect(await rowsRead(app, text, values, IN_INDEX_ORDER)).toBeLessThan(1_200);
  expect((await results([busy, rare])).items).toMatchObject([{ taskId: rare.id }]);
});
