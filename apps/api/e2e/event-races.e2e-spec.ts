import { setTimeout as delay } from 'node:timers/promises';
import type { EmitResponse, EnvelopeDetail, ReplayResponse, Subscription } from '@platform/contracts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { EVENT_FAILPOINTS } from '../src/events/records/event-failpoints.ts';
import { scaled } from './faults/scale.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { createTask, dispatchesEnded, subscribe } from './harness/event-calls.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let shop: TestUser;

beforeAll(async () => {
  app = await TestApp.start({ env: { PLATFORM_EMISSION_LIMIT: '1000000' } });
  shop = await installApplication(app, shopManifest({ subscriptions: [] }));
});
afterAll(() => app.close());
afterEach(() => disarmFailpoints());

async function emit(total = 1): Promise<string> {
  const body = { appIdentifier: 'shop', event: 'order.created', payload: { total } };
  const answer = await app.request<EmitResponse>('POST', '/api/events/emit', { as: shop, body });
  expect(answer.status).toBe(200);
  return answer.body.envelopeId;
}

async function update(id: string, body: object): Promise<void> {
  const answer = await app.request<Subscription>('PATCH', `/api/events/subscriptions/${id}`, { body });
  expect(answer.status).toBe(200);
}

async function replay(id: string, requestKey?: string): Promise<number> {
  const path = `/api/events/envelopes/${id}/replay`;
  const answer = await app.request<ReplayResponse>('POST', path, { body: { requestKey } });
  expect(answer.status).toBe(202);
  return answer.body.generation;
}

/** Waits until an envelope is dispatched. */
async function dispatched(id: string): Promise<EnvelopeDetail> {
  return eventually(async () => {
    const { body } = await app.request<EnvelopeDetail>('GET', `/api/events/envelopes/${id}`);
    expect(body.status).toBe('DISPATCHED');
    return body;
  });
}

const runs = (envelopeId: string) =>
  app.sql<{ generation: number; runs: number }>(
    'select generation, count(*)::int as runs from run where envelope_id = $1 group by 1 order by 1',
    [envelopeId],
  );

async function now(): Promise<Date> {
  const [row] = await app.sql<{ now: Date }>('select clock_timestamp() as now');
  if (row === undefined) throw new Error('No time');
  return row.now;
}

/** `event-toggles` makes more, in processes that claim from each other. */
const ROUNDS = scaled('TOGGLE_ROUNDS', { quick: 64, slow: 400 });

describe('F21: a subscription that is disabled', () => {
  verifies(
    'subscriptions.toggle.race',
    'has no delivery between the response of the call and the next call, in many rounds',
    async () => {
      const other = await TestApp.start({ database: app });
      try {
        // Deliveries without runs, which take longer than what is tested.
        const task = await createTask(app);
        await app.request('PATCH', `/api/tasks/${task.id}`, { body: { enabled: false } });
        const { id } = await subscribe(app, { taskId: task.id });
        const off: { from: Date; to: Date }[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          // It is dispatched at about the time of the toggle; in some rounds for certain before it, and in some after it.
          const isAfter = round % 16 === 8;
          const emitted = isAfter ? null : emit();
          if (round % 16 === 0) await dispatched((await emitted) ?? '');
          else await delay(round % 4);
          await update(id, { enabled: false });
          const from = await now();
          if (isAfter) await dispatched(await emit());
          else await emitted;
          off.push({ from, to: await now() });
          await update(id, { enabled: true });
        }
        await dispatchesEnded(app);
        const late = await app.sql(
          `select d.* from delivery d join unnest($2::timestamptz[], $3::timestamptz[]) as o("from", "to")
             on d.created_at > o."from" and d.created_at < o."to"
           where d.subscription_id = $1`,
          [id, off.map(({ from }) => from), off.map(({ to }) => to)],
        );
        expect(late).toEqual([]);
        // Otherwise the rounds prove nothing: both states were seen often.
        const [seen] = await app.sql<{ on: number; all: number }>(
          `select count(*) filter (where matched_count = 1)::int as on, count(*)::int as all from envelope`,
        );
        expect(seen?.all).toBe(ROUNDS);
        expect(seen?.on).toBeGreaterThan(ROUNDS / 20);
        expect((seen?.all ?? 0) - (seen?.on ?? 0)).toBeGreaterThan(ROUNDS / 20);
        await app.request('DELETE', `/api/events/subscriptions/${id}`);
      } finally {
        await other.close();
      }
    },
    300_000,
  );
});

describe('F25: replays', () => {
  beforeEach(() =>
    app.sql('update subscription set deleted_at = clock_timestamp() where deleted_at is null'),
  );

  verifies(
    'events.replay.once',
    'start every task once per generation, however often they are requested',
    async () => {
      await subscribe(app);
      await subscribe(app);
      await subscribe(app, { enabled: false });
      const id = await emit();
      await dispatched(id);
      for (let generation = 1; generation <= 5; generation++) {
        const requestKey = `click ${generation}`;
        const begun = await Promise.all(Array.from({ length: 50 }, () => replay(id, requestKey)));
        expect(new Set(begun)).toEqual(new Set([generation]));
        await dispatched(id);
      }
      expect(await runs(id)).toEqual([0, 1, 2, 3, 4, 5].map((generation) => ({ generation, runs: 2 })));
    },
  );

  verifies('events.replay.once', 'without a key start every task once per generation, too', async () => {
    await subscribe(app);
    const id = await emit();
    const begun: number[] = [];
    for (let round = 0; round < 10; round++)
      begun.push(...(await Promise.all(Array.from({ length: 20 }, () => replay(id)))));
    const { generation } = await dispatched(id);
    expect(Math.max(...begun)).toBe(generation);
    const all = Array.from({ length: generation + 1 }, (_, n) => ({ generation: n, runs: 1 }));
    expect(await runs(id)).toEqual(all);
  });

  verifies('events.replay.once', 'survive a dispatch that fails at any point', async () => {
    await subscribe(app);
    await subscribe(app);
    const id = await emit();
    await dispatched(id);
    const points = EVENT_FAILPOINTS.filter((name) => name.startsWith('events.dispatch.'));
    expect(points.length).toBeGreaterThan(5);
    for (const [n, point] of points.entries()) {
      armFailpoints([`${point}=${id}`]);
      expect(await replay(id)).toBe(n + 1);
      // It has failed and was claimed again, unless what fails comes after the commit.
      const isStored = point.endsWith('after-commit') || point.endsWith('after-publish');
      const claims = 'select attempts from envelope_outbox where envelope_id = $1';
      await eventually(async () => {
        const [waiting] = await app.sql<{ attempts: number }>(claims, [id]);
        if (isStored) expect(waiting).toBeUndefined();
        else expect(waiting?.attempts).toBeGreaterThan(1);
      });
      disarmFailpoints();
      await app.sql('update envelope_outbox set available_at = clock_timestamp() where envelope_id = $1', [
        id,
      ]);
      await dispatched(id);
    }
    const all = Array.from({ length: points.length + 1 }, (_, generation) => ({ generation, runs: 2 }));
    expect(await runs(id)).toEqual(all);
  });

  verifies('events.replay.once', 'end no process if their deliveries cannot be stored', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    await subscribe(app);
    const id = await emit();
    await dispatched(id);
    await app.sql(
      `create function refuse_replays() returns trigger language plpgsql as $$ begin raise 'No'; end $$`,
    );
    await app.sql(
      `create trigger refuse_replays before insert on delivery for each row when (new.generation > 0)
       execute function refuse_replays()`,
    );
    try {
      await replay(id);
      await eventually(async () => {
        const [waiting] = await app.sql<{ attempts: number }>(
          'select attempts from envelope_outbox where envelope_id = $1',
          [id],
        );
        expect(waiting?.attempts).toBeGreaterThan(1);
      });
    } finally {
      await app.sql('drop function refuse_replays cascade');
      process.off('unhandledRejection', note);
    }
    await app.sql('update envelope_outbox set available_at = clock_timestamp() where envelope_id = $1', [id]);
    await dispatched(id);
    expect(unhandled).toEqual([]);
  });

  verifies(
    'events.replay.once',
    'during a toggle go to the subscription as it is, not to both states',
    async () => {
      const { id: subscriptionId } = await subscribe(app);
      const id = await emit();
      await dispatched(id);
      for (let round = 0; round < 20; round++) {
        const [generation] = await Promise.all([
          replay(id),
          update(subscriptionId, { enabled: round % 2 === 1 }),
        ]);
        const { matchedCount } = await dispatched(id);
        const [row] = (await runs(id)).filter((one) => one.generation === generation);
        expect(row?.runs ?? 0).toBe(matchedCount);
      }
    },
  );

  verifies('events.replay.once', 'of SKIPPED and FAILED envelopes fire as well', async () => {
    await subscribe(app);
    for (const [status, reason] of [
      ['SKIPPED', 'SAME_EVENT_LOOP'],
      ['FAILED', 'DISPATCH_ATTEMPTS_EXHAUSTED'],
    ] as const) {
      const id = await emit();
      await dispatched(id);
      await app.sql('delete from run where envelope_id = $1', [id]);
      await app.sql('update envelope set status = $2, status_reason = $3 where id = $1', [
        id,
        status,
        reason,
      ]);
      await replay(id);
      const { generations, statusReason } = await dispatched(id);
      expect(statusReason).toBeNull();
      expect(generations.map((one) => [one.status, one.statusReason])).toEqual([
        ['DISPATCHED', null],
        [status, reason],
      ]);
      expect(await runs(id)).toEqual([{ generation: 1, runs: 1 }]);
    }
  });
});
