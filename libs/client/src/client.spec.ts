import { answer, TestServer } from '../test/test-server.ts';
import { PlatformClient } from './client.ts';
import { paginate } from './pagination.ts';
import { path, formatQuery } from './url.ts';
import { randomUuid } from './uuid.ts';

const EVENT = { appIdentifier: 'shop', event: 'order.created', payload: { total: 1 } };
const SUBSCRIPTION = { applicationIdentifier: 'shop', event: 'order.created', taskId: 't' };
const RETRY = { action: 'retry', select: { status: 'FAILED' } } as const;
const PERIOD = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
const TASK = { name: 'n', type: 'MANUAL' as const, workflow: { steps: [] } };
const TOOL = { name: 'Pets', serverUrl: 'https://pets.example.com' };
const METHOD = { name: 'getPet', httpMethod: 'get', path: '/pets/{id}', inputSchema: { type: 'object' } };
const MANIFEST = { identifier: 'shop', name: 'Shop', version: '1' };
const ORDERS = { applicationIdentifier: 'shop', table: 'orders' };

const globals = globalThis as Record<string, unknown>;

describe('PlatformClient', () => {
  afterEach(() => {
    delete globals.window;
    delete globals.document;
  });

  function pretendBrowser(): void {
    globals.window = globalThis;
    globals.document = {};
  }

  it('rejects an API key in a browser unless it is explicitly allowed', () => {
    pretendBrowser();
    const options = { baseUrl: '', apiKey: 'pk_1' };
    expect(() => new PlatformClient(options)).toThrow('An API key must not be used in a browser');
    expect(() => new PlatformClient({ ...options, dangerouslyAllowApiKeyInBrowser: true })).not.toThrow();
    expect(() => new PlatformClient({ baseUrl: '', accessToken: 't' })).not.toThrow();
  });

  it('rejects two credentials, and an empty base URL outside a browser', () => {
    expect(() => new PlatformClient({ baseUrl: 'http://x', apiKey: 'k', accessToken: 't' })).toThrow(
      'not both',
    );
    expect(() => new PlatformClient({ baseUrl: '', apiKey: 'k' })).toThrow('baseUrl');
  });

  it.each([
    ['', '/api/agents?limit=5'],
    ['http://host:1/', 'http://host:1/api/agents?limit=5'],
    ['https://host/platform', 'https://host/platform/api/agents?limit=5'],
  ])('sends requests to the base URL %p', async (baseUrl, expected) => {
    const called: unknown[] = [];
    const client = new PlatformClient({
      baseUrl,
      headers: { 'X-App': 'shop' },
      fetch: async (input, init) => {
        called.push([input, new Headers(init?.headers).get('X-App')]);
        return Response.json({ items: [], nextCursor: null });
      },
    });
    await client.agents.list({ limit: 5 });
    expect(called).toEqual([[expected, 'shop']]);
  });

  it('uses the documented path of every resource', async () => {
    const server = await new TestServer().start();
    server.handle = (_, response) => answer(response, 200, {});
    try {
      const client = new PlatformClient({ baseUrl: server.url, apiKey: 'pk_1' });
      const { agents, apiKeys, audit, auth, invitations, jobs, members, models, spaces, usage } = client;
      const { applications, data, events, inbox, runs, tasks, tools, turns, webhookSecret, webhooks } =
        client;
      const agent = { name: 'a', model: 'm', systemPrompt: 's' };
      const cases: [Promise<unknown>, string, unknown?][] = [
        [
          agents.list({ accessibleOnly: true, limit: 2, cursor: 'c=' }),
          'GET /api/agents?accessibleOnly=true&limit=2&cursor=c%3D',
        ],
        [agents.list({ text: 'a b', sort: '-updatedAt' }), 'GET /api/agents?text=a+b&sort=-updatedAt'],
        [agents.get('a/1'), 'GET /api/agents/a%2F1'],
        [agents.create(agent), 'POST /api/agents', agent],
        [agents.update('a', { version: 3 }), 'PATCH /api/agents/a', { version: 3 }],
        [agents.delete('a'), 'DELETE /api/agents/a'],
        [agents.access('a', { userId: 'u' }), 'GET /api/agents/a/access?userId=u'],
        [agents.versions('a'), 'GET /api/agents/a/versions'],
        [agents.restoreVersion('a', 4), 'POST /api/agents/a/versions/4/restore', {}],
        [
          agents.chat('a', { contents: [], stream: true }),
          'POST /api/agents/a/chat',
          { contents: [], stream: false },
        ],
        [agents.turn('a', 't'), 'GET /api/agents/a/turns/t'],
        [turns.list({ status: 'FAILED', scope: 'space' }), 'GET /api/turns?status=FAILED&scope=space'],
        [turns.trace('a', 't'), 'GET /api/agents/a/turns/t/trace'],
        [agents.sessions('a', { limit: 1 }), 'GET /api/agents/a/sessions?limit=1'],
        [agents.session('a', 'my session?'), 'GET /api/agents/a/sessions/my%20session%3F'],
        [agents.renameSession('a', 's', { title: 'T' }), 'PATCH /api/agents/a/sessions/s', { title: 'T' }],
        [agents.deleteSession('a', 's'), 'DELETE /api/agents/a/sessions/s'],
        [agents.messages('a', 's'), 'GET /api/agents/a/sessions/s/messages'],
        [
          agents.execute('a', { inputs: { query: 'q' }, stream: true }),
          'POST /api/agents/a/execute',
          { inputs: { query: 'q' }, stream: false },
        ],
        [
          agents.cancel('a', 't', { sessionId: 's' }),
          'POST /api/agents/a/turns/t/cancel',
          { sessionId: 's' },
        ],
        [
          agents.answerLocalToolCall('a', 't', 'c', { result: null }),
          'POST /api/agents/a/turns/t/local-tools/c',
          { result: null },
        ],
        [agents.pendingInteractions('a', 's'), 'GET /api/agents/a/sessions/s/interactions/pending'],
        [agents.attachment('a', 's', 'x'), 'GET /api/agents/a/sessions/s/attachments/x'],
        [agents.context.status('a', 's'), 'POST /api/agents/a/sessions/s/context/status', {}],
        [agents.context.compact('a', 's'), 'POST /api/agents/a/sessions/s/context/compact', {}],
        [
          agents.context.compact('a', 's', { dryRun: true }),
          'POST /api/agents/a/sessions/s/context/compact?dryRun=true',
          {},
        ],
        [agents.context.undo('a', 's'), 'POST /api/agents/a/sessions/s/context/undo', {}],
        [
          jobs.create({ agentId: 'a', contents: [], timeoutMs: 1000 }),
          'POST /api/agent-jobs',
          { agentId: 'a', contents: [], timeoutMs: 1000 },
        ],
        [jobs.list({ status: 'RUNNING', agentId: 'a' }), 'GET /api/agent-jobs?status=RUNNING&agentId=a'],
        [jobs.get('j'), 'GET /api/agent-jobs/j'],
        [jobs.getWithInput('j'), 'GET /api/agent-jobs/j?include=input'],
        [jobs.waitForChange('j'), 'GET /api/agent-jobs/j'],
        [jobs.waitForChange('j', { waitMs: 500 }), 'GET /api/agent-jobs/j?waitMs=500'],
        [jobs.cancel('j'), 'POST /api/agent-jobs/j/cancel', {}],
        [auth.me(), 'GET /api/auth/me'],
        [
          auth.changePassword({ currentPassword: 'x', newPassword: 'y' }),
          'POST /api/auth/password',
          { currentPassword: 'x', newPassword: 'y' },
        ],
        [client.savedViews.list({ page: 'runs' }), 'GET /api/saved-views?page=runs'],
        [
          client.savedViews.create({ page: 'runs', name: 'n', query: '' }),
          'POST /api/saved-views',
          { page: 'runs', name: 'n', query: '' },
        ],
        [client.savedViews.update('a/b', { name: 'n' }), 'PATCH /api/saved-views/a%2Fb', { name: 'n' }],
        [client.savedViews.delete('a/b'), 'DELETE /api/saved-views/a%2Fb'],
        [spaces.list(), 'GET /api/spaces'],
        [spaces.create({ name: 'n' }), 'POST /api/spaces', { name: 'n' }],
        [
          auth.changePassword({ currentPassword: 'x', newPassword: 'y', revokeApiKeys: 'all' }),
          'POST /api/auth/password',
          { currentPassword: 'x', newPassword: 'y', revokeApiKeys: 'all' },
        ],
        [auth.apiKeys({ limit: 2 }), 'GET /api/auth/api-keys?limit=2'],
        [auth.invitations(), 'GET /api/auth/invitations'],
        [auth.acceptInvitation('i/1'), 'POST /api/auth/invitations/i%2F1/accept', {}],
        [auth.declineInvitation('i'), 'POST /api/auth/invitations/i/decline', {}],
        [invitations.list({ cursor: 'c' }), 'GET /api/invitations?cursor=c'],
        [invitations.withdraw('i'), 'DELETE /api/invitations/i'],
        [members.list(), 'GET /api/members'],
        [members.add({ email: 'e', role: 'MEMBER' }), 'POST /api/members', { email: 'e', role: 'MEMBER' }],
        [members.update('u', { role: 'ADMIN' }), 'PATCH /api/members/u', { role: 'ADMIN' }],
        [
          members.update('u', { installationAdmin: false }),
          'PATCH /api/members/u',
          { installationAdmin: false },
        ],
        [members.remove('u'), 'DELETE /api/members/u'],
        [members.remove('u', { transferTo: 'v' }), 'DELETE /api/members/u?transferTo=v'],
        [members.previewRemoval('u', { transferTo: 'v' }), 'GET /api/members/u/removal?transferTo=v'],
        [apiKeys.list(), 'GET /api/api-keys'],
        [
          apiKeys.create({ name: 'k', scopes: ['use'] }),
          'POST /api/api-keys',
          { name: 'k', scopes: ['use'] },
        ],
        [apiKeys.delete('k'), 'DELETE /api/api-keys/k'],
        [models.list(), 'GET /api/models'],
        [models.create({ name: 'm' }), 'POST /api/models', { name: 'm' }],
        [models.update('m', { name: 'n' }), 'PATCH /api/models/m', { name: 'n' }],
        [models.delete('m'), 'DELETE /api/models/m'],
        [models.test('m'), 'POST /api/models/m/test', {}],
        [models.listAvailable({ modelId: 'm' }), 'POST /api/models/available', { modelId: 'm' }],
        [
          audit.list({ actor: 'u', from: '2026-01-01T00:00:00Z' }),
          'GET /api/audit?actor=u&from=2026-01-01T00%3A00%3A00Z',
        ],
        [client.notifications.listChannels(), 'GET /api/notifications/channels'],
        [client.notifications.getChannel('c'), 'GET /api/notifications/channels/c'],
        [client.notifications.deleteChannel('c'), 'DELETE /api/notifications/channels/c'],
        [client.notifications.testChannel('c'), 'POST /api/notifications/channels/c/test'],
        [
          client.notifications.listDeliveries({ status: 'FAILED' }),
          'GET /api/notifications/deliveries?status=FAILED',
        ],
        [client.notifications.getDelivery('d'), 'GET /api/notifications/deliveries/d'],
        [client.notifications.resend('d'), 'POST /api/notifications/deliveries/d/resend'],
        [client.notifications.getPlatformEvents(), 'GET /api/notifications/events'],
        [
          client.notifications.updatePlatformEvents({ enabled: true }),
          'PUT /api/notifications/events',
          { enabled: true },
        ],
        [client.connections.list({ limit: 5 }), 'GET /api/connections?limit=5'],
        [client.connections.get('c'), 'GET /api/connections/c'],
        [
          client.connections.create({ providerId: 'p', secret: 's' }),
          'POST /api/connections',
          { providerId: 'p', secret: 's' },
        ],
        [client.connections.rename('c', 'n'), 'PATCH /api/connections/c', { name: 'n' }],
        [client.connections.test('c'), 'POST /api/connections/c/test', {}],
        [client.connections.revoke('c'), 'DELETE /api/connections/c'],
        [
          client.connections.authorize({ providerId: 'p' }),
          'POST /api/connections/authorize',
          { providerId: 'p' },
        ],
        [client.connections.presets(), 'GET /api/connections/presets'],
        [client.connections.discover('https://m'), 'POST /api/connections/discover', { url: 'https://m' }],
        [client.connections.listProviders(), 'GET /api/connections/providers'],
        [client.connections.getProvider('p'), 'GET /api/connections/providers/p'],
        [
          client.connections.createProvider({ name: 'n', kind: 'bearer', origins: ['https://a'] }),
          'POST /api/connections/providers',
          { name: 'n', kind: 'bearer', origins: ['https://a'] },
        ],
        [
          client.connections.updateProvider('p', { name: 'm' }),
          'PATCH /api/connections/providers/p',
          { name: 'm' },
        ],
        [client.connections.deleteProvider('p'), 'DELETE /api/connections/providers/p'],
        [client.mcp.getOffers(), 'GET /api/mcp/offers'],
        [
          client.mcp.updateOffers({ agents: ['a'], tasks: [], tools: [] }),
          'PUT /api/mcp/offers',
          { agents: ['a'], tasks: [], tools: [] },
        ],
        [
          webhooks.listDeliveries({ status: 'FAILED', jobId: 'j' }),
          'GET /api/webhook-deliveries?status=FAILED&jobId=j',
        ],
        [webhooks.getDelivery('d'), 'GET /api/webhook-deliveries/d'],
        [webhooks.retry('d', { attempts: 8 }), 'POST /api/webhook-deliveries/d/retry', { attempts: 8 }],
        [
          webhooks.test({ url: 'https://a.example' }),
          'POST /api/webhooks/test',
          { url: 'https://a.example' },
        ],
        [webhookSecret.get(), 'GET /api/webhook-secret'],
        [webhookSecret.rotate(), 'POST /api/webhook-secret'],
        [usage.storage(), 'GET /api/storage'],
        [
          usage.setStorageQuotas({ eventBytes: 5, rowBytes: null }),
          'PUT /api/storage/quotas',
          { eventBytes: 5, rowBytes: null },
        ],
        [usage.balance(), 'GET /api/usage/balance'],
        [
          usage.entries({ source: 'chat', userId: 'u', limit: 3 }),
          'GET /api/usage/entries?source=chat&userId=u&limit=3',
        ],
        [
          usage.summary({ window: '24h', groupBy: 'model' }),
          'GET /api/usage/summary?window=24h&groupBy=model',
        ],
        [events.catalog(), 'GET /api/events/catalog'],
        [
          events.emitTest('shop', 'order.created', { payload: { a: 1 } }),
          'POST /api/events/catalog/shop/order.created/test',
          { payload: { a: 1 } },
        ],
        [agents.list({ toolId: 't', limit: 2 }), 'GET /api/agents?toolId=t&limit=2'],
        [events.emit(EVENT), 'POST /api/events/emit', EVENT],
        [
          events.subscriptions({ event: 'order.created', taskId: 't' }),
          'GET /api/events/subscriptions?event=order.created&taskId=t',
        ],
        [events.subscription('s'), 'GET /api/events/subscriptions/s'],
        [events.createSubscription(SUBSCRIPTION), 'POST /api/events/subscriptions', SUBSCRIPTION],
        [
          events.updateSubscription('s', { filter: null, enabled: false }),
          'PATCH /api/events/subscriptions/s',
          { filter: null, enabled: false },
        ],
        [events.deleteSubscription('s'), 'DELETE /api/events/subscriptions/s'],
        [
          events.previewFilter({ applicationIdentifier: 'shop', event: 'e.f', filter: { a: [] } }),
          'POST /api/events/subscriptions/preview',
          { applicationIdentifier: 'shop', event: 'e.f', filter: { a: [] } },
        ],
        [
          events.envelopes({ status: 'FAILED', from: '2026-01-01T00:00:00Z' }),
          'GET /api/events/envelopes?status=FAILED&from=2026-01-01T00%3A00%3A00Z',
        ],
        [events.envelope('e'), 'GET /api/events/envelopes/e'],
        [events.replay('e'), 'POST /api/events/envelopes/e/replay', {}],
        [events.erasePayload('e'), 'POST /api/events/envelopes/e/erase-payload'],
        [events.previewBulkReplay(PERIOD), 'POST /api/events/replays/preview', PERIOD],
        [
          events.createBulkReplay({ ...PERIOD, perSecond: 5 }),
          'POST /api/events/replays',
          { ...PERIOD, perSecond: 5 },
        ],
        [events.bulkReplay('r'), 'GET /api/events/replays/r'],
        [events.bulkReplays({ limit: 2 }), 'GET /api/events/replays?limit=2'],
        [events.stopBulkReplay('r'), 'DELETE /api/events/replays/r'],
        [events.summary({ window: '7d' }), 'GET /api/events/summary?window=7d'],
        [tasks.list({ type: 'EVENT' }), 'GET /api/tasks?type=EVENT'],
        [tasks.get('t'), 'GET /api/tasks/t'],
        [tasks.create(TASK), 'POST /api/tasks', TASK],
        [tasks.update('t', { enabled: false }), 'PATCH /api/tasks/t', { enabled: false }],
        [tasks.delete('t'), 'DELETE /api/tasks/t'],
        [tasks.run('t', { inputs: { n: 1 } }), 'POST /api/tasks/t/run', { inputs: { n: 1 } }],
        [tasks.test('t', { effects: 'none' }), 'POST /api/tasks/t/test', { effects: 'none' }],
        [tasks.runs('t', { status: 'FAILED' }), 'GET /api/tasks/t/runs?status=FAILED'],
        [
          tasks.schedulePreview({ cron: '0 9 * * 1', timezone: 'UTC', overlap: 'skip' }),
          'POST /api/tasks/schedule-preview',
          { cron: '0 9 * * 1', timezone: 'UTC' },
        ],
        [tasks.versions('t', { limit: 5 }), 'GET /api/tasks/t/versions?limit=5'],
        [tasks.version('t', 3), 'GET /api/tasks/t/versions/3'],
        [tasks.compareVersions('t', 3, { to: 4 }), 'GET /api/tasks/t/versions/3/diff?to=4'],
        [tasks.restoreVersion('t', 3), 'POST /api/tasks/t/versions/3/restore', {}],
        [tasks.scheduledTimes('t', { limit: 5 }), 'GET /api/tasks/t/schedule/times?limit=5'],
        [inbox.list({ status: 'ANSWERED' }), 'GET /api/inbox?status=ANSWERED'],
        [inbox.count(), 'GET /api/inbox/count'],
        [inbox.get('q'), 'GET /api/inbox/q'],
        [inbox.answer('q', { approved: true }), 'POST /api/inbox/q/answer', { approved: true }],
        [runs.list({ status: 'RUNNING' }), 'GET /api/runs?status=RUNNING'],
        [runs.get('r'), 'GET /api/runs/r'],
        [runs.cancel('r'), 'POST /api/runs/r/cancel', {}],
        [runs.retry('r'), 'POST /api/runs/r/retry', {}],
        [runs.previewRetry('r', { from: 'a' }), 'GET /api/runs/r/retry?from=a'],
        [runs.failures({ taskId: 't' }), 'GET /api/runs/failures?taskId=t'],
        [runs.previewBulkAction(RETRY), 'POST /api/runs/bulk/preview', RETRY],
        [runs.startBulkAction(RETRY), 'POST /api/runs/bulk', RETRY],
        [runs.bulkAction('b'), 'GET /api/runs/bulk/b'],
        [runs.bulkActions({ limit: 2 }), 'GET /api/runs/bulk?limit=2'],
        [runs.stopBulkAction('b'), 'DELETE /api/runs/bulk/b'],
        [applications.list(), 'GET /api/applications'],
        [applications.get('shop'), 'GET /api/applications/shop'],
        [applications.install(MANIFEST), 'POST /api/applications', MANIFEST],
        [applications.upgrade('shop', MANIFEST), 'PUT /api/applications/shop', MANIFEST],
        [
          applications.upgrade('shop', MANIFEST, { dryRun: true }),
          'PUT /api/applications/shop?dryRun=true',
          MANIFEST,
        ],
        [applications.uninstall('shop'), 'DELETE /api/applications/shop'],
        [applications.rotateKey('shop'), 'POST /api/applications/shop/system-key', {}],
        [applications.systemKeys('shop'), 'GET /api/applications/shop/system-keys'],
        [applications.createSystemKey('shop'), 'POST /api/applications/shop/system-keys', {}],
        [applications.revokeSystemKey('shop', 'k'), 'DELETE /api/applications/shop/system-keys/k'],
        [tools.list({ limit: 5 }), 'GET /api/tools?limit=5'],
        [tools.get('t'), 'GET /api/tools/t'],
        [tools.create(TOOL), 'POST /api/tools', TOOL],
        [tools.update('t', { name: 'n' }), 'PATCH /api/tools/t', { name: 'n' }],
        [tools.update('t', {}, { test: true }), 'PATCH /api/tools/t?test=true', {}],
        [tools.delete('t'), 'DELETE /api/tools/t'],
        [tools.addMethods('t', [METHOD]), 'POST /api/tools/t/methods', { methods: [METHOD] }],
        [
          tools.changeMethods('t', { updatedAt: 'u', remove: ['m'] }),
          'PATCH /api/tools/t/methods',
          { updatedAt: 'u', remove: ['m'] },
        ],
        [
          tools.updateMethod('t', 'm', { enabled: false }),
          'PATCH /api/tools/t/methods/m',
          { enabled: false },
        ],
        [tools.deleteMethod('t', 'm'), 'DELETE /api/tools/t/methods/m'],
        [
          tools.invoke('t', 'm', { input: { id: 1 } }),
          'POST /api/tools/t/methods/m/invoke',
          { input: { id: 1 } },
        ],
        [tools.getSpeech(), 'GET /api/tools/speech'],
        [tools.updateSpeech({ region: 'r' }), 'PUT /api/tools/speech', { region: 'r' }],
        [data.list(ORDERS, { limit: 1 }), 'GET /api/data/shop/orders/rows?limit=1'],
        [data.create(ORDERS, { total: 1 }), 'POST /api/data/shop/orders/rows', { total: 1 }],
        [
          data.createMany(ORDERS, [{ total: 1 }]),
          'POST /api/data/shop/orders/rows/batch',
          { rows: [{ total: 1 }] },
        ],
        [data.update(ORDERS, 'r', { total: 2 }), 'PATCH /api/data/shop/orders/rows/r', { total: 2 }],
        [data.delete(ORDERS, 'r/1'), 'DELETE /api/data/shop/orders/rows/r%2F1'],
        [usage.grant({ userId: 'u', tokens: 5 }), 'POST /api/usage/grants', { userId: 'u', tokens: 5 }],
      ];
      await Promise.all(cases.map(([call]) => call));
      const seen = server.seen.map(({ method, url, body }) => JSON.stringify([`${method} ${url}`, body]));
      const expected = cases.map(([, call, body]) => JSON.stringify([call, body]));
      expect(seen.sort()).toEqual(expected.sort());
    } finally {
      await server.stop();
    }
  });

  it('accepts an empty response', async () => {
    const fetch = async () => new Response(null, { status: 204 });
    await expect(
      new PlatformClient({ baseUrl: 'http://x', fetch }).agents.delete('a'),
    ).resolves.toBeUndefined();
  });
});

describe('paginate', () => {
  it('yields the items of all pages and loads pages lazily', async () => {
    const asked: (string | undefined)[] = [];
    const pages = paginate(async (cursor) => {
      asked.push(cursor);
      if (cursor === undefined) return { items: [1, 2], nextCursor: 'b' };
      return cursor === 'b' ? { items: [], nextCursor: 'c' } : { items: [3], nextCursor: null };
    });
    const items: number[] = [];
    for await (const item of pages) {
      items.push(item);
      if (item === 2) expect(asked).toEqual([undefined]);
    }
    expect(items).toEqual([1, 2, 3]);
    expect(asked).toEqual([undefined, 'b', 'c']);
  });
});

describe('paths', () => {
  it('encode every value as one segment', () => {
    expect(path`/a/${'x/../y?z#'}/b/${7}`).toBe('/a/x%2F..%2Fy%3Fz%23/b/7');
  });

  it.each(['', '.', '..'])('reject %p, which would address another resource', (id) => {
    expect(() => path`/a/${id}`).toThrow(TypeError);
  });

  it('contain the present values as a query', () => {
    expect(formatQuery({ a: 0, b: false, c: '', d: undefined, e: null, f: 'x y&' })).toBe(
      '?a=0&b=false&c=&f=x+y%26',
    );
    expect(formatQuery({ a: undefined })).toBe('');
  });
});

describe('randomUuid', () => {
  it('is a version 4 UUID, also on a page without HTTPS', () => {
    const insecure = { getRandomValues: crypto.getRandomValues.bind(crypto) };
    const uuids = [randomUuid(), randomUuid(insecure), randomUuid(insecure)];
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uuids).size).toBe(3);
  });
});
