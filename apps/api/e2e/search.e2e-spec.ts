import { randomUUID } from 'node:crypto';
import type { Agent, Member, Page, SearchHit, SearchResults, Task } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { findAgents } from '../src/agents/agents.store.ts';
import { findTasks } from '../src/tasks/definition/tasks.store.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { installApplication } from './harness/applications.ts';
import { Explained } from './harness/explained.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

async function search(q: string, as: TestUser = app.admin): Promise<SearchHit[]> {
  const answer = await app.request<SearchResults>('GET', `/api/search?q=${encodeURIComponent(q)}`, { as });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body.items;
}

const named = async (q: string, as?: TestUser) =>
  (await search(q, as)).map(({ kind, title }) => `${kind} ${title}`);

async function make<T>(path: string, body: object, as: TestUser = app.admin): Promise<T> {
  const answer = await app.request<T>('POST', path, { as, body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

const agent = (name: string, more: object = {}, as?: TestUser) =>
  make<Agent>('/api/agents', { name, model: 'platform/offline', systemPrompt: 'x', ...more }, as);
const task = (name: string, as?: TestUser) =>
  make<Task>(
    '/api/tasks',
    { name, type: 'MANUAL', workflow: { steps: [{ id: 'a', kind: 'code', source: '' }] } },
    as,
  );

describe('a search', () => {
  verifies('search.finds', 'finds by the first letters of words, in any order and case', async () => {
    await agent('Parcel helper', { description: 'Answers questions of customers' });
    await agent('订单数据助手');
    await task('Weekly parcel report');
    const method = {
      name: 'trackParcel',
      description: '',
      httpMethod: 'GET',
      path: '/shipments/{id}',
      inputSchema: { type: 'object' },
      outputSchema: {},
      bindings: [],
    };
    const tool = await make<{ id: string }>('/api/tools', {
      name: 'carrier_api',
      description: "It's the carrier's",
      serverUrl: 'https://example.com',
      methods: [method],
    });
    await make('/api/knowledge/documents', { title: 'Parcel prices 2026', text: 'Cheap.' });
    await installApplication(app);
    expect(await named('parcel')).toEqual([
      'agent Parcel helper',
      'task Weekly parcel report',
      'method trackParcel',
      'document Parcel prices 2026',
    ]);
    expect(await named('PARC rep')).toEqual(['task Weekly parcel report']);
    expect(await named('helper cust')).toEqual(['agent Parcel helper']);
    expect(await named('数据')).toEqual(['agent 订单数据助手']);
    expect(await named('created')).toEqual(['event order.created']);
    expect(await named('order.cre')).toEqual(['event order.created']);
    expect(await named('carrier api')).toEqual(['tool carrier_api']);
    expect(await search('track')).toEqual([
      {
        kind: 'method',
        id: 'trackParcel',
        title: 'trackParcel',
        text: 'carrier_api · GET /shipments/{id}',
        parentId: tool.id,
      },
    ]);
    expect(await named('shop')).toContain('application Shop');
    expect(await named(app.member.email)).toHaveLength(1);
    for (const odd of ["'", '\\', "o'neil & !x", ':*', '%', '<->', '(', 'a'.repeat(200)]) await search(odd);
    const refused = await app.request('GET', `/api/search?q=${encodeURIComponent('a\0')}`);
    expect(refused.status).toBe(400);
  });

  verifies('search.finds', 'finds anything by its id, and the best names first', async () => {
    const calls = await AgentCalls.make(app, null, { name: 'Exact' });
    await agent('Exactly this');
    await agent('Not exact');
    expect((await named('exact')).slice(0, 3)).toEqual([
      'agent Exact',
      'agent Exactly this',
      'agent Not exact',
    ]);
    const turnId = randomUUID();
    await calls.json({ contents: said('Where is the blue elephant?'), session_id: 'elephant-1', turnId });
    const { id: jobId } = await app.client().jobs.create({ agentId: calls.agentId, contents: said('Hi') });
    const { id: taskId } = await task('By id');
    const { id: runId } = await app.client().tasks.run(taskId, {});
    await app.settle();
    const found = async (id: string) =>
      (await search(id)).map(({ kind, id: own, parentId }) => [kind, own, parentId]);
    expect(await found('blue ele')).toEqual([['session', 'elephant-1', calls.agentId]]);
    expect(await found('elephant-1')).toEqual([['session', 'elephant-1', calls.agentId]]);
    expect(await found(calls.agentId)).toEqual([['agent', calls.agentId, null]]);
    expect(await found(turnId)).toEqual([['turn', turnId, calls.agentId]]);
    expect(await found(jobId.toUpperCase())).toEqual([['job', jobId, calls.agentId]]);
    expect(await found(runId)).toEqual([['run', runId, taskId]]);
    expect(await found(app.member.userId)).toEqual([['member', app.member.userId, null]]);
    expect(await found(randomUUID())).toEqual([]);
  });

  verifies('search.access', 'finds nothing that is not for the caller', async () => {
    const hidden = await agent('Zebra hidden', { accessScope: 'RESTRICTED', allowedUserIds: [] });
    const listed = await agent('Zebra listed', {
      accessScope: 'RESTRICTED',
      allowedUserIds: [app.member.userId],
    });
    const own = await agent('Zebra own', { accessScope: 'RESTRICTED', allowedUserIds: [] }, app.member);
    const foreign = await task('Zebra task');
    const calls = new AgentCalls(app, listed.id, app.member);
    await calls.json({ contents: said('zebra talk'), session_id: 'z' });
    expect(await named('zebra')).toEqual([
      'agent Zebra own',
      'agent Zebra hidden',
      'agent Zebra listed',
      'task Zebra task',
    ]);
    expect((await named('zebra', app.member)).sort()).toEqual([
      'agent Zebra listed',
      'agent Zebra own',
      'session zebra talk',
    ]);
    for (const id of [hidden.id, foreign.id]) expect(await search(id, app.member)).toEqual([]);
    expect(await search(own.id, app.member)).toHaveLength(1);
    expect(await search('zebra', app.outsider)).toEqual([]);
    expect(await search(hidden.id, app.outsider)).toEqual([]);
    expect(await named('shop', app.member)).toEqual([]);
    // Who loses access no longer finds the sessions.
    await app.client().agents.update(listed.id, { allowedUserIds: [] });
    expect(await named('zebra', app.member)).toEqual(['agent Zebra own']);
    const { key } = await app.client().apiKeys.create({ name: 'tools only', scopes: ['use'] });
    const narrow = await app.request<SearchResults>('GET', '/api/search?q=zebra', {
      as: { ...app.admin, apiKey: key },
    });
    expect(narrow.body.items.map(({ kind }) => kind)).toEqual(['task']);
    const deleted = await app.request('DELETE', `/api/agents/${hidden.id}`);
    expect(deleted.status).toBe(204);
    expect(await named('hidden')).toEqual([]);
  });

  verifies('search.scale', 'reads an index of the space, however many rows there are', async () => {
    const many = (space: string, owner: string) =>
      [
        `insert into agent (space_id, owner_user_id, name, description, model, system_prompt, access_scope, allowed_user_ids,
         variables, tools, local_tools, knowledge, settings, ask_user, version)
       select $1, $2, 'Walrus ' || md5(n::text), '', 'm', 's', 'SPACE', '{}', '[]', '[]', '[]', '{"enabled":false,"topK":5}', '{}', true, 1
       from generate_series(1, 20000) n`,
        [space, owner],
      ] satisfies [string, string[]];
    await app.sql(...many(app.outsider.spaceId, app.outsider.userId));
    await agent('Walrus here');
    await app.sql('analyze agent');
    const { spaceId, userId } = app.admin;
    const explained = new Explained(app.get(DataSource));
    const user = { spaceId, userId, isAdmin: false };
    expect(await findAgents(explained, user, { text: 'walrus' })).toHaveLength(1);
    expect(await findTasks(explained, { spaceId, ownerUserId: null }, { text: 'weekly' })).toHaveLength(1);
    expect(explained.cost.scanned).not.toContain('agent');
    expect(explained.costs[0]?.rows).toBeLessThan(10);
    const outside = { spaceId: app.outsider.spaceId, userId: app.outsider.userId, isAdmin: true };
    expect(await findAgents(explained, outside, { text: 'wal' })).toHaveLength(100);
  });
});

verifies('lists.ids', 'returns what was asked for, if the caller may see it', async () => {
  const agents = await Promise.all(Array.from({ length: 60 }, (_, i) => agent(`Listed ${i}`)));
  const tasks = [await task('Mine', app.member), await task('Not mine')];
  const list = async (path: string, ids: readonly string[], as?: TestUser) => {
    const answer = await app.request<Page<{ id: string }>>('GET', `${path}?ids=${ids.join(',')}`, { as });
    expect([answer.status, answer.body.nextCursor]).toEqual([200, null]);
    return answer.body.items.map(({ id }) => id);
  };
  const ids = agents.map(({ id }) => id);
  expect((await list('/api/agents', ids)).sort()).toEqual([...ids].sort());
  expect(await list('/api/agents', [ids[0] ?? '', 'no id', randomUUID()])).toEqual([ids[0]]);
  expect(await list('/api/agents', [])).toEqual([]);
  expect(await list('/api/agents', ids, app.outsider)).toEqual([]);
  expect(
    await list(
      '/api/tasks',
      tasks.map(({ id }) => id),
      app.member,
    ),
  ).toEqual([tasks[0]?.id]);
  const tools = await app.client().tools.list({ limit: 200 });
  const builtin = tools.items.at(-1)?.id ?? '';
  expect(await list('/api/tools', [builtin])).toEqual([builtin]);
  const members = await app.request<Page<Member>>(
    'GET',
    `/api/members?ids=${app.member.userId},${app.outsider.userId}`,
  );
  expect(members.body.items.map(({ user }) => user.id)).toEqual([app.member.userId]);
  const tooMany = Array.from({ length: 201 }, () => randomUUID()).join(',');
  for (const path of ['agents', 'tasks', 'tools', 'members'])
    expect((await app.request('GET', `/api/${path}?ids=${tooMany}`)).status).toBe(400);
});
