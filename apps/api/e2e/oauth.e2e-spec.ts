import { Client, IssuerMismatchError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Agent, AuditEntry, OAuthGrant, Page, Task, Tool } from '@platform/contracts';
import { GuardedHttp, type GuardedRequest } from '../src/infra/outgoing/guarded-http.ts';
import { Front } from './fixtures/front.ts';
import { sendJson, ToolServer, type Handler } from './fixtures/tool-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { MemoryProvider, OAuthAttempts, pkce, REDIRECT } from './harness/oauth-client.ts';
import { verifies } from './verifies.ts';

/** Reads the documents of `https://*.example` from a server of the test; there are no certificates for it. */
class ExampleHosts extends GuardedHttp {
  documents = '';

  override fetch(url: string | URL, request?: GuardedRequest) {
    return super.fetch(String(url).replace(/^https:\/\/[\w.-]+\.example\//, `${this.documents}/`), request);
  }
}

let app: TestApp;
let front: Front;
let server: ToolServer;
let oauth: OAuthAttempts;
let http: ExampleHosts;
let agent: Agent;
let tool: Tool;
const clients: Client[] = [];

beforeAll(async () => {
  [front, server] = await Promise.all([Front.start(), ToolServer.start()]);
  const allowed = `127.0.0.1:${server.port}`;
  http = new ExampleHosts({ allowPrivate: [allowed] });
  http.documents = server.url;
  app = await TestApp.start({
    env: { PLATFORM_PUBLIC_URL: front.url, PLATFORM_ALLOWED_PRIVATE_HOSTS: allowed },
    override: (builder) => builder.overrideProvider(GuardedHttp).useValue(http),
  });
  front.target = app.url;
  oauth = new OAuthAttempts(app, front.url);
  agent = await create<Agent>('/api/agents', {
    name: 'Travel planner',
    model: 'platform/offline',
    systemPrompt: 'You plan journeys.',
  });
  tool = await create<Tool>('/api/tools', {
    name: 'Shop',
    serverUrl: server.url,
    methods: [
      { name: 'find', httpMethod: 'get', path: '/orders', inputSchema: { type: 'object', properties: {} } },
    ],
  });
  await app.request('PUT', '/api/mcp/offers', {
    body: { agents: [agent.id], tasks: [], tools: [{ toolId: tool.id, methods: null }] },
  });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await app.close();
  await http.close();
  await server.stop();
  front.stop();
});
beforeEach(() => server.respond(sendJson({ id: 'o_1' })));

async function create<Body>(path: string, body: object): Promise<Body> {
  const answer = await app.request<Body>('POST', path, { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const ALL = ['ask_travel_planner', 'Shop__find', 'get_result', 'cancel'];

/** Connects the official client. Resolves to false if it has sent the person away to sign in. */
async function connect(provider: MemoryProvider, isLegacy = false) {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: isLegacy ? 'legacy' : { pin: '2026-07-28' } } },
  );
  clients.push(client);
  const transport = new StreamableHTTPClientTransport(new URL(oauth.mcpUrl(app.admin.spaceId)), {
    authProvider: provider,
  });
  const isIn = await client.connect(transport).then(
    () => true,
    (error: unknown) => {
      if (provider.opened === null) throw error;
      return false;
    },
  );
  return { client, transport, isIn };
}

/** Goes the whole way, as a person with an editor does. */
async function signIn(provider: MemoryProvider, as: TestUser): Promise<Client> {
  const { transport, isIn } = await connect(provider);
  expect(isIn).toBe(false);
  const opened = provider.opened;
  expect(opened?.href).toContain(`${front.url}/oauth/consent?`);
  await transport.finishAuth(await oauth.consent(as, opened?.search.slice(1) ?? ''));
  return (await connect(provider)).client;
}

const METADATA = { client_name: 'Editor', redirect_uris: [REDIRECT] };
const grantsOf = async (as: TestUser) =>
  (await app.request<Page<OAuthGrant>>('GET', '/api/oauth/grants', { as })).body.items;
const audit = async (action: string) =>
  (await app.request<Page<AuditEntry>>('GET', `/api/audit?action=${action}`)).body.items;

describe('the sign-in of the official client', () => {
  verifies(
    ['oauth.sign-in', 'oauth.grants'],
    'discovers, registers, is let in, calls tools, refreshes, and is revoked',
    async () => {
      const provider = new MemoryProvider(METADATA);
      const client = await signIn(provider, app.member);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(ALL);
      const result = await client.callTool({
        name: 'ask_travel_planner',
        arguments: { message: 'Rome' },
      });
      expect(result.isError ?? false).toBe(false);
      expect(provider.stored).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'invoke use' });

      // An access token that is no longer valid is replaced, without the person.
      const before = provider.stored;
      provider.stored = { ...before, access_token: 'mcp_expired' } as typeof before;
      provider.opened = null;
      expect((await client.listTools()).tools).toHaveLength(4);
      expect(provider.opened).toBeNull();
      expect(provider.stored?.refresh_token).not.toBe(before?.refresh_token);

      const [grant] = await grantsOf(app.member);
      expect(grant).toMatchObject({
        client: {
          id: provider.information?.client_id,
          name: 'Editor',
          host: null,
          redirectsTo: '127.0.0.1:33418',
          isLocal: true,
          isVerified: false,
        },
        user: { id: app.member.userId, email: app.member.email },
        scopes: ['invoke', 'use'],
      });
      expect(grant?.lastUsedAt).not.toBeNull();
      await app.client(app.member).oauth.grants.revoke(grant?.id ?? '');
      // The client asks the person again.
      await expect(client.listTools()).rejects.toThrow();
      expect(provider.opened).not.toBeNull();
      expect(await grantsOf(app.member)).toEqual([]);
      const [created] = await audit('oauth-grant.create');
      expect(created).toMatchObject({
        targetId: grant?.id,
        actor: { id: app.member.userId },
        details: { client: 'Editor', scopes: ['invoke', 'use'] },
      });
      expect((await audit('oauth-grant.revoke'))[0]).toMatchObject({ targetId: grant?.id });
    },
  );

  verifies(
    ['oauth.sign-in', 'oauth.documents'],
    'is known by its document, which is read once an hour',
    async () => {
      const id = 'https://editor.example/oauth/client.json';
      const redirect_uris = [REDIRECT, 'https://editor.example/callback'];
      server.respond(sendJson({ client_id: id, client_name: 'Editor', redirect_uris }));
      const provider = new MemoryProvider(METADATA, id);
      const client = await signIn(provider, app.member);
      expect((await client.listTools()).tools).toHaveLength(4);
      expect(provider.information?.client_id).toBe(id);
      const query = (redirect_uri: string) =>
        oauth.query(id, pkce().challenge, app.admin.spaceId, { redirect_uri });
      const local = await oauth.preview(app.member, query(REDIRECT));
      expect(local.body.client).toMatchObject({ host: 'editor.example', isLocal: true, isVerified: false });
      const remote = await oauth.preview(app.member, query('https://editor.example/callback'));
      expect(remote.body.client).toMatchObject({ isLocal: false, isVerified: true, registeredAt: null });
      const fetches = () => server.received.filter(({ url }) => url === '/oauth/client.json').length;
      expect(fetches()).toBe(1);

      // After an hour it is read again, and what it says then counts.
      await app.sql("update oauth_client set read_at = read_at - interval '61 minutes'");
      server.respond(sendJson({ client_id: id, redirect_uris: ['https://editor.example/new'] }));
      expect((await oauth.preview(app.member, query(REDIRECT))).text).toContain('redirect_uri is none');
      const renamed = await oauth.preview(app.member, query('https://editor.example/new'));
      expect(renamed.body.client.name).toBe('editor.example');
    },
  );

  verifies('oauth.sign-in', 'notices the response of another issuer', async () => {
    const provider = new MemoryProvider(METADATA);
    const { transport } = await connect(provider);
    const received = await oauth.consent(app.member, provider.opened?.search.slice(1) ?? '');
    expect(received.get('iss')).toBe(front.url);
    for (const iss of ['https://elsewhere.example', null]) {
      const mixed = new URLSearchParams(received);
      if (iss === null) mixed.delete('iss');
      else mixed.set('iss', iss);
      await expect(transport.finishAuth(mixed)).rejects.toBeInstanceOf(IssuerMismatchError);
    }
    expect(provider.stored).toBeUndefined();
  });

  verifies('oauth.sign-in', 'is told where to go by the 401 of the MCP server', async () => {
    const { spaceId } = app.admin;
    const { status, headers } = await app.request('POST', `/mcp/${spaceId}`, { as: null, body: {} });
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${front.url}/.well-known/oauth-protected-resource/mcp/${spaceId}", scope="invoke use"`,
    ]);
    const wrong = await app.request('POST', `/mcp/${spaceId}`, {
      as: null,
      headers: { Authorization: 'Bearer mcp_nothing' },
    });
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const read = (path: string) => app.request('GET', path, { as: null, headers: { Accept: 'text/html' } });
    const resource = await read(`/.well-known/oauth-protected-resource/mcp/${spaceId}`);
    expect(resource.body).toEqual({
      resource: `${front.url}/mcp/${spaceId}`,
      authorization_servers: [front.url],
      scopes_supported: ['invoke', 'use'],
      bearer_methods_supported: ['header'],
    });
    expect((await read('/.well-known/oauth-protected-resource/mcp/x')).status).toBe(404);
    expect((await read('/.well-known/oauth-authorization-server')).body).toMatchObject({
      issuer: front.url,
      authorization_endpoint: `${front.url}/oauth/consent`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    const other = await app.request('GET', '/api/agents', { as: null });
    expect(other.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('the consent', () => {
  verifies('oauth.consent', 'shows client, space, and scopes, and is given or denied once', async () => {
    const clientId = await oauth.register({ client_name: 'A\u202e \n<b>name</b>' });
    const { verifier, challenge } = pkce();
    const query = oauth.query(clientId, challenge, app.admin.spaceId, {
      scope: 'openid invoke use administer',
    });
    const { body } = await oauth.preview(app.member, query);
    expect(body).toMatchObject({
      client: { id: clientId, name: 'A <b>name</b>', isVerified: false },
      space: { id: app.admin.spaceId },
      scopes: ['invoke', 'use'],
      problem: null,
    });
    const { request } = body;
    const denied = await oauth.answer(app.member, { request, allow: false });
    expect(denied.body.redirectTo).toBe(
      `${REDIRECT}?error=access_denied&state=s+1&iss=${encodeURIComponent(front.url)}`,
    );
    const stranger = await oauth.answer(app.admin, { request, allow: true });
    expect([stranger.status, stranger.text]).toEqual([400, expect.stringContaining('shown to someone else')]);
    const none = await oauth.answer(app.member, { request, allow: true, scopes: [] });
    expect(none.status).toBe(400);
    const allowed = await oauth.answer(app.member, { request, allow: true, scopes: ['use'] });
    const received = new URL(allowed.body.redirectTo).searchParams;
    expect([received.get('state'), received.get('iss')]).toEqual(['s 1', front.url]);
    const again = await oauth.answer(app.member, { request, allow: true });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('answered before')]);
    const tokens = await oauth.exchange(clientId, received.get('code') ?? '', verifier);
    expect(tokens.body.scope).toBe('use');
    expect((await oauth.tools(tokens.body.access_token, app.admin.spaceId)).names).not.toContain(
      'ask_travel_planner',
    );
    const forged = await oauth.answer(app.member, { request: `${request}x`, allow: true });
    expect(forged.status).toBe(400);
  });

  verifies(
    'oauth.consent',
    'tells the client what is wrong, at an address that it has registered',
    async () => {
      const clientId = await oauth.register();
      const { challenge } = pkce();
      const ask = (more: Record<string, string | null>, as = app.member) =>
        oauth.preview(as, oauth.query(clientId, challenge, app.admin.spaceId, more));
      const problems: [Record<string, string | null>, string, string][] = [
        [{ response_type: 'token' }, 'unsupported_response_type', 'response_type must be code'],
        [{ code_challenge: null, code_challenge_method: null }, 'invalid_request', 'S256'],
        [{ code_challenge_method: 'plain' }, 'invalid_request', 'S256'],
        [{ code_challenge: 'short' }, 'invalid_request', 'code_challenge'],
        [{ resource: null }, 'invalid_target', 'resource'],
        [{ resource: `${front.url}/api` }, 'invalid_target', 'resource'],
        [{ resource: `https://elsewhere.example/mcp/${app.admin.spaceId}` }, 'invalid_target', 'resource'],
        [{ request_uri: 'https://elsewhere.example' }, 'invalid_request', 'request_uri'],
      ];
      for (const [more, error, problem] of problems) {
        const { status, body } = await ask(more);
        expect([more, status, body.request, body.problem]).toEqual([
          more,
          200,
          null,
          expect.stringContaining(problem),
        ]);
        expect(body.returnTo).toMatch(new RegExp(`^${REDIRECT}\\?error=${error}&`));
      }
      // Nobody is ever sent to an address that the client has not registered.
      for (const redirect_uri of [
        'https://attacker.example/',
        `${REDIRECT}/more`,
        `${REDIRECT}?more`,
        'http://127.0.0.1@attacker.example/callback',
        'javascript:alert(1)//127.0.0.1/callback',
        null,
      ]) {
        const { status, text } = await ask({ redirect_uri });
        expect([redirect_uri, status, text]).toEqual([
          redirect_uri,
          400,
          expect.stringContaining('redirect_uri is none'),
        ]);
      }
      // A program on a device listens on any port.
      expect((await ask({ redirect_uri: 'http://127.0.0.1:5/callback' })).body.problem).toBeNull();
      const repeated = `${oauth.query(clientId, challenge, app.admin.spaceId)}&redirect_uri=x`;
      expect((await oauth.preview(app.member, repeated)).status).toBe(400);
      const unknown = oauth.query(app.admin.userId, challenge, app.admin.spaceId);
      expect((await oauth.preview(app.member, unknown)).text).toContain('not known here');
      const outside = await ask({}, app.outsider);
      expect([outside.status, outside.text]).toEqual([403, expect.stringContaining('not a member')]);
      expect(outside.text).not.toContain('Space of');
      const nowhere = await ask({ resource: oauth.mcpUrl('01980000-0000-7000-8000-000000000000') });
      expect(nowhere.status).toBe(404);
    },
  );

  verifies('oauth.consent', 'is given by a person alone, also for another space of theirs', async () => {
    const clientId = await oauth.register();
    const { verifier, challenge } = pkce();
    const query = oauth.query(clientId, challenge, app.admin.spaceId);
    const headers = { Authorization: `Bearer ${app.member.apiKey}` };
    const byKey = await app.request('POST', '/api/oauth/authorizations/preview', {
      as: null,
      headers,
      body: { query },
    });
    expect(byKey.status).toBe(403);
    const guest = await app.addUser('ADMIN', null);
    await app.request('POST', '/api/members', { body: { email: guest.email, role: 'MEMBER' } });
    // The sign-in of the guest is to the space of the guest.
    const received = await oauth.consent(guest, query);
    const { body } = await oauth.exchange(clientId, received.get('code') ?? '', verifier);
    expect((await oauth.tools(body.access_token, app.admin.spaceId)).status).toBe(200);
    expect((await oauth.tools(body.access_token, guest.spaceId)).status).toBe(401);
    // The audit of the space for which it is knows.
    expect((await audit('oauth-grant.create'))[0]).toMatchObject({ actor: { id: guest.userId } });
  });
});

describe('a consent that nobody gave', () => {
  verifies(
    'oauth.consent',
    'is not that of an ended sign-in, a cookie, a form, or a lost membership',
    async () => {
      const clientId = await oauth.register();
      const person = await app.addUser('MEMBER');
      const query = oauth.query(clientId, pkce().challenge, person.spaceId);
      const { request } = (await oauth.preview(person, query)).body;
      const body = { request, allow: true };
      const answers = (headers: Record<string, string>) =>
        app.request('POST', '/api/oauth/authorizations', { as: null, headers, body });
      // A page of another origin can send cookies and forms at most.
      const login = { email: person.email, password: person.password };
      const signedIn = await app.request('POST', '/api/auth/login', { as: null, body: login });
      const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      expect(cookie).not.toBe('');
      expect((await answers({ Cookie: cookie })).status).toBe(401);
      const form = await app.request('POST', '/api/oauth/authorizations', {
        as: person,
        raw: new URLSearchParams({ request: request ?? '', allow: 'true' }).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      expect(form.status).toBe(400);
      expect((await answers({ Authorization: `Bearer ${person.apiKey}` })).status).toBe(403);
      const { access_token: token } = await oauth.letIn(person);
      expect((await answers({ Authorization: `Bearer ${token}` })).status).toBe(401);
      const { clients } = await app.client().members.previewRemoval(person.userId);
      expect(clients).toEqual({ count: 1, names: ['Attempt'] });
      await app.client().members.remove(person.userId);
      expect((await oauth.answer(person, body)).status).toBe(401);
      await app.request('POST', '/api/members', { body: { email: person.email, role: 'MEMBER' } });
      await app.sql('update refresh_session set revoked_at = clock_timestamp() where user_id = $1', [
        person.userId,
      ]);
      expect((await oauth.answer(person, body)).status).toBe(401);
      expect(await grantsOf(app.admin)).not.toContainEqual(
        expect.objectContaining({ user: expect.objectContaining({ id: person.userId }) as object }),
      );
    },
  );

  verifies('oauth.consent', 'and errors never show what was sent as a page', async () => {
    const script = '<script>alert(1)</script>';
    const encoded = encodeURIComponent(script);
    const attempts = [
      await oauth.post('/api/oauth/token', { grant_type: script, client_id: script }),
      await oauth.post('/api/oauth/token', { grant_type: 'refresh_token', client_id: script }),
      await oauth.post('/api/oauth/token', { [script]: '\u0000' }),
      await oauth.post('/api/oauth/revoke', { token: script, client_id: script }),
      await oauth.preview(app.member, `client_id=${encoded}&redirect_uri=${encoded}`),
      await app.request('GET', `/.well-known/oauth-protected-resource/mcp/${encoded}`, {
        as: null,
        headers: { Accept: 'text/html' },
      }),
      await app.request('POST', `/mcp/${encoded}`, { as: null, headers: { Accept: 'text/html' }, body: {} }),
    ];
    for (const { status, headers } of attempts) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('www-authenticate') ?? '').not.toContain('script');
    }
  });
});

describe('an access token', () => {
  verifies('oauth.audience', 'is valid for the MCP server of its space, and nowhere else', async () => {
    const { access_token: token } = await oauth.letIn(app.admin);
    expect(await oauth.tools(token, app.admin.spaceId)).toEqual({ status: 200, names: ALL });
    expect((await oauth.tools(token, app.admin.spaceId.toUpperCase())).status).toBe(200);
    const headers = { Authorization: `Bearer ${token}` };
    const elsewhere = [
      ['POST', `/mcp/${app.outsider.spaceId}`],
      ['POST', '/mcp/x'],
      ['GET', '/api/agents'],
      ['GET', '/api/auth/me'],
      ['GET', '/api/oauth/grants'],
      ['POST', '/api/mcp/offers'],
      ['GET', '/models/v1/models'],
    ] as const;
    for (const [method, path] of elsewhere) {
      const answer = await app.request(method, path, { as: null, headers });
      expect([path, answer.status]).toEqual([path, 401]);
    }
    // Neither do other credentials pass for one.
    const [head = '', payload = '', mark = ''] = token.slice(4).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const other = { ...claims, aud: oauth.mcpUrl(app.outsider.spaceId) };
    const forged = `mcp_${head}.${Buffer.from(JSON.stringify(other)).toString('base64url')}.${mark}`;
    expect((await oauth.tools(forged, app.outsider.spaceId)).status).toBe(401);
    expect((await oauth.tools(token.slice(4), app.admin.spaceId)).status).toBe(401);
  });

  verifies(['oauth.audience', 'oauth.grants'], 'never may do more than its person may now', async () => {
    const person = await app.addUser('MEMBER');
    const { access_token: token, refresh_token: refresh = '', clientId } = await oauth.letIn(person);
    expect((await oauth.tools(token, person.spaceId)).status).toBe(200);
    await app.client().members.remove(person.userId);
    const refused = await oauth.call(token, person.spaceId);
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining('no longer a member'),
    ]);
    expect((await oauth.refresh(clientId, refresh)).body.error).toBe('invalid_grant');
    // What was allowed before stays ended if the person comes back.
    await app.request('POST', '/api/members', { body: { email: person.email, role: 'MEMBER' } });
    expect((await oauth.tools(token, person.spaceId)).status).toBe(401);
  });

  verifies('oauth.audience', 'loses what its person loses, with the next call', async () => {
    const person = await app.addUser('ADMIN');
    const { access_token: token } = await oauth.letIn(person);
    const workflow = { steps: [{ id: 'a', kind: 'code', source: 'return 1;' }] };
    const task = await create<Task>('/api/tasks', { name: 'Report', type: 'MANUAL', workflow });
    const offer = (tasks: string[]) =>
      app.request('PUT', '/api/mcp/offers', {
        body: { agents: [agent.id], tasks, tools: [{ toolId: tool.id, methods: null }] },
      });
    await offer([task.id]);
    const seen = async () => (await oauth.tools(token, person.spaceId)).names;
    expect(await seen()).toContain('run_report');
    await app.request('PATCH', `/api/members/${person.userId}`, { body: { role: 'MEMBER' } });
    expect(await seen()).not.toContain('run_report');
    const restrict = (change: object) => app.request('PATCH', `/api/agents/${agent.id}`, { body: change });
    expect(await seen()).toContain('ask_travel_planner');
    await restrict({ accessScope: 'RESTRICTED', allowedUserIds: [app.admin.userId] });
    expect(await seen()).not.toContain('ask_travel_planner');
    await restrict({ accessScope: 'SPACE' });
    await offer([]);
  });
});

describe('the scopes that a person allows', () => {
  verifies('oauth.audience', 'are all that a client has, also for documents and by handles', async () => {
    const offer = (knowledge: boolean) =>
      app.request('PUT', '/api/mcp/offers', {
        body: { agents: [agent.id], tasks: [], tools: [{ toolId: tool.id, methods: null }], knowledge },
      });
    await offer(true);
    const { spaceId } = app.member;
    const [invoke, use] = [await oauth.letIn(app.member, ['invoke']), await oauth.letIn(app.member, ['use'])];
    const toolsOf = async (token: string) => (await oauth.tools(token, spaceId)).names;
    expect(await toolsOf(invoke.access_token)).toEqual(['ask_travel_planner', 'get_result', 'cancel']);
    expect(await toolsOf(use.access_token)).toEqual([
      'Shop__find',
      'search_documents',
      'get_result',
      'cancel',
    ]);
    const call = async (token: string, name: string, args: object) =>
      (await oauth.call(token, spaceId, 'tools/call', { name, arguments: args })).text();
    expect(await call(invoke.access_token, 'search_documents', { query: 'x' })).not.toContain('Nothing was');
    expect(await call(use.access_token, 'search_documents', { query: 'x' })).toContain('Nothing was found');
    expect(await call(invoke.access_token, 'ask_travel_planner', { message: 'Rome' })).toContain('Rome');
    const [turn] = await app.sql<{ id: string }>(
      'select client_turn_id as id from turn where agent_id = $1 order by id desc limit 1',
      [agent.id],
    );
    const handle = `turn:${agent.id}:${turn?.id ?? ''}`;
    expect(await call(invoke.access_token, 'get_result', { handle })).toContain('Rome');
    for (const name of ['get_result', 'cancel'])
      expect(await call(use.access_token, name, { handle })).toContain('lacks the scope invoke');
    const run = { handle: `run:${app.admin.spaceId}` };
    expect(await call(invoke.access_token, 'get_result', run)).toContain('lacks the scope use');
    await offer(false);
  });
});

describe('a code', () => {
  verifies('oauth.codes', 'is exchanged by its client, with its verifier, at its address', async () => {
    const [clientId, otherId] = [await oauth.register(), await oauth.register()];
    const { verifier, challenge } = pkce();
    const code = (await oauth.consent(app.member, oauth.query(clientId, challenge, app.admin.spaceId))).get(
      'code',
    ) as string;
    const attempts: [Promise<{ status: number; body: { error?: string } }>, string][] = [
      [oauth.exchange(otherId, code, verifier), 'invalid_grant'],
      [oauth.exchange(clientId, code, pkce().verifier), 'invalid_grant'],
      [oauth.exchange(clientId, code, ''), 'invalid_grant'],
      [oauth.exchange(clientId, code, challenge), 'invalid_grant'],
      [
        oauth.exchange(clientId, code, verifier, { redirect_uri: 'http://127.0.0.1:1/callback' }),
        'invalid_grant',
      ],
      [
        oauth.exchange(clientId, code, verifier, { resource: oauth.mcpUrl(app.outsider.spaceId) }),
        'invalid_target',
      ],
      [oauth.exchange(clientId, `${code.slice(0, -1)}_`, verifier), 'invalid_grant'],
      [oauth.refresh(clientId, code), 'invalid_grant'],
      [oauth.token({ grant_type: 'password', client_id: clientId }), 'unsupported_grant_type'],
      [oauth.token({ client_id: clientId }), 'invalid_request'],
    ];
    for (const [attempt, error] of attempts) {
      const { status, body } = await attempt;
      expect([status, body.error]).toEqual([400, error]);
    }
    const unknown = await oauth.exchange(app.admin.userId, code, verifier);
    expect([unknown.status, unknown.body.error]).toEqual([401, 'invalid_client']);
    const tokens = await oauth.exchange(clientId, code, verifier);
    expect([tokens.status, tokens.headers.get('cache-control')]).toEqual([200, 'no-store']);
    // Requests that cannot be read, in the words of OAuth.
    const raw = await app.request<{ error: string }>('POST', '/api/oauth/token', { as: null, body: {} });
    expect([raw.status, raw.body.error]).toEqual([400, 'invalid_request']);
    const twice = await app.request<{ error: string }>('POST', '/api/oauth/token', {
      as: null,
      raw: 'client_id=a&client_id=b&grant_type=refresh_token',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
    const large = await oauth.token({ code: 'x'.repeat(20_000) });
    expect(large.status).toBe(413);
  });

  verifies('oauth.codes', 'that is used twice, also at the same moment, ends what it gave', async () => {
    const clientId = await oauth.register();
    for (const isParallel of [false, true]) {
      const { verifier, challenge } = pkce();
      const query = oauth.query(clientId, challenge, app.admin.spaceId);
      const code = (await oauth.consent(app.member, query)).get('code') ?? '';
      const use = () => oauth.exchange(clientId, code, verifier);
      const answers = isParallel
        ? await Promise.all(Array.from({ length: 20 }, use))
        : [await use(), await use()];
      const given = answers.filter(({ status }) => status === 200);
      expect(given).toHaveLength(1);
      const token = given[0]?.body;
      expect((await oauth.tools(token?.access_token ?? '', app.admin.spaceId)).status).toBe(401);
      expect((await oauth.refresh(clientId, token?.refresh_token ?? '')).body.error).toBe('invalid_grant');
    }
    const [entry] = await audit('oauth-grant.revoke');
    expect(entry).toMatchObject({ actor: null, details: { reason: 'the code was used twice' } });
  });

  verifies('oauth.codes', 'expires', async () => {
    const clientId = await oauth.register();
    const { verifier, challenge } = pkce();
    const query = oauth.query(clientId, challenge, app.admin.spaceId);
    const code = (await oauth.consent(app.member, query)).get('code') ?? '';
    await app.sql(
      "update oauth_grant set expires_at = clock_timestamp() - interval '1 s' where exchanged_at is null",
    );
    expect((await oauth.exchange(clientId, code, verifier)).text).toContain('has expired');
  });
});

describe('a refresh token', () => {
  verifies(
    'oauth.rotation',
    'is replaced; a lost response can be repeated; an older one ends the grant',
    async () => {
      const { clientId, refresh_token: first = '' } = await oauth.letIn(app.member);
      const resource = oauth.mcpUrl(app.admin.spaceId);
      const answers = await Promise.all([1, 2, 3].map(() => oauth.refresh(clientId, first, { resource })));
      const second = answers[0]?.body.refresh_token ?? '';
      expect(answers.map(({ status, body }) => [status, body.refresh_token])).toEqual(
        [1, 2, 3].map(() => [200, second]),
      );
      expect(second).not.toBe(first);
      const wrong = await oauth.refresh(clientId, second, { resource: oauth.mcpUrl(app.outsider.spaceId) });
      expect(wrong.body.error).toBe('invalid_target');
      const foreign = await oauth.refresh(await oauth.register(), second);
      expect(foreign.body.error).toBe('invalid_grant');
      const third = await oauth.refresh(clientId, second);
      expect(third.status).toBe(200);
      expect((await oauth.tools(third.body.access_token, app.admin.spaceId)).status).toBe(200);
      // The first one was copied: whoever has the third may be the thief.
      expect((await oauth.refresh(clientId, first)).body.error).toBe('invalid_grant');
      expect((await oauth.tools(third.body.access_token, app.admin.spaceId)).status).toBe(401);
      expect((await oauth.refresh(clientId, third.body.refresh_token ?? '')).body.error).toBe(
        'invalid_grant',
      );
      expect((await audit('oauth-grant.revoke'))[0]?.details).toMatchObject({
        reason: 'a refresh token was used twice',
      });
    },
  );

  verifies(
    'oauth.rotation',
    'that is the one before ends the grant as well, once 30 s have passed',
    async () => {
      const { clientId, refresh_token: first = '' } = await oauth.letIn(app.member);
      const second = (await oauth.refresh(clientId, first)).body.refresh_token ?? '';
      await app.sql("update oauth_grant set previous_valid_until = clock_timestamp() - interval '1 ms'");
      expect((await oauth.refresh(clientId, first)).status).toBe(400);
      expect((await oauth.refresh(clientId, second)).status).toBe(400);
    },
  );
});

describe('what is allowed', () => {
  verifies('oauth.grants', 'is seen and revoked by its person, and by admins', async () => {
    const [one, two] = [await app.addUser('MEMBER'), await app.addUser('MEMBER')];
    await oauth.letIn(one);
    const [grant] = await grantsOf(one);
    const id = grant?.id ?? '';
    expect(await grantsOf(two)).toEqual([]);
    expect((await grantsOf(app.admin)).map((each) => each.id)).toContain(id);
    const revoke = (as: TestUser) => app.request('DELETE', `/api/oauth/grants/${id}`, { as });
    expect((await revoke(two)).status).toBe(403);
    expect((await revoke(app.outsider)).status).toBe(403);
    expect((await revoke(app.admin)).status).toBe(204);
    expect((await revoke(one)).status).toBe(404);
    // Clients can end it themselves.
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const tokens = await oauth.letIn(one);
      const other = { token: tokens[kind] ?? '', client_id: await oauth.register() };
      expect((await oauth.post('/api/oauth/revoke', other)).status).toBe(200);
      expect((await oauth.tools(tokens.access_token, one.spaceId)).status).toBe(200);
      const own = { token: tokens[kind] ?? '', client_id: tokens.clientId };
      expect((await oauth.post('/api/oauth/revoke', own)).status).toBe(200);
      expect((await oauth.tools(tokens.access_token, one.spaceId)).status).toBe(401);
      expect((await oauth.post('/api/oauth/revoke', { ...own, token: 'nothing' })).status).toBe(200);
    }
  });

  verifies('oauth.grants', 'ends with calls that are open, within five seconds', async () => {
    const { access_token: token } = await oauth.letIn(app.member);
    // The agent thinks for a minute, and the client waits.
    const waiting = oauth
      .call(token, app.admin.spaceId, 'tools/call', {
        name: 'ask_travel_planner',
        arguments: { message: '/think 60000' },
      })
      .then((response) => response.text());
    const ended = waiting.then(
      () => 'responded',
      () => 'closed',
    );
    await eventually(async () =>
      expect(await app.sql("select 1 from turn where status = 'RUNNING'")).toHaveLength(1),
    );
    const [grant] = await grantsOf(app.member);
    await app.client(app.member).oauth.grants.revoke(grant?.id ?? '');
    // Otherwise it would respond with a handle after 45 s.
    expect(await ended).toBe('closed');
  });
});

describe('documents of clients', () => {
  const read = async (url: string) => {
    await app.sql('delete from rate_window');
    return oauth.preview(app.member, oauth.query(url, pkce().challenge, app.admin.spaceId));
  };

  verifies('oauth.documents', 'must be small, quick, where they say, and without secrets', async () => {
    const id = 'https://hostile.example/client.json';
    const valid = { client_id: id, client_name: 'X', redirect_uris: [REDIRECT] };
    const moved: Handler = (response) =>
      response.writeHead(302, { Location: `${server.url}/elsewhere` }).end();
    const large: Handler = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ ...valid, padding: 'x'.repeat(10_000_000) }));
    };
    const silent: Handler = () => undefined;
    const refused: [string, Handler, string][] = [
      ['a redirect', moved, 'could not be read'],
      ['10 MB', large, 'could not be read'],
      ['no answer', silent, 'could not be read'],
      ['an error', (response) => response.writeHead(500).end(), 'could not be read'],
      ['no JSON', (response) => response.end('<html>'), 'client_id'],
      ['another id', sendJson({ ...valid, client_id: `${id}x` }), 'client_id'],
      ['a secret', sendJson({ ...valid, client_secret: 'x' }), 'client_secret'],
      ['a key', sendJson({ ...valid, token_endpoint_auth_method: 'private_key_jwt' }), 'must be none'],
      ['a script', sendJson({ ...valid, redirect_uris: ['javascript:alert(1)'] }), 'redirect_uris[0]'],
      ['many addresses', sendJson({ ...valid, redirect_uris: Array(21).fill(REDIRECT) }), '1 to 20'],
    ];
    for (const [what, handler, problem] of refused) {
      server.respond(handler);
      const { status, text } = await read(id);
      expect([what, status, text]).toEqual([what, 400, expect.stringContaining(problem)]);
      expect(server.received.some(({ url }) => url === '/elsewhere')).toBe(false);
    }
    // An address that nobody may reach looks like one that does not respond.
    for (const blocked of ['https://10.0.0.1/client.json', 'https://[::1]/client.json'])
      expect((await read(blocked)).text).toContain('The document of the client could not be read');
    for (const other of [
      'http://hostile.example/x',
      'https://hostile.example/',
      'https://a@b.example/x',
      `${id}?a`,
    ])
      expect((await read(other)).text).toContain('not known here');
    expect(await app.sql('select 1 from oauth_client where client_id = $1', [id])).toEqual([]);
  });

  verifies('oauth.documents', 'are fetched a limited number of times for a person', async () => {
    await app.sql('delete from rate_window');
    server.respond((response) => response.writeHead(404).end());
    const query = oauth.query('https://missing.example/x', pkce().challenge, app.admin.spaceId);
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) statuses.push((await oauth.preview(app.member, query)).status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });
});

describe('registrations', () => {
  const register = (body: unknown) =>
    app.request<{ error?: string; client_id?: string }>('POST', '/api/oauth/register', { as: null, body });

  verifies('oauth.registrations', 'are checked, and make public clients', async () => {
    await app.sql('delete from rate_window');
    const made = await register({
      client_name: 'Editor',
      redirect_uris: ['cursor://editor/callback', 'com.example.app:/callback', REDIRECT],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      software_id: 'x',
    });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ client_name: 'Editor', token_endpoint_auth_method: 'none' }),
    ]);
    expect(made.body).not.toHaveProperty('client_secret');
    expect(made.headers.get('ratelimit-policy')).toBe('"address";q=10;w=60, "installation";q=100;w=60');
    expect(made.headers.get('ratelimit')).toMatch(/^"address";r=9;t=\d+$/);
    const wrong: [unknown, string][] = [
      [{}, 'invalid_redirect_uri'],
      [{ redirect_uris: [] }, 'invalid_redirect_uri'],
      [
        { redirect_uris: Array.from({ length: 5 }, (_, i) => `https://x.example/${i}${'x'.repeat(900)}`) },
        'invalid_redirect_uri',
      ],
      ...[
        'javascript:alert(1)',
        'data:text/html,x',
        'http://attacker.example/',
        'https://a@b.example/',
        'https://x/#a',
        'x',
      ].map((uri): [unknown, string] => [{ redirect_uris: [uri] }, 'invalid_redirect_uri']),
    ];
    for (const [body, error] of wrong) {
      await app.sql('delete from rate_window');
      const answer = await register(body);
      expect([body, answer.status, answer.body.error]).toEqual([body, 400, error]);
    }
    const noCode = await register({ redirect_uris: [REDIRECT], grant_types: ['client_credentials'] });
    expect(noCode.body.error).toBe('invalid_client_metadata');
    const large = await register({ redirect_uris: [REDIRECT], client_name: 'x'.repeat(40_000) });
    expect(large.status).toBe(413);
  });

  verifies('oauth.registrations', 'are limited, and purged unless somebody has allowed them', async () => {
    const { clientId } = await oauth.letIn(app.member);
    await app.sql('delete from rate_window');
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => register({ redirect_uris: [REDIRECT] })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error).toBe('temporarily_unavailable');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    await app.sql(
      `insert into oauth_client (client_id, is_document, name, redirect_uris)
       select i::text, false, 'Flood', '{x}' from generate_series(1, 10000) i`,
    );
    await app.sql("update oauth_client set read_at = read_at - interval '25 hours'");
    const young = await oauth.register();
    await app.sweep();
    const left = await app.sql<{ client_id: string }>(
      'select client_id from oauth_client c where not exists (select from oauth_grant g where g.client_id = c.id)',
    );
    expect(left.map(({ client_id: id }) => id)).toEqual([young]);
    const kept = await app.sql('select 1 from oauth_client where client_id = $1', [clientId]);
    expect(kept).toHaveLength(1);
    // A flood of many addresses together is not kept for a day.
    await app.sql(
      `insert into oauth_client (client_id, is_document, name, redirect_uris, read_at)
       select i::text, false, 'Flood', '{x}', clock_timestamp() - i * interval '1 s' from generate_series(1, 20100) i`,
    );
    await app.sweep();
    const flood = await app.sql("select 1 from oauth_client where name = 'Flood'");
    expect(flood.length).toBeGreaterThan(19_900);
    expect(flood.length).toBeLessThanOrEqual(20_001);
    expect(await app.sql('select 1 from oauth_client where client_id = $1', [clientId])).toHaveLength(1);
    await app.sql("update oauth_grant set expires_at = expires_at - interval '61 days'");
    await app.sweep();
    expect(await app.sql('select 1 from oauth_grant')).toEqual([]);
  });
});
