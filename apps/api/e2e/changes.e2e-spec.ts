import pg from 'pg';
import type { Agent, ChangeEvent, ChangeKind, Run, Task } from '@platform/contracts';
import { TestApp, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { codeWorkflow, EventBus } from './harness/event-bus.ts';
import { applicationIdOf, dispatchesEnded, recordEnvelope } from './harness/event-calls.ts';
import { eventually } from './harness/eventually.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

/** Makes the requests; the runs are executed in the other process, which also has readers. */
let app: TestApp;
let worker: TestApp;
let bus: EventBus;
const open: Follower[] = [];

/** Reads a stream of changes. */
class Follower {
  readonly events: ChangeEvent[] = [];
  position = '';
  readonly ended: Promise<unknown>;
  private readonly left = new AbortController();

  constructor(process: TestApp, user: TestUser, position?: string) {
    this.ended = this.read(process, user, position).catch((error: unknown) => error);
    open.push(this);
  }

  /** Resolves once what changes from now on is told. */
  static async begin(process: TestApp, user: TestUser, position?: string): Promise<Follower> {
    const follower = new Follower(process, user, position);
    await eventually(async () => expect(follower.position).not.toBe(''));
    return follower;
  }

  leave(): void {
    this.left.abort();
  }

  /** The statuses that were told of a row, in their order. */
  told(kind: ChangeKind, id: string): (string | null)[] {
    return this.events.flatMap((event) => (event.kind === kind && event.id === id ? event.status : []));
  }

  /** Waits until a row was told. */
  hears(kind: ChangeKind, id: string | null, status?: string | null): Promise<void> {
    const event = { kind, id, ...(status !== undefined && { status }) };
    return eventually(async () => expect(this.events).toContainEqual(expect.objectContaining(event)));
  }

  private async read(process: TestApp, user: TestUser, position?: string): Promise<void> {
    const { signal } = this.left;
    const onPosition = (reached: string) => (this.position = reached);
    const reconnect = { attempts: 0 };
    for await (const event of process
      .client(user)
      .changes.follow({ signal, position, onPosition, reconnect }))
      this.events.push(event);
  }
}

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  bus = new EventBus(app, app.admin, await installApplication(app, shopManifest({ subscriptions: [] })));
  worker = await TestApp.start({ database: app });
});
afterEach(async () => {
  for (const follower of open.splice(0)) {
    follower.leave();
    await follower.ended;
  }
});
afterAll(async () => {
  await worker.close();
  await app.close();
});

async function createAgent(user: TestUser, change: object = {}): Promise<Agent> {
  const body = { name: 'Concierge', model: 'platform/offline', systemPrompt: 'Hello', ...change };
  const answer = await app.request<Agent>('POST', '/api/agents', { as: user, body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

const code = (source: string) => codeWorkflow(source).steps;

describe('the stream of changes', () => {
  verifies('changes.stream', 'tells of everything that changes, in whichever process it does', async () => {
    const here = await Follower.begin(app, app.admin);
    const there = await Follower.begin(worker, app.admin);
    expect(here.events).toEqual([{ kind: 'reset' }]);
    const agent = await createAgent(app.admin);
    const task = await bus.createTask(codeWorkflow('return 1;'));
    const subscription = await bus.subscribe('order.created', task.id);
    const envelopeId = await bus.record('order.created', { total: 5 });
    const [run] = await bus.runsOf(envelopeId, 1);
    const body = { agentId: agent.id, contents: [{ type: 'text', text: '/ask Where? | Here | There' }] };
    const job = await app.request<{ id: string; turnId: string }>('POST', '/api/agent-jobs', { body });
    const client = app.client();
    const document = await client.knowledge.createDocument({ title: 'Rules', text: 'Be kind.' });
    const asking = await new RunCalls(app).createTask([
      { id: 'ask', kind: 'ask', message: 'Well?', approval: true },
    ]);
    const waiting = await new RunCalls(app).start(asking);
    for (const follower of [here, there]) {
      await follower.hears('agent', agent.id, null);
      await follower.hears('task', task.id, 'ENABLED');
      await follower.hears('subscription', subscription.id, 'ENABLED');
      await follower.hears('envelope', envelopeId, 'DISPATCHED');
      await follower.hears('run', run?.id ?? '', 'SUCCEEDED');
      await follower.hears('job', job.body.id, 'INPUT_REQUIRED');
      await follower.hears('turn', job.body.turnId, 'INPUT_REQUIRED');
      await follower.hears('document', document.id, 'READY');
      await follower.hears('run', waiting.id, 'WAITING');
      await eventually(async () =>
        expect(follower.events.filter(({ kind }) => kind === 'question')).not.toEqual([]),
      );
    }
    // What is read after an event is not older than it.
    expect((await bus.envelope(envelopeId)).status).toBe('DISPATCHED');
    await app.request('DELETE', `/api/agents/${agent.id}`);
    await there.hears('agent', agent.id, 'DELETED');
  });

  verifies(
    ['changes.stream', 'events.replay'],
    'tells of old rows that change again: replays, retries, dismissed failures',
    async () => {
      const applicationId = await applicationIdOf(app);
      const old = await recordEnvelope(app, { applicationId, agoMs: 7_200_000 });
      const runs = new RunCalls(app);
      const task = await runs.createTask(code('throw new Error("No")'));
      const failed = await runs.reached(await runs.start(task));
      await app.sql(
        `update run set id = uuid_v7_floor(clock_timestamp() - interval '1 hour') where id = $1`,
        [failed.id],
      );
      const [{ id: runId } = { id: '' }] = await app.sql<{ id: string }>(
        'select id from run where task_id = $1',
        [task.id],
      );
      const follower = await Follower.begin(app, app.admin);
      await app.request('POST', `/api/events/envelopes/${old}/replay`, { body: {} });
      await follower.hears('envelope', old, 'DISPATCHED');
      const dismissal = { action: 'dismiss', select: { ids: [runId] } };
      const begun = await app.request<{ id: string }>('POST', '/api/runs/bulk', { body: dismissal });
      await follower.hears('bulk-run-action', begun.body.id, 'COMPLETED');
      await follower.hears('run', runId, 'FAILED');
      follower.events.length = 0;
      expect((await runs.retry({ id: runId })).status).toBe(202);
      await eventually(async () => expect(follower.told('run', runId).at(-1)).toBe('FAILED'));
    },
  );

  verifies('changes.permissions', 'tells each caller of what that caller may list', async () => {
    const other = await app.addUser('MEMBER');
    const keyed = await app.addUser('ADMIN');
    await app.sql(`update api_key set scopes = '{invoke}' where user_id = $1`, [keyed.userId]);
    const [admin, member, colleague, outsider, key] = await Promise.all(
      [app.admin, app.member, other, app.outsider, keyed].map((user) => Follower.begin(app, user)),
    );
    if (!admin || !member || !colleague || !outsider || !key) throw new Error('Nobody follows');
    const restricted = { accessScope: 'RESTRICTED', allowedUserIds: [app.member.userId] };
    const hidden = await createAgent(app.admin, restricted);
    const task = await new RunCalls(app, app.member).createTask(code('return 1;'));
    const run = await new RunCalls(app, app.member).start(task);
    const body = { agentId: hidden.id, contents: [{ type: 'text', text: 'Hello' }] };
    const job = await app.request<{ id: string; turnId: string }>('POST', '/api/agent-jobs', {
      as: app.member,
      body,
    });
    expect(job.status).toBe(202);
    const envelopeId = await bus.record('order.created', { total: 5 });
    const shown = await createAgent(app.admin);
    await member.hears('agent', hidden.id);
    await member.hears('job', job.body.id, 'COMPLETED');
    // Who may no longer call it hears that it is gone, and nobody new does.
    await app.request('PATCH', `/api/agents/${hidden.id}`, { body: { allowedUserIds: [] } });
    await eventually(async () => expect(member.told('agent', hidden.id)).toHaveLength(2));
    await Promise.all([
      member.hears('run', run.id, 'SUCCEEDED'),
      member.hears('job', job.body.id, 'COMPLETED'),
      member.hears('turn', job.body.turnId, 'COMPLETED'),
      admin.hears('agent', hidden.id),
      admin.hears('run', run.id, 'SUCCEEDED'),
      admin.hears('envelope', envelopeId, 'DISPATCHED'),
      ...[admin, member, colleague, key].map((follower) => follower.hears('agent', shown.id)),
    ]);
    // Whoever reads on hears of this last: nothing else is on the way.
    const last = await createAgent(app.admin);
    await Promise.all([admin, member, colleague, key].map((one) => one.hears('agent', last.id)));
    const kinds = (follower: Follower) => new Set(follower.events.map(({ kind }) => kind));
    expect(kinds(colleague)).toEqual(new Set(['reset', 'agent']));
    expect(colleague.told('agent', hidden.id)).toEqual([]);
    expect(kinds(member)).toEqual(new Set(['reset', 'agent', 'task', 'run', 'job', 'turn']));
    expect(admin.told('job', job.body.id)).toEqual([]);
    expect(kinds(admin)).not.toContain('turn');
    expect(kinds(key)).toEqual(new Set(['reset', 'agent']));
    expect(outsider.events).toEqual([{ kind: 'reset' }]);
  });

  verifies('changes.resume', 'continues in another process, and says reset if it cannot', async () => {
    const first = await Follower.begin(app, app.member);
    const { position } = first;
    first.leave();
    await first.ended;
    const task: Task = await new RunCalls(app, app.member).createTask(code('return 1;'));
    const run: Run = await new RunCalls(app, app.member).reached(
      await new RunCalls(app, app.member).start(task),
    );
    const second = await Follower.begin(worker, app.member, position);
    await second.hears('task', task.id);
    // Nobody has polled the runs meanwhile.
    await second.hears('run', null);
    expect(second.events).not.toContainEqual({ kind: 'reset' });
    expect(kindsOf(second)).not.toContain('envelope');
    expect(run.status).toBe('SUCCEEDED');
    // Nothing is told twice.
    const third = await Follower.begin(app, app.member, second.position);
    await third.hears('run', null);
    expect(third.told('task', task.id)).toEqual([]);
    for (const foreign of [
      'nonsense',
      position.replace(/.$/, 'A'),
      (await Follower.begin(app, app.outsider)).position,
    ]) {
      const follower = await Follower.begin(app, app.member, foreign);
      expect(follower.events[0]).toEqual({ kind: 'reset' });
    }
  });

  verifies('changes.resume', 'misses no transaction that was open when it was cut off', async () => {
    const tx = new pg.Client({ connectionString: app.databaseUrl });
    await tx.connect();
    await tx.query('begin');
    const { rows } = await tx.query<{ id: string }>(
      `insert into task (space_id, owner_user_id, name, type, workflow, concurrency, timeout_ms, retry)
       values ($1, $2, 'Late', 'MANUAL', '{"steps": []}', 1, 1000, '{}') returning id`,
      [app.member.spaceId, app.member.userId],
    );
    const id = rows[0]?.id ?? '';
    const follower = await Follower.begin(app, app.member);
    const early = await new RunCalls(app, app.member).createTask(code('return 1;'));
    await follower.hears('task', early.id);
    follower.leave();
    await tx.query('commit');
    await tx.end();
    const second = await Follower.begin(app, app.member, follower.position);
    await second.hears('task', id);
    expect(second.told('task', early.id)).toEqual([]);
  });

  verifies('changes.bounded', 'tells only the kind of what changes often', async () => {
    const follower = await Follower.begin(app, app.admin);
    await dispatchesEnded(app);
    const applicationId = await applicationIdOf(app);
    follower.events.length = 0;
    await app.sql(
      `insert into task (space_id, owner_user_id, name, type, workflow, concurrency, timeout_ms, retry)
       select $1, $2, 'Many', 'MANUAL', '{"steps": []}', 1, 1000, '{}' from generate_series(1, 500)`,
      [app.admin.spaceId, app.admin.userId],
    );
    await follower.hears('task', null);
    expect(follower.events.filter(({ kind }) => kind === 'task').length).toBeLessThanOrEqual(21);
    await app.sql(
      `insert into envelope (space_id, application_id, event, payload, status, source, root_id, path)
       select $1, $2, 'order.created', '{}', 'DISPATCHED', 'system', uuid_v7(), '{}' from generate_series(1, 1000)`,
      [app.admin.spaceId, applicationId],
    );
    await follower.hears('envelope', null);
    expect(follower.events.filter(({ kind }) => kind === 'envelope').length).toBeLessThanOrEqual(21);
  });

  verifies('changes.bounded', 'disturbs no reader of another space', async () => {
    const busy = await Follower.begin(app, app.admin);
    const neighbor = await Follower.begin(app, app.outsider);
    neighbor.events.length = 0;
    await app.sql(
      `insert into task (space_id, owner_user_id, name, type, workflow, concurrency, timeout_ms, retry)
       select $1, $2, 'Many', 'MANUAL', '{"steps": []}', 1, 1000, '{}' from generate_series(1, 2500)`,
      [app.admin.spaceId, app.admin.userId],
    );
    const agent = await createAgent(app.outsider);
    await Promise.all([busy.hears('task', null), neighbor.hears('agent', agent.id)]);
    expect(busy.events.filter(({ kind }) => kind === 'reset')).toHaveLength(1);
    expect(kindsOf(neighbor)).toEqual(new Set(['agent']));
  });

  verifies('access.open-streams', 'ends when its credential does, or the rights of its caller', async () => {
    const revoked = await app.addUser('MEMBER');
    const demoted = await app.addUser('ADMIN');
    const followers = [await Follower.begin(app, revoked), await Follower.begin(app, demoted)];
    const staying = await Follower.begin(app, app.member);
    // The first stream of this key is that of a member; the second one is that of an admin.
    const promoted = await app.addUser('MEMBER');
    await Follower.begin(app, promoted);
    await app.sql(`update membership set role = 'ADMIN' where user_id = $1`, [promoted.userId]);
    followers.push(await Follower.begin(app, promoted));
    await app.sql('update api_key set revoked_at = clock_timestamp() where user_id = $1', [revoked.userId]);
    await app.sql(`update membership set role = 'MEMBER' where user_id = any($1)`, [
      [demoted.userId, promoted.userId],
    ]);
    // Nothing else would end them.
    await Promise.all(followers.map(({ ended }) => ended));
    const agent = await createAgent(app.admin);
    await staying.hears('agent', agent.id);
  });

  verifies('changes.quiet', 'costs nothing without a reader', async () => {
    await dispatchesEnded(app);
    const task = await bus.createTask(codeWorkflow('return 1;'));
    await bus.subscribe('order.created', task.id);
    // The turns that earlier tests have left waiting end with their agents.
    await app.sweep();
    await app.sql('delete from change');
    const id = await bus.record('order.created', { total: 5 });
    await bus.runsOf(id, 2);
    expect(await app.sql('select kind from change')).toEqual([]);
    const before = await app.sql(`insert into change (space_id, kind, ref_id, for_admins, created_at)
      values (uuid_v7(), 'task', uuid_v7(), true, clock_timestamp() - interval '1 hour') returning n`);
    expect(before).toHaveLength(1);
    await app.sweep();
    expect(await app.sql('select kind from change')).toEqual([]);
  });
});

describe('bulk work', () => {
  /** Slow enough to run as long as the test. */
  const SLOW = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', perSecond: 1 };
  const begin = (path: string, body: object) =>
    app.request<{ id: string; message: string; runningId?: string }>('POST', path, { body });

  verifies('bulk.same', 'is not begun again while it runs, unless that is wanted', async () => {
    const applicationId = await applicationIdOf(app);
    for (let i = 0; i < 5; i++) await recordEnvelope(app, { applicationId, status: 'FAILED' });
    const wanted = { ...SLOW, status: 'FAILED' };
    const answers = await Promise.all([1, 2, 3].map(() => begin('/api/events/replays', wanted)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    const id = answers.find(({ status }) => status === 202)?.body.id ?? '';
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain(id);
    const overlapping = { ...wanted, from: '2021-01-01T00:00:00Z' };
    const preview = (body: object) => begin('/api/events/replays/preview', { ...body, perSecond: undefined });
    expect((await preview(overlapping)).body.runningId).toBe(id);
    expect((await preview({ ...SLOW, to: '2020-02-01T00:00:00Z' })).body.runningId).toBeNull();
    expect((await preview(SLOW)).body.runningId).toBeNull();
    expect((await begin('/api/events/replays', overlapping)).status).toBe(409);
    const again = await begin('/api/events/replays', { ...wanted, alongside: true });
    expect(again.status).toBe(202);
    for (const one of [id, again.body.id]) await app.request('DELETE', `/api/events/replays/${one}`);
    expect((await preview(wanted)).body.runningId).toBeNull();
  });

  verifies('bulk.same', 'on runs is not begun again either', async () => {
    const runs = new RunCalls(app);
    const task = await runs.createTask(code('throw new Error("No")'));
    for (let i = 0; i < 4; i++) await runs.reached(await runs.start(task));
    const wanted = { action: 'retry', select: { taskId: task.id }, perSecond: 1 };
    const first = await begin('/api/runs/bulk', wanted);
    expect(first.status).toBe(202);
    const second = await begin('/api/runs/bulk', wanted);
    expect([second.status, second.body.message]).toEqual([409, expect.stringContaining(first.body.id)]);
    const { perSecond: _, ...select } = wanted;
    expect((await begin('/api/runs/bulk/preview', select)).body.runningId).toBe(first.body.id);
    expect((await begin('/api/runs/bulk', { ...wanted, alongside: true })).status).toBe(202);
  });
});

function kindsOf({ events }: Follower): Set<string> {
  return new Set(events.map(({ kind }) => kind));
}
