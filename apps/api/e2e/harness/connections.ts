import type {
  Connection,
  ConnectionProvider,
  CreateConnectionProviderRequest,
  Tool,
  ToolAuth,
} from '@platform/contracts';
import type { OAuthProvider } from '../fixtures/oauth-provider.ts';
import type { Answer, TestApp, TestUser } from './app.ts';

/** What providers know as the redirect address of the tests: PLATFORM_PUBLIC_URL, which nothing listens on. */
export const PUBLIC_URL = 'http://127.0.0.1:3000';
export const CALLBACK_URL = `${PUBLIC_URL}/api/connections/callback`;

export async function createProvider(
  app: TestApp,
  name: string,
  oauth: OAuthProvider,
  request: Partial<CreateConnectionProviderRequest> = {},
): Promise<ConnectionProvider> {
  const body = {
    name,
    kind: 'oauth2',
    origins: ['https://api.example.com'],
    oauth: oauth.settings,
    clientSecret: oauth.clientSecret,
    ...request,
  };
  return (await app.request<ConnectionProvider>('POST', '/api/connections/providers', { body })).body;
}

/** A sign-in that has begun: the page of the provider, and the cookie of the browser. */
export async function begin(
  app: TestApp,
  as: TestUser,
  body: object,
): Promise<{ url: string; cookie: string; answer: Answer<{ url: string }> }> {
  const answer = await app.request<{ url: string }>('POST', '/api/connections/authorize', { as, body });
  const [set = ''] = answer.headers.getSetCookie();
  return { url: answer.body.url, cookie: set.split(';')[0] ?? '', answer };
}

/** Sends the browser back to the platform. Returns the page of the console on which it ends. */
export async function callBack(app: TestApp, address: string, cookie: string): Promise<URL> {
  const { pathname, search } = new URL(address);
  const response = await fetch(`${app.url}${pathname}${search}`, {
    redirect: 'manual',
    headers: { Cookie: cookie },
  });
  if (response.status !== 303) throw new Error(`The callback responded with ${response.status}`);
  return new URL(response.headers.get('location') ?? '');
}

/** Connects a person, or the space, through the pages of the provider. */
export async function connect(
  app: TestApp,
  as: TestUser,
  oauth: OAuthProvider,
  body: { providerId: string; owner?: 'me' | 'space'; connectionId?: string; name?: string },
  account: string,
): Promise<Connection> {
  const { url, cookie } = await begin(app, as, body);
  const page = await callBack(app, await oauth.signIn(url, account), cookie);
  const id = page.searchParams.get('connected');
  if (id === null) throw new Error(`Not connected: ${page.href}`);
  return (await app.request<Connection>('GET', `/api/connections/${id}`, { as })).body;
}

/** A tool with the methods `read` (GET), `cached` (GET), and `write` (POST). */
export async function createTool(
  app: TestApp,
  name: string,
  serverUrl: string,
  auth: ToolAuth,
): Promise<Tool> {
  const inputSchema = { type: 'object', properties: {} };
  const method = { inputSchema, path: '/things', retry: { attempts: 0, backoffMs: 1 } };
  const methods = [
    { ...method, name: 'read', httpMethod: 'get' },
    { ...method, name: 'cached', httpMethod: 'get', path: '/cached', cache: { ttlSeconds: 600 } },
    { ...method, name: 'write', httpMethod: 'post' },
  ];
  return (await app.request<Tool>('POST', '/api/tools', { body: { name, serverUrl, auth, methods } })).body;
}

export const ofEach = (providerId: string): ToolAuth => ({ type: 'connection', providerId });
export const ofSpace = (connectionId: string): ToolAuth => ({ type: 'connection', connectionId });
