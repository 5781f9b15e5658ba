import { randomUUID } from 'node:crypto';
import type {
  BulkReplay,
  Envelope,
  EnvelopeDetail,
  Page,
  ReplayPreview,
  ReplayResponse,
  Subscription,
} from '@platform/contracts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { applicationIdOf, dispatchesEnded, recordEnvelope } from './harness/event-calls.ts';
import { codeWorkflow, EventBus } from './harness/event-bus.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const ALL = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };
const FAILED = { only: 'FAILED_DELIVERIES' };

/** Dispatches nothing: requests are made in one process and carried out in another. */
let app: TestApp;
let worker: TestApp;
let bus: EventBus;
let good: Subscription;
let bad: Subscription;

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  bus = new EventBus(app, app.admin, await installApplication(app, shopManifest({ subscriptions: [] })));
  const make = async (source: string) =>
    bus.subscribe('order.created', (await bus.createTask(codeWorkflow(source))).id);
  good = await make('return 1;');
  bad = await make('throw new Error("No")');
  worker = await TestApp.start({ database: app });
});
afterAll(async () => {
  await worker.close();
  await app.close();
});

const replay = (id: string, body: object) =>
  app.request<ReplayResponse & { message?: string }>('POST', `/api/events/envelopes/${id}/replay`, { body });

/** An event whose runs have ended. */
async function ended(runs = 2): Promise<string> {
  const id = await bus.record('order.created', { total: 5 });
  await bus.runsOf(id, runs);
  return id;
}

const outcomesOf = ({ generations: [last] }: EnvelopeDetail) =>
  Object.fromEntries((last?.verdicts ?? []).map(({ subscriptionId, outcome }) => [subscriptionId, outcome]));

describe('a limited replay', () => {
  verifies('events.replay.limit', 'of failed deliveries repeats nothing that succeeded', async () => {
    const id = await ended();
    expect(await replay(id, FAILED)).toMatchObject({ status: 202, body: { generation: 1 } });
    const runs = await bus.runsOf(id, 3);
    expect(runs.map(({ taskId }) => taskId).filter((taskId) => taskId === good.taskId)).toHaveLength(1);
    const envelope = await bus.dispatched(id, 1);
    expect(envelope).toMatchObject({ matchedCount: 1, deliveries: { succeeded: 1, failed: 1 } });
    expect(envelope.generations[0]).toMatchObject({ only: 'FAILED_DELIVERIES', subscriptionIds: null });
    expect(envelope.generations[1]).toMatchObject({ only: null, subscriptionIds: null });
    expect(outcomesOf(envelope)).toEqual({ [good.id]: 'LEFT_OUT', [bad.id]: 'MATCHED' });
    expect(envelope.generations[0]?.verdicts[0]?.reason).toBe('Left out of this replay');
  });

  verifies('events.replay.limit', 'of subscriptions starts only their tasks', async () => {
    const id = await ended();
    await replay(id, { subscriptionIds: [good.id, good.id] });
    expect(outcomesOf(await bus.dispatched(id, 1))).toEqual({ [good.id]: 'MATCHED', [bad.id]: 'LEFT_OUT' });
    await bus.runsOf(id, 3);
    // Both limits: the delivery to one has not failed.
    const none = await replay(id, { ...FAILED, subscriptionIds: [good.id] });
    expect([none.status, none.body.message]).toEqual([
      409,
      'No delivery that the replay is limited to has failed',
    ]);
    await replay(id, { ...FAILED, subscriptionIds: [good.id, bad.id] });
    expect(outcomesOf(await bus.dispatched(id, 2))).toEqual({ [good.id]: 'LEFT_OUT', [bad.id]: 'MATCHED' });
  });

  verifies('events.replay.limit', 'knows its subscriptions', async () => {
    const id = await ended();
    const shipped = await bus.subscribe('order.shipped', good.taskId);
    const wrong: [object, string][] = [
      [{ subscriptionIds: [shipped.id] }, `subscriptionIds: subscription ${shipped.id} is to order.shipped`],
      [{ subscriptionIds: [id] }, `subscriptionIds: there is no subscription ${id}`],
      [{ subscriptionIds: [] }, 'subscriptionIds must contain at least 1 elements'],
      [{ subscriptionIds: ['x'] }, 'each value in subscriptionIds must be a UUID'],
      [{ subscriptionIds: Array.from({ length: 101 }, () => randomUUID()) }, 'no more than 100 elements'],
      [{ only: 'FAILED' }, 'only must be one of'],
    ];
    for (const [body, problem] of wrong) {
      const answer = await replay(id, body);
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(problem)]);
    }
    await app.request('DELETE', `/api/events/subscriptions/${shipped.id}`);
  });

  verifies(
    'events.replay.limit',
    'of failed deliveries leaves out subscriptions that were deleted',
    async () => {
      const task = await bus.createTask(codeWorkflow('throw new Error("No")'));
      const gone = await bus.subscribe('order.created', task.id);
      const id = await ended(3);
      const subscription = `/api/events/subscriptions/${gone.id}`;
      expect((await app.request('DELETE', subscription)).status).toBe(204);
      await replay(id, FAILED);
      expect(outcomesOf(await bus.dispatched(id, 1))).toEqual({ [good.id]: 'LEFT_OUT', [bad.id]: 'MATCHED' });
      await bus.runsOf(id, 4);
      // A retry by hand succeeds: only the delivery to the deleted subscription has failed.
      await app.sql(`update run set status = 'SUCCEEDED' where envelope_id = $1 and subscription_id = $2`, [
        id,
        bad.id,
      ]);
      const none = await replay(id, FAILED);
      expect([none.status, none.body.message]).toEqual([
        409,
        'No delivery that the replay is limited to has failed',
      ]);
      expect((await bus.envelope(id)).generation).toBe(1);
    },
  );

  verifies('events.replay.limit', 'reaches deliveries that started no run, not cancelled ones', async () => {
    const task = await bus.createTask(codeWorkflow('return null;'));
    const missed = await bus.subscribe('order.created', task.id, { total: 7 });
    await app.request('PATCH', `/api/tasks/${task.id}`, { body: { enabled: false } });
    const id = await bus.record('order.created', { total: 7 });
    await bus.runsOf(id, 2);
    expect(outcomesOf(await bus.envelope(id))[missed.id]).toBe('TASK_DISABLED');
    await app.sql(`update run set status = 'CANCELLED' where envelope_id = $1 and subscription_id = $2`, [
      id,
      bad.id,
    ]);
    // What is left out still counts as missed.
    await replay(id, { subscriptionIds: [good.id] });
    await bus.runsOf(id, 3);
    const log = await bus.get<Page<Envelope>>('/api/events/envelopes?outcome=FAILED&limit=1');
    expect(log.body.items).toMatchObject([{ id, deliveries: { missed: 1, succeeded: 1, cancelled: 1 } }]);
    await app.request('PATCH', `/api/tasks/${task.id}`, { body: { enabled: true } });
    await replay(id, FAILED);
    expect(outcomesOf(await bus.dispatched(id, 2))).toEqual({
      [good.id]: 'LEFT_OUT',
      [bad.id]: 'LEFT_OUT',
      [missed.id]: 'MATCHED',
    });
    await bus.runsOf(id, 4);
    await app.request('DELETE', `/api/tasks/${task.id}`);
  });

  verifies(
    'events.replay.limit',
    'is one generation for all clicks with a key, and no other limit',
    async () => {
      const id = await ended();
      const requestKey = randomUUID();
      const clicks = await Promise.all(
        Array.from({ length: 20 }, () => replay(id, { ...FAILED, requestKey })),
      );
      expect(clicks.map(({ status, body }) => [status, body.generation])).toEqual(clicks.map(() => [202, 1]));
      await bus.runsOf(id, 3);
      const again = await replay(id, { ...FAILED, requestKey });
      expect([again.status, again.body.generation]).toEqual([202, 1]);
      for (const limit of [{}, { subscriptionIds: [bad.id] }, { ...FAILED, subscriptionIds: [bad.id] }]) {
        const other = await replay(id, { ...limit, requestKey });
        expect([other.status, other.body.message]).toEqual([
          409,
          'The requestKey was used for a replay with another limit',
        ]);
      }
      expect((await bus.envelope(id)).generation).toBe(1);
    },
  );

  verifies('events.replay.limit', 'keeps its limit when its dispatch fails and is repeated', async () => {
    const id = await ended();
    armFailpoints(['events.dispatch.before-commit']);
    try {
      await replay(id, FAILED);
      await eventually(async () =>
        expect(
          await app.sql('select from envelope_outbox where envelope_id = $1 and attempts > 0', [id]),
        ).toHaveLength(1),
      );
    } finally {
      disarmFailpoints();
    }
    expect(outcomesOf(await bus.dispatched(id, 1))).toEqual({ [good.id]: 'LEFT_OUT', [bad.id]: 'MATCHED' });
    expect(await bus.runsOf(id, 3)).toHaveLength(3);
  });
});

describe('a limited bulk replay', () => {
  const preview = (body: object) =>
    app.request<ReplayPreview & { message?: string }>('POST', '/api/events/replays/preview', {
      body: { ...ALL, ...body },
    });

  async function finished(body: object): Promise<BulkReplay> {
    const begun = await app.request<BulkReplay>('POST', '/api/events/replays', {
      body: { ...ALL, perSecond: 1000, ...body },
    });
    expect([begun.status, begun.text]).toEqual([202, expect.any(String)]);
    return eventually(async () => {
      const { body: now } = await bus.get<BulkReplay>(`/api/events/replays/${begun.body.id}`);
      expect(now.status).not.toBe('RUNNING');
      return now;
    });
  }

  beforeEach(async () => {
    await dispatchesEnded(app);
    // A run that goes on would hold one of the tables, and wait for another.
    await eventually(async () => expect(await app.sql('select from run_queue limit 1')).toEqual([]));
    await app.sql('truncate envelope, envelope_outbox, envelope_replay, delivery, run, run_queue');
  });

  verifies('events.bulk-replay.limit', 'replays only failed deliveries', async () => {
    const failed = [await ended(), await ended(), await ended()];
    await app.request('PATCH', `/api/events/subscriptions/${bad.id}`, { body: { enabled: false } });
    const others = [await ended(1), await ended(1)];
    await app.request('PATCH', `/api/events/subscriptions/${bad.id}`, { body: { enabled: true } });
    expect((await preview(FAILED)).body).toEqual({
      count: 3,
      limit: 2_000,
      isLimited: false,
      runningId: null,
    });
    expect((await preview({ ...FAILED, subscriptionIds: [good.id] })).body.count).toBe(0);
    const done = await finished(FAILED);
    expect(done).toMatchObject({ status: 'COMPLETED', total: 3, replayed: 3, refused: 0 });
    expect(done.query).toMatchObject({ only: 'FAILED_DELIVERIES', subscriptionIds: null });
    for (const id of failed) {
      await bus.runsOf(id, 3);
      expect(outcomesOf(await bus.envelope(id))).toEqual({ [good.id]: 'LEFT_OUT', [bad.id]: 'MATCHED' });
    }
    for (const id of others) expect(await bus.envelope(id)).toMatchObject({ generation: 0 });
  });

  verifies('events.bulk-replay.limit', 'looks beyond many envelopes without failures', async () => {
    const applicationId = await applicationIdOf(app);
    for (let i = 0; i < 310; i++) await recordEnvelope(app, { applicationId });
    const failed = await ended();
    expect((await preview(FAILED)).body.count).toBe(1);
    expect(await finished(FAILED)).toMatchObject({ status: 'COMPLETED', total: 1, replayed: 1, refused: 0 });
    expect(await bus.dispatched(failed, 1)).toMatchObject({ generation: 1 });
  });

  verifies('events.bulk-replay.limit', 'selects only events of its subscriptions', async () => {
    const shipped = await bus.record('order.shipped', { total: 1 });
    const id = await ended();
    const limit = { subscriptionIds: [good.id] };
    expect((await preview(limit)).body.count).toBe(1);
    expect((await preview({ ...limit, event: 'order.shipped' })).body.count).toBe(0);
    expect(await finished(limit)).toMatchObject({ status: 'COMPLETED', total: 1, replayed: 1 });
    expect(await bus.runsOf(id, 3)).toHaveLength(3);
    expect(await bus.envelope(shipped)).toMatchObject({ generation: 0 });
    const unknown = await preview({ subscriptionIds: [id] });
    expect([unknown.status, unknown.body.message]).toEqual([
      400,
      `subscriptionIds: there is no subscription ${id}`,
    ]);
  });
});
