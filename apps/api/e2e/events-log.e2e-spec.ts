import type {
  EmitResponse,
  Envelope,
  EnvelopeDetail,
  EnvelopePage,
  Page,
  Run,
  RunListing,
  Task,
} from '@platform/contracts';
import { TestApp, type Answer, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import {
  applicationIdOf,
  createTask,
  dispatchesEnded,
  recordEnvelope,
  subscribe,
} from './harness/event-calls.ts';
import { eventually } from './harness/eventually.ts';
import { SqlPlans } from './harness/sql-plans.ts';
import { verifies } from './verifies.ts';

const PATH = '/api/events/envelopes';

let app: TestApp;
let shop: TestUser;

beforeAll(async () => {
  app = await TestApp.start();
  shop = await installApplication(app, shopManifest({ subscriptions: [] }));
});
afterAll(() => app.close());
beforeEach(async () => {
  await dispatchesEnded(app);
  await app.sql('truncate envelope, envelope_outbox, envelope_replay, replay_key, delivery, subscription');
});

async function emit(payload: object, event = 'order.created'): Promise<string> {
  const answer = await app.request<EmitResponse>('POST', '/api/events/emit', {
    as: shop,
    body: { appIdentifier: 'shop', event, payload },
  });
  expect(answer.status).toBe(200);
  return answer.body.envelopeId;
}

async function list<Body = Page<Envelope>>(query = ''): Promise<Body> {
  const answer = await app.request<Body>('GET', `${PATH}${query}`);
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return answer.body;
}

async function idsOf(query: string): Promise<string[]> {
  return (await list(query)).items.map(({ id }) => id);
}

async function get(id: string): Promise<EnvelopeDetail> {
  const answer = await app.request<EnvelopeDetail>('GET', `${PATH}/${id}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

async function dispatched(id: string, generation = 0): Promise<EnvelopeDetail> {
  return eventually(async () => {
    const envelope = await get(id);
    expect(envelope).toMatchObject({ generation, status: 'DISPATCHED' });
    return envelope;
  });
}

describe('the log', () => {
  verifies(
    'events.log',
    'lists envelopes with status, event, payload, and matched subscriptions',
    async () => {
      await subscribe(app);
      await subscribe(app, { filter: { total: 7 } });
      const payload = { total: 5, note: null };
      const id = await emit(payload);
      await dispatched(id);
      const { items, nextCursor } = await list();
      expect(nextCursor).toBeNull();
      expect(items).toEqual([
        {
          id,
          applicationIdentifier: 'shop',
          event: 'order.created',
          status: 'DISPATCHED',
          statusReason: null,
          source: 'app',
          payload,
          matchedCount: 1,
          generation: 0,
          deliveries: expect.any(Object),
          depth: 0,
          emittedAt: expect.stringMatching(/Z$/),
          dispatchedAt: expect.stringMatching(/Z$/),
          erasure: null,
        },
      ]);
      expect((await app.request<Page<Envelope>>('GET', PATH, { as: app.outsider })).body.items).toEqual([]);
      for (const path of [PATH, `${PATH}/${id}`])
        expect((await app.request('GET', path, { as: app.member })).status).toBe(403);
      expect((await app.request('GET', `${PATH}/${id}`, { as: app.outsider })).status).toBe(403);
    },
  );

  verifies(
    'events.log.filters',
    'is filtered by status, event, application, and time, in any combination',
    async () => {
      await installApplication(app, {
        identifier: 'mall',
        name: 'Mall',
        version: '1',
        events: shopManifest().events,
      });
      const applications = { shop: await applicationIdOf(app), mall: await applicationIdOf(app, 'mall') };
      const all: (Envelope & { agoMs: number })[] = [];
      for (const agoMs of [7_200_000, 0])
        for (const [applicationIdentifier, applicationId] of Object.entries(applications))
          for (const event of ['order.created', 'order.shipped'])
            for (const status of ['DISPATCHED', 'FAILED', 'SKIPPED', 'PENDING'] as const) {
              const id = await recordEnvelope(app, { applicationId, event, status, agoMs });
              all.unshift({ id, applicationIdentifier, event, status, agoMs } as (typeof all)[number]);
            }
      const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
      const conditions: [string, (one: (typeof all)[number]) => boolean][][] = [
        [
          ['', () => true],
          ...(['DISPATCHED', 'FAILED', 'SKIPPED', 'PENDING'] as const).map(
            (status): [string, (one: (typeof all)[number]) => boolean] => [
              `&status=${status}`,
              (one) => one.status === status,
            ],
          ),
        ],
        [
          ['', () => true],
          ['&event=order.shipped', ({ event }) => event === 'order.shipped'],
          ['&event=order.lost', () => false],
        ],
        [
          ['', () => true],
          ['&applicationIdentifier=mall', (one) => one.applicationIdentifier === 'mall'],
          ['&applicationIdentifier=none', () => false],
        ],
        [
          ['', () => true],
          [`&from=${hourAgo}`, ({ agoMs }) => agoMs === 0],
          [`&to=${hourAgo}`, ({ agoMs }) => agoMs > 0],
        ],
      ];
      const [statuses = [], events = [], identifiers = [], times = []] = conditions;
      for (const [status, hasStatus] of statuses)
        for (const [event, hasEvent] of events)
          for (const [identifier, hasIdentifier] of identifiers)
            for (const [time, hasTime] of times) {
              const wanted = all.filter(
                (one) => hasStatus(one) && hasEvent(one) && hasIdentifier(one) && hasTime(one),
              );
              const query = `?limit=200${status}${event}${identifier}${time}`;
              expect([query, await idsOf(query)]).toEqual([query, wanted.map(({ id }) => id)]);
            }
      for (const wrong of ['status=DONE', 'from=yesterday', 'to=1', 'limit=0', 'limit=201', 'offset=5'])
        expect((await app.request('GET', `${PATH}?${wrong}`)).status).toBe(400);
    },
  );

  verifies(
    'events.log.filters',
    'takes the times of an envelope as bounds: from inclusive, to exclusive',
    async () => {
      const applicationId = await applicationIdOf(app);
      const ids: string[] = [];
      for (let i = 0; i < 5; i++)
        ids.push(await recordEnvelope(app, { applicationId, agoMs: 1_000 * (5 - i) }));
      const { emittedAt } = await get(ids[2] ?? '');
      expect(await idsOf(`?from=${emittedAt}`)).toEqual([ids[4], ids[3], ids[2]]);
      expect(await idsOf(`?to=${emittedAt}`)).toEqual([ids[1], ids[0]]);
    },
  );

  verifies('events.log.pages', 'is read page by page, while new envelopes come in', async () => {
    const applicationId = await applicationIdOf(app);
    const ids: string[] = [];
    for (let i = 0; i < 25; i++) ids.unshift(await recordEnvelope(app, { applicationId }));
    for (const filter of ['', '&event=order.created', '&status=DISPATCHED', '&applicationIdentifier=shop']) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page<Envelope> = await list(
          `?limit=7${filter}${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
        await recordEnvelope(app, { applicationId, event: 'order.shipped', status: 'FAILED' });
      } while (cursor !== null);
      expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
    }
    const { nextCursor } = await list('?limit=7');
    const other = await app.request('GET', `${PATH}?limit=7&status=FAILED&cursor=${nextCursor}`);
    expect(other.status).toBe(400);
  });

  verifies('events.log.pages', 'cuts pages whose payloads are large, and loses none of them', async () => {
    const applicationId = await applicationIdOf(app);
    const ids: string[] = [];
    for (let n = 0; n < 40; n++)
      ids.unshift(
        await recordEnvelope(app, { applicationId, payload: { n, note: String(n).repeat(120_000) } }),
      );
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const answer: Answer<Page<Envelope>> = await app.request(
        'GET',
        `${PATH}?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      expect(Buffer.byteLength(answer.text)).toBeLessThan(4.5 * 1024 * 1024);
      seen.push(...answer.body.items.map(({ id }) => id));
      cursor = answer.body.nextCursor;
      pages++;
    } while (cursor !== null);
    expect(seen).toEqual(ids);
    expect(pages).toBeGreaterThan(1);
  });

  verifies('events.log.pages', 'looks at a bounded number of envelopes where no index helps', async () => {
    const applicationId = await applicationIdOf(app);
    const oldest = await recordEnvelope(app, { applicationId, agoMs: 60_000 });
    await app.sql(
      `insert into envelope (space_id, application_id, event, payload, status, source, root_id, path)
       select $1, $2, 'order.created', '{}', 'FAILED', 'app', uuid_v7(), '{}' from generate_series(1, 12000)`,
      [app.admin.spaceId, applicationId],
    );
    for (const filter of [
      '?status=DISPATCHED',
      '?status=DISPATCHED&event=order.created&applicationIdentifier=shop',
    ]) {
      const found: string[] = [];
      let cursor: string | null = null;
      let pages = 0;
      do {
        const page: Page<Envelope> = await list(`${filter}${cursor === null ? '' : `&cursor=${cursor}`}`);
        found.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
        pages++;
      } while (cursor !== null);
      expect([found, pages]).toEqual([[oldest], 3]);
    }
  });
});

describe('deliveries', () => {
  const source = 'if (context.execution.inputs.trigger.payload.fails) throw new Error("No"); return 1;';

  async function createFlaky(): Promise<Task> {
    const task = await createTask(app);
    const steps = [{ id: 'one', kind: 'code', source }];
    const patched = await app.request<Task>('PATCH', `/api/tasks/${task.id}`, {
      body: { workflow: { steps } },
    });
    expect(patched.status).toBe(200);
    return patched.body;
  }

  verifies('events.log.outcomes', 'are counted by what became of them last, and filter the log', async () => {
    const flaky = await createFlaky();
    const off = await createTask(app);
    await subscribe(app, { taskId: flaky.id });
    await subscribe(app);
    const good = await emit({ total: 1 });
    const bad = await emit({ total: 2, fails: true });
    const none = { succeeded: 0, failed: 0, missed: 0, cancelled: 0, waiting: 0 };
    const outcomeOf = async (id: string) => (await get(id)).deliveries;
    await eventually(async () => {
      expect(await outcomeOf(good)).toEqual({ ...none, succeeded: 2 });
      expect(await outcomeOf(bad)).toEqual({ ...none, succeeded: 1, failed: 1 });
    });
    // A task that is disabled although its subscription is not.
    await subscribe(app, { taskId: off.id });
    await app.request('PATCH', `/api/tasks/${off.id}`, { body: { enabled: false } });
    const missed = await emit({ total: 3 });
    await eventually(async () =>
      expect(await outcomeOf(missed)).toEqual({ ...none, succeeded: 2, missed: 1 }),
    );
    const { items } = await list('?limit=3');
    expect(
      items.map(({ deliveries }) => [deliveries.succeeded, deliveries.failed, deliveries.missed]),
    ).toEqual([
      [2, 0, 1],
      [1, 1, 0],
      [2, 0, 0],
    ]);
    expect(await idsOf('?outcome=FAILED')).toEqual([missed, bad]);
    expect(await idsOf('?outcome=FAILED&status=SKIPPED')).toEqual([]);
    expect(await idsOf('?outcome=FAILED&event=order.created&limit=1')).toEqual([missed]);
    expect(await idsOf('?outcome=SUCCEEDED')).toEqual([good]);
    expect(await idsOf('?outcome=WAITING')).toEqual([]);
    const page = await list<EnvelopePage>('?outcome=FAILED');
    expect(page.searched).toEqual({ envelopes: expect.any(Number), to: null });

    // What succeeds later is no longer a failure.
    const [run] = (await get(bad)).generations[0]?.runs.filter(({ taskId }) => taskId === flaky.id) ?? [];
    const steps = [{ id: 'one', kind: 'code', source: 'return 2;' }];
    await app.request('PATCH', `/api/tasks/${flaky.id}`, { body: { workflow: { steps } } });
    expect((await app.request('POST', `/api/runs/${run?.runId}/retry`)).status).toBe(202);
    await eventually(async () => expect(await idsOf('?outcome=FAILED')).toEqual([missed]));
    await app.request('PATCH', `/api/tasks/${off.id}`, { body: { enabled: true } });
    expect((await app.request('POST', `${PATH}/${missed}/replay`, { body: {} })).status).toBe(202);
    await eventually(async () => expect(await outcomeOf(missed)).toEqual({ ...none, succeeded: 3 }));
    expect(await idsOf('?outcome=FAILED')).toEqual([]);
  });

  verifies(
    'events.log.search',
    'finds envelopes by key, and by a text in the payload, page by page',
    async () => {
      const applicationId = await applicationIdOf(app);
      const emitted = await app.request<EmitResponse>('POST', '/api/events/emit', {
        as: shop,
        body: {
          appIdentifier: 'shop',
          event: 'order.created',
          payload: { total: 1 },
          idempotencyKey: 'Key 1',
        },
      });
      const keyed = emitted.body.envelopeId;
      expect(await idsOf('?idempotencyKey=Key%201')).toEqual([keyed]);
      expect(await idsOf('?idempotencyKey=Key%201&event=order.shipped')).toEqual([]);
      expect(await idsOf('?idempotencyKey=key%201')).toEqual([]);
      const ids: string[] = [];
      for (let n = 0; n < 5; n++)
        ids.unshift(
          await recordEnvelope(app, { applicationId, payload: { note: n % 2 === 0 ? 'Äpfel' : 'Nüsse' } }),
        );
      expect(await idsOf('?text=%C3%A4PFEL')).toEqual([ids[0], ids[2], ids[4]]);
      expect(await idsOf('?text=%C3%A4pfel&limit=2&status=DISPATCHED')).toEqual([ids[0], ids[2]]);
      expect(await idsOf('?text=100%25_')).toEqual([]);
      const found: string[] = [];
      // 17 megabytes of payloads are two pages.
      for (let n = 0; n < 17; n++)
        await recordEnvelope(app, { applicationId, payload: { note: 'x'.repeat(1024 * 1024) } });
      const first = await list<EnvelopePage>('?text=n%C3%BCsse');
      expect(first.items).toEqual([]);
      expect(first.searched).toEqual({ envelopes: 15, to: expect.stringMatching(/Z$/) });
      const second = await list<EnvelopePage>(`?text=n%C3%BCsse&cursor=${first.nextCursor}`);
      found.push(...second.items.map(({ id }) => id));
      expect(found).toEqual([ids[1], ids[3]]);
      expect(second.searched).toEqual({ envelopes: 8, to: null });
    },
  );
});

describe('the outcomes of events', () => {
  verifies(
    'events.log.outcomes',
    'are found although a replay no longer reaches what was missed',
    async () => {
      const off = await createTask(app);
      const { id } = await subscribe(app, { taskId: off.id });
      await app.request('PATCH', `/api/tasks/${off.id}`, { body: { enabled: false } });
      const missed = await emit({ total: 1 });
      await dispatched(missed);
      const change = await app.request('PATCH', `/api/events/subscriptions/${id}`, {
        body: { enabled: false },
      });
      expect(change.status).toBe(200);
      expect((await app.request('POST', `${PATH}/${missed}/replay`, { body: {} })).status).toBe(202);
      expect((await dispatched(missed, 1)).deliveries.missed).toBe(1);
      expect(await idsOf('?outcome=FAILED')).toEqual([missed]);
    },
  );

  it('are the same, however the id of the event is written', async () => {
    await subscribe(app);
    const id = await emit({ total: 1 });
    await eventually(async () => expect((await get(id)).deliveries.succeeded).toBe(1));
    expect((await get(id.toUpperCase())).deliveries.succeeded).toBe(1);
  });
});

describe('the search for a text', () => {
  verifies('events.log.search', 'finds what JSON writes in another way', async () => {
    const id = await emit({ total: 1, note: 'A 12" pipe\nin C:\\Pipes' });
    for (const text of ['12" PIPE', 'pipe\nin', 'c:\\pipes', '"total":1'])
      expect([text, await idsOf(`?text=${encodeURIComponent(text)}`)]).toEqual([text, [id]]);
  });
});

describe('the runs of events', () => {
  verifies(
    'run.list.filters',
    'are those of an event and an application, also with other filters, page by page',
    async () => {
      const { taskId } = await subscribe(app);
      await subscribe(app, { taskId: (await createTask(app)).id, event: 'order.shipped' });
      const created: string[] = [];
      for (let total = 0; total < 3; total++) created.unshift(await emit({ total }));
      const shipped = await emit({}, 'order.shipped');
      const since = (await get(created.at(-1) ?? '')).emittedAt;
      const of = async (query: string) => {
        const found: RunListing[] = [];
        let cursor: string | null = null;
        do {
          const answer: Answer<Page<RunListing>> = await app.request(
            'GET',
            `/api/runs?limit=2&from=${since}&${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
          );
          expect([answer.status, query]).toEqual([200, query]);
          found.push(...answer.body.items);
          cursor = answer.body.nextCursor;
        } while (cursor !== null);
        return found.map(({ trigger }) => trigger?.id);
      };
      await eventually(async () =>
        expect(await of('applicationIdentifier=shop&status=SUCCEEDED')).toEqual([shipped, ...created]),
      );
      expect(await of('event=order.created')).toEqual(created);
      expect(await of('event=order.shipped&applicationIdentifier=shop&origin=EVENT')).toEqual([shipped]);
      expect(await of(`event=order.created&taskId=${taskId}`)).toEqual(created);
      expect(await of(`event=order.shipped&taskId=${taskId}`)).toEqual([]);
      expect(await of(`event=order.created&ownerUserId=${app.admin.userId}&status=SUCCEEDED`)).toEqual(
        created,
      );
      expect(await of('event=order.created&origin=MANUAL')).toEqual([]);
      expect(await of('event=order.created&status=FAILED')).toEqual([]);
      expect(await of('event=order.lost')).toEqual([]);
      expect(await of('applicationIdentifier=none')).toEqual([]);
    },
  );
});

describe('an envelope', () => {
  verifies(
    'events.detail',
    'has the verdict of each subscription, and its runs, in each generation',
    async () => {
      const matching = await subscribe(app, { filter: { total: [50, 100] } });
      const mismatch = await subscribe(app, { filter: { total: 40 } });
      const disabled = await subscribe(app, { enabled: false });
      const id = await emit({ total: 50 });
      const first = await dispatched(id);
      const verdict = (one: { id: string; taskId: string }) => ({
        subscriptionId: one.id,
        taskId: one.taskId,
      });
      expect(first.generations).toHaveLength(1);
      expect(first.generations[0]).toMatchObject({
        generation: 0,
        requestedBy: null,
        requestedAt: first.emittedAt,
        status: 'DISPATCHED',
        matchedCount: 1,
        asOf: null,
        verdicts: [
          { ...verdict(matching), outcome: 'MATCHED', reason: null },
          { ...verdict(mismatch), outcome: 'FILTER_MISMATCH', reason: 'total: 50, wanted 40' },
          { ...verdict(disabled), outcome: 'DISABLED' },
        ],
        runs: [{ taskId: matching.taskId, taskName: matching.taskName, subscriptionId: matching.id }],
      });
      const runId = first.generations[0]?.runs[0]?.runId ?? '';
      const run = await app.request<Run>('GET', `/api/runs/${runId}`);
      expect(run.body.trigger).toMatchObject({ id, event: 'order.created', payload: { total: 50 } });

      // A replay goes to the subscriptions as they are then.
      await app.request('PATCH', `/api/events/subscriptions/${mismatch.id}`, { body: { filter: null } });
      expect((await app.request('POST', `${PATH}/${id}/replay`, { body: {} })).status).toBe(202);
      const second = await dispatched(id, 1);
      expect(second.generations.map(({ generation, matchedCount }) => [generation, matchedCount])).toEqual([
        [1, 2],
        [0, 1],
      ]);
      expect(second.generations[0]).toMatchObject({ requestedBy: app.admin.userId });
      expect(second.generations[0]?.runs).toHaveLength(2);
      expect(second.generations[1]).toEqual({ ...first.generations[0], runs: second.generations[1]?.runs });
      expect(second.generations[1]?.runs).toHaveLength(1);
    },
  );

  verifies('events.detail', 'shows what caused it, and what it has caused', async () => {
    const steps = [
      { id: 'ship', kind: 'emit', applicationIdentifier: 'shop', event: 'order.shipped', payload: {} },
    ];
    const task = await createTask(app);
    const patched = await app.request('PATCH', `/api/tasks/${task.id}`, { body: { workflow: { steps } } });
    expect([patched.status, patched.text]).toEqual([200, expect.any(String)]);
    await subscribe(app, { taskId: task.id });
    const id = await emit({ total: 1 });
    const caused = await eventually(async () => {
      const { causation } = await get(id);
      expect(causation).toHaveLength(2);
      return causation;
    });
    const [run] = (await get(id)).generations[0]?.runs ?? [];
    expect(caused).toMatchObject([
      { envelopeId: id, depth: 0, causationId: null, causedBy: null, event: 'order.created' },
      {
        depth: 1,
        causationId: id,
        causedBy: { runId: run?.runId, taskId: task.id, taskName: task.name },
        event: 'order.shipped',
      },
    ]);
    const child = await get(caused[1]?.envelopeId ?? '');
    expect(child.causation.map(({ envelopeId }) => envelopeId)).toEqual(
      caused.map(({ envelopeId }) => envelopeId),
    );
    expect(child).toMatchObject({ causationId: id, causationRunId: run?.runId, depth: 1, source: 'app' });
  });

  verifies('events.detail.as-of', 'has computed verdicts beyond the 200 that are stored', async () => {
    const task = await createTask(app);
    await subscribe(app, { taskId: task.id, enabled: false });
    await app.sql(
      `insert into subscription (space_id, application_id, event, task_id, enabled, origin, created_at)
       select space_id, application_id, event, task_id, false, 'USER', created_at
       from subscription, generate_series(1, 204)`,
    );
    const id = await emit({ total: 1 });
    const [generation] = (await dispatched(id)).generations;
    expect(generation?.verdicts).toHaveLength(205);
    expect(new Set(generation?.verdicts.map(({ subscriptionId }) => subscriptionId)).size).toBe(205);
    expect(generation?.asOf).toMatch(/Z$/);
    const [stored] = await app.sql('select json_array_length(verdicts) as n from envelope where id = $1', [
      id,
    ]);
    expect(stored).toEqual({ n: 200 });
  });

  it('of an unknown or invalid id is a 404', async () => {
    for (const id of ['01990000-0000-7000-8000-000000000000', 'no-uuid'])
      expect((await app.request('GET', `${PATH}/${id}`)).status).toBe(404);
  });
});

describe('with many envelopes', () => {
  verifies(
    'events.log.indexes',
    'those of failed runs that several share are found by an index',
    async () => {
      await app.sql(
        `insert into delivery (envelope_id, subscription_id, generation, run_id, outcome, failed_in)
       select uuid_v7(), gen_random_uuid(), 0, gen_random_uuid(), 'RUN_SHARED',
         case when n % 3 = 0 then $1::uuid when n % 3 = 1 then $2::uuid end
       from generate_series(1, 20000) n`,
        [app.admin.spaceId, app.outsider.spaceId],
      );
      await app.sql('analyze delivery');
      const plans = await SqlPlans.attach(app);
      try {
        await list('?outcome=FAILED');
        await app.request('POST', '/api/events/replays/preview', {
          body: { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', only: 'FAILED_DELIVERIES' },
        });
        const used = await plans.indexesOf('failed_in = $1');
        expect(used).not.toEqual([]);
        expect(used.filter((name) => !/delivery_failed|failed_in/.test(name))).toEqual([]);
      } finally {
        await plans.close();
      }
    },
  );

  verifies(
    'events.log.indexes',
    'every list is served by indexes, and by the partitions of its time only',
    async () => {
      const applicationId = await applicationIdOf(app);
      await app.sql(
        `select ensure_partition('envelope', clock_timestamp() - n * interval '1 month') from generate_series(1, 2) n`,
      );
      // Two spaces, several events, every status.
      for (const monthsAgo of [2, 1, 0])
        await app.sql(
          `insert into envelope (id, space_id, application_id, event, payload, status, source, root_id, path)
         select overlay(uuid_v7()::text placing left(uuid_v7_floor(
             date_trunc('month', clock_timestamp()) - $3 * interval '1 month' + n * interval '1 second')::text, 13) from 1 for 13)::uuid,
           case when n % 2 = 0 then $1::uuid else $4::uuid end, case when n % 2 = 0 then $2::uuid else $4::uuid end,
           (array['order.created', 'order.shipped', 'other.one', 'other.two'])[1 + n % 4], '{"total": 1}',
           (array['DISPATCHED', 'DISPATCHED', 'DISPATCHED', 'FAILED', 'SKIPPED', 'DISPATCHED', 'PENDING'])[1 + n % 7], 'app',
           uuid_v7(), '{}'
         from generate_series(1, 20000) n`,
          [app.admin.spaceId, applicationId, monthsAgo, app.outsider.spaceId],
        );
      await app.sql('analyze envelope');
      const partitions = (
        await app.sql<{ name: string }>(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'envelope'::regclass order by 1`,
        )
      ).map(({ name }) => name);
      const plans = await SqlPlans.attach(app);
      try {
        const range = 'from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z';
        for (const status of [
          '',
          '&status=DISPATCHED',
          '&status=FAILED',
          '&status=SKIPPED',
          '&status=PENDING',
        ])
          for (const event of [
            '',
            '&event=order.shipped',
            '&applicationIdentifier=shop',
            '&event=order.created&applicationIdentifier=shop',
          ])
            for (const time of ['', `&${range}`]) await list(`?limit=200${status}${event}${time}`);
        for (const body of [
          {},
          { status: 'FAILED' },
          { event: 'order.created' },
          { status: 'DISPATCHED', event: 'order.shipped' },
        ]) {
          const answer = await app.request('POST', '/api/events/replays/preview', {
            body: { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', ...body },
          });
          expect(answer.status).toBe(200);
        }
        const [newest] = (await list('?limit=1')).items;
        await get(newest?.id ?? '');
        await app.request('POST', '/api/events/subscriptions/preview', {
          body: { applicationIdentifier: 'shop', event: 'order.created' },
        });
        expect(await plans.wholeReads(partitions)).toEqual([]);
      } finally {
        await plans.close();
      }
      // Ids are as old as their envelopes.
      const recent = await SqlPlans.attach(app);
      try {
        const [from, to] = [Date.now() - 60_000, Date.now()].map((ms) => new Date(ms).toISOString());
        for (const filter of ['', '&status=FAILED', '&event=order.created'])
          await list(`?from=${from}&to=${to}${filter}`);
        // At the turn of a month, both.
        const months = [-70_000, 10_000].map((ms) => new Date(Date.now() + ms).toISOString().slice(0, 7));
        const needed = months.map((month) => `envelope_${month.replace('-', '')}`);
        const used = (await recent.indexesOf('emitted_at >=')).filter((name) => name.startsWith('envelope_'));
        expect(used.length).toBeGreaterThan(0);
        expect(used.filter((name) => !needed.some((partition) => name.startsWith(partition)))).toEqual([]);
      } finally {
        await recent.close();
      }
    },
  );
});
