import { randomUUID } from 'node:crypto';
import type { ReplayResponse } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { applicationIdOf, recordEnvelope, subscribe } from './harness/event-calls.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let applicationId: string;

beforeAll(async () => {
  // Nothing dispatches, so that an envelope stays as a test leaves it.
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  await installApplication(app, shopManifest({ subscriptions: [] }));
  applicationId = await applicationIdOf(app);
});
afterAll(() => app.close());

const replay = (id: string, body: object = {}) =>
  app.request<ReplayResponse & { message?: string }>('POST', `/api/events/envelopes/${id}/replay`, { body });

/** What dispatch does at its end. */
async function dispatch(id: string, matchedCount = 1): Promise<void> {
  await app.sql('delete from envelope_outbox where envelope_id = $1', [id]);
  await app.sql(
    `update envelope set status = 'DISPATCHED', matched_count = $2, dispatched_at = clock_timestamp() where id = $1`,
    [id, matchedCount],
  );
}

const outbox = (id: string) =>
  app.sql<{ generation: number }>('select generation from envelope_outbox where envelope_id = $1', [id]);

describe('a replay', () => {
  verifies('events.replay', 'begins another generation, and keeps what became of the last one', async () => {
    for (const status of ['DISPATCHED', 'FAILED', 'SKIPPED'] as const) {
      const id = await recordEnvelope(app, { applicationId, status });
      const answer = await replay(id);
      expect([answer.status, answer.body]).toEqual([202, { envelopeId: id, generation: 1 }]);
      expect(await outbox(id)).toEqual([{ generation: 1 }]);
      const [envelope] = await app.sql(
        'select status, generation, matched_count, verdicts, dispatched_at from envelope where id = $1',
        [id],
      );
      expect(envelope).toEqual({
        status: 'PENDING',
        generation: 1,
        matched_count: 0,
        verdicts: null,
        dispatched_at: null,
      });
      await dispatch(id);
      expect((await replay(id)).body.generation).toBe(2);
      const kept = await app.sql(
        'select generation, previous_status, requested_by from envelope_replay where envelope_id = $1 order by 1',
        [id],
      );
      expect(kept).toEqual([
        { generation: 1, previous_status: status, requested_by: app.admin.userId },
        { generation: 2, previous_status: 'DISPATCHED', requested_by: app.admin.userId },
      ]);
    }
  });

  verifies(
    'events.replay.pending',
    'while the envelope is PENDING returns the running generation',
    async () => {
      const id = await recordEnvelope(app, { applicationId, status: 'PENDING' });
      expect((await replay(id)).body).toEqual({ envelopeId: id, generation: 0 });
      expect((await replay(id, { requestKey: 'k' })).body.generation).toBe(0);
      expect(await app.sql('select 1 from envelope_replay where envelope_id = $1', [id])).toEqual([]);
      await dispatch(id);
      // The key was used for the emission, which ran already.
      expect((await replay(id, { requestKey: 'k' })).body.generation).toBe(0);
      expect((await replay(id, { requestKey: 'l' })).body.generation).toBe(1);
      expect((await replay(id, { requestKey: 'm' })).body.generation).toBe(1);
    },
  );

  verifies(
    'events.replay.key',
    'begins once for a key, however many requests there are at once',
    async () => {
      for (let round = 0; round < 5; round++) {
        const id = await recordEnvelope(app, { applicationId });
        const requestKey = randomUUID();
        const clicks = Array.from({ length: 50 }, () => replay(id, { requestKey }));
        // A dispatch in between, so that the key is what decides.
        const dispatched = (async () => {
          while ((await outbox(id)).length === 0);
          await dispatch(id);
        })();
        const answers = await Promise.all(clicks);
        await dispatched;
        expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 202));
        expect(new Set(answers.map(({ body }) => body.generation))).toEqual(new Set([1]));
        expect((await replay(id, { requestKey })).body.generation).toBe(1);
        expect(await app.sql('select generation from envelope where id = $1', [id])).toEqual([
          { generation: 1 },
        ]);
      }
    },
  );

  verifies('events.replay.key', 'without a key begins once while it runs', async () => {
    const id = await recordEnvelope(app, { applicationId });
    const answers = await Promise.all(Array.from({ length: 50 }, () => replay(id)));
    expect(new Set(answers.map(({ body }) => body.generation))).toEqual(new Set([1]));
    expect(await outbox(id)).toEqual([{ generation: 1 }]);
    expect((await replay(id, { requestKey: 'x'.repeat(256) })).status).toBe(400);
    expect((await replay(id, { requestKey: '' })).status).toBe(400);
  });

  verifies(
    'events.replay.limit',
    'is refused while the envelope is dispatched with another limit',
    async () => {
      const subscription = await subscribe(app);
      const limit = { subscriptionIds: [subscription.id] };
      const id = await recordEnvelope(app, { applicationId, status: 'PENDING' });
      const refused = await replay(id, limit);
      expect([refused.status, refused.body.message]).toEqual([
        409,
        'The envelope is being dispatched to other subscriptions; replay it again after that',
      ]);
      await dispatch(id);
      expect((await replay(id, limit)).body.generation).toBe(1);
      expect((await replay(id, { ...limit, requestKey: 'a' })).body.generation).toBe(1);
      for (const other of [{}, { requestKey: 'b' }, { only: 'FAILED_DELIVERIES' }])
        expect((await replay(id, other)).status).toBe(409);
      expect(await outbox(id)).toEqual([{ generation: 1 }]);
    },
  );

  verifies('events.replay.schema', 'needs a payload that satisfies the current schema', async () => {
    const id = await recordEnvelope(app, {
      applicationId,
      payload: { total: -1, note: 5 },
      status: 'FAILED',
    });
    const answer = await replay(id);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('payload.total');
    expect(answer.body.message).toContain('payload.note');
    expect(await app.sql('select status, generation from envelope where id = $1', [id])).toEqual([
      { status: 'FAILED', generation: 0 },
    ]);
  });

  verifies('events.replay.retired', 'is a conflict while the event is not registered', async () => {
    const id = await recordEnvelope(app, { applicationId });
    const done = await recordEnvelope(app, { applicationId });
    await replay(done, { requestKey: 'before' });
    await dispatch(done);
    expect((await app.request('DELETE', '/api/applications/shop')).status).toBe(204);
    const answer = await replay(id);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toBe('The event order.created is not registered at present');
    // What a key has begun is still its replay.
    expect((await replay(done, { requestKey: 'before' })).body.generation).toBe(1);
    await installApplication(app, shopManifest({ subscriptions: [] }));
    expect((await replay(id)).status).toBe(202);
  });

  verifies(
    'events.replay.once',
    'whose commit was stored although its response was lost is reported',
    async () => {
      const commits = new LostCommits(app.get(DataSource));
      try {
        for (const body of [{}, { requestKey: 'lost' }]) {
          const id = await recordEnvelope(app, { applicationId });
          commits.next(/insert into envelope_replay/);
          expect([(await replay(id, body)).body.generation, await outbox(id)]).toEqual([
            1,
            [{ generation: 1 }],
          ]);
          await dispatch(id);
        }
        expect(commits.lost).toBe(2);
      } finally {
        commits.restore();
      }
    },
  );

  verifies('events.replay', 'is for admins of the space, and audited', async () => {
    const id = await recordEnvelope(app, { applicationId });
    const path = `/api/events/envelopes/${id}/replay`;
    for (const as of [app.member, app.outsider])
      expect((await app.request('POST', path, { as, body: {} })).status).toBe(403);
    expect((await replay(randomUUID())).status).toBe(404);
    await replay(id);
    const entries = await app.sql('select action, details from audit_entry where target_id = $1', [id]);
    expect(entries).toEqual([{ action: 'envelope.replay', details: { generation: 1 } }]);
  });
});
