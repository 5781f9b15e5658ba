import { createHash, randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { Test } from '@nestjs/testing';
import {
  ERROR_STATUS,
  type Agent,
  type ErrorBody,
  type Page,
  type Session,
  type SignInResponse,
} from '@platform/contracts';
import { Redis } from 'ioredis';
import { AppModule } from '../src/app.module.ts';
import { readConfig } from '../src/infra/config/platform-config.ts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { ReadinessRegistry } from '../src/infra/health/readiness.registry.ts';
import { RouteTableRegistry, type Route } from '../src/infra/routes/route-table.registry.ts';
import { AgentCalls, STREAMED, said } from './harness/agent-calls.ts';
import { TestApp, type Answer, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventData, readStream } from './harness/frames.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

interface OpenApiDocument {
  info: { description: string };
  paths: Record<string, Partial<Record<string, { 'x-codeSamples': { label: string; source: string }[] }>>>;
}

const NOWHERE = '01980000-0000-7000-8000-000000000000';
const contents = said('Hi');

let app: TestApp;
let calls: AgentCalls;

beforeAll(async () => {
  app = await TestApp.start();
  calls = await AgentCalls.make(app);
});
afterAll(() => app.close());

/** A refusal as it must be: the flat body and nothing else. */
function refusal({ status, body, headers }: Answer<unknown>): [status: number, code: string] {
  const { success, message, code, errors } = body as ErrorBody;
  expect(body).toEqual({ success, message, code, ...(code === 'VALIDATION_ERROR' && { errors }) });
  if (code === 'VALIDATION_ERROR')
    expect(errors?.[0]).toEqual({ path: expect.any(String), message: expect.any(String) });
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(success).toBe(false);
  expect(message).not.toBe('');
  return [status, code];
}

describe('errors', () => {
  verifies('errors.codes', 'each code has its status', async () => {
    expect(ERROR_STATUS).toEqual({
      VALIDATION_ERROR: 400,
      UNAUTHORIZED: 401,
      INSUFFICIENT_TOKENS: 402,
      FORBIDDEN: 403,
      NOT_FOUND: 404,
      CONFLICT: 409,
      QUOTA_EXCEEDED: 409,
      PAYLOAD_TOO_LARGE: 413,
      STREAM_PROTOCOL_REQUIRED: 426,
      RATE_LIMITED: 429,
      SERVER_ERROR: 500,
      TOOL_ERROR: 502,
      UNAVAILABLE: 503,
    });
    const restricted = await AgentCalls.make(app, null, { accessScope: 'RESTRICTED', allowedUserIds: [] });
    const nowhere = new AgentCalls(app, NOWHERE);
    expect(refusal(await calls.post({ contents: [] }))).toEqual([400, 'VALIDATION_ERROR']);
    expect(refusal(await calls.post({ contents }, { as: null }))).toEqual([401, 'UNAUTHORIZED']);
    expect(refusal(await restricted.post({ contents }))).toEqual([403, 'FORBIDDEN']);
    expect(refusal(await nowhere.post({ contents }))).toEqual([404, 'NOT_FOUND']);
    armFailpoints(['turns.claim']);
    expect(refusal(await calls.post({ contents }))).toEqual([500, 'SERVER_ERROR']);
    disarmFailpoints();
    expect((await calls.post({ contents })).status).toBe(200);
  });

  verifies('errors.flat', 'a 500 reveals nothing and stores nothing', async () => {
    const turnId = randomUUID();
    armFailpoints(['turns.claim']);
    const answers = [await calls.post({ contents, turnId }), await calls.json({ contents, turnId })];
    disarmFailpoints();
    for (const { status, text, headers } of answers) {
      expect([status, JSON.parse(text)]).toEqual([
        500,
        { success: false, code: 'SERVER_ERROR', message: 'Something went wrong on our side' },
      ]);
      expect(text).not.toMatch(/failpoint|turns\.|at /i);
      expect(headers.get('x-request-id')).toBeTruthy();
    }
    expect((await calls.request('GET', `/turns/${turnId}`)).status).toBe(404);
    expect((await calls.json({ contents, turnId })).status).toBe(200);
  });

  verifies('errors.flat', 'whatever the credential looks like, a wrong one is a 401', async () => {
    const credentials = ['', 'Bearer', 'Bearer ', 'Bearer x', 'Basic YTpi', app.admin.apiKey];
    credentials.push(
      `Bearer ${app.admin.apiKey}x`,
      `Bearer ${app.admin.apiKey.slice(0, -1)}`,
      'Bearer a.b.c',
    );
    for (const Authorization of credentials) {
      const answer = await calls.post({ contents }, { as: null, headers: { ...STREAMED, Authorization } });
      expect([Authorization, ...refusal(answer)]).toEqual([Authorization, 401, 'UNAUTHORIZED']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });
});

describe('the routes of an agent', () => {
  let routes: Route[];
  beforeAll(() => {
    routes = app
      .get(RouteTableRegistry)
      .all()
      .filter(({ path }) => path.startsWith('/api/agents/:agentId'));
  });

  interface Trial {
    agentId: string;
    as?: TestUser | null;
    headers?: Record<string, string>;
    body?: object;
  }

  /** Calls the route, with ids below the agent that exist nowhere. */
  function call({ method, path }: Route, { agentId, body = {}, ...init }: Trial): Promise<Answer> {
    const url = path.replace(':agentId', agentId).replaceAll(/:\w+/g, NOWHERE);
    return app.request(method, url, { ...init, ...(method !== 'GET' && { body }) });
  }

  /** What each route answers, in lines that can be compared. */
  async function answers(chosen: Route[], trial: Trial): Promise<string[]> {
    const lines: string[] = [];
    for (const route of chosen) {
      const answer = await call(route, trial);
      lines.push(`${route.method} ${route.path} → ${refusal(answer).join(' ')}`);
    }
    return lines;
  }

  const all = (chosen: Route[], outcome: string) =>
    chosen.map(({ method, path }) => `${method} ${path} → ${outcome}`);

  const invoking = () => routes.filter(({ rule }) => rule === 'agent');

  verifies('agents.routes.refusals', '401 without a credential or with a wrong one', async () => {
    expect(routes.length).toBeGreaterThanOrEqual(13);
    const trial = { agentId: calls.agentId, as: null };
    expect(await answers(routes, trial)).toEqual(all(routes, '401 UNAUTHORIZED'));
    const headers = { Authorization: `Bearer pk_${'x'.repeat(40)}` };
    expect(await answers(routes, { ...trial, headers })).toEqual(all(routes, '401 UNAUTHORIZED'));
  });

  verifies('agents.routes.refusals', '403 without access to the agent, 403 from another space', async () => {
    const body = { accessScope: 'RESTRICTED' as const, allowedUserIds: [app.outsider.userId, 'ghost'] };
    const { agentId } = await AgentCalls.make(app, null, body);
    const forbidden = all(invoking(), '403 FORBIDDEN');
    expect(await answers(invoking(), { agentId, as: app.member })).toEqual(forbidden);
    // Its owner, an admin, is not on the list either.
    expect(await answers(invoking(), { agentId, as: app.admin })).toEqual(forbidden);
    expect(await answers(routes, { agentId, as: app.outsider })).toEqual(all(routes, '403 FORBIDDEN'));
    expect(invoking().length).toBeGreaterThanOrEqual(8);
  });

  verifies('agents.routes.refusals', '404 for an agent that is nowhere, no UUID or deleted', async () => {
    const deleted = await AgentCalls.make(app);
    await app.request('DELETE', deleted.path);
    for (const agentId of [NOWHERE, 'no-uuid', '1', '%00', `${calls.agentId}0`, deleted.agentId])
      expect(await answers(routes, { agentId })).toEqual(all(routes, '404 NOT_FOUND'));
  });

  verifies('agents.routes.credentials', 'take an API key and an access token alike', async () => {
    const { email, password } = app.admin;
    const signedIn = await app.request<SignInResponse>('POST', '/api/auth/login', {
      as: null,
      body: { email, password },
    });
    const token = { as: null, headers: { Authorization: `Bearer ${signedIn.body.accessToken}` } };
    const key = { as: app.admin };
    const bodies: Record<string, object> = {
      'POST /api/agents/:agentId/chat': { contents, stream: false },
      'PATCH /api/agents/:agentId': { description: 'Mine' },
    };
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      const statuses: number[] = [];
      for (const credential of [key, token]) {
        const { agentId } = await AgentCalls.make(app);
        const { status } = await call(route, { agentId, body: bodies[name] ?? {}, ...credential });
        statuses.push(status);
      }
      expect([name, statuses[1]]).toEqual([name, statuses[0]]);
      expect([name, [401, 403].includes(statuses[0] ?? 0)]).toEqual([name, false]);
      if (bodies[name]) expect([name, statuses[0]]).toEqual([name, 200]);
    }

    const streamed = await app.fetch('POST', `${calls.path}/chat`, {
      ...token,
      body: { contents },
      headers: { ...token.headers, ...STREAMED },
    });
    const { frames } = await readStream(streamed);
    const { turnId } = eventData(frames, 'session-started');
    expect((await calls.request('GET', `/turns/${String(turnId)}`)).status).toBe(200);
  });

  verifies('agents.routes.refusals', 'access that is taken away ends at once, on every route', async () => {
    const { agentId } = await AgentCalls.make(app);
    const member = new AgentCalls(app, agentId, app.member);
    const { body } = await member.json({ contents, session_id: 'mine' });
    await app.request<Agent>('PATCH', `/api/agents/${agentId}`, { body: { accessScope: 'RESTRICTED' } });
    expect(await answers(invoking(), { agentId, as: app.member })).toEqual(all(invoking(), '403 FORBIDDEN'));
    for (const path of [`/turns/${body.turnId}`, `/turns/${body.turnId}/stream`, '/sessions/mine/messages'])
      expect(refusal(await member.request('GET', path))).toEqual([403, 'FORBIDDEN']);
  });
});

describe('requests', () => {
  verifies(
    'platform.unknown-fields',
    'with fields for a route that reads no body are a 400, behind 401, 403 and 404',
    async () => {
      const bodiless = [
        '/sessions/s/context/status',
        '/sessions/s/context/compact',
        '/sessions/s/context/undo',
      ];
      await calls.json({ contents, session_id: 's' });
      for (const path of bodiless) {
        const refused = await calls.request('POST', path, { body: { dryRun: true, x: 1 } });
        expect(refusal(refused)).toEqual([400, 'VALIDATION_ERROR']);
        expect(refused.body.message).toBe(
          'The body.dryRun is not a known field; The body.x is not a known field',
        );
        expect((await calls.request('POST', path, { body: [] })).status).toBe(400);
        expect((await calls.request('POST', path, { body: { x: 1 }, as: null })).status).toBe(401);
        expect((await calls.request('POST', path, { body: { x: 1 }, as: app.outsider })).status).toBe(403);
        const nowhere = new AgentCalls(app, NOWHERE);
        expect((await nowhere.request('POST', path, { body: { x: 1 } })).status).toBe(404);
      }
      for (const init of [{}, { body: {} }, { body: { x: null } }])
        expect((await calls.request('POST', '/sessions/s/context/status', init)).status).toBe(200);
      const many = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`k${i}`, 1]));
      const path = `${calls.path}/versions/1/restore`;
      expect((await app.request('POST', path, { body: many })).body.message).toBe(
        'The body must have at most 500 keys',
      );
      expect((await app.request('POST', path, { body: { version: 1 } })).status).toBe(400);
    },
  );

  verifies('platform.cursors', 'with a forged or altered cursor are a 400', async () => {
    const position = ['not a time', NOWHERE];
    const filter = ['sessions', calls.agentId, app.admin.userId];
    // What anybody can compute who knows how the cursors were made before they had a key.
    const print = createHash('sha256')
      .update(JSON.stringify([filter, position]))
      .digest('base64url')
      .slice(0, 8);
    const forged = Buffer.from(JSON.stringify([print, ...position])).toString('base64url');
    await calls.json({ contents });
    await calls.json({ contents });
    const { body } = await calls.request<Page<Session>>('GET', '/sessions?limit=1');
    const issued = body.nextCursor ?? '';
    const altered = [0, 10, 20, issued.length - 5].map((at) => {
      const other = issued[at] === 'A' ? 'B' : 'A';
      return issued.slice(0, at) + other + issued.slice(at + 1);
    });
    expect((await calls.request('GET', `/sessions?limit=1&cursor=${issued}`)).status).toBe(200);
    for (const cursor of [forged, ...altered])
      expect(refusal(await calls.request('GET', `/sessions?cursor=${cursor}`))).toEqual([
        400,
        'VALIDATION_ERROR',
      ]);
  });

  verifies('platform.request-id', 'every response has an id; a printable one is kept', async () => {
    const answers = [
      await app.request('GET', '/api/agents'),
      await app.request('GET', '/api/agents', { as: null }),
      await app.request('GET', '/api/nothing'),
      await app.request('POST', '/api/agents', { raw: '{' }),
      await app.request('GET', '/api/health/live', { as: null }),
      await app.request('GET', '/api/openapi.json', { as: null }),
      await calls.post({ contents }),
      await calls.json({ contents }),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);

    const told = async (id: string) => {
      const headers = { 'X-Request-Id': id };
      return (await app.request('GET', '/api/agents', { headers })).headers.get('x-request-id');
    };
    for (const id of ['a', 'x'.repeat(128), 'req-1/2:3_{~}!"']) expect(await told(id)).toBe(id);
    for (const id of ['', 'x'.repeat(129), 'a\tb', 'é']) expect(await told(id)).toMatch(/^[0-9a-f-]{36}$/);

    const headers = { ...STREAMED, 'X-Request-Id': 'mine' };
    const streamed = await readStream(
      await app.fetch('POST', `${calls.path}/chat`, { body: { contents }, headers }),
    );
    expect(streamed.headers.get('x-request-id')).toBe('mine');
    expect(eventData(streamed.frames, 'session-started').requestId).toBe('mine');
    const refused = await app.request('GET', '/api/nothing', { headers: { 'X-Request-Id': 'mine' } });
    expect(refused.headers.get('x-request-id')).toBe('mine');
  });

  verifies(
    'platform.metrics',
    'metrics are for whoever has the token; without one, there are none',
    async () => {
      expect((await app.request('GET', '/metrics', { as: null })).status).toBe(404);
      const token = 'token-of-the-scraper';
      const measured = await TestApp.start({ env: { PLATFORM_METRICS_TOKEN: token } });
      try {
        const scrape = (authorization: string) =>
          measured.request('GET', '/metrics', { as: null, headers: { Authorization: authorization } });
        for (const wrong of ['', 'Bearer', `Basic ${token}`, `Bearer ${measured.admin.apiKey}`]) {
          const refused = await scrape(wrong);
          expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
        }
        const runs = new RunCalls(measured);
        const task = await runs.createTask([{ id: 'one', kind: 'code', source: 'return 1' }]);
        await runs.reached(await runs.start(task), 'SUCCEEDED');
        await measured.request('GET', `/api/runs/${randomUUID()}`);
        await measured.request('GET', '/api/nothing');
        const waiting = ['events', 'runs', 'jobs', 'webhooks', 'notifications', 'schedules', 'documents'];
        // Something is counted when it is stored, or closed, which may be after its response.
        await eventually(async () => {
          const { status, headers, text } = await scrape(`Bearer ${token}`);
          expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
          const lines = text.split('\n');
          for (const line of [
            'platform_http_request_seconds_count{method="GET",route="/api/runs/:id",status="404"} 1',
            'platform_http_request_seconds_count{method="GET",route="other",status="404"} 1',
            'platform_up{part="service"} 1',
            'platform_work_running{work="runs"} 0',
            ...waiting.map((work) => `platform_work_waiting{work="${work}"} 0`),
          ])
            expect(lines).toContain(line);
          expect(text).toMatch(/^platform_runs_ended_total\{status="SUCCEEDED"\} [1-9]/m);
          expect(text).toContain('nodejs_eventloop_lag_seconds');
          // No id of anything.
          expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}-/);
        });
      } finally {
        await measured.close();
      }
    },
  );

  verifies('platform.health', 'health and the document are served without a credential', async () => {
    const get = (path: string, headers = {}) => app.request('GET', path, { as: null, headers });
    expect(await get('/api/health/live')).toMatchObject({ status: 200, body: { status: 'ok', checks: {} } });
    expect(await get('/api/health/ready')).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { database: 'up', service: 'up' } },
    });
    app.get(ReadinessRegistry).ready = false;
    expect(await get('/api/health/ready')).toMatchObject({
      status: 503,
      body: { status: 'unavailable', checks: { database: 'up', service: 'down' } },
    });
    expect((await get('/api/health/live')).status).toBe(200);
    app.get(ReadinessRegistry).ready = true;

    // A wrong credential is no obstacle where none is asked for.
    expect((await get('/api/health/live', { Authorization: 'Bearer x' })).status).toBe(200);
    const document = await get('/api/openapi.json');
    expect(document).toMatchObject({ status: 200, body: { openapi: expect.stringMatching(/^3\./) } });
    const paths = Object.keys(document.body.paths as object);
    const served = app.get(RouteTableRegistry).all();
    for (const { path } of served) expect(paths).toContain(path.replaceAll(/:(\w+)/g, '{$1}'));
    const described = document.body.paths as OpenApiDocument['paths'];
    for (const path of ['/api/agents/{agentId}/turns/{turnId}/stream', '/api/agent-jobs/{jobId}/stream'])
      expect(JSON.stringify(described[path]?.get)).toContain('"name":"Last-Event-ID","in":"header"');
    // The reference and its scripts come from this origin, so its policy need not allow another one.
    const page = await get('/api/docs');
    expect(page.headers.get('content-type')).toContain('text/html');
    const sources = Array.from(page.text.matchAll(/(?:src|href)="([^"]*)"/g), ([, address]) => address);
    expect([...new Set(sources)].sort()).toEqual([
      '/',
      '/api/docs/page.js',
      '/api/docs/viewer.js',
      '/api/openapi.json',
    ]);
    for (const script of ['/api/docs/viewer.js', '/api/docs/page.js']) {
      const { status, headers } = await get(script);
      expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')]);
    }
    expect((await get('/api/docs/other.js')).status).toBe(404);
    // With guides, and code for what has an example.
    const { document: shown } = (await get('/api/docs/document.json')).body as { document: OpenApiDocument };
    expect(shown.info.description).toContain('# Idempotency');
    expect(shown.paths['/api/agents/{agentId}']?.get?.['x-codeSamples']).toMatchObject([
      { label: 'cURL', source: expect.stringContaining('curl ') },
      { label: 'TypeScript' },
      { label: 'Python' },
    ]);
  });

  verifies('platform.headers', 'are answered without a word about what the service runs on', async () => {
    for (const answer of [
      await app.request('GET', '/api/agents'),
      await app.request('GET', '/api/nothing'),
    ]) {
      expect(answer.headers.get('x-powered-by')).toBeNull();
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const policy = answer.headers.get('content-security-policy')?.split(';') ?? [];
      expect(policy.toSorted()).toEqual(
        ['base-uri', 'default-src', 'form-action', 'frame-ancestors'].map((name) => `${name} 'none'`),
      );
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    for (const path of ['/', '/agents', '/api/docs/']) {
      const { headers } = await app.request('GET', path, { as: null, headers: { Accept: 'text/html' } });
      const policy = headers.get('content-security-policy')?.split(';') ?? [];
      expect(policy).toEqual(expect.arrayContaining(["script-src 'self'", "frame-ancestors 'none'"]));
    }
  });

  verifies(
    'platform.cors',
    'from a listed origin may read the headers of the protocol; others may not',
    async () => {
      const open = await TestApp.start({
        env: { PLATFORM_CORS_ORIGINS: 'https://console.example' },
        database: app,
      });
      try {
        const from = (Origin: string, method = 'GET') =>
          open.request(method, '/api/agents', {
            headers: { Origin, 'Access-Control-Request-Method': 'POST' },
            as: method === 'OPTIONS' ? null : app.admin,
          });
        const { headers } = await from('https://console.example');
        expect(headers.get('access-control-allow-origin')).toBe('https://console.example');
        const exposed = headers
          .get('access-control-expose-headers')
          ?.split(',')
          .map((name) => name.trim());
        expect(exposed).toEqual([
          'X-Platform-Stream-Protocol',
          'X-Request-Id',
          'X-Turn-Id',
          'X-Session-Id',
          'Retry-After',
          'RateLimit-Policy',
          'RateLimit',
          'ETag',
          'WWW-Authenticate',
        ]);
        const preflight = await from('https://console.example', 'OPTIONS');
        expect(preflight.status).toBe(204);
        for (const origin of ['https://evil.example', 'null', 'https://console.example.evil.example'])
          expect((await from(origin)).headers.get('access-control-allow-origin')).toBeNull();
      } finally {
        await open.close();
      }
    },
  );
});

describe('an application that is only built', () => {
  it('starts no timers, no consumers and no connections beside the database', async () => {
    const config = readConfig({
      DATABASE_URL: app.databaseUrl,
      PLATFORM_DATA_DIR: app.dataDir,
      PLATFORM_SECRET_KEY: app.secretKey,
      PLATFORM_LOG_LEVEL: 'fatal',
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    const intervals = jest.spyOn(globalThis, 'setInterval');
    const connects = jest.spyOn(Redis.prototype, 'connect');
    try {
      const built = await Test.createTestingModule({ imports: [AppModule.with(config)] }).compile();
      expect([intervals.mock.calls.length, connects.mock.calls.length]).toEqual([0, 0]);
      built.useLogger(false);
      await built.init();
      expect(intervals).toHaveBeenCalled();
      expect(connects).toHaveBeenCalled();
      await built.close();
    } finally {
      intervals.mockRestore();
      connects.mockRestore();
    }
  });
});
