import type {
  Application,
  ApplicationDetail,
  ApplicationManifest,
  AuditEntry,
  CatalogApplication,
  CreatedSystemKey,
  InstalledApplication,
  ManifestEvent,
  Page,
  RotatedSystemKey,
  Subscription,
  SystemKeyPage,
  Task,
  UpgradeResult,
} from '@platform/contracts';
import { DataSource } from 'typeorm';
import { RouteTableRegistry } from '../src/infra/routes/route-table.registry.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { asApplication, shopManifest } from './harness/applications.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { RunCalls } from './harness/run-calls.ts';
import { problemsOf } from './harness/problems.ts';
import { verifies } from './verifies.ts';

const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

// Each test has a space of its own.
beforeEach(async () => {
  admin = await app.addUser('ADMIN', null);
});

const install = (manifest: unknown = shopManifest(), as = admin) =>
  app.request<InstalledApplication>('POST', '/api/applications', { as, body: manifest });
const upgrade = (manifest: unknown, query = '') =>
  app.request<UpgradeResult>('PUT', `/api/applications/shop${query}`, { as: admin, body: manifest });
const uninstall = () => app.request('DELETE', '/api/applications/shop', { as: admin });
const rotate = () =>
  app.request<RotatedSystemKey>('POST', '/api/applications/shop/system-key', { as: admin });
const detail = () => app.request<ApplicationDetail>('GET', '/api/applications/shop', { as: admin });
const catalog = async () =>
  (await app.request<CatalogApplication[]>('GET', '/api/events/catalog', { as: admin })).body;
const tasks = async (query = '') =>
  (await app.request<Page<Task>>('GET', `/api/tasks?${query}`, { as: admin })).body.items;
const subscriptions = async () =>
  (await app.request<Page<Subscription>>('GET', '/api/events/subscriptions', { as: admin })).body.items;
const codeTask = (key: string) => ({
  key,
  name: key,
  workflow: { steps: [{ id: 'work', kind: 'code' as const, source: 'return 1;' }] },
});

async function createSubscription(event = 'order.created', filter: object | null = null) {
  const task = await app.request<Task>('POST', '/api/tasks', {
    as: admin,
    body: { name: 'Mine', type: 'EVENT', workflow: codeTask('mine').workflow },
  });
  const body = { applicationIdentifier: 'shop', event, taskId: task.body.id, filter };
  const answer = await app.request<Subscription>('POST', '/api/events/subscriptions', { as: admin, body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

describe('installing', () => {
  verifies(
    ['applications.install', 'applications.own-tasks'],
    'registers events, tasks, and default subscriptions, and returns the system key',
    async () => {
      const { status, body } = await install();
      expect(status).toBe(201);
      expect(body.systemKey).toMatch(/^app_[0-9A-Za-z]{54}$/);
      expect(body.application).toMatchObject({
        identifier: 'shop',
        name: 'Shop',
        version: '1.0.0',
        installed: true,
        eventCount: 2,
        tableCount: 1,
        taskCount: 1,
        systemKeyPrefix: body.systemKey.slice(0, 16),
        systemKeyLastUsedAt: null,
        uninstalledAt: null,
        manifest: shopManifest(),
      });
      expect((await detail()).body).toEqual(body.application);
      expect(await catalog()).toEqual([
        expect.objectContaining({
          applicationIdentifier: 'shop',
          name: 'Shop',
          events: [
            expect.objectContaining({ name: 'order.created' }),
            expect.objectContaining({ name: 'order.shipped' }),
          ],
        }),
      ]);
      const [task] = await tasks();
      expect(task).toMatchObject({
        name: 'Greet',
        type: 'EVENT',
        enabled: true,
        ownerUserId: admin.userId,
        application: { identifier: 'shop', key: 'greet', installed: true },
      });
      expect(await subscriptions()).toEqual([
        expect.objectContaining({
          applicationIdentifier: 'shop',
          event: 'order.created',
          taskId: task?.id,
          origin: 'APP_DEFAULT',
          enabled: true,
          filter: null,
        }),
      ]);
    },
  );

  verifies('task.list.application', 'has the tasks of one application', async () => {
    await install();
    await install({ ...shopManifest(), identifier: 'other', tasks: [], subscriptions: [] });
    await createSubscription();
    expect(await tasks()).toHaveLength(2);
    const keys = (items: Task[]) => items.map(({ application }) => application?.key);
    expect(keys(await tasks('applicationIdentifier=shop'))).toEqual(['greet']);
    expect(await tasks('applicationIdentifier=shop&type=MANUAL')).toEqual([]);
    expect(await tasks('applicationIdentifier=other')).toEqual([]);
    expect(await tasks('applicationIdentifier=unknown')).toEqual([]);
    const refused = await app.request('GET', '/api/tasks?applicationIdentifier=', { as: admin });
    expect(refused.status).toBe(400);
  });

  verifies('applications.install.installed', 'what is installed is 409 and names the upgrade', async () => {
    await install();
    const again = await install(shopManifest({ version: '2.0.0' }));
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', message: expect.stringContaining('PUT /api/applications/shop') },
    });
    expect((await detail()).body.version).toBe('1.0.0');
  });

  verifies('applications.races', 'at the same time succeeds once, also after an uninstallation', async () => {
    const once = [201, ...Array.from({ length: 7 }, () => 409)];
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => install()));
      expect(answers.map(({ status }) => status).sort()).toEqual(once);
      expect(await tasks()).toHaveLength(1);
      expect(await subscriptions()).toHaveLength(1);
      await uninstall();
    }
  });

  verifies('applications.races', 'and upgrading at the same time leaves one version as a whole', async () => {
    await install();
    const versions = Array.from({ length: 6 }, (_, i) =>
      shopManifest({
        version: `2.${i}`,
        events: [{ name: `order.v${i}`, description: '', payloadSchema: {} }],
        tables: [],
        tasks: [codeTask(`t${i}`)],
        subscriptions: [{ key: `s${i}`, event: `order.v${i}`, taskKey: `t${i}` }],
      }),
    );
    const answers = await Promise.all([...versions.map((manifest) => upgrade(manifest)), rotate(), rotate()]);
    expect(answers.map(({ status }) => status)).toEqual([...versions.map(() => 200), 201, 201]);
    const { manifest, systemKeyPrefix } = (await detail()).body;
    expect((await catalog())[0]?.events.map(({ name }) => name)).toEqual(
      manifest.events?.map(({ name }) => name),
    );
    expect((await subscriptions()).map(({ event }) => event)).toEqual(
      manifest.events?.map(({ name }) => name),
    );
    const active = (await tasks()).filter(({ application }) => application?.installed);
    expect(active.map(({ name }) => name)).toEqual(manifest.tasks?.map(({ name }) => name));
    const keys = await app.sql<{ prefix: string }>(
      `select 'app_' || k.public_id as prefix from system_key k join application a on a.id = k.application_id
       where a.space_id = $1 and k.revoked_at is null`,
      [admin.spaceId],
    );
    expect(keys).toEqual([{ prefix: systemKeyPrefix }]);
  });

  it('and everything after it is recorded for the audit, without the keys', async () => {
    const { systemKey } = (await install()).body;
    await upgrade(shopManifest({ version: '2.0.0' }));
    await upgrade(shopManifest({ version: '3.0.0' }), '?dryRun=true');
    const rotated = (await rotate()).body;
    await uninstall();
    await uninstall();
    const audit = await app.request<Page<AuditEntry>>('GET', '/api/audit', { as: admin });
    expect(audit.body.items.map(({ action, details }) => [action, details])).toEqual([
      ['application.uninstall', { identifier: 'shop' }],
      ['application.rotate-key', { identifier: 'shop', prefix: rotated.systemKeyPrefix }],
      ['application.upgrade', { identifier: 'shop', from: '1.0.0', to: '2.0.0' }],
      ['application.install', { identifier: 'shop', version: '1.0.0' }],
    ]);
    for (const key of [systemKey, rotated.systemKey]) expect(audit.text).not.toContain(key.slice(16));
  });

  it('needs nothing but a name and a version', async () => {
    const bare = { identifier: 'bare', name: 'Bare', version: '1', events: null, tools: [] };
    expect((await install(bare)).status).toBe(201);
    const list = await app.request<Page<Application>>('GET', '/api/applications?limit=1', { as: admin });
    expect(list.body.items).toEqual([expect.objectContaining({ identifier: 'bare', eventCount: 0 })]);
    expect(list.text).not.toContain('manifest');
  });

  verifies(
    'applications.manifest.tools',
    'refuses tools, and its steps call those of the platform',
    async () => {
      const call = { kind: 'tool' as const, toolId: 'current_time', method: 'now', input: {} };
      const manifest = shopManifest({
        tasks: [
          { key: 'clock', name: 'Clock', type: 'MANUAL', workflow: { steps: [{ id: 'now', ...call }] } },
        ],
        subscriptions: [],
      });
      const tool = { name: 'Depot', serverUrl: 'https://depot.example.com', methods: [] };
      const refused = await install({ ...manifest, tools: [tool] });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('/tools must be empty')]);
      expect(await tasks()).toEqual([]);

      expect((await install(manifest)).status).toBe(201);
      const [task] = await tasks();
      const runs = new RunCalls(app, admin);
      const run = await runs.reached(await runs.start(task as Task));
      expect(run).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { status: 200 } }] });
    },
  );

  it('lists page by page, newest first', async () => {
    for (const identifier of ['a', 'b', 'c']) await install({ identifier, name: identifier, version: '1' });
    const page = async (cursor: string | null) => {
      const query = cursor === null ? '' : `&cursor=${cursor}`;
      return (await app.request<Page<Application>>('GET', `/api/applications?limit=2${query}`, { as: admin }))
        .body;
    };
    const first = await page(null);
    const second = await page(first.nextCursor);
    const names = [...first.items, ...second.items].map(({ identifier }) => identifier);
    expect([names, second.nextCursor]).toEqual([['c', 'b', 'a'], null]);
  });

  it.each(['a%00b', '%F0%9F%92%A9', '..%2Fx', 'x'.repeat(300), '%E0%A4%A'])(
    'under no such name is there: %s',
    async (name) => {
      await install();
      for (const [method, path] of [
        ['GET', `/api/applications/${name}`],
        ['DELETE', `/api/applications/${name}`],
        ['POST', `/api/applications/${name}/system-key`],
        ['GET', `/api/data/${name}/orders/rows`],
        ['GET', `/api/data/shop/${name}/rows`],
        ['DELETE', `/api/data/shop/orders/rows/${name}`],
        ['POST', `/api/events/catalog/shop/${name}/test`],
      ] as const) {
        const sent = method === 'POST' ? { body: path.endsWith('test') ? { payload: {} } : {} } : {};
        const answer = await app.request(method, path, { as: admin, ...sent });
        expect([path, 400, 404]).toContain(answer.status);
      }
    },
  );

  it('in another space knows nothing of this one', async () => {
    await install();
    const other = await app.addUser('ADMIN', null);
    expect((await app.request('GET', '/api/applications/shop', { as: other })).status).toBe(404);
    expect((await app.request('DELETE', '/api/applications/shop', { as: other })).status).toBe(404);
    expect((await install(shopManifest(), other)).status).toBe(201);
    expect((await uninstall()).status).toBe(204);
    expect(
      (await app.request<ApplicationDetail>('GET', '/api/applications/shop', { as: other })).body,
    ).toMatchObject({
      installed: true,
    });
  });
});

describe('an invalid manifest', () => {
  const refuse = async (manifest: unknown) => {
    const answer = await install(manifest);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('VALIDATION_ERROR')]);
    return problemsOf(answer.body).join('; ');
  };

  verifies('applications.manifest', 'is rejected as a whole, with every pointer', async () => {
    const message = await refuse({
      identifier: 'Shop',
      name: ' ',
      events: [
        { name: 'created', description: 1, payloadSchema: { type: 'objekt' } },
        { name: 'a.b', description: '', payloadSchema: { $ref: 'https://example.com/' }, recursionLimit: 9 },
      ],
      tables: [{ name: 'T', columns: [{ name: 'x', type: 'text' }] }],
      tasks: [{ key: 'a b', name: 'A', workflow: { steps: [{ id: '1', kind: 'code' }] } }],
      subscriptions: [{ key: 'k', event: 'missing.event', taskKey: 'missing', filter: { constructor: 1 } }],
      tools: [{}],
      'un/known': 1,
    });
    for (const pointer of [
      '/un~1known is not a known field',
      '/identifier must be',
      '/name must be',
      '/version must be',
      '/events/0/name must be',
      '/events/0/description must be',
      '/events/0/payloadSchema/type must be',
      '/events/1/recursionLimit must be',
      '/events/1/payloadSchema/$ref',
      '/tables/0/name must be',
      '/tables/0/columns/0/type must be one of string, integer, number, boolean, datetime, json',
      '/tasks/0/key must be',
      '/tasks/0/workflow/steps/0/id must be',
      '/tasks/0/workflow/steps/0/source must be',
      '/subscriptions/0/event must name an event of the manifest',
      '/subscriptions/0/taskKey must be the key of a task of the manifest',
      '/subscriptions/0/filter',
      '/tools must be empty',
    ]) {
      expect(message).toContain(pointer);
    }
    expect(await app.sql('select 1 from application where space_id = $1', [admin.spaceId])).toEqual([]);
    expect(await tasks()).toEqual([]);
  });

  it.each<[string, Partial<ApplicationManifest>, string]>([
    [
      'an event twice',
      { events: [...(shopManifest().events ?? []), ...(shopManifest().events ?? [])] },
      '/events/2/name must be unique',
    ],
    ['a task twice', { tasks: [codeTask('greet'), codeTask('greet')] }, '/tasks/1/key must be unique'],
    [
      'a subscription twice',
      { subscriptions: ['greet', 'greet'].map((key) => ({ key, event: 'order.created', taskKey: 'greet' })) },
      '/subscriptions/1/key must be unique',
    ],
    [
      'a subscription of a task that no event starts',
      { tasks: [{ ...codeTask('greet'), type: 'MANUAL' }] },
      '/subscriptions/0/taskKey must name a task of type EVENT',
    ],
    [
      'a table that emits an unknown event',
      { tables: [{ name: 't', columns: [{ name: 'a', type: 'json' }], emits: { onInsert: 'order.lost' } }] },
      '/tables/0/emits/onInsert must name an event of the manifest; it has no order.lost',
    ],
    [
      'a step that emits an unknown event of the application',
      {
        tasks: [
          {
            ...codeTask('greet'),
            workflow: {
              steps: [
                { id: 'e', kind: 'emit', applicationIdentifier: 'shop', event: 'order.lost', payload: {} },
              ],
            },
          },
        ],
      },
      '/tasks/0/workflow/steps/0/event must name an event of the manifest; it has no order.lost',
    ],
  ])('has %s', async (_, change, problem) => {
    expect(await refuse(shopManifest(change))).toContain(problem);
  });

  verifies(
    'applications.own-tasks',
    'subscribes a task of somebody else, or to an event of another',
    async () => {
      await install();
      const task = await app.request<Task>('POST', '/api/tasks', {
        as: admin,
        body: { name: 'Mine', type: 'EVENT', workflow: codeTask('mine').workflow },
      });
      const other = shopManifest({
        identifier: 'other',
        events: [],
        tables: [],
        subscriptions: [{ key: 'k', event: 'order.created', taskKey: task.body.id }],
      });
      const message = await refuse(other);
      expect(message).toContain('/subscriptions/0/event must name an event of the manifest');
      expect(message).toContain('/subscriptions/0/taskKey must be the key of a task of the manifest');
    },
  );

  verifies('applications.manifest.tables', 'has a table that could never satisfy its event', async () => {
    const message = await refuse(
      shopManifest({
        tables: [
          {
            name: 'orders',
            columns: [{ name: 'total', type: 'string' }],
            emits: { onInsert: 'order.created' },
          },
          {
            name: 'returns',
            columns: [{ name: 'note', type: 'string' }],
            emits: { onInsert: 'order.created' },
          },
        ],
      }),
    );
    expect(message).toBe(
      '/tables/0/emits/onInsert names order.created, whose payloadSchema does not allow the type of "total"; ' +
        '/tables/1/emits/onInsert names order.created, whose payloadSchema requires "total", which the table does not have',
    );
  });

  verifies('applications.manifest.bounds', 'is larger than its bounds', async () => {
    const many = <T>(count: number, item: (i: number) => T) =>
      Array.from({ length: count }, (_, i) => item(i));
    const message = await refuse(
      shopManifest({
        events: many(201, (i) => ({ name: `a.e${i}`, description: '', payloadSchema: true })),
        tables: many(101, (i) => ({ name: `t${i}`, columns: [{ name: 'a', type: 'json' as const }] })),
        tasks: many(101, (i) => codeTask(`t${i}`)),
        subscriptions: many(201, (i) => ({ key: `s${i}`, event: 'a.e1', taskKey: 't1' })),
      }),
    );
    for (const part of ['/events', '/tables', '/tasks', '/subscriptions']) {
      expect(message).toContain(`${part} must be an array of at most`);
    }
    const columns = many(101, (i) => ({ name: `c${i}`, type: 'json' as const }));
    expect(await refuse(shopManifest({ tables: [{ name: 't', columns }] }))).toContain(
      '/tables/0/columns must be an array of 1 to 100 columns',
    );
    const large = await install(shopManifest({ name: 'x'.repeat(1024 * 1024) }));
    expect(large.status).toBe(413);
  });

  it('at its bounds is accepted', async () => {
    const many = <T>(count: number, item: (i: number) => T) =>
      Array.from({ length: count }, (_, i) => item(i));
    const answer = await install(
      shopManifest({
        events: many(200, (i) => ({ name: `a.e${i}`, description: '', payloadSchema: { type: 'object' } })),
        tables: many(100, (i) => ({
          name: `t${i}`,
          columns: many(20, (c) => ({ name: `c${c}`, type: 'json' as const })),
          emits: { onInsert: 'a.e0' },
        })),
        tasks: many(100, (i) => codeTask(`t${i}`)),
        subscriptions: many(200, (i) => ({ key: `s${i}`, event: `a.e${i}`, taskKey: 't1' })),
      }),
    );
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.any(String)]);
    expect(answer.body.application).toMatchObject({ eventCount: 200, tableCount: 100, taskCount: 100 });
  });

  it.each(['[]', '"text"', '1', 'null', ''])('is %j', async (raw) => {
    const answer = await app.request('POST', '/api/applications', { as: admin, raw });
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('is refused in an upgrade too, and leaves the installed one as it was', async () => {
    const { body } = await install();
    expect((await upgrade(shopManifest({ version: '2', tasks: [] }))).text).toContain(
      '/subscriptions/0/taskKey',
    );
    expect((await upgrade(shopManifest({ version: '2', identifier: 'other' }))).text).toContain(
      '/identifier must be shop',
    );
    expect((await detail()).body).toEqual(body.application);
  });
});

describe('upgrading', () => {
  const next = (change: Partial<ApplicationManifest> = {}) =>
    shopManifest({
      version: '2.0.0',
      name: 'Shop 2',
      events: [
        {
          name: 'order.created',
          description: 'A customer has ordered.',
          payloadSchema: { type: 'object', properties: { amount: { type: 'number' } } },
        },
        { name: 'order.returned', description: 'An order came back.', payloadSchema: {} },
      ],
      tables: [],
      tasks: [{ ...codeTask('greet'), name: 'Greet again' }, codeTask('refund')],
      subscriptions: [
        { key: 'greet', event: 'order.created', taskKey: 'greet' },
        { key: 'refund', event: 'order.returned', taskKey: 'refund' },
      ],
      ...change,
    });
  const CHANGES = [
    { kind: 'event', name: 'order.created', change: 'changed' },
    { kind: 'event', name: 'order.returned', change: 'added' },
    { kind: 'event', name: 'order.shipped', change: 'removed' },
    { kind: 'table', name: 'orders', change: 'removed' },
    { kind: 'task', name: 'greet', change: 'changed' },
    { kind: 'task', name: 'refund', change: 'added' },
    { kind: 'subscription', name: 'refund', change: 'added' },
  ];

  verifies(
    'applications.upgrade',
    'brings everything to the new manifest and keeps what is the user’s',
    async () => {
      const installed = await install();
      const [before] = await subscriptions();
      const filter = { note: 'mine' };
      const change = { enabled: false, filter };
      await app.request('PATCH', `/api/events/subscriptions/${before?.id ?? ''}`, {
        as: admin,
        body: change,
      });

      const { status, body } = await upgrade(next());
      expect([status, body.changes, body.dryRun]).toEqual([200, CHANGES, false]);
      expect(body.application).toMatchObject({
        version: '2.0.0',
        name: 'Shop 2',
        taskCount: 2,
        systemKeyPrefix: installed.body.application.systemKeyPrefix,
        installedAt: installed.body.application.installedAt,
      });
      expect((await catalog())[0]).toMatchObject({
        name: 'Shop 2',
        events: [{ name: 'order.created' }, { name: 'order.returned' }],
      });
      const names = (await tasks()).map(({ name, application }) => [name, application?.installed]);
      expect(names.sort()).toEqual([
        ['Greet again', true],
        ['refund', true],
      ]);
      const kept = (await subscriptions()).find(({ id }) => id === before?.id);
      expect(kept).toMatchObject({ enabled: false, filter, event: 'order.created' });
      expect(await subscriptions()).toHaveLength(2);
    },
  );

  verifies('applications.upgrade.dry-run', 'dry: names what would break and changes nothing', async () => {
    const { body: installed } = await install();
    const byField = await createSubscription('order.created', { total: 5 });
    const byEvent = await createSubscription('order.shipped');
    const before = [await catalog(), await tasks(), await subscriptions()];

    const dry = await upgrade(next(), '?dryRun=true');
    expect([dry.status, dry.body.dryRun, dry.body.changes]).toEqual([200, true, CHANGES]);
    expect(dry.body.application).toEqual(installed.application);
    expect(dry.body.brokenSubscriptions).toEqual([
      expect.objectContaining({ subscriptionId: byField.id, reason: expect.stringContaining('"total"') }),
      expect.objectContaining({ subscriptionId: byEvent.id, event: 'order.shipped', taskId: byEvent.taskId }),
    ]);
    expect([await catalog(), await tasks(), await subscriptions()]).toEqual(before);

    // A default subscription that goes with its event is no surprise.
    const without = next({ version: '3', events: [], subscriptions: [] });
    expect((await upgrade(without, '?dryRun=true')).body.brokenSubscriptions).toEqual([
      expect.objectContaining({ subscriptionId: byField.id }),
      expect.objectContaining({ subscriptionId: byEvent.id }),
    ]);
    const refused = await upgrade(next({ version: '' }), '?dryRun=true');
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('/version')]);
    expect((await upgrade(next(), '?dryRun=yes')).status).toBe(400);
  });

  verifies('applications.possible', 'names templates of users that the new version breaks', async () => {
    await install();
    const payload = { note: '{{trigger.payload.note}}' };
    const step = { id: 'a', kind: 'emit', applicationIdentifier: 'shop', event: 'order.shipped', payload };
    const task = await app.request<Task>('POST', '/api/tasks', {
      as: admin,
      body: { name: 'Mine', type: 'EVENT', workflow: { steps: [step] } },
    });
    const created = await app.request<Subscription>('POST', '/api/events/subscriptions', {
      as: admin,
      body: { applicationIdentifier: 'shop', event: 'order.created', taskId: task.body.id },
    });
    const payloadSchema = {
      type: 'object',
      additionalProperties: false,
      properties: { total: {}, notes: { type: 'string' } },
    };
    const [event, ...others] = shopManifest().events ?? [];
    const closed = shopManifest({
      version: '2',
      events: [{ ...event, payloadSchema } as ManifestEvent, ...others],
      tables: [],
    });
    expect((await upgrade(closed, '?dryRun=true')).body.brokenSubscriptions).toEqual([
      {
        subscriptionId: created.body.id,
        event: 'order.created',
        taskId: task.body.id,
        reason:
          'workflow.steps.0.payload has {{trigger.payload.note}}, but the event has no field note (did you mean notes?)',
      },
    ]);
  });

  verifies('applications.possible', 'refuses its own filters and templates that can never work', async () => {
    const payloadSchema = {
      type: 'object',
      additionalProperties: false,
      properties: { total: { type: 'number' } },
    };
    const step = (text: string) => ({
      steps: [
        { id: 'a', kind: 'emit', applicationIdentifier: 'shop', event: 'order.created', payload: { text } },
      ],
    });
    const manifest = (filter: Record<string, unknown>, text: string, type?: 'MANUAL') =>
      shopManifest({
        events: [{ name: 'order.created', description: 'Ordered.', payloadSchema }],
        tables: [],
        tasks: [{ key: 'tell', name: 'Tell', workflow: step(text) as never, ...(type && { type }) }],
        subscriptions: type ? [] : [{ key: 'k', event: 'order.created', taskKey: 'tell', filter }],
      });
    const text = '{{trigger.payload.total}}';
    for (const [wrong, message] of [
      [
        manifest({ totl: 1 }, text),
        '/subscriptions/0/filter/totl can never match: the event has no field totl (did you mean total?)',
      ],
      [
        manifest({ total: '1' }, text),
        '/subscriptions/0/filter/total can never match: the field is of type number',
      ],
      [
        manifest({}, '{{trigger.payload.totl}}'),
        '/tasks/0/workflow/steps/0/payload has {{trigger.payload.totl}}, but the event has no field totl (did you mean total?)',
      ],
      [
        manifest({}, text, 'MANUAL'),
        '/tasks/0/workflow/steps/0/payload has {{trigger.payload.total}}, but no event starts a task of type MANUAL',
      ],
    ] as const) {
      const answer = await app.request('POST', '/api/applications', { as: admin, body: wrong });
      expect([answer.status, answer.body.message]).toEqual([400, message]);
    }
    const right = manifest({ total: 1 }, text);
    for (const wait of [
      { debounce: { key: 'totl', windowMs: 500 } },
      { batch: { key: 'totl', maxItems: 2, windowMs: 500 } },
    ]) {
      const subscriptions = [{ key: 'k', event: 'order.created', taskKey: 'tell', ...wait }];
      const body = { ...right, subscriptions };
      const answer = await app.request('POST', '/api/applications', { as: admin, body });
      expect([answer.status, answer.body.message]).toEqual([
        400,
        `/subscriptions/0/${Object.keys(wait)[0]}/key can never be found: the event has no field totl (did you mean total?)`,
      ]);
    }
    expect((await app.request('POST', '/api/applications', { as: admin, body: right })).status).toBe(201);
  });

  verifies('applications.possible', 'names keys of users that the new version no longer has', async () => {
    await install();
    const { id, taskId } = await createSubscription('order.created', { total: 5 });
    const body = { debounce: { key: 'note', windowMs: 500 } };
    await app.request('PATCH', `/api/events/subscriptions/${id}`, { as: admin, body });
    const payloadSchema = {
      type: 'object',
      additionalProperties: false,
      properties: { total: { type: 'number' }, notes: {} },
    };
    const events = [{ name: 'order.created', description: 'Ordered.', payloadSchema }];
    const closed = shopManifest({ version: '2', events, tables: [] });
    expect((await upgrade(closed, '?dryRun=true')).body.brokenSubscriptions).toEqual([
      {
        subscriptionId: id,
        event: 'order.created',
        taskId,
        reason: 'debounce.key can never be found: the event has no field note (did you mean notes?)',
      },
    ]);
  });

  it('names subscriptions of users to tasks that go, and refuses what it could not do', async () => {
    await install();
    await install(shopManifest({ identifier: 'other', tasks: [], subscriptions: [] }));
    const greet = (await tasks()).find(({ name }) => name === 'Greet');
    const subscribe = async (applicationIdentifier: string) => {
      const body = { applicationIdentifier, event: 'order.shipped', taskId: greet?.id };
      return (await app.request<Subscription>('POST', '/api/events/subscriptions', { as: admin, body })).body;
    };
    const own = await subscribe('shop');
    const other = await subscribe('other');
    const without = shopManifest({ version: '2', tasks: [], subscriptions: [] });
    const reason = 'the new version does not declare the task';
    expect((await upgrade(without, '?dryRun=true')).body.brokenSubscriptions).toEqual([
      { subscriptionId: own.id, event: 'order.shipped', taskId: greet?.id, reason },
      { subscriptionId: other.id, event: 'order.shipped', taskId: greet?.id, reason },
    ]);

    const manual = shopManifest({
      version: '2',
      tasks: [{ ...codeTask('greet'), type: 'MANUAL' as const }],
      subscriptions: [],
    });
    for (const query of ['?dryRun=true', '']) {
      const refused = await upgrade(manual, query);
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('must stay EVENT')]);
    }
  });

  verifies('applications.upgrade.repeated', 'again changes nothing, in any order of the keys', async () => {
    await install();
    const first = await upgrade(next());
    const reversed = Object.fromEntries(Object.entries(next()).reverse());
    const again = await upgrade(reversed);
    expect(again.body).toEqual({ ...first.body, changes: [], brokenSubscriptions: [] });
    const other = await upgrade(next({ name: 'Shop 3' }));
    expect([other.status, other.text]).toEqual([409, expect.stringContaining('another version')]);
    expect((await upgrade(next({ name: 'Shop 3' }), '?dryRun=true')).status).toBe(409);
    expect((await detail()).body.name).toBe('Shop 2');
  });

  verifies(
    'applications.user-subscriptions',
    'keeps the subscriptions of users, also to an event that goes',
    async () => {
      await install();
      const kept = [
        await createSubscription('order.created', { total: 5 }),
        await createSubscription('order.shipped'),
      ];
      await upgrade(next());
      const present = await subscriptions();
      for (const { id, filter, taskId } of kept) {
        expect(present).toContainEqual(
          expect.objectContaining({ id, filter, taskId, origin: 'USER', enabled: true }),
        );
      }
      expect(present.find(({ id }) => id === kept[1]?.id)?.waitingForApplication).toBe(true);
      await upgrade(shopManifest({ version: '3' }));
      expect((await subscriptions()).find(({ id }) => id === kept[1]?.id)?.waitingForApplication).toBe(false);
    },
  );

  it('needs an installed application', async () => {
    expect((await upgrade(shopManifest())).status).toBe(404);
    await install();
    await uninstall();
    expect((await upgrade(next())).status).toBe(404);
  });
});

describe('uninstalling', () => {
  verifies('applications.uninstall', 'stops everything, deletes nothing, and can be repeated', async () => {
    await install();
    expect((await uninstall()).status).toBe(204);
    expect(await catalog()).toEqual([]);
    expect(await subscriptions()).toEqual([]);
    const { body } = await detail();
    expect(body).toMatchObject({
      installed: false,
      uninstalledAt: expect.any(String),
      manifest: shopManifest(),
    });
    expect((await uninstall()).status).toBe(204);
    expect((await detail()).body.uninstalledAt).toBe(body.uninstalledAt);
    for (const table of ['registered_event', 'task', 'subscription', 'data_table']) {
      const left = await app.sql(`select 1 from ${table} where space_id = $1 and retired_at is not null`, [
        admin.spaceId,
      ]);
      expect([table, left.length]).toEqual([table, table === 'registered_event' ? 2 : 1]);
    }
    expect((await rotate()).status).toBe(404);
    expect((await app.request('DELETE', '/api/applications/unknown', { as: admin })).status).toBe(404);
  });

  verifies('applications.user-subscriptions', 'keeps the subscriptions of users', async () => {
    await install();
    const mine = await createSubscription('order.created', { total: 5 });
    await uninstall();
    const waiting = { ...mine, waitingForApplication: true };
    expect(await subscriptions()).toEqual([waiting]);
    await install(shopManifest({ version: '2' }));
    expect(await subscriptions()).toContainEqual(mine);
  });

  verifies(
    'applications.reinstall',
    'and installing again restores switches, filters, and deletions',
    async () => {
      const manifest = shopManifest({
        tasks: [codeTask('a'), codeTask('b'), codeTask('c')],
        subscriptions: ['a', 'b', 'c'].map((key) => ({ key, event: 'order.created', taskKey: key })),
      });
      const first = await install(manifest);
      const ids = Object.fromEntries((await tasks()).map(({ id, name }) => [name, id]));
      const of = async (key: string) => (await subscriptions()).find(({ taskId }) => taskId === ids[key]);
      const [a, b, c] = [await of('a'), await of('b'), await of('c')];
      const path = (subscription: typeof a) => `/api/events/subscriptions/${subscription?.id ?? ''}`;
      await app.request('PATCH', path(a), { as: admin, body: { enabled: false } });
      await app.request('PATCH', path(b), { as: admin, body: { filter: { total: [1, 2] } } });
      await app.request('DELETE', path(c), { as: admin });
      await app.request('PATCH', `/api/tasks/${ids.a ?? ''}`, { as: admin, body: { enabled: false } });

      await uninstall();
      const again = await install({ ...manifest, version: '1.1.0' });
      expect(again.status).toBe(201);
      expect(again.body.systemKey).not.toBe(first.body.systemKey);
      expect(await subscriptions()).toHaveLength(2);
      expect(await of('a')).toEqual({ ...a, enabled: false });
      expect(await of('b')).toEqual({ ...b, filter: { total: [1, 2] } });
      expect((await tasks()).map(({ id, name, enabled }) => [name, id, enabled]).sort()).toEqual([
        ['a', ids.a, false],
        ['b', ids.b, true],
        ['c', ids.c, true],
      ]);
      expect((await catalog())[0]?.events).toHaveLength(2);
    },
  );
});

describe('a system key', () => {
  const emitWith = (systemKey: string) =>
    app.request('POST', '/api/events/emit', {
      as: asApplication(admin, systemKey),
      body: { appIdentifier: 'shop', event: 'order.created', payload: { total: 1 } },
    });

  verifies(
    'applications.system-key',
    'is shown once, stored as a hash, and listed by prefix and last use',
    async () => {
      const { body } = await install();
      const secret = body.systemKey.slice(16);
      for (const answer of [await detail(), await app.request('GET', '/api/applications', { as: admin })]) {
        expect(answer.text).not.toContain(secret);
        expect(answer.text).toContain(body.systemKey.slice(0, 16));
      }
      const [stored] = await app.sql<object>('select * from system_key where public_id = $1', [
        body.systemKey.slice(4, 16),
      ]);
      expect(JSON.stringify(stored)).not.toContain(secret);
      expect((await emitWith(body.systemKey)).status).toBe(200);
      const { systemKeyLastUsedAt } = (await detail()).body;
      expect(systemKeyLastUsedAt).not.toBeNull();
      await emitWith(body.systemKey);
      expect((await detail()).body.systemKeyLastUsedAt).toBe(systemKeyLastUsedAt);
    },
  );

  verifies('applications.system-key.rotation', 'stops working at once when it is rotated', async () => {
    const { body } = await install();
    const rotated = await rotate();
    expect(rotated.status).toBe(201);
    expect(rotated.body.systemKeyPrefix).toBe(rotated.body.systemKey.slice(0, 16));
    expect(await emitWith(body.systemKey)).toMatchObject({
      status: 401,
      body: { message: 'This system key was replaced or revoked, or the API key that made it has ended' },
    });
    expect((await emitWith(rotated.body.systemKey)).status).toBe(200);
    expect((await detail()).body.systemKeyPrefix).toBe(rotated.body.systemKeyPrefix);
  });

  verifies(
    'applications.system-key.overlap',
    'is valid beside a second one until it is revoked',
    async () => {
      const { body } = await install();
      const keys = '/api/applications/shop/system-keys';
      const create = () => app.request<CreatedSystemKey>('POST', keys, { as: admin });
      const list = async () => (await app.request<SystemKeyPage>('GET', keys, { as: admin })).body.items;
      const statuses = (...used: string[]) =>
        Promise.all(used.map(async (key) => (await emitWith(key)).status));

      const second = await create();
      expect(second.status).toBe(201);
      expect(await statuses(body.systemKey, second.body.systemKey)).toEqual([200, 200]);
      const [newest, oldest] = await list();
      expect([newest?.prefix, oldest?.prefix]).toEqual([
        second.body.systemKey.slice(0, 16),
        body.systemKey.slice(0, 16),
      ]);
      expect([newest?.lastUsedAt, oldest?.lastUsedAt]).not.toContain(null);
      const third = await create();
      expect(third.status).toBe(409);
      expect(third.body).toMatchObject({
        message: 'Application shop has two valid system keys: revoke one of them first',
      });

      const revoke = (id = '') => app.request('DELETE', `${keys}/${id}`, { as: admin });
      expect((await revoke(oldest?.id)).status).toBe(204);
      expect((await revoke(oldest?.id)).status).toBe(404);
      expect(await statuses(body.systemKey, second.body.systemKey)).toEqual([401, 200]);
      expect(await list()).toHaveLength(1);
      const log = await app.request<Page<AuditEntry>>('GET', '/api/audit?limit=2', { as: admin });
      expect(log.body.items.map(({ action, details }) => [action, details.prefix])).toEqual([
        ['application.revoke-key', oldest?.prefix],
        ['application.create-key', newest?.prefix],
      ]);
      expect(log.text).not.toContain(second.body.systemKey.slice(16));

      // At most two, also when several are created at once.
      await Promise.all([create(), create(), create()]);
      expect(await list()).toHaveLength(2);
    },
  );

  it('that is wrong in its secret or its checksum is 401', async () => {
    const { body } = await install();
    const { body: other } = await install(shopManifest(), await app.addUser('ADMIN', null));
    const swapped = `${body.systemKey.slice(0, 16)}${other.systemKey.slice(16)}`;
    const typo = `${body.systemKey.slice(0, -1)}${body.systemKey.endsWith('0') ? '1' : '0'}`;
    for (const key of [swapped, typo, 'app_', `pk_${body.systemKey.slice(4)}`]) {
      expect((await emitWith(key)).status).toBe(401);
    }
  });

  it('of an uninstalled application says so, and the one before a new installation is 401', async () => {
    const { body } = await install();
    await uninstall();
    expect(await emitWith(body.systemKey)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const again = await install();
    expect((await emitWith(body.systemKey)).status).toBe(401);
    expect((await emitWith(again.body.systemKey)).status).toBe(200);
  });

  verifies(
    ['applications.system-key.emit-only', 'access.roles'],
    'is 403 on every route except emit',
    async () => {
      const { body } = await install();
      const as = asApplication(admin, body.systemKey);
      const refused: string[] = [];
      const guarded = app
        .get(RouteTableRegistry)
        .all()
        .filter(({ rule }) => rule !== 'public');
      for (const { method, path, rule } of guarded) {
        const url = path.replaceAll(/:\w+/g, UNKNOWN_ID).replace(':identifier', 'shop');
        const sent = method === 'GET' ? {} : { body: {} };
        const { status } = await app.request(method, url, { as, ...sent });
        if (status === 403) refused.push(path);
        else expect([rule, status]).toEqual(['application', 400]);
      }
      const own = guarded.filter(({ rule }) => rule === 'application');
      expect(own.map(({ path }) => path)).toEqual(['/api/events/emit', '/api/events/emit-batch']);
      expect(refused).toHaveLength(guarded.length - own.length);
    },
  );
});

describe('a lost response to COMMIT', () => {
  let commits: LostCommits;
  beforeEach(() => {
    commits = new LostCommits(app.get(DataSource));
  });
  afterEach(() => commits.restore());

  verifies(
    'applications.faults',
    'of an installation, upgrade, rotation, or uninstallation is found out',
    async () => {
      commits.next(/insert into "?application_manifest/i);
      const { status, body } = await install();
      expect(status).toBe(201);
      const emit = { appIdentifier: 'shop', event: 'order.created', payload: { total: 1 } };
      const as = asApplication(admin, body.systemKey);
      expect((await app.request('POST', '/api/events/emit', { as, body: emit })).status).toBe(200);

      commits.next(/update "?application_manifest/i);
      const upgraded = await upgrade(shopManifest({ version: '2' }));
      expect([upgraded.status, upgraded.body.application.version]).toEqual([200, '2']);

      commits.next(/insert into "?system_key/i);
      const rotated = await rotate();
      expect(rotated.status).toBe(201);
      expect((await detail()).body.systemKeyPrefix).toBe(rotated.body.systemKeyPrefix);

      commits.next(/update application set uninstalled_at/i);
      expect((await uninstall()).status).toBe(204);
      expect(commits.lost).toBe(4);
    },
  );
});
