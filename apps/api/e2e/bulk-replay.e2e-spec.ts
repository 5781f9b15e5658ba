import type { BulkReplay, Page, ReplayPreview } from '@platform/contracts';
import { BulkReplayBatchesService } from '../src/events/replay/bulk-replay-batches.service.ts';
import { BulkReplayWorker } from '../src/events/replay/bulk-replay.worker.ts';
import { BULK_REPLAYS, type ClaimedBulkReplay } from '../src/events/replay/bulk-replays.store.ts';
import { claimBulkWork } from '../src/infra/bulk/bulk-work.store.ts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { DataSource } from 'typeorm';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { applicationIdOf, dispatchesEnded, recordEnvelope } from './harness/event-calls.ts';
import { eventually } from './harness/eventually.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { verifies } from './verifies.ts';

const PATH = '/api/events/replays';
const ALL = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' };

/** Only creates bulk replays. */
let app: TestApp;
let worker: TestApp;
let applicationId: string;

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  await installApplication(app, shopManifest({ subscriptions: [] }));
  applicationId = await applicationIdOf(app);
  worker = await TestApp.start({ database: app });
});
afterAll(async () => {
  await worker.close();
  await app.close();
});
beforeEach(async () => {
  await dispatchesEnded(app);
  await app.sql('truncate envelope, envelope_outbox, envelope_replay, delivery');
});
afterEach(() => disarmFailpoints());

async function record(count: number, envelope: Partial<Parameters<typeof recordEnvelope>[1]> = {}) {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await recordEnvelope(app, { applicationId, ...envelope }));
  return ids;
}

async function begin(body: object, as: TestUser = app.admin): Promise<BulkReplay> {
  const answer = await app.request<BulkReplay>('POST', PATH, {
    as,
    body: { ...ALL, alongside: true, ...body },
  });
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
  return answer.body;
}

async function get(id: string): Promise<BulkReplay> {
  return (await app.request<BulkReplay>('GET', `${PATH}/${id}`)).body;
}

async function finished(id: string): Promise<BulkReplay> {
  return eventually(async () => {
    const replay = await get(id);
    expect(replay.status).not.toBe('RUNNING');
    return replay;
  });
}

const generations = async (ids: string[]) =>
  (
    await app.sql<{ generation: number }>(
      'select generation from envelope where id = any($1::uuid[]) order by id',
      [ids],
    )
  ).map(({ generation }) => generation);

async function count(query: object): Promise<ReplayPreview> {
  const answer = await app.request<ReplayPreview>('POST', `${PATH}/preview`, { body: { ...ALL, ...query } });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('a preview of a bulk replay', () => {
  verifies('events.bulk-replay.preview', 'counts by application, event, status, and time', async () => {
    await record(3);
    await record(2, { event: 'order.shipped', status: 'FAILED' });
    await record(1, { event: 'order.shipped', status: 'PENDING' });
    await record(4, { agoMs: 7_200_000, status: 'SKIPPED' });
    const limit = 10_000;
    expect(await count({})).toEqual({ count: 9, limit, isLimited: false, runningId: null });
    expect((await count({ event: 'order.shipped' })).count).toBe(2);
    expect((await count({ event: 'order.shipped', status: 'DISPATCHED' })).count).toBe(0);
    expect((await count({ status: 'DISPATCHED' })).count).toBe(3);
    expect((await count({ status: 'SKIPPED', applicationIdentifier: 'shop' })).count).toBe(4);
    expect((await count({ applicationIdentifier: 'none' })).count).toBe(0);
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    expect((await count({ from: hourAgo })).count).toBe(5);
    expect((await count({ to: hourAgo })).count).toBe(4);
  });

  verifies('events.bulk-replay.preview', 'needs a range of time, and no status PENDING', async () => {
    const wrong: [object, string][] = [
      [{ from: undefined }, 'from is required'],
      [{ to: 'yesterday' }, 'to must be a time'],
      [{ from: ALL.to, to: ALL.from }, 'to must be later than from'],
      [{ status: 'PENDING' }, 'status must be one of'],
    ];
    for (const path of ['/preview', ''])
      for (const [query, problem] of wrong) {
        const answer = await app.request('POST', `${PATH}${path}`, { body: { ...ALL, ...query } });
        expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(problem)]);
      }
    for (const perSecond of [0, 1001, 1.5, '5'])
      expect((await app.request('POST', PATH, { body: { ...ALL, perSecond } })).status).toBe(400);
  });
});

describe('a bulk replay', () => {
  verifies('events.bulk-replay', 'replays what its query selects, oldest first, once each', async () => {
    const failed = await record(25, { status: 'FAILED' });
    const others = await record(5);
    const { id, ...replay } = await begin({ status: 'FAILED', perSecond: 1000 });
    expect(replay).toMatchObject({ status: 'RUNNING', total: 25, replayed: 0, refused: 0, perSecond: 1000 });
    expect(await finished(id)).toMatchObject({
      status: 'COMPLETED',
      replayed: 25,
      refused: 0,
      total: 25,
      lastError: null,
    });
    expect(await generations(failed)).toEqual(Array.from({ length: 25 }, () => 1));
    expect(await generations(others)).toEqual(Array.from({ length: 5 }, () => 0));
    const order = await app.sql<{ envelope_id: string }>(
      'select envelope_id from envelope_replay where bulk_replay_id = $1 order by requested_at, envelope_id',
      [id],
    );
    expect(order.map((row) => row.envelope_id)).toEqual(failed);
    // They are dispatched, as any other.
    await eventually(async () =>
      expect(await app.sql(`select 1 from envelope where status = 'PENDING'`)).toEqual([]),
    );
  });

  verifies('events.bulk-replay', 'counts what it refuses, with the last reason', async () => {
    await record(3);
    const [invalid] = await record(1, { payload: { total: -1 } });
    const { id } = await begin({ perSecond: 1000 });
    const done = await finished(id);
    expect(done).toMatchObject({ status: 'COMPLETED', replayed: 3, refused: 1, total: 4 });
    expect(done.lastError).toBe(`Envelope ${invalid}: payload.total must be >= 0`);
  });

  it('goes on after an envelope that is refused because of a key that no text can have', async () => {
    await installApplication(
      app,
      shopManifest({
        identifier: 'strict',
        events: [
          {
            name: 'order.created',
            description: 'Strict.',
            payloadSchema: { type: 'object', additionalProperties: false },
          },
        ],
        tables: [],
        subscriptions: [],
      }),
    );
    const strict = await applicationIdOf(app, 'strict');
    await record(1, { applicationId: strict, payload: { 'a\0b': 1 } });
    await record(2);
    const { id } = await begin({ perSecond: 1000 });
    const done = await finished(id);
    expect(done).toMatchObject({ status: 'COMPLETED', replayed: 2, refused: 1 });
    expect(done.lastError).toContain('payload.a\ufffdb is not a known field');
  });

  verifies('events.bulk-replay', 'completes at once if nothing matches', async () => {
    const { id } = await begin({ event: 'order.lost' });
    expect(await finished(id)).toMatchObject({ status: 'COMPLETED', total: 0, replayed: 0 });
  });

  it('has its turn although others take long', async () => {
    await record(100);
    const slow: BulkReplay[] = [];
    // More than one process executes at a time.
    for (let i = 0; i < 5; i++) slow.push(await begin({ perSecond: 1 }));
    const { id } = await begin({ event: 'order.lost' });
    expect(await finished(id)).toMatchObject({ status: 'COMPLETED' });
    for (const { id: one } of slow) {
      await eventually(async () => expect((await get(one)).replayed).toBeGreaterThan(0));
      expect((await get(one)).status).toBe('RUNNING');
    }
    for (const { id: one } of slow) await app.request('DELETE', `${PATH}/${one}`);
  });

  verifies('events.bulk-replay.fair', 'has its turn beside any number of another space', async () => {
    const undone = new Error('Undone');
    const { admin, outsider } = app;
    // Seen by no worker.
    const claims = app.get(DataSource).transaction(async (tx) => {
      const insert = ({ spaceId, userId }: TestUser, count: number, agoMs: number) =>
        tx.query(
          `insert into bulk_replay (space_id, requested_by, query, total, per_second, lease_until)
           select $1, $2, '{}', 0, 1, clock_timestamp() - $4::int * interval '1 millisecond' from generate_series(1, $3::int)`,
          [spaceId, userId, count, agoMs],
        );
      await insert(outsider, 100, 60_000);
      await insert(admin, 1, 1_000);
      const claimed: (string | undefined)[] = [];
      for (let i = 0; i < 4; i++) claimed.push((await claimBulkWork(tx, BULK_REPLAYS))?.spaceId);
      expect(claimed).toEqual([outsider, admin, outsider, outsider].map(({ spaceId }) => spaceId));
      throw undone;
    });
    await expect(claims).rejects.toBe(undone);
  });

  verifies('events.bulk-replay', 'leaves out envelopes that are recorded after the request', async () => {
    await record(2, { agoMs: 60_000 });
    const { id } = await begin({ perSecond: 1 });
    // As if it had been emitted by a run of the first replay.
    const late = await record(1);
    expect((await finished(id)).replayed).toBe(2);
    expect(await generations(late)).toEqual([0]);
  });

  verifies('events.bulk-replay.rate', 'keeps its rate', async () => {
    await record(12);
    const start = performance.now();
    const { id } = await begin({ perSecond: 10 });
    await finished(id);
    // Eleven pauses of 100 ms; a timer can fire a little early.
    expect(performance.now() - start).toBeGreaterThan(1_000);
  });

  verifies(
    'events.bulk-replay.stop',
    'stops: when the call returns, no further envelope is replayed',
    async () => {
      await record(100);
      const { id } = await begin({ perSecond: 5 });
      await eventually(async () => expect((await get(id)).replayed).toBeGreaterThan(0));
      expect((await app.request('DELETE', `${PATH}/${id}`)).status).toBe(204);
      const stopped = await get(id);
      expect(stopped.status).toBe('STOPPED');
      expect(stopped.finishedAt).not.toBeNull();
      const begun = () => app.sql('select 1 from envelope_replay where bulk_replay_id = $1', [id]);
      expect(await begun()).toHaveLength(stopped.replayed);
      await worker.get(BulkReplayWorker).settled();
      expect(await begun()).toHaveLength(stopped.replayed);
      expect((await app.request('DELETE', `${PATH}/${id}`)).status).toBe(204);
      expect(await get(id)).toEqual(stopped);
    },
  );

  verifies(
    'events.bulk-replay.takeover',
    'is continued where another worker died, and repeats nothing',
    async () => {
      const ids = await record(40);
      const { id } = await begin({ perSecond: 1000 });
      await finished(id);
      await dispatchesEnded(app);
      const at = ids[14];
      await app.sql('delete from envelope_replay where bulk_replay_id = $1 and envelope_id > $2', [id, at]);
      await app.sql(`update envelope set status = 'DISPATCHED', generation = 0 where id > $1`, [at]);
      // As if a worker had died: its lease has passed, its last commit was 15 envelopes in. A worker continues at once.
      await app.sql(
        `update bulk_replay set status = 'RUNNING', position = $2, replayed = 15, finished_at = null,
         lease_until = clock_timestamp() - interval '1 second' where id = $1`,
        [id, at],
      );
      expect(await finished(id)).toMatchObject({ status: 'COMPLETED', replayed: 40, refused: 0 });
      expect(await generations(ids)).toEqual(Array.from({ length: 40 }, () => 1));
    },
  );

  verifies('events.bulk-replay.takeover', 'of two workers at the same position one continues', async () => {
    const ids = await record(30);
    const [row] = await app.sql<ClaimedBulkReplay>(
      `insert into bulk_replay (space_id, requested_by, query, total, per_second, lease_until)
       values ($1, $2, $3, 30, 1000, clock_timestamp() + interval '1 hour')
       returning id, space_id as "spaceId", requested_by as "requestedBy", query, per_second as "perSecond",
         created_at as "createdAt", position`,
      [app.admin.spaceId, app.admin.userId, JSON.stringify(ALL)],
    );
    if (row === undefined) throw new Error('Not stored');
    const batches = [app, worker].map((one) => one.get(BulkReplayBatchesService).replayNext({ ...row }, 10));
    const [a, b] = await Promise.all(batches);
    expect([a, b].filter((batch) => batch === null)).toHaveLength(1);
    expect((await get(row.id)).replayed).toBe(10);
    expect((await generations(ids)).filter((generation) => generation === 1)).toHaveLength(10);
    await app.request('DELETE', `${PATH}/${row.id}`);
  });

  verifies(
    'events.bulk-replay.takeover',
    'continues after commits whose responses were lost, and repeats nothing',
    async () => {
      const ids = await record(40);
      const inWorker = new LostCommits(worker.get(BackgroundDatabase));
      const inApi = new LostCommits(app.get(DataSource));
      try {
        inWorker.next(/update bulk_replay set position/, 2);
        inApi.next(/insert into "bulk_replay"/i);
        const { id } = await begin({ perSecond: 100 });
        expect(await finished(id)).toMatchObject({ status: 'COMPLETED', replayed: 40, refused: 0 });
        expect(await generations(ids)).toEqual(Array.from({ length: 40 }, () => 1));
        expect([inWorker.lost, inApi.lost]).toEqual([2, 1]);
      } finally {
        inWorker.restore();
        inApi.restore();
      }
    },
  );

  verifies(
    'events.bulk-replay.takeover',
    'rolls a batch back as a whole, and fails with a reason',
    async () => {
      const ids = await record(5);
      armFailpoints(['events.bulk-replay.before-commit']);
      const { id } = await begin({});
      const failed = await finished(id);
      expect(failed).toMatchObject({
        status: 'FAILED',
        replayed: 0,
        lastError: expect.stringContaining('unexpected'),
      });
      expect(await generations(ids)).toEqual([0, 0, 0, 0, 0]);
    },
  );

  verifies('events.bulk-replay', 'is for admins of the space, listed newest first', async () => {
    const first = await begin({});
    const second = await begin({});
    const listed = await app.request<Page<BulkReplay>>('GET', `${PATH}?limit=1`);
    expect(listed.body.items[0]?.id).toBe(second.id);
    const next = await app.request<Page<BulkReplay>>(
      'GET',
      `${PATH}?limit=1&cursor=${listed.body.nextCursor}`,
    );
    expect(next.body.items[0]?.id).toBe(first.id);
    const calls = [
      ['GET', PATH],
      ['POST', PATH],
      ['POST', `${PATH}/preview`],
      ['GET', `${PATH}/${first.id}`],
      ['DELETE', `${PATH}/${first.id}`],
    ] as const;
    for (const [method, path] of calls)
      expect((await app.request(method, path, { as: app.member })).status).toBe(403);
    for (const [method, path] of calls.slice(3))
      expect((await app.request(method, path, { as: app.outsider })).status).toBe(403);
    await finished(first.id);
    const entries = await app.sql('select action from audit_entry where target_id = $1', [first.id]);
    expect(entries).toEqual([{ action: 'bulk-replay.create' }]);
  });
});
