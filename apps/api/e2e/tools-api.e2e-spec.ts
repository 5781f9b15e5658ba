import { randomUUID } from 'node:crypto';
import type {
  Agent,
  AgentTool,
  AuditEntry,
  CreateToolRequest,
  Page,
  Step,
  Tool,
  SavedTool,
  ToolInvocation,
  ToolListing,
  ToolMethod,
  ToolMethodRequest,
  ToolStep,
} from '@platform/contracts';
import { startEchoServer, type EchoServer } from './fixtures/echo-server.ts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type Answer, type RequestInit, type TestUser } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { EventBus } from './harness/event-bus.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

const SECRET = 'canary-5up3r-s3cr3t-0f-a-t00l';
const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

let app: TestApp;
let echo: EchoServer;
beforeAll(async () => {
  echo = await startEchoServer();
  app = await TestApp.start();
});
afterAll(async () => {
  await app.close();
  await echo.close();
});
beforeEach(() => {
  echo.requests.length = 0;
});

let count = 0;
const GET_PET: ToolMethodRequest = {
  name: 'getPet',
  description: 'Returns a pet',
  httpMethod: 'get',
  path: '/pets/{id}',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string', isPort: true }, tag: { type: 'string', isPort: true } },
    required: ['id'],
  },
  bindings: [
    { port: 'id', in: 'path', name: 'id' },
    { port: 'tag', in: 'query', name: 'tag' },
  ],
};
const STATUS: ToolMethodRequest = {
  name: 'status',
  httpMethod: 'post',
  path: '/status/{code}',
  inputSchema: { type: 'object', properties: { code: { type: 'integer' } }, required: ['code'] },
  bindings: [{ port: 'code', in: 'path', name: 'code' }],
};

const call = <Body = Tool>(method: string, path: string, init: RequestInit = {}): Promise<Answer<Body>> =>
  app.request<Body>(method, `/api/tools${path}`, init);

async function create(change: Partial<CreateToolRequest> = {}): Promise<Tool> {
  const body = { name: `Pets ${++count}`, serverUrl: echo.url, methods: [GET_PET, STATUS], ...change };
  const answer = await call('POST', '', { body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

const invoke = (tool: string, method: string, input: object, init: RequestInit = {}) =>
  call<ToolInvocation>('POST', `/${tool}/methods/${method}/invoke`, { body: { input }, ...init });

describe('the management of tools', () => {
  verifies('http-tools.crud', 'stores what was sent, with defaults for the rest', async () => {
    const tool = await create({ name: 'Pet store', description: 'Pets', methods: [GET_PET] });
    const expected = {
      ...GET_PET,
      serverUrl: null,
      outputSchema: { type: 'object', properties: {} },
      outputFields: null,
      bodyMediaType: null,
      encoding: null,
      operationKey: 'GET /pets/{id}',
      acts: false,
      imported: null,
      cache: { ttlSeconds: 0 },
      retry: { attempts: 2, backoffMs: 500 },
      timeoutMs: 30_000,
      enabled: true,
      policy: null,
      deprecated: false,
      pending: null,
    };
    expect(tool).toEqual({
      id: expect.any(String),
      name: 'Pet store',
      description: 'Pets',
      kind: 'http',
      serverUrl: echo.url,
      redirects: 'same-origin',
      idempotency: { header: 'Idempotency-Key', isHonored: false },
      auth: { type: 'none' },
      methodCount: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      methods: [expected],
    });
    expect((await call('GET', `/${tool.id}`)).body).toEqual(tool);
    const sameName = await call('POST', '', { body: { name: 'pet STORE', serverUrl: echo.url } });
    expect([sameName.status, sameName.text]).toEqual([409, expect.stringContaining('already exists')]);
    const other = await create();
    expect((await call('PATCH', `/${other.id}`, { body: { name: 'PET store' } })).status).toBe(409);
    const idempotency = { header: 'X-Request-Key', isHonored: true };
    const change = { name: 'Zoo', description: '', redirects: 'none', idempotency };
    const renamed = await call('PATCH', `/${tool.id}`, { body: change });
    expect(renamed.body).toMatchObject({ ...change, methods: [expected] });
    expect((await call('DELETE', `/${tool.id}`)).status).toBe(204);
    expect((await call('GET', `/${tool.id}`)).status).toBe(404);
    expect(await app.sql('select 1 from tool_method where tool_id = $1', [tool.id])).toEqual([]);
  });

  verifies('http-tools.crud', 'adds, changes, and deletes methods', async () => {
    const { id } = await create({ methods: [GET_PET] });
    const added = await call('POST', `/${id}/methods`, { body: { methods: [STATUS] } });
    expect(added.body.methods.map(({ name }) => name)).toEqual(['getPet', 'status']);
    const clash = await call('POST', `/${id}/methods`, {
      body: { methods: [{ ...STATUS, name: 'GETPET' }] },
    });
    expect([clash.status, clash.text]).toEqual([409, expect.stringContaining('GETPET')]);
    const change = { name: 'readPet', cache: { ttlSeconds: 60 }, retry: { attempts: 2, backoffMs: 10 } };
    const changed = await call<ToolMethod>('PATCH', `/${id}/methods/getPet`, { body: change });
    expect(changed.body).toMatchObject({ ...change, path: '/pets/{id}', bindings: GET_PET.bindings });
    for (const outputFields of [['/id', '/tags/-/name'], null]) {
      const { body } = await call<ToolMethod>('PATCH', `/${id}/methods/readPet`, { body: { outputFields } });
      expect(body.outputFields).toEqual(outputFields);
    }
    const posts = await call<ToolMethod>('PATCH', `/${id}/methods/readPet`, { body: { httpMethod: 'POST' } });
    expect(posts.body.httpMethod).toBe('post');
    const taken = await call('PATCH', `/${id}/methods/readPet`, { body: { name: 'Status' } });
    expect(taken.status).toBe(409);
    expect((await call('DELETE', `/${id}/methods/readPet`)).status).toBe(204);
    expect((await call('DELETE', `/${id}/methods/readPet`)).status).toBe(404);
    expect((await call('GET', `/${id}`)).body.methods.map(({ name }) => name)).toEqual(['status']);
  });

  verifies('http-tools.crud', 'changes several methods together, or none of them', async () => {
    const tool = await create({ auth: { type: 'bearer', token: SECRET } });
    const { id, updatedAt } = tool;
    const change = (body: object) => call('PATCH', `/${id}/methods`, { body: { updatedAt, ...body } });
    const refused: [object, number, string][] = [
      [{ updatedAt: undefined }, 400, 'updatedAt'],
      [{ update: [{ name: 'getPet', change: { name: 'x' } }] }, 400, 'update[0].change.name cannot be'],
      [{ update: [{ name: 'getPet', change: { path: 'x' } }] }, 400, 'update[0].change.path must begin'],
      [
        {
          update: [
            { name: 'getPet', change: {} },
            { name: 'getPet', change: {} },
          ],
        },
        400,
        'given twice',
      ],
      [{ update: [{ name: 'getPet', change: {}, document: 1 }] }, 400, 'update[0].document'],
      [{ add: [{ ...STATUS, name: 'x', path: 'x' }] }, 400, 'add[0].path'],
      [{ add: Array.from({ length: 499 }, (_, i) => ({ ...STATUS, name: `m${i}` })) }, 400, 'not 501'],
      [{ remove: ['status'], add: [{ ...STATUS, name: 'GETPET' }] }, 409, 'GETPET'],
      [{ remove: ['status', 'status'] }, 404, 'no method status'],
      [{ remove: ['status'], update: [{ name: 'status', change: {} }] }, 404, 'no method status'],
      [{ remove: ['getPet'], update: [{ name: 'unknown', change: {} }] }, 404, 'no method unknown'],
    ];
    for (const [body, status, message] of refused) {
      const answer = await change(body);
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)]);
    }
    expect((await call('GET', `/${id}`)).body).toEqual(tool);

    const settings = { cache: { ttlSeconds: 9 }, timeoutMs: 5_000 };
    await call('PATCH', `/${id}/methods/getPet`, { body: settings });
    // Someone else has changed the tool since it was read.
    const outdated = await change({ remove: ['status'] });
    expect([outdated.status, outdated.body]).toMatchObject([
      409,
      { code: 'CONFLICT', message: expect.stringContaining('in the meantime') },
    ]);
    const current = (await call('GET', `/${id}`)).body;
    const imported = { description: 'Returns an animal' };
    const body = {
      updatedAt: current.updatedAt,
      add: [{ ...STATUS, name: 'STATUS' }],
      update: [{ name: 'getPet', change: { path: '/animals/{id}', imported } }],
      remove: ['status'],
    };
    const answers = await Promise.all([1, 2, 3].map(() => call('PATCH', `/${id}/methods`, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const changed = (await call('GET', `/${id}`)).body;
    expect(answers.find(({ status }) => status === 200)?.body).toEqual(changed);
    expect(changed).toMatchObject({
      auth: { type: 'bearer', configured: true },
      methods: [
        { ...GET_PET, ...settings, path: '/animals/{id}', imported },
        { ...STATUS, name: 'STATUS' },
      ],
    });
    const asMember = await call('PATCH', `/${id}/methods`, { as: app.member, body });
    expect(asMember.status).toBe(403);
    expect((await call('PATCH', '/current_time/methods', { body })).status).toBe(409);
  });

  verifies('http-tools.crud', 'keeps names unique and limits true when changes race', async () => {
    const body = { name: 'Race', serverUrl: echo.url };
    const created = await Promise.all(Array.from({ length: 8 }, () => call('POST', '', { body })));
    expect(created.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    const methods = Array.from({ length: 499 }, (_, i) => ({ ...GET_PET, name: `m${i}` }));
    const { id } = await create({ methods });
    const last = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        call('POST', `/${id}/methods`, { body: { methods: [{ ...GET_PET, name: `last${i}` }] } }),
      ),
    );
    expect(last.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(5).fill(400)]);
    expect((await call('GET', `/${id}`)).body.methodCount).toBe(500);
  });

  verifies('http-tools.crud', 'lists tools by page, and those of the platform last', async () => {
    const made = [await create(), await create(), await create()].map(({ id }) => id).reverse();
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: Answer<Page<ToolListing>> = await call(
        'GET',
        `?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      expect(body.items.length).toBeLessThanOrEqual(2);
      ids.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(ids.slice(0, 3)).toEqual(made);
    expect(ids.slice(-2)).toEqual(['current_time', 'speech_recognition']);
    expect(new Set(ids).size).toBe(ids.length);
    const platform = await call('GET', '/current_time');
    expect(platform.body).toMatchObject({ id: 'current_time', kind: 'builtin', methodCount: 1 });
    expect((await call('PATCH', '/current_time', { body: { name: 'x' } })).status).toBe(409);
    expect((await call('DELETE', '/speech_recognition')).status).toBe(409);
  });

  verifies('http-tools.bounds', 'names each field that is wrong', async () => {
    const big = { type: 'object', description: 'x'.repeat(256 * 1024) };
    const wrong: [Record<string, unknown>, string][] = [
      [{ serverUrl: 'ftp://example.com' }, 'serverUrl must be an http or https address'],
      [{ serverUrl: 'https://user:pass@example.com' }, 'serverUrl must not carry credentials'],
      [{ kind: 'speech' }, 'kind must be one of'],
      [{ redirects: 'all' }, 'redirects must be one of'],
      [{ idempotency: 'Key' }, 'idempotency must be an object'],
      [
        { idempotency: { header: 'Cookie', isHonored: false } },
        'idempotency.header must be null, or the name',
      ],
      [
        { idempotency: { header: null, isHonored: true } },
        'idempotency.isHonored must be false without a header',
      ],
      [{ idempotency: { header: 'Key' } }, 'idempotency.isHonored must be true or false'],
      [{ methods: [{ ...GET_PET, httpMethod: 'CONNECT' }] }, 'methods[0].httpMethod must be an HTTP method'],
      [{ document: {} }, 'document is not a known field'],
      [{ importUrl: 'https://example.com/openapi.json' }, 'importUrl is not a known field'],
      [{ auth: { type: 'oauth' } }, 'auth.type must be one of none, apiKey, bearer, basic, header'],
      [{ auth: { type: 'bearer', token: 'a\nb' } }, 'auth.token must contain only'],
      [{ auth: { type: 'header', name: 'Host', value: 'x' } }, 'auth.name must not be a header'],
      [{ auth: { type: 'apiKey', in: 'body', name: 'k' } }, 'auth.in must be header, query, or cookie'],
      [{ methods: [{ ...GET_PET, path: '@evil.example' }] }, 'methods[0].path must begin with /'],
      [{ methods: [GET_PET, { ...GET_PET, name: 'GetPet' }] }, 'methods[1].name is given twice'],
      [{ methods: [{ ...GET_PET, inputSchema: big }] }, 'methods[0].inputSchema must have at most'],
      [{ methods: [{ ...GET_PET, retry: { attempts: 6, backoffMs: 0 } }] }, 'methods[0].retry must have'],
      [{ methods: [{ ...GET_PET, timeoutMs: 1 }] }, 'methods[0].timeoutMs must be'],
      [
        { methods: [{ ...GET_PET, outputFields: [] }] },
        'methods[0].outputFields must be an array of 1 to 200',
      ],
      [{ methods: [{ ...GET_PET, outputFields: ['/a', 'b'] }] }, 'item 1 is none'],
      [{ methods: [{ ...GET_PET, outputFields: Array(201).fill('/a') }] }, 'must be an array of 1 to 200'],
      [{ methods: [{ ...GET_PET, outputFields: [`/${'x'.repeat(500)}`] }] }, 'item 0 is none'],
      [{ methods: Array.from({ length: 501 }, () => GET_PET) }, 'at most 500'],
    ];
    for (const [change, message] of wrong) {
      const answer = await call('POST', '', { body: { name: 'Wrong', serverUrl: echo.url, ...change } });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
    }
    const { id } = await create({ methods: [GET_PET] });
    const halves = { inputSchema: { a: 'x'.repeat(140_000) }, outputSchema: { a: 'x'.repeat(140_000) } };
    for (const body of [halves, { path: 'x' }, { unknown: 1 }]) {
      expect((await call('PATCH', `/${id}/methods/getPet`, { body })).status).toBe(400);
    }
    expect((await call('POST', `/${id}/methods`, { body: { methods: [] } })).status).toBe(400);
    const many = Array.from({ length: 500 }, (_, i) => ({ ...GET_PET, name: `m${i}` }));
    const tooMany = await call('POST', `/${id}/methods`, { body: { methods: many } });
    expect([tooMany.status, tooMany.text]).toEqual([400, expect.stringContaining('not 501')]);
    const full = await create({ methods: many });
    expect(full.methods.map(({ name }) => name)).toEqual(many.map(({ name }) => name));
  });

  verifies(
    'http-tools.roles',
    'members view and call; admins change; other spaces are shut out',
    async () => {
      const { id } = await create();
      const as = app.member;
      expect((await call('GET', '', { as })).status).toBe(200);
      expect((await call('GET', `/${id}`, { as })).status).toBe(200);
      expect((await invoke(id, 'getPet', { id: '1' }, { as })).status).toBe(200);
      expect((await call('POST', '', { as, body: {} })).status).toBe(403);
      expect((await call('PATCH', `/${id}`, { as, body: {} })).status).toBe(403);
      expect((await call('DELETE', `/${id}/methods/getPet`, { as })).status).toBe(403);
      const outside = { as: app.outsider };
      expect((await call('GET', `/${id}`, outside)).status).toBe(403);
      expect((await invoke(id, 'getPet', { id: '1' }, outside)).status).toBe(403);
      expect((await call('DELETE', `/${id}/methods/getPet`, outside)).status).toBe(403);
      expect((await invoke(UNKNOWN_ID, 'getPet', {})).status).toBe(404);
      expect((await invoke(id, 'unknown', {})).status).toBe(404);
      const { body } = await app.request<Page<AuditEntry>>('GET', '/api/audit');
      expect(body.items).toContainEqual(expect.objectContaining({ action: 'tool.create', targetId: id }));
    },
  );
});

describe('the test of a tool that is saved', () => {
  const save = (method: string, path: string, body: object, as = app.admin) =>
    call<SavedTool>(method, `${path}?test=true`, { as, body });
  const CLOSED = 'http://127.0.0.1:9';

  verifies('http-tools.test', 'reaches the server without credentials, whatever its status', async () => {
    const auth = { type: 'bearer', token: SECRET };
    const serverUrl = `${echo.url}/status/503`;
    const created = await save('POST', '', { name: `Tested ${++count}`, serverUrl, auth });
    expect([created.status, created.body.test]).toEqual([
      201,
      { ok: true, latencyMs: expect.any(Number), message: 'The server responded with status 503' },
    ]);
    expect(echo.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['HEAD /status/503']);
    expect(JSON.stringify(echo.requests)).not.toContain(SECRET);

    const path = `/${created.body.id}`;
    const changed = await save('PATCH', path, { serverUrl: CLOSED, auth });
    const message = 'The tool could not be reached, or its response was cut off';
    expect([changed.status, changed.body.test]).toEqual([200, { ok: false, latencyMs: null, message }]);
    expect((await call('GET', path)).body.serverUrl).toBe(CLOSED);
    expect((await call('PATCH', path, { body: {} })).body).not.toHaveProperty('test');
    expect((await call('PATCH', `${path}?test=yes`, { body: {} })).status).toBe(400);
  });

  verifies(
    'http-tools.test',
    'tells installation administrators alone that an address is private',
    async () => {
      const strict = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: 'nowhere.test' } });
      try {
        const messageFor = async (as: TestUser) => {
          const body = { name: 'Private', serverUrl: echo.url };
          const saved = await strict.request<SavedTool>('POST', '/api/tools?test=true', { as, body });
          expect(saved.status).toBe(201);
          return saved.body.test?.message;
        };
        const hidden = await messageFor(strict.outsider);
        expect(hidden).toBe('The tool could not be reached, or its response was cut off');
        expect(await messageFor(strict.admin)).toBe(
          `${hidden}. The address is not public: PLATFORM_ALLOWED_PRIVATE_HOSTS allows it`,
        );
        expect(echo.requests).toHaveLength(0);
      } finally {
        await strict.close();
      }
    },
  );
});

describe('the secret of a tool', () => {
  const auth = { type: 'bearer', token: SECRET } as const;

  verifies('http-tools.secrets', 'is sent to the API, and returned by no route', async () => {
    const made = await create({ auth });
    const { id } = made;
    expect(made.auth).toEqual({ type: 'bearer', configured: true });
    await invoke(id, 'getPet', { id: '1' });
    expect(echo.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    const texts = [JSON.stringify(made)];
    texts.push((await call('GET', `/${id}`)).text, (await call('GET', '')).text);
    texts.push((await call('PATCH', `/${id}`, { body: { auth: { type: 'bearer' } } })).text);
    texts.push((await app.request('GET', '/api/audit')).text);
    texts.push(JSON.stringify(await app.sql('select * from tool')));
    for (const text of texts) expect(text).not.toContain(SECRET);
    await invoke(id, 'getPet', { id: '1' });
    expect(echo.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  verifies(
    'http-tools.secrets',
    'is required again for another origin, or another way to send it',
    async () => {
      const { id } = await create({ auth });
      const patch = (body: object) => call('PATCH', `/${id}`, { body });
      const moved = await patch({ serverUrl: 'https://elsewhere.example.com' });
      expect([moved.status, moved.body]).toMatchObject([
        400,
        { message: expect.stringContaining('auth.token') },
      ]);
      const retyped = await patch({ auth: { type: 'header', name: 'X-Key' } });
      expect([retyped.status, retyped.body]).toMatchObject([
        400,
        { message: expect.stringContaining('auth.value') },
      ]);
      expect((await patch({ serverUrl: `${echo.url}/v2` })).body.auth).toMatchObject({ configured: true });
      const known = { serverUrl: 'https://elsewhere.example.com', auth };
      expect((await patch(known)).body).toMatchObject({
        ...known,
        auth: { type: 'bearer', configured: true },
      });
      expect((await patch({ auth: { type: 'none' } })).body.auth).toEqual({ type: 'none' });
      const stored = await app.sql('select auth_secret from tool where id = $1', [id]);
      expect(stored).toEqual([{ auth_secret: null }]);
    },
  );

  verifies(
    'http-tools.secrets',
    'that was sealed with another key is reported, and can be set again',
    async () => {
      const { id } = await create({ auth });
      await app.sql(`update tool set auth_secret = 'v1.AAAA' where id = $1`, [id]);
      const unreadable = await invoke(id, 'getPet', { id: '1' });
      expect([unreadable.status, unreadable.body]).toMatchObject([
        502,
        { code: 'TOOL_ERROR', message: expect.stringContaining('set them again') },
      ]);
      await call('PATCH', `/${id}`, { body: { auth } });
      expect((await invoke(id, 'getPet', { id: '1' })).status).toBe(200);
    },
  );

  verifies('http-tools.secrets', 'is not sent to the server of a method on another origin', async () => {
    const other = await startEchoServer();
    const { id } = await create({ auth, methods: [{ ...GET_PET, serverUrl: other.url }] });
    const { body } = await invoke(id, 'getPet', { id: '1' });
    expect(body.warnings).toEqual([expect.stringContaining('were not sent')]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    await other.close();
  });
});

describe('a call of a method', () => {
  verifies('http-tools.invoke', 'returns what the API responds, whatever its status', async () => {
    const { id } = await create();
    const { status, body } = await invoke(id, 'getPet', { id: 'a b', tag: 'x&y' });
    expect([status, body]).toEqual([
      200,
      {
        status: 200,
        output: { method: 'GET', url: '/pets/a%20b?tag=x%26y', body: '' },
        durationMs: expect.any(Number),
        cached: false,
        warnings: [],
        response: {
          bytes: expect.any(Number),
          headers: expect.objectContaining({ 'content-type': 'application/json' }),
        },
      },
    ]);
    const failed = await invoke(id, 'status', { code: 404 });
    expect([failed.status, failed.body.status]).toEqual([200, 404]);
    const time = await invoke('current_time', 'now', { timezone: 'Europe/Berlin' });
    expect(time.body).toMatchObject({ status: 200, output: { timezone: 'Europe/Berlin' } });
    const nowhere = await invoke('current_time', 'now', { timezone: 'Nowhere' });
    expect([nowhere.status, nowhere.body]).toMatchObject([
      502,
      { code: 'TOOL_ERROR', message: expect.stringContaining('IANA') },
    ]);
  });

  verifies(
    'http-tools.invoke',
    'fails for wrong input, without a response, and if it is disabled',
    async () => {
      const { id } = await create();
      const wrong = await invoke(id, 'getPet', { id: 5 });
      expect([wrong.status, wrong.body]).toMatchObject([400, { code: 'VALIDATION_ERROR' }]);
      await call('PATCH', `/${id}`, { body: { serverUrl: 'http://127.0.0.1:9' } });
      const refused = await invoke(id, 'getPet', { id: '1' });
      expect([refused.status, refused.body]).toMatchObject([502, { code: 'TOOL_ERROR' }]);
      await call('PATCH', `/${id}`, { body: { serverUrl: 'http://169.254.169.254' } });
      const blocked = await invoke(id, 'getPet', { id: '1' }, { as: app.member });
      expect([blocked.status, blocked.text]).toEqual([refused.status, refused.text]);
      // Who installed the service can change the setting.
      expect((await invoke(id, 'getPet', { id: '1' })).text).toContain('PLATFORM_ALLOWED_PRIVATE_HOSTS');
      await call('PATCH', `/${id}/methods/getPet`, { body: { enabled: false } });
      expect((await invoke(id, 'getPet', { id: '1' })).status).toBe(409);
    },
  );
});

describe('an agent with a tool', () => {
  verifies('http-tools.agent', 'calls its methods', async () => {
    const tool = await create({ name: 'Animal farm' });
    const agent = await AgentCalls.make(app, null, {
      tools: [{ toolId: tool.id, methods: ['getPet', 'status'] }],
    });
    const { body } = await agent.json({
      contents: said('/call Animal_farm.getPet {"id":"7"}\n/call Animal_farm.status {"code":500}'),
    });
    expect(body.toolExecutions).toMatchObject([
      {
        toolId: tool.id,
        tool: 'Animal farm',
        method: 'getPet',
        status: 'succeeded',
        result: { url: '/pets/7' },
        metadata: { kind: 'http', httpStatus: 200, cached: false },
      },
      { method: 'status', status: 'succeeded', result: { status: 500 }, metadata: { httpStatus: 500 } },
    ]);
    const wrong = await agent.json({ contents: said('/call Animal_farm.getPet {"id":7}') });
    expect(wrong.body.toolExecutions).toMatchObject([
      { status: 'failed', error: { code: 'TOOL_ERROR', message: expect.stringContaining('id') } },
    ]);
    const asked = await agent.json({
      contents: said('/call Animal_farm.status {"code":200}'),
      settings: { chat_mode: 'ask' },
    });
    expect(asked.body.toolExecutions).toEqual([]);
  });

  verifies('http-tools.agent', 'can call both of two tools whose names look alike', async () => {
    const tools = [await create({ name: 'Zoo (1)' }), await create({ name: 'Zoo [1]' })];
    const agent = await AgentCalls.make(app, null, {
      tools: tools.map(({ id }) => ({ toolId: id, methods: ['getPet'] })),
    });
    const lines = tools.map(({ id }, i) => `/call ${id}.getPet {"id":"${i}"}`);
    const { body } = await agent.json({ contents: said(lines.join('\n')) });
    expect(body.toolExecutions).toMatchObject(
      tools.map(({ id }, i) => ({ toolId: id, status: 'succeeded', result: { url: `/pets/${i}` } })),
    );
  });

  verifies('http-tools.agent', 'reports what is missing, and offers at most 128', async () => {
    const methods = Array.from({ length: 128 }, (_, i) => ({ ...GET_PET, name: `m${i}` }));
    const { id } = await create({ methods });
    const agent = (tools: object[], more = {}) =>
      app.request<Agent>('POST', '/api/agents', {
        body: { name: 'A', model: 'platform/offline', systemPrompt: 'Go.', tools, ...more },
      });
    const tooMany = await agent([{ toolId: id }]);
    expect([tooMany.status, tooMany.text]).toEqual([400, expect.stringContaining('at most 128')]);
    expect((await agent([{ toolId: id }], { askUser: false })).status).toBe(201);
    const { body } = await agent([
      { toolId: id, methods: ['m1', 'M2'] },
      { toolId: UNKNOWN_ID },
      { toolId: 'current_time' },
    ]);
    expect(body.tools.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'ready']);
    const large = { ...GET_PET.inputSchema, description: 'x'.repeat(250_000) };
    const heavy = await create({
      methods: Array.from({ length: 9 }, (_, i) => ({ ...GET_PET, name: `m${i}`, inputSchema: large })),
    });
    const tooLarge = await agent([{ toolId: heavy.id }]);
    expect([tooLarge.status, tooLarge.text]).toEqual([400, expect.stringContaining('at most 2097152')]);
    const full = await agent([{ toolId: id }], { askUser: false });
    await call('POST', `/${id}/methods`, { body: { methods: [STATUS] } });
    const calls = new AgentCalls(app, full.body.id);
    const answer = await calls.json({ contents: said('Hello') });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('at most 128')]);
  });
});

describe('an attachment', () => {
  verifies(
    'http-tools.attachments',
    'is named to the model if the agent has tools that can take it',
    async () => {
      const model = await ScriptedModel.start();
      const { id } = await create();
      const file_info = {
        url: `data:text/plain;base64,${Buffer.from('Ulm').toString('base64')}`,
        name: 'a.txt',
      };
      /** What the model receives of a file, and the id of the file. */
      const received = async (tools: AgentTool[]) => {
        const agent = await AgentCalls.make(app, { baseUrl: model.url }, { tools });
        const session = randomUUID();
        const prompt = model.prompt({ text: ['Fine.'] });
        await agent.json({ session_id: session, contents: [...said('Here'), { type: 'file', file_info }] });
        await agent.json({ session_id: session, contents: said(prompt) });
        const parts = (await agent.messages(session)).flatMap(({ contents }) => contents);
        const [file] = parts.flatMap((part) => ('attachment' in part && part.attachment?.id) || []);
        return { text: JSON.stringify(model.requests(prompt).at(-1)?.body.messages), file };
      };
      const named = await received([{ toolId: id, methods: null }]);
      expect(named.file).toEqual(expect.any(String));
      expect(named.text).toContain(`attachment:${named.file}`);
      expect((await received([])).text).not.toContain('attachment:');
      await model.close();
    },
  );
});

describe('a file that a method returns', () => {
  verifies('tools.calls.downloads', 'is an attachment of the session, which other methods take', async () => {
    const server = await ToolServer.start();
    const file = Buffer.from([0x25, 0x50, 0x44, 0x46, 0, 255]);
    server.respond(
      (response) => response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(file),
      sendJson({ stored: true }),
    );
    const upload: ToolMethodRequest = {
      name: 'upload',
      httpMethod: 'POST',
      path: '/upload',
      inputSchema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
      bindings: [{ port: 'file', in: 'body' }],
      bodyMediaType: 'application/pdf',
    };
    const download = {
      ...upload,
      name: 'download',
      httpMethod: 'Get',
      inputSchema: {},
      bindings: [],
      bodyMediaType: null,
    };
    const tool = await create({ name: 'Files', serverUrl: server.url, methods: [download, upload] });
    expect(tool.methods.map(({ httpMethod }) => httpMethod)).toEqual(['get', 'post']);
    const agent = await AgentCalls.make(app, null, { tools: [{ toolId: tool.id, methods: null }] });
    const session = randomUUID();
    const say = (text: string) => agent.json({ session_id: session, contents: said(text) });
    const { body } = await say('/call Files.download {}');
    const [execution] = body.toolExecutions;
    const reference = { name: 'response.pdf', mediaType: 'application/pdf', bytes: 6 };
    expect(execution).toMatchObject({ status: 'succeeded', result: reference });
    const { attachment } = execution?.result as { attachment: string };
    await say(`/call Files.upload ${JSON.stringify({ file: attachment })}`);
    expect(server.received[1]).toMatchObject({ body: file, headers: { 'content-type': 'application/pdf' } });
    const other = await AgentCalls.make(app, null, { tools: [{ toolId: tool.id, methods: null }] });
    const foreign = await other.json({
      contents: said(`/call Files.upload ${JSON.stringify({ file: attachment })}`),
    });
    expect(foreign.body.toolExecutions).toMatchObject([{ status: 'failed' }]);
    await server.stop();
  });
});

describe('a task with a tool step', () => {
  verifies('http-tools.step', 'stores what the API responds', async () => {
    const runs = new RunCalls(app);
    const { id: toolId } = await create();
    const step = (method: string, input: Record<string, unknown>, acceptStatus?: ToolStep['acceptStatus']) =>
      ({ id: 'call', kind: 'tool', toolId, method, input, ...(acceptStatus && { acceptStatus }) }) as const;
    const task = await runs.createTask([step('getPet', { id: '{{inputs.pet}}' })]);
    const run = await runs.reached(await runs.start(task, { pet: '9' }));
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      steps: [{ output: { status: 200, output: { url: '/pets/9' } } }],
    });
    const accepted = await runs.result([step('status', { code: 503 }, [404, '5xx'])]);
    expect(accepted).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { status: 503 } }] });
    await call('PATCH', `/${toolId}`, { body: { serverUrl: 'http://127.0.0.1:9' } });
    const unreachable = await runs.result([step('getPet', { id: '9' })]);
    expect(unreachable).toMatchObject({ status: 'FAILED', error: { code: 'TOOL_ERROR' } });
  });

  verifies(
    'http-tools.step.status',
    'fails with an error status, is retried, and shows the response',
    async () => {
      const runs = new RunCalls(app);
      const { id: toolId } = await create();
      const input = { code: 503 };
      const steps = [{ id: 'call', kind: 'tool' as const, toolId, method: 'status', input }];
      const failed = await runs.result(steps, { retry: { attempts: 1, backoffMs: 0 } });
      const error = {
        code: 'TOOL_STATUS',
        message: expect.stringMatching(/^The tool responded with status 503/),
      };
      expect(failed).toMatchObject({
        status: 'FAILED',
        attempt: 2,
        error,
        steps: [{ status: 'FAILED', error, output: { status: 503 } }],
      });
      const refused = await runs.result([
        { ...steps[0], input: { code: 400 }, acceptStatus: [404, '5xx'] } as Step,
      ]);
      expect(refused).toMatchObject({ status: 'FAILED', error: { code: 'TOOL_STATUS' } });
    },
  );

  verifies(
    'http-tools.step.status',
    'is an error that code can catch, with the status and the body',
    async () => {
      const runs = new RunCalls(app);
      const { id } = await create();
      const code = (source: string) => runs.result([{ id: 'code', kind: 'code', source }]);
      const call = `platform.tools.invoke('${id}', 'status', { code: 404 }`;
      const uncaught = await code(`await ${call})`);
      expect(uncaught).toMatchObject({
        status: 'FAILED',
        error: {
          code: 'STEP_FAILED',
          message: expect.stringContaining('responded with status 404') as unknown,
        },
      });
      const caught = await code(
        `try { await ${call}) } catch ({ code, status, body }) { return { code, status, hasBody: body !== undefined } }`,
      );
      expect(caught.steps[0]?.output).toEqual({ code: 'TOOL_STATUS', status: 404, hasBody: true });
      const accepted = await code(`return (await ${call}, { acceptStatus: ['4xx'] })).status`);
      expect(accepted.steps[0]?.output).toBe(404);
    },
  );

  verifies('http-tools.step', 'is refused if the tool or the method does not exist', async () => {
    const { id } = await create();
    const refused = async (toolId: string, method: string) => {
      const steps = [{ id: 'call', kind: 'tool', toolId, method, input: {} }];
      const body = { name: 'T', type: 'MANUAL', workflow: { steps } };
      const answer = await app.request('POST', '/api/tasks', { body });
      return [answer.status, answer.body.message];
    };
    expect(await refused(UNKNOWN_ID, 'getPet')).toEqual([
      400,
      'workflow.steps.0.toolId must be the id of a tool of the space',
    ]);
    expect(await refused(id, 'walk')).toEqual([
      400,
      'workflow.steps.0.method must be the name of a method of the tool',
    ]);
  });

  verifies('http-tools.loop', 'that emits over HTTP the event that started it ends there', async () => {
    const admin = await app.addUser('ADMIN', null);
    const manifest = shopManifest({ tasks: [], subscriptions: [] });
    const bus = new EventBus(app, admin, await installApplication(app, manifest, admin));
    const body = {
      name: 'Own API',
      serverUrl: `${app.url}/api`,
      auth: { type: 'bearer', token: bus.application.apiKey },
      methods: [
        {
          name: 'emit',
          httpMethod: 'post',
          path: '/events/emit',
          bodyMediaType: 'application/json',
          inputSchema: { type: 'object', properties: { body: { type: 'object' } } },
          bindings: [{ port: 'body', in: 'body' }],
        },
      ],
    };
    const tool = await call('POST', '', { as: admin, body });
    const input = { body: { appIdentifier: 'shop', event: 'order.created', payload: { total: 1 } } };
    const task = await bus.createTask({
      steps: [{ id: 'emit', kind: 'tool', toolId: tool.body.id, method: 'emit', input }],
    });
    await bus.subscribe('order.created', task.id);
    const first = await bus.record('order.created', { total: 1 });
    const [run] = await bus.runsOf(first, 1);
    expect(run).toMatchObject({ status: 'SUCCEEDED', steps: [{ output: { status: 200 } }] });
    const output = run?.steps[0]?.output as { output: { envelopeId: string } };
    expect(await bus.envelope(output.output.envelopeId)).toMatchObject({
      status: 'SKIPPED',
      statusReason: 'SAME_EVENT_LOOP',
      causationId: first,
      causationRunId: run?.id,
    });
    await bus.runsOf(output.output.envelopeId, 0);
  });
});
