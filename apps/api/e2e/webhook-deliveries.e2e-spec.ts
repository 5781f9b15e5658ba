import type {
  AuditEntry,
  Job,
  Page,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookSecret,
  WebhookTest,
} from '@platform/contracts';
import { Webhook } from 'standardwebhooks';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { beginAttempt, markDelivered, markFailed } from '../src/jobs/webhooks/webhooks.store.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type Answer, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { JobCalls } from './harness/job-calls.ts';
import { SqlPlans } from './harness/sql-plans.ts';
import { WebhookServer } from './harness/webhook-server.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let agent: AgentCalls;
let server: WebhookServer;
let secret: string;
/** Its server never responds, so it takes its whole time beside the tests. */
let hanging: Promise<Answer<WebhookTest>>;

beforeAll(async () => {
  server = await WebhookServer.start();
  app = await TestApp.start();
  agent = await AgentCalls.make(app);
  secret = (await app.request<WebhookSecret>('POST', '/api/webhook-secret')).body.secret;
  // Attempts that failed are repeated when a test wants it.
  await app.sql(
    `create function put_off() returns trigger language plpgsql as
       'begin new.available_at := clock_timestamp() + interval ''1 hour''; new.next_publish_at := new.available_at;
          return new; end'`,
  );
  await app.sql(
    `create trigger put_off before update of last_error on webhook_delivery for each row
     when (new.last_error is not null and new.next_publish_at is not null) execute function put_off()`,
  );
  server.hang('/hanging');
  hanging = test('/hanging');
});

afterAll(async () => {
  await app.close();
  await server.close();
});

const PATH = '/api/webhook-deliveries';

const test = (path: string, as: TestUser = app.admin) =>
  app.request<WebhookTest>('POST', '/api/webhooks/test', { as, body: { url: server.url(path) } });

const list = async (query = '', as: TestUser = app.admin) =>
  (await app.request<Page<WebhookDelivery>>('GET', `${PATH}?${query}`, { as })).body.items;

const detail = async ({ id }: Pick<WebhookDelivery, 'id'>, as: TestUser = app.admin) =>
  (await app.request<WebhookDeliveryDetail>('GET', `${PATH}/${id}`, { as })).body;

const retry = ({ id }: Pick<WebhookDelivery, 'id'>, body: object = {}, as: TestUser = app.admin) =>
  app.request<WebhookDelivery & { message: string }>('POST', `${PATH}/${id}/retry`, { as, body });

async function start(path: string, as: TestUser = app.admin): Promise<Job> {
  const webhook = { url: server.url(path) };
  return new JobCalls(app, as).start({ agentId: agent.agentId, contents: said('Hello'), webhook });
}

/** The delivery of a job once it was attempted, and is as `like` says. */
const attempted = ({ id }: Job, like: Partial<WebhookDeliveryDetail> = {}) =>
  eventually(async () => {
    const [delivery] = await list(`jobId=${id}`);
    if (delivery === undefined) throw new Error('There is no delivery');
    const found = await detail(delivery);
    expect(found).toMatchObject({ attempts: 1, ...like });
    expect(found.lastAttempts[0]?.outcome).not.toBe('RUNNING');
    // The delivery is read before its attempts, one of which can have ended in between.
    return detail(delivery);
  });

/** A delivery that was given up, because its server refused the last of eight attempts. */
async function givenUp(path: string, as?: TestUser): Promise<WebhookDeliveryDetail> {
  const job = await start(path, as);
  const { id } = await attempted(job, { status: 'PENDING' });
  await app.sql(
    `update webhook_delivery set attempts = 7, available_at = clock_timestamp(), next_publish_at = clock_timestamp()
     where id = $1`,
    [id],
  );
  return attempted(job, { attempts: 8, status: 'FAILED' });
}

const auditOf = async (action: string) =>
  (await app.request<Page<AuditEntry>>('GET', `/api/audit?action=${action}`)).body.items;

describe('the deliveries of webhooks', () => {
  verifies(
    'webhook.deliveries',
    'show the request, and what the server responded, without secrets',
    async () => {
      const path = '/in/8Kq2mPz0aVb3Wc4Xd5Ye6Zf7?token=s3cr3t-t0ken';
      server.respond(path, 500, `Boom\u0000\u001b[31m ${secret} ${path} ${'x'.repeat(1_000_000)}`);
      const job = await start(path);
      const delivery = await attempted(job);
      const url = server.url('/in/***?token=***');
      expect(delivery).toMatchObject({
        spaceId: app.admin.spaceId,
        jobId: job.id,
        user: { id: app.admin.userId },
        type: 'agent-job.completed',
        url,
        status: 'PENDING',
        attempts: 1,
        lastError: 'HTTP 500',
        endedAt: null,
        dueAt: expect.any(String),
      });
      const [call] = server.of(path);
      expect(delivery.request).toEqual({
        method: 'POST',
        url,
        headers: {
          'Content-Type': 'application/json',
          'webhook-id': delivery.id,
          'webhook-timestamp': call?.headers['webhook-timestamp'],
        },
        body: call?.body,
        bodyBytes: Buffer.byteLength(call?.body ?? ''),
      });
      expect(delivery.lastAttempts).toEqual([
        {
          attempt: 1,
          at: expect.any(String),
          durationMs: expect.any(Number),
          outcome: 'REFUSED',
          response: {
            status: 500,
            body: expect.stringMatching(/^Boom\uFFFD\uFFFD\[31m \*+ \/in\/\*+\?token=\*+ x+$/),
          },
          error: 'The server responded with 500. Only 2xx accepts a message.',
        },
      ]);
      expect(delivery.lastAttempts[0]?.response?.body).toHaveLength(2_048);
      const [listed] = await list(`jobId=${job.id}`);
      const { request: _, lastAttempts: __, ...summary } = delivery;
      expect(listed).toEqual(summary);
    },
  );

  verifies(
    'webhook.deliveries',
    'are for admins of the space; only its owner reads what a job says',
    async () => {
      const colleague = await app.addUser('ADMIN');
      const [mine] = await list();
      // It may repeat the message.
      server.respond('/of-a-colleague', 202, 'You said: Hello');
      const other = await start('/of-a-colleague', colleague);
      const delivery = await attempted(other, { status: 'DELIVERED', dueAt: null, lastError: null });
      expect(delivery).toMatchObject({
        user: { id: colleague.userId },
        request: { body: null, bodyBytes: expect.any(Number) },
        lastAttempts: [{ outcome: 'ACCEPTED', response: { status: 202, body: null }, error: null }],
      });
      const own = await detail(delivery, colleague);
      expect(own.request.body).toBe(server.of('/of-a-colleague')[0]?.body);
      expect(own.lastAttempts[0]?.response?.body).toBe('You said: Hello');

      expect(await list('', app.outsider)).toEqual([]);
      for (const [method, path, as, status] of [
        ['GET', '', app.member, 403],
        ['GET', `/${mine?.id}`, app.member, 403],
        ['GET', `/${mine?.id}`, app.outsider, 403],
        ['POST', `/${mine?.id}/retry`, app.outsider, 403],
        ['GET', '/01996f2e-0000-7000-8000-000000000083', app.admin, 404],
        ['GET', '/no-id', app.admin, 404],
      ] as const)
        expect([path, (await app.request(method, `${PATH}${path}`, { as })).status]).toEqual([path, status]);
    },
  );

  verifies('webhook.deliveries', 'are filtered and paged, each filter by an index', async () => {
    const [{ jobId } = { jobId: '' }] = await list();
    // As many as make an index worthwhile, of each status, and more of another space.
    await app.sql(
      `insert into webhook_delivery
         (id, space_id, job_id, segment, type, url, body, created_at, delivered_at, next_publish_at, available_at)
       select uuid_v7_floor(at), case when n % 50 = 0 then $2::uuid else $3::uuid end, $1, 1000 + n, 'agent-job.completed',
         'http://127.0.0.1:9/', '{}', at, case when n % 3 = 0 then at end, case when n % 3 = 1 then at + interval '100 years' end,
         at + interval '100 years'
       from generate_series(1, 15000) n
       cross join lateral (select timestamptz '2020-01-01T08:00:00Z' + n * interval '1.2 seconds' as at) times`,
      [jobId, app.admin.spaceId, app.outsider.spaceId],
    );
    await app.sql('analyze webhook_delivery');
    const plans = await SqlPlans.attach(app);
    try {
      const from = '2020-01-01T10:00:00Z';
      const to = '2020-01-01T11:00:00Z';
      const hour = await list(`from=${from}&to=${to}&limit=200`);
      expect(hour).toHaveLength(61);
      expect(hour[0]?.createdAt).toBe('2020-01-01T11:00:00.000Z');
      const counts = await Promise.all(
        ['PENDING', 'DELIVERED', 'FAILED'].map(async (status) => {
          const found = await list(`from=${from}&to=${to}&status=${status}`);
          expect(new Set(found.map((delivery) => delivery.status))).toEqual(new Set([status]));
          return found.length;
        }),
      );
      expect(counts).toEqual([20, 21, 20]);
      const first = await app.request<Page<WebhookDelivery>>('GET', `${PATH}?limit=2&status=FAILED`);
      const second = await app.request<Page<WebhookDelivery>>(
        'GET',
        `${PATH}?limit=2&status=FAILED&cursor=${first.body.nextCursor}`,
      );
      const ids = [...first.body.items, ...second.body.items].map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort().reverse());
      expect(ids).toHaveLength(4);
      const foreign = await app.request('GET', `${PATH}?status=PENDING&cursor=${first.body.nextCursor}`);
      expect([foreign.status, (await app.request('GET', `${PATH}?from=today`)).status]).toEqual([400, 400]);
      expect(await plans.wholeReads(['webhook_delivery', 'webhook_attempt'])).toEqual([]);
    } finally {
      await plans.close();
      await app.sql('delete from webhook_delivery where segment >= 1000');
    }
  });
});

describe('the attempts of a webhook', () => {
  /** A delivery that nobody is told of, so the workers leave it alone. */
  async function aside(path: string): Promise<{ id: string }> {
    const { id: jobId } = await start(path);
    const [delivery] = await app.sql<{ id: string }>(
      `insert into webhook_delivery (space_id, job_id, segment, type, url, body, next_publish_at)
       select space_id, id, 900, 'agent-job.completed', $2, '{}', clock_timestamp() + interval '1 hour'
       from agent_job where id = $1 returning id`,
      [jobId, server.url(path)],
    );
    if (delivery === undefined) throw new Error('There is no delivery');
    return delivery;
  }

  async function begin({ id }: { id: string }) {
    await app.sql(
      `update webhook_delivery set available_at = clock_timestamp(), next_publish_at = clock_timestamp() + interval '1 hour'
       where id = $1`,
      [id],
    );
    const begun = await beginAttempt(app.get(BackgroundDatabase), id);
    if (begun === null) throw new Error('No attempt was due');
    return begun;
  }

  verifies(
    'webhook.attempts',
    'tell of one that was interrupted, and of the one that repeats it',
    async () => {
      const { id } = await aside('/interrupted');
      await begin({ id });
      expect(await detail({ id })).toMatchObject({
        status: 'PENDING',
        lastAttempts: [{ outcome: 'RUNNING', durationMs: null }],
      });
      await app.sql(
        `update webhook_delivery set available_at = clock_timestamp(), next_publish_at = clock_timestamp() where id = $1`,
        [id],
      );
      const delivery = await eventually(async () => {
        const found = await detail({ id });
        expect(found).toMatchObject({ attempts: 2, status: 'DELIVERED' });
        return found;
      });
      expect(delivery.lastAttempts).toMatchObject([
        { attempt: 2, outcome: 'ACCEPTED', response: { status: 204 } },
        {
          attempt: 1,
          outcome: 'INTERRUPTED',
          response: null,
          error: 'The attempt was interrupted. The server may have received the message.',
        },
      ]);
    },
  );

  verifies('webhook.retry', 'that fail in the service are repeated as seldom as others', async () => {
    const breakSecret = 'update webhook_secret set sealed = reverse(sealed) where space_id = $1';
    await app.sql(breakSecret, [app.admin.spaceId]);
    const delivery = await attempted(await start('/unsigned'), {
      status: 'PENDING',
      lastError: 'Service error',
    });
    await app.sql(breakSecret, [app.admin.spaceId]);
    // An hour away, as the trigger above puts off what failed; a minute for what was never said to have failed.
    expect(Date.parse(delivery.dueAt ?? '') - Date.now()).toBeGreaterThan(50 * 60_000);
    expect(server.of('/unsigned')).toEqual([]);
    expect(delivery.lastAttempts).toMatchObject([
      {
        outcome: 'SERVICE_ERROR',
        response: null,
        error: 'The service failed to send the message. Its log says why.',
      },
    ]);
  });

  verifies(
    'webhook.attempts',
    'end once each, and one that is late changes nothing of its successor',
    async () => {
      const delivery = await aside('/late');
      const database = app.get(BackgroundDatabase);
      const [late, next] = [await begin(delivery), await begin(delivery)];
      const failed = { durationMs: 20, status: 502, responseBody: 'Bad gateway' };
      expect(await markFailed(database, late, failed, 'HTTP 502', null)).toBe(false);
      expect(await detail(delivery)).toMatchObject({
        status: 'PENDING',
        lastError: null,
        lastAttempts: [{ outcome: 'RUNNING' }, { outcome: 'REFUSED', response: { status: 502 } }],
      });
      // What a server has accepted is delivered, whichever attempt it was.
      await markDelivered(database, late, { durationMs: 30, status: 200, responseBody: '' });
      expect(await markFailed(database, next, failed, 'HTTP 502', 5_000)).toBe(false);
      expect(await detail(delivery)).toMatchObject({
        status: 'DELIVERED',
        attempts: 2,
        lastAttempts: [{ durationMs: 20, response: { status: 502 } }, { durationMs: 20 }],
      });
    },
  );

  verifies('webhook.attempts', 'are no more than the last 20, and go with their delivery', async () => {
    server.respond('/often', 503, 'Busy');
    const delivery = await givenUp('/often');
    await app.sql('update webhook_delivery set attempts = 30 where id = $1', [delivery.id]);
    await app.sql(
      `insert into webhook_attempt (delivery_id, attempt, started_at, duration_ms)
       select $1, n, clock_timestamp(), 5 from generate_series(9, 30) n`,
      [delivery.id],
    );
    expect((await retry(delivery)).status).toBe(202);
    const { lastAttempts } = await eventually(async () => {
      const found = await detail(delivery);
      expect(found).toMatchObject({ attempts: 31, status: 'FAILED' });
      return found;
    });
    expect(lastAttempts.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, i) => 31 - i));
    expect(lastAttempts[0]).toMatchObject({ outcome: 'REFUSED', response: { status: 503, body: 'Busy' } });
    await app.sql(`update webhook_delivery set created_at = created_at - interval '31 days' where id = $1`, [
      delivery.id,
    ]);
    await app.sweep();
    expect((await app.request('GET', `${PATH}/${delivery.id}`)).status).toBe(404);
    expect(await app.sql('select from webhook_attempt where delivery_id = $1', [delivery.id])).toEqual([]);
  });
});

describe('a delivery that was given up', () => {
  verifies('webhook.again', 'is sent again with the same id, once however often it is asked', async () => {
    const name = 'Operations';
    const channel = {
      name,
      kind: 'webhook',
      url: server.url('/alerts'),
      events: ['webhook.failing'],
    } as const;
    await app.client().notifications.createChannel({ ...channel, events: [...channel.events] });
    server.respond('/down', 500);
    const delivery = await givenUp('/down');
    expect(delivery).toMatchObject({ dueAt: null, lastError: 'HTTP 500', endedAt: expect.any(String) });
    const seen = { attempts: delivery.attempts };
    const clicks = await Promise.all([1, 2, 3].map(() => retry(delivery, seen)));
    expect(clicks.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    const again = await eventually(async () => {
      const found = await detail(delivery);
      expect(found).toMatchObject({ attempts: 9, status: 'FAILED' });
      return found;
    });
    const late = await retry(delivery, seen);
    expect([late.status, late.body.message]).toEqual([
      409,
      'The delivery was attempted 9 times meanwhile: look at it again',
    ]);
    expect(server.of('/down')).toHaveLength(3);
    // The space is told once, and where to look.
    await eventually(async () => {
      expect(await app.sql('select from fact')).toEqual([]);
      const alerts = server.of('/alerts').map(({ body }) => body);
      expect(alerts.join()).toContain(`/settings/webhooks?tab=deliveries&delivery=${delivery.id}`);
    });
    const told = `select from notification where event = 'webhook.failing' and key = $1`;
    expect(await app.sql(told, [delivery.id])).toHaveLength(1);
    server.respond('/down', 200, 'Thanks');
    // However the id is written.
    const accepted = await retry({ id: again.id.toUpperCase() }, { attempts: again.attempts });
    expect([accepted.status, accepted.body.status, accepted.body.endedAt]).toEqual([202, 'PENDING', null]);
    await eventually(async () =>
      expect(await detail(delivery)).toMatchObject({
        status: 'DELIVERED',
        lastError: null,
        lastAttempts: [
          { attempt: 10, outcome: 'ACCEPTED', response: { status: 200, body: 'Thanks' } },
          {},
          {},
          {},
        ],
      }),
    );
    const calls = server.of('/down');
    expect(new Set(calls.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)).size).toBe(
      1,
    );
    expect(calls).toHaveLength(4);
    const done = await retry(delivery);
    expect([done.status, done.body.message]).toEqual([
      409,
      'The delivery was accepted, and is not sent again',
    ]);
    const audit = await auditOf('webhook-delivery.retry');
    expect(audit.filter(({ targetId }) => targetId === delivery.id)).toHaveLength(2);
  });

  verifies(
    'webhook.again',
    'is not sent while it waits, nor once its message is no longer kept',
    async () => {
      server.respond('/waiting', 500, 'You said: Hello');
      const waiting = await attempted(await start('/waiting'));
      const early = await retry(waiting);
      expect([early.status, early.body.message]).toEqual([409, 'The delivery waits to be sent already']);

      const old = await givenUp('/waiting');
      await app.sql(
        `update webhook_delivery set created_at = created_at - interval '8 days' where id = any($1)`,
        [[old.id, waiting.id]],
      );
      await app.sweep();
      const late = await retry(old);
      expect([late.status, late.body.message]).toEqual([
        409,
        'The message is no longer kept: messages are removed after a week',
      ]);
      const { request, lastAttempts } = await detail(old);
      expect(request).toMatchObject({ body: null, bodyBytes: null });
      expect(lastAttempts.map(({ response }) => response)).toEqual(
        lastAttempts.map(() => ({ status: 500, body: null })),
      );
      // Those that wait are kept until they have ended.
      const kept = await detail(waiting);
      expect(kept.request.body).toContain('agent-job.completed');
      expect(kept.lastAttempts[0]?.response?.body).toBe('You said: Hello');
      const refused = await app.request('POST', `${PATH}/${old.id}/retry`, { body: { attempts: -1 } });
      expect(refused.status).toBe(400);
    },
  );
});

describe('a test message', () => {
  verifies('webhook.test', 'is signed and sent once, and tells what came of it', async () => {
    server.respond('/test', 202, 'Welcome');
    const { status, body } = await test('/test');
    expect(status).toBe(200);
    const [call, another] = server.of('/test');
    expect(another).toBeUndefined();
    expect(new Webhook(secret).verify(call?.body ?? '', body.request.headers)).toEqual({
      type: 'webhook.test',
      timestamp: expect.any(String),
      data: { spaceId: app.admin.spaceId },
    });
    expect(body).toEqual({
      id: call?.headers['webhook-id'],
      outcome: 'ACCEPTED',
      isBlocked: false,
      request: {
        method: 'POST',
        url: server.url('/test'),
        headers: {
          'Content-Type': 'application/json',
          'webhook-id': body.id,
          'webhook-timestamp': call?.headers['webhook-timestamp'],
          'webhook-signature': call?.headers['webhook-signature'],
        },
        body: call?.body,
      },
      durationMs: expect.any(Number),
      response: { status: 202, body: 'Welcome' },
      error: null,
    });
    const [entry] = await auditOf('webhook.test');
    expect(entry).toMatchObject({ targetId: body.id, details: { origin: new URL(server.url('/')).origin } });
    expect((await test('/test', app.member)).status).toBe(403);
    expect(server.of('/test')).toHaveLength(1);
    for (const url of ['ftp://127.0.0.1/', 'http://user:pass@127.0.0.1/', 'nothing', 7])
      expect((await app.request('POST', '/api/webhooks/test', { body: { url } })).status).toBe(400);
  });

  verifies('webhook.test', 'says why a server did not take it, whatever the server does', async () => {
    const inside = await WebhookServer.start('127.0.0.2');
    try {
      server.respond('/broken', 500, Buffer.alloc(1_048_576, 0xff));
      server.redirect('/moved', inside.url('/private'));
      server.keepTalking('/endless');
      const [broken, moved, endless, hidden, told, refused] = await Promise.all([
        test('/broken'),
        test('/moved'),
        test('/endless'),
        app.request<WebhookTest>('POST', '/api/webhooks/test', {
          as: app.outsider,
          body: { url: inside.url('/private') },
        }),
        app.request<WebhookTest>('POST', '/api/webhooks/test', { body: { url: inside.url('/private') } }),
        app.request<WebhookTest>('POST', '/api/webhooks/test', {
          as: app.outsider,
          body: { url: 'http://127.0.0.1:9/' },
        }),
      ]);
      expect(broken.body).toMatchObject({ outcome: 'REFUSED', response: { status: 500 } });
      expect(broken.body.response?.body).toBe('\uFFFD'.repeat(2_048));
      expect(moved.body).toMatchObject({
        outcome: 'REFUSED',
        response: { status: 307, body: '' },
        error: 'The server responded with 307. Redirects are not followed.',
      });
      expect(endless.body).toMatchObject({
        outcome: 'ACCEPTED',
        response: { status: 200, body: 'Thank you' },
      });
      const error = 'The server could not be reached, or did not respond within 15 seconds.';
      expect(hidden.body).toMatchObject({ outcome: 'NO_RESPONSE', isBlocked: false, response: null, error });
      expect(refused.body).toMatchObject({ outcome: 'NO_RESPONSE', response: null, error });
      // The installation administrator can do something about it.
      expect(told.body).toMatchObject({
        isBlocked: true,
        error: `${error} The address is not public: PLATFORM_ALLOWED_PRIVATE_HOSTS allows it.`,
      });
      expect(inside.of('/private')).toEqual([]);
      expect((await hanging).body).toMatchObject({ outcome: 'NO_RESPONSE', response: null, error });
    } finally {
      await inside.close();
    }
  });
});
