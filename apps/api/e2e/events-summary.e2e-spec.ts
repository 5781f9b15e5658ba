import type {
  EnvelopeStatus,
  EnvelopeVolume,
  EventSummary,
  EventWindow,
  RunStatus,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import { EventCounterWorker } from '../src/events/summary/event-counter.worker.ts';
import { bucketsStatement } from '../src/events/summary/summary.store.ts';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { applicationIdOf, createTask, recordEnvelope } from './harness/event-calls.ts';
import { eventually } from './harness/eventually.ts';
import { rowsRead } from './harness/query-plan.ts';
import { verifies } from './verifies.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let app: TestApp;
let applicationId: string;

beforeAll(async () => {
  // Counts only when a test says so, and dispatches nothing.
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  await installApplication(app, shopManifest({ subscriptions: [] }));
  applicationId = await applicationIdOf(app);
  await app.sql(
    `select ensure_partition('envelope', clock_timestamp() - n * interval '1 month') from generate_series(1, 2) n`,
  );
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.sql('truncate envelope, event_minute, event_hour');
  await counted('now');
});

/** Sets how far the envelopes count as counted. */
async function counted(until: string): Promise<void> {
  await app.sql(`update event_count_progress set counted_until = date_trunc('minute', $1::timestamptz)`, [
    until,
  ]);
}

const count = () => app.get(EventCounterWorker).count();

async function summary(window?: EventWindow): Promise<EventSummary> {
  const query = window === undefined ? '' : `?window=${window}`;
  const answer = await app.request<EventSummary>('GET', `/api/events/summary${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

const figures = ({ total, dispatched, failed, skipped, pending }: EventSummary) => ({
  total,
  dispatched,
  failed,
  skipped,
  pending,
});

/** Counts what each window contains, from the envelopes themselves. */
async function truth(window: EventSummary): Promise<Map<string, number>> {
  const starts = window.buckets.map(({ start }) => start);
  const rows = await app.sql<{ start: Date; n: number }>(
    `select b.start, count(e.id)::int as n from unnest($1::timestamptz[]) as b(start)
     left join envelope e on e.emitted_at >= b.start and e.emitted_at < b.start + $2 * interval '1 second'
     group by 1`,
    [starts, window.bucketSeconds],
  );
  return new Map(rows.map(({ start, n }) => [start.toISOString(), n]));
}

const NONE = { succeeded: 0, failed: 0, missed: 0, cancelled: 0, waiting: 0 };

/** Stores runs as if an event had started them. */
async function recordRuns(taskId: string, agoMs: number, statuses: readonly RunStatus[]): Promise<string[]> {
  await app.sql(`select ensure_partition('run', clock_timestamp() - $1::float8 * interval '1 millisecond')`, [
    agoMs,
  ]);
  const made = await app.sql<{ id: string }>(
    `insert into run (id, space_id, task_id, owner_user_id, origin, status, trigger, payload, inputs, envelope_id,
       generation, subscription_id, path)
     select overlay(uuid_v7()::text placing left(uuid_v7_floor(
         clock_timestamp() - $1::float8 * interval '1 millisecond')::text, 13) from 1 for 13)::uuid,
       $2, $3, $4, 'EVENT', status, '{}', '{}', '{}', uuid_v7(), 0, uuid_v7(), array[$5]
     from unnest($6::text[]) as status returning id`,
    [agoMs, app.admin.spaceId, taskId, app.admin.userId, `${applicationId}/order.created`, statuses],
  );
  return made.map(({ id }) => id);
}

describe('the success rate', () => {
  const statuses: RunStatus[] = [
    'SUCCEEDED',
    'SUCCEEDED',
    'SUCCEEDED',
    'FAILED',
    'INTERRUPTED',
    'CANCELLED',
    'QUEUED',
    'RUNNING',
  ];
  const deliveries = { succeeded: 3, failed: 2, missed: 1, cancelled: 1, waiting: 2 };
  let taskId: string;

  beforeAll(async () => {
    taskId = (await createTask(app)).id;
  });
  beforeEach(() => app.sql('truncate run'));

  verifies('events.summary.success', 'counts deliveries, before and after they are counted', async () => {
    const id = await recordEnvelope(app, { applicationId, agoMs: 10 * MINUTE });
    await app.sql('update envelope set matched_count = 9, missed_count = 1 where id = $1', [id]);
    await recordRuns(taskId, 10 * MINUTE, statuses);
    await counted(new Date(Date.now() - HOUR).toISOString());
    const live = await summary();
    expect(live).toMatchObject({ successRate: 0.5, dispatchRate: 1, deliveries });
    expect(live.topEvents[0]).toMatchObject({ total: 1, deliveries });
    expect(live.buckets.map((bucket) => bucket.deliveries.failed)).toContain(2);
    await count();
    expect(await app.sql('select from event_minute where runs_failed = 2')).toHaveLength(1);
    expect(await summary()).toEqual({ ...live, buckets: expect.any(Array) });
    expect(await summary('7d')).toMatchObject({ successRate: 0.5, deliveries });
  });

  verifies('events.summary.late', 'counts runs that end late, and runs that are retried', async () => {
    const old = 2 * DAY;
    await recordEnvelope(app, { applicationId, agoMs: old });
    const ids = await recordRuns(taskId, old, statuses);
    await counted(new Date(Date.now() - 3 * DAY).toISOString());
    await count();
    const before = { ...deliveries, missed: 0 };
    expect(await summary('7d')).toMatchObject({ deliveries: before });
    await app.sql(`update run set status = 'SUCCEEDED' where status in ('QUEUED', 'RUNNING')`);
    await count();
    expect(await summary('7d')).toMatchObject({ deliveries: before });
    // An old minute is counted again after ten minutes.
    const due = await app.sql<{ ms: number }>(
      `select (extract(epoch from count_at - clock_timestamp()) * 1000)::int as ms from event_minute
       where count_at is not null`,
    );
    expect(due.map(({ ms }) => ms > 0 && ms <= 10 * MINUTE)).toEqual([true]);
    await app.sql('update event_minute set count_at = clock_timestamp()');
    await count();
    const ended = { succeeded: 5, failed: 2, missed: 0, cancelled: 1, waiting: 0 };
    expect(await summary('7d')).toMatchObject({ deliveries: ended });
    expect(await app.sql('select from event_minute where count_at is not null')).toEqual([]);
    expect((await app.request('POST', `/api/runs/${ids[3]}/retry`)).status).toBe(202);
    await count();
    expect(await summary('7d')).toMatchObject({ deliveries: { ...ended, failed: 1, waiting: 1 } });
  });
});

describe('the summary', () => {
  verifies('events.summary', 'shows volume, success rate, and top events at once', async () => {
    for (const status of ['DISPATCHED', 'DISPATCHED', 'DISPATCHED', 'FAILED', 'SKIPPED', 'PENDING'] as const)
      await recordEnvelope(app, { applicationId, status });
    await recordEnvelope(app, { applicationId, event: 'order.shipped' });
    const shown = await summary();
    expect(shown.window).toBe('24h');
    expect(figures(shown)).toEqual({ total: 7, dispatched: 4, failed: 1, skipped: 1, pending: 1 });
    expect(shown).toMatchObject({ dispatchRate: 0.8, successRate: null });
    expect(shown.topEvents).toEqual([
      {
        applicationIdentifier: 'shop',
        event: 'order.created',
        total: 6,
        dispatched: 3,
        failed: 1,
        skipped: 1,
        pending: 1,
        deliveries: NONE,
      },
      {
        applicationIdentifier: 'shop',
        event: 'order.shipped',
        total: 1,
        dispatched: 1,
        failed: 0,
        skipped: 0,
        pending: 0,
        deliveries: NONE,
      },
    ]);
    // Two buckets, because one may begin meanwhile.
    expect(shown.buckets.slice(-2).reduce((sum, { total }) => sum + total, 0)).toBe(7);
    expect(shown.buckets.slice(0, -2).every(({ total }) => total === 0)).toBe(true);
  });

  verifies('events.summary', 'is empty without events, and for other spaces', async () => {
    await recordEnvelope(app, { applicationId });
    const answer = await app.request<EventSummary>('GET', '/api/events/summary?window=7d', {
      as: app.outsider,
    });
    expect(answer.body).toMatchObject({ total: 0, successRate: null, topEvents: [] });
    expect(answer.body.buckets).toHaveLength(42);
    expect((await app.request('GET', '/api/events/summary?window=2h')).status).toBe(400);
    expect((await app.request('GET', '/api/events/summary', { as: app.member })).status).toBe(403);
  });

  verifies(
    'events.summary.buckets',
    'has buckets in UTC that agree with the envelopes, before and after they are counted',
    async () => {
      const agos = [
        0,
        30_000,
        90_000,
        4 * MINUTE,
        59 * MINUTE,
        61 * MINUTE,
        5 * HOUR,
        23 * HOUR,
        25 * HOUR,
        6 * DAY,
        8 * DAY,
        29 * DAY,
        40 * DAY,
      ];
      for (const agoMs of agos) await recordEnvelope(app, { applicationId, agoMs });
      await counted(new Date(Date.now() - 45 * DAY).toISOString());
      for (const counts of [false, true, true]) {
        if (counts) await count();
        for (const window of ['1h', '24h', '7d', '30d'] as const) {
          const shown = await summary(window);
          expect(new Map(shown.buckets.map(({ start, total }) => [start, total]))).toEqual(
            await truth(shown),
          );
          expect(shown.total).toBe(shown.buckets.reduce((sum, { total }) => sum + total, 0));
          expect(shown.topEvents[0]?.total).toBe(shown.total);
        }
      }
      expect((await summary('1h')).buckets).toHaveLength(60);
    },
  );

  verifies(
    'events.summary.counts',
    'counts again without effect, and what was PENDING when it is dispatched',
    async () => {
      const id = await recordEnvelope(app, { applicationId, status: 'PENDING', agoMs: 3 * HOUR });
      await recordEnvelope(app, { applicationId, agoMs: 3 * HOUR });
      await counted(new Date(Date.now() - DAY).toISOString());
      await count();
      for (const window of ['24h', '7d'] as const)
        expect(await summary(window)).toMatchObject({ pending: 1, dispatched: 1 });
      const before = await app.sql('select * from event_minute');
      await app.sql(`update envelope set status = 'DISPATCHED' where id = $1`, [id]);
      await count();
      for (const window of ['24h', '7d'] as const)
        expect(await summary(window)).toMatchObject({ pending: 0, dispatched: 2, total: 2 });
      await count();
      await count();
      expect(await summary('7d')).toMatchObject({ pending: 0, dispatched: 2, total: 2 });
      expect(await app.sql('select * from event_minute')).toHaveLength(before.length);
    },
  );

  verifies('events.summary.counts', 'counts an old envelope again when it is replayed', async () => {
    const id = await recordEnvelope(app, { applicationId, status: 'FAILED', agoMs: 2 * DAY });
    await counted(new Date(Date.now() - 3 * DAY).toISOString());
    await count();
    expect(await summary('7d')).toMatchObject({ failed: 1, dispatchRate: 0 });
    expect((await app.request('POST', `/api/events/envelopes/${id}/replay`, { body: {} })).status).toBe(202);
    await count();
    expect(await summary('7d')).toMatchObject({ failed: 0, pending: 1 });
    await app.sql(`update envelope set status = 'DISPATCHED' where id = $1`, [id]);
    await count();
    expect(await summary('7d')).toMatchObject({ dispatched: 1, pending: 0, dispatchRate: 1 });
  });

  verifies('events.summary.counts', 'leaves an hour of which minutes were purged as it is', async () => {
    const hour = new Date(Math.floor(Date.now() / HOUR) * HOUR - 32 * DAY);
    const row = [app.admin.spaceId, hour, applicationId];
    await app.sql(
      `insert into event_hour (space_id, hour, application_id, event, dispatched, failed, skipped, pending)
       values ($1, $2, $3, 'order.created', 5, 0, 0, 0)`,
      row,
    );
    // Another minute of the hour was purged.
    await app.sql(
      `insert into event_minute (space_id, minute, application_id, event, dispatched, failed, skipped, pending, needs_count)
       values ($1, $2::timestamptz + interval '59 minutes', $3, 'order.created', 2, 0, 0, 0, true)`,
      row,
    );
    await count();
    expect(await app.sql('select from event_minute where not needs_count')).toHaveLength(1);
    expect(await app.sql('select dispatched from event_hour')).toEqual([{ dispatched: 5 }]);
  });

  verifies('events.summary.counts', 'adds up an hour of which two processes count minutes', async () => {
    // Ten and twenty minutes after an hour that begins at a multiple of an hour before now.
    const hour = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;
    const [first, second] = await Promise.all(
      [10, 20].map((minutes) =>
        recordEnvelope(app, {
          applicationId,
          status: 'FAILED',
          agoMs: Date.now() - hour - minutes * MINUTE,
        }),
      ),
    );
    await counted(new Date(hour - HOUR).toISOString());
    await count();
    expect(await summary()).toMatchObject({ failed: 2, dispatched: 0 });

    const database = app.get(DataSource);
    const change = (id: string | undefined) =>
      app.sql(
        `with changed as (update envelope set status = 'DISPATCHED' where id = $1)
         update event_minute set needs_count = true
         where minute = date_trunc('minute', (select emitted_at from envelope where id = $1))`,
        [id],
      );
    const counters: Promise<void>[] = [];
    await database.transaction(async (tx) => {
      await tx.query('select from event_hour for update');
      await change(first);
      counters.push(count());
      await eventually(async () =>
        expect(
          await app.sql(
            `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%event_hour%'`,
          ),
        ).toHaveLength(1),
      );
      await change(second);
      let isDone = false;
      counters.push(count().finally(() => (isDone = true)));
      await eventually(async () => {
        const waiting = await app.sql(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%event_hour%'`,
        );
        expect(isDone || waiting.length === 2).toBe(true);
      });
    });
    await Promise.all(counters);
    await count();
    expect(await summary()).toMatchObject({ failed: 0, dispatched: 2 });
  });

  verifies('events.summary.counts', 'counts in one process at a time', async () => {
    // None in the current minute, which may pass before they are compared.
    for (let i = 1; i <= 20; i++) await recordEnvelope(app, { applicationId, agoMs: i * HOUR });
    await counted(new Date(Date.now() - 2 * DAY).toISOString());
    await Promise.all(Array.from({ length: 4 }, count));
    await count();
    expect((await summary('7d')).total).toBe(20);
    const [stored] = await app.sql('select sum(dispatched)::int as n from event_minute');
    const [live] = await app.sql(
      `select count(*)::int as n from envelope where emitted_at < date_trunc('minute', clock_timestamp())`,
    );
    expect(stored).toEqual(live);
  });
});

describe('the volume', () => {
  async function volume(query: Record<string, string> = {}): Promise<EnvelopeVolume> {
    const path = `/api/events/envelopes/volume?${new URLSearchParams(query).toString()}`;
    const answer = await app.request<EnvelopeVolume>('GET', path);
    expect(answer.status).toBe(200);
    return answer.body;
  }
  const at = (agoMs: number) => new Date(Date.now() - agoMs).toISOString();
  /** The buckets with envelopes. */
  const filled = ({ buckets }: EnvelopeVolume) =>
    buckets.filter((one) => one.dispatched + one.failed + one.skipped + one.pending > 0);

  /** What each bucket contains, from the envelopes themselves. */
  async function truth({ buckets, bucketSeconds }: EnvelopeVolume, event: string | null) {
    const rows = await app.sql<{ start: Date }>(
      `select b.start, ${(['DISPATCHED', 'FAILED', 'SKIPPED', 'PENDING'] satisfies EnvelopeStatus[])
        .map((one) => `count(*) filter (where e.status = '${one}')::int as ${one.toLowerCase()}`)
        .join(', ')}
       from unnest($1::timestamptz[]) as b(start)
       join envelope e on e.emitted_at >= b.start and e.emitted_at < b.start + $2 * interval '1 second'
       where $3::text is null or e.event = $3 group by 1 order by 1`,
      [buckets.map(({ start }) => start), bucketSeconds, event],
    );
    return rows.map(({ start, ...counts }) => ({ start: start.toISOString(), ...counts }));
  }

  verifies(
    'events.volume',
    'agrees with the envelopes for any time and event, before and after they are counted',
    async () => {
      const statuses = ['DISPATCHED', 'FAILED', 'SKIPPED', 'PENDING'] as const;
      const minutes = [0, 0.5, 4, 59, 61, 5 * 60, 23 * 60, 25 * 60, 6 * 1_440, 29 * 1_440, 40 * 1_440];
      for (const [i, ago] of minutes.entries())
        await recordEnvelope(app, {
          applicationId,
          status: statuses[i % 4] ?? 'PENDING',
          event: i % 3 === 0 ? 'order.shipped' : 'order.created',
          agoMs: ago * MINUTE,
        });
      await counted(at(45 * DAY));
      for (const counts of [false, true]) {
        if (counts) await count();
        for (const query of [
          {},
          { from: at(HOUR) },
          { from: at(7 * DAY), event: 'order.created' },
          { from: at(30 * DAY), to: at(2 * HOUR), applicationIdentifier: 'shop' },
          { from: at(25 * HOUR), to: at(58 * MINUTE) },
          { from: '1970-01-01T00:00:00Z', event: 'order.shipped' },
        ] as Record<string, string>[]) {
          const shown = await volume(query);
          expect(filled(shown)).toEqual(await truth(shown, query.event ?? null));
          expect(shown.buckets.length).toBeLessThanOrEqual(120);
        }
      }
      // A long time begins with the first event that is counted, within a bucket of at most half a day.
      const all = await volume({ from: '1970-01-01T00:00:00Z' });
      const first = Date.parse(all.buckets[0]?.start ?? '');
      expect(Date.now() - first).toBeLessThan(30 * DAY);
      expect(filled(all)[0]?.start).toBe(all.buckets[0]?.start);
      const none = { from: at(HOUR), event: 'nothing.is.called.so' };
      expect(filled(await volume(none))).toEqual([]);
      expect(await volume({ from: at(HOUR), to: at(2 * HOUR) })).toEqual({ bucketSeconds: 60, buckets: [] });
      expect(filled(await volume({ to: '0001-01-01T00:00:00Z' }))).toEqual([]);
      const theirs = await app.request<EnvelopeVolume>('GET', '/api/events/envelopes/volume', {
        as: app.outsider,
      });
      expect(filled(theirs.body)).toEqual([]);
      const member = { as: app.member };
      expect((await app.request('GET', '/api/events/envelopes/volume', member)).status).toBe(403);
      expect((await app.request('GET', '/api/events/envelopes/volume?from=then')).status).toBe(400);
    },
  );

  verifies('events.volume', 'is in hours once minutes are no longer counted', async () => {
    const hour = new Date(Math.floor(Date.now() / HOUR) * HOUR - 60 * DAY);
    for (const [table, at] of [
      ['event_minute', 'minute'],
      ['event_hour', 'hour'],
    ])
      await app.sql(
        `insert into ${table} (space_id, ${at}, application_id, event, dispatched, failed, skipped, pending)
         values ($1, $2, $3, 'order.created', 3, 0, 1, 0)`,
        [app.admin.spaceId, hour, applicationId],
      );
    await app.sweep();
    const shown = await volume({ from: hour.toISOString(), to: at(60 * DAY - 2 * HOUR) });
    expect(shown.bucketSeconds).toBe(3_600);
    const counts = { dispatched: 3, failed: 0, skipped: 1, pending: 0 };
    expect(filled(shown)).toEqual([{ start: hour.toISOString(), ...counts }]);
  });

  verifies('events.volume', 'reads the counts of its time, and no envelopes that are counted', async () => {
    await app.sql(
      `insert into event_minute (space_id, minute, application_id, event, dispatched, failed, skipped, pending)
       select $1, date_trunc('minute', now()) - n * interval '1 minute', $2, 'order.created', 1, 0, 0, 0
       from generate_series(0, 19999) n`,
      [app.admin.spaceId, applicationId],
    );
    for (let i = 0; i < 40; i++) await recordEnvelope(app, { applicationId, agoMs: 3 * HOUR });
    await app.sql('analyze event_minute, event_hour, envelope');
    const now = Math.floor(Date.now() / HOUR) * HOUR;
    const { text, values } = bucketsStatement(
      app.admin.spaceId,
      {
        from: new Date(now - 205 * HOUR),
        to: new Date(now - 203 * HOUR),
        bucketSeconds: 300,
        byHour: false,
        liveFrom: new Date(now),
      },
      [{ applicationId, name: 'order.created' }],
    );
    // 120 minutes, each passed on by six nodes.
    expect(await rowsRead(app, text, values)).toBeLessThan(1_500);
  });
});
