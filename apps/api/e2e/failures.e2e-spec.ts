import type { BulkRunAction, BulkRunActionPreview, Failures, Page, RunPage, Task } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import type { ClaimedBulkRunAction } from '../src/tasks/failures/bulk-run-actions.store.ts';
import { BulkRunBatchesService } from '../src/tasks/failures/bulk-run-batches.service.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

const BULK = '/api/runs/bulk';

/** Only creates bulk actions. */
let app: TestApp;
let worker: TestApp;
let task: Task;
let membersTask: Task;

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  const runs = new RunCalls(app);
  const steps = [{ id: 'charge', kind: 'code' as const, source: 'return 1;' }];
  task = await runs.createTask(steps);
  membersTask = await runs.by(app.member).createTask(steps);
  worker = await TestApp.start({ database: app });
});
afterAll(async () => {
  await worker.close();
  await app.close();
});
beforeEach(async () => {
  await eventually(async () => expect(await app.sql('select from run_queue')).toEqual([]));
  // Locks no table: the timers of both processes read them in other orders.
  for (const table of ['bulk_run_action', 'run_step', 'run_attempt', 'run'])
    await app.sql(`delete from ${table}`);
});
afterEach(() => disarmFailpoints());

interface Stored {
  of?: Task;
  status?: string;
  error?: object | string | null;
  step?: string | null;
  inputs?: object;
  log?: string;
  agoMs?: number;
}

/** Stores runs that have ended. Returns their ids, oldest first. */
async function store(count: number, stored: Stored = {}): Promise<string[]> {
  const { of = task, status = 'FAILED', step = 'charge', inputs = {}, log = '', agoMs = 0 } = stored;
  const { error = { code: 'STEP_FAILED', message: 'Order 17 does not exist' } } = stored;
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const [row] = await app.sql<{ id: string }>(
      `insert into run (id, space_id, task_id, owner_user_id, origin, status, inputs, error, created_at, finished_at)
       select uuid_v7(), space_id, id, owner_user_id, 'MANUAL', $2, $3, $4,
         clock_timestamp() - $5 * interval '1 millisecond', clock_timestamp() from task where id = $1 returning id`,
      [
        of.id,
        status,
        JSON.stringify(inputs),
        typeof error === 'string' ? error : error && JSON.stringify(error),
        agoMs,
      ],
    );
    const id = row?.id ?? '';
    if (step !== null)
      await app.sql(
        `insert into run_step (run_id, attempt, position, step_id, kind, status, log) values ($1, 1, 0, $2, 'code', $3, $4)`,
        [id, step, status === 'SUCCEEDED' ? 'SUCCEEDED' : 'FAILED', JSON.stringify(log)],
      );
    ids.push(id);
  }
  return ids;
}

async function failures(query = '', as: TestUser = app.admin): Promise<Failures> {
  const answer = await app.request<Failures>('GET', `/api/runs/failures${query}`, { as });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
}

async function list(query: string, as: TestUser = app.admin): Promise<string[]> {
  const answer = await app.request<RunPage>('GET', `/api/runs?${query}`, { as });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body.items.map(({ id }) => id).toReversed();
}

async function begin(body: object, as: TestUser = app.admin): Promise<BulkRunAction> {
  const answer = await app.request<BulkRunAction>('POST', BULK, { as, body: { alongside: true, ...body } });
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
  return answer.body;
}

async function count(body: object, as: TestUser = app.admin): Promise<BulkRunActionPreview> {
  const answer = await app.request<BulkRunActionPreview>('POST', `${BULK}/preview`, { as, body });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

async function finished({ id }: BulkRunAction): Promise<BulkRunAction> {
  return eventually(async () => {
    const { body } = await app.request<BulkRunAction>('GET', `${BULK}/${id}`);
    expect(body.status).not.toBe('RUNNING');
    return body;
  });
}

const attempts = async (ids: string[]) =>
  (
    await app.sql<{ attempt: number }>('select attempt from run where id = any($1::uuid[]) order by id', [
      ids,
    ])
  ).map(({ attempt }) => attempt);
const all = (ids: string[], attempt: number) => ids.map(() => attempt);

describe('failures', () => {
  verifies(
    'run.failures',
    'are grouped by task, step, code, and message without numbers and ids',
    async () => {
      const message = (order: string) => ({ code: 'STEP_FAILED', message: `Order ${order} does not exist` });
      const [first = ''] = await store(2, { error: message('17'), agoMs: 1_000 });
      await store(1, { error: message('4711'), agoMs: 500 });
      const [last = ''] = await store(1, { error: message('0199e2f0-1111-7000-8000-0000000000aa') });
      await store(3, { step: 'ship' });
      await store(1, { step: null, status: 'INTERRUPTED', error: { code: 'INTERRUPTED', message: 'Ended' } });
      await store(2, { of: membersTask });
      await store(3, { status: 'SUCCEEDED', error: null });
      const { items, isLimited, searched } = await failures();
      expect([isLimited, searched]).toEqual([false, { runs: 10, to: null }]);
      expect(items.map((one) => [one.taskId, one.stepId, one.code, one.message, one.count])).toEqual([
        [task.id, 'charge', 'STEP_FAILED', 'Order # does not exist', 4],
        [task.id, 'ship', 'STEP_FAILED', 'Order # does not exist', 3],
        [membersTask.id, 'charge', 'STEP_FAILED', 'Order # does not exist', 2],
        [task.id, null, 'INTERRUPTED', 'Ended', 1],
      ]);
      const [group] = items;
      expect(group).toMatchObject({ runId: last, taskName: task.name });
      expect(await list(`failure=${group?.id}`)).toEqual(expect.arrayContaining([first, last]));
      expect(await list(`failure=${group?.id}`)).toHaveLength(4);
      expect((await failures('', app.member)).items.map(({ taskId }) => taskId)).toEqual([membersTask.id]);
      expect((await failures('', app.outsider)).items).toEqual([]);
      const { body } = await app.request('GET', '/api/runs?failure=x');
      expect(body.message).toBe('failure must be the id of a group of failures');
    },
  );

  it('are grouped although their messages have what no text can have', async () => {
    await store(1, {
      error: String.raw`{"code":"STEP_FAILED","message":"a\u0000b \ud800 \"17\" \\u0000 ${'x'.repeat(400)}"}`,
    });
    const { items } = await failures();
    expect(items.map(({ count, code }) => [count, code])).toEqual([[1, 'STEP_FAILED']]);
    expect(items[0]?.message).toMatch(/^a\ufffdb \ufffd "#" \\ufffd x+…$/);
  });

  verifies(
    'run.list.search',
    'are found by a text with quotation marks, as it reads and as JSON',
    async () => {
      const message = 'The tool responded with status 400: {"file":"C:\\temp"}';
      const [byError = ''] = await store(1, { error: { code: 'TOOL_STATUS', message } });
      const [byInput = ''] = await store(1, { inputs: { file: 'blue' } });
      const find = (text: string) => list(new URLSearchParams({ text }).toString());
      expect(await find('400: {"file":"c:\\temp"}')).toEqual([byError]);
      expect(await find('{"file":"blue"}')).toEqual([byInput]);
    },
  );

  verifies('run.list.search', 'are found by code, and by text in inputs, error, and log', async () => {
    const [byInput = ''] = await store(1, { inputs: { order: 'Blue-17' } });
    const [byLog = ''] = await store(1, { log: 'sent to BLUE-17\n' });
    const [byError = ''] = await store(1, { error: { code: 'TIMEOUT', message: 'no blue-17 yet' } });
    await store(2, { inputs: { order: 'red' } });
    expect(await list('text=blue-17')).toEqual([byInput, byLog, byError]);
    expect(await list('text=blue-17&errorCode=TIMEOUT')).toEqual([byError]);
    expect(await list('errorCode=TIMEOUT')).toEqual([byError]);
    expect(await list('text=blue-17', app.outsider)).toEqual([]);
    const { body } = await app.request<RunPage>('GET', '/api/runs?text=blue-17&limit=2');
    expect(body.searched?.runs).toBe(5);
    const next = await app.request<RunPage>(
      'GET',
      `/api/runs?text=blue-17&limit=2&cursor=${body.nextCursor}`,
    );
    expect(next.body.items.map(({ id }) => id)).toEqual([byInput]);
  });
});

describe('a bulk action', () => {
  verifies(
    'run.bulk',
    'retries what its selection has, once each, and says so in one audit entry',
    async () => {
      const ids = await store(25);
      const others = await store(3, { error: { code: 'TIMEOUT', message: 'Slow' } });
      const [group] = (await failures()).items;
      const body = { action: 'retry', select: { failures: [group?.id], dismissed: false } };
      expect(await count(body)).toEqual({ count: 25, limit: 10_000, isLimited: false, runningId: null });
      const begun = await begin({ ...body, perSecond: 1000 });
      expect(begun).toMatchObject({ status: 'RUNNING', action: 'retry', total: 25, changed: 0 });
      expect(await finished(begun)).toMatchObject({
        status: 'COMPLETED',
        changed: 25,
        refused: 0,
        lastError: null,
      });
      expect(await attempts(ids)).toEqual(all(ids, 2));
      expect(await attempts(others)).toEqual(all(others, 1));
      const entries = await app.sql(`select action from audit_entry where target_id = $1`, [begun.id]);
      expect(entries).toEqual([{ action: 'bulk-run-action.create' }]);
    },
  );

  verifies(
    'run.bulk.dismiss',
    'dismisses failures, which stay in history until they fail again',
    async () => {
      const ids = await store(3);
      await finished(await begin({ action: 'dismiss', select: { ids: ids.slice(0, 2) } }));
      expect((await failures()).items[0]?.count).toBe(1);
      expect(await list('dismissed=true')).toEqual(ids.slice(0, 2));
      expect(await list('dismissed=false')).toEqual(ids.slice(2));
      expect(await list('status=FAILED')).toEqual(ids);
      const run = await new RunCalls(app).get({ id: ids[0] ?? '' });
      expect([run.dismissedBy, run.dismissedAt]).toEqual([app.admin.userId, expect.any(String)]);
      await new RunCalls(app).retry(run);
      expect((await new RunCalls(app).get(run)).dismissedAt).toBeNull();
    },
  );

  it('is for tests if its selection says so, and otherwise for none', async () => {
    const [test = ''] = await store(1);
    await store(2);
    await app.sql('update run set test = $2 where id = $1', [test, JSON.stringify({ effects: 'none' })]);
    const of = async (select: object) => (await count({ action: 'dismiss', select })).count;
    expect([await of({}), await of({ isTest: 'false' }), await of({ isTest: 'true' })]).toEqual([2, 2, 1]);
    await finished(await begin({ action: 'dismiss', select: { isTest: 'true' } }));
    expect(await list('dismissed=true&isTest=true')).toEqual([test]);
    expect(await list('dismissed=true')).toEqual([]);
  });

  verifies('run.bulk', 'cancels what waits', async () => {
    await app.sql('update task set enabled = false where id = $1', [task.id]);
    try {
      const ids = await store(3);
      await app.sql(
        `with queued as (update run set status = 'QUEUED', error = null, finished_at = null returning id, task_id, space_id, owner_user_id)
         insert into run_queue (run_id, task_id, space_id, owner_user_id) select * from queued`,
      );
      const done = await finished(await begin({ action: 'cancel', select: { taskId: task.id } }));
      expect(done).toMatchObject({ status: 'COMPLETED', changed: 3, refused: 0 });
      expect(await list('status=CANCELLED')).toEqual(ids);
    } finally {
      await app.sql('update task set enabled = true where id = $1', [task.id]);
    }
  });

  verifies(
    'run.bulk.access',
    'reaches the runs of own tasks only, and is seen by its requester and admins',
    async () => {
      const foreign = await store(2);
      const own = await store(2, { of: membersTask });
      const select = { status: 'FAILED' };
      expect((await count({ action: 'retry', select }, app.member)).count).toBe(2);
      expect(
        (await count({ action: 'retry', select: { ids: [...foreign, ...own] } }, app.member)).count,
      ).toBe(2);
      expect((await count({ action: 'retry', select: { ids: foreign } }, app.outsider)).count).toBe(0);
      const begun = await begin({ action: 'retry', select: { ids: [...foreign, ...own] } }, app.member);
      expect(await finished(begun)).toMatchObject({ changed: 2, refused: 0 });
      expect([await attempts(foreign), await attempts(own)]).toEqual([
        [1, 1],
        [2, 2],
      ]);
      const byAdmin = await begin({ action: 'dismiss', select });
      await finished(byAdmin);
      for (const [method, path] of [
        ['GET', byAdmin.id],
        ['DELETE', byAdmin.id],
      ] as const) {
        expect((await app.request(method, `${BULK}/${path}`, { as: app.member })).status).toBe(404);
        expect((await app.request(method, `${BULK}/${path}`, { as: app.outsider })).status).toBe(403);
      }
      const listed = async (as: TestUser) =>
        (await app.request<Page<BulkRunAction>>('GET', BULK, { as })).body.items.map(({ id }) => id);
      expect(await listed(app.member)).toEqual([begun.id]);
      expect(await listed(app.admin)).toEqual([byAdmin.id, begun.id]);
    },
  );

  verifies('run.bulk.access', 'refuses to retry runs whose owner has lost the task', async () => {
    const ids = await store(2, { of: membersTask });
    const give = (to: TestUser) =>
      app.sql('update task set owner_user_id = $2 where id = $1', [membersTask.id, to.userId]);
    await give(app.admin);
    try {
      const begun = await begin({ action: 'retry', select: { ids } }, app.member);
      expect(await finished(begun)).toMatchObject({
        changed: 0,
        refused: 2,
        lastError: `Run ${ids[1]}: Only its owner and admins have access to task ${membersTask.id}`,
      });
      expect(await attempts(ids)).toEqual([1, 1]);
    } finally {
      await give(app.member);
    }
  });

  verifies('run.bulk.invalid', 'is refused with the field that is wrong', async () => {
    const ids = ['0199e2f0-1111-7000-8000-0000000000aa'];
    const wrong: [object, string][] = [
      [{ select: {} }, 'action is required'],
      [{ action: 'retry' }, 'select'],
      [{ action: 'retry', select: { status: 'SUCCEEDED' } }, 'select.status must be one of FAILED'],
      [{ action: 'cancel', select: { status: 'FAILED' } }, 'select.status must be one of QUEUED'],
      [{ action: 'dismiss', select: { dismissed: true } }, 'select.dismissed must not be true'],
      [{ action: 'retry', select: { ids: [] } }, 'select.ids'],
      [
        { action: 'retry', select: { ids, text: 'x' } },
        'select.text must not be given together with select.ids',
      ],
      [{ action: 'retry', select: { failures: ['x'] } }, 'select.failures must have ids'],
      [
        { action: 'retry', select: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
        'select.to must be later',
      ],
      [{ action: 'retry', select: { limit: 1 } }, 'limit'],
    ];
    for (const path of ['/preview', ''])
      for (const [body, problem] of wrong) {
        const answer = await app.request('POST', `${BULK}${path}`, { body });
        expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(problem)]);
      }
    const answer = await app.request('POST', BULK, { body: { action: 'retry', select: {}, perSecond: 0 } });
    expect(answer.status).toBe(400);
  });

  verifies(
    'run.bulk.invalid',
    'is refused beside 20 others of the space, however many begin at once',
    async () => {
      const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
      try {
        const body = { action: 'cancel', select: {}, alongside: true };
        const begun = await Promise.all(
          Array.from({ length: 40 }, () => api.request('POST', BULK, { body })),
        );
        expect(begun.filter(({ status }) => status === 202)).toHaveLength(20);
        expect(begun.filter(({ status }) => status === 409)).toHaveLength(20);
      } finally {
        await api.close();
      }
    },
  );

  verifies('run.bulk.stop', 'stops: when the call returns, no further run is changed', async () => {
    const ids = await store(60);
    const begun = await begin({ action: 'retry', select: {}, perSecond: 5 });
    await eventually(async () => expect(await attempts(ids)).toContain(2));
    expect((await app.request('DELETE', `${BULK}/${begun.id}`)).status).toBe(204);
    const stopped = await finished(begun);
    expect(stopped.status).toBe('STOPPED');
    expect((await attempts(ids)).filter((attempt) => attempt === 2)).toHaveLength(stopped.changed);
    await expect(batchOf(stopped)).resolves.toBeNull();
    expect((await attempts(ids)).filter((attempt) => attempt === 2)).toHaveLength(stopped.changed);
  });

  verifies('run.bulk.takeover', 'loses and doubles nothing when a batch dies before its commit', async () => {
    const ids = await store(12);
    const action = await storeAction();
    armFailpoints(['runs.bulk.before-commit']);
    await expect(batchOf(action, 5)).rejects.toThrow();
    expect(await attempts(ids)).toEqual(all(ids, 1));
    disarmFailpoints();
    // Another process repeats it, at the same moment as a third one.
    const claim = await claimOf(action);
    const batches = await Promise.all(
      [worker, app].map((process) => process.get(BulkRunBatchesService).handleNext({ ...claim }, 5)),
    );
    expect(batches.filter((batch) => batch === null)).toHaveLength(1);
    expect((await attempts(ids)).filter((attempt) => attempt === 2)).toHaveLength(5);
    await app.sql('update bulk_run_action set lease_until = null');
    expect(await finished(action)).toMatchObject({ status: 'COMPLETED', changed: 12, refused: 0 });
    expect(await attempts(ids)).toEqual(all(ids, 2));
  });

  verifies(
    'run.bulk.takeover',
    'continues after commits whose responses were lost, and repeats nothing',
    async () => {
      const ids = await store(30);
      const inWorker = new LostCommits(worker.get(BackgroundDatabase));
      const inApi = new LostCommits(app.get(DataSource));
      try {
        inWorker.next(/update bulk_run_action set position/, 2);
        inApi.next(/insert into "bulk_run_action"/i);
        const begun = await begin({ action: 'retry', select: {}, perSecond: 100 });
        expect(await finished(begun)).toMatchObject({ status: 'COMPLETED', changed: 30, refused: 0 });
        expect(await attempts(ids)).toEqual(all(ids, 2));
        expect([inWorker.lost, inApi.lost]).toEqual([2, 1]);
      } finally {
        inWorker.restore();
        inApi.restore();
      }
    },
  );

  verifies('run.bulk.fair', 'has its turn although those of another space take long', async () => {
    await store(100);
    const slow: BulkRunAction[] = [];
    // More than one process executes at a time.
    for (let i = 0; i < 5; i++) slow.push(await begin({ action: 'retry', select: {}, perSecond: 1 }));
    const answer = await app.request<BulkRunAction>('POST', BULK, {
      as: app.outsider,
      body: { action: 'retry', select: {} },
    });
    await eventually(async () => {
      const { body } = await app.request<BulkRunAction>('GET', `${BULK}/${answer.body.id}`, {
        as: app.outsider,
      });
      expect(body.status).toBe('COMPLETED');
    });
    for (const { id } of slow) await app.request('DELETE', `${BULK}/${id}`);
    for (const one of slow) expect((await finished(one)).status).toBe('STOPPED');
  });

  it('ends if the person who requested it has left the space', async () => {
    const ids = await store(2);
    const action = await storeAction('0199e2f0-1111-7000-8000-0000000000aa');
    await expect(batchOf(action)).resolves.toBeNull();
    expect(await finished(action)).toMatchObject({
      status: 'FAILED',
      lastError: expect.stringContaining('left'),
    });
    expect(await attempts(ids)).toEqual([1, 1]);
  });
});

/** Stores a bulk retry that no worker claims. It is for runs that were created in an earlier millisecond, so it is a little younger. */
async function storeAction(requestedBy = app.admin.userId): Promise<BulkRunAction> {
  const [row] = await app.sql<{ id: string }>(
    `insert into bulk_run_action (space_id, requested_by, query, total, per_second, created_at, lease_until)
     values ($1, $2, '{"action":"retry","select":{}}', 0, 1000, clock_timestamp() + interval '10 milliseconds',
       clock_timestamp() + interval '1 hour') returning id`,
    [app.admin.spaceId, requestedBy],
  );
  return (await app.request<BulkRunAction>('GET', `${BULK}/${row?.id}`)).body;
}

/** An action as a process reads it before a batch. */
async function claimOf({ id }: BulkRunAction): Promise<ClaimedBulkRunAction> {
  const [row] = await app.sql<ClaimedBulkRunAction>(
    `select id, space_id as "spaceId", requested_by as "requestedBy", query, per_second as "perSecond",
       created_at as "createdAt", position from bulk_run_action where id = $1`,
    [id],
  );
  if (row === undefined) throw new Error('Not stored');
  return row;
}

async function batchOf(action: BulkRunAction, size = 10, process = worker) {
  return process.get(BulkRunBatchesService).handleNext(await claimOf(action), size);
}
