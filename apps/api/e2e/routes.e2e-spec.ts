import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  KEY_SCOPES,
  type Agent,
  type ApiKey,
  type Connection,
  type ConnectionProvider,
  type Invitation,
  type Job,
  type Model,
  type Page,
  type Task,
  type Tool,
} from '@platform/contracts';
import { getMetadataStorage } from 'class-validator';
import { RouteTableRegistry, type Route } from '../src/infra/routes/route-table.registry.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { verifies } from './verifies.ts';

const LISTING = join(import.meta.dirname, 'fixtures/routes.txt');
const UNKNOWN_ID = '01980000-0000-7000-8000-000000000000';

/** What a call needs to come as far as the resource, where an empty body would be refused before. */
const BODIES: Record<string, object> = {
  'PATCH /api/connections/:id': { name: 'Renamed' },
  'PATCH /api/members/:userId': { role: 'MEMBER' },
  'PATCH /api/tools/:id/methods': { updatedAt: '2026-01-31T12:00:00.000Z' },
  'POST /api/tools/:id/methods': { methods: [{ name: 'm', httpMethod: 'get', path: '/', inputSchema: {} }] },
};

let app: TestApp;
let routes: Route[];
/** Resources of the first space, by the part of a path that names one. */
let resources: [path: string, id: string][];

beforeAll(async () => {
  app = await TestApp.start();
  routes = app.get(RouteTableRegistry).all();
  const model = await app.request<Model>('POST', '/api/models', {
    body: { name: 'matrix', provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' },
  });
  const agent = await app.request<Agent>('POST', '/api/agents', {
    body: { name: 'Matrix', model: 'matrix', systemPrompt: 'Answer.' },
  });
  const job = await app.request<Job>('POST', '/api/agent-jobs', {
    body: { agentId: agent.body.id, contents: [{ type: 'text', text: 'Hello' }] },
  });
  const task = await app.request<Task>('POST', '/api/tasks', {
    body: { name: 'Matrix', type: 'MANUAL', workflow: { steps: [{ id: 'a', kind: 'code', source: '' }] } },
  });
  const tool = await app.request<Tool>('POST', '/api/tools', {
    body: { name: 'Matrix', serverUrl: 'http://127.0.0.1:9' },
  });
  const provider = await app.request<ConnectionProvider>('POST', '/api/connections/providers', {
    body: { name: 'Matrix', kind: 'bearer', origins: ['https://api.example.com'] },
  });
  const connection = await app.request<Connection>('POST', '/api/connections', {
    body: { providerId: provider.body.id, owner: 'space', secret: 'a secret' },
  });
  const keys = await app.request<Page<ApiKey>>('GET', '/api/api-keys');
  const inviter = await app.addUser('ADMIN');
  const invited = { email: 'invited@example.com', role: 'MEMBER' };
  await app.request('POST', '/api/members', { as: inviter, body: invited });
  const invitations = await app.request<Page<Invitation>>('GET', '/api/invitations');
  resources = [
    ['/api/agents/:agentId', agent.body.id],
    ['/api/agent-jobs/:jobId', job.body.id],
    ['/api/models/:id', model.body.id],
    ['/api/tasks/:id', task.body.id],
    ['/api/tools/:id', tool.body.id],
    ['/api/connections/providers/:id', provider.body.id],
    ['/api/connections/:id', connection.body.id],
    ['/api/members/:userId', app.member.userId],
    ['/api/api-keys/:id', keys.body.items[0]?.id ?? ''],
    ['/api/invitations/:id', invitations.body.items[0]?.id ?? ''],
  ];
  for (const [path, id] of resources)
    expect([path, id]).toEqual([path, expect.stringMatching(/^[\da-f-]{36}$/)]);
});
afterAll(() => app.close());

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** What an API key needs. */
const scopesOf = ({ rule, scopes }: Route) => {
  if (rule === 'public' || rule === 'application') return '-';
  if (scopes.length === 0) return 'no-key';
  return scopes.length === KEY_SCOPES.length ? 'any' : scopes.join('|');
};

/** The route with ids that exist nowhere. */
const nowhere = (path: string) => path.replaceAll(/:\w+/g, UNKNOWN_ID);

/** The route with ids of the first space. */
function inFirstSpace(path: string): string {
  const [resource, id] = resources.find(([start]) => `${path}/`.startsWith(`${start}/`)) ?? ['', ''];
  return nowhere(path.replace(resource, resource.replace(/:\w+/, id)));
}

interface Trial {
  as: TestUser | null;
  path: (path: string) => string;
  body: (route: Route) => object;
}

/** Calls every route once and answers what was not as expected. */
async function trials(chosen: Route[], { as, path, body }: Trial, isRight: (status: number) => boolean) {
  const wrong: string[] = [];
  for (const route of chosen) {
    const sent = route.method === 'GET' ? {} : { body: body(route) };
    const answer = await app.request(route.method, path(route.path), { as, ...sent });
    if (!isRight(answer.status)) wrong.push(`${nameOf(route)} → ${answer.status} ${answer.text}`);
  }
  return wrong;
}

const nonsense = () => ({ unexpected: true });
const isIn = (status: number) => status !== 401 && status !== 403 && status < 500;

describe('the routes', () => {
  it('are those of the listing, each with its rule and scopes; a difference is a change of who may do what', async () => {
    const listing = routes
      .map(
        (route) => `${(route.rule ?? 'NO RULE').padEnd(12)}${scopesOf(route).padEnd(26)}${nameOf(route)}\n`,
      )
      .join('');
    if (process.env.WRITE_ROUTES) await writeFile(LISTING, listing);
    expect(listing).toBe(await readFile(LISTING, 'utf8'));
  });

  verifies('access.roles', 'all state a rule', async () => {
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter(({ rule }) => rule === null).map(nameOf)).toEqual([]);
  });

  it('take lists that all have an end', () => {
    // By class: what is known of their fields.
    const { validationMetadatas } = getMetadataStorage() as unknown as {
      validationMetadatas: Map<{ name: string }, { propertyName: string; name?: string }[]>;
    };
    const having = (rule: string) =>
      [...validationMetadatas].flatMap(([dto, rules]) =>
        rules.filter(({ name }) => name === rule).map(({ propertyName }) => `${dto.name}.${propertyName}`),
      );
    expect(having('isArray').length).toBeGreaterThan(2);
    expect(having('isArray').sort()).toEqual(having('arrayMaxSize').sort());
  });

  it('are recognized as public in front of the body parser exactly if they are', () => {
    const table = app.get(RouteTableRegistry);
    const open = routes.filter(({ method, path }) => table.find(method, nowhere(path))?.rule === 'public');
    expect(open.map(nameOf)).toEqual(routes.filter(({ rule }) => rule === 'public').map(nameOf));
  });

  it('are found in front of the controllers as Express finds them: in any case, with a slash at the end', () => {
    const table = app.get(RouteTableRegistry);
    for (const route of routes) {
      const path = nowhere(route.path);
      for (const asked of [path, `${path}/`, path.toUpperCase()])
        expect(table.find(route.method, asked)).toBe(route);
      if (route.method === 'GET') expect(table.find('HEAD', path)).toBe(route);
      expect(table.find(route.method, `${path}/more`)).not.toBe(route);
      expect(table.find('TRACE', path)).toBeNull();
    }
  });
});

describe('who may call what', () => {
  const having = (...rules: (string | null)[]) => routes.filter(({ rule }) => rules.includes(rule));

  verifies('access.unauthorized', 'unauthenticated callers: 401 except on public routes', async () => {
    const guarded = routes.filter(({ rule }) => rule !== 'public');
    const trial = { as: null, path: inFirstSpace, body: nonsense };
    expect(await trials(guarded, trial, (status) => status === 401)).toEqual([]);
    expect(await trials(having('public'), trial, isIn)).toEqual([]);
  });

  verifies('access.roles', 'a member: 403 on what is for admins, before the body is judged', async () => {
    const trial = { as: app.member, path: inFirstSpace, body: nonsense };
    expect(await trials(having('admin', 'application'), trial, (status) => status === 403)).toEqual([]);
    expect(await trials(having('member', 'agent'), { ...trial, path: nowhere }, isIn)).toEqual([]);
  });

  verifies('access.roles', 'an admin: everything but what is for applications', async () => {
    const trial = { as: app.admin, path: nowhere, body: nonsense };
    expect(await trials(having('member', 'agent', 'admin'), trial, isIn)).toEqual([]);
    expect(await trials(having('application'), trial, (status) => status === 403)).toEqual([]);
  });

  verifies('access.other-space', 'the admin of another space: 403 on everything of this one', async () => {
    const here = routes.filter(({ rule, path }) => rule !== 'public' && inFirstSpace(path) !== nowhere(path));
    expect(here.length).toBeGreaterThan(5);
    const trial = {
      as: app.outsider,
      path: inFirstSpace,
      body: (route: Route) => BODIES[nameOf(route)] ?? {},
    };
    expect(await trials(here, trial, (status) => status === 403)).toEqual([]);
  });

  verifies('access.other-space', 'everyone: 404 for unknown and invalid ids', async () => {
    const named = routes.filter(
      ({ rule, path }) => rule !== 'public' && inFirstSpace(path) !== nowhere(path),
    );
    const trial = { as: app.admin, body: (route: Route) => BODIES[nameOf(route)] ?? {} };
    const is404 = (status: number) => status === 404;
    expect(await trials(named, { ...trial, path: nowhere }, is404)).toEqual([]);
    const noUuid = (path: string) => nowhere(path).replaceAll(UNKNOWN_ID, 'no-uuid');
    expect(await trials(named, { ...trial, path: noUuid }, is404)).toEqual([]);
  });
});
