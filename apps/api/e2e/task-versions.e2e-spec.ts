import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import type {
  ErrorBody,
  Page,
  Run,
  Step,
  Task,
  TaskVersion,
  TaskVersionDiff,
  TaskVersionListing,
} from '@platform/contracts';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { TaskVersions1763600000072 } from '../src/migrations/0072-task-versions.ts';
import { RunClaimsService } from '../src/tasks/execution/run-claims.service.ts';
import { StepError } from '../src/tasks/runs/step-error.ts';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { gate } from './harness/gate.ts';
import { LostResponses } from './harness/lost-responses.ts';
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

const code = (id: string, source = 'return 1;') => ({ id, kind: 'code' as const, source });
const greet = (text: string) => code('greet', `return '${text}';`);

async function change({ id }: Pick<Task, 'id'>, body: object, by = runs): Promise<Task> {
  const answer = await by.request<Task>('PATCH', `/tasks/${id}`, { body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

const list = async ({ id }: Pick<Task, 'id'>, query = '') =>
  (await runs.request<Page<TaskVersionListing>>('GET', `/tasks/${id}/versions${query}`)).body;
const version = async ({ id }: Pick<Task, 'id'>, n: number) =>
  (await runs.request<TaskVersion>('GET', `/tasks/${id}/versions/${n}`)).body;
const restore = ({ id }: Pick<Task, 'id'>, n: number | string, by = runs) =>
  by.request<Task & ErrorBody>('POST', `/tasks/${id}/versions/${n}/restore`);

describe('the versions of a task', () => {
  verifies('task.versions', 'are the workflows that it had, newest first, with their authors', async () => {
    const own = runs.by(app.member);
    const task = await own.createTask([greet('hello')]);
    expect(task.version).toBe(1);
    // What is not the workflow makes no version.
    expect(await change(task, { name: 'Renamed', workflow: task.workflow }, own)).toMatchObject({
      version: 1,
    });
    expect(await change(task, { workflow: { steps: [greet('good day')] } })).toMatchObject({ version: 2 });
    expect(await change(task, { workflow: { steps: [greet('bye')] } }, own)).toMatchObject({ version: 3 });

    const first = await list(task, '?limit=2');
    const second = await list(task, `?limit=2&cursor=${first.nextCursor}`);
    expect(second.nextCursor).toBeNull();
    expect([...first.items, ...second.items].map(({ version: n, author }) => [n, author?.id])).toEqual([
      [3, app.member.userId],
      [2, app.admin.userId],
      [1, app.member.userId],
    ]);
    expect(first.items[0]).toEqual({
      version: 3,
      author: { id: app.member.userId, name: expect.any(String) },
      createdAt: expect.any(String),
    });
    expect(await version(task, 2)).toEqual({
      ...first.items[1],
      workflow: { steps: [greet('good day')] },
    });
    for (const n of [0, 4, 'x', '1e0', '99999999999'])
      expect((await runs.request('GET', `/tasks/${task.id}/versions/${n}`)).status).toBe(404);
  });

  verifies('task.versions', 'are seen by its owner and by admins', async () => {
    const task = await runs.createTask([greet('hello')]);
    const paths = ['', '/1', '/1/diff'].map((path) => `/tasks/${task.id}/versions${path}`);
    for (const path of paths) expect((await runs.by(app.member).request('GET', path)).status).toBe(403);
    for (const path of paths) expect((await runs.by(app.outsider).request('GET', path)).status).toBe(403);
    expect((await restore(task, 1, runs.by(app.member))).status).toBe(403);
  });

  verifies('task.versions', 'include those that a process of the previous version stores', async () => {
    const task = await runs.createTask([greet('hello')]);
    const [old, now] = [{ steps: [greet('old process')] }, { steps: [greet('new')] }];
    await app.sql('update task set workflow = $2, updated_at = clock_timestamp() where id = $1', [
      task.id,
      JSON.stringify(old),
    ]);
    await app.sql('update task set name = $2, workflow = workflow where id = $1', [task.id, 'No change']);
    await change(task, { workflow: now });
    const { items } = await list(task);
    expect(items.map(({ version: n, author }) => [n, author?.id ?? null])).toEqual([
      [3, app.admin.userId],
      [2, null],
      [1, app.admin.userId],
    ]);
    expect(await version(task, 2)).toMatchObject({ workflow: old });

    const [copy] = await app.sql<{ id: string }>(
      `insert into task (space_id, owner_user_id, name, type, workflow, concurrency, timeout_ms, retry)
       select space_id, owner_user_id, 'Copy', type, workflow, concurrency, timeout_ms, retry from task where id = $1
       returning id`,
      [task.id],
    );
    expect(await version({ id: copy?.id ?? '' }, 1)).toMatchObject({
      version: 1,
      author: null,
      workflow: now,
    });
  });

  verifies('task.versions', 'of tasks that existed before are stored by the migration', async () => {
    const [old, changed] = [await runs.createTask([greet('one')]), await runs.createTask([greet('one')])];
    // More than one batch.
    await app.sql(
      `insert into task (space_id, owner_user_id, name, type, workflow, concurrency, timeout_ms, retry)
       select space_id, owner_user_id, 'Old', type, workflow, concurrency, timeout_ms, retry
       from task, generate_series(1, 1200) where id = $1`,
      [old.id],
    );
    await app.sql('delete from task_version');
    // Before the migration has come to it.
    await change(changed, { workflow: { steps: [greet('two')] } });
    const db = app.get(DataSource).createQueryRunner();
    try {
      await new TaskVersions1763600000072().up(db);
    } finally {
      await db.release();
    }
    expect(await version(old, 1)).toMatchObject({ author: null, workflow: old.workflow });
    expect((await list(changed)).items.map(({ version: n }) => n)).toEqual([2, 1]);
    expect(await version(changed, 1)).toMatchObject({ author: null, workflow: changed.workflow });
    const missing = await app.sql(
      'select id from task t where not exists (select from task_version where task_id = t.id and version = t.version)',
    );
    expect(missing).toEqual([]);
  });

  verifies('task.versions', 'of an application are made by its manifests', async () => {
    const source = (text: string) => [{ key: 'greet', name: 'Greet', workflow: { steps: [greet(text)] } }];
    const identifier = 'versioned';
    const install = shopManifest({ identifier, tasks: source('hello') });
    await installApplication(app, install);
    const upgrade = { ...install, version: '1.1.0', tasks: source('good day') };
    expect((await app.request('PUT', `/api/applications/${identifier}`, { body: upgrade })).status).toBe(200);
    const { items } = (await runs.request<Page<Task>>('GET', '/tasks?limit=200')).body;
    const task = items.find(({ application }) => application?.identifier === identifier) as Task;
    expect(task.version).toBe(2);
    expect((await list(task)).items.map(({ author }) => author?.id)).toEqual([
      app.admin.userId,
      app.admin.userId,
    ]);
    const refused = await restore(task, 1);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      `Task ${task.id} belongs to an application, whose manifest defines workflow`,
    ]);
  });

  verifies('task.versions.compare', 'are compared step by step', async () => {
    const task = await runs.createTask([code('charge'), code('notify'), code('report')]);
    await change(task, {
      workflow: { steps: [code('report'), code('charge', 'return 2;'), code('archive')] },
    });
    const compare = (from: number, query = '') =>
      runs.request<TaskVersionDiff>('GET', `/tasks/${task.id}/versions/${from}/diff${query}`);
    const { body } = await compare(1);
    expect(body).toMatchObject({ from: 1, to: 2 });
    expect(body.steps).toEqual([
      {
        id: 'charge',
        change: 'changed',
        isMoved: true,
        fields: [{ field: 'source', before: 'return 1;', after: 'return 2;' }],
      },
      {
        id: 'archive',
        change: 'added',
        isMoved: false,
        fields: [
          { field: 'kind', after: 'code' },
          { field: 'source', after: 'return 1;' },
        ],
      },
      {
        id: 'notify',
        change: 'removed',
        isMoved: false,
        fields: [
          { field: 'kind', before: 'code' },
          { field: 'source', before: 'return 1;' },
        ],
      },
    ]);
    expect((await compare(2, '?to=1')).body.steps.map(({ change: what }) => what)).toEqual([
      'changed',
      'added',
      'moved',
      'removed',
    ]);
    expect((await compare(2, '?to=2')).body).toEqual({ from: 2, to: 2, steps: [] });
    expect((await compare(3)).status).toBe(404);
    expect((await compare(1, '?to=3')).status).toBe(404);
    for (const to of ['x', '0', '-1', '1.5']) expect((await compare(1, `?to=${to}`)).status).toBe(400);
  });

  verifies('task.versions.restore', 'are restored as a new version', async () => {
    const task = await runs.createTask([greet('hello')]);
    await change(task, { workflow: { steps: [greet('bye')] }, name: 'Renamed' });
    const { status, body } = await restore(task, 1, runs);
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 3, name: 'Renamed', workflow: task.workflow });
    expect((await list(task)).items.map(({ version: n }) => n)).toEqual([3, 2, 1]);
    // Nothing changes.
    expect((await restore(task, 3)).body.version).toBe(3);
    for (const n of ['4', '0', 'x']) expect((await restore(task, n)).status).toBe(404);
    const [entry] = (
      await app.request<Page<{ details: object }>>('GET', '/api/audit?action=task.update&limit=2')
    ).body.items.slice(1);
    expect(entry?.details).toMatchObject({ restoredVersion: 1, change: 'Changed step greet.' });
  });

  verifies('task.versions.restore', 'are checked like any change before they are restored', async () => {
    const agent = await app.request<{ id: string }>('POST', '/api/agents', {
      body: { name: 'Helper', model: 'platform/offline', systemPrompt: 'Help.' },
    });
    expect(agent.status).toBe(201);
    const task = await runs.createTask([
      { id: 'ask', kind: 'agent', agentId: agent.body.id, inputs: { query: 'Why?' } },
    ]);
    await change(task, { workflow: { steps: [code('ask')] } });
    expect((await app.request('DELETE', `/api/agents/${agent.body.id}`)).status).toBe(204);
    const gone = await restore(task, 1);
    expect([gone.status, gone.body.message]).toEqual([
      400,
      expect.stringContaining('workflow.steps.0.agentId'),
    ]);
    // A version that was stored when other fields were allowed.
    await app.sql('insert into task_version (task_id, version, workflow) values ($1, 9, $2)', [
      task.id,
      JSON.stringify({ steps: [{ ...code('a'), colour: 'red' }] }),
    ]);
    const refused = await restore(task, 9);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('workflow.steps.0.colour');
  });
});

describe('a run', () => {
  verifies('run.version', 'keeps the version that it began with in its further attempts', async () => {
    const [began, held] = [gate(), gate()];
    let calls = 0;
    const task = await runs.createTask(
      [
        scripted.step('flaky', async () => {
          if (++calls > 1) return 'version 1';
          began.open();
          await held.opened;
          throw new StepError('STEP_FAILED', 'Once');
        }),
      ],
      { retry: { attempts: 1, backoffMs: 0 }, concurrency: 1 },
    );
    const run = await runs.start(task);
    const waiting = await runs.start(task);
    expect(waiting.taskVersion).toBeNull();
    await began.opened;
    await change(task, { workflow: { steps: [scripted.step('new', () => 'version 2')] } });
    held.open();
    expect(await runs.reached(run)).toMatchObject({
      status: 'SUCCEEDED',
      attempt: 2,
      taskVersion: 1,
      steps: [{ id: 'flaky', output: 'version 1' }],
    });
    expect(await runs.reached(waiting)).toMatchObject({ taskVersion: 2, steps: [{ output: 'version 2' }] });
    const { items } = await runs.list(`/tasks/${task.id}/runs`);
    expect(items.map(({ taskVersion }) => taskVersion)).toEqual([2, 1]);
  });

  verifies('run.version', 'keeps it also if the response to its claim is lost', async () => {
    const [began, held] = [gate(), gate()];
    let calls = 0;
    const step: Step = scripted.step('flaky', async () => {
      if (++calls > 1) return 'version 1';
      began.open();
      await held.opened;
      throw new StepError('STEP_FAILED', 'Once');
    });
    const task = await runs.createTask([step], { retry: { attempts: 1, backoffMs: 0 } });
    const run = await runs.start(task);
    await began.opened;
    await change(task, { workflow: { steps: [greet('version 2')] } });
    const responses = new LostResponses(app.get(BackgroundDatabase));
    try {
      responses.next(/^\s*with wanted as materialized/);
      held.open();
      expect(await runs.reached(run)).toMatchObject({
        taskVersion: 1,
        attempt: 2,
        steps: [{ output: 'version 1' }],
      });
      expect(responses.lost).toBe(1);
    } finally {
      responses.restore();
    }
  });

  verifies('run.version', 'reads it once with the other runs that are claimed', async () => {
    const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    try {
      const own = new RunCalls(api);
      const first = { steps: [greet('first')] };
      const task = await own.createTask(first.steps);
      for (let n = 0; n < 3; n++) await own.start(task);
      // As if they had waited.
      await api.sql('update run set task_version = 1 where task_id = $1', [task.id]);
      await change(task, { workflow: { steps: [greet('second')] } }, own);
      const statements = jest.spyOn(api.get(BackgroundDatabase), 'query');
      const claimed = await api.get(RunClaimsService).claim([{ taskId: task.id, count: 3 }]);
      expect(claimed.map(({ workflow }) => workflow)).toEqual([first, first, first]);
      const found = await Promise.all(statements.mock.results.map(({ value }) => value as Promise<object[]>));
      expect(found.flat().filter((row) => 'workflow' in row)).toHaveLength(1);
    } finally {
      await api.close();
    }
  });

  verifies('run.version', 'that a person retries begins with the current version', async () => {
    const task = await runs.createTask([code('main', "throw new Error('broken');")]);
    const failed = await runs.reached(await runs.start(task));
    expect(failed).toMatchObject({ status: 'FAILED', taskVersion: 1 });
    await change(task, { workflow: { steps: [code('main', "return 'mended';")] } });
    expect((await runs.retry(failed)).status).toBe(202);
    const mended: Run = await runs.reached(failed, 'SUCCEEDED');
    expect(mended).toMatchObject({ taskVersion: 2, steps: [{ output: 'mended' }] });
  });
});
