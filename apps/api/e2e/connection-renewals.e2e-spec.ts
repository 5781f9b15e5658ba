import type { Connection, ConnectionProvider, Page, Tool, ToolInvocation } from '@platform/contracts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { OAuthProvider } from './fixtures/oauth-provider.ts';
import { sendJson, ToolServer, type Received } from './fixtures/tool-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { CALLBACK_URL, connect, createProvider, createTool, ofEach, ofSpace } from './harness/connections.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const CALLERS = 200;

/** Three processes on one database, each with few connections of it. */
let apps: TestApp[];
let app: TestApp;
let oauth: OAuthProvider;
let things: ToolServer;
let provider: ConnectionProvider;
let tool: Tool;

beforeAll(async () => {
  const env = { PLATFORM_DATABASE_POOL: '4' };
  app = await TestApp.start({ env });
  const others = [await TestApp.start({ database: app, env }), await TestApp.start({ database: app, env })];
  apps = [app, ...others];
  [oauth, things] = await Promise.all([OAuthProvider.start(CALLBACK_URL), ToolServer.start()]);
  provider = await createProvider(app, 'Acme', oauth, { origins: [things.url] });
  tool = await createTool(app, 'Things', things.url, ofEach(provider.id));
});
afterAll(async () => {
  for (const each of [...apps].reverse()) await each.close();
  await Promise.all([oauth.close(), things.stop()]);
});
beforeEach(() => {
  oauth.answers.length = 0;
  things.respond(sendJson({ ok: true }));
});

const tokenOf = (received: Received | undefined) =>
  received?.headers.authorization?.replace('Bearer ', '') ?? '';

function read(via: TestApp, as: TestUser, id = tool.id) {
  const path = `/api/tools/${id}/methods/read/invoke`;
  return via.request<ToolInvocation & { message: string }>('POST', path, { as, body: { input: {} } });
}

async function connected(account: string): Promise<{ person: TestUser; id: string }> {
  const person = await app.addUser('MEMBER');
  const { id } = await connect(app, person, oauth, { providerId: provider.id }, account);
  oauth.answers.length = 0;
  return { person, id };
}

const set = (id: string, change: string) => app.sql(`update connection set ${change} where id = $1`, [id]);
/** The token expires within a minute. */
const DUE = `renew_at = clock_timestamp(), expires_at = clock_timestamp() + interval '50 seconds'`;
const EXPIRED = `renew_at = clock_timestamp(), expires_at = clock_timestamp()`;
/** The pause after a failure is over. */
const AGAIN = 'retry_at = clock_timestamp()';

async function stateOf({ person, id }: { person: TestUser; id: string }): Promise<Connection> {
  return (await app.request<Connection>('GET', `/api/connections/${id}`, { as: person })).body;
}

verifies(
  'connections.renewal.once',
  'is one request for 200 callers in three processes, who hold no connection of the database meanwhile',
  async () => {
    const { person, id } = await connected('ada');
    const callAll = () =>
      Array.from({ length: CALLERS }, (_, i) => read(apps[i % apps.length] ?? app, person));
    // A request to a provider ends after ten seconds: on a slow machine, the first calls of a process take as long to arrive.
    await Promise.all(callAll());
    things.received.length = 0;
    await set(id, EXPIRED);
    oauth.fail('hold');
    const calls = callAll();
    await oauth.holds();
    // All callers have arrived, and wait. Each process has four connections, which others use.
    await eventually(async () => {
      const waiting = await Promise.all(
        apps.map((each) => each.request('GET', '/api/auth/me', { as: person })),
      );
      expect(waiting.map(({ status }) => status)).toEqual([200, 200, 200]);
    });
    const busy = await app.sql<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid() and wait_event_type = 'Lock'`,
    );
    expect(busy).toEqual([{ count: 0 }]);
    expect(things.received).toEqual([]);
    oauth.release();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(oauth.answers).toEqual([200]);
    const tokens = new Set(things.received.map(tokenOf));
    expect([things.received.length, tokens.size]).toEqual([CALLERS, 1]);
    expect(await oauth.accountOf([...tokens][0] ?? '')).toBe('ada');
  },
);

verifies(
  'connections.renewal',
  'happens a minute before a token expires, and rotates the refresh token',
  async () => {
    const { person, id } = await connected('ben');
    await read(app, person);
    const first = tokenOf(things.received[0]);
    await set(id, `renew_at = clock_timestamp() + interval '1 minute'`);
    await read(app, person);
    expect([tokenOf(things.received[1]) === first, oauth.answers]).toEqual([true, []]);
    const [{ lead } = { lead: 0 }] = await app.sql<{ lead: number }>(
      'select extract(epoch from expires_at - renew_at)::int as lead from connection where provider_id = $1 and status = $2 limit 1',
      [provider.id, 'ACTIVE'],
    );
    expect(lead).toBeGreaterThanOrEqual(60);
    for (let times = 1; times <= 3; times++) {
      await set(id, DUE);
      expect((await read(app, person)).status).toBe(200);
      expect(oauth.answers).toHaveLength(times);
    }
    expect(new Set(things.received.map(tokenOf)).size).toBe(4);
    expect(await stateOf({ person, id })).toMatchObject({ status: 'ACTIVE', reason: null, renews: true });
  },
);

verifies(
  'connections.renewal.lost',
  'whose answer is lost ends in "sign in again", never in a loop',
  async () => {
    const lost = await connected('cleo');
    await set(lost.id, EXPIRED);
    oauth.fail('lose');
    const down = await read(app, lost.person);
    expect([down.status, down.body.message]).toEqual([502, expect.stringContaining('did not respond')]);
    // Nobody asks the provider again before the pause is over.
    expect((await read(app, lost.person)).status).toBe(502);
    expect(oauth.answers).toEqual([200]);
    await set(lost.id, AGAIN);
    const asked = await read(app, lost.person);
    expect([asked.status, asked.body.message]).toEqual([
      409,
      expect.stringContaining('Sign in to Acme again'),
    ]);
    expect(oauth.answers).toEqual([200, 400]);
    expect((await read(app, lost.person)).status).toBe(409);
    expect(oauth.answers).toEqual([200, 400]);
    expect(await stateOf(lost)).toMatchObject({ status: 'EXPIRED', reason: 'LOST_ANSWER', renews: false });
    await connect(app, lost.person, oauth, { providerId: provider.id }, 'cleo');
    expect((await read(app, lost.person)).status).toBe(200);
    expect(await stateOf(lost)).toMatchObject({ status: 'ACTIVE', reason: null });
  },
);

verifies(
  'connections.renewal.lost',
  'is recognized, too, if the process died before it stored the answer',
  async () => {
    const { person, id } = await connected('dan');
    await set(id, EXPIRED);
    armFailpoints([`connections.renewed=${id}`]);
    expect((await read(app, person)).status).toBe(500);
    disarmFailpoints();
    // The lease of the dead process is waited for.
    await set(id, 'lease_until = clock_timestamp()');
    expect((await read(app, person)).status).toBe(409);
    expect(await stateOf({ person, id })).toMatchObject({ status: 'EXPIRED', reason: 'LOST_ANSWER' });
  },
);

verifies(
  'connections.renewal.lost',
  'by a process that paused beyond its lease changes nothing',
  async () => {
    const { person, id } = await connected('eli');
    await set(id, DUE);
    oauth.fail('hold');
    const slow = read(app, person);
    await oauth.holds();
    await set(id, 'lease_until = clock_timestamp()');
    const other = read(apps[1] ?? app, person);
    // The provider ends the grant, because a refresh token was used twice.
    expect((await other).status).toBe(409);
    oauth.release();
    expect((await slow).status).toBe(409);
    expect(await stateOf({ person, id })).toMatchObject({ status: 'EXPIRED', reason: 'LOST_ANSWER' });
  },
);

verifies(
  'connections.renewal.down',
  'of a provider that is down uses the token as long as it is valid',
  async () => {
    const { person, id } = await connected('fay');
    await set(id, DUE);
    oauth.fail('down');
    expect((await read(app, person)).status).toBe(200);
    expect(await stateOf({ person, id })).toMatchObject({ status: 'ACTIVE', reason: 'PROVIDER_DOWN' });
    // A pause, which grows with each failure, is kept by all processes.
    for (const each of apps) expect((await read(each, person)).status).toBe(200);
    expect(oauth.answers).toEqual([]);
    await set(id, `${EXPIRED}, ${AGAIN}`);
    oauth.fail('down');
    expect((await read(app, person)).status).toBe(502);
    await set(id, AGAIN);
    expect((await read(app, person)).status).toBe(200);
    expect(await stateOf({ person, id })).toMatchObject({ status: 'ACTIVE', reason: null });
  },
);

verifies(
  'connections.renewal.down',
  'says so if the provider has revoked it, or no longer knows the platform',
  async () => {
    const revoked = await connected('gus');
    const grants = await oauth.provider.AccessToken.find(await currentToken(revoked.person));
    await oauth.provider.RefreshToken.revokeByGrantId(grants?.grantId ?? '');
    await set(revoked.id, EXPIRED);
    expect((await read(app, revoked.person)).status).toBe(409);
    expect(await stateOf(revoked)).toMatchObject({ status: 'EXPIRED', reason: 'GRANT_ENDED' });

    const unknown = await connected('hal');
    const path = `/api/connections/providers/${provider.id}`;
    await app.request('PATCH', path, { body: { clientSecret: 'a wrong secret' } });
    await set(unknown.id, EXPIRED);
    const refused = await read(app, unknown.person);
    expect([refused.status, refused.body.message]).toEqual([
      502,
      expect.stringContaining('client id and secret'),
    ]);
    // It is not the person's fault.
    expect(await stateOf(unknown)).toMatchObject({ status: 'ACTIVE', reason: 'CLIENT_REFUSED' });
    await app.request('PATCH', path, { body: { clientSecret: oauth.clientSecret } });
    await set(unknown.id, AGAIN);
    expect((await read(app, unknown.person)).status).toBe(200);
  },
);

verifies('connections.renewal', 'follows the clock of the database, not that of the provider', async () => {
  const fake = await ToolServer.start();
  fake.respond(sendJson({ access_token: 'short', token_type: 'mac', expires_in: '90' }));
  const made = await createProvider(app, 'Odd', oauth, {
    origins: [things.url],
    oauth: { tokenEndpoint: `${fake.url}/token`, clientId: 'c', tokenFormat: 'json', clientAuth: 'post' },
    clientSecret: 'another secret',
  });
  const body = { providerId: made.id, owner: 'space' };
  const { body: connection } = await app.request<Connection>('POST', '/api/connections', { body });
  const sent = fake.received[0];
  expect([sent?.headers['content-type'], JSON.parse(sent?.body.toString() ?? '')]).toEqual([
    'application/json; charset=utf-8',
    { grant_type: 'client_credentials', client_id: 'c', client_secret: 'another secret' },
  ]);
  // A token that lives for less than two minutes is renewed halfway.
  const [times] = await app.sql<{ lives: number; lead: number }>(
    `select extract(epoch from expires_at - created_at)::int as lives,
       extract(epoch from expires_at - renew_at)::int as lead from connection where id = $1`,
    [connection.id],
  );
  expect(times).toEqual({ lives: 90, lead: 45 });
  const shared = await createTool(app, 'Odd', things.url, ofSpace(connection.id));
  // Errors that are not those of OAuth: status 200, without a token. The server may be out of order,
  fake.respond(sendJson({ ok: false, error: 'internal_error' }));
  await set(connection.id, EXPIRED);
  expect((await read(app, app.member, shared.id)).body.message).toContain('could not renew the access');
  const failed = await app.sql(`select status, reason from connection where id = $1`, [connection.id]);
  expect(failed).toEqual([{ status: 'ACTIVE', reason: 'PROVIDER_DOWN' }]);
  fake.respond(sendJson({ access_token: 'next', token_type: 'mac', expires_in: '90' }));
  await set(connection.id, AGAIN);
  expect((await read(app, app.member, shared.id)).status).toBe(200);
  // or the grant has ended.
  fake.respond(sendJson({ ok: false, error: 'invalid_grant' }));
  await set(connection.id, EXPIRED);
  expect((await read(app, app.member, shared.id)).body.message).toContain(
    'An admin must sign in to Odd again',
  );
  const { items } = (await app.request<Page<Connection>>('GET', '/api/connections')).body;
  expect(items.find(({ id }) => id === connection.id)).toMatchObject({
    status: 'EXPIRED',
    reason: 'GRANT_ENDED',
  });
  await fake.stop();
});

async function currentToken(person: TestUser): Promise<string> {
  things.received.length = 0;
  await read(app, person);
  return tokenOf(things.received[0]);
}
