import type {
  EmitResponse,
  Envelope,
  EnvelopeDetail,
  ErrorBody,
  Page,
  Run,
  Subscription,
  Task,
  Trigger,
} from '@platform/contracts';
import { EventBatchesService } from '../src/events/dispatch/event-batches.service.ts';
import { EventCounterWorker } from '../src/events/summary/event-counter.worker.ts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { bulkReplayed, countFailed, listFailed, subscribe } from './harness/event-calls.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const HOUR = 3_600_000;

let app: TestApp;
let shop: EmittingApp;

beforeAll(async () => {
  app = await TestApp.start();
  shop = await EmittingApp.install(app);
});
afterEach(() => disarmFailpoints());
afterAll(() => app.close());

/** A task whose run returns the payloads of its trigger, and its subscription. */
async function batched(batch: object): Promise<{ task: Task; subscription: Subscription }> {
  const source = 'return context.steps.each.output.map(({ output }) => output);';
  const item = { id: 'one', kind: 'code', source: 'return context.item.payload.n;' };
  const each = { id: 'each', kind: 'each', items: '{{trigger.items}}', steps: [item] };
  const steps = [each, { id: 'tell', kind: 'code', source }];
  const body = { name: 'Batched', type: 'EVENT', workflow: { steps } };
  const task = (await app.request<Task>('POST', '/api/tasks', { body })).body;
  const subscription = await subscribe(app, { taskId: task.id, batch } as Partial<Subscription>);
  return { task, subscription };
}

async function emit(payload: Record<string, unknown>): Promise<string> {
  const { envelopeId } = await shop.emit(payload);
  await shop.dispatched(envelopeId);
  return envelopeId;
}

const runsOf = ({ id }: Task) =>
  app.sql<{ id: string; status: string; items: string[] }>(
    `select id, status, array(select item->>'id' from json_array_elements(payload) item) as items
     from run where task_id = $1 order by id`,
    [id],
  );

/** The runs of a task, once there are so many, and all have succeeded. */
const ended = (task: Task, count: number) =>
  eventually(async () => {
    const runs = await runsOf(task);
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'SUCCEEDED'));
    return runs;
  });

/** As if the time of what is collected was over. */
const endWindows = ({ id }: Subscription) =>
  app.sql('update event_batch set due_at = clock_timestamp() where subscription_id = $1', [id]);

const envelope = async (id = '') =>
  (await app.request<EnvelopeDetail>('GET', `/api/events/envelopes/${id}`)).body;

async function generationOf(envelopeId: string, { id }: Subscription, generation = 0) {
  const found = (await envelope(envelopeId)).generations.find((one) => one.generation === generation);
  return {
    verdict: found?.verdicts.find(({ subscriptionId }) => subscriptionId === id),
    runIds: found?.runs.filter(({ subscriptionId }) => subscriptionId === id).map(({ runId }) => runId),
  };
}

const drop = ({ id }: Subscription) => app.request('DELETE', `/api/events/subscriptions/${id}`);

describe('a subscription with a batch', () => {
  verifies(
    'subscriptions.batch',
    'starts one run with the events of a key, when they are enough or in time',
    async () => {
      const batch = { key: 'kind', maxItems: 3, windowMs: HOUR };
      const { task, subscription } = await batched(batch);
      expect(subscription).toMatchObject({ batch, debounce: null });
      const ids = [await emit({ n: 1, kind: 'a' })];
      const other = await emit({ n: 2, kind: 'b' });
      ids.push(await emit({ n: 3, kind: 'a' }));
      expect(await runsOf(task)).toEqual([]);
      ids.push(await emit({ n: 4, kind: 'a' }));
      const next = await emit({ n: 5, kind: 'a' });
      const [run] = await ended(task, 1);
      expect(run?.items).toEqual(ids);
      const { body } = await app.request<Run>('GET', `/api/runs/${run?.id}`);
      expect(body.steps.at(-1)?.output).toEqual([1, 3, 4]);
      const { items, ...trigger } = body.trigger as Trigger;
      expect(trigger).toMatchObject({
        event: 'order.created',
        id: ids[0],
        payload: {},
        itemCount: 3,
        depth: 0,
      });
      expect(items?.[1]).toEqual({
        event: 'order.created',
        payload: { n: 3, kind: 'a' },
        source: 'app',
        id: ids[1],
        emittedAt: expect.any(String),
        spaceId: app.admin.spaceId,
        actorUserId: null,
        causationId: null,
        depth: 0,
      });
      for (const id of ids)
        expect(await generationOf(id, subscription)).toMatchObject({
          verdict: {
            outcome: 'BATCHED',
            reason:
              'Collected with other events with the same kind: a run starts with 3 of them, or 3600 s after the first',
          },
          runIds: [run?.id],
        });
      expect((await generationOf(next, subscription)).runIds).toEqual([]);
      await endWindows(subscription);
      const runs = await ended(task, 3);
      expect(runs.map(({ items }) => items).sort()).toEqual([ids, [other], [next]].sort());
      await drop(subscription);
    },
  );

  verifies(
    'subscriptions.batch',
    'starts before there are too many bytes; a replay starts alone',
    async () => {
      const { task, subscription } = await batched({ maxItems: 100, windowMs: HOUR });
      const ids: string[] = [];
      for (let n = 0; n < 6; n++) ids.push(await emit({ n, note: 'x'.repeat(220_000) }));
      const [run] = await ended(task, 1);
      expect(run?.items).toEqual(ids.slice(0, 4));
      const replay = await app.request('POST', `/api/events/envelopes/${ids[4]}/replay`, { body: {} });
      expect(replay.status).toBe(202);
      const runs = await ended(task, 2);
      expect(runs.map(({ items }) => items)).toContainEqual([ids[4]]);
      expect(await generationOf(ids[4] ?? '', subscription, 1)).toMatchObject({
        verdict: { outcome: 'MATCHED' },
      });
      await endWindows(subscription);
      expect((await ended(task, 3)).map(({ items }) => items)).toContainEqual([ids[4], ids[5]]);
      await drop(subscription);
    },
  );

  verifies(
    'subscriptions.batch',
    'has each of its events found if the run has failed, and a bulk replay collects them again',
    async () => {
      const { task, subscription } = await batched({ maxItems: 10, windowMs: HOUR });
      const failing = { steps: [{ id: 'one', kind: 'code', source: 'throw new Error("No");' }] };
      const { workflow } = task;
      await app.request('PATCH', `/api/tasks/${task.id}`, { body: { workflow: failing } });
      const ids = [await emit({ n: 1 }), await emit({ n: 2 }), await emit({ n: 3 })];
      await endWindows(subscription);
      await eventually(async () => expect(await runsOf(task)).toMatchObject([{ status: 'FAILED' }]));
      expect(await listFailed(app)).toEqual(ids.toReversed());
      expect(await countFailed(app)).toBe(3);

      await app.request('PATCH', `/api/tasks/${task.id}`, { body: { workflow } });
      expect(await bulkReplayed(app)).toMatchObject({ status: 'COMPLETED', total: 3, replayed: 3 });
      const further = await emit({ n: 4 });
      for (const id of ids) await shop.dispatched(id);
      expect(await runsOf(task)).toHaveLength(1);
      await endWindows(subscription);
      const run = await eventually(async () => {
        const [, again, other, ...more] = await runsOf(task);
        expect([again?.status, other, more]).toMatchObject(['SUCCEEDED', { items: [further] }, []]);
        return again;
      });
      expect(run?.items).toEqual(ids);
      for (const id of ids)
        expect(await generationOf(id, subscription, 1)).toMatchObject({
          verdict: { outcome: 'BATCHED' },
          runIds: [run?.id],
        });
      expect(await listFailed(app)).toEqual([]);
      await drop(subscription);
    },
  );

  verifies(
    'subscriptions.batch.once',
    'keeps what is replayed apart from what is collected, also the same events',
    async () => {
      const { task, subscription } = await batched({ maxItems: 3, windowMs: HOUR });
      const ids = [await emit({ n: 1 }), await emit({ n: 2 })];
      expect((await bulkReplayed(app, { from: (await envelope(ids[0])).emittedAt })).replayed).toBe(2);
      for (const id of ids) await shop.dispatched(id);
      await endWindows(subscription);
      const runs = await ended(task, 2);
      expect(runs.map(({ items }) => items)).toEqual([ids, ids]);
      for (const generation of [0, 1])
        expect((await generationOf(ids[0] ?? '', subscription, generation)).runIds).toEqual([
          runs[generation]?.id,
        ]);
      await drop(subscription);
    },
  );

  verifies(
    'subscriptions.batch.once',
    'loses no event and has none twice, wherever a process fails',
    async () => {
      const { task, subscription } = await batched({ key: 'kind', maxItems: 7, windowMs: 300 });
      const second = await TestApp.start({ database: app });
      try {
        const ids: string[] = [];
        for (const place of ['after-runs', 'before-commit', 'after-commit']) {
          armFailpoints([`events.batch.${place}:throw@1`]);
          const sent = Array.from({ length: 20 }, (_, n) => shop.emit({ n, kind: n % 3 === 0 ? 'a' : 'b' }));
          // Two that start batches at the same moment as the workers.
          const starts = [app, second].map((one) =>
            one
              .get(EventBatchesService)
              .startDue()
              .catch(() => 0),
          );
          ids.push(...(await Promise.all(sent)).map(({ envelopeId }) => envelopeId));
          await Promise.all(starts);
        }
        await Promise.all(ids.map((id) => shop.dispatched(id)));
        const runs = await eventually(async () => {
          const [left] = await app.sql<{ count: number }>('select count(*)::int as count from event_batch');
          expect(left?.count).toBe(0);
          const found = await runsOf(task);
          expect(found.flatMap(({ items }) => items)).toHaveLength(ids.length);
          expect(found.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
          return found;
        });
        expect(runs.flatMap(({ items }) => items).sort()).toEqual([...ids].sort());
        for (const { items } of runs) {
          expect(items.length).toBeLessThanOrEqual(7);
          expect(items).toEqual([...items].sort());
        }
        expect(await app.sql('select run_id from batched_event')).toEqual([]);
      } finally {
        await second.close();
      }
      await drop(subscription);
    },
  );

  verifies('events.log.outcomes', 'counts events that are collected among those that wait', async () => {
    const { task, subscription } = await batched({ maxItems: 10, windowMs: HOUR });
    const id = await emit({ n: 1 });
    const none = { succeeded: 0, failed: 0, missed: 0, cancelled: 0, waiting: 0 };
    const listWaiting = async () =>
      (await app.request<Page<Envelope>>('GET', '/api/events/envelopes?outcome=WAITING')).body.items;
    expect((await envelope(id)).deliveries).toEqual({ ...none, waiting: 1 });
    expect(await listWaiting()).toMatchObject([{ id }]);
    await endWindows(subscription);
    await ended(task, 1);
    expect((await envelope(id)).deliveries).toEqual({ ...none, succeeded: 1 });
    expect(await listWaiting()).toEqual([]);
    await drop(subscription);
  });

  it('starts what was collected although it is deleted, without what was erased', async () => {
    const { task, subscription } = await batched({ maxItems: 10, windowMs: HOUR });
    const ids = [await emit({ n: 1 }), await emit({ n: 2 }), await emit({ n: 3 })];
    const erase = (id = '') => app.request('POST', `/api/events/envelopes/${id}/erase-payload`);
    expect((await erase(ids[1])).status).toBeLessThan(300);
    await drop(subscription);
    await endWindows(subscription);
    const [run] = await ended(task, 1);
    expect(run?.items).toEqual([ids[0], ids[2]]);
    expect((await erase(ids[2])).status).toBeLessThan(300);
    const { body } = await app.request<Run>('GET', `/api/runs/${run?.id}`);
    expect(body.erasedAt).not.toBeNull();
    expect(JSON.stringify(body)).not.toContain('"n":');
  });

  it('starts the task for which it has collected, although an upgrade leads it to another event and task', async () => {
    const manifest = (version: string, event: string, taskKey: string) => {
      const workflow = { steps: [{ id: 'main', kind: 'code', source: '' }] } as Task['workflow'];
      const tasks = ['one', 'two'].map((key) => ({ key, name: `Moved ${key}`, workflow }));
      const subscriptions = [{ key: 'orders', event, taskKey, batch: { maxItems: 10, windowMs: HOUR } }];
      return shopManifest({ identifier: 'moved', version, tables: [], tasks, subscriptions });
    };
    const as = await installApplication(app, manifest('1', 'order.created', 'one'));
    const emitted = async (event: string) => {
      const body = { appIdentifier: 'moved', event, payload: { total: 1 } };
      const { envelopeId } = (await app.request<EmitResponse>('POST', '/api/events/emit', { as, body })).body;
      await shop.dispatched(envelopeId);
      return envelopeId;
    };
    const created = await emitted('order.created');
    const upgrade = manifest('2', 'order.shipped', 'two');
    expect((await app.request('PUT', '/api/applications/moved', { body: upgrade })).status).toBe(200);
    const shipped = await emitted('order.shipped');
    await app.sql('update event_batch set due_at = clock_timestamp()');
    for (const [key, id] of [
      ['one', created],
      ['two', shipped],
    ] as const) {
      const [task] = await app.sql<Task>('select id from task where name = $1', [`Moved ${key}`]);
      expect(await ended(task as Task, 1)).toMatchObject([{ items: [id] }]);
    }
  });

  verifies(
    'run.task-gone',
    'cancels the run of what was collected for a task that was disabled and then deleted',
    async () => {
      const { task, subscription } = await batched({ maxItems: 10, windowMs: HOUR });
      await emit({ n: 1 });
      const disabled = await app.request('PATCH', `/api/tasks/${task.id}`, { body: { enabled: false } });
      expect([disabled.status, (await app.request('DELETE', `/api/tasks/${task.id}`)).status]).toEqual([
        200, 204,
      ]);
      await endWindows(subscription);
      await eventually(async () => expect(await runsOf(task)).toMatchObject([{ status: 'CANCELLED' }]));
      expect(await app.sql('select from run_queue where task_id = $1', [task.id])).toEqual([]);
    },
  );

  verifies(
    'events.summary.late',
    'counts the run of a batch whose first minute was counted before',
    async () => {
      const { task, subscription } = await batched({ maxItems: 10, windowMs: HOUR });
      await emit({ n: 1 });
      // As if the first event had come ten minutes ago, in a minute without any envelope.
      await app.sql(`select ensure_partition('run', clock_timestamp() - interval '10 minutes')`);
      const id = `overlay(run_id::text placing left(uuid_v7_floor(clock_timestamp() - interval '10 minutes')::text, 13)
      from 1 for 13)::uuid`;
      const [batch] = await app.sql<{ id: string }>(
        `with batch as (
         update event_batch set run_id = ${id} where subscription_id = $1 returning run_id
       ), deliveries as (
         update delivery set run_id = batch.run_id from batch where subscription_id = $1
       ), events as (
         update batched_event e set run_id = batch.run_id from batch, event_batch b
         where b.subscription_id = $1 and e.run_id = b.run_id
       )
       select run_id as id from batch`,
        [subscription.id],
      );
      await app.get(EventCounterWorker).count();
      await endWindows(subscription);
      expect(await ended(task, 1)).toMatchObject([{ id: batch?.id }]);
      await eventually(async () => {
        await app.get(EventCounterWorker).count();
        const counted = await app.sql(
          `select runs_succeeded from event_minute where minute = date_trunc('minute', $1::timestamptz)`,
          [new Date(parseInt((batch?.id ?? '').replace('-', '').slice(0, 12), 16))],
        );
        expect(counted).toEqual([{ runs_succeeded: 1 }]);
      });
      await drop(subscription);
    },
  );

  it('is checked, changed, and removed; templates must fit', async () => {
    const { task, subscription } = await batched({ maxItems: 2, windowMs: HOUR });
    const change = async (body: object) =>
      app.request<Subscription & ErrorBody>('PATCH', `/api/events/subscriptions/${subscription.id}`, {
        body,
      });
    const changed = await change({ batch: { key: 'amount', maxItems: 5, windowMs: 100 } });
    expect(changed.body.batch).toEqual({ key: 'amount', maxItems: 5, windowMs: 100 });
    for (const [body, message] of [
      [{ batch: [] }, 'batch must be an object with maxItems and windowMs, and optionally key'],
      [{ batch: { windowMs: 500 } }, 'batch.maxItems must be an integer from 1 to 1000'],
      [{ batch: { maxItems: 1_001, windowMs: 500 } }, 'batch.maxItems must be an integer from 1 to 1000'],
      [{ batch: { maxItems: 2, windowMs: 99 } }, 'batch.windowMs must be an integer from 100 to 86400000'],
      [{ batch: { maxItems: 2, windowMs: 500, keys: [] } }, 'batch.keys is not a known field'],
      [{ debounce: { windowMs: 500 } }, 'batch must not be given together with debounce'],
      [{ batch: null }, 'has {{trigger.items}}, but the events are not collected in batches'],
    ] as const) {
      const { status, body: refused } = await change(body);
      expect([status, refused.message]).toEqual([400, expect.stringContaining(message)]);
    }
    const steps = [
      {
        id: 'one',
        kind: 'each',
        items: ['{{trigger.payload.n}}'],
        steps: [{ id: 'two', kind: 'code', source: '1' }],
      },
    ];
    const refused = await app.request<ErrorBody>('PATCH', `/api/tasks/${task.id}`, {
      body: { workflow: { steps } },
    });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining('has {{trigger.payload.n}}, but a batch has a payload for each event'),
    ]);
    const plain = [{ id: 'one', kind: 'code', source: 'return 1;' }];
    expect(
      (await app.request('PATCH', `/api/tasks/${task.id}`, { body: { workflow: { steps: plain } } })).status,
    ).toBe(200);
    expect((await change({ batch: null, debounce: { windowMs: 500 } })).body).toMatchObject({ batch: null });
    await drop(subscription);
  });
});
