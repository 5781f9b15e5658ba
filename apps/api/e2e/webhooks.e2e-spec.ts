import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { AuditEntry, Job, Page, WebhookSecret, WebhookSecretStatus } from '@platform/contracts';
import { Webhook } from 'standardwebhooks';
import { JobViewsService } from '../src/jobs/records/job-views.service.ts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { DatabaseGate } from './harness/database-gate.ts';
import { eventually } from './harness/eventually.ts';
import { JobCalls } from './harness/job-calls.ts';
import { WebhookServer, type WebhookCall } from './harness/webhook-server.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let agent: AgentCalls;
let jobs: JobCalls;
let webhooks: WebhookServer;
let secret: string;

beforeAll(async () => {
  webhooks = await WebhookServer.start();
  app = await TestApp.start();
  agent = await AgentCalls.make(app);
  jobs = new JobCalls(app);
  secret = (await app.request<WebhookSecret>('POST', '/api/webhook-secret')).body.secret;
});

afterAll(async () => {
  await app.close();
  await webhooks.close();
});

const start = (path: string, directives: string, more: object = {}) =>
  jobs.start({
    agentId: agent.agentId,
    contents: said(directives),
    webhook: { url: webhooks.url(path) },
    ...more,
  });

/** The calls of a path once there are so many. */
const told = (path: string, count: number): Promise<WebhookCall[]> =>
  eventually(async () => {
    const calls = webhooks.of(path);
    expect(calls).toHaveLength(count);
    return calls;
  });

const verified = ({ body, headers }: WebhookCall, key = secret) =>
  new Webhook(key).verify(body, headers as Record<string, string>);

const questionsOf = (path: string) =>
  webhooks.of(path).map(({ body }) => /"question":"(\w+\?)"/.exec(body)?.[1]);

/** Makes the next attempt due now, unless it has begun. */
const hasten = ({ id }: Job, attempts: number) =>
  app.sql(
    `update webhook_delivery set available_at = clock_timestamp(), next_publish_at = clock_timestamp()
     where job_id = $1 and attempts = $2 and next_publish_at is not null`,
    [id, attempts],
  );

describe('a webhook', () => {
  verifies('webhook.signed', 'reports the end of a job, signed, with its result', async () => {
    const job = await start('/completed', 'Hello');
    const [call] = await told('/completed', 1);
    if (call === undefined) return;
    const done = await jobs.get(job);
    expect(verified(call)).toEqual({
      type: 'agent-job.completed',
      timestamp: done.finishedAt,
      data: done,
    });
    expect(done).toMatchObject({ status: 'COMPLETED', result: { status: 'completed' } });
    expect(call.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^[\da-f-]{36}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(() => verified({ ...call, body: call.body.replace('completed', 'Completed') })).toThrow();
    expect(() => verified(call, 'whsec_b3RoZXI=')).toThrow();
  });

  verifies('webhook.signed', 'reports failures, cancels, and timeouts', async () => {
    await start('/failed', '/fail');
    const cancelled = await start('/cancelled', '/think 20000\nHello');
    await jobs.cancel(cancelled);
    await start('/timed-out', '/think 20000\nHello', { timeoutMs: 1_000 });
    for (const kind of ['failed', 'cancelled', 'timed-out']) {
      const [call] = await told(`/${kind}`, 1);
      expect(call && verified(call)).toMatchObject({
        type: `agent-job.${kind}`,
        data: { status: kind.replace('-', '_').toUpperCase(), phase: 'finished' },
      });
    }
  });

  verifies('webhook.signed', 'reports each question once, and then the end', async () => {
    const job = await start('/asked', '/ask One? | a | b\n/ask Two? | c | d');
    for (const count of [1, 2]) {
      const call = (await told('/asked', count)).at(-1);
      const { data } = (call && verified(call)) as { data: Job };
      const interaction = data.result && 'interaction' in data.result ? data.result.interaction : null;
      expect([call?.message.type, interaction?.question]).toEqual([
        'agent-job.input-required',
        count === 1 ? 'One?' : 'Two?',
      ]);
      const answered = await agent.request('POST', `/turns/${job.turnId}/resume`, {
        body: {
          sessionId: job.sessionId,
          interactionId: interaction?.interactionId,
          selectedOptionIds: ['option_1'],
        },
        headers: STREAMED,
      });
      expect(answered.status).toBe(200);
    }
    const calls = await told('/asked', 3);
    expect(calls.map(({ message }) => message.type)).toEqual([
      'agent-job.input-required',
      'agent-job.input-required',
      'agent-job.completed',
    ]);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  verifies(
    'webhook.signed',
    'reports a question although the one before it was answered meanwhile',
    async () => {
      const views = app.get(JobViewsService);
      const describeJob = views.describe.bind(views);
      let isAnswered = false;
      const statuses: number[] = [];
      const described = jest.spyOn(views, 'describe').mockImplementation(async (row) => {
        const job = await describeJob(row);
        const { result } = job;
        if (isAnswered || row.webhookUrl === null || !result || !('interaction' in result)) return job;
        isAnswered = true;
        const { turnId, sessionId } = job;
        const { interactionId } = result.interaction ?? {};
        const body = { sessionId, interactionId, selectedOptionIds: ['option_1'] };
        const answered = agent.request('POST', `/turns/${turnId}/resume`, { body, headers: STREAMED });
        statuses.push((await answered).status);
        return job;
      });
      try {
        await start('/answered', '/ask First? | a | b\n/ask Second? | c | d');
        await eventually(() => {
          expect(questionsOf('/answered')).toContain('Second?');
          return Promise.resolve();
        });
        expect(statuses).toEqual([200]);
      } finally {
        described.mockRestore();
      }
    },
  );

  verifies('webhook.retry', 'is repeated after a 500, unchanged and with the same id', async () => {
    // A test that is held up would find the delay of a later attempt.
    await app.sql('create table failed_attempt (job_id uuid, attempts int, error text, delay float8)');
    await app.sql(
      `create function note_failure() returns trigger language plpgsql as
         'begin insert into failed_attempt values (new.job_id, new.attempts, new.last_error,
            extract(epoch from new.next_publish_at - clock_timestamp())); return new; end'`,
    );
    await app.sql(
      `create trigger note_failure after update of last_error on webhook_delivery
       for each row when (new.last_error is not null) execute function note_failure()`,
    );
    webhooks.refuse('/refusing', 500, 302);
    const job = await start('/refusing', 'Hello');
    const failure = (attempts: number) =>
      eventually(async () => {
        const [found] = await app.sql<{ error: string; delay: number }>(
          'select error, delay from failed_attempt where job_id = $1 and attempts = $2',
          [job.id, attempts],
        );
        if (found === undefined) throw new Error(`Attempt ${attempts} has not failed`);
        return found;
      });
    const first = await failure(1);
    expect(first.error).toBe('HTTP 500');
    expect(first.delay).toBeGreaterThan(2);
    expect(first.delay).toBeLessThanOrEqual(5);
    await hasten(job, 1);
    const second = await failure(2);
    expect(second.error).toBe('HTTP 302');
    expect(second.delay).toBeGreaterThan(20);
    await hasten(job, 2);
    const calls = await told('/refusing', 3);
    expect(new Set(calls.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)).size).toBe(
      1,
    );
    for (const call of calls) verified(call);
    await eventually(async () => {
      const [delivery] = await app.sql(
        'select attempts, next_publish_at as next from webhook_delivery where job_id = $1',
        [job.id],
      );
      expect(delivery).toEqual({ attempts: 3, next: null });
    });
    await hasten(job, 3);
    await eventually(async () => {
      const [open] = await app.sql<{ count: number }>(
        'select count(*)::int as count from webhook_delivery where next_publish_at is not null',
      );
      expect(open?.count).toBe(0);
    });
    expect(webhooks.of('/refusing')).toHaveLength(3);
  });

  verifies('webhook.retry', 'is not repeated because a response that accepts it does not end', async () => {
    webhooks.keepTalking('/endless');
    const job = await start('/endless', 'Hello');
    await eventually(async () => {
      const delivered =
        'select attempts from webhook_delivery where job_id = $1 and delivered_at is not null';
      expect(await app.sql(delivered, [job.id])).toEqual([{ attempts: 1 }]);
    });
    expect(webhooks.of('/endless')).toHaveLength(1);
  });

  verifies('webhook.retry', 'survives an unreachable address', async () => {
    const url = 'http://127.0.0.1:9/nobody';
    const job = await jobs.start({ agentId: agent.agentId, contents: said('Hello'), webhook: { url } });
    await eventually(async () => {
      const found = await app.sql('select last_error as error from webhook_delivery where job_id = $1', [
        job.id,
      ]);
      expect(found).toEqual([{ error: 'No response' }]);
    });
    expect(await jobs.get(job)).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('an address that is no good', () => {
  it('delays no other delivery while it does not respond', async () => {
    const slow = await WebhookServer.start();
    try {
      slow.hang('/slow');
      const url = slow.url('/slow');
      const stuck = Array.from({ length: 30 }, () =>
        jobs.start({ agentId: agent.agentId, contents: said('Hello'), webhook: { url } }),
      );
      for (const job of await Promise.all(stuck)) await jobs.reached(job, 'COMPLETED');
      await eventually(async () => expect(slow.of('/slow').length).toBeGreaterThanOrEqual(4));
      await start('/beside', 'Hello');
      await told('/beside', 1);
      // Nobody has given up yet: the other one went ahead of all that wait here.
      expect(slow.of('/slow').length).toBeLessThan(30);
    } finally {
      await slow.close();
    }
  });

  it('is not called in a private network, and not followed to another place', async () => {
    const inside = await WebhookServer.start('127.0.0.2');
    try {
      const outcome = (job: Job) =>
        eventually(async () => {
          const [delivery] = await app.sql<{ error: string | null }>(
            'select last_error as error from webhook_delivery where job_id = $1 and attempts > 0',
            [job.id],
          );
          expect(delivery?.error).toEqual(expect.any(String));
          return delivery?.error;
        });
      const webhook = { url: inside.url('/private') };
      const direct = await jobs.start({ agentId: agent.agentId, contents: said('Hello'), webhook });
      expect(await outcome(direct)).toBe('No response');
      webhooks.redirect('/moved', inside.url('/private'));
      expect(await outcome(await start('/moved', 'Hello'))).toBe('HTTP 307');
      expect(inside.of('/private')).toEqual([]);
    } finally {
      await inside.close();
    }
  });
});

describe('the secret of webhooks', () => {
  verifies('webhook.secret', 'is for admins and shown only once', async () => {
    const state = await app.request<WebhookSecretStatus>('GET', '/api/webhook-secret');
    expect(state.body).toEqual({ configured: true, createdAt: expect.any(String) });
    expect(state.text).not.toContain('whsec_');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const method of ['GET', 'POST'])
      expect((await app.request(method, '/api/webhook-secret', { as: app.member })).status).toBe(403);
    const [stored] = await app.sql<{ sealed: string }>('select sealed from webhook_secret');
    expect(stored?.sealed).not.toContain(secret.slice('whsec_'.length));
    const elsewhere = await app.request('GET', '/api/webhook-secret', { as: app.outsider });
    expect(elsewhere.body).toEqual({ configured: false, createdAt: null });
  });

  verifies('webhook.secret', 'is rotated: both sign for a day, then the new one alone', async () => {
    const before = secret;
    const rotated = await app.request<WebhookSecret>('POST', '/api/webhook-secret');
    expect(rotated.status).toBe(201);
    const { secret: after, previousUntil } = rotated.body;
    expect(Date.parse(previousUntil ?? '') - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await start('/rotated', 'Hello');
    const [call] = await told('/rotated', 1);
    if (call === undefined) return;
    expect([verified(call, before), verified(call, after)]).toEqual([call.message, call.message]);

    await app.sql('update webhook_secret set expires_at = clock_timestamp() where expires_at is not null');
    await start('/expired', 'Hello');
    const [later] = await told('/expired', 1);
    if (later === undefined) return;
    verified(later, after);
    expect(() => verified(later, before)).toThrow();
    const { items } = (await app.request<Page<AuditEntry>>('GET', '/api/audit')).body;
    expect(items.filter(({ action }) => action === 'webhook-secret.rotate')).toHaveLength(2);
    secret = after;
  });

  verifies('webhook.secret', 'is there as soon as it is needed', async () => {
    const other = await AgentCalls.make(app);
    const own = await app.request<{ id: string }>('POST', '/api/agents', {
      as: app.outsider,
      body: { name: 'B', model: 'platform/offline', systemPrompt: 'x' },
    });
    expect(other.agentId).not.toBe(own.body.id);
    const path = `/${randomUUID()}`;
    await jobs
      .by(app.outsider)
      .start({ agentId: own.body.id, contents: said('Hello'), webhook: { url: webhooks.url(path) } });
    const [call] = await told(path, 1);
    expect(call?.headers['webhook-signature']).toMatch(/^v1,/);
    const state = await app.request('GET', '/api/webhook-secret', { as: app.outsider });
    expect(state.body).toMatchObject({ configured: true });
  });

  it('can be rotated while the first one is being made', async () => {
    const as = app.outsider;
    const own = await app.request<{ id: string }>('POST', '/api/agents', {
      as,
      body: { name: 'B', model: 'platform/offline', systemPrompt: 'x' },
    });
    await app.sql('delete from webhook_secret where space_id = (select space_id from agent where id = $1)', [
      own.body.id,
    ]);
    const path = `/${randomUUID()}`;
    const gate = await DatabaseGate.close(app, 'insert on webhook_secret', 'true');
    try {
      await jobs
        .by(as)
        .start({ agentId: own.body.id, contents: said('Hello'), webhook: { url: webhooks.url(path) } });
      await gate.reached();
      const rotated = app.request('POST', '/api/webhook-secret', { as });
      await gate.blocksOthers();
      await gate.open();
      expect((await rotated).status).toBe(201);
      await told(path, 1);
    } finally {
      await gate.open();
    }
  });
});
