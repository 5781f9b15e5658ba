import type { AddressInfo } from 'node:net';
import {
  NOTIFICATION_EVENTS,
  type ApplicationDetail,
  type CreateNotificationChannelRequest,
  type NotificationChannel,
  type NotificationDelivery,
  type NotificationDeliveryDetail,
  type NotificationEvent,
  type Page,
  type PlatformEvents,
  type Step,
  type WebhookSecret,
} from '@platform/contracts';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { ApplicationsService } from '../src/applications/applications.service.ts';
import { PayloadSchemasService } from '../src/events/catalog/payload-schemas.service.ts';
import { Database } from '../src/infra/database/database.ts';
import { SweeperWorker } from '../src/infra/database/sweeper.worker.ts';
import { hashJson } from '../src/infra/runtime/json.ts';
import { uuidV7 } from '../src/infra/runtime/uuid-v7.ts';
import { PLATFORM_EVENTS } from '../src/notifications/messages/platform-events.ts';
import { PlatformEventsService } from '../src/notifications/platform/platform-events.service.ts';
import { COUNT_LATEST, countLatest } from '../src/tasks/history/run-failures.store.ts';
import { UsageService } from '../src/usage/usage.service.ts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { answerInbox, ApprovalCalls, inboxOf, PausedTurn } from './harness/approval-calls.ts';
import { EmittingApp, ORDER_CREATED } from './harness/emitting-app.ts';
import { eventually } from './harness/eventually.ts';
import { rowsRead } from './harness/query-plan.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { WebhookServer, type WebhookCall } from './harness/webhook-server.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let runs: RunCalls;
let server: WebhookServer;
let secret: string;

beforeAll(async () => {
  server = await WebhookServer.start();
  app = await TestApp.start();
  runs = new RunCalls(app);
  secret = (await app.request<WebhookSecret>('POST', '/api/webhook-secret')).body.secret;
});
afterEach(() => app.sql('update notification_channel set enabled = false'));
afterAll(async () => {
  await app.close();
  await server.close();
});

const PATH = '/api/notifications';
const FAILS = [{ id: 'fail', kind: 'code' as const, source: 'throw new Error("Out of paper")' }];

async function add(
  path: string,
  change: Partial<CreateNotificationChannelRequest> = {},
  as: TestUser = app.admin,
): Promise<NotificationChannel> {
  const body = {
    name: 'Operations',
    kind: 'webhook',
    url: server.url(path),
    events: ['run.failed'],
    ...change,
  };
  const created = await app.request<NotificationChannel>('POST', `${PATH}/channels`, { as, body });
  expect([created.status, created.text]).toEqual([201, expect.any(String)]);
  return created.body;
}

const told = (path: string, count: number): Promise<WebhookCall[]> =>
  eventually(async () => {
    expect(server.of(path)).toHaveLength(count);
    return Promise.resolve(server.of(path));
  });

interface Told {
  type: string;
  data: {
    deliveryId: string;
    count: number;
    notifications: { event: string; payload: object; text: string }[];
  };
}
const read = ({ body }: WebhookCall) => JSON.parse(body) as Told;

const deliveriesOf = async ({ id }: NotificationChannel): Promise<NotificationDelivery[]> =>
  (await app.request<Page<NotificationDelivery>>('GET', `${PATH}/deliveries?channelId=${id}`)).body.items;

const detail = async (id: string): Promise<NotificationDeliveryDetail> =>
  (await app.request<NotificationDeliveryDetail>('GET', `${PATH}/deliveries/${id}`)).body;

/** The only delivery of a channel once it has ended or waits again. */
const ended = (channel: NotificationChannel, status: NotificationDelivery['status']) =>
  eventually(async () => {
    const found = await deliveriesOf(channel);
    expect(found).toMatchObject([{ status }]);
    return detail(found[0]?.id ?? '');
  });

/** As if so many minutes had passed for the deliveries of a channel, and since its last message. */
async function pass({ id }: NotificationChannel, minutes: number): Promise<void> {
  await app.sql(
    `update notification_channel set last_sent_at = last_sent_at - $2 * interval '1 minute' where id = $1`,
    [id, minutes],
  );
  await app.sql(
    `update notification_delivery set due_at = due_at - $2 * interval '1 minute'
     where channel_id = $1 and due_at is not null and not is_attempted`,
    [id, minutes],
  );
}

/** Resolves once everything that failed so far was told to the channels. */
const noticed = () =>
  eventually(async () => {
    const waiting = await app.sql(
      `select from run where status in ('FAILED', 'INTERRUPTED') and reported_attempt < attempt`,
    );
    expect(waiting).toEqual([]);
  });

describe('a failed run', () => {
  verifies('notifications.failure', 'is told over the channels of its space, signed', async () => {
    const channel = await add('/failed');
    await add('/other-event', { events: ['task.disabled'] });
    await add('/severe', { minSeverity: 'error' });
    await add('/other-space', {}, app.outsider);
    const run = await runs.result(FAILS, { name: 'Print' });
    const [call] = await told('/failed', 1);
    if (call === undefined) return;
    const headers = call.headers as Record<string, string>;
    expect(new Webhook(secret).verify(call.body, headers)).toMatchObject({
      type: 'notification',
      data: {
        deliveryId: headers['webhook-id'],
        spaceId: app.admin.spaceId,
        count: 1,
        notifications: [
          {
            event: 'run.failed',
            severity: 'error',
            text: 'A run of the task “Print” failed: Out of paper (line 1)',
            url: expect.stringContaining(`/runs/${run.id}`),
            payload: { runId: run.id, taskId: run.taskId, status: 'FAILED', origin: 'MANUAL', attempt: 1 },
          },
        ],
      },
    });
    expect(() => new Webhook(secret).verify(call.body.replace('Print', 'print'), headers)).toThrow();
    await told('/severe', 1);
    const delivery = await ended(channel, 'DELIVERED');
    expect(delivery).toMatchObject({
      id: headers['webhook-id'],
      attempts: 1,
      dueAt: null,
      notifications: [{ event: 'run.failed', payload: { runId: run.id } }],
      request: { method: 'POST', url: server.url('/failed'), body: call.body },
      response: { status: 204 },
    });
    expect([server.of('/other-event'), server.of('/other-space')]).toEqual([[], []]);
  });

  verifies('notifications.failure', 'is told again when another attempt fails', async () => {
    await add('/again');
    const run = await runs.result(FAILS);
    await told('/again', 1);
    expect((await runs.retry(run)).status).toBe(202);
    const calls = await told('/again', 2);
    expect(calls.map((call) => read(call).data.notifications[0]?.payload)).toMatchObject([
      { runId: run.id, attempt: 1 },
      { runId: run.id, attempt: 2 },
    ]);
  });
});

describe('deliveries', () => {
  verifies('notifications.deliveries', 'are tried again later, with the same id and body', async () => {
    server.refuse('/refused', 500);
    const channel = await add('/refused');
    await runs.result(FAILS);
    await told('/refused', 1);
    const waiting = await ended(channel, 'PENDING');
    await pass(channel, 1);
    const [first, second] = await told('/refused', 2);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second && read(second).data).toEqual(first && read(first).data);
    expect(await ended(channel, 'DELIVERED')).toMatchObject({ id: waiting.id, attempts: 2, lastError: null });
  });

  verifies('notifications.deliveries', 'can be sent again once they have ended', async () => {
    const channel = await add('/resent');
    await runs.result(FAILS);
    const delivered = await ended(channel, 'DELIVERED');
    const path = `${PATH}/deliveries/${delivered.id}/resend`;
    const resent = await app.request<NotificationDelivery>('POST', path);
    expect([resent.status, resent.body]).toMatchObject([202, { resendOf: delivered.id, count: 1 }]);
    const [first, second] = await told('/resent', 2);
    expect(second && read(second).data.notifications).toEqual(first && read(first).data.notifications);
    expect(second?.headers['webhook-id']).toBe(resent.body.id);
    await app.request('DELETE', `${PATH}/channels/${channel.id}`);
    expect((await app.request('POST', path)).status).toBe(404);
  });

  verifies('notifications.deliveries', 'tell at once what came of a test message', async () => {
    const channel = await add('/tested', { enabled: false });
    const test = () => app.request<NotificationDeliveryDetail>('POST', `${PATH}/channels/${channel.id}/test`);
    expect(await test()).toMatchObject({
      status: 200,
      body: { status: 'DELIVERED', isTest: true, attempts: 1, response: { status: 204 }, notifications: [] },
    });
    expect(server.of('/tested').map((call) => read(call).type)).toEqual(['notification.test']);
    server.refuse('/tested', 403);
    expect((await test()).body).toMatchObject({ status: 'FAILED', lastError: 'HTTP 403', dueAt: null });
    const blocked = await add('/x', { url: 'http://10.0.0.1/hook' });
    const closed = await add('/x', { url: 'http://127.0.0.1:1/hook' });
    for (const { id } of [blocked, closed]) {
      const tested = await app.request('POST', `${PATH}/channels/${id}/test`);
      expect(tested.body).toMatchObject({ status: 'FAILED', lastError: 'No response', response: null });
    }
  });

  verifies('notifications.deliveries', 'are listed by channel and status, page by page', async () => {
    const channel = await add('/listed');
    for (let i = 0; i < 3; i++) await app.request('POST', `${PATH}/channels/${channel.id}/test`);
    const list = (query: string) =>
      app.request<Page<NotificationDelivery>>('GET', `${PATH}/deliveries?channelId=${channel.id}&${query}`);
    const first = (await list('status=DELIVERED&limit=2')).body;
    const next = encodeURIComponent(first.nextCursor ?? '');
    const second = (await list(`status=DELIVERED&limit=2&cursor=${next}`)).body;
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    expect([ids.length, second.nextCursor]).toEqual([3, null]);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect((await list('status=FAILED')).body.items).toEqual([]);
    expect((await list(`cursor=${next}`)).status).toBe(400);
    expect((await list('status=LOST')).status).toBe(400);
  });

  verifies('notifications.deliveries', 'of a deleted or disabled channel are given up', async () => {
    const [disabled, deleted] = [
      await add('/disabled', { digestMinutes: 10 }),
      await add('/deleted', { digestMinutes: 10 }),
    ];
    await app.sql('update notification_channel set last_sent_at = clock_timestamp() where enabled');
    await runs.result(FAILS);
    await ended(disabled, 'PENDING');
    await ended(deleted, 'PENDING');
    await app.request('PATCH', `${PATH}/channels/${disabled.id}`, { body: { enabled: false } });
    await app.request('DELETE', `${PATH}/channels/${deleted.id}`);
    await pass(disabled, 11);
    await pass(deleted, 11);
    expect((await ended(disabled, 'FAILED')).lastError).toBe('The channel is disabled');
    expect((await ended(deleted, 'FAILED')).lastError).toBe('The channel was deleted');
    expect([server.of('/disabled'), server.of('/deleted')]).toEqual([[], []]);
  });
});

describe('a digest', () => {
  verifies('notifications.digest', 'sends the first at once, and what follows as one message', async () => {
    const channel = await add('/digest', { digestMinutes: 30 });
    await runs.result(FAILS);
    await told('/digest', 1);
    await runs.result(FAILS);
    await runs.result(FAILS);
    await noticed();
    const [waiting, ...others] = await deliveriesOf(channel);
    expect([waiting, others.length]).toMatchObject([{ status: 'PENDING', count: 2, attempts: 0 }, 1]);
    await pass(channel, 31);
    const calls = await told('/digest', 2);
    expect(calls.map((call) => read(call).data.count)).toEqual([1, 2]);
    expect(calls[1] && read(calls[1]).data.notifications).toHaveLength(2);
  });

  verifies('notifications.digest', 'is not sent sooner because its delivery is due', async () => {
    const channel = await add('/early', { digestMinutes: 30 });
    await runs.result(FAILS);
    await told('/early', 1);
    await runs.result(FAILS);
    await noticed();
    await app.sql(
      'update notification_delivery set due_at = clock_timestamp() where channel_id = $1 and due_at is not null',
      [channel.id],
    );
    await eventually(async () => {
      const [{ dueAt, attempts } = { dueAt: null, attempts: null }] = await deliveriesOf(channel);
      expect(attempts).toBe(0);
      expect(Date.parse(dueAt ?? '') - Date.now()).toBeGreaterThan(20 * 60_000);
    });
    expect(server.of('/early')).toHaveLength(1);

    // What follows joins the delivery that was put off: one of its own would come a whole period later.
    await runs.result(FAILS);
    await noticed();
    expect(await deliveriesOf(channel)).toMatchObject([
      { status: 'PENDING', count: 2 },
      { status: 'DELIVERED' },
    ]);
  });

  verifies('notifications.digest', 'keeps the first hundred of what happened', async () => {
    const channel = await add('/many', { digestMinutes: 30 });
    await app.sql('update notification_channel set last_sent_at = clock_timestamp() where id = $1', [
      channel.id,
    ]);
    const payload = { taskId: 't', taskName: 'Many', reason: 'DISABLED' };
    await app.request('PATCH', `${PATH}/channels/${channel.id}`, { body: { events: ['task.disabled'] } });
    await app.sql(
      `insert into fact (space_id, name, key, payload)
       select $1, 'task.disabled', n::text, $2 from generate_series(1, 250) n`,
      [app.admin.spaceId, JSON.stringify(payload)],
    );
    await eventually(async () => {
      expect(await deliveriesOf(channel)).toMatchObject([{ status: 'PENDING', count: 250 }]);
    });
    await pass(channel, 31);
    const [call] = await told('/many', 1);
    expect(call && read(call).data.count).toBe(250);
    expect(call && read(call).data.notifications).toHaveLength(100);
  });
});

describe('quiet hours', () => {
  verifies('notifications.digest', 'put a message off until they end', async () => {
    const hour = 3_600_000;
    const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const quietHours = { from: at(-2 * hour), to: at(2 * hour), timezone: 'UTC' };
    const later = { ...quietHours, from: at(2 * hour), to: at(3 * hour) };
    const channel = await add('/quiet', { quietHours });
    const awake = await add('/awake', { quietHours: later });
    await runs.result(FAILS);
    await told('/awake', 1);
    await ended(awake, 'DELIVERED');
    const [waiting] = await deliveriesOf(channel);
    expect(waiting).toMatchObject({ status: 'PENDING', attempts: 0 });
    expect(waiting?.dueAt?.slice(11, 16)).toBe(quietHours.to);
    await runs.result(FAILS);
    await noticed();
    expect(await deliveriesOf(channel)).toMatchObject([{ status: 'PENDING', count: 2 }]);
    // Whatever makes it due at night, such as a retry.
    await pass(channel, 180);
    await eventually(async () => {
      const [again] = await deliveriesOf(channel);
      expect([again?.status, again?.attempts, again?.dueAt?.slice(11, 16)]).toEqual([
        'PENDING',
        0,
        quietHours.to,
      ]);
    });
    await app.request('PATCH', `${PATH}/channels/${channel.id}`, { body: { quietHours: later } });
    await pass(channel, 180);
    const [call] = await told('/quiet', 1);
    expect(call && read(call).data.count).toBe(2);
  });
});

describe('channels', () => {
  const CHAT = { kind: 'feishu' as const, url: 'https://chat.example.com/hook/k3y', secret: 's3cret' };

  verifies('notifications.channels', 'are managed by admins, and never show a secret', async () => {
    const { id } = await add('/x', CHAT);
    const path = `${PATH}/channels/${id}`;
    const shown = (await app.request<NotificationChannel>('GET', path)).body;
    expect(shown).toMatchObject({
      kind: 'feishu',
      url: 'https://chat.example.com',
      secretConfigured: true,
      events: ['run.failed'],
      minSeverity: 'info',
      digestMinutes: 0,
      quietHours: null,
      enabled: true,
    });
    const quietHours = { from: '22:00', to: '07:00', timezone: 'Asia/Shanghai' };
    const body = { name: 'Night', quietHours, events: ['task.disabled', 'task.disabled'] };
    const changed = await app.request<NotificationChannel>('PATCH', path, { body });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: 'Night', quietHours, events: ['task.disabled'], secretConfigured: true },
    });
    const cleared = await app.request('PATCH', path, { body: { quietHours: null, secret: null } });
    expect(cleared.body).toMatchObject({ quietHours: null, secretConfigured: false });
    const list = await app.request<Page<NotificationChannel>>('GET', `${PATH}/channels`);
    expect(list.body.items[0]).toEqual(cleared.body);
    expect((await app.request('DELETE', path)).status).toBe(204);
    expect((await app.request('GET', path)).status).toBe(404);
    const audit = await app.request<Page<{ action: string }>>('GET', '/api/audit?limit=4');
    expect(audit.body.items.map(({ action }) => action)).toEqual([
      'notification-channel.delete',
      'notification-channel.update',
      'notification-channel.update',
      'notification-channel.create',
    ]);
    expect([JSON.stringify(shown), list.text, audit.text].join()).not.toMatch(/k3y|s3cret/);
    const [row] = await app.sql<{ row: string }>(
      'select row_to_json(c)::text as row from notification_channel c order by id desc limit 1',
    );
    expect(row?.row).not.toMatch(/k3y|s3cret/);
  });

  verifies('notifications.channels', 'refuse what cannot be a channel, and name the field', async () => {
    const base = { name: 'X', kind: 'webhook', url: 'https://x.example.com', events: ['run.failed'] };
    const cases: [object, RegExp][] = [
      [{ ...base, kind: 'pager' }, /kind/],
      [{ ...base, url: undefined }, /url is required/],
      [{ ...base, url: 'ftp://x.example.com' }, /url must be an http/],
      [{ ...base, url: 'https://me:pw@x.example.com' }, /without credentials/],
      [{ ...base, events: [] }, /events/],
      [{ ...base, events: ['run.succeeded'] }, /events/],
      [{ ...base, secret: 'x' }, /secret is not a field of webhook/],
      [{ ...base, digestMinutes: 1441 }, /digestMinutes/],
      [{ ...base, minSeverity: 'fatal' }, /minSeverity/],
      [{ ...base, quietHours: { from: '25:00', to: '07:00', timezone: 'UTC' } }, /quietHours\.from/],
      [
        { ...base, quietHours: { from: '22:00', to: '07:00', timezone: 'Mars/Base' } },
        /quietHours\.timezone/,
      ],
      [{ ...base, smtp: { host: 'x', port: 25, from: 'a@b.co', to: ['a@b.co'] } }, /smtp is not a field/],
    ];
    for (const [body, message] of cases) {
      const refused = await app.request<{ message: string }>('POST', `${PATH}/channels`, { body });
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(message)]);
    }
  });

  verifies('notifications.channels', 'and deliveries of another space are out of reach', async () => {
    const { id } = await add('/mine');
    const tested = await app.request<NotificationDelivery>('POST', `${PATH}/channels/${id}/test`);
    const calls: [string, string][] = [
      ['GET', `channels/${id}`],
      ['PATCH', `channels/${id}`],
      ['DELETE', `channels/${id}`],
      ['POST', `channels/${id}/test`],
      ['GET', `deliveries/${tested.body.id}`],
      ['POST', `deliveries/${tested.body.id}/resend`],
    ];
    for (const [method, path] of calls) {
      const status = async (as: TestUser, at: string) =>
        (await app.request(method, `${PATH}/${at}`, { as, ...(method === 'PATCH' && { body: {} }) })).status;
      const missing = path.replace(/[\da-f-]{36}/, '01996f2e-0000-7000-8000-000000000001');
      expect([
        await status(app.outsider, path),
        await status(app.member, path),
        await status(app.admin, missing),
      ]).toEqual([403, 403, 404]);
    }
    const foreign = await app.request<Page<unknown>>('GET', `${PATH}/deliveries?channelId=${id}`, {
      as: app.outsider,
    });
    expect(foreign.body.items).toEqual([]);
  });
});

describe('a task that keeps failing', () => {
  verifies(
    'notifications.failure',
    'is told once, when five and half of its latest runs failed',
    async () => {
      const channel = await add('/failing', { events: ['task.failing'] });
      const task = await runs.createTask(FAILS, { name: 'Print' });
      for (let i = 0; i < 4; i++) await runs.reached(await runs.start(task));
      await noticed();
      expect(await deliveriesOf(channel)).toEqual([]);
      for (let i = 0; i < 2; i++) await runs.reached(await runs.start(task));
      await noticed();
      const keys = await app.sql<{ key: string; failed: number }>(
        `select key, (payload->>'failed')::int as failed from notification where event = 'task.failing' and key like $1 order by id`,
        [`${task.id}:%`],
      );
      // One, or two if an hour has ended in between.
      expect([1, 2]).toContain(keys.length);
      expect(keys[0]?.failed).toBeGreaterThanOrEqual(5);
      const [call] = await eventually(async () => {
        expect(server.of('/failing').length).toBeGreaterThan(0);
        return Promise.resolve(server.of('/failing'));
      });
      const failed = keys[0]?.failed;
      expect(call && read(call).data.notifications[0]).toMatchObject({
        event: 'task.failing',
        payload: { taskId: task.id, taskName: 'Print', failed, ended: failed },
      });
    },
  );
});

describe('the rate of failures', () => {
  const OLD = 3_000;

  it('is counted without reading the history of a task', async () => {
    const { id: taskId, ownerUserId } = await runs.createTask(FAILS, { enabled: false });
    const other = await runs.createTask(FAILS, { enabled: false });
    const fill = async (hours: number, status: string, count: number, task = taskId) => {
      await app.sql(`select ensure_partition('run', clock_timestamp() - $1 * interval '1 hour')`, [hours]);
      await app.sql(
        `insert into run (id, space_id, task_id, owner_user_id, origin, status, inputs, created_at, reported_attempt)
         select overlay(uuid_v7()::text placing left(uuid_v7_floor(at)::text, 13) from 1 for 13)::uuid,
           $1, $2, $3, 'MANUAL', $5, '{}', at, 1
         from (select clock_timestamp() - $4 * interval '1 hour' as at from generate_series(1, $6)) made`,
        [app.admin.spaceId, task, ownerUserId, hours, status, count],
      );
    };
    // On the first day of a month, those of the task are in the partition before. A small one is read whole.
    await fill(0, 'SUCCEEDED', OLD, other.id);
    await fill(48, 'SUCCEEDED', OLD);
    await fill(48, 'FAILED', OLD);
    await fill(23, 'INTERRUPTED', 3);
    await fill(12, 'SUCCEEDED', 2);
    await app.sql('analyze run');
    const database = app.get(Database);
    expect(await countLatest(database, [taskId], 4)).toEqual([{ taskId, ended: 4, failed: 2 }]);
    expect(await countLatest(database, [taskId], 20)).toEqual([{ taskId, ended: 5, failed: 3 }]);
    expect(await rowsRead(app, COUNT_LATEST, [[taskId], 20])).toBeLessThan(100);
  });
});

describe('a disabled task', () => {
  verifies('notifications.failure', 'is told, whoever disabled it', async () => {
    const channel = await add('/disabled-task', { events: ['task.disabled'] });
    const task = await runs.createTask(FAILS, { name: 'Print' });
    await app.request('PATCH', `/api/tasks/${task.id}`, { body: { enabled: false } });
    const [call] = await told('/disabled-task', 1);
    expect(call && read(call).data.notifications).toMatchObject([
      { event: 'task.disabled', payload: { taskId: task.id, taskName: 'Print', reason: 'DISABLED' } },
    ]);
    await app.request('PATCH', `/api/tasks/${task.id}`, { body: { name: 'Still disabled' } });
    await ended(channel, 'DELIVERED');
    const leaver = await app.addUser('MEMBER');
    const left = await new RunCalls(app, leaver).createTask(FAILS);
    expect((await app.request('DELETE', `/api/members/${leaver.userId}`)).status).toBe(204);
    const [, second] = await told('/disabled-task', 2);
    expect(second && read(second).data.notifications).toMatchObject([
      { payload: { taskId: left.id, reason: 'OWNER_REMOVED' } },
    ]);
  });
});

describe('events of the platform', () => {
  const enable = (enabled: boolean) =>
    app.request<PlatformEvents>('PUT', `${PATH}/events`, { body: { enabled } });

  verifies(
    'notifications.events',
    'start tasks that subscribe, and a failing one does not loop',
    async () => {
      expect((await app.request<PlatformEvents>('GET', `${PATH}/events`)).body.enabled).toBe(false);
      for (let i = 0; i < 2; i++)
        expect(await enable(true)).toMatchObject({ status: 200, body: { enabled: true } });
      const task = await runs.createTask(
        [
          {
            id: 'again',
            kind: 'code',
            source: 'throw new Error(context.execution.inputs.trigger.payload.taskName)',
          },
        ],
        { name: 'Repair', type: 'EVENT' },
      );
      const body = { applicationIdentifier: 'platform', event: 'run.failed', taskId: task.id };
      expect((await app.request('POST', '/api/events/subscriptions', { body })).status).toBe(201);
      const failed = await runs.result(FAILS, { name: 'Print' });
      const listed = () => runs.list(`/tasks/${task.id}/runs`);
      const started = await eventually(async () => {
        const { items } = await listed();
        expect(items).toMatchObject([{ status: 'FAILED' }]);
        return runs.get(items[0] ?? { id: '' });
      });
      expect(started.trigger).toMatchObject({
        event: 'run.failed',
        source: 'system',
        payload: { runId: failed.id, taskName: 'Print', status: 'FAILED' },
      });
      await noticed();
      const envelopes = await app.sql<{ status: string; status_reason: string | null }>(
        `select status, status_reason from envelope where event = 'run.failed' order by id`,
      );
      // The failure of the task itself is recorded, and starts nothing.
      expect(envelopes).toMatchObject([
        { status: 'DISPATCHED' },
        { status: 'SKIPPED', status_reason: 'SAME_EVENT_LOOP' },
      ]);
      expect((await listed()).items).toHaveLength(1);
      expect(await enable(false)).toMatchObject({ status: 200, body: { enabled: false } });
      await runs.result(FAILS);
      await noticed();
      expect(await app.sql(`select from envelope where event = 'run.failed'`)).toHaveLength(2);
    },
  );

  verifies('notifications.events', 'tell of each kind of question, whoever asks', async () => {
    const model = await ScriptedModel.start();
    const tools = await ToolServer.start();
    try {
      tools.respond(sendJson({}));
      const shop = await ApprovalCalls.make(app, model, tools);
      const calls = await shop.agent({ refund: { mode: 'ask', approvers: 'admins' } });
      const refund = () => model.prompt(shop.calls(['refund', { amount: 40 }]));
      expect(await enable(true)).toMatchObject({ status: 200, body: { enabled: true } });
      const source = 'return context.execution.inputs.trigger.payload';
      const task = await runs.createTask([{ id: 'see', kind: 'code', source }], { type: 'EVENT' });
      const body = { applicationIdentifier: 'platform', event: 'question.waiting', taskId: task.id };
      expect((await app.request('POST', '/api/events/subscriptions', { body })).status).toBe(201);

      const steps: Step[] = [
        { id: 'ask', kind: 'ask', message: 'Refund?' },
        {
          id: 'tool',
          kind: 'tool',
          toolId: shop.tool.id,
          method: 'refund',
          input: { amount: 40 },
          policy: { mode: 'ask' },
        },
        { id: 'agent', kind: 'agent', agentId: calls.agentId, inputs: { query: refund() } },
      ];
      const asking = [];
      for (const step of steps)
        asking.push(
          await runs.reached(await runs.start(await runs.createTask([step], { name: 'Shop' })), 'WAITING'),
        );
      await PausedTurn.start(calls, refund());

      const told = await eventually(async () => {
        const { items } = await runs.list(`/tasks/${task.id}/runs`);
        expect(items).toHaveLength(4);
        for (const { status } of items) expect(status).toBe('SUCCEEDED');
        return Promise.all(items.map(async (item) => (await runs.get(item)).trigger?.payload));
      });
      const question = { questionId: expect.any(String), message: expect.any(String), reminder: false };
      const byRun = asking.map(({ id, taskId }) => ({ ...question, runId: id, taskId, taskName: 'Shop' }));
      const byAgent = { agentId: calls.agentId, agentName: expect.any(String) };
      const [ask, tool, agent] = byRun;
      expect(told).toHaveLength(4);
      for (const payload of [ask, tool, { ...agent, ...byAgent }, { ...question, ...byAgent }])
        expect(told).toContainEqual(payload);
      expect(
        await app.sql(`select distinct status, last_error from envelope where event = 'question.waiting'`),
      ).toEqual([{ status: 'DISPATCHED', last_error: null }]);
      expect(await enable(false)).toMatchObject({ status: 200, body: { enabled: false } });
      for (const run of asking) await runs.cancel(run);
      await eventually(async () => {
        for (const { id } of await inboxOf(app, app.admin))
          await answerInbox(app, id, { approved: false }, app.admin);
        expect(await inboxOf(app, app.admin)).toEqual([]);
      });
    } finally {
      await model.close();
      await tools.stop();
    }
  });

  describe('after an update of the service', () => {
    /** What an earlier version declared: the schema of an event was another one, and the others did not exist. */
    const install = async () => {
      const { spaceId, userId } = app.admin;
      const by = {
        kind: 'user',
        spaceId,
        userId,
        role: 'ADMIN',
        credential: { kind: 'internal', id: userId },
        causationRunId: null,
      } as const;
      const payloadSchema = { type: 'object', properties: { gone: {} }, required: ['gone'] };
      const manifest = {
        identifier: 'platform',
        name: 'Platform',
        version: '0.9.0',
        events: [{ name: 'run.failed', description: 'A run failed.', payloadSchema }],
      };
      await app.get(ApplicationsService).replaceManifest({ by, requestId: 'test' }, manifest);
      expect(await installed()).toEqual({ version: '0.9.0', events: ['run.failed'] });
    };
    const installed = async () => {
      const { body } = await app.request<ApplicationDetail>('GET', '/api/applications/platform');
      const events = await app.sql<{ name: string }>(
        `select name from registered_event where application_id = ${APPLICATION} and retired_at is null order by name`,
        [app.admin.spaceId],
      );
      return { version: body.version, events: events.map(({ name }) => name) };
    };
    const subscriptions = () =>
      app.sql(`select * from subscription where application_id = ${APPLICATION} order by id`, [
        app.admin.spaceId,
      ]);
    const APPLICATION = `(select id from application where space_id = $1 and identifier = 'platform')`;
    const current = {
      version: expect.stringMatching(/^1\.0\.0\+[0-9a-f]{12}$/) as string,
      events: [...NOTIFICATION_EVENTS].toSorted(),
    };

    beforeAll(() => enable(true));
    afterAll(() => enable(false));

    verifies(
      'notifications.events',
      'the next event upgrades the application, and starts tasks',
      async () => {
        const source = 'return context.execution.inputs.trigger.payload';
        const task = await runs.createTask([{ id: 'see', kind: 'code', source }], { type: 'EVENT' });
        const body = { applicationIdentifier: 'platform', event: 'run.failed', taskId: task.id };
        expect((await app.request('POST', '/api/events/subscriptions', { body })).status).toBe(201);
        await install();
        const before = await subscriptions();
        const failed = await runs.result(FAILS, { name: 'Print' });
        await noticed();
        const envelopes = () =>
          app.sql(`select status, last_error from envelope where payload ->> 'runId' = $1`, [failed.id]);
        await eventually(async () =>
          expect(await envelopes()).toEqual([{ status: 'DISPATCHED', last_error: null }]),
        );
        const { items } = await eventually(async () => {
          const listed = await runs.list(`/tasks/${task.id}/runs`);
          expect(listed.items).toMatchObject([{ status: 'SUCCEEDED' }]);
          return listed;
        });
        expect((await runs.get(items[0] ?? failed)).trigger?.payload).toMatchObject({ runId: failed.id });
        expect(await installed()).toEqual(current);
        expect(await subscriptions()).toEqual(before);
      },
    );

    verifies('notifications.events', 'a process that starts upgrades it, beside others', async () => {
      await install();
      const before = await subscriptions();
      const twin = await TestApp.start({ database: app });
      const upgrade = (one: TestApp) =>
        one.get(Database).transaction((tx) => one.get(PlatformEventsService).upgrade(tx, app.admin.spaceId));
      try {
        // Another process may be sweeping.
        await eventually(async () => {
          await twin.get(SweeperWorker).sweep();
          expect(await installed()).toEqual(current);
        });
        await install();
        const ids = await Promise.all([app, twin, app, twin].map(upgrade));
        expect(new Set(ids).size).toBe(1);
        expect(await installed()).toEqual(current);
        expect(await subscriptions()).toEqual(before);
      } finally {
        await twin.close();
      }
    });

    verifies('notifications.events', 'enabling them again upgrades it as well', async () => {
      await install();
      const before = await subscriptions();
      expect(await enable(true)).toMatchObject({ status: 200, body: { enabled: true } });
      expect(await installed()).toEqual(current);
      expect(await subscriptions()).toEqual(before);
    });

    verifies('notifications.events', 'what is disabled stays so', async () => {
      await install();
      await enable(false);
      const { spaceId } = app.admin;
      const upgraded = await app
        .get(Database)
        .transaction((tx) => app.get(PlatformEventsService).upgrade(tx, spaceId));
      expect(upgraded).toBeNull();
      expect(await app.get(PlatformEventsService).listSpaces(null, 10)).toEqual([]);
      expect(await installed()).toEqual({ version: '0.9.0', events: [] });
    });
  });

  verifies('notifications.events', 'belong to no manifest of others', async () => {
    const body = { identifier: 'platform', name: 'Mine', version: '1' };
    for (const [method, path] of [
      ['POST', '/api/applications'],
      ['PUT', '/api/applications/platform'],
    ] as const)
      expect(await app.request(method, path, { body })).toMatchObject({
        status: 409,
        body: { message: expect.stringMatching(/reserved/) },
      });
  });
});

describe('mail', () => {
  const mailbox = async (
    refuses: boolean,
  ): Promise<{ port: number; mails: string[]; users: string[]; close: () => Promise<void> }> => {
    const mails: string[] = [];
    const users: string[] = [];
    const smtp = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      allowInsecureAuth: true,
      onAuth: ({ username = '', password = '' }, _session, done) => {
        users.push(`${username}:${password}`);
        done(null, { user: username });
      },
      onData: (stream, _session, done) => {
        let mail = '';
        stream.on('data', (part: Buffer) => (mail += part.toString()));
        stream.on('end', () => {
          mails.push(mail);
          done(refuses ? Object.assign(new Error('Mailbox full'), { responseCode: 552 }) : null);
        });
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.server.address() as AddressInfo;
    return { port, mails, users, close: () => new Promise((resolve) => smtp.close(resolve)) };
  };
  const smtp = (port: number, more: object = {}) => ({
    kind: 'email' as const,
    url: undefined,
    smtp: {
      host: '127.0.0.1',
      port,
      security: 'none' as const,
      from: 'platform@example.com',
      to: ['ops@example.com', 'dev@example.com'],
      ...more,
    },
  });

  verifies(
    'notifications.mail',
    'is delivered to a mail server, with a password if it needs one',
    async () => {
      const box = await mailbox(false);
      try {
        const channel = await add('', smtp(box.port, { username: 'ops', password: 'p4ssword' }));
        expect(channel.smtp).toMatchObject({ username: 'ops', passwordConfigured: true });
        await runs.result(FAILS, { name: 'Print' });
        const delivered = await ended(channel, 'DELIVERED');
        expect(box.users).toEqual(['ops:p4ssword']);
        expect(box.mails).toHaveLength(1);
        expect(box.mails[0]).toContain('Subject: [Operations] run.failed');
        expect(box.mails[0]).toContain('To: ops@example.com, dev@example.com');
        expect(box.mails[0]).toContain(`Message-ID: <${delivered.id}@platform>`);
        expect(delivered.request?.body).toContain('Out of paper');
        expect(JSON.stringify([delivered, channel])).not.toContain('p4ssword');
        const path = `${PATH}/channels/${channel.id}`;
        const elsewhere = smtp(box.port, { username: 'ops', host: 'mail.example.com' }).smtp;
        const moved = await app.request('PATCH', path, { body: { smtp: elsewhere } });
        expect([moved.status, moved.text]).toEqual([
          400,
          expect.stringMatching(/smtp\.password is required/),
        ]);
        const kept = smtp(box.port, { username: 'ops', to: ['new@example.com'] }).smtp;
        expect((await app.request('PATCH', path, { body: { smtp: kept } })).body).toMatchObject({
          smtp: { passwordConfigured: true, to: ['new@example.com'] },
        });
      } finally {
        await box.close();
      }
    },
  );

  verifies('notifications.mail', 'that is refused or cannot be sent says so', async () => {
    const box = await mailbox(true);
    try {
      const test = async (change: object) => {
        const { id } = await add('', smtp(box.port, change));
        return (await app.request<NotificationDeliveryDetail>('POST', `${PATH}/channels/${id}/test`)).body;
      };
      expect(await test({})).toMatchObject({
        status: 'FAILED',
        lastError: 'SMTP 552',
        response: { status: 552, body: expect.stringMatching(/Mailbox full/) },
      });
      const none = { status: 'FAILED', lastError: 'No response', response: null };
      expect(await test({ port: 1 })).toMatchObject(none);
      expect(await test({ host: '10.0.0.1' })).toMatchObject(none);
      // The server does not encrypt, so nothing is sent.
      expect(await test({ security: 'starttls' })).toMatchObject({ status: 'FAILED' });
      expect(box.mails).toHaveLength(1);
    } finally {
      await box.close();
    }
  });
});

describe('chats', () => {
  verifies('notifications.formats', 'receive messages in their own format, and may refuse them', async () => {
    const test = async (
      kind: NotificationChannel['kind'],
      change: Partial<CreateNotificationChannelRequest> = {},
    ) => {
      const { id } = await add(`/${kind}?key=k3y`, { kind, ...change });
      return (await app.request<NotificationDeliveryDetail>('POST', `${PATH}/channels/${id}/test`)).body;
    };
    const slack = await test('slack');
    expect(slack).toMatchObject({ status: 'DELIVERED', request: { url: new URL(server.url('/')).origin } });
    expect(JSON.stringify(slack)).not.toContain('k3y');
    expect(server.of('/slack?key=k3y').map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      { text: '[Operations] Test message', blocks: [{ type: 'header' }, { type: 'section' }] },
    ]);
    // These say in the body whether they accept it, and this server says nothing.
    const silent = { status: 'FAILED', lastError: 'The response is not JSON', response: { status: 204 } };
    expect(await test('feishu', { secret: 's3cret' })).toMatchObject(silent);
    expect(await test('wecom')).toMatchObject(silent);
    const [feishu] = server.of('/feishu?key=k3y');
    expect(JSON.parse(feishu?.body ?? '')).toMatchObject({
      msg_type: 'post',
      sign: expect.stringMatching(/=$/),
    });
    const [wecom] = server.of('/wecom?key=k3y');
    expect(JSON.parse(wecom?.body ?? '')).toMatchObject({ msgtype: 'markdown' });
  });
});

describe('what happens beside failures', () => {
  /** Everything that was told at a path, once all facts have been taken and so much was told. */
  const toldAt = async (path: string, count: number): Promise<[event: string, text: string][]> => {
    await eventually(async () => expect(await app.sql('select from fact')).toEqual([]));
    return eventually(async () => {
      const all = server.of(path).flatMap((call) => read(call).data.notifications);
      expect(all).toHaveLength(await Promise.resolve(count));
      return all.map(({ event, text }) => [event, text]);
    });
  };
  const sweep = () => app.get(SweeperWorker).sweep();

  verifies(
    'notifications.facts',
    'a question is told when it is asked, and once before it expires',
    async () => {
      await add('/question', { events: ['question.waiting'], minSeverity: 'info' });
      const ask = {
        id: 'ask',
        kind: 'ask',
        message: 'Refund?',
        timeoutMs: 7_200_000,
      } as Step;
      const short = { id: 'ask', kind: 'ask', message: 'Now?', timeoutMs: 1_800_000 } as Step;
      const run = await runs.reached(
        await runs.start(await runs.createTask([ask], { name: 'Shop' })),
        'WAITING',
      );
      const asked = 'The task “Shop” asks: Refund?';
      expect(await toldAt('/question', 1)).toEqual([['question.waiting', asked]]);
      await sweep();
      const [due] = await app.sql<{ left: number }>(
        `select extract(epoch from expires_at - remind_at)::int as left from question where run_id = $1`,
        [run.id],
      );
      expect(due).toEqual({ left: 1_800 });
      await runs.reached(await runs.start(await runs.createTask([short], { name: 'Shop' })), 'WAITING');
      // As if it was nearly over.
      await app.sql('update question set remind_at = clock_timestamp() where remind_at is not null');
      await sweep();
      await sweep();
      expect(await toldAt('/question', 3)).toEqual([
        ['question.waiting', asked],
        ['question.waiting', 'The task “Shop” asks: Now?'],
        ['question.waiting', asked.replace('asks', 'still asks')],
      ]);
    },
  );

  verifies(
    'notifications.facts',
    'a balance is told when it falls below a tenth, once per grant',
    async () => {
      await add('/balance', { events: ['balance.low'] });
      const { spaceId, userId } = app.admin;
      const grant = async (tokens: number, more: object = {}) => {
        const granted = await app.request('POST', '/api/usage/grants', { body: { tokens, ...more } });
        expect([granted.status, granted.text]).toEqual([201, expect.any(String)]);
      };
      const charge = (tokens: number, id = uuidV7()) =>
        app.get(Database).transaction((tx) =>
          app.get(UsageService).charge(tx, id, {
            spaceId,
            userId,
            source: 'chat',
            model: 'm',
            promptTokens: tokens,
            completionTokens: 0,
            cachedTokens: 0,
            reasoningTokens: 0,
            cost: 0,
            estimated: false,
          }),
        );
      await grant(1_000);
      await grant(10, { userId });
      await charge(900);
      const again = uuidV7();
      await charge(1, again);
      await charge(1, again);
      await charge(50);
      const low = (left: number) => [
        'balance.low',
        `The balance of the space is low: ${left} tokens are left.`,
      ];
      expect(await toldAt('/balance', 1)).toEqual([low(99)]);
      await grant(2_000);
      // At the same moment, many calls: one of them crosses it.
      await Promise.all(Array.from({ length: 20 }, () => charge(100)));
      expect(await toldAt('/balance', 2)).toEqual([low(99), low(149)]);
    },
  );

  verifies('notifications.facts', 'a subscription is told whose event no longer comes', async () => {
    await add('/silent', { events: ['subscription.silent'] });
    const events = ['daily', 'rare', 'young', 'fresh', 'paused'].map((name) => ({ ...ORDER_CREATED, name }));
    const { applicationId } = await EmittingApp.install(app, { identifier: 'silent', events });
    const task = await runs.createTask(FAILS, { type: 'EVENT' });
    for (const { name: event } of events) {
      const body = { applicationIdentifier: 'silent', event, taskId: task.id, enabled: event !== 'paused' };
      const made = await app.request('POST', '/api/events/subscriptions', { body });
      expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    }
    await app.sql(
      `update subscription set created_at = created_at - interval '30 days' where application_id = $1 and event <> 'young'`,
      [applicationId],
    );
    // Each event on so many days; the last time so many hours ago.
    const emitted = (event: string, days: number, hours: number) =>
      app.sql(
        `insert into event_hour (space_id, hour, application_id, event, dispatched, failed, skipped, pending, bytes)
         select $1, date_trunc('hour', clock_timestamp()) - $5 * interval '1 hour' - n * interval '1 day', $2, $3, 1, 0, 0, 0, 0
         from generate_series(0, $4 - 1) n`,
        [app.admin.spaceId, applicationId, event, days, hours],
      );
    for (const event of ['daily', 'young', 'paused']) await emitted(event, 7, 30);
    await emitted('rare', 6, 30);
    await emitted('fresh', 7, 20);
    await sweep();
    await sweep();
    expect(await toldAt('/silent', 1)).toEqual([
      [
        'subscription.silent',
        expect.stringMatching(
          /^The event silent\/daily, to which a task subscribes, has not been emitted since 2/,
        ),
      ],
    ]);
  });
});

describe('all that was told above', () => {
  verifies('notifications.events', 'satisfies the schemas of its events', async () => {
    const schemas = new PayloadSchemasService();
    const stored = await app.sql<{ event: NotificationEvent; payload: Record<string, unknown> }>(
      'select event, payload from notification',
    );
    const problems = stored.flatMap(({ event, payload }) => {
      const { payloadSchema } = PLATFORM_EVENTS[event];
      return schemas.validate(payloadSchema, hashJson(payloadSchema), payload).map((text) => [event, text]);
    });
    expect(problems).toEqual([]);
  });
});
