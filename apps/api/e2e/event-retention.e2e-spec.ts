import { PartitionsWorker } from '../src/infra/database/partitions.worker.ts';
import { SweeperWorker } from '../src/infra/database/sweeper.worker.ts';
import { TestApp } from './harness/app.ts';
import { EmittingApp } from './harness/emitting-app.ts';
import { verifies } from './verifies.ts';

describe('retention of events', () => {
  let app: TestApp;
  let shop: EmittingApp;

  beforeAll(async () => {
    app = await TestApp.start({ env: { PLATFORM_EVENT_RETENTION_DAYS: '60' } });
    shop = await EmittingApp.install(app);
  });

  afterAll(() => app.close());

  const partitions = async (table: string) =>
    (
      await app.sql<{ name: string }>(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = to_regclass($1) order by 1`,
        [table],
      )
    ).map(({ name }) => name);

  const nameOf = async (table: string, monthsAgo: number) => {
    const [row] = await app.sql<{ name: string }>(
      `select $1 || to_char(clock_timestamp() at time zone 'UTC' - $2 * interval '1 month', '_YYYYMM') as name`,
      [table, monthsAgo],
    );
    return row?.name ?? '';
  };

  /** An envelope with its delivery and key, as if it had been emitted months ago. */
  async function storeOld(monthsAgo: number): Promise<string> {
    for (const table of ['envelope', 'delivery'])
      await app.sql(`select ensure_partition($1, clock_timestamp() - $2 * interval '1 month')`, [
        table,
        monthsAgo,
      ]);
    const [row] = await app.sql<{ id: string }>(
      `with made as (
         select overlay(uuid_v7()::text placing
           left(uuid_v7_floor(clock_timestamp() - $3 * interval '1 month')::text, 13) from 1 for 13)::uuid as id
       ), envelopes as (
         insert into envelope (id, space_id, application_id, event, payload, status, source, root_id, path)
         select id, $1, $2, 'order.created', '{"n":1}', 'DISPATCHED', 'app', id, '{}' from made
       ), deliveries as (
         insert into delivery (envelope_id, subscription_id, generation, outcome)
         select id, uuid_v7(), 0, 'TASK_DISABLED' from made
       ), keys as (
         insert into emission_key (application_id, event, key_hash, envelope_id, payload_hash)
         select $2, 'order.created', id::text::bytea, id, '' from made
       ), replays as (
         insert into envelope_replay (envelope_id, generation, previous_status, previous_matched_count)
         select id, 1, 'DISPATCHED', 0 from made
       )
       select id from made`,
      [app.admin.spaceId, shop.applicationId, monthsAgo],
    );
    return row?.id ?? '';
  }

  const stored = async (id: string) => {
    const [row] = await app.sql<Record<string, number>>(
      `select (select count(*)::int from envelope where id = $1) as envelope,
         (select count(*)::int from delivery where envelope_id = $1) as delivery,
         (select count(*)::int from emission_key where envelope_id = $1) as key,
         (select count(*)::int from envelope_replay where envelope_id = $1) as replay`,
      [id],
    );
    return row;
  };

  verifies(
    'events.partitions',
    'has partitions for this month and the next, and makes one that is missing',
    async () => {
      for (const table of ['envelope', 'delivery', 'run']) {
        const month = await nameOf(table, 0);
        // The template of the database may have been made in the month before.
        expect((await partitions(table)).filter((name) => name >= month)).toEqual([
          month,
          await nameOf(table, -1),
        ]);
      }
      const current = await nameOf('envelope', 0);
      await app.sql(`drop table ${current}`);
      const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => shop.emit({ n })));
      expect(new Set(ids.map(({ envelopeId }) => envelopeId)).size).toBe(20);
      expect(await partitions('envelope')).toContain(current);
      const task = await shop.task('any');
      await shop.subscribe(task);
      await app.sql(`drop table ${await nameOf('delivery', 0)}`);
      const { envelopeId } = await shop.emit({ n: 1 });
      expect(await shop.dispatched(envelopeId)).toMatchObject({ status: 'DISPATCHED', matched_count: 1 });
      // A replay belongs to the month of its event.
      const old = await storeOld(2);
      await app.sql(`drop table ${await nameOf('delivery', 2)}`);
      await app.sql('delete from envelope_replay where envelope_id = $1', [old]);
      const replay = await app.request('POST', `/api/events/envelopes/${old}/replay`, { body: {} });
      expect(replay.status).toBe(202);
      expect(await shop.dispatched(old)).toMatchObject({ status: 'DISPATCHED', matched_count: 1 });
      expect(await stored(old)).toMatchObject({ delivery: 1 });
    },
  );

  verifies(
    'events.retention',
    'drops months that are too old, but none that is still referred to',
    async () => {
      const expired = await storeOld(6);
      const pending = await storeOld(5);
      const young = await storeOld(1);
      await app.sql(
        `insert into envelope_outbox (envelope_id, generation, space_id, available_at, next_publish_at)
       values ($1, 0, $2, clock_timestamp() + interval '1 hour', clock_timestamp() + interval '1 hour')`,
        [pending, app.admin.spaceId],
      );
      const all = { envelope: 1, delivery: 1, key: 1, replay: 1 };
      // Keys are purged first; a month is dropped when nothing refers to it any longer.
      await app.get(PartitionsWorker).maintain();
      expect(await stored(expired)).toEqual(all);
      await app.sweep();
      await app.get(PartitionsWorker).maintain();
      expect(await stored(expired)).toEqual({ envelope: 0, delivery: 0, key: 0, replay: 0 });
      // A dispatch reads what the replay is limited to.
      expect(await stored(pending)).toEqual(all);
      expect(await stored(young)).toEqual(all);
      expect(await partitions('envelope')).not.toContain(await nameOf('envelope', 6));

      expect((await app.get(SweeperWorker).listOverdue()).join()).not.toContain('partitions');
      await app.sql(
        `update sweep set created_at = created_at - interval '3 days', succeeded_at = null where name = 'partitions'`,
      );
      await app.sweep();
      expect((await app.get(SweeperWorker).listOverdue()).join()).toContain('"partitions" is overdue');

      // Nothing has a run yet that an event was replayed for which is still collected.
      await app.sql('insert into batched_event (run_id, envelope_id) values (uuid_v7(), $1)', [pending]);
      await app.sql('delete from envelope_outbox where envelope_id = $1', [pending]);
      await app.sweep();
      await app.get(PartitionsWorker).maintain();
      expect(await stored(pending)).toMatchObject({ envelope: 1, delivery: 1 });

      await app.sql('delete from batched_event where envelope_id = $1', [pending]);
      await app.get(PartitionsWorker).maintain();
      expect(await stored(pending)).toEqual({ envelope: 0, delivery: 0, key: 0, replay: 0 });
      expect(await stored(young)).toEqual(all);
    },
  );

  verifies('events.retention', 'continues a drop that a process did not finish', async () => {
    await storeOld(7);
    const name = await nameOf('envelope', 7);
    await app.sql(`alter table envelope detach partition ${name}`);
    await app.sweep();
    expect(await app.sql(`select 1 from pg_class where relname = $1`, [name])).toEqual([]);
  });
});
