import type { AuditEntry, Connection, ConnectionProvider, Page, ToolInvocation } from '@platform/contracts';
import { OAuthProvider } from './fixtures/oauth-provider.ts';
import { sendJson, ToolServer, type Received } from './fixtures/tool-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import {
  begin,
  callBack,
  CALLBACK_URL,
  connect,
  createProvider,
  createTool,
  ofEach,
} from './harness/connections.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let oauth: OAuthProvider;
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

const tokenOf = ({ headers }: Received) => headers.authorization?.replace('Bearer ', '') ?? '';

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
