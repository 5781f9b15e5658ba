import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type {
  AuditEntry,
  Connection,
  ConnectionDetail,
  ConnectionPresets,
  ConnectionProvider,
  ConnectionTest,
  DiscoveredProvider,
  MemberRemoval,
  Page,
  Tool,
  ToolInvocation,
} from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import {
  ConnectionObserversRegistry,
  type UsableConnection,
} from '../src/connections/records/connection-observers.registry.ts';
import {
  CLAIM_REVOCATION,
  claimRevocation,
  type ClaimedRevocation,
} from '../src/connections/tokens/revocations.store.ts';
import { SecretBox } from '../src/infra/crypto/secret-box.ts';
import { OAuthProvider } from './fixtures/oauth-provider.ts';
import { sendJson, ToolServer, type Received } from './fixtures/tool-server.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import {
  begin,
  callBack,
  CALLBACK_URL,
  connect,
  createProvider,
  createTool,
  ofEach,
  ofSpace,
  PUBLIC_URL,
} from './harness/connections.ts';
import { eventually } from './harness/eventually.ts';
import { rowsRead } from './harness/query-plan.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let oauth: OAuthProvider;
/** Tells whose token it received. */
let things: ToolServer;
let provider: ConnectionProvider;

beforeAll(async () => {
  app = await TestApp.start();
  [oauth, things] = await Promise.all([OAuthProvider.start(CALLBACK_URL), ToolServer.start()]);
  provider = await createProvider(app, 'Acme', oauth, { origins: [things.url] });
});
afterAll(async () => {
  await app.close();
  await Promise.all([oauth.close(), things.stop()]);
});
beforeEach(() => {
  things.respond((response, received) => {
    void oauth.accountOf(tokenOf(received)).then((account) => {
      sendJson({ account }, account === null ? 401 : 200)(response, received);
    });
  });
});

const tokenOf = ({ headers }: Received) => headers.authorization?.replace('Bearer ', '') ?? '';

/** A person's own connections. */
async function list(as: TestUser): Promise<Connection[]> {
  const { items } = (await app.request<Page<Connection>>('GET', '/api/connections', { as })).body;
  return items.filter(({ owner }) => owner?.id === as.userId);
}

/** Of a secret that each person enters. */
const secretProvider = {
  kind: 'bearer' as const,
  origins: ['https://api.example.com'],
  oauth: null,
  clientSecret: null,
};

function invoke(toolId: string, method: string, as: TestUser = app.admin) {
  return app.request<ToolInvocation & { message: string; code: string }>(
    'POST',
    `/api/tools/${toolId}/methods/${method}/invoke`,
    { as, body: { input: {} } },
  );
}

verifies(
  'connections.sign-in',
  'connects a person in the browser, whose calls carry their token',
  async () => {
    const { member } = app;
    const tool = await createTool(app, 'Things', things.url, ofEach(provider.id));
    const needed = await invoke(tool.id, 'read', member);
    expect([needed.status, needed.body.code]).toEqual([409, 'CONFLICT']);
    expect(needed.body.message).toContain(`/connections?connect=${provider.id}`);

    const begun = await begin(app, member, { providerId: provider.id, returnPath: '/tools' });
    expect(begun.answer.status).toBe(200);
    const asked = new URL(begun.url).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('redirect_uri')).toBe(CALLBACK_URL);
    const page = await callBack(app, await oauth.signIn(begun.url, 'ada'), begun.cookie);
    expect(page.pathname).toBe('/tools');

    const { items } = (await app.request<Page<Connection>>('GET', '/api/connections', { as: member })).body;
    expect(items).toMatchObject([
      {
        id: page.searchParams.get('connected'),
        name: 'Acme',
        kind: 'oauth2-code',
        provider: { id: provider.id, name: 'Acme' },
        owner: { id: member.userId },
        issuer: oauth.issuer,
        account: 'ada@example.com',
        origins: [things.url],
        status: 'ACTIVE',
        renews: true,
      },
    ]);
    things.respond(sendJson({ ok: true }));
    expect((await invoke(tool.id, 'read', member)).body.status).toBe(200);
    const [received] = things.received;
    expect(await oauth.accountOf(tokenOf(received as Received))).toBe('ada');
    // Nobody else is connected by it.
    expect((await invoke(tool.id, 'read')).status).toBe(409);
    const audit = (await app.request<Page<AuditEntry>>('GET', '/api/audit?limit=10')).body.items;
    expect(audit.map(({ action, actor }) => [action, actor?.id])).toEqual(
      expect.arrayContaining([
        ['connection.connect', member.userId],
        ['connection.use', member.userId],
      ]),
    );
  },
);

describe('a sign-in that is not the one that was begun', () => {
  const problemOf = (page: URL) => [page.origin, page.pathname, page.searchParams.get('problem')];
  const refused = (problem: string) => [PUBLIC_URL, '/connections', problem];

  verifies(
    'connections.sign-in.refused',
    'is refused: another browser, state, issuer, or a replay',
    async () => {
      const { member } = app;
      const begun = await begin(app, member, { providerId: provider.id });
      const address = new URL(await oauth.signIn(begun.url, 'eve'));
      const changed = (name: string, value: string) => {
        const other = new URL(address);
        other.searchParams.set(name, value);
        return other.href;
      };
      const other = await begin(app, app.admin, { providerId: provider.id });
      // Whoever is sent to such an address by somebody else lacks the cookie of that browser.
      expect(problemOf(await callBack(app, address.href, ''))).toEqual(refused('STATE'));
      expect(problemOf(await callBack(app, address.href, other.cookie))).toEqual(refused('STATE'));
      expect(problemOf(await callBack(app, changed('state', 'x'), begun.cookie))).toEqual(refused('STATE'));
      expect(problemOf(await callBack(app, changed('state', 'x'.repeat(9_000)), begun.cookie))).toEqual(
        refused('STATE'),
      );
      // The provider of an attacker, to which the code would be sent.
      const wrong = changed('iss', 'https://evil.example.com');
      expect(problemOf(await callBack(app, wrong, begun.cookie))).toEqual(refused('ISSUER'));
      // It was used up.
      expect(problemOf(await callBack(app, address.href, begun.cookie))).toEqual(refused('STATE'));

      const again = await begin(app, member, { providerId: provider.id });
      const denied = new URL(CALLBACK_URL);
      const state = new URL(again.url).searchParams.get('state') ?? '';
      for (const [name, value] of Object.entries({ state, error: 'access_denied', iss: oauth.issuer }))
        denied.searchParams.set(name, value);
      expect(problemOf(await callBack(app, denied.href, again.cookie))).toEqual(refused('DENIED'));

      // The provider does not know the code, which is that of another sign-in.
      const third = await begin(app, member, { providerId: provider.id });
      const stolen = changed('state', new URL(third.url).searchParams.get('state') ?? '');
      expect(problemOf(await callBack(app, stolen, third.cookie))).toEqual(refused('REFUSED'));
      const silent = new URL(changed('state', ''));
      silent.searchParams.delete('iss');
      const fourth = await begin(app, member, { providerId: provider.id });
      silent.searchParams.set('state', new URL(fourth.url).searchParams.get('state') ?? '');
      expect(problemOf(await callBack(app, silent.href, fourth.cookie))).toEqual(refused('ISSUER'));
    },
  );

  verifies(
    'connections.sign-in.refused',
    'ends with the sign-in of the person, and after ten minutes',
    async () => {
      const person = await app.addUser('ADMIN');
      const body = { providerId: provider.id, owner: 'space' };
      const finish = async (change: () => Promise<unknown>) => {
        const { url, cookie } = await begin(app, person, body);
        const address = await oauth.signIn(url, 'eve');
        await change();
        return problemOf(await callBack(app, address, cookie));
      };
      const late = `update connection_sign_in set expires_at = clock_timestamp() where user_id = $1`;
      expect(await finish(() => app.sql(late, [person.userId]))).toEqual(refused('STATE'));
      const demote = () =>
        app.request('PATCH', `/api/members/${person.userId}`, { body: { role: 'MEMBER' } });
      expect(await finish(demote)).toEqual(refused('SESSION'));
      await app.request('PATCH', `/api/members/${person.userId}`, { body: { role: 'ADMIN' } });
      const signOut = () =>
        app.sql('update refresh_session set revoked_at = clock_timestamp() where user_id = $1', [
          person.userId,
        ]);
      expect(await finish(signOut)).toEqual(refused('SESSION'));
      expect(await app.sql('select 1 from connection where created_by = $1', [person.userId])).toEqual([]);
    },
  );

  verifies('connections.sign-in.refused', 'ends on no other page than one of the console', async () => {
    const statuses = await Promise.all(
      [
        '//evil.example.com',
        'https://evil.example.com',
        '/\\evil.example.com',
        '/api/auth/me',
        'tools',
        '/\tx',
      ].map(
        async (returnPath) =>
          (await begin(app, app.member, { providerId: provider.id, returnPath })).answer.status,
      ),
    );
    expect(statuses).toEqual([400, 400, 400, 400, 400, 400]);
    const asMember = await begin(app, app.member, { providerId: provider.id, owner: 'space' });
    expect(asMember.answer.status).toBe(403);
  });

  verifies(
    'connections.sign-in.id-token',
    'is refused if the ID token is for another client or issuer',
    async () => {
      const issuer = 'http://127.0.0.1:1';
      const fake = await ToolServer.start();
      const body = {
        name: 'Fake',
        kind: 'oauth2',
        origins: [things.url],
        oauth: {
          issuer,
          authorizationEndpoint: `${fake.url}/auth`,
          tokenEndpoint: `${fake.url}/token`,
          clientId: 'platform',
          scopes: ['openid'],
        },
      };
      const { id } = (await app.request<ConnectionProvider>('POST', '/api/connections/providers', { body }))
        .body;
      const finish = async (claims: object) => {
        const { url, cookie } = await begin(app, app.member, { providerId: id });
        const asked = new URL(url).searchParams;
        const now = Math.floor(Date.now() / 1_000);
        const usual = {
          iss: issuer,
          aud: 'platform',
          sub: 'eve',
          iat: now,
          exp: now + 60,
          nonce: asked.get('nonce'),
        };
        const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
        const token = `${encode({ alg: 'RS256' })}.${encode({ ...usual, ...claims })}.c2lnbmF0dXJl`;
        fake.respond(sendJson({ access_token: 'a', token_type: 'Bearer', id_token: token }));
        const page = await callBack(app, `${CALLBACK_URL}?code=c&state=${asked.get('state')}`, cookie);
        return page.searchParams.get('problem');
      };
      expect(await finish({ aud: 'another' })).toBe('INVALID_ANSWER');
      expect(await finish({ nonce: 'another' })).toBe('INVALID_ANSWER');
      expect(await finish({ iss: 'https://evil.example.com' })).toBe('ISSUER');
      expect(await finish({ exp: 1 })).toBe('INVALID_ANSWER');
      // Clocks differ by a minute.
      expect(await finish({ iat: Math.floor(Date.now() / 1_000) + 60 })).toBeNull();
      await fake.stop();
    },
  );
});

/** Where each person's own token, that of the space, and nobody's comes from. */
verifies('connections.isolation', 'no way of calling sends a token of somebody else', async () => {
  const [ben, cleo] = [await app.addUser('ADMIN'), await app.addUser('MEMBER')];
  const nobody = await app.addUser('MEMBER');
  const people = new Map<TestUser, string | null>([
    [ben, 'ben'],
    [cleo, 'cleo'],
    [nobody, null],
  ]);
  for (const [person, account] of people)
    if (account !== null) await connect(app, person, oauth, { providerId: provider.id }, account);
  const shared = await connect(app, ben, oauth, { providerId: provider.id, owner: 'space' }, 'robot');
  const tools = new Map<Tool, (person: TestUser) => string | null>([
    [await createTool(app, 'Each', things.url, ofEach(provider.id)), (person) => people.get(person) ?? null],
    [await createTool(app, 'Shared', things.url, ofSpace(shared.id)), () => 'robot'],
  ]);
  const listed = [...tools.keys()].map(({ id }) => ({ toolId: id, methods: ['read', 'cached'] }));
  const agent = await AgentCalls.make(app, null, { tools: listed });
  await app.request('PUT', '/api/mcp/offers', { body: { agents: [], tasks: [], tools: listed } });

  type Way = (person: TestUser, tool: Tool, method: string) => Promise<string>;
  const ways: Record<string, Way> = {
    invoke: async (person, { id }, method) => (await invoke(id, method, person)).text,
    chat: async (person, { name }, method) =>
      (await agent.by(person).json({ contents: said(`/call ${name}.${method} {}`) })).text,
    'task step': async (person, { id }, method) => {
      const step = { id: 's', kind: 'tool' as const, toolId: id, method, input: {} };
      const task = await new RunCalls(app, person).createTask([step], {
        name: `T ${person.email} ${id} ${method}`,
      });
      // An admin starts it. It acts for its owner, who is asked to connect.
      const runs = new RunCalls(app);
      return JSON.stringify(await runs.reached(await runs.start(task), 'SUCCEEDED', 'FAILED', 'WAITING'));
    },
    'code step': async (person, { id }, method) => {
      const source = `return (await platform.tools.invoke('${id}', '${method}', {})).output;`;
      const step = { id: 'c', kind: 'code' as const, source };
      return JSON.stringify(
        await new RunCalls(app, person).result([step], { name: `C ${person.email} ${id} ${method}` }),
      );
    },
    MCP: async (person, { name }, method) => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const headers = { Authorization: `Bearer ${person.apiKey}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${app.url}/mcp/${person.spaceId}`), {
          requestInit: { headers },
        }),
      );
      const offered = (await client.listTools()).tools.find((one) => one.title === `${name}: ${method}`);
      const result = await client.callTool({ name: offered?.name ?? '', arguments: {} });
      await client.close();
      return JSON.stringify(result);
    },
  };
  const seen: string[] = [];
  const expected: string[] = [];
  for (const [way, call] of Object.entries(ways)) {
    for (const [tool, accountOf] of tools) {
      for (const person of people.keys()) {
        for (const method of ['read', 'cached']) {
          things.received.length = 0;
          const said = await call(person, tool, method);
          const account = accountOf(person);
          const label = `${way}, ${tool.name}.${method}, ${people.get(person) ?? 'nobody'}`;
          // Also what was sent before, to somebody else, must not come from the cache.
          const told = ['ben', 'cleo', 'robot'].filter(
            (name) => said.includes(`\\"account\\":\\"${name}`) || said.includes(`"account":"${name}`),
          );
          const tokens = await Promise.all(things.received.map((one) => oauth.accountOf(tokenOf(one))));
          seen.push(
            `${label}: told ${told.join()}, sent ${[...new Set(tokens)].filter((one) => one !== account).join()}`,
          );
          expected.push(`${label}: told ${account ?? ''}, sent `);
          if (account === null) expect([label, said.includes('Connect Acme')]).toEqual([label, true]);
        }
      }
    }
  }
  expect(seen).toEqual(expected);
  // From the cache, but only to its own person: another sign-in is another one.
  const [each] = tools.keys();
  if (each === undefined) throw new Error('There is a tool');
  expect((await invoke(each.id, 'cached', cleo)).body).toMatchObject({
    cached: true,
    output: { account: 'cleo' },
  });
  await connect(app, cleo, oauth, { providerId: provider.id }, 'zoe');
  expect((await invoke(each.id, 'cached', cleo)).body).toMatchObject({
    cached: false,
    output: { account: 'zoe' },
  });
});

describe('a token that the server of the tool refuses', () => {
  verifies(
    'connections.refused-token',
    'is renewed, and the call is repeated once if that is safe',
    async () => {
      const person = await app.addUser('MEMBER');
      await connect(app, person, oauth, { providerId: provider.id }, 'dan');
      const tool = await createTool(app, 'Refusing', things.url, ofEach(provider.id));
      const refuse = sendJson({}, 401);
      const accept = sendJson({ ok: true });
      const requests = () => oauth.answers.length;

      const before = requests();
      things.respond(refuse, accept);
      expect((await invoke(tool.id, 'read', person)).body).toMatchObject({
        status: 200,
        output: { ok: true },
      });
      const [first, second] = things.received.map(tokenOf);
      expect(first).not.toBe(second);
      expect(requests() - before).toBe(1);

      // What may have acted is not repeated, but the next call has a new token.
      things.respond(refuse, accept);
      const once = await invoke(tool.id, 'write', person);
      expect([once.body.status, things.received.length, requests() - before]).toEqual([401, 1, 2]);
      expect(once.body.warnings.join()).toContain('not repeated');
      // The server says that it refused the token, so it did nothing.
      things.respond(sendJson({}, 401, { 'WWW-Authenticate': 'Bearer error="invalid_token"' }), accept);
      expect((await invoke(tool.id, 'write', person)).body.status).toBe(200);

      things.respond(refuse);
      const asked = await invoke(tool.id, 'read', person);
      expect([asked.status, things.received.length]).toEqual([409, 2]);
      expect(asked.body.message).toMatch(/Sign in to Acme again.*\/connections\?connect=/);
      // A refused token is renewed once. After that, no call has the provider asked again.
      const tried = requests();
      expect((await invoke(tool.id, 'read', person)).status).toBe(409);
      expect(requests()).toBe(tried);
      const [connection] = await list(person);
      // Only the provider ends a connection; a tool could otherwise end it for all others.
      expect(connection).toMatchObject({ status: 'ACTIVE', refusedAt: expect.any(String) as string });
    },
  );
});

describe('what is not OAuth', () => {
  verifies('connections.kinds', 'is sent as its provider says: key, bearer, basic, and header', async () => {
    const kinds = [
      { kind: 'key', placement: { in: 'query', name: 'key' } },
      { kind: 'bearer' },
      { kind: 'basic', username: 'ada' },
      { kind: 'header', placement: { in: 'header', name: 'X-Token' } },
    ];
    const received = [];
    things.respond(sendJson({ ok: true }));
    for (const { kind, placement, username } of kinds) {
      const made = await createProvider(app, `Secret ${kind}`, oauth, {
        kind: kind as 'key',
        origins: [things.url],
        oauth: null,
        clientSecret: null,
        ...(placement && { placement: placement as { in: 'query'; name: string } }),
        testUrl: `${things.url}/me`,
      });
      const tool = await createTool(app, `Kind ${kind}`, things.url, ofEach(made.id));
      const body = { providerId: made.id, secret: `s3cret-${kind}`, ...(username && { username }) };
      const created = await app.request<Connection>('POST', '/api/connections', { as: app.member, body });
      expect([created.status, created.body.kind]).toEqual([201, kind]);
      expect(created.text).not.toContain('s3cret');
      things.received.length = 0;
      expect((await invoke(tool.id, 'read', app.member)).body.status).toBe(200);
      const test = await app.request<ConnectionTest>('POST', `/api/connections/${created.body.id}/test`, {
        as: app.member,
      });
      expect(test.body).toMatchObject({ usable: true, status: 200 });
      received.push(
        ...things.received.map(({ url, headers }) => [url, headers.authorization ?? headers['x-token']]),
      );
    }
    const basic = `Basic ${Buffer.from('ada:s3cret-basic').toString('base64')}`;
    expect(received).toEqual([
      ['/things?key=s3cret-key', undefined],
      ['/me?key=s3cret-key', undefined],
      ['/things', 'Bearer s3cret-bearer'],
      ['/me', 'Bearer s3cret-bearer'],
      ['/things', basic],
      ['/me', basic],
      ['/things', 's3cret-header'],
      ['/me', 's3cret-header'],
    ]);
  });

  verifies(
    'connections.kinds',
    'or the platform itself, with client credentials, for the space alone',
    async () => {
      const own = { providerId: provider.id };
      expect((await app.request('POST', '/api/connections', { body: own })).status).toBe(400);
      const asMember = { as: app.member, body: { ...own, owner: 'space' } };
      expect((await app.request('POST', '/api/connections', asMember)).status).toBe(403);
      const machine = await createProvider(app, 'Machine', oauth, {
        origins: [things.url],
        oauth: { ...oauth.settings, scopes: [], authorizationEndpoint: null },
      });
      const body = { providerId: machine.id, owner: 'space' };
      const { body: made } = await app.request<Connection>('POST', '/api/connections', { body });
      expect(made).toMatchObject({ kind: 'oauth2-client', owner: null, renews: true, status: 'ACTIVE' });
      const tool = await createTool(app, 'Machines', things.url, ofSpace(made.id));
      expect((await invoke(tool.id, 'read', app.member)).body.output).toEqual({ account: 'platform' });
    },
  );
});

describe('a provider', () => {
  verifies('connections.origins', 'receives no token elsewhere than its owner consented to', async () => {
    const person = await app.addUser('MEMBER');
    const elsewhere = await ToolServer.start();
    const made = await createProvider(app, 'Narrow', oauth, { origins: [things.url] });
    const tool = await createTool(app, 'Elsewhere', elsewhere.url, ofEach(made.id));
    await connect(app, person, oauth, { providerId: made.id }, 'fay');
    const refused = await invoke(tool.id, 'read', person);
    expect([refused.status, refused.body.message]).toEqual([502, expect.stringContaining('is not for')]);
    // What an admin adds afterwards, the person has not consented to.
    await app.request('PATCH', `/api/connections/providers/${made.id}`, {
      body: { origins: [things.url, elsewhere.url] },
    });
    const asked = await invoke(tool.id, 'read', person);
    expect([asked.status, asked.body.message]).toEqual([
      409,
      expect.stringContaining('Connect Narrow again'),
    ]);
    expect(elsewhere.received).toEqual([]);
    await connect(app, person, oauth, { providerId: made.id }, 'fay');
    expect((await invoke(tool.id, 'read', person)).status).toBe(200);
    // A method on another origin than the tool is called without it, as with secrets of tools.
    const moved = {
      methods: [{ name: 'away', httpMethod: 'get', path: '/', serverUrl: things.url, inputSchema: {} }],
    };
    await app.request('POST', `/api/tools/${tool.id}/methods`, { body: moved });
    things.respond(sendJson({}));
    const away = await invoke(tool.id, 'away', person);
    expect([things.received[0]?.headers.authorization, away.body.warnings.length]).toEqual([undefined, 1]);
    await elsewhere.stop();
  });

  verifies(
    'connections.providers',
    'that moves ends its connections, and needs its secret again',
    async () => {
      const person = await app.addUser('MEMBER');
      const made = await createProvider(app, 'Moving', oauth, { origins: [things.url] });
      const path = `/api/connections/providers/${made.id}`;
      await connect(app, person, oauth, { providerId: made.id }, 'gus');
      const settings = { ...oauth.settings, tokenEndpoint: `${things.url}/token` };
      expect((await app.request('PATCH', path, { body: { oauth: settings } })).status).toBe(400);
      const moved = await app.request('PATCH', path, { body: { oauth: settings, clientSecret: 'another' } });
      expect(moved.status).toBe(200);
      expect(moved.text).not.toContain('another');
      expect(await list(person)).toMatchObject([{ status: 'EXPIRED', reason: 'PROVIDER_CHANGED' }]);
      const [stored] = await app.sql('select secret, refresh_token from connection where provider_id = $1', [
        made.id,
      ]);
      expect(stored).toEqual({ secret: null, refresh_token: null });
      expect((await app.request('PATCH', path, { as: app.member, body: { name: 'Mine' } })).status).toBe(403);
      const taken = await app.request('POST', '/api/connections/providers', {
        body: { ...secretProvider, name: 'moving' },
      });
      expect(taken.status).toBe(409);
    },
  );

  verifies(
    'connections.providers',
    'is checked: addresses, origins, and what the platform sets itself',
    async () => {
      const problems = async (change: object) => {
        const body = {
          name: 'Wrong',
          kind: 'oauth2',
          origins: [things.url],
          oauth: oauth.settings,
          ...change,
        };
        const { status, body: error } = await app.request<{ message: string }>(
          'POST',
          '/api/connections/providers',
          {
            body,
          },
        );
        return `${status} ${error.message}`;
      };
      const { settings } = oauth;
      expect(await problems({ oauth: { ...settings, tokenEndpoint: 'http://example.com/token' } })).toContain(
        '400 oauth.tokenEndpoint must be an https address',
      );
      expect(await problems({ oauth: { ...settings, tokenEndpoint: 'https://a:b@example.com' } })).toContain(
        'credentials',
      );
      expect(await problems({ oauth: { ...settings, parameters: { redirect_uri: 'x' } } })).toContain(
        'is set by the platform',
      );
      expect(await problems({ oauth: { ...settings, scopes: ['a b'] } })).toContain('oauth.scopes');
      expect(await problems({ oauth: null })).toContain('oauth is required');
      expect(await problems({ origins: ['file:///x'] })).toContain('origins[0]');
      expect(await problems({ kind: 'header', placement: { in: 'header', name: 'Host' } })).toContain(
        'placement.name',
      );
      expect(await problems({ testUrl: 'https://evil.example.com/' })).toContain('testUrl');
      const { items, callbackUrl } = (await app.request<ConnectionPresets>('GET', '/api/connections/presets'))
        .body;
      expect(callbackUrl).toBe(CALLBACK_URL);
      expect(items.map(({ id }) => id)).toEqual([
        'google',
        'microsoft',
        'github',
        'slack',
        'notion',
        'feishu',
      ]);
      for (const { id, name, oauth: preset, origins, testUrl } of items) {
        const body = {
          name,
          kind: 'oauth2',
          preset: id,
          origins,
          testUrl,
          oauth: { ...preset, clientId: 'c' },
        };
        const { status, body: stored } = await app.request<ConnectionProvider>(
          'POST',
          '/api/connections/providers',
          { body },
        );
        expect([id, status, stored.preset]).toEqual([id, 201, id]);
      }
    },
  );

  verifies(
    'connections.discovery',
    'is found from an MCP server, and refused if it is about somebody else',
    async () => {
      const discover = (url: string) =>
        app.request<DiscoveredProvider & { message: string }>('POST', '/api/connections/discover', {
          body: { url },
        });
      const metadata: Record<string, object> = {};
      things.respond((response, received) => {
        const found = metadata[received.url];
        if (received.url === '/mcp')
          response.setHeader(
            'WWW-Authenticate',
            `Bearer resource_metadata="${things.url}/.well-known/oauth-protected-resource/mcp"`,
          );
        sendJson(found ?? {}, found ? 200 : 401)(response, received);
      });
      const place = '/.well-known/oauth-protected-resource/mcp';
      const resource = {
        resource: `${things.url}/mcp`,
        authorization_servers: [oauth.issuer],
        scopes_supported: ['a'],
      };
      metadata[place] = resource;
      expect((await discover(`${things.url}/mcp`)).body).toEqual({
        origins: [things.url],
        oauth: {
          issuer: oauth.issuer,
          authorizationEndpoint: `${oauth.issuer}/auth`,
          tokenEndpoint: `${oauth.issuer}/token`,
          revocationEndpoint: `${oauth.issuer}/token/revocation`,
          clientAuth: 'basic',
          scopes: ['a'],
          parameters: {},
          resource: `${things.url}/mcp`,
          tokenFormat: 'form',
          sendsIssuer: true,
        },
      });
      expect((await discover(oauth.issuer)).body).toMatchObject({
        origins: [],
        oauth: { issuer: oauth.issuer },
      });
      metadata[place] = { ...resource, resource: 'https://evil.example.com/mcp' };
      expect((await discover(`${things.url}/mcp`)).body.message).toContain('another resource');
      metadata[place] = { ...resource, authorization_servers: [`${things.url}/as`] };
      metadata['/.well-known/oauth-authorization-server/as'] = {
        issuer: oauth.issuer,
        token_endpoint: 'https://e.com',
      };
      expect((await discover(`${things.url}/mcp`)).body.message).toContain('another issuer');
      expect((await discover('http://10.0.0.1/')).status).toBe(400);
      expect((await discover(`${things.url}/nothing`)).status).toBe(400);
    },
  );
});

describe('revoking', () => {
  verifies(
    'connections.revocation',
    'stops all calls at once, and revokes at the provider as well',
    async () => {
      const person = await app.addUser('MEMBER');
      const connection = await connect(app, person, oauth, { providerId: provider.id }, 'hal');
      const tool = await createTool(app, 'Stopping', things.url, ofEach(provider.id));
      await invoke(tool.id, 'read', person);
      const token = tokenOf(things.received[0] as Received);
      expect(await oauth.accountOf(token)).toBe('hal');
      const path = `/api/connections/${connection.id}`;
      const { tools } = (await app.request<ConnectionDetail>('GET', path, { as: person })).body;
      expect(tools).toContainEqual({ id: tool.id, name: 'Stopping' });
      // Others neither see nor revoke it.
      expect((await app.request('GET', path)).status).toBe(404);
      expect((await app.request('DELETE', path)).status).toBe(404);
      expect((await app.request('GET', path, { as: app.outsider })).status).toBe(403);
      expect((await app.request('DELETE', path, { as: person })).status).toBe(204);
      expect((await invoke(tool.id, 'read', person)).status).toBe(409);
      expect((await app.request('DELETE', path, { as: person })).status).toBe(404);
      await eventually(async () => {
        expect(await oauth.accountOf(token)).toBeNull();
        const [left] = await app.sql(
          'select secret, refresh_token, revoke_at from connection where id = $1',
          [connection.id],
        );
        expect(left).toEqual({ secret: null, refresh_token: null, revoke_at: null });
      });
    },
  );

  /** Of these providers, due for a minute. */
  function insertDue(sql: Pick<EntityManager, 'query'>, providerIds: string[]): Promise<unknown> {
    const ids = providerIds.map(() => randomUUID());
    const place = (recordId: string) => ({ spaceId: app.admin.spaceId, recordId, field: 'secret' });
    const secrets = ids.map((id) => app.get(SecretBox).seal(place(id), 'token'));
    return sql.query(
      `insert into connection (id, space_id, provider_id, name, kind, origins, scopes, status, secret, revoke_at, created_by)
       select due.id, p.space_id, p.id, 'Revoked', 'oauth2-code', '{}', '{}', 'REVOKED', due.secret,
         clock_timestamp() - interval '1 minute', $1
       from unnest($2::uuid[], $3::uuid[], $4::text[]) as due (id, provider_id, secret)
       join connection_provider p on p.id = due.provider_id`,
      [app.admin.userId, ids, providerIds, secrets],
    );
  }

  verifies('connections.revocation.fair', 'at one provider goes on while another one hangs', async () => {
    const silent = await ToolServer.start();
    silent.respond(() => undefined);
    const settings = { ...oauth.settings, revocationEndpoint: `${silent.url}/revoke` };
    const hanging = await createProvider(app, 'Silent', oauth, { oauth: settings });
    const connection = await connect(app, app.member, oauth, { providerId: provider.id }, 'kay');
    const tool = await createTool(app, 'Going on', things.url, ofEach(provider.id));
    await invoke(tool.id, 'read', app.member);
    const token = tokenOf(things.received[0] as Received);
    await insertDue(app.get(DataSource), Array<string>(100).fill(hanging.id));
    await eventually(async () => {
      const [attempted] = await app.sql<{ count: number }>(
        'select count(*)::int as count from connection where provider_id = $1 and revoke_attempts > 0',
        [hanging.id],
      );
      expect(attempted?.count).toBeGreaterThan(1);
    });
    await app.request('DELETE', `/api/connections/${connection.id}`, { as: app.member });
    await eventually(async () => expect(await oauth.accountOf(token)).toBeNull());
    // It did not come after the others, which take ten seconds each.
    const waiting = await app.sql('select from connection where provider_id = $1 and revoke_attempts = 0', [
      hanging.id,
    ]);
    expect(waiting.length).toBeGreaterThan(0);
    await app.sql('delete from connection where provider_id = $1', [hanging.id]);
    await silent.stop();
  });

  verifies(
    'connections.revocation.fair',
    'takes turns among spaces and providers, and no provider has more than two places',
    async () => {
      const names = ['Turns 1', 'Turns 2'];
      const [many, single] = await Promise.all(names.map((name) => createProvider(app, name, oauth)));
      const foreign = await app.request<ConnectionProvider>('POST', '/api/connections/providers', {
        as: app.outsider,
        body: { ...secretProvider, name: 'Turns 3' },
      });
      const ids = [many?.id ?? '', single?.id ?? '', foreign.body.id];
      const runner = app.get(DataSource).createQueryRunner();
      try {
        await runner.startTransaction();
        await runner.query('update connection set revoke_at = null');
        await insertDue(runner.manager, [...Array<string>(100).fill(many?.id ?? ''), ...ids.slice(1)]);
        const claimed: ClaimedRevocation[] = [];
        const claim = async () => {
          const next = await claimRevocation(runner.manager, claimed);
          if (next !== null) claimed.push(next);
          return next?.providerId;
        };
        const first = [await claim(), await claim(), await claim()];
        expect(first.toSorted()).toEqual(ids.toSorted());
        expect(await claim()).toBe(many?.id);
        expect(await claim()).toBeUndefined();
        claimed.pop();
        expect(await claim()).toBe(many?.id);
      } finally {
        await runner.rollbackTransaction();
        await runner.release();
      }
    },
  );

  verifies('connections.revocation.fair', 'reads few of the connections that are due', async () => {
    // Seen by no worker.
    const many = `
      insert into connection_provider (space_id, name, kind, origins, created_by)
        select id, 'Of many ' || n, 'bearer', '{}', id from space, generate_series(1, 20) n;
      insert into connection (space_id, provider_id, name, kind, origins, scopes, status, revoke_at, created_by)
        select space_id, id, 'Revoked', 'bearer', '{}', '{}', 'REVOKED', clock_timestamp() - interval '1 minute', id
        from connection_provider, generate_series(1, 100) n where name like 'Of many %';
      analyze connection, connection_provider`;
    const [{ due } = { due: 0 }] = await app.sql<{ due: number }>(
      'select count(*)::int * 2000 as due from space',
    );
    // A plan that reads all that are due reads each of them at least once.
    expect(await rowsRead(app, CLAIM_REVOCATION, [[], []], many)).toBeLessThan(due / 4);
  });

  verifies(
    'connections.removal',
    'happens when a member is removed, and when the provider is deleted',
    async () => {
      const person = await app.addUser('MEMBER');
      const made = await createProvider(app, 'Ending', oauth, { origins: [things.url] });
      const [gone, deleted] = [
        await connect(app, person, oauth, { providerId: provider.id }, 'ida'),
        await connect(app, app.member, oauth, { providerId: made.id }, 'jon'),
      ];
      const tool = await createTool(app, 'Referring', things.url, ofEach(made.id));
      const path = `/api/connections/providers/${made.id}`;
      const kept = await app.request<{ message: string }>('DELETE', path);
      expect([kept.status, kept.body.message]).toEqual([409, 'Tools refer to the provider: Referring']);
      await app.request('DELETE', `/api/tools/${tool.id}`);
      expect((await app.request('DELETE', path)).status).toBe(204);
      const removal = await app.request<MemberRemoval>('GET', `/api/members/${person.userId}/removal`);
      expect(removal.body.connections).toEqual({ count: 1, names: [gone.name] });
      expect((await app.request('DELETE', `/api/members/${person.userId}`)).status).toBe(204);
      const states = await app.sql('select status from connection where id = any($1)', [
        [gone.id, deleted.id],
      ]);
      expect(states).toEqual([{ status: 'REVOKED' }, { status: 'REVOKED' }]);
      const { items } = (await app.request<Page<AuditEntry>>('GET', '/api/audit?action=connection.revoke'))
        .body;
      expect(items.map(({ targetId }) => targetId)).toContain(gone.id);
    },
  );
});

verifies(
  'connections.removal',
  'is not outlived by a sign-in at the provider that ends later, nor is the loss of a role',
  async () => {
    const ending = async (
      as: TestUser,
      owner: 'me' | 'space',
      meanwhile: () => Promise<{ status: number }>,
    ) => {
      const { url, cookie } = await begin(app, as, { providerId: provider.id, owner });
      const back = await oauth.signIn(url, as.userId);
      oauth.fail('hold');
      const ended = callBack(app, back, cookie);
      await oauth.holds();
      expect((await meanwhile()).status).toBeLessThan(300);
      oauth.release();
      return [...(await ended).searchParams.keys()];
    };
    const person = await app.addUser('MEMBER');
    const admin = await app.addUser('ADMIN');
    const [leaving, demoted] = [`/api/members/${person.userId}`, `/api/members/${admin.userId}`];
    const outcomes = [
      await ending(person, 'me', () => app.request('DELETE', leaving)),
      await ending(admin, 'space', () => app.request('PATCH', demoted, { body: { role: 'MEMBER' } })),
    ];
    expect(outcomes.flat()).not.toContain('connected');
    const made = await app.sql('select from connection where created_by = any($1)', [
      [person.userId, admin.userId],
    ]);
    expect(made).toEqual([]);
  },
);

verifies(
  'connections.observers',
  'whoever waits is told in the transaction that makes a connection usable',
  async () => {
    const told: UsableConnection[] = [];
    let fails = false;
    app.get(ConnectionObserversRegistry).register({
      usable: async (tx, connection) => {
        await tx.query('select 1');
        told.push(connection);
        if (fails) throw new Error('The observer fails');
      },
    });
    const person = await app.addUser('MEMBER');
    const made = await createProvider(app, 'Observed', oauth, secretProvider);
    const body = { providerId: made.id, secret: 'a' };
    await app.request('POST', '/api/connections', { as: person, body });
    await app.request('POST', '/api/connections', { as: person, body });
    const { spaceId, userId: ownerUserId } = person;
    const path = `/connections?connect=${made.id}`;
    const expected = { spaceId, path, ownerUserId, connectedBy: ownerUserId };
    // Connecting again replaces what was there.
    expect(told).toEqual([expected, expected]);
    fails = true;
    const other = await app.addUser('MEMBER');
    expect((await app.request('POST', '/api/connections', { as: other, body })).status).toBe(500);
    fails = false;
    expect(await list(other)).toEqual([]);
  },
);

verifies('connections.references', 'tools refer to connections of their space alone', async () => {
  const own = await connect(app, app.admin, oauth, { providerId: provider.id }, 'kim');
  const refused = async (auth: object, as = app.admin) => {
    const body = { name: 'Referring wrongly', serverUrl: things.url, auth };
    const answer = await app.request<{ message: string }>('POST', '/api/tools', { as, body });
    return [answer.status, answer.body.message];
  };
  const hash = createHash('sha256').update('none').digest('hex');
  const unknown = `${hash.slice(0, 8)}-0000-7000-8000-${hash.slice(0, 12)}`;
  expect(await refused({ type: 'connection', connectionId: own.id })).toEqual([
    400,
    expect.stringContaining('auth.connectionId'),
  ]);
  expect(await refused({ type: 'connection', providerId: unknown })).toEqual([
    400,
    expect.stringContaining('auth.providerId'),
  ]);
  expect(await refused({ type: 'connection', providerId: provider.id }, app.outsider)).toEqual([
    400,
    expect.stringContaining('auth.providerId'),
  ]);
  expect(await refused({ type: 'connection' })).toEqual([400, expect.stringContaining('must be an id')]);
  expect(await refused({ type: 'connection', providerId: provider.id, connectionId: own.id })).toEqual([
    400,
    expect.stringContaining('must be null'),
  ]);
  const kept = await app.request('PATCH', `/api/connections/${own.id}`, { body: { name: 'Renamed' } });
  expect(kept.body).toMatchObject({ name: 'Renamed', status: 'ACTIVE' });
});

verifies('connections.guide', 'the examples of docs/connections.md work as they are shown', async () => {
  const guide = readFileSync(new URL('../../../docs/connections.md', import.meta.url), 'utf8');
  const examples = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  expect(examples.length).toBeGreaterThanOrEqual(5);
  const { constructor } = Object.getPrototypeOf(async () => Promise.resolve()) as { constructor: unknown };
  const AsyncFunction = constructor as new (
    ...parts: string[]
  ) => (client: unknown) => Promise<{ usable: boolean; tools: { name: string }[] }>;
  const run = new AsyncFunction('client', `${examples.join('\n')}\nreturn { usable, tools };`);
  // Its tool was changed to the connection of the space.
  expect(await run(app.client(app.outsider))).toEqual({ usable: true, tools: [] });
});
