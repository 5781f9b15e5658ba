import type { DataRow, EmitResponse, ErrorBody, EnvelopeDetail, SpaceStorage } from '@platform/contracts';
import { EventCounterWorker } from '../src/events/summary/event-counter.worker.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const ROWS = '/api/data/shop/orders/rows';

let app: TestApp;
let admin: TestUser;
let application: TestUser;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

beforeEach(async () => {
  admin = await app.addUser('ADMIN', null);
  const { tables = [] } = shopManifest();
  const quiet = { ...tables[0], name: 'notes', emits: undefined };
  application = await installApplication(
    app,
    shopManifest({ tables: [...tables, quiet] as typeof tables, subscriptions: [] }),
    admin,
  );
});

const call = <Body>(method: string, path: string, body?: unknown, as = admin) =>
  app.request<Body>(method, path, { as, ...(body !== undefined && { body }) });
const storage = async () => (await call<SpaceStorage>('GET', '/api/storage')).body.items;
const useOf = async (kind: string) => (await storage()).find((item) => item.kind === kind);
const setQuotas = (quotas: object) =>
  call<SpaceStorage>('PUT', '/api/storage/quotas', { eventBytes: null, rowBytes: null, ...quotas });
const emit = (payload: object, key?: string) =>
  call<EmitResponse & ErrorBody>(
    'POST',
    '/api/events/emit',
    { appIdentifier: 'shop', event: 'order.shipped', payload, idempotencyKey: key },
    application,
  );

/** As if everything had been emitted two minutes ago, which counts whole minutes. */
async function countEvents(): Promise<void> {
  await app.sql(
    `update envelope set id = overlay(id::text placing
       left(uuid_v7_floor(clock_timestamp() - interval '2 minutes')::text, 13) from 1 for 13)::uuid
     where space_id = $1 and status = 'DISPATCHED' and id > uuid_v7_floor(clock_timestamp() - interval '1 minute')`,
    [admin.spaceId],
  );
  await app.get(EventCounterWorker).count();
}

const dispatched = () =>
  eventually(async () => {
    const waiting = `select 1 from envelope where space_id = $1 and status = 'PENDING'`;
    expect(await app.sql(waiting, [admin.spaceId])).toEqual([]);
  });

describe('what a space stores', () => {
  verifies('storage.rows', 'is exact for rows, after every kind of change', async () => {
    const check = async () => {
      const tables = await app.sql<{ name: string; count: number; bytes: number }>(
        `select table_name as name, count(*)::int as count, sum(octet_length(column_values::text))::int as bytes
         from data_row where space_id = $1 and deleted_at is null group by 1 order by 1`,
        [admin.spaceId],
      );
      const use = await useOf('ROWS');
      const measured = use?.tables.filter(({ count }) => count > 0);
      expect(measured?.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
        tables.map((table) => ({ applicationIdentifier: 'shop', ...table })),
      );
      expect(use?.bytes).toBe(tables.reduce((sum, { bytes }) => sum + bytes, 0));
      return use?.bytes ?? 0;
    };
    const { body: first } = await call<DataRow>('POST', ROWS, { total: 1, note: 'é' });
    await call('POST', '/api/data/shop/notes/rows', { total: 2, note: 'quiet' });
    await call('POST', `${ROWS}/batch`, { rows: [{ total: 3 }, { total: 4, note: 'x'.repeat(500) }] });
    const before = await check();
    await call('PATCH', `${ROWS}/${first.id}`, { note: 'longer than before' });
    expect(await check()).toBeGreaterThan(before);
    await call('DELETE', `${ROWS}/${first.id}`);
    await check();
    await app.sweep();
    const rows = 'select 1 from data_size where space_id = $1';
    expect(await app.sql(rows, [admin.spaceId])).toHaveLength(2);
    await check();
  });

  verifies('storage.events', 'is counted by event, and less once a payload is erased', async () => {
    await emit({ note: 'x'.repeat(1_000) });
    await emit({ note: 'y' });
    await dispatched();
    await countEvents();
    const envelopes = await app.sql<{ id: string; bytes: number }>(
      `select id, payload_bytes as bytes from envelope where space_id = $1 order by payload_bytes`,
      [admin.spaceId],
    );
    const bytes = envelopes.reduce((sum, one) => sum + one.bytes, 0);
    const use = await useOf('EVENTS');
    expect(use).toMatchObject({
      bytes,
      count: 2,
      quotaBytes: null,
      isLimitable: true,
      tables: [{ applicationIdentifier: 'shop', name: 'order.shipped', count: 2, bytes }],
    });
    expect(Date.now() - Date.parse(use?.measuredAt ?? '')).toBeLessThan(90_000);
    expect(await useOf('KNOWLEDGE')).toMatchObject({ bytes: 0, isLimitable: false });

    const large = envelopes[1]?.id;
    expect((await call<EnvelopeDetail>('POST', `/api/events/envelopes/${large}/erase-payload`)).status).toBe(
      200,
    );
    await app.get(EventCounterWorker).count();
    expect((await useOf('EVENTS'))?.bytes).toBeLessThan(100);
  });

  verifies('storage.access', 'is for admins, and quotas are validated and audited', async () => {
    const member = await app.addUser('MEMBER', admin.spaceId);
    expect((await call('GET', '/api/storage', undefined, member)).status).toBe(403);
    expect((await call('PUT', '/api/storage/quotas', { eventBytes: 1, rowBytes: 1 }, member)).status).toBe(
      403,
    );
    for (const wrong of [0, -1, 1.5, '5', 2 ** 60])
      expect((await setQuotas({ rowBytes: wrong })).status).toBe(400);
    expect((await call('PUT', '/api/storage/quotas', { rowBytes: 5 })).status).toBe(400);
    const { body } = await setQuotas({ rowBytes: 5 });
    expect(body.items.map(({ kind, quotaBytes }) => [kind, quotaBytes])).toEqual(
      expect.arrayContaining([
        ['EVENTS', null],
        ['ROWS', 5],
      ]),
    );
    const entries = await app.sql('select details from audit_entry where space_id = $1 and action = $2', [
      admin.spaceId,
      'storage.set-quotas',
    ]);
    expect(entries).toEqual([{ details: { eventBytes: null, rowBytes: 5 } }]);
  });
});

describe('a quota', () => {
  verifies('storage.quota', 'refuses rows beyond it, and keeps what was accepted', async () => {
    await setQuotas({ rowBytes: 300 });
    const note = 'x'.repeat(50);
    const ids: string[] = [];
    let refused = await call<DataRow & ErrorBody>('POST', ROWS, { total: 1, note });
    for (let i = 0; i < 10 && refused.status === 201; i++) {
      ids.push(refused.body.id);
      refused = await call<DataRow & ErrorBody>('POST', ROWS, { total: 1, note });
    }
    expect([refused.status, refused.body.code]).toEqual([409, 'QUOTA_EXCEEDED']);
    expect(refused.body.message).toMatch(
      /^The data rows of the space take \d+ bytes, \d+ more exceed its quota of 300; an admin of the space can raise it$/,
    );
    expect(ids.length).toBeGreaterThan(2);
    expect((await useOf('ROWS'))?.count).toBe(ids.length);
    const batch = await call('POST', `${ROWS}/batch`, { rows: Array(5).fill({ total: 1, note }) });
    expect(batch.status).toBe(409);
    const grown = await call('PATCH', `${ROWS}/${ids[0]}`, { note: 'x'.repeat(200) });
    expect(grown.status).toBe(409);
    expect((await call('PATCH', `${ROWS}/${ids[0]}`, { note: null })).status).toBe(200);
    expect((await call('DELETE', `${ROWS}/${ids[1]}`)).status).toBe(204);

    await setQuotas({ rowBytes: 300 });
    expect((await call('POST', ROWS, { total: 1, note })).status).toBe(201);
    await setQuotas({ rowBytes: null });
    expect((await call('POST', ROWS, { total: 1, note: 'x'.repeat(500) })).status).toBe(201);
  });

  verifies('storage.quota', 'refuses events beyond it, from wherever they come', async () => {
    await setQuotas({ eventBytes: 500 });
    expect((await emit({ note: 'x'.repeat(400) }, 'a')).status).toBe(200);
    const refused = await emit({ note: 'x'.repeat(400) }, 'b');
    expect([refused.status, refused.body.code]).toEqual([409, 'QUOTA_EXCEEDED']);
    // Whoever lost the response learns that the event was accepted.
    const repeated = await emit({ note: 'x'.repeat(400) }, 'a');
    expect([repeated.status, repeated.body.duplicate]).toEqual([200, true]);
    expect(refused.body.message).toMatch(/^The events of the space take .* its quota of 500; an admin/);
    const events = [{ appIdentifier: 'shop', event: 'order.shipped', payload: { note: 'x'.repeat(400) } }];
    const batch = await call<{ items: ErrorBody[] }>(
      'POST',
      '/api/events/emit-batch',
      { events },
      application,
    );
    expect(batch.body.items).toMatchObject([{ code: 'QUOTA_EXCEEDED' }]);
    const row = await call<ErrorBody>('POST', ROWS, { total: 1, note: 'x'.repeat(400) });
    expect([row.status, row.body.code]).toEqual([409, 'QUOTA_EXCEEDED']);
    // A table without an event is not affected.
    expect(
      (await call('POST', '/api/data/shop/notes/rows', { total: 1, note: 'x'.repeat(400) })).status,
    ).toBe(201);

    const step = { id: 'emit', kind: 'emit', applicationIdentifier: 'shop', event: 'order.shipped' };
    const workflow = { steps: [{ ...step, payload: { note: 'x'.repeat(400) } }] };
    const { body: task } = await call<{ id: string }>('POST', '/api/tasks', {
      name: 'Emits',
      type: 'MANUAL',
      workflow,
    });
    const { body: run } = await call<{ id: string }>('POST', `/api/tasks/${task.id}/run`, {});
    await eventually(async () =>
      expect((await call('GET', `/api/runs/${run.id}`)).body).toMatchObject({
        status: 'FAILED',
        error: { code: 'QUOTA_EXCEEDED' },
      }),
    );

    // What counts is what is stored, also after the process has read it again.
    await dispatched();
    await countEvents();
    await setQuotas({ eventBytes: 500 });
    expect((await emit({ note: 'x'.repeat(400) }, 'b')).status).toBe(409);
    await setQuotas({ eventBytes: 2_000 });
    expect((await emit({ note: 'x'.repeat(400) }, 'b')).body).toMatchObject({ duplicate: false });
  });
});
