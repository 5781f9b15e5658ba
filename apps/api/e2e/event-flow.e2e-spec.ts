import type { EmitResponse, Envelope, Page, ReplayResponse, Subscription } from '@platform/contracts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { codeWorkflow, EventBus } from './harness/event-bus.ts';
import { RedisServer } from './harness/redis.ts';
import { verifies } from './verifies.ts';

const skipReason = process.env.PLATFORM_SKIP_REDIS;
if (skipReason) console.warn(`The event flow is not tested with Redis: ${skipReason}`);

const TRIGGER_KEYS = [
  'event',
  'payload',
  'source',
  'id',
  'emittedAt',
  'spaceId',
  'actorUserId',
  'causationId',
  'depth',
];

describe.each(skipReason ? ['in-process'] : ['in-process', 'Bull'])(
  'the flow of an event, %s',
  (transport) => {
    let redis: RedisServer | null = null;
    let app: TestApp;
    let bus: EventBus;
    let standard: Subscription;

    beforeAll(async () => {
      if (transport === 'Bull') redis = await RedisServer.start();
      app = await TestApp.start({ env: redis === null ? {} : { REDIS_URL: redis.url } });
      bus = new EventBus(app, app.admin, await installApplication(app));
      const [subscription] = await bus.subscriptions();
      if (subscription === undefined) throw new Error('The application has no default subscription');
      standard = subscription;
    });
    afterAll(async () => {
      await app.close();
      await redis?.kill();
    });

    const log = async (query: string) =>
      (await bus.get<Page<Envelope>>(`/api/events/envelopes?${query}`)).body.items;

    verifies(
      ['event-flow.run', 'event-flow.log', 'event-flow.replay'],
      'goes from its emission to a run with the trigger, to the log, and by replay to a second run',
      async () => {
        const payload = { total: 12.5, note: 'gift' };
        const emitted = await bus.emit('order.created', payload, { key: 'order-1' });
        expect(emitted).toMatchObject({
          status: 200,
          body: { status: 'PENDING', duplicate: false, samePayload: true },
        });
        const id = emitted.body.envelopeId;

        const envelope = await bus.dispatched(id);
        expect(envelope).toMatchObject({ source: 'app', payload, matchedCount: 1, generation: 0, depth: 0 });
        const [run] = await bus.runsOf(id, 1);
        expect(run).toMatchObject({
          status: 'SUCCEEDED',
          origin: 'EVENT',
          taskId: standard.taskId,
          attempt: 1,
        });
        const trigger = {
          event: 'order.created',
          payload,
          source: 'app',
          id,
          emittedAt: emitted.body.emittedAt,
          spaceId: app.admin.spaceId,
          actorUserId: null,
          causationId: null,
          depth: 0,
        };
        // The task of the application returns what its code sees.
        expect([run?.trigger, run?.steps[0]?.output]).toEqual([trigger, trigger]);
        expect(Object.keys(run?.trigger ?? {})).toEqual(TRIGGER_KEYS);

        const [logged] = await log('status=DISPATCHED&event=order.created');
        expect(logged).toMatchObject({ id, event: 'order.created', payload, matchedCount: 1 });

        const replayed = await bus.post<ReplayResponse>(`/api/events/envelopes/${id}/replay`);
        expect(replayed).toMatchObject({ status: 202, body: { envelopeId: id, generation: 1 } });
        const again = await bus.runsOf(id, 2);
        expect(again.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
        expect(new Set(again.map((one) => one.id)).size).toBe(2);
        expect(again.map((one) => one.trigger)).toEqual([trigger, trigger]);
        expect(await bus.dispatched(id, 1)).toMatchObject({ generation: 1, matchedCount: 1 });
      },
    );

    verifies('platform.rolling', 'goes on while a later version adds columns', async () => {
      const agent = await AgentCalls.make(app);
      const several = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 12 }, call));
      const use = async () => {
        const chats = await several(() => agent.json({ contents: said('Hi') }));
        expect(chats.map(({ text, status }) => (status === 200 ? '' : text)).join('')).toBe('');
        const ids = await several(() => bus.record('order.created', { total: 1 }));
        for (const id of ids) expect(await bus.runsOf(id, 1)).toMatchObject([{ status: 'SUCCEEDED' }]);
      };
      await use();
      const tables = await app.sql<{ name: string }>(
        `select oid::regclass::text as name from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
      );
      expect(tables.length).toBeGreaterThan(50);
      for (const { name } of tables) await app.sql(`alter table ${name} add column later int default 1`);
      await use();
    });

    verifies('event-flow.key', 'fires nothing if its key was used before', async () => {
      const first = await bus.emit('order.created', { total: 1 }, { key: 'order-2' });
      const id = first.body.envelopeId;
      await bus.runsOf(id, 1);
      const same = await bus.emit('order.created', { total: 1 }, { key: 'order-2' });
      expect(same.body).toEqual({ ...first.body, status: 'DISPATCHED', duplicate: true });
      const other = await bus.emit('order.created', { total: 2 }, { key: 'order-2' });
      expect(other.body).toEqual({
        ...first.body,
        status: 'DISPATCHED',
        duplicate: true,
        samePayload: false,
      });
      // What comes later is done, so these would be as well.
      await bus.runsOf(await bus.record('order.created', { total: 3 }), 1);
      expect(await bus.runsOf(id, 1)).toMatchObject([{ trigger: { payload: { total: 1 } } }]);
      expect((await log('event=order.created')).filter(({ payload }) => payload.total === 2)).toEqual([]);
    });

    verifies('event-flow.disabled', 'does not fire a disabled subscription, which is kept', async () => {
      const disabled = await bus.change(standard, { enabled: false });
      expect(disabled).toEqual({ ...standard, enabled: false });
      const id = await bus.record('order.created', { total: 1 });
      const envelope = await bus.dispatched(id);
      expect(envelope.matchedCount).toBe(0);
      expect(envelope.generations[0]).toMatchObject({
        runs: [],
        verdicts: [{ subscriptionId: standard.id, outcome: 'DISABLED' }],
      });
      await bus.change(standard, { enabled: true });
      await bus.runsOf(await bus.record('order.created', { total: 2 }), 1);
      await bus.runsOf(id, 0);
    });

    verifies('event-flow.filter', 'says why a filter did not match', async () => {
      const task = await bus.createTask(codeWorkflow('return 1;'));
      const mine = await bus.subscribe('order.shipped', task.id, { total: [50, 100] });
      const id = await bus.record('order.shipped', { total: 40 });
      const envelope = await bus.dispatched(id);
      expect(envelope).toMatchObject({ matchedCount: 0 });
      expect(envelope.generations[0]?.verdicts).toEqual([
        expect.objectContaining({
          subscriptionId: mine.id,
          outcome: 'FILTER_MISMATCH',
          reason: 'total: 40, wanted one of [50,100]',
        }),
      ]);
      const filter = { total: [40, 50] };
      const preview = await bus.post('/api/events/subscriptions/preview', {
        applicationIdentifier: 'shop',
        event: 'order.shipped',
        filter,
      });
      expect(preview.body).toMatchObject({
        matched: 1,
        items: [{ envelopeId: id, matches: true, reason: null }],
      });
      await bus.change(mine, { filter });
      expect((await bus.post(`/api/events/envelopes/${id}/replay`)).status).toBe(202);
      expect(await bus.runsOf(id, 1)).toMatchObject([{ status: 'SUCCEEDED', taskId: task.id }]);
    });

    verifies('events.test-emission', 'starts with a test emission of an admin as well', async () => {
      const test = (payload: object, event = 'order.created') =>
        bus.post<EmitResponse>(`/api/events/catalog/shop/${event}/test`, { payload });
      const emitted = await test({ total: 9 });
      expect(emitted).toMatchObject({ status: 200, body: { status: 'PENDING', duplicate: false } });
      const [run] = await bus.runsOf(emitted.body.envelopeId, 1);
      expect(run?.trigger).toMatchObject({
        id: emitted.body.envelopeId,
        source: 'system',
        actorUserId: app.admin.userId,
        payload: { total: 9 },
      });
      expect((await test({ total: 'nine' })).status).toBe(400);
      expect((await test({ total: 9 }, 'order.lost')).status).toBe(404);
    });

    verifies('events.test-emission.idempotent', 'starts once by a test emission with a key', async () => {
      const test = (idempotencyKey: unknown, total = 3) =>
        bus.post<EmitResponse>('/api/events/catalog/shop/order.created/test', {
          payload: { total },
          idempotencyKey,
        });
      const emitted = await bus.emit('order.created', { total: 3 }, { key: 'same' });
      const all = await Promise.all([test('same'), test('same'), test('same')]);
      const first = all.find(({ body }) => !body.duplicate)?.body.envelopeId;
      expect(all.map(({ body }) => [body.envelopeId, body.samePayload])).toEqual(
        Array(3).fill([first, true]),
      );
      expect(all.filter(({ body }) => body.duplicate)).toHaveLength(2);
      expect((await test('same', 4)).body).toMatchObject({
        envelopeId: first,
        duplicate: true,
        samePayload: false,
      });
      expect(emitted.body.duplicate).toBe(false);
      expect(await bus.runsOf(first ?? '', 1)).toHaveLength(1);
      const found = await log('idempotencyKey=same');
      expect(found.map(({ id, source }) => [id, source])).toEqual([
        [first, 'system'],
        [emitted.body.envelopeId, 'app'],
      ]);
      for (const wrong of ['', 7, 'x'.repeat(256), 'a\0']) expect((await test(wrong)).status).toBe(400);
      expect((await test(null)).body.duplicate).toBe(false);
    });

    verifies('event-flow.data', 'starts with a data write as well', async () => {
      const row = await bus.post<{ id: string; createdAt: string }>('/api/data/shop/orders/rows', {
        total: 7,
      });
      const [logged] = await log('event=order.created&limit=1');
      expect(logged).toMatchObject({ source: 'datasource', payload: { id: row.body.id, total: 7 } });
      const [run] = await bus.runsOf(logged?.id ?? '', 1);
      expect(run?.trigger).toMatchObject({
        source: 'datasource',
        actorUserId: app.admin.userId,
        payload: { id: row.body.id, createdAt: row.body.createdAt, total: 7, note: null },
      });
    });

    verifies(
      'event-flow.survival',
      'keeps firing the subscriptions of users after an upgrade and a new installation',
      async () => {
        const task = await bus.createTask(codeWorkflow('return 1;'), 'Kept');
        const mine = await bus.subscribe('order.created', task.id, { note: 'kept' });
        const fire = async () => {
          const id = await bus.record('order.created', { total: 1, note: 'kept' });
          return (await bus.runsOf(id, 2)).map(({ taskId, status }) => [taskId, status]);
        };
        const both = expect.arrayContaining([
          [task.id, 'SUCCEEDED'],
          [standard.taskId, 'SUCCEEDED'],
        ]);
        expect(await fire()).toEqual(both);

        const upgraded = await app.request('PUT', '/api/applications/shop', {
          body: shopManifest({ version: '2.0.0' }),
        });
        expect(upgraded.status).toBe(200);
        expect(await fire()).toEqual(both);

        await app.request('DELETE', '/api/applications/shop');
        const payload = { total: 1, note: 'kept' };
        expect((await bus.emit('order.created', payload)).status).toBe(404);
        expect((await bus.subscriptions()).find(({ id }) => id === mine.id)).toMatchObject({
          enabled: true,
          waitingForApplication: true,
        });
        bus = new EventBus(app, app.admin, await installApplication(app, shopManifest({ version: '3.0.0' })));
        expect(await fire()).toEqual(both);
      },
    );
  },
);
