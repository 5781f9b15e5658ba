import { randomUUID } from 'node:crypto';
import type { EmitResponse } from '@platform/contracts';
import type { EmitBatchResponse } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { RateLimits } from '../src/auth/limits/rate-limits.ts';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { cpuMsOf } from './harness/cpu-time.ts';
import { TestApp } from './harness/app.ts';
import { EmittingApp, ORDER_CREATED } from './harness/emitting-app.ts';
import { LostCommits, lostResponse } from './harness/lost-commits.ts';
import { verifies } from './verifies.ts';

describe('emit', () => {
  let app: TestApp;
  let shop: EmittingApp;

  beforeAll(async () => {
    app = await TestApp.start();
    shop = await EmittingApp.install(app);
  });

  afterAll(() => app.close());

  const body = (more: Record<string, unknown> = {}) => ({
    appIdentifier: 'shop',
    event: 'order.created',
    payload: { n: 1 },
    ...more,
  });

  const count = async (where = 'true', parameters: unknown[] = []) =>
    (await shop.envelopes(where, parameters)).length;

  verifies('events.emit.recorded', 'records the envelope as it was sent', async () => {
    const payload = { n: 7, z: 1, a: { nul: '\u0000', lone: '\ud800', big: 1e20 } };
    const raw = JSON.stringify(body({ payload })).replace('"z":1', '"z":1.0,"__proto__":{"constructor":2}');
    const { status, body: response } = await shop.postRaw(raw);
    expect(status).toBe(200);
    expect(response).toEqual({
      envelopeId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      status: 'PENDING',
      duplicate: false,
      samePayload: true,
      emittedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
    });
    const stored = await shop.envelope(response.envelopeId);
    expect(stored).toMatchObject({
      event: 'order.created',
      source: 'app',
      actor_user_id: null,
      causation_id: null,
      causation_run_id: null,
      root_id: response.envelopeId,
      depth: 0,
      path: [`${shop.applicationId}/order.created`],
      generation: 0,
    });
    expect(stored.emitted_at.toISOString()).toBe(response.emittedAt);
    const [{ text }] = (await app.sql<{ text: string }>(
      'select payload::text as text from envelope where id = $1',
      [response.envelopeId],
    )) as [{ text: string }];
    expect(text).toBe(
      '{"n":7,"z":1,"__proto__":{"constructor":2},"a":{"nul":"\\u0000","lone":"\\ud800","big":100000000000000000000}}',
    );
  });

  verifies(
    ['events.emit.order', 'events.emit.caller'],
    'checks in the order of the specification',
    async () => {
      const desk = await EmittingApp.install(app, { identifier: 'desk' });
      const gone = await EmittingApp.install(app, { identifier: 'gone' });
      await gone.uninstall();
      const wrong = { event: 'order.unknown', payload: { n: 'x' } };
      const refusals: [Record<string, unknown>, string, number, string][] = [
        [
          body({ appIdentifier: 'nowhere', ...wrong }),
          shop.key,
          404,
          'The application nowhere is not installed in this space',
        ],
        [
          body({ appIdentifier: 'gone', ...wrong }),
          shop.key,
          404,
          'The application gone is not installed in this space',
        ],
        [
          body({ appIdentifier: 'gone', ...wrong }),
          gone.key,
          404,
          'The application gone is not installed in this space',
        ],
        [
          body({ appIdentifier: 'desk', ...wrong }),
          shop.key,
          403,
          'The key does not belong to the application desk: it may only emit its own events',
        ],
        [body(wrong), shop.key, 404, 'The event order.unknown is not registered by the application shop'],
        [body({ payload: { n: 'x' } }), shop.key, 400, 'payload.n must be integer'],
        [
          body(),
          app.admin.apiKey,
          403,
          'This call is for applications alone: send the system key of one, which begins with app_',
        ],
      ];
      for (const [sent, key, status, message] of refusals) {
        const answer = await shop.post(sent, { key });
        expect([answer.status, answer.body]).toMatchObject([
          status,
          {
            success: false,
            message,
            code: { 400: 'VALIDATION_ERROR', 403: 'FORBIDDEN', 404: 'NOT_FOUND' }[status],
          },
        ]);
      }
      expect((await desk.post(body({ appIdentifier: 'desk' }))).status).toBe(200);
      const stranger = await EmittingApp.install(app, { user: app.outsider, identifier: 'foreign' });
      expect((await stranger.post(body())).status).toBe(404);
      for (const [method, path] of [
        ['GET', '/api/events/catalog'],
        ['GET', '/api/tasks'],
        ['POST', '/api/agent-jobs'],
      ] as const) {
        const answer = await app.request(method, path, {
          as: null,
          headers: { Authorization: `Bearer ${shop.key}` },
        });
        expect(answer.status).toBe(403);
      }
    },
  );

  verifies(
    'events.emit.schema',
    'names every failing path, records nothing, and keeps the key free',
    async () => {
      const before = await count();
      const key = randomUUID();
      const answer = await shop.post(body({ payload: { kind: 1, amount: '2' }, idempotencyKey: key }));
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        message: 'payload.n is required; payload.kind must be string; payload.amount must be number',
      });
      expect(await count()).toBe(before);
      expect(await shop.emit({ n: 1 }, { key })).toMatchObject({ duplicate: false });
    },
  );

  verifies('events.emit.refusals', 'stop no process, however many items fail', async () => {
    const payloadSchema = {
      properties: { lines: { items: { $ref: '#/$defs/line' } } },
      $defs: { line: { required: ['sku'] } },
    };
    const events = [{ ...ORDER_CREATED, payloadSchema }];
    const stock = await EmittingApp.install(app, { identifier: 'stock', events });
    const lines = Array.from({ length: 80_000 }, () => ({}));
    const refused = body({ appIdentifier: 'stock', payload: { lines } });
    const cpuMs = await cpuMsOf(async () => {
      const answer = await stock.post(refused);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        message: expect.stringMatching(
          /^payload\.lines\[0\]\.sku is required; payload\.lines\[1\]/,
        ) as unknown,
      });
    });
    expect(cpuMs).toBeLessThan(4_000);
  });

  verifies('values.numbers', 'refuses numbers that would be stored as others', async () => {
    const before = await count();
    for (const number of ['9007199254740993', '1e400']) {
      const raw = JSON.stringify(body({ payload: { n: 1, amount: 0 } })).replace(
        '"amount":0',
        `"amount":${number}`,
      );
      const answer = await shop.postRaw(raw);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        message: expect.stringMatching(/^payload\.amount is /) as unknown,
      });
    }
    expect(await count()).toBe(before);
    const raw = JSON.stringify({ events: [body(), body({ payload: { n: 0 } })] }).replace(
      '"n":0',
      '"n":-9007199254740993',
    );
    const batch = await app.request<EmitBatchResponse>('POST', '/api/events/emit-batch', {
      as: null,
      headers: { Authorization: `Bearer ${shop.key}` },
      raw,
    });
    expect(batch.body.items).toMatchObject([
      { status: 'PENDING' },
      { message: expect.stringMatching(/^payload\.n is an integer/) as unknown },
    ]);
  });

  verifies('events.emit.limits', 'refuses malformed and oversized bodies', async () => {
    const before = await count();
    const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1]));
    const deep = `{"appIdentifier":"shop","event":"order.created","payload":{"n":1,"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`;
    const cases: [string, number][] = [
      [JSON.stringify(body({ payload: { n: 1, ...keys } })), 413],
      [deep, 400],
      [JSON.stringify(body({ payload: { n: 1, text: 'x'.repeat(272 * 1024) } })), 413],
      [JSON.stringify(body({ idempotencyKey: 'k'.repeat(256) })), 400],
      [JSON.stringify(body({ idempotencyKey: '' })), 400],
      [JSON.stringify(body({ idempotencyKey: 'a\u0000b' })), 400],
      [JSON.stringify(body({ event: 'a\u0000b' })), 400],
      [JSON.stringify(body({ payload: [] })), 400],
      [JSON.stringify(body({ payload: null })), 400],
      [JSON.stringify(body({ spaceId: app.outsider.spaceId })), 400],
      [JSON.stringify(body({ depth: 0, causationId: randomUUID() })), 400],
      ['{', 400],
    ];
    for (const [raw, status] of cases)
      expect([raw.slice(0, 90), (await shop.postRaw(raw)).status]).toEqual([raw.slice(0, 90), status]);
    expect(await count()).toBe(before);
    const many = Object.fromEntries(Object.entries(keys).slice(0, 20_000));
    expect((await shop.post(body({ payload: { n: 1, ...many } }))).status).toBe(200);
    expect((await shop.post(body({ idempotencyKey: 'k'.repeat(255) }))).status).toBe(200);
    const nested = (levels: number) => `{"n":1,"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const sized = (bytes: number) => `{"n":1,"a":"${'x'.repeat(bytes - '{"n":1,"a":""}'.length)}"}`;
    for (const [payload, status] of [
      [nested(32), 200],
      [nested(33), 400],
      [sized(256 * 1024), 200],
      [sized(256 * 1024 + 1), 400],
    ] as const) {
      const raw = JSON.stringify(body({ payload: 0 })).replace('"payload":0', `"payload":${payload}`);
      expect([payload.length, (await shop.postRaw(raw)).status]).toEqual([payload.length, status]);
    }
    expect((await shop.post(body({ idempotencyKey: null }))).status).toBe(200);
  });

  verifies(
    'events.emit.idempotent',
    'records one envelope for a key, also at the same time in two processes',
    async () => {
      const second = await TestApp.start({ database: app });
      try {
        const keys = Array.from({ length: 20 }, () => randomUUID());
        const answers = await Promise.all(
          Array.from({ length: 400 }, async (_, i) => {
            const key = keys[i % keys.length] ?? '';
            const url = i % 3 === 0 ? second.url : app.url;
            return { key, ...(await shop.emit({ n: i % keys.length }, { key, url })) };
          }),
        );
        for (const key of keys) {
          const same = answers.filter((answer) => answer.key === key);
          expect(new Set(same.map(({ envelopeId }) => envelopeId)).size).toBe(1);
          expect(same.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
          expect(same.every(({ samePayload }) => samePayload)).toBe(true);
          expect(new Set(same.map(({ emittedAt }) => emittedAt)).size).toBe(1);
        }
        expect(await count('idempotency_key = any($2)', [keys])).toBe(20);
      } finally {
        await second.close();
      }
    },
  );

  verifies('events.emit.key-scope', 'tells keys of other events and applications apart', async () => {
    const key = randomUUID();
    await shop.upgrade([ORDER_CREATED, { ...ORDER_CREATED, name: 'order.paid' }]);
    const first = await shop.emit({ n: 1, kind: 'a' }, { key });
    const same = { envelopeId: first.envelopeId, duplicate: true, emittedAt: first.emittedAt };
    expect(await shop.emit({ kind: 'a', n: 1 }, { key })).toMatchObject({ ...same, samePayload: true });
    expect(await shop.emit({ n: 2 }, { key })).toMatchObject({ ...same, samePayload: false });
    const others = [
      await shop.emit({ n: 1 }, { key, event: 'order.paid' }),
      await (await EmittingApp.install(app, { identifier: 'other' })).emit({ n: 1 }, { key }),
      await (await EmittingApp.install(app, { user: app.outsider })).emit({ n: 1 }, { key }),
    ];
    expect(others.map(({ duplicate }) => duplicate)).toEqual([false, false, false]);
    expect(new Set([first, ...others].map(({ envelopeId }) => envelopeId)).size).toBe(4);
  });

  verifies(
    'events.emit.upgrade',
    'follows upgrades and uninstalls that another process commits',
    async () => {
      const desk = await EmittingApp.install(app, { identifier: 'upgraded' });
      const strict = (type: string) => ({ ...ORDER_CREATED, payloadSchema: { properties: { n: { type } } } });
      const emit = async (n: unknown) =>
        (await desk.post({ appIdentifier: 'upgraded', event: 'order.created', payload: { n } })).status;
      expect([await emit(1), await emit('x')]).toEqual([200, 400]);
      await desk.upgrade([strict('string')]);
      expect([await emit('x'), await emit(1)]).toEqual([200, 400]);
      await desk.upgrade([strict('integer')]);
      expect([await emit('x'), await emit(1)]).toEqual([400, 200]);
      await desk.upgrade([]);
      expect(await emit(1)).toBe(404);
      await desk.upgrade([strict('integer')]);
      expect(await emit(1)).toBe(200);
      await desk.uninstall();
      expect(await emit(1)).toBe(404);
    },
  );

  verifies('events.emit.lost-commit', 'finds out what a lost response to COMMIT meant', async () => {
    const commits = new LostCommits(app.get(DataSource));
    try {
      commits.next(/insert into envelope/, 5);
      const before = await count();
      for (let n = 0; n < 5; n++) {
        const { envelopeId } = await shop.emit({ n });
        expect((await shop.envelope(envelopeId)).payload).toEqual({ n });
      }
      expect([commits.lost, (await count()) - before]).toEqual([5, 5]);
    } finally {
      commits.restore();
    }
  });

  verifies('events.emit.lost-commit', 'says so if it cannot find out, and the key tells later', async () => {
    const database = app.get(DataSource);
    const commits = new LostCommits(database);
    const query: DataSource['query'] = database.query.bind(database);
    database.query = ((statement: string, ...rest: unknown[]) =>
      statement.startsWith('select id from envelope where')
        ? Promise.reject(lostResponse())
        : query(statement, ...(rest as []))) as DataSource['query'];
    const key = randomUUID();
    try {
      commits.next(/insert into envelope/);
      const answer = await shop.post(body({ idempotencyKey: key }));
      expect([answer.status, answer.body, answer.headers.get('retry-after')]).toEqual([
        503,
        {
          success: false,
          message: 'The event may have been recorded; send it again with the same idempotencyKey',
          code: 'UNAVAILABLE',
        },
        '2',
      ]);
    } finally {
      database.query = query;
      commits.restore();
    }
    expect(await shop.emit({ n: 1 }, { key })).toMatchObject({ duplicate: true, samePayload: true });
    expect(await count('idempotency_key = $2', [key])).toBe(1);
  });

  verifies(
    'events.emit.batches',
    'combines emissions, and keeps one that waits from delaying the others',
    async () => {
      const emitted = await Promise.all(
        Array.from({ length: 200 }, (_, n) => shop.emit({ n }, { key: randomUUID() })),
      );
      // Nothing changes the rows of keys, so they tell by which transactions they were stored.
      const [stored] = await app.sql<{ rows: number; transactions: number }>(
        `select count(*)::int as rows, count(distinct xmin::text)::int as transactions from emission_key
         where envelope_id = any($1)`,
        [emitted.map(({ envelopeId }) => envelopeId)],
      );
      expect(stored?.rows).toBe(200);
      expect(stored?.transactions).toBeLessThan(150);

      // It waits for a lock about as long as the service does. The others of its transaction wait with it.
      const hurried = await TestApp.start({ database: app, env: { PLATFORM_DATABASE_LOCK_MS: '5000' } });
      const desk = await EmittingApp.install(hurried, { identifier: 'hurried' });
      const key = randomUUID();
      const held = Promise.withResolvers<undefined>();
      const inserted = Promise.withResolvers<undefined>();
      const holder = app.get(BackgroundDatabase).transaction(async (tx) => {
        const { createHash } = await import('node:crypto');
        const hash = createHash('sha256').update(`application\0${key}`).digest();
        await tx.query(
          `insert into emission_key (application_id, event, key_hash, envelope_id, payload_hash)
         values ($1, 'order.created', $2, uuid_v7(), '')`,
          [desk.applicationId, hash],
        );
        inserted.resolve(undefined);
        await held.promise;
        throw new Error('rolled back');
      });
      await inserted.promise;
      const waiting = desk.post(body({ appIdentifier: 'hurried', idempotencyKey: key }));
      const others = Array.from({ length: 100 }, (_, n) => desk.emit({ n }, { key: randomUUID() }));
      await Promise.all(others);
      held.resolve(undefined);
      await expect(holder).rejects.toThrow('rolled back');
      // It was either recorded or refused, but never lost.
      const answer = await waiting;
      expect([200, 503]).toContain(answer.status);
      const again = await desk.emit({ n: 1 }, { key });
      expect(again.duplicate).toBe(answer.status === 200);
      await hurried.close();
    },
  );

  verifies(
    'events.batch.alone',
    'gives each event of a batch the outcome that it would have alone',
    async () => {
      const first = await shop.emit({ n: 1 }, { key: 'batch-first' });
      const key = (idempotencyKey: string, payload: unknown = { n: 1 }) => body({ idempotencyKey, payload });
      const { status, body: batch } = await shop.postBatch([
        key('batch-a'),
        body({ appIdentifier: 'nowhere' }),
        body({ event: 'order.unknown' }),
        body({ payload: { n: 'x' } }),
        'no object',
        { ...body(), depth: 0 },
        key('batch-first'),
        key('batch-a'),
        key('batch-a', { n: 2 }),
        body({ payload: { n: 1, text: 'x'.repeat(256 * 1024) } }),
        body(),
      ]);
      expect(status).toBe(200);
      const { items } = batch;
      const [a, , , , , , repeated, again, changed] = items as EmitResponse[];
      const recorded = { status: 'PENDING', duplicate: false, samePayload: true };
      const refused = (code: string, message: string) => ({ success: false, code, message });
      expect(items).toMatchObject([
        recorded,
        refused('NOT_FOUND', 'The application nowhere is not installed in this space'),
        refused('NOT_FOUND', 'The event order.unknown is not registered by the application shop'),
        refused('VALIDATION_ERROR', 'payload.n must be integer'),
        refused('VALIDATION_ERROR', 'The body must be a JSON object'),
        refused('VALIDATION_ERROR', 'depth is not a known field'),
        { envelopeId: first.envelopeId, duplicate: true, samePayload: true, emittedAt: first.emittedAt },
        { envelopeId: a?.envelopeId, duplicate: true, samePayload: true },
        { envelopeId: a?.envelopeId, duplicate: true, samePayload: false },
        refused('VALIDATION_ERROR', 'payload must have at most 262144 bytes as JSON'),
        recorded,
      ]);
      expect([repeated?.duplicate, again?.duplicate, changed?.duplicate]).toEqual([true, true, true]);
      expect(await count("idempotency_key = 'batch-a'")).toBe(1);
      expect((await shop.envelope(a?.envelopeId ?? '')).payload).toEqual({ n: 1 });
    },
  );

  verifies('events.batch.statement', 'stores the events of a batch by one statement', async () => {
    const events = Array.from({ length: 500 }, (_, n) =>
      body({ payload: { n }, idempotencyKey: `whole-${n % 400}` }),
    );
    const singles = Array.from({ length: 50 }, (_, n) => shop.emit({ n }, { key: `single-${n}` }));
    const [{ body: batch }] = await Promise.all([shop.postBatch(events), ...singles]);
    const outcomes = batch.items as EmitResponse[];
    expect(outcomes.map(({ duplicate }) => duplicate)).toEqual(events.map((_, n) => n >= 400));
    expect(new Set(outcomes.map(({ envelopeId }) => envelopeId)).size).toBe(400);
    const [stored] = await app.sql<{ transactions: number }>(
      `select count(distinct xmin::text)::int as transactions from emission_key where envelope_id = any($1)`,
      [outcomes.map(({ envelopeId }) => envelopeId)],
    );
    expect(stored?.transactions).toBe(1);
    for (const n of [0, 399])
      expect((await shop.envelope(outcomes[n]?.envelopeId ?? '')).payload).toEqual({ n });
  });

  verifies('events.batch.limits', 'bounds a batch, and counts each of its events', async () => {
    for (const events of [[], Array(501).fill(body()), 'x', undefined]) {
      const answer = await shop.postBatch(events);
      expect([answer.status, answer.body]).toMatchObject([
        400,
        {
          message: events === undefined ? 'events is required' : 'events must be an array of 1 to 500 events',
        },
      ]);
    }
    const large = body({ payload: { n: 1, text: 'x'.repeat(100_000) } });
    expect((await shop.postBatch(Array(45).fill(large))).status).toBe(413);
    // The limit is that of a space: of another one than that of the other tests.
    const user = await app.addUser('ADMIN', null);
    const busy = await EmittingApp.install(app, { identifier: 'busy', user });
    app.get(RateLimits).countEmissions(user.spaceId, 30_000 - 2);
    const event = { ...body(), appIdentifier: 'busy' };
    const { items } = (await busy.postBatch([event, event, event])).body;
    const limited = { success: false, code: 'RATE_LIMITED', retryAfter: expect.any(Number) as number };
    expect(items).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING' }, limited]);
    const answer = await busy.postBatch([event]);
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
  });

  verifies(
    'events.batch.unavailable',
    'answers 503 if nobody knows whether the batch was recorded',
    async () => {
      const database = app.get(DataSource);
      const commits = new LostCommits(database);
      const events = [1, 2].map((n) => body({ payload: { n }, idempotencyKey: `lost-batch-${n}` }));
      const query: DataSource['query'] = database.query.bind(database);
      database.query = ((statement: string, ...rest: unknown[]) =>
        statement.startsWith('select id from envelope where')
          ? Promise.reject(lostResponse())
          : query(statement, ...(rest as []))) as DataSource['query'];
      try {
        commits.next(/insert into envelope/);
        const answer = await shop.postBatch(events);
        expect([answer.status, answer.headers.get('retry-after'), answer.body]).toMatchObject([
          503,
          '2',
          { message: 'The event may have been recorded; send it again with the same idempotencyKey' },
        ]);
      } finally {
        database.query = query;
        commits.restore();
      }
      expect((await shop.postBatch(events)).body.items).toMatchObject([
        { duplicate: true },
        { duplicate: true },
      ]);
    },
  );
});
