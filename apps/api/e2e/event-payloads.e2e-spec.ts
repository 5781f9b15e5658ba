import { randomBytes } from 'node:crypto';
import type { ReplayResponse, Run } from '@platform/contracts';
import { PartitionsWorker } from '../src/infra/database/partitions.worker.ts';
import { TestApp } from './harness/app.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let shop: EmittingApp;

beforeAll(async () => {
  app = await TestApp.start();
  shop = await EmittingApp.install(app);
});
afterAll(() => app.close());

/** Does not compress. */
const blob = (bytes: number) => randomBytes((bytes * 3) / 4).toString('base64');
const LENGTH = 'return context.execution.inputs.trigger.payload.blob.length';
const length = (source = LENGTH) => [{ id: 'length', kind: 'code' as const, source }];

const runOf = async (id: string) => (await app.request<Run>('GET', `/api/runs/${id}`)).body;

const endedRuns = (envelopeId: string, count: number) =>
  eventually(async () => {
    const runs = await shop.runs(envelopeId);
    expect(runs.filter(({ status }) => status !== 'QUEUED' && status !== 'RUNNING')).toHaveLength(count);
    return runs;
  });

describe('a large payload', () => {
  verifies('events.payload.once', 'is stored once, however many subscriptions there are', async () => {
    const task = await shop.task('length', length(), { concurrency: 20 });
    const ids: string[] = [];
    for (let i = 0; i < 100; i++)
      ids.push(await shop.subscribe(task, { filter: { kind: { $not: `k${i}` } } }));
    const payload = { n: 1, blob: blob(250_000) };
    const { envelopeId } = await shop.emit(payload);
    const runs = await endedRuns(envelopeId, 100);

    const [stored] = await app.sql<{ copies: number; table: number }>(
      `select coalesce(sum(pg_column_size(payload)), 0)::int as copies,
         (select sum(pg_total_relation_size(inhrelid))::int from pg_inherits where inhparent = 'run'::regclass) as table
       from run where envelope_id = $1`,
      [envelopeId],
    );
    expect(stored?.copies).toBeLessThan(1_000_000);
    expect(stored?.table).toBeLessThan(2_000_000);
    const [first] = runs;
    const run = await runOf(first?.id ?? '');
    expect(run.trigger?.payload).toEqual(payload);
    expect(run.steps[0]?.output).toBe(payload.blob.length);
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    for (const id of ids) await app.request('DELETE', `/api/events/subscriptions/${id}`);
  });
});

describe('the payload of an envelope whose month is dropped', () => {
  /** An envelope that was emitted half a year ago. */
  async function recordOld(payload: object): Promise<{ id: string; partition: string }> {
    await app.sql(`select ensure_partition('envelope', clock_timestamp() - interval '6 months')`);
    await app.sql(`select ensure_partition('delivery', clock_timestamp() - interval '6 months')`);
    const [row] = await app.sql<{ id: string; partition: string }>(
      `insert into envelope (id, space_id, application_id, event, payload, status, source, root_id, path)
       select id, $1, $2, 'order.created', $3, 'DISPATCHED', 'app', id, $4::text[] from (
         select overlay(uuid_v7()::text placing
           left(uuid_v7_floor(clock_timestamp() - interval '6 months')::text, 13) from 1 for 13)::uuid as id) made
       returning id, tableoid::regclass::text as partition`,
      [
        app.admin.spaceId,
        shop.applicationId,
        JSON.stringify(payload),
        [`${shop.applicationId}/order.created`],
      ],
    );
    return row ?? { id: '', partition: '' };
  }

  const replay = (id: string) => app.request<ReplayResponse>('POST', `/api/events/envelopes/${id}/replay`);

  verifies('events.payload.retention', 'is kept by the runs that are younger', async () => {
    const task = await shop.task('length', length(`throw new Error('length ' + (() => { ${LENGTH} })())`));
    const subscription = await shop.subscribe(task);
    const payload = { n: 1, blob: blob(20_000) };
    const old = await recordOld(payload);
    expect((await replay(old.id)).status).toBe(202);
    const [run] = await endedRuns(old.id, 1);
    const id = run?.id ?? '';
    await app.request('DELETE', `/api/events/subscriptions/${subscription}`);
    expect((await runOf(id)).trigger?.payload).toEqual(payload);
    expect(await app.sql('select 1 from run where id = $1 and payload is null', [id])).toHaveLength(1);

    await app.get(PartitionsWorker).maintain();
    expect(await app.sql('select 1 from envelope where id = $1', [old.id])).toEqual([]);
    expect((await runOf(id)).trigger?.payload).toEqual(payload);
    expect((await app.request('POST', `/api/runs/${id}/retry`)).status).toBe(202);
    const again = await eventually(async () => {
      const found = await runOf(id);
      expect(found).toMatchObject({ status: 'FAILED', attempt: 2 });
      return found;
    });
    expect(again.error?.message).toContain(`length ${payload.blob.length}`);
  });

  verifies(
    'events.payload.retention',
    'is kept as well if it was detached already; a run whose payload is gone fails',
    async () => {
      const task = await shop.task('length', length(`throw new Error('never')`));
      const subscription = await shop.subscribe(task);
      const payload = { n: 1, blob: blob(20_000) };
      const old = await recordOld(payload);
      await replay(old.id);
      const [run] = await endedRuns(old.id, 1);
      const id = run?.id ?? '';
      await app.request('DELETE', `/api/events/subscriptions/${subscription}`);
      await app.sql(`alter table envelope detach partition ${old.partition}`);
      expect((await app.request('POST', `/api/runs/${id}/retry`)).status).toBe(202);
      await eventually(async () =>
        expect(await runOf(id)).toMatchObject({ status: 'FAILED', error: { code: 'PAYLOAD_GONE' } }),
      );
      await app.get(PartitionsWorker).maintain();
      expect(await app.sql('select 1 from pg_class where relname = $1', [old.partition])).toEqual([]);
      expect((await runOf(id)).trigger?.payload).toEqual(payload);
    },
  );
});
