import { randomUUID } from 'node:crypto';
import type { AuditEntry, ErrorBody, MemberRemoval, Page, Task } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { ApplicationIdentitiesService } from '../src/auth/applications/application-identities.service.ts';
import { TaskDirectoryService } from '../src/tasks/definition/task-directory.service.ts';
import { RunClaimsService } from '../src/tasks/execution/run-claims.service.ts';
import { TaskInstallationService } from '../src/tasks/definition/task-installation.service.ts';
import { conflict } from '../src/infra/errors/app-error.ts';
import { TestApp, type RequestInit, type TestUser } from './harness/app.ts';
import { installApplication } from './harness/applications.ts';
import { subscribe } from './harness/event-calls.ts';
import { RunCalls } from './harness/run-calls.ts';
import { problemsOf } from './harness/problems.ts';
import { verifies } from './verifies.ts';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const code = (source: string, id = 'main') => ({ id, kind: 'code', source });
const TASK = { name: 'Greet', type: 'MANUAL', workflow: { steps: [code('return 1')] } };

const post = <Body = Task>(body: unknown, init: RequestInit = {}) =>
  app.request<Body>('POST', '/api/tasks', { body, ...init });

async function create(task: object = {}, init: RequestInit = {}): Promise<Task> {
  const { status, body, text } = await post({ ...TASK, ...task }, init);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return body;
}

const patch = <Body = Task>({ id }: { id: string }, body: unknown, init: RequestInit = {}) =>
  app.request<Body>('PATCH', `/api/tasks/${id}`, { body, ...init });

const get = async ({ id }: { id: string }) => (await app.request<Task>('GET', `/api/tasks/${id}`)).body;

describe('Tasks', () => {
  verifies('task.create', 'has defaults, and is read and listed as it was created', async () => {
    const task = await create();
    expect(task).toEqual({
      id: expect.any(String),
      ...TASK,
      schedule: null,
      version: 1,
      concurrency: 5,
      concurrencyKey: null,
      perKey: 1,
      timeoutMs: 60_000,
      retry: { attempts: 0, backoffMs: 1_000, onInterrupted: false },
      enabled: true,
      disabledReason: null,
      ownerUserId: app.admin.userId,
      nextDueAt: null,
      application: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await get(task)).toEqual(task);
    const list = await app.request<Page<Task>>('GET', '/api/tasks?limit=1');
    expect(list.body.items).toEqual([task]);
  });

  verifies('task.create', 'changes the given fields only; null leaves a field as it is', async () => {
    const task = await create({ concurrency: 7, retry: { attempts: 2 } });
    const change = { name: 'Renamed', concurrency: null, retry: { backoffMs: 5 }, enabled: false };
    const { status, body } = await patch(task, change);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...task,
      name: 'Renamed',
      retry: { attempts: 2, backoffMs: 5, onInterrupted: false },
      enabled: false,
      updatedAt: expect.any(String),
    });
    expect(await get(task)).toEqual(body);
  });

  verifies('task.stale', 'is not changed on the ground of what it was before another change', async () => {
    const task = await create();
    const { updatedAt } = task;
    const [first, second] = await Promise.all([
      patch(task, { enabled: false, updatedAt }),
      patch<ErrorBody>(task, { name: 'Welcome', updatedAt }),
    ]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    const current = await get(task);
    const late = await patch<ErrorBody>(task, { concurrency: 9, updatedAt });
    expect([late.status, late.body.message]).toEqual([
      409,
      `Task ${task.id} was changed at ${current.updatedAt}; the change was made to an earlier state`,
    ]);
    expect((await patch(task, { concurrency: 9, updatedAt: current.updatedAt })).body.concurrency).toBe(9);
    // Who does not say it changes it anyway.
    expect((await patch(task, { concurrency: 8 })).body.concurrency).toBe(8);
  });

  verifies('task.create', 'lists by type, page by page', async () => {
    const made = [await create({ type: 'EVENT' }), await create({ type: 'EVENT' })];
    const first = await app.request<Page<Task>>('GET', '/api/tasks?type=EVENT&limit=1');
    const path = `/api/tasks?type=EVENT&limit=1&cursor=${first.body.nextCursor}`;
    const second = await app.request<Page<Task>>('GET', path);
    expect([first, second].flatMap(({ body }) => body.items)).toEqual(made.reverse());
    expect(second.body.nextCursor).toBeNull();
    const other = await app.request('GET', `/api/tasks?type=MANUAL&cursor=${first.body.nextCursor}`);
    expect(other.status).toBe(400);
  });

  verifies('task.create', 'lists pages of at most 4 MB', async () => {
    const as = await app.addUser('ADMIN', null);
    const source = `return ${'1'.repeat(60_000)};`;
    const steps = Array.from({ length: 15 }, (_, i) => code(source, `s${i}`));
    const tasks = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => create({ name, workflow: { steps } }, { as })),
    );
    const path = '/api/tasks?sort=name&limit=200';
    const { body: one } = await app.request<Page<Task>>('GET', path, { as });
    const { body: two } = await app.request<Page<Task>>('GET', `${path}&cursor=${one.nextCursor}`, { as });
    expect([one.items, two.items, two.nextCursor]).toEqual([tasks.slice(0, 4), tasks.slice(4), null]);
  });

  verifies('task.create', 'is gone once it is deleted', async () => {
    const task = await create();
    const { status } = await app.request('DELETE', `/api/tasks/${task.id}`);
    expect(status).toBe(204);
    expect((await app.request('GET', `/api/tasks/${task.id}`)).status).toBe(404);
    expect((await patch(task, { name: 'X' })).status).toBe(404);
    const list = await app.request<Page<Task>>('GET', '/api/tasks?limit=200');
    expect(list.body.items.map(({ id }) => id)).not.toContain(task.id);
  });
});

describe('Wrong tasks', () => {
  const steps = (...list: unknown[]) => ({ workflow: { steps: list } });
  const schedule = (cron: unknown, timezone: unknown = 'UTC') => ({
    type: 'SCHEDULE',
    schedule: { cron, timezone },
  });
  const agent = (inputs: unknown, id = 'ask') => ({ id, kind: 'agent', agentId: randomUUID(), inputs });

  it.each<[string, object, string]>([
    ['no workflow', { workflow: null }, 'workflow is required'],
    ['no steps', steps(), 'workflow.steps must be an array of 1 to 200 steps'],
    [
      '201 steps',
      steps(...Array.from({ length: 201 }, (_, i) => code('', `s${i}`))),
      'workflow.steps must be',
    ],
    ['a step that is no object', steps(null), 'workflow.steps.0 must be an object'],
    ['an unknown kind', steps({ id: 'a', kind: 'shell' }), 'workflow.steps.0.kind must be one of agent, '],
    ['a kind of the prototype', steps({ id: 'a', kind: 'toString' }), 'workflow.steps.0.kind must be one of'],
    ['a wrong id', steps(code('', '1a')), 'workflow.steps.0.id must be a letter or _'],
    ['a long id', steps(code('', 'a'.repeat(65))), 'workflow.steps.0.id must be'],
    ['an id twice', steps(code(''), code('')), 'workflow.steps.1.id must be unique'],
    ['an unknown field', steps({ ...code(''), shell: 1 }), 'workflow.steps.0.shell is not a known field'],
    ['a source that is no text', steps({ id: 'a', kind: 'code' }), 'workflow.steps.0.source must be a text'],
    [
      'a long source',
      steps(code('é'.repeat(32_769))),
      'workflow.steps.0.source must have at most 65536 bytes',
    ],
    ['inputs that are no object', steps(agent([])), 'workflow.steps.0.inputs must be an object'],
    ['an unknown root', steps(agent({ a: ['{{input.x}}'] })), '{{input.x}}, which must be a path'],
    [
      'a step that is not earlier',
      steps(agent({ a: '{{steps.ask.output}}' })),
      'no earlier step has the id ask',
    ],
    ['no output', steps(code(''), agent({ a: '{{steps.main.input}}' })), 'must be {{steps.<id>.output…}}'],
    [
      'an unknown field of the workflow',
      { workflow: { steps: [code('')], on: 1 } },
      'workflow.on is not a known',
    ],
    ['a blank name', { name: ' ' }, 'name must be a text that is not blank'],
    ['an unknown type', { type: 'CRON' }, 'type must be one of'],
    ['no concurrency', { concurrency: 0 }, 'concurrency must not be less than 1'],
    ['much concurrency', { concurrency: 101 }, 'concurrency must not be greater than 100'],
    ['a short timeout', { timeoutMs: 999 }, 'timeoutMs must not be less than 1000'],
    ['a long timeout', { timeoutMs: 86_400_001 }, 'timeoutMs must not be greater than 86400000'],
    ['many attempts', { retry: { attempts: 11 } }, 'retry.attempts must not be greater than 10'],
    ['no schedule', { type: 'SCHEDULE' }, 'schedule is required for a task of type SCHEDULE'],
    [
      'a schedule of an event task',
      { ...schedule('* * * * *'), type: 'EVENT' },
      'schedule must not be given',
    ],
    ['seconds', schedule('* * * * * *'), 'schedule.cron must have five fields'],
    ['a nickname', schedule('@daily'), 'schedule.cron must have five fields'],
    ['a day that does not exist', schedule('0 0 30 2 *'), 'schedule.cron must be due at some time'],
    ['a minute that does not exist', schedule('61 * * * *'), 'schedule.cron must have valid minutes'],
    ['a reading time', schedule('? * * * *'), 'schedule.cron must have five fields'],
    [
      'a place that does not exist',
      schedule('* * * * *', 'Mars/Base'),
      'schedule.timezone must be the IANA name',
    ],
    ['an offset', schedule('* * * * *', '+02:00'), 'schedule.timezone must be the IANA name'],
  ])('%s', (_, change, message) => rejects(change, message));

  verifies('task.invalid', 'names every problem at once, also of a change', async () => {
    const change = { ...steps(code('', '1'), { id: 'b', kind: 'x' }), concurrency: 0 };
    const task = await create();
    const { status, body } = await patch<ErrorBody>(task, change);
    expect(status).toBe(400);
    expect(body.code).toBe('VALIDATION_ERROR');
    for (const field of ['workflow.steps.0.id', 'workflow.steps.1.kind', 'concurrency']) {
      expect(body.message).toContain(field);
    }
    expect(await get(task)).toEqual(task);
  });

  async function rejects(change: object, message: string): Promise<void> {
    const { status, body } = await post<ErrorBody>({ ...TASK, ...change });
    expect(body.message).toContain(message);
    expect(status).toBe(400);
  }
});

describe('Who may', () => {
  beforeAll(() => installApplication(app));

  verifies('task.access', 'members see and change their own tasks, admins all', async () => {
    const own = await create({}, { as: app.member });
    const foreign = await create();
    expect(own.ownerUserId).toBe(app.member.userId);
    const list = await app.request<Page<Task>>('GET', '/api/tasks?limit=200', { as: app.member });
    expect(list.body.items.map(({ id }) => id)).toEqual([own.id]);
    expect((await patch(own, { name: 'Mine' }, { as: app.member })).status).toBe(200);

    const as = { as: app.member };
    expect((await app.request('GET', `/api/tasks/${foreign.id}`, as)).status).toBe(403);
    expect((await patch(foreign, { name: 'X' }, as)).status).toBe(403);
    expect((await app.request('DELETE', `/api/tasks/${foreign.id}`, as)).status).toBe(403);

    expect((await patch(own, { name: 'By the admin' })).status).toBe(200);
    const audit = await app.request<Page<AuditEntry>>('GET', '/api/audit?action=task.update');
    const ofOwn = audit.body.items.filter(({ targetId }) => targetId === own.id);
    expect(ofOwn.map(({ actor }) => actor?.id)).toEqual([app.admin.userId, app.member.userId]);
  });

  verifies('task.access', 'a member makes no steps that emit, and owns none', async () => {
    const emit = { id: 'tell', kind: 'emit', applicationIdentifier: 'desk', event: 'a.b', payload: {} };
    const workflow = { steps: [emit] };
    const own = await create({}, { as: app.member });
    const refused = await post<ErrorBody>({ ...TASK, workflow }, { as: app.member });
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(refused.body.message).toMatch(/^workflow\.steps\.0\.kind must not be emit/);
    expect((await patch(own, { workflow }, { as: app.member })).status).toBe(403);
    expect((await patch(own, { workflow })).status).toBe(403);
  });

  verifies('task.access', 'a step no longer emits once its owner is not an admin', async () => {
    const person = await app.addUser('ADMIN');
    const calls = new RunCalls(app, person);
    const emit = { applicationIdentifier: 'shop', event: 'order.shipped', payload: {} };
    const task = await calls.createTask([{ id: 'tell', kind: 'emit', ...emit }]);
    const member = { body: { role: 'MEMBER' } };
    expect((await app.request('PATCH', `/api/members/${person.userId}`, member)).status).toBe(200);
    expect(await calls.reached(await calls.start(task))).toMatchObject({
      status: 'FAILED',
      error: { code: 'FORBIDDEN' },
    });
  });

  verifies('task.references', 'an unknown agent or event is named with its step', async () => {
    const agent = { id: 'ask', kind: 'agent', agentId: randomUUID(), inputs: {} };
    const emit = {
      id: 'tell',
      kind: 'emit',
      applicationIdentifier: 'shop',
      event: 'order.lost',
      payload: {},
    };
    const nowhere = { ...emit, id: 'shout', applicationIdentifier: 'nowhere', event: 'order.created' };
    const tool = { id: 'use', kind: 'tool', toolId: randomUUID(), method: 'get', input: {} };
    const { status, body } = await post<ErrorBody>({
      ...TASK,
      workflow: { steps: [code(''), agent, emit, nowhere, tool] },
    });
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    const problems = problemsOf(body);
    expect(problems).toHaveLength(4);
    expect(problems[0]).toMatch(/^workflow\.steps\.1\.agentId must name an agent/);
    expect(problems[1]).toMatch(/^workflow\.steps\.2\b.*order\.lost/);
    expect(problems[2]).toMatch(/^workflow\.steps\.3\b.*nowhere/);
    expect(problems[3]).toMatch(/^workflow\.steps\.4\b/);
  });

  verifies('task.type', 'a change that a guard refuses does not happen', async () => {
    const kept = await create({ type: 'EVENT' });
    app.get(TaskDirectoryService).onChange((_, { id }) => {
      return id === kept.id ? Promise.reject(conflict('It is subscribed')) : Promise.resolve();
    });
    expect((await patch(kept, { type: 'MANUAL' })).status).toBe(409);
    expect((await app.request('DELETE', `/api/tasks/${kept.id}`)).status).toBe(409);
    expect((await patch(kept, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', type: 'EVENT' });
    const free = await create({ type: 'EVENT' });
    expect((await patch(free, { type: 'MANUAL' })).body).toMatchObject({ type: 'MANUAL' });
  });

  verifies('task.owner.removed', 'the tasks of a removed member are disabled and tell why', async () => {
    const person = await app.addUser('MEMBER');
    const as = { as: person };
    const active = await create({ type: 'SCHEDULE', schedule: { cron: '* * * * *', timezone: 'UTC' } }, as);
    const paused = await create({ enabled: false }, as);
    expect((await app.request('DELETE', `/api/members/${person.userId}`)).status).toBe(204);
    expect(await get(active)).toMatchObject({
      enabled: false,
      disabledReason: 'OWNER_REMOVED',
      nextDueAt: null,
    });
    expect(await get(paused)).toMatchObject({ enabled: false, disabledReason: null });
    expect((await patch<ErrorBody>(active, { enabled: true })).status).toBe(409);

    await app.request('POST', '/api/members', { body: { email: person.email, role: 'MEMBER' } });
    expect((await patch(active, { enabled: true })).body).toMatchObject({
      enabled: true,
      disabledReason: null,
    });
  });
});

describe('The removal of a member who owns tasks', () => {
  const preview = (person: TestUser, query = '') =>
    app.request<MemberRemoval & ErrorBody>('GET', `/api/members/${person.userId}/removal${query}`);
  const remove = (person: TestUser, query = '') =>
    app.request<ErrorBody>('DELETE', `/api/members/${person.userId}${query}`);
  const emits = {
    steps: [{ id: 'a', kind: 'emit', applicationIdentifier: 'shop', event: 'order.shipped', payload: {} }],
  };

  verifies('task.owner.transfer', 'is shown before, with what stops and what stays', async () => {
    const person = await app.addUser('ADMIN');
    const as = { as: person };
    const ship = await create({ name: 'Ship', type: 'EVENT' }, as);
    await create({ name: 'Nightly', type: 'SCHEDULE', schedule: { cron: '0 0 * * *', timezone: 'UTC' } }, as);
    await create({ name: 'Tell', workflow: emits }, as);
    await create({ name: 'Off', enabled: false }, as);
    await subscribe(app, { taskId: ship.id });
    expect((await preview(person)).body).toEqual({
      tasks: { count: 3, names: ['Ship', 'Nightly', 'Tell'] },
      schedules: { count: 1, names: ['Nightly'] },
      subscriptions: { count: 1, names: ['order.created'] },
      apiKeys: { count: expect.any(Number), names: expect.any(Array) },
      connections: { count: 0, names: [] },
      clients: { count: 0, names: [] },
      agents: { count: 0, names: [] },
      adminTasks: { count: 1, names: ['Tell'] },
      refused: [],
    });
    expect((await preview(person, `?transferTo=${app.admin.userId}`)).body.refused).toEqual([]);
    expect((await preview(person, `?transferTo=${app.member.userId}`)).body.refused).toMatchObject([
      {
        name: 'Tell',
        reason: 'workflow.steps.0.kind must not be emit: the owner of the task is not an admin',
      },
    ]);
    for (const [query, message] of [
      [`?transferTo=${person.userId}`, 'transferTo must be another member than the one who is removed'],
      [`?transferTo=${app.outsider.userId}`, 'transferTo must name a member of the space'],
      ['?transferTo=x', 'transferTo must be a UUID'],
    ] as const)
      for (const call of [preview, remove])
        expect(await call(person, query)).toMatchObject({ status: 400, body: { message } });
    expect((await preview(app.outsider)).status).toBe(403);
    const asMember = await app.request('GET', `/api/members/${person.userId}/removal`, { as: app.member });
    expect(asMember.status).toBe(403);

    // Nothing is half done.
    const refused = await remove(person, `?transferTo=${app.member.userId}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^The new owner cannot take over all tasks: Tell: workflow/) },
    });
    expect(await get(ship)).toMatchObject({ enabled: true, ownerUserId: person.userId });

    expect((await remove(person, `?transferTo=${app.admin.userId}`)).status).toBe(204);
    for (const name of ['Ship', 'Nightly', 'Tell', 'Off'])
      expect(
        await app.sql('select owner_user_id, enabled, disabled_reason from task where name = $1', [name]),
      ).toEqual([{ owner_user_id: app.admin.userId, enabled: name !== 'Off', disabled_reason: null }]);
    const audit = await app.sql(
      `select details->>'name' as name from audit_entry where action = 'task.change-owner'
      and details->>'from' = $1`,
      [person.userId],
    );
    expect(audit).toHaveLength(4);
  });

  verifies('task.owner.transfer', 'keeps the waiting runs, which act as the new owner', async () => {
    const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    const person = await api.addUser('MEMBER');
    const steps = [{ id: 'a', kind: 'code', source: 'return 1;' }];
    const body = { name: 'Mine', type: 'MANUAL', workflow: { steps } };
    const { id } = (await api.request<Task>('POST', '/api/tasks', { as: person, body })).body;
    const run = await new RunCalls(api, person).start({ id });
    const path = `/api/members/${person.userId}?transferTo=${api.member.userId}`;
    expect((await api.request('DELETE', path)).status).toBe(204);
    const worker = await TestApp.start({ database: api });
    try {
      expect(await new RunCalls(api).reached(run)).toMatchObject({
        status: 'SUCCEEDED',
        ownerUserId: api.member.userId,
      });
    } finally {
      await worker.close();
      await api.close();
    }
  });
});

describe('The owner of a task', () => {
  const give = (id: string, body: object, init: RequestInit = {}) =>
    app.request<Task>('POST', `/api/tasks/${id}/owner`, { body, ...init });
  const runOf = async ({ id }: Task) => {
    const runs = new RunCalls(app);
    return runs.reached(await runs.start({ id }));
  };

  verifies('task.owner.change', 'changes by an admin, and a task whose owner left works again', async () => {
    const person = await app.addUser('ADMIN');
    const schedule = { cron: '0 0 1 1 *', timezone: 'UTC' };
    const task = await create({ type: 'SCHEDULE', schedule }, { as: person });
    await app.request('DELETE', `/api/members/${person.userId}`);
    expect(await runOf(task)).toMatchObject({ status: 'FAILED', error: { code: 'OWNER_GONE' } });
    const taken = await give(task.id, {});
    expect([taken.status, taken.body]).toMatchObject([
      200,
      { ownerUserId: app.admin.userId, enabled: true, disabledReason: null, schedule },
    ]);
    expect(taken.body.nextDueAt).not.toBeNull();
    expect(await runOf(task)).toMatchObject({ status: 'SUCCEEDED', ownerUserId: app.admin.userId });
    expect((await give(task.id, { ownerUserId: app.member.userId })).body).toMatchObject({
      ownerUserId: app.member.userId,
      enabled: true,
    });
  });

  verifies('task.owner.change', 'is the one that the task has when a waiting run begins', async () => {
    const api = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    try {
      const runs = new RunCalls(api);
      const task = await runs.createTask([{ id: 'one', kind: 'code', source: 'return 1' }]);
      const run = await runs.start(task);
      const body = { ownerUserId: api.member.userId };
      expect((await api.request('POST', `/api/tasks/${task.id}/owner`, { body })).status).toBe(200);
      const claimed = await api.get(RunClaimsService).claim([{ taskId: task.id, count: 1 }]);
      expect(claimed.map((one) => one.run)).toMatchObject([{ id: run.id, ownerUserId: api.member.userId }]);
    } finally {
      await api.close();
    }
  });

  verifies('task.owner.change', 'is refused to others, and for people without the rights', async () => {
    const task = await create({}, { as: app.member });
    expect((await give(task.id, {}, { as: app.member })).status).toBe(403);
    const outside = await give(task.id, { ownerUserId: app.outsider.userId });
    expect([outside.status, outside.body]).toMatchObject([
      400,
      { message: 'ownerUserId must name a member of the space' },
    ]);
    const emits = await create({
      workflow: {
        steps: [
          { id: 'e', kind: 'emit', applicationIdentifier: 'shop', event: 'order.created', payload: {} },
        ],
      },
    });
    const refused = await give(emits.id, { ownerUserId: app.member.userId });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { message: 'workflow.steps.0.kind must not be emit: the owner of the task is not an admin' },
    ]);
  });

  verifies(
    'task.owner.adopted',
    'is whoever installs the same manifest again after the owner left',
    async () => {
      const person = await app.addUser('ADMIN');
      const workflow = { steps: [{ id: 'main', kind: 'code' as const, source: 'return 1' }] };
      const manifest = {
        identifier: 'orphaned',
        name: 'Orphaned',
        version: '1.0.0',
        events: [],
        tasks: [{ key: 'a', name: 'A', type: 'MANUAL' as const, workflow }],
      };
      const put = () => app.request('PUT', '/api/applications/orphaned', { body: manifest });
      await app.request('POST', '/api/applications', { body: manifest, as: person });
      const [task] = await app.sql<{ id: string }>(
        `select id from task where application_key = 'a' and name = 'A'`,
      );
      const id = task?.id ?? '';
      expect((await put()).status).toBe(200);
      expect(await get({ id })).toMatchObject({ ownerUserId: person.userId });
      await app.request('DELETE', `/api/members/${person.userId}`);
      expect(await get({ id })).toMatchObject({ enabled: false, disabledReason: 'OWNER_REMOVED' });
      expect((await put()).status).toBe(200);
      expect(await get({ id })).toMatchObject({
        ownerUserId: app.admin.userId,
        enabled: true,
        disabledReason: null,
      });
    },
  );
});

describe('Tasks of applications', () => {
  const manifestTask = (key: string, more: object = {}) => ({
    key,
    name: `Task ${key}`,
    workflow: { steps: [{ id: 'main', kind: 'code' as const, source: '' }] },
    ...more,
  });

  async function install(identifier: string, ...tasks: ReturnType<typeof manifestTask>[]) {
    const { spaceId, userId: ownerUserId } = app.admin;
    return app.get(DataSource).transaction(async (tx) => {
      const { id } = await app.get(ApplicationIdentitiesService).install(tx, spaceId, identifier);
      const where = { spaceId, applicationId: id, ownerUserId };
      return { applicationId: id, ids: await app.get(TaskInstallationService).install(tx, where, tasks) };
    });
  }

  verifies('task.application', 'admins enable and size it; the manifest defines the rest', async () => {
    const { ids } = await install('owned', manifestTask('a'));
    const id = ids.get('a') ?? '';
    expect(await get({ id })).toMatchObject({
      name: 'Task a',
      type: 'EVENT',
      application: { identifier: 'owned', key: 'a', installed: true },
    });
    const sized = await patch({ id }, { enabled: false, concurrency: 9, timeoutMs: 5_000 });
    expect(sized.body).toMatchObject({ enabled: false, concurrency: 9, timeoutMs: 5_000 });
    const refused = await patch<ErrorBody>({ id }, { name: 'Mine', retry: { attempts: 1 } });
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('name, retry');
    expect((await app.request('DELETE', `/api/tasks/${id}`)).status).toBe(409);
  });

  verifies('task.application', 'is hidden while the application is gone, and returns as it was', async () => {
    const { applicationId, ids } = await install('returns', manifestTask('a'), manifestTask('b'));
    const [a, b] = [ids.get('a') ?? '', ids.get('b') ?? ''];
    await patch({ id: a }, { enabled: false });
    const listed = async () => {
      const { body } = await app.request<Page<Task>>('GET', '/api/tasks?limit=200');
      return body.items.map(({ id }) => id).filter((id) => id === a || id === b);
    };
    await app
      .get(DataSource)
      .transaction((tx) => app.get(TaskInstallationService).uninstall(tx, applicationId));
    expect(await listed()).toEqual([]);
    expect(await get({ id: a })).toMatchObject({ application: { identifier: 'returns', installed: false } });
    expect((await patch({ id: a }, { enabled: true })).status).toBe(409);

    const again = await install('returns', manifestTask('a', { name: 'New' }));
    expect(again.ids).toEqual(new Map([['a', a]]));
    expect(await listed()).toEqual([a]);
    expect(await get({ id: a })).toMatchObject({
      name: 'New',
      enabled: false,
      application: { installed: true },
    });
  });
});
