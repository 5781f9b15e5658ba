import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CatalogInstallationService } from '../src/events/catalog/catalog-installation.service.ts';
import { DispatcherWorker } from '../src/events/dispatch/dispatcher.worker.ts';
import {
  CLAIM_BATCH,
  CLAIM_SUSPECT,
  claimBatch,
  claimSuspect,
  DUE_ENVELOPES,
  EXPEDITE_ENVELOPES,
  forgiveClaim,
} from '../src/events/records/outbox.store.ts';
import { lockSubscriptions } from '../src/events/catalog/subscription-lock.store.ts';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { Messaging } from '../src/infra/messaging/messaging.ts';
import { TestApp } from './harness/app.ts';
import { EmittingApp, ORDER_CREATED } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { lockWait } from './harness/lock-waits.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { RedisServer } from './harness/redis.ts';
import { SqlPlans } from './harness/sql-plans.ts';
import { verifies } from './verifies.ts';

describe('dispatch', () => {
  let app: TestApp;
  let shop: EmittingApp;

  beforeAll(async () => {
    app = await TestApp.start();
    shop = await EmittingApp.install(app);
  });

  afterAll(() => app.close());

  verifies(
    ['events.dispatch.matched', 'events.dispatch.trigger'],
    'starts a run with the trigger for every subscription that matches',
    async () => {
      const all = await shop.task('all');
      const rush = await shop.task('rush');
      const off = await shop.task('off');
      const allId = await shop.subscribe(all);
      const rushId = await shop.subscribe(rush, { filter: { kind: 'rush', amount: [50, 100] } });
      const offId = await shop.subscribe(off, { enabled: false });
      const payload = { n: 1, kind: 'rush', amount: 40 };
      const { envelopeId, emittedAt } = await shop.emit(payload);
      const envelope = await shop.dispatched(envelopeId);
      expect(envelope).toMatchObject({ status: 'DISPATCHED', status_reason: null, matched_count: 1 });
      expect(envelope.dispatched_at).not.toBeNull();
      expect(envelope.verdicts).toEqual([
        { subscriptionId: allId, taskId: all.id, outcome: 'MATCHED', reason: null },
        {
          subscriptionId: rushId,
          taskId: rush.id,
          outcome: 'FILTER_MISMATCH',
          reason: 'amount: 40, wanted one of [50,100]',
        },
        {
          subscriptionId: offId,
          taskId: off.id,
          outcome: 'DISABLED',
          reason: 'The subscription is disabled',
        },
      ]);
      const [run, ...others] = await shop.runs(envelopeId);
      expect(others).toEqual([]);
      expect(run?.task_id).toBe(all.id);
      const { body: shown } = await app.request('GET', `/api/runs/${run?.id}`);
      expect(shown.trigger).toEqual({
        event: 'order.created',
        payload,
        source: 'app',
        id: envelopeId,
        emittedAt,
        spaceId: app.admin.spaceId,
        actorUserId: null,
        causationId: null,
        depth: 0,
      });
    },
  );

  /** The outbox comes last: whoever dispatches looks for what is in there. */
  const setPending = async (id: string, generation = 0) => {
    await app.sql(`update envelope set status = 'PENDING', generation = $2 where id = $1`, [id, generation]);
    await app.sql(
      `insert into envelope_outbox (envelope_id, generation, space_id, next_publish_at)
       values ($1, $2, $3, clock_timestamp())`,
      [id, generation, app.admin.spaceId],
    );
  };

  const deliveries = (envelopeId: string) =>
    app.sql<{ subscription_id: string; generation: number; run_id: string | null; outcome: string }>(
      'select * from delivery where envelope_id = $1 order by subscription_id, generation',
      [envelopeId],
    );

  const outboxOf = async (id: string) => {
    const [row] = await app.sql<{
      attempts: number;
      is_suspect: boolean;
      fencing_token: string;
      lease_until: Date;
    }>('select * from envelope_outbox where envelope_id = $1', [id]);
    return row ?? null;
  };

  /** An application of its own, so that its subscriptions are all there are. */
  const install = (identifier: string) => EmittingApp.install(app, { identifier });

  verifies('events.dispatch.unmatched', 'dispatches an event that nobody subscribes to', async () => {
    const desk = await install('lonely');
    const { envelopeId } = await desk.emit({ n: 1 });
    expect(await desk.dispatched(envelopeId)).toMatchObject({
      status: 'DISPATCHED',
      matched_count: 0,
      verdicts: [],
    });
    expect(await desk.runs(envelopeId)).toEqual([]);
  });

  verifies(
    'events.dispatch.verdicts',
    'says what each subscription made of it: task disabled, task deleted, broken filter, created too late',
    async () => {
      const desk = await install('verdicts');
      const [disabled, deleted, broken, fine] = await Promise.all(
        ['disabled', 'deleted', 'broken', 'fine'].map((name) => desk.task(name)),
      );
      if (!disabled || !deleted || !broken || !fine) throw new Error('No tasks');
      const ids = {
        disabled: await desk.subscribe(disabled),
        deleted: await desk.subscribe(deleted),
        broken: await desk.subscribe(broken),
        fine: await desk.subscribe(fine),
      };
      await app.sql('update task set enabled = false where id = $1', [disabled.id]);
      await app.sql('update task set deleted_at = clock_timestamp() where id = $1', [deleted.id]);
      await app.sql(`update subscription set filter = '"text"' where id = $1`, [ids.broken]);

      const lock = await heldLock();
      const { envelopeId } = await desk.emit({ n: 1 });
      await lock.waited();
      const [late] = await app.sql<{ id: string }>(
        `insert into subscription (space_id, application_id, event, task_id, origin)
         select space_id, application_id, event, task_id, origin from subscription where id = $1 returning id`,
        [ids.fine],
      );
      await lock.release();

      const envelope = await desk.dispatched(envelopeId);
      expect(envelope).toMatchObject({ status: 'DISPATCHED', matched_count: 2 });
      expect(envelope.verdicts?.map(({ subscriptionId, outcome }) => [subscriptionId, outcome])).toEqual([
        [ids.disabled, 'TASK_DISABLED'],
        [ids.broken, 'FILTER_ERROR'],
        [ids.fine, 'MATCHED'],
        [late?.id, 'CREATED_AFTER_EMISSION'],
      ]);
      const stored = await deliveries(envelopeId);
      expect(
        stored.map(({ subscription_id, outcome, run_id }) => [subscription_id, outcome, run_id === null]),
      ).toEqual([
        [ids.disabled, 'TASK_DISABLED', true],
        [ids.fine, 'RUN_CREATED', false],
      ]);
      expect((await desk.runs(envelopeId)).map(({ task_id }) => task_id)).toEqual([fine.id]);
    },
  );

  /** Holds the lock that keeps dispatches from matching events of the space. */
  async function heldLock(spaceId = app.admin.spaceId) {
    const released = Promise.withResolvers<undefined>();
    const taken = Promise.withResolvers<undefined>();
    const done = app.get(DataSource).transaction(async (tx) => {
      await lockSubscriptions(tx, spaceId);
      taken.resolve(undefined);
      await released.promise;
      await change?.(tx);
    });
    let change: ((tx: EntityManager) => Promise<unknown>) | null = null;
    await taken.promise;
    return {
      /** Until a dispatch has met the lock. */
      waited: () =>
        eventually(async () => {
          const tried = await app.sql(
            'select from envelope_outbox where space_id = $1 and fencing_token > 0',
            [spaceId],
          );
          expect(tried.length).toBeGreaterThan(0);
        }),
      release: async (work: typeof change = null) => {
        change = work;
        released.resolve(undefined);
        await done;
      },
    };
  }

  verifies(
    'events.dispatch.toggle',
    'sees a subscription that is disabled while the dispatch waits for the toggle',
    async () => {
      const desk = await install('toggled');
      const id = await desk.subscribe(await desk.task('toggled'));
      const lock = await heldLock();
      const { envelopeId } = await desk.emit({ n: 1 });
      await lock.waited();
      await lock.release((tx) => tx.query('update subscription set enabled = false where id = $1', [id]));
      expect(await desk.dispatched(envelopeId)).toMatchObject({ status: 'DISPATCHED', matched_count: 0 });
      expect(await deliveries(envelopeId)).toEqual([]);
    },
  );

  verifies(
    'events.dispatch.fair',
    'a space whose subscriptions are being changed keeps no other space waiting',
    async () => {
      const [desk, other] = [
        await install('locked'),
        await EmittingApp.install(app, { user: app.outsider, identifier: 'free' }),
      ];
      await other.subscribe(await other.task('free'));
      const lock = await heldLock();
      const { envelopeId } = await desk.emit({ n: 1 });
      await lock.waited();
      const free = await other.emit({ n: 1 });
      expect(await other.dispatched(free.envelopeId)).toMatchObject({ matched_count: 1 });
      expect(await desk.envelope(envelopeId)).toMatchObject({ status: 'PENDING' });
      await lock.release();
      expect(await desk.dispatched(envelopeId)).toMatchObject({ status: 'DISPATCHED' });
    },
  );

  verifies(
    'events.dispatch.fair',
    'a space with few events waits for no transaction of a space with many',
    async () => {
      const [desk, other] = [
        await install('busy'),
        await EmittingApp.install(app, { user: app.outsider, identifier: 'calm' }),
      ];
      await desk.subscribe(await desk.task('busy', undefined, { concurrency: 100 }));
      await other.subscribe(await other.task('calm'));
      const lock = await heldLock();
      const { body } = await desk.postBatch(
        Array.from({ length: 40 }, (_, n) => ({
          appIdentifier: desk.identifier,
          event: 'order.created',
          payload: { n },
        })),
      );
      const ids = body.items.map((item) => ('envelopeId' in item ? item.envelopeId : ''));
      await app.get(DataSource).transaction(async (tx) => {
        await tx.query('select from envelope where id = any($1::uuid[]) for update', [ids]);
        await other.dispatched((await other.emit({ n: 1 })).envelopeId);
        await lock.release();
        await eventually(async () => {
          const blocked = await app.sql(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
               and query like 'update envelope e set status = ''DISPATCHED''%'`,
          );
          expect(blocked).toHaveLength(1);
        });
        await other.dispatched((await other.emit({ n: 2 })).envelopeId);
      });
      for (const id of ids) expect(await desk.dispatched(id)).toMatchObject({ matched_count: 1 });
    },
  );

  verifies('events.dispatch.toggle', 'never fires after the response of the toggle', async () => {
    const desk = await install('toggling');
    const id = await desk.subscribe(await desk.task('toggling', undefined, { concurrency: 50 }));
    const toggle = (enabled: boolean) =>
      app.request('PATCH', `/api/events/subscriptions/${id}`, { body: { enabled } });
    const load = { isOn: true };
    const emitted: string[] = [];
    const done = (async () => {
      for (let n = 0; load.isOn; n++) emitted.push((await desk.emit({ n })).envelopeId);
    })();
    const off: { from: Date; to: Date }[] = [];
    for (let i = 0; i < 20; i++) {
      expect((await toggle(false)).status).toBe(200);
      const [{ from } = { from: new Date() }] = await app.sql<{ from: Date }>(
        'select clock_timestamp() as from',
      );
      const [{ to } = { to: new Date() }] = await app.sql<{ to: Date }>('select clock_timestamp() as to');
      off.push({ from, to });
      expect((await toggle(true)).status).toBe(200);
    }
    load.isOn = false;
    await done;
    for (const envelopeId of emitted) await desk.dispatched(envelopeId);
    const late = await app.sql(
      `select d.* from delivery d join unnest($2::timestamptz[], $3::timestamptz[]) as o("from", "to")
         on d.created_at > o."from" and d.created_at < o."to"
       where d.subscription_id = $1`,
      [id, off.map(({ from }) => from), off.map(({ to }) => to)],
    );
    expect(late).toEqual([]);
  });

  verifies('task.disabled', 'has no run that was created after it was disabled', async () => {
    const desk = await install('switched');
    const task = await desk.task('switched');
    await desk.subscribe(task);
    // A dispatch that has read the task, and cannot store what it delivers.
    const blocker = app.get(DataSource).createQueryRunner();
    await blocker.startTransaction();
    await blocker.query('lock table delivery in exclusive mode');
    const { envelopeId } = await desk.emit({ n: 1 });
    await lockWait(app);
    let isDisabled = false;
    const disabled = app
      .request('PATCH', `/api/tasks/${task.id}`, { body: { enabled: false } })
      .finally(() => (isDisabled = true));
    await Promise.race([disabled, lockWait(app, 'advisory').catch(() => undefined)]);
    const wasDisabledBefore = isDisabled;
    await blocker.commitTransaction();
    await blocker.release();
    expect((await disabled).status).toBe(200);
    await desk.dispatched(envelopeId);
    expect(await deliveries(envelopeId)).toHaveLength(1);
    expect(wasDisabledBefore).toBe(false);
    const next = await desk.emit({ n: 2 });
    await desk.dispatched(next.envelopeId);
    expect(await desk.runs(next.envelopeId)).toEqual([]);
  });

  verifies(
    'events.dispatch.once',
    'fires once, also if an envelope is claimed again, its hints repeat, and ids are forged',
    async () => {
      const desk = await install('once');
      await desk.subscribe(await desk.task('once'));
      const { envelopeId } = await desk.emit({ n: 1 });
      await desk.dispatched(envelopeId);
      // As if nothing but the delivery had been stored, which no transaction does: then its key refuses a second run.
      await setPending(envelopeId);
      await app
        .get(Messaging as Type<Messaging>)
        .publish('envelope', [envelopeId, envelopeId, randomUUID(), 'no id']);
      await eventually(async () =>
        expect(await desk.envelope(envelopeId)).toMatchObject({
          status: 'PENDING',
          last_error: 'The dispatch has failed unexpectedly and is attempted again',
        }),
      );
      expect(await desk.runs(envelopeId)).toHaveLength(1);
      expect(await deliveries(envelopeId)).toHaveLength(1);
      await setPending(envelopeId, 1);
      await app.get(Messaging as Type<Messaging>).publish('envelope', [envelopeId]);
      await desk.dispatched(envelopeId);
      expect((await desk.runs(envelopeId)).map(({ generation }) => generation)).toEqual([0, 1]);
      await eventually(async () =>
        expect(await app.sql('select from envelope_outbox where envelope_id = $1', [envelopeId])).toEqual([]),
      );
    },
  );

  verifies(
    'events.dispatch.fenced',
    'lets nobody dispatch with a token that is no longer valid',
    async () => {
      const desk = await install('fenced');
      await desk.subscribe(await desk.task('fenced'));
      const lock = await heldLock();
      const { envelopeId } = await desk.emit({ n: 1 });
      await lock.waited();
      const leaseFor = (seconds: number) =>
        app.sql(
          `update envelope_outbox set fencing_token = fencing_token + 1, lease_until = n.until, available_at = n.until,
             next_publish_at = n.until
           from (select clock_timestamp() + $2 * interval '1 second' as until) n where envelope_id = $1`,
          [envelopeId, seconds],
        );
      // Another process has claimed the envelope meanwhile and works on it.
      await leaseFor(3_600);
      await lock.release();
      await app.get(DispatcherWorker).drain();
      expect(await desk.envelope(envelopeId)).toMatchObject({ status: 'PENDING' });
      expect(await deliveries(envelopeId)).toEqual([]);
      // It died: the envelope is dispatched when its lease has passed.
      await leaseFor(0);
      expect(await desk.dispatched(envelopeId)).toMatchObject({ status: 'DISPATCHED', matched_count: 1 });
      expect(await deliveries(envelopeId)).toHaveLength(1);
    },
  );

  verifies(
    'events.dispatch.uninstalled',
    'dispatches what was accepted before an uninstall, to subscriptions of the user only',
    async () => {
      const desk = await install('leaving');
      const own = await desk.task('own');
      const users = await desk.task('users');
      await desk.upgrade(
        [ORDER_CREATED],
        [{ key: 'default', event: 'order.created', taskKey: 'own' }],
        new Map([['own', own.id]]),
      );
      await desk.subscribe(users);
      const lock = await heldLock();
      const { envelopeId } = await desk.emit({ n: 1 });
      await lock.waited();
      await lock.release((tx) =>
        app
          .get(CatalogInstallationService)
          .uninstall(tx, { spaceId: app.admin.spaceId, applicationId: desk.applicationId }),
      );
      await desk.dispatched(envelopeId);
      expect((await desk.runs(envelopeId)).map(({ task_id }) => task_id)).toEqual([users.id]);
    },
  );

  verifies(
    'events.dispatch.poison',
    'one envelope that cannot be dispatched fails alone, after 20 attempts',
    async () => {
      const desk = await install('poisoned');
      await desk.subscribe(await desk.task('poisoned', undefined, { concurrency: 100 }));
      const lock = await heldLock();
      const emitted = await Promise.all(Array.from({ length: 20 }, (_, n) => desk.emit({ n })));
      const [poison, ...others] = emitted.map(({ envelopeId }) => envelopeId);
      if (poison === undefined) throw new Error('Nothing was emitted');
      armFailpoints([`events.dispatch.before-commit:throw=${poison}`]);
      await lock.release();
      for (const id of others)
        expect(await desk.dispatched(id)).toMatchObject({ status: 'DISPATCHED', matched_count: 1 });
      const waiting = await eventually(async () => {
        const row = await outboxOf(poison);
        expect(row?.attempts).toBeGreaterThan(0);
        return row;
      });
      expect(waiting).toMatchObject({ is_suspect: true });
      expect((await desk.envelope(poison)).status).toBe('PENDING');
      // Not while an attempt is under way: its end would postpone the row.
      await eventually(async () => {
        const changed = await app.sql(
          `update envelope_outbox set attempts = 19, available_at = clock_timestamp(), next_publish_at = clock_timestamp()
           where envelope_id = $1 and lease_until is null returning attempts`,
          [poison],
        );
        expect(changed).toHaveLength(1);
      });
      expect(await desk.dispatched(poison)).toMatchObject({
        status: 'FAILED',
        status_reason: 'DISPATCH_ATTEMPTS_EXHAUSTED',
        last_error: 'The dispatch was attempted 20 times, and has failed or ended its process each time',
      });
      expect([await desk.runs(poison), await deliveries(poison), await outboxOf(poison)]).toEqual([
        [],
        [],
        null,
      ]);
      disarmFailpoints();
      const replay = await app.request('POST', `/api/events/envelopes/${poison}/replay`, { body: {} });
      expect(replay.status).toBe(202);
      expect(await desk.dispatched(poison)).toMatchObject({
        status: 'DISPATCHED',
        matched_count: 1,
        generation: 1,
      });
    },
  );

  verifies(
    'events.dispatch.poison',
    'counts what happens while an envelope is tried alone, and nothing else',
    async () => {
      const sql = app.get(BackgroundDatabase);
      const [space] = await app.sql<{ id: string }>('select uuid_v7() as id');
      // In one transaction: the dispatcher of the app looks for suspects as well.
      const claimExpired = () =>
        sql.transaction(async (tx) => {
          await tx.query(
            `update envelope_outbox set lease_until = clock_timestamp(), available_at = clock_timestamp() - interval '1 s'
             where space_id = $1`,
            [space?.id],
          );
          return claimSuspect(tx);
        });
      await sql
        .transaction(async (tx) => {
          const rows = await tx.query<unknown[]>(
            `insert into envelope_outbox (envelope_id, generation, space_id, available_at, next_publish_at)
         select uuid_v7(), 0, $1, clock_timestamp() - interval '1 h', clock_timestamp() + interval '1 h'
         from generate_series(1, 3) returning envelope_id`,
            [space?.id],
          );
          expect(rows).toHaveLength(3);
          const { claims } = await claimBatch(tx, 2);
          expect(claims.map(({ attempts }) => attempts)).toEqual([0, 0]);
          expect((await claimBatch(tx, 64)).claims).toHaveLength(1);
          expect((await claimBatch(tx, 64)).claims).toEqual([]);
          throw new Error('rolled back');
        })
        .catch(ignoreRollback);

      await app.sql(
        `insert into envelope_outbox (envelope_id, generation, space_id, available_at, next_publish_at, lease_until)
       values (uuid_v7(), 0, $1, clock_timestamp() + interval '1 h', clock_timestamp() + interval '1 h', clock_timestamp())`,
        [space?.id],
      );
      for (const attempts of [1, 2, 3]) {
        expect(await claimExpired()).toMatchObject({ attempts, spaceId: space?.id });
        expect(await claimSuspect(sql)).toBeNull();
      }
      const claim = await claimExpired();
      if (claim === null) throw new Error('Nothing to claim');
      await forgiveClaim(sql, { ...claim, token: '0' });
      expect((await outboxOf(claim.envelopeId))?.lease_until).not.toBeNull();
      await forgiveClaim(sql, claim);
      expect(await outboxOf(claim.envelopeId)).toMatchObject({
        attempts: 3,
        is_suspect: true,
        lease_until: null,
      });
      await app.sql('delete from envelope_outbox where space_id = $1', [space?.id]);
    },
  );

  verifies(
    'events.dispatch.infrastructure',
    'tries again without counting when the database was unavailable',
    async () => {
      const desk = await install('unavailable');
      await desk.subscribe(await desk.task('unavailable', undefined, { concurrency: 100 }));
      const commits = new LostCommits(app.get(BackgroundDatabase));
      try {
        commits.next(/insert into delivery/, 3);
        // How many batches they become depends on the machine; every round has one at least.
        for (let round = 0; round < 3; round++) {
          const emitted = await Promise.all(Array.from({ length: 40 }, (_, n) => desk.emit({ n })));
          for (const { envelopeId } of emitted) {
            expect(await desk.dispatched(envelopeId)).toMatchObject({
              status: 'DISPATCHED',
              matched_count: 1,
            });
            expect(await desk.runs(envelopeId)).toHaveLength(1);
          }
        }
        expect(commits.lost).toBe(3);
      } finally {
        commits.restore();
      }
      expect(await app.sql('select from envelope_outbox')).toEqual([]);
    },
  );

  verifies('events.dispatch.fan-out', 'splits what is too much for one transaction', async () => {
    const desk = await install('popular');
    const task = await desk.task('popular', undefined, { concurrency: 1 });
    await app.sql(
      `insert into subscription (space_id, application_id, event, task_id, origin)
       select $1, $2, 'order.created', $3, 'USER' from generate_series(1, 250)`,
      [app.admin.spaceId, desk.applicationId, task.id],
    );
    const lock = await heldLock();
    const emitted = await Promise.all(Array.from({ length: 12 }, (_, n) => desk.emit({ n })));
    await lock.release();
    for (const { envelopeId } of emitted) {
      const { matched_count: matched, verdicts } = await desk.dispatched(envelopeId);
      expect([matched, verdicts?.length]).toEqual([250, 200]);
    }
    const [runs] = await app.sql<{ count: number }>(
      'select count(*)::int as count from run where task_id = $1',
      [task.id],
    );
    expect(runs?.count).toBe(3_000);
    await app.sql('update task set enabled = false where id = $1', [task.id]);
    await app.sql('delete from run_queue where task_id = $1', [task.id]);
  });

  verifies('events.dispatch.fair', 'spaces take turns, however many envelopes of one wait', async () => {
    const [first, second] = [randomUUID(), randomUUID()].sort() as [string, string];
    const insert = `insert into envelope_outbox (envelope_id, generation, space_id, next_publish_at)
      select uuid_v7(), 0, $1, clock_timestamp() + interval '1 hour' from generate_series(1, $2::int)`;
    await app
      .get(BackgroundDatabase)
      .transaction(async (tx) => {
        await tx.query('delete from envelope_outbox');
        await tx.query(insert, [first, 1_000]);
        await tx.query(insert, [second, 1]);
        const turns: [string | null, number, boolean][] = [];
        for (let after: string | null = null; turns.length < 4;) {
          const { spaceId, claims, hasOthers } = await claimBatch(tx, 64, after);
          turns.push([spaceId, claims.length, hasOthers]);
          after = spaceId;
        }
        expect(turns).toEqual([
          [first, 64, true],
          [second, 1, true],
          [first, 64, false],
          [first, 64, false],
        ]);
        const excluded = await claimBatch(tx, 64, null, [first]);
        expect(excluded).toEqual({ spaceId: null, claims: [], hasOthers: false, hasSuspects: false });
        await tx.query(
          `update envelope_outbox set available_at = now() - interval '1 s' where space_id = $1`,
          [second],
        );
        expect(await claimBatch(tx, 64, null, [first])).toMatchObject({ claims: [], hasSuspects: true });
        throw new Error('rolled back');
      })
      .catch(ignoreRollback);
  });

  verifies('events.dispatch.claims', 'claims by an index, however many envelopes wait', async () => {
    const statements = [
      { text: CLAIM_BATCH, values: ['00000000-0000-0000-0000-000000000000', 64, []], most: 300 },
      { text: CLAIM_SUSPECT, values: [], most: 10 },
      { text: DUE_ENVELOPES, values: [64, 1], most: 200 },
      { text: EXPEDITE_ENVELOPES, values: [64], most: 200 },
    ];
    await app
      .get(BackgroundDatabase)
      .transaction(async (tx) => {
        await tx.query(
          `insert into envelope_outbox (envelope_id, generation, space_id, available_at, next_publish_at)
         select uuid_v7(), 0, $1, clock_timestamp() - n * interval '1 ms', clock_timestamp() - n * interval '1 ms'
         from generate_series(1, 30000) n`,
          [app.admin.spaceId],
        );
        await tx.query('analyze envelope_outbox');
        for (const { text, values, most } of statements) {
          const [row] = await tx.query<[{ 'QUERY PLAN': [{ Plan: PlanNode }] }]>(
            `explain (analyze, format json) ${text}`,
            values,
          );
          expect(rowsIn(row['QUERY PLAN'][0].Plan)).toBeLessThanOrEqual(most);
        }
        throw new Error('rolled back');
      })
      .catch(ignoreRollback);
  });

  verifies(
    'events.dispatch.claims',
    'reads no large table as a whole, from the emission to the runs',
    async () => {
      const desk = await install('large');
      await desk.subscribe(await desk.task('large', undefined, { concurrency: 100 }), { filter: { n: 7 } });
      await app.sql(
        `with made as (
           insert into envelope (space_id, application_id, event, payload, status, source, root_id, path)
           select $1, $2, 'order.created', '{"n":1}', 'DISPATCHED', 'app', uuid_v7(), '{}' from generate_series(1, 20000)
           returning id
         ), deliveries as (
           insert into delivery (envelope_id, subscription_id, generation, outcome)
           select id, uuid_v7(), 0, 'TASK_DISABLED' from made
         ), queued as (
           insert into envelope_outbox (envelope_id, generation, space_id, available_at, next_publish_at)
           select id, 0, $1, clock_timestamp() + interval '1 h', clock_timestamp() + interval '1 h' from made
         )
         insert into emission_key (application_id, event, key_hash, envelope_id, payload_hash)
         select $2, 'order.created', id::text::bytea, id, '' from made`,
        [app.admin.spaceId, desk.applicationId],
      );
      await app.sql('analyze');
      const plans = await SqlPlans.attach(app);
      try {
        const emitted = await Promise.all(
          Array.from({ length: 50 }, (_, n) => desk.emit({ n: n % 10 }, { key: `large ${n % 40}` })),
        );
        for (const { envelopeId } of emitted) await desk.dispatched(envelopeId);
        expect(await plans.indexesOf('set lease_until = clock_timestamp()')).toContain(
          'envelope_outbox_space',
        );
        const month = new Date().toISOString().slice(0, 7).replace('-', '');
        const tables = ['envelope', 'delivery'].map((table) => `${table}_${month}`);
        expect(await plans.wholeReads([...tables, 'envelope_outbox', 'emission_key'])).toEqual([]);
      } finally {
        await plans.close();
        await app.sql(
          `delete from envelope_outbox where available_at > clock_timestamp() + interval '50 min'`,
        );
      }
    },
  );
});

function ignoreRollback(error: unknown): void {
  if ((error as Error).message !== 'rolled back') throw error;
}

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** The most rows that any node of the plan has looked at. */
function rowsIn(node: PlanNode): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return Math.max(own, ...(node.Plans ?? []).map(rowsIn));
}

/** Before any row would be published again without the news that Redis is back, after half a minute. */
const SOON_MS = 20_000;

const skipReason = process.env.PLATFORM_SKIP_REDIS;
(skipReason === undefined ? describe : describe.skip)('dispatch without Redis', () => {
  verifies(
    'events.dispatch.outage',
    'stores events while Redis is down, and dispatches them when it is back',
    async () => {
      const redis = await RedisServer.down();
      const app = await TestApp.start({ env: { REDIS_URL: redis.url } });
      try {
        const desk = await EmittingApp.install(app);
        await desk.subscribe(await desk.task('later', undefined, { concurrency: 100 }));
        const emitted = await Promise.all(Array.from({ length: 200 }, (_, n) => desk.emit({ n })));
        const before = await desk.envelopes();
        expect(new Set(before.map(({ status }) => status))).toEqual(new Set(['PENDING']));
        await redis.start();
        await eventually(async () => expect(app.get(Messaging as Type<Messaging>).getState()).toBe('up'));
        for (const { envelopeId } of emitted)
          expect(await desk.dispatched(envelopeId, SOON_MS)).toMatchObject({
            status: 'DISPATCHED',
            matched_count: 1,
          });
        await redis.kill();
        await eventually(async () => expect(app.get(Messaging as Type<Messaging>).getState()).toBe('down'));
        const again = await desk.emit({ n: 1 });
        expect(again.status).toBe('PENDING');
        await redis.start();
        await eventually(async () => expect(app.get(Messaging as Type<Messaging>).getState()).toBe('up'));
        expect(await desk.dispatched(again.envelopeId, SOON_MS)).toMatchObject({ matched_count: 1 });
      } finally {
        await app.close();
        await redis.kill();
      }
    },
  );
});
