import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  KEY_SCOPES,
  type Agent,
  type Job,
  type Page,
  type Run,
  type Task,
  type Tool,
  type ToolAuth,
  type ToolInvocation,
} from '@platform/contracts';
import pg from 'pg';
import { CloudServer } from '../../../libs/speech/test/cloud-server.ts';
import { makeWav } from '../../../libs/speech/test/test-audio.ts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { said, STREAMED } from './harness/agent-calls.ts';
import { copyTemplate } from './harness/app.ts';
import { shopManifest } from './harness/applications.ts';
import { Canaries, dumpDatabase, dumpFiles, dumpRedis } from './harness/canaries.ts';
import { eventually } from './harness/eventually.ts';
import { ServiceProcess } from './harness/process.ts';
import { pkce } from './harness/oauth-client.ts';
import { Recorder } from './harness/recorder.ts';
import { RedisServer } from './harness/redis.ts';
import { WebhookServer } from './harness/webhook-server.ts';
import { verifies } from './verifies.ts';

const skipReason = process.env.PLATFORM_SKIP_REDIS;
if (skipReason) console.warn(`Secrets are not searched in Redis: ${skipReason}`);

const EMAIL = 'admin@example.com';
const BEHAVIORS = ['ok', 'denied', 'broken', 'hang'] as const;

const canaries = new Canaries();
const adminPassword = canaries.plant('password of the environment');
const modelKey = canaries.plant('API key of a model', 'sk-');
const environmentKey = canaries.plant('API key of the environment', 'sk-');
const speech = {
  secretId: canaries.plant('secret id of speech', 'AKID'),
  secretKey: canaries.plant('secret key of speech'),
};
const platformKey = Buffer.from(canaries.plant('secret key of the platform').padEnd(32).slice(0, 32));

let databaseUrl: string;
let dataDir: string;
let redis: RedisServer;
let service: ServiceProcess;
let http: Recorder;
let parrot: Server;
let parrotUrl: string;
let models: FakeOpenAiServer;
let cloud: CloudServer;
let cloudHost: string;
let webhooks: WebhookServer;

beforeAll(async () => {
  if (skipReason) return;
  [databaseUrl, redis, webhooks, models] = await Promise.all([
    copyTemplate(),
    RedisServer.start(),
    WebhookServer.start(),
    startOpenAiServer({ apiKey: modelKey }),
  ]);
  cloud = new CloudServer(speech);
  cloudHost = await cloud.start();
  parrot = startParrot();
  await new Promise((resolve) => parrot.once('listening', resolve));
  parrotUrl = `http://127.0.0.1:${(parrot.address() as AddressInfo).port}`;
  dataDir = await mkdtemp(join(tmpdir(), 'platform-canaries-'));
  const spawned = await ServiceProcess.spawn({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    PLATFORM_DATA_DIR: dataDir,
    PLATFORM_SECRET_KEY: platformKey.toString('base64'),
    PLATFORM_ADMIN_EMAIL: EMAIL,
    PLATFORM_ADMIN_PASSWORD: adminPassword,
    PLATFORM_LOG_LEVEL: 'debug',
    OPENAI_API_KEY: environmentKey,
    OPENAI_BASE_URL: models.url,
    CLOUD_SECRET_ID: canaries.plant('secret id of the environment', 'AKID'),
    CLOUD_SECRET_KEY: canaries.plant('secret key of the environment'),
  });
  service = await spawned.ready();
  http = new Recorder(service.url, canaries);
});
afterAll(async () => {
  if (skipReason) return;
  await service.kill();
  parrot.closeAllConnections();
  parrot.close();
  cloud.stop();
  await Promise.all([models.close(), webhooks.close(), redis.kill()]);
  await rm(dataDir, { recursive: true, force: true });
});

/** An API that repeats what it receives, credentials included; `/hang` never responds. */
function startParrot(): Server {
  return createServer(({ url = '', headers }, response) => {
    const heard = JSON.stringify({ url, headers });
    if (url.startsWith('/hang')) return;
    response.setHeader('X-Heard', encodeURIComponent(heard));
    if (url.startsWith('/denied')) response.writeHead(401).end(`Wrong credentials: ${heard}`);
    else
      response
        .writeHead(url.startsWith('/broken') ? 500 : 200, { 'Content-Type': 'application/json' })
        .end(heard);
  }).listen(0, '127.0.0.1');
}

const accessToken = { 'access token': ({ accessToken }: { accessToken?: string }) => accessToken };
const refreshCookie = {
  'refresh cookie': (_: unknown, headers: Headers) => /=([^;]+)/.exec(headers.get('set-cookie') ?? '')?.[1],
};

async function signIn(email: string, password: string): Promise<string> {
  const shows = { ...accessToken, ...refreshCookie };
  const { body } = await http.call<{ accessToken: string }>('POST', '/api/auth/login', {
    as: null,
    body: { email, password },
    shows,
  });
  return body.accessToken;
}

async function people(): Promise<void> {
  await http.call('POST', '/api/auth/login', {
    as: null,
    body: { email: EMAIL, password: canaries.plant('wrong password') },
  });
  const admin = await signIn(EMAIL, adminPassword);
  const key = await http.call<{ key: string }>('POST', '/api/api-keys', {
    as: admin,
    body: { name: 'Run', scopes: KEY_SCOPES },
    shows: { 'API key': ({ key }: { key?: string }) => key },
  });
  http.credential = key.body.key;
  const member = { email: 'member@example.com', name: 'Member', role: 'MEMBER' };
  const password = canaries.plant('password of a member');
  await http.call('POST', '/api/members', { as: admin, body: { ...member, password } });
  const theirs = await signIn(member.email, password);
  const newPassword = canaries.plant('changed password');
  const change = { currentPassword: password, newPassword };
  await http.call('POST', '/api/auth/password', { as: theirs, body: change });
  await letClientIn(await signIn(member.email, newPassword));
}

/** A client that a person lets in: its code, and its tokens until one was used twice. */
async function letClientIn(person: string): Promise<void> {
  const redirect = 'http://127.0.0.1:33418/callback';
  const { body: offers } = await http.call<{ url: string }>('GET', '/api/mcp/offers');
  const { body: client } = await http.call<{ client_id: string }>('POST', '/api/oauth/register', {
    as: null,
    body: { redirect_uris: [redirect] },
  });
  const { verifier, challenge } = pkce();
  canaries.learn('code verifier', verifier);
  const asked = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirect,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: offers.url,
  };
  const { body: preview } = await http.call('POST', '/api/oauth/authorizations/preview', {
    as: person,
    body: { query: new URLSearchParams(asked).toString() },
  });
  const { body: answer } = await http.call<{ redirectTo: string }>('POST', '/api/oauth/authorizations', {
    as: person,
    body: { request: preview.request, allow: true },
    shows: {
      'authorization code': ({ redirectTo }: { redirectTo?: string }) =>
        secretOf(new URL(redirectTo ?? '').searchParams.get('code')),
    },
  });
  const code = new URL(answer.redirectTo).searchParams.get('code') ?? '';
  const shows = {
    'access token of a client': ({ access_token: token }: { access_token?: string }) => token,
    'refresh token of a client': ({ refresh_token: token }: { refresh_token?: string }) => secretOf(token),
  };
  const ask = (form: Record<string, string>, shown = {}) =>
    http.call<{ access_token: string; refresh_token: string }>('POST', '/api/oauth/token', {
      as: null,
      form: { client_id: client.client_id, ...form },
      shows: shown,
    });
  const exchange = { grant_type: 'authorization_code', code, code_verifier: verifier };
  const { body: tokens } = await ask(exchange, shows);
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
  const { body: later } = await ask(refresh, shows);
  const use = () =>
    http.call('POST', new URL(offers.url).pathname, {
      as: later.access_token,
      headers: { Accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
  expect((await use()).status).toBe(200);
  expect((await ask({ ...exchange, code_verifier: 'x' })).status).toBe(400);
  expect((await http.call('GET', '/api/agents', { as: later.access_token })).status).toBe(401);
  expect((await use()).status).toBe(401);
}

/** Without the id, which is no secret. */
const secretOf = (token: string | null | undefined) => token?.split('.')[1];

const AUTH: Record<string, (secret: string) => ToolAuth> = {
  'key in a header': (value) => ({ type: 'apiKey', in: 'header', name: 'X-Key', value }),
  'key in the query': (value) => ({ type: 'apiKey', in: 'query', name: 'key', value }),
  'key in a cookie': (value) => ({ type: 'apiKey', in: 'cookie', name: 'key', value }),
  'bearer token': (token) => ({ type: 'bearer', token }),
  'basic password': (password) => ({ type: 'basic', username: 'user', password }),
  'value of a header': (value) => ({ type: 'header', name: 'X-Secret', value }),
};

async function tools(): Promise<Tool[]> {
  const methods = BEHAVIORS.map((name) => ({
    name,
    httpMethod: 'get',
    path: `/${name}`,
    inputSchema: { type: 'object', properties: {} },
    timeoutMs: name === 'hang' ? 1_000 : 30_000,
    retry: { attempts: name === 'broken' ? 1 : 0, backoffMs: 1 },
    cache: { ttlSeconds: name === 'ok' ? 60 : 0 },
  }));
  return Promise.all(
    Object.entries(AUTH).map(async ([name, auth]) => {
      const secret = canaries.plant(`${name} of a tool`);
      canaries.learn(`${name} of a tool, as Basic`, Buffer.from(`user:${secret}`).toString('base64'));
      const body = { name, serverUrl: parrotUrl, auth: auth(secret), methods };
      const { body: tool } = await http.call<Tool>('POST', '/api/tools', { body });
      const statuses = await Promise.all(
        BEHAVIORS.map(async (method) => {
          const path = `/api/tools/${tool.id}/methods/${method}/invoke`;
          const { status, body } = await http.call<ToolInvocation>('POST', path, { body: { input: {} } });
          return status === 200 ? body.status : status;
        }),
      );
      expect([name, ...statuses]).toEqual([name, 200, 401, 500, 502]);
      // From the cache.
      await http.call('POST', `/api/tools/${tool.id}/methods/ok/invoke`, { body: { input: {} } });
      return tool;
    }),
  );
}

/**
 * Connections of every kind, whose tokens a tool repeats, and a provider that repeats what it receives: the client secret, and in its
 * errors the refresh token.
 */
async function connections(): Promise<void> {
  const clientSecret = canaries.plant('client secret of a provider');
  canaries.learn(
    'client secret of a provider, as Basic',
    Buffer.from(`c:${clientSecret}`).toString('base64'),
  );
  const tokens = (generation: string) => ({
    access_token: canaries.plant(`access token ${generation}`),
    refresh_token: canaries.plant(`refresh token ${generation}`),
    token_type: 'Bearer',
    expires_in: 90,
  });
  const answers: object[] = [];
  const authority = createServer((request, response) => {
    void readText(request).then((body) => {
      const heard = `${body} ${JSON.stringify(request.headers)}`;
      const answer = answers.shift() ?? { error: 'invalid_grant', error_description: heard };
      response
        .writeHead('error' in answer ? 400 : 200, {
          'Content-Type': 'application/json',
          'X-Heard': encodeURIComponent(heard),
        })
        .end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(authority, 'listening');
  const url = `http://127.0.0.1:${(authority.address() as AddressInfo).port}`;
  const provide = async (body: object) =>
    (
      await http.call<{ id: string }>('POST', '/api/connections/providers', {
        body: { origins: [parrotUrl], ...body },
      })
    ).body.id;
  const oauth = {
    authorizationEndpoint: `${url}/auth`,
    tokenEndpoint: `${url}/token`,
    revocationEndpoint: `${url}/revoke`,
    clientId: 'c',
  };
  const providerId = await provide({ name: 'Authority', kind: 'oauth2', oauth, clientSecret });
  const call = async (id: string, name: string) => {
    const method = {
      name: 'ok',
      httpMethod: 'get',
      path: '/ok',
      inputSchema: { type: 'object', properties: {} },
    };
    const denied = { ...method, name: 'denied', path: '/denied' };
    const auth = { type: 'connection', providerId: id };
    const body = { name, serverUrl: parrotUrl, auth, methods: [method, denied] };
    const { body: tool } = await http.call<Tool>('POST', '/api/tools', { body });
    const invoke = (one: string) =>
      http.call('POST', `/api/tools/${tool.id}/methods/${one}/invoke`, { body: { input: {} } });
    return [(await invoke('ok')).status, (await invoke('denied')).status];
  };

  const begun = await fetch(`${service.url}/api/connections/authorize`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await signIn(EMAIL, adminPassword)}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ providerId }),
  });
  const asked = new URL(((await begun.json()) as { url: string }).url).searchParams;
  const [cookie = ''] = begun.headers.getSetCookie();
  canaries.learn('browser cookie of a sign-in', /=([^;]+)/.exec(cookie)?.[1] ?? '');
  canaries.learn('state of a sign-in', asked.get('state') ?? '');
  const code = canaries.plant('authorization code');
  answers.push(tokens('of a sign-in'), tokens('that was renewed'));
  const back = `/api/connections/callback?code=${code}&state=${asked.get('state')}`;
  const ended = await fetch(`${service.url}${back}`, { redirect: 'manual', headers: { Cookie: cookie } });
  http.responses.push({ call: 'the callback', text: JSON.stringify([...ended.headers]) });
  expect(ended.headers.get('location')).toContain('connected=');
  // The refused token is renewed, and refused again.
  expect(await call(providerId, 'By a person')).toEqual([200, 409]);
  for (const kind of ['bearer', 'basic', 'header', 'key']) {
    const placement = kind === 'key' ? { in: 'query', name: 'k' } : { in: 'header', name: 'X-Connected' };
    const id = await provide({ name: `Of kind ${kind}`, kind, placement });
    const secret = canaries.plant(`${kind} of a connection`);
    canaries.learn(`${kind} of a connection, as Basic`, Buffer.from(`user:${secret}`).toString('base64'));
    const body = { providerId: id, secret, username: 'user' };
    expect((await http.call('POST', '/api/connections', { body })).status).toBe(201);
    expect(await call(id, `By ${kind}`)).toEqual([200, 409]);
  }
  const { items } = (await http.call<Page<{ id: string }>>('GET', '/api/connections')).body;
  for (const { id } of items) await http.call('POST', `/api/connections/${id}/test`);
  // The provider repeats what it was to revoke.
  await http.call('DELETE', `/api/connections/${items.at(-1)?.id ?? ''}`);
  await eventually(async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const left = await client.query('select 1 from connection where revoke_at is not null');
    await client.end();
    expect(left.rowCount).toBe(0);
  });
  authority.closeAllConnections();
  authority.close();
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Bodies with secrets that are rejected. */
async function mistakes(): Promise<void> {
  const token = canaries.plant('rejected token');
  const long = `${canaries.plant('rejected secret id')}${'x'.repeat(300)}`;
  const auth = { type: 'bearer', token: `${token}\n` };
  const statuses = [
    await http.call('POST', '/api/tools', { body: { name: 'X', serverUrl: parrotUrl, auth } }),
    await http.call('POST', '/api/tools', { body: { name: 'X', auth: { ...auth, type: token } } }),
    await http.call('PUT', '/api/tools/speech', { body: { secretId: long, secretKey: [token] } }),
    await http.call('POST', '/api/models', { body: { name: 'X', baseUrl: 'nowhere', apiKey: token } }),
    await http.call('POST', '/api/auth/login', { as: null, body: { email: 5, password: [token] } }),
    await http.call('GET', '/api/tools', { as: `pk_${token}` }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([400, 400, 400, 400, 400, 401]);
  const broken = await fetch(`${service.url}/api/tools`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${http.credential ?? ''}`, 'Content-Type': 'application/json' },
    body: `{"auth": {"token": "${token}", }`,
  });
  http.responses.push({ call: 'broken JSON', text: await broken.text() });
  expect(broken.status).toBe(400);
}

async function agents(made: Tool[]): Promise<void> {
  const calls = made.flatMap(({ name }) =>
    BEHAVIORS.map((method) => `/call ${name.replaceAll(' ', '_')}.${method} {}`),
  );
  const withTools = {
    name: 'A',
    systemPrompt: 'Go.',
    tools: made.map(({ id }) => ({ toolId: id, methods: null })),
  };
  const create = async (model: string) =>
    (await http.call<Agent>('POST', '/api/agents', { body: { ...withTools, model } })).body.id;
  const offline = await create('platform/offline');
  const contents = said(calls.join('\n'));
  const streamed = await http.call('POST', `/api/agents/${offline}/chat`, {
    body: { contents, session_id: 'session' },
    headers: STREAMED,
  });
  expect(streamed.text).toContain('"event":"tool-execution"');
  expect(streamed.text.match(/"status":"succeeded"/g)?.length).toBeGreaterThanOrEqual(made.length * 3);
  const chat = (id: string, text: string, headers = {}) =>
    http.call('POST', `/api/agents/${id}/chat`, {
      body: { contents: said(text), stream: headers === STREAMED },
      headers,
    });
  await http.call('POST', `/api/agents/${offline}/execute`, { body: { inputs: { query: calls[1] } } });
  const webhook = { url: webhooks.url('/job') };
  const job = await http.call<Job>('POST', '/api/agent-jobs', {
    body: { agentId: offline, contents: said(calls.slice(0, 4).join('\n')), webhook },
  });
  const echo = `Incorrect API key provided: Bearer ${modelKey}`;
  const body = { name: 'served', provider: 'openai-compatible', baseUrl: models.url, apiKey: modelKey };
  const { body: model } = await http.call<{ id: string }>('POST', '/api/models', { body });
  const served = await create('served');
  const messages = [{ role: 'user', content: 'Hello' }];
  const modelCalls = [
    () => http.call('POST', `/api/models/${model.id}/test`),
    () => chat(served, 'Hello', STREAMED),
    () => chat(served, 'Hello'),
    () => http.call('POST', '/models/v1/chat/completions', { body: { model: 'served', messages } }),
  ];
  for (const call of modelCalls) {
    models.nextBehavior({ kind: 'status', status: 401, message: echo });
    await call();
  }
  // The first attempt is repeated.
  models.nextBehavior(...[1, 2].map(() => ({ kind: 'status', status: 500, message: echo }) as const));
  await chat(served, 'Hello', STREAMED);
  // The server repeats the key that it does not know: that of the environment.
  await chat(await create('gpt-4o-mini'), 'Hello');
  await eventually(async () => {
    expect((await http.call<Job>('GET', `/api/agent-jobs/${job.body.id}`)).body.status).toBe('COMPLETED');
    expect(webhooks.of('/job')).toHaveLength(1);
  });
}

async function automation([tool]: Tool[]): Promise<void> {
  const secret = { 'webhook secret': ({ secret }: { secret?: string }) => secret };
  await http.call('POST', '/api/webhook-secret', { shows: secret });
  const systemKey = { 'system key': ({ systemKey }: { systemKey?: string }) => systemKey };
  const manifest = shopManifest();
  const application = await http.call<{ systemKey: string }>('POST', '/api/applications', {
    body: manifest,
    shows: systemKey,
  });
  const steps = BEHAVIORS.map((method) => ({
    id: method,
    kind: 'tool',
    toolId: tool?.id,
    method,
    input: {},
  }));
  const workflow = { steps };
  const create = async (type: string) =>
    (await http.call<Task>('POST', '/api/tasks', { body: { name: type, type, workflow } })).body.id;
  const taskId = await create('EVENT');
  const event = { applicationIdentifier: 'shop', event: 'order.created' };
  await http.call('POST', '/api/events/subscriptions', { body: { ...event, taskId } });
  const emission = { appIdentifier: 'shop', event: 'order.created', payload: { total: 1 } };
  const emitted = await http.call('POST', '/api/events/emit', {
    as: application.body.systemKey,
    body: emission,
  });
  expect(emitted.status).toBe(200);
  await http.call('POST', `/api/tasks/${await create('MANUAL')}/run`, { body: { inputs: {} } });
  await eventually(async () => {
    const { items } = (await http.call<Page<Run>>('GET', '/api/runs')).body;
    expect(items.map(({ status }) => status).sort()).toEqual(['FAILED', 'FAILED', 'SUCCEEDED']);
  });
  await http.call('POST', '/api/applications/shop/system-key', {
    shows: { 'rotated system key': ({ systemKey: rotated }: { systemKey?: string }) => rotated },
  });
}

async function speechCalls(): Promise<void> {
  const configuration = { endpoint: cloudHost, protocol: 'http', timeout: 5_000 };
  await http.call('PUT', '/api/tools/speech', { body: { ...configuration, ...speech } });
  const input = { audio: makeWav(0.1).toString('base64') };
  const recognize = () =>
    http.call('POST', '/api/tools/speech_recognition/methods/recognize/invoke', { body: { input } });
  expect((await recognize()).text).toContain('"success":true');
  for (const failure of ['AuthFailure.SignatureFailure', 'InternalError']) {
    cloud.failure = failure;
    expect((await recognize()).text).toContain('"failed":true');
  }
  cloud.isSilent = true;
  expect((await recognize()).text).toContain('NETWORK_ERROR');
}

/** Every route that reads, with the ids of what was made. */
async function readEverything(): Promise<void> {
  const routes = await readFile(join(import.meta.dirname, 'fixtures/routes.txt'), 'utf8');
  const ids = new Map<string, string[]>();
  const idsOf = async (list: string, field: string) => {
    const { body } = await http.call<Page<Record<string, string>>>('GET', list);
    ids.set(
      list,
      body.items.map((item) => item[field] ?? ''),
    );
  };
  for (const list of [
    'agents',
    'tools',
    'connections',
    'connections/providers',
    'tasks',
    'runs',
    'events/subscriptions',
    'events/envelopes',
    'agent-jobs',
  ])
    await idsOf(`/api/${list}`, 'id');
  await idsOf('/api/applications', 'identifier');
  for (const agent of ids.get('/api/agents') ?? []) await idsOf(`/api/agents/${agent}/sessions`, 'sessionId');
  let read = 0;
  for (const [, route = ''] of routes.matchAll(/ GET (\S+)/g)) {
    for (const path of fill(route, ids)) {
      const { status } = await http.call('GET', path);
      if (status === 200) read++;
    }
  }
  expect(read).toBeGreaterThan(60);
}

/** The paths of a route: its parameters replaced with the ids of the lists before them. */
function fill(route: string, ids: Map<string, string[]>): string[] {
  const [, before = '', parameter = '', rest = ''] = /^(.*?)\/:(\w+)(.*)$/.exec(route) ?? [];
  if (parameter === '') return [route];
  const known = ids.get(before) ??
    { table: ['orders'] }[parameter] ?? ['01980000-0000-7000-8000-000000000000'];
  return known.flatMap((id) => fill(`${before}/${encodeURIComponent(id)}${rest}`, ids));
}

async function findLeaks(): Promise<string[]> {
  const webhookCalls = webhooks.of('/job').map(({ headers, body }) => JSON.stringify(headers) + body);
  return [
    ...canaries.leaks('the log', service.printed),
    ...http.responses.flatMap(({ call, text }) => canaries.leaks(`the response to ${call}`, text)),
    ...webhookCalls.flatMap((text) => canaries.leaks('a webhook', text)),
    ...[...(await dumpDatabase(databaseUrl))].flatMap(([table, text]) =>
      canaries.leaks(`table ${table}`, text),
    ),
    ...[...(await dumpRedis(redis))].flatMap(([key, text]) => canaries.leaks(`Redis key ${key}`, text)),
    ...[...(await dumpFiles(dataDir))].flatMap(([file, text]) => canaries.leaks(`file ${file}`, text)),
  ];
}

(skipReason ? describe.skip : describe)('the secrets of a full run', () => {
  verifies(
    'secrets.canaries',
    'appear in no log, response, frame, webhook, table, Redis key, or file',
    async () => {
      await people();
      await mistakes();
      const made = await tools();
      await Promise.all([agents(made), automation(made), speechCalls(), connections()]);
      await readEverything();
      expect(service.printed).toContain('"level":20');
      expect(await findLeaks()).toEqual([]);
    },
  );

  verifies('secrets.canaries', 'would be found in each of these places, also if encoded', async () => {
    const planted = canaries.plant('planted secret');
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`create table planted (a bytea)`);
    await client.query(`insert into planted values (convert_to($1, 'UTF8'))`, [planted]);
    await client.end();
    await redis.command('HSET', 'planted', 'field', Buffer.from(`user:${planted}`).toString('base64'));
    http.responses.push({ call: 'GET planted', text: JSON.stringify({ planted }) });
    const found = (await findLeaks()).map((leak) => leak.split(':')[0]);
    expect(found).toEqual([
      'planted secret in the response to GET planted',
      'planted secret in table planted',
      'planted secret in Redis key planted',
    ]);
  });
});
