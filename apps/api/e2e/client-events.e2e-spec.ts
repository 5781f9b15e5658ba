import { emitManagedEvent, PlatformClient, type EmitSettings } from '@platform/client';
import { TestApp } from './harness/app.ts';
import { shopManifest } from './harness/applications.ts';
import { codeWorkflow } from './harness/event-bus.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const ORDERS = { applicationIdentifier: 'shop', table: 'orders' };

let app: TestApp;
let client: PlatformClient;
let settings: EmitSettings;
beforeAll(async () => {
  app = await TestApp.start();
  client = app.client();
  const { systemKey } = await client.applications.install(shopManifest({ subscriptions: [] }));
  settings = { baseUrl: app.url, systemKey };
});
afterAll(() => app.close());

const emit = (total: number, idempotencyKey: string | null = null, change: Partial<EmitSettings> = {}) =>
  emitManagedEvent(
    { ...settings, ...change },
    { appIdentifier: 'shop', event: 'order.created', payload: { total }, idempotencyKey },
  );

/** Waits until an envelope has that many runs and all have ended. */
const runsOf = (id: string, count: number) =>
  eventually(async () => {
    const { generations } = await client.events.envelope(id);
    const runs = generations.flatMap((generation) => generation.runs);
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'SUCCEEDED'));
    return Promise.all(runs.map(({ runId }) => client.runs.get(runId)));
  });

verifies('client.events', 'emits, subscribes, previews a filter, follows the log, and replays', async () => {
  const [shop] = await client.events.catalog();
  expect(shop?.events.map(({ name }) => name)).toEqual(['order.created', 'order.shipped']);
  const workflow = codeWorkflow('return context.execution.inputs.trigger.payload.total * 2;');
  const task = await client.tasks.create({ name: 'Double', type: 'EVENT', workflow });
  const subscription = await client.events.createSubscription({
    applicationIdentifier: 'shop',
    event: 'order.created',
    taskId: task.id,
    filter: { total: [1, 2] },
  });

  const missed = await emit(21, 'first');
  expect(missed).toMatchObject({ status: 'PENDING', duplicate: false });
  await eventually(async () =>
    expect((await client.events.envelopes({ status: 'DISPATCHED' })).items).toMatchObject([
      { id: missed.envelopeId, matchedCount: 0 },
    ]),
  );
  const filter = { total: [21] };
  const preview = await client.events.previewFilter({
    applicationIdentifier: 'shop',
    event: 'order.created',
    filter,
  });
  expect(preview).toMatchObject({ matched: 1, items: [{ envelopeId: missed.envelopeId, matches: true }] });
  await client.events.updateSubscription(subscription.id, { filter });
  await client.events.replay(missed.envelopeId, { requestKey: 'again' });
  const [run] = await runsOf(missed.envelopeId, 1);
  expect(run).toMatchObject({ taskId: task.id, trigger: { id: missed.envelopeId }, steps: [{ output: 42 }] });

  const row = await client.data.create(ORDERS, { total: 21 });
  const [written] = (await client.events.envelopes({ limit: 1 })).items;
  expect(written).toMatchObject({ source: 'datasource', payload: { id: row.id } });
  await runsOf(written?.id ?? '', 1);
  await client.data.update(ORDERS, row.id, { note: 'late' });
  const batch = await client.data.createMany(ORDERS, [{ total: 1 }, { total: 2 }]);
  await client.data.delete(ORDERS, row.id);
  expect((await client.data.list(ORDERS)).items.map(({ id }) => id)).toEqual(
    batch.items.map(({ id }) => id).reverse(),
  );
  const filtered = await client.data.list(ORDERS, { filter: { total: { $gt: 1 } }, sort: '-total' });
  expect(filtered.items).toMatchObject([{ total: 2 }]);
});

verifies(
  'client.emit',
  'emits again after a lost response if there is a key, and records one envelope',
  async () => {
    let lost = 0;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (lost > 0) return response;
      lost++;
      await response.body?.cancel();
      throw new TypeError('fetch failed');
    };
    const repeated = await emit(5, 'lost', { fetch: losing });
    expect([lost, repeated.duplicate, repeated.samePayload]).toEqual([1, true, true]);
    lost = 0;
    await expect(emit(6, null, { fetch: losing })).rejects.toThrow();
    expect(lost).toBe(1);
    const totals = (await client.events.envelopes({ limit: 200 })).items.map(({ payload }) => payload.total);
    expect([totals.filter((total) => total === 5), totals.filter((total) => total === 6)]).toEqual([
      [5],
      [6],
    ]);
  },
);

verifies('client.emit-batch', 'emits batches, also of single emissions', async () => {
  const shop = new PlatformClient({ baseUrl: app.url, apiKey: settings.systemKey, batchEmits: true });
  const order = (total: unknown, idempotencyKey?: string) => ({
    appIdentifier: 'shop',
    event: 'order.created',
    payload: { total },
    ...(idempotencyKey && { idempotencyKey }),
  });
  const { items } = await shop.events.emitBatch([order(100), order('x')]);
  expect(items).toMatchObject([{ duplicate: false }, { code: 'VALIDATION_ERROR' }]);
  const emitted = [order(101, 'a'), order(102), order('x'), order(101, 'a')].map((one) =>
    shop.events.emit(one),
  );
  const settled = Promise.allSettled(emitted);
  await shop.events.flush();
  expect(await settled).toMatchObject([
    { value: { duplicate: false } },
    { value: { duplicate: false } },
    { reason: { status: 400, code: 'VALIDATION_ERROR' } },
    { value: { duplicate: true } },
  ]);
});

verifies(
  'client.applications',
  'installs, upgrades after a dry run, rotates the key, and uninstalls',
  async () => {
    const manifest = shopManifest({ identifier: 'desk' });
    const installed = await client.applications.install(manifest);
    const next = { ...manifest, version: '2.0.0', tables: [] };
    const dry = await client.applications.upgrade('desk', next, { dryRun: true });
    expect(dry).toMatchObject({
      dryRun: true,
      changes: [{ kind: 'table', name: 'orders', change: 'removed' }],
    });
    expect(await client.applications.upgrade('desk', next)).toMatchObject({
      application: { version: '2.0.0' },
    });
    const rotated = await client.applications.rotateKey('desk');
    const emitWith = (systemKey: string) =>
      emitManagedEvent(
        { ...settings, systemKey },
        { appIdentifier: 'desk', event: 'order.created', payload: { total: 1 } },
      );
    await expect(emitWith(installed.systemKey)).rejects.toMatchObject({ status: 401 });
    expect(await emitWith(rotated.systemKey)).toMatchObject({ duplicate: false });
    await client.applications.uninstall('desk');
    await expect(emitWith(rotated.systemKey)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await client.applications.get('desk')).toMatchObject({ installed: false });
    expect((await client.applications.list()).items).toHaveLength(2);
  },
);
