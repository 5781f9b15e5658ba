import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent, AgentAccess, AgentListing, AgentVersion, Page } from '@platform/contracts';
import fc from 'fast-check';
import { decideAccess } from '../src/agents/agent-access.ts';
import { AgentsService } from '../src/agents/agents.service.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { problemsOf } from './harness/problems.ts';
import { verifies } from './verifies.ts';

const NOWHERE = '01900000-0000-7000-8000-000000000000';
const TOOL = '01900000-0000-7000-8000-00000000000a';
const REQUIRED = { name: 'Ada', model: 'platform/offline', systemPrompt: 'Be kind.' };

let app: TestApp;
/** Another member, who owns nothing. */
let other: TestUser;
beforeAll(async () => {
  app = await TestApp.start();
  other = await app.addUser('MEMBER');
});
afterAll(() => app.close());

function post(body: object, as = app.member) {
  return app.request<Agent>('POST', '/api/agents', { as, body: { ...REQUIRED, ...body } });
}

async function made(more: object = {}, as = app.member): Promise<Agent> {
  const { status, body, text } = await post(more, as);
  expect([status, status === 201 ? '' : text]).toEqual([201, '']);
  return body;
}

function patch(id: string, body: object, as = app.member) {
  return app.request<Agent>('PATCH', `/api/agents/${id}`, { as, body });
}

async function get<Body = Agent>(path: string, as = app.member): Promise<Body> {
  const { status, body } = await app.request<Body>('GET', `/api/agents${path}`, { as });
  expect(status).toBe(200);
  return body;
}

async function statusOf(method: string, path: string, as: TestUser | null, body?: object): Promise<number> {
  return (await app.request(method, `/api/agents${path}`, { as, ...(body && { body }) })).status;
}

function restricted(...users: (TestUser | string)[]): object {
  return {
    accessScope: 'RESTRICTED',
    allowedUserIds: users.map((user) => (typeof user === 'string' ? user : user.userId)),
  };
}

describe('making an agent', () => {
  verifies('agents.create.required', 'needs name, model and systemPrompt alone', async () => {
    const { status, body } = await post({});
    expect(status).toBe(201);
    expect(body).toEqual({
      ...REQUIRED,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
      spaceId: app.member.spaceId,
      ownerUserId: app.member.userId,
      description: '',
      modelStatus: 'ready',
      accessScope: 'SPACE',
      allowedUserIds: [],
      accessible: true,
      variables: [],
      tools: [],
      localTools: [],
      knowledge: { enabled: false, topK: 5 },
      settings: {},
      askUser: true,
      version: 1,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: body.createdAt,
    });
    expect(await get(`/${body.id}`)).toEqual(body);
  });

  verifies('agents.create.required', 'stores the given values', async () => {
    const given = {
      description: 'Knows\nthings',
      model: 'gpt-x',
      allowedUserIds: ['not-a-user', app.member.userId],
      accessScope: 'RESTRICTED',
      tools: [
        { toolId: TOOL, methods: null },
        { toolId: 'web_search', methods: ['search'] },
      ],
      localTools: [
        {
          name: 'door-1',
          description: '',
          inputSchema: { type: 'object', properties: { constructor: { const: null } } },
        },
      ],
      knowledge: { enabled: true, topK: 9 },
      settings: { temperature: 0.7, max_tokens: 5, top_p: 1, frequency_penalty: -7.5, presence_penalty: 100 },
      askUser: false,
    };
    expect(await made(given)).toMatchObject({ ...given, modelStatus: 'unknown', accessible: true });
  });

  verifies(
    'agents.variables',
    'finds the variables of the prompt and adds what was declared of them',
    async () => {
      const { variables } = await made({
        systemPrompt: '{{city}} {{ tone }} {{city}}',
        variables: [{ name: 'tone', required: false, description: 'How', default: 'kind' }],
      });
      expect(variables).toEqual([
        { name: 'city', required: true },
        { name: 'tone', required: false, description: 'How', default: 'kind' },
      ]);
    },
  );

  verifies('agents.access.rule', 'removes repetitions from the list of users', async () => {
    expect((await made({ allowedUserIds: ['b', 'a', 'b'] })).allowedUserIds).toEqual(['b', 'a']);
  });

  verifies('agents.create.strict', 'reads null as absent', async () => {
    const nulls = [
      'description',
      'accessScope',
      'allowedUserIds',
      'variables',
      'tools',
      'localTools',
      'knowledge',
    ];
    const body = Object.fromEntries([...nulls, 'settings', 'askUser'].map((field) => [field, null]));
    const agent = await made({ ...body, settings: { temperature: null } });
    expect(agent).toMatchObject({ description: '', accessScope: 'SPACE', settings: {}, askUser: true });
    const { status, body: error } = await post({ name: null, model: null, systemPrompt: null });
    expect(status).toBe(400);
    for (const field of ['name', 'model', 'systemPrompt']) {
      expect(error).toMatchObject({ message: expect.stringContaining(`${field} is required`) });
    }
  });

  const nested = (depth: number): object => (depth === 1 ? {} : { items: nested(depth - 1) });
  const local = (more: object) => ({
    localTools: [{ name: 'a', description: '', inputSchema: {}, ...more }],
  });
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ toolId: `tool_${i}` }));

  const WRONG: [object, string][] = [
    [{ name: undefined }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: ' \n' }, 'name'],
    [{ name: 'x'.repeat(121) }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ name: 5 }, 'name'],
    [{ model: undefined }, 'model'],
    [{ model: '' }, 'model'],
    [{ model: ['m'] }, 'model'],
    [{ systemPrompt: undefined }, 'systemPrompt'],
    [{ systemPrompt: '' }, 'systemPrompt'],
    [{ systemPrompt: {} }, 'systemPrompt'],
    [{ systemPrompt: 'a\0b' }, 'systemPrompt'],
    [{ systemPrompt: 'Answer {{query}}' }, 'systemPrompt'],
    [{ description: 'x'.repeat(2001) }, 'description'],
    [{ description: 5 }, 'description'],
    [{ accessScope: 'PUBLIC' }, 'accessScope'],
    [{ accessScope: 'space' }, 'accessScope'],
    [{ allowedUserIds: 'me' }, 'allowedUserIds'],
    [{ allowedUserIds: [5] }, 'allowedUserIds'],
    [{ allowedUserIds: [''] }, 'allowedUserIds'],
    [{ allowedUserIds: ['x'.repeat(129)] }, 'allowedUserIds'],
    [{ variables: {} }, 'variables'],
    [{ variables: [{ name: 'session_id' }] }, 'variables[0].name'],
    [{ variables: [{ name: 'a' }, { name: 'a' }] }, 'variables[1].name'],
    [{ variables: [{ name: 'a', type: 'text' }] }, 'variables[0].type'],
    [{ tools: [{}] }, 'tools[0].toolId'],
    [{ tools: [{ toolId: TOOL, methods: 'all' }] }, 'tools[0].methods'],
    [{ tools: many(129) }, 'tools'],
    [local({ name: 'a b' }), 'localTools[0].name'],
    [local({ name: 'x'.repeat(65) }), 'localTools[0].name'],
    [local({ description: undefined }), 'localTools[0].description'],
    [local({ inputSchema: [] }), 'localTools[0].inputSchema'],
    [local({ inputSchema: nested(17) }), 'localTools[0].inputSchema'],
    [local({ inputSchema: { title: 'x'.repeat(65_536) } }), 'localTools[0].inputSchema'],
    [{ knowledge: 5 }, 'knowledge'],
    [{ knowledge: { topK: 0 } }, 'knowledge.topK'],
    [{ knowledge: { topK: 51 } }, 'knowledge.topK'],
    [{ knowledge: { enabled: 1 } }, 'knowledge.enabled'],
    [{ settings: [] }, 'settings'],
    [{ settings: { temperature: -0.01 } }, 'settings.temperature'],
    [{ settings: { temperature: 2.01 } }, 'settings.temperature'],
    [{ settings: { temperature: '1' } }, 'settings.temperature'],
    [{ settings: { top_p: -0.01 } }, 'settings.top_p'],
    [{ settings: { top_p: 1.01 } }, 'settings.top_p'],
    [{ settings: { max_tokens: 0 } }, 'settings.max_tokens'],
    [{ settings: { max_tokens: 1.5 } }, 'settings.max_tokens'],
    [{ settings: { frequency_penalty: true } }, 'settings.frequency_penalty'],
    [{ settings: { maxTokens: 5 } }, 'settings.maxTokens'],
    [{ askUser: 'yes' }, 'askUser'],
    [{ ownerUserId: NOWHERE }, 'ownerUserId'],
    [{ version: 1 }, 'version'],
  ];
  for (const [i, [wrong, field]] of WRONG.entries()) {
    verifies('agents.create.strict', `refuses a wrong ${field}, case ${i}`, async () => {
      const { status, body } = await post(wrong);
      expect(body).toMatchObject({ success: false, code: 'VALIDATION_ERROR', message: expect.any(String) });
      expect(problemsOf(body)).toContainEqual(
        expect.stringMatching(new RegExp(`^${field.replace(/[[\].]/g, '\\$&')}[ :]`)),
      );
      expect(status).toBe(400);
    });
  }

  verifies('agents.create.strict', 'refuses a number too large to be one', async () => {
    const raw = JSON.stringify({ ...REQUIRED, settings: { presence_penalty: 0 } }).replace(':0', ':1e999');
    expect((await app.request('POST', '/api/agents', { raw })).status).toBe(400);
  });

  const BOUNDS: object[] = [
    { name: 'x' },
    { name: '名'.repeat(120) },
    { name: '🦊'.repeat(120) },
    { model: ' ' },
    { description: 'x'.repeat(2000) },
    { allowedUserIds: ['x'.repeat(128)] },
    { tools: many(128) },
    local({ name: 'x'.repeat(64), inputSchema: nested(16) }),
    { knowledge: { topK: 1 } },
    { knowledge: { topK: 50 } },
    { settings: { temperature: 0, top_p: 0, max_tokens: 1 } },
    { settings: { temperature: 2, top_p: 1, frequency_penalty: -1e9, presence_penalty: 1e9 } },
  ];
  verifies('agents.create.strict', 'takes the bounds themselves', async () => {
    for (const body of BOUNDS) expect([body, (await post(body)).status]).toEqual([body, 201]);
  });
});

describe('what others see', () => {
  verifies('agents.visibility', 'is the listing alone; owner and admins see all', async () => {
    const agent = await made({ description: 'Mine', ...restricted(app.member) });
    const listing = {
      id: agent.id,
      name: 'Ada',
      description: 'Mine',
      accessScope: 'RESTRICTED',
      accessible: false,
    };
    expect(await get(`/${agent.id}`, other)).toEqual(listing);
    expect(await get(`/${agent.id}`, app.admin)).toEqual({ ...agent, accessible: false });

    const seenBy = async (as: TestUser) => {
      const { items } = await get<Page<Agent | AgentListing>>('?limit=200', as);
      return items.find(({ id }) => id === agent.id);
    };
    expect(await seenBy(other)).toEqual(listing);
    expect(await seenBy(app.member)).toEqual(agent);
    expect(await seenBy(app.admin)).toEqual({ ...agent, accessible: false });
    expect(await seenBy(app.outsider)).toBeUndefined();
  });

  verifies('agents.manage.roles', 'does not extend to managing', async () => {
    const { id } = await made();
    const refused = await Promise.all([
      statusOf('PATCH', `/${id}`, other, { name: 'Mine now' }),
      statusOf('DELETE', `/${id}`, other),
      statusOf('GET', `/${id}/access`, other),
      statusOf('GET', `/${id}/versions`, other),
      statusOf('POST', `/${id}/versions/1/restore`, other),
    ]);
    expect(refused).toEqual([403, 403, 403, 403, 403]);
    expect((await get(`/${id}`)).name).toBe('Ada');
  });
});

describe('the list', () => {
  verifies(
    ['agents.list.pages', 'agents.list.accessible-only'],
    'goes in pages, the newest first, with a cursor bound to its filter',
    async () => {
      const as = await app.addUser('ADMIN', null);
      for (const name of ['a', 'b', 'c', 'd']) await made({ name, ...(name === 'b' && restricted()) }, as);
      const walk = async (query: string) => {
        const names: string[] = [];
        let cursor = '';
        for (;;) {
          const { items, nextCursor } = await get<Page<Agent>>(`?limit=2${query}${cursor}`, as);
          expect(items.length).toBeLessThanOrEqual(2);
          names.push(...items.map(({ name }) => name));
          if (nextCursor === null) return names;
          cursor = `&cursor=${nextCursor}`;
        }
      };
      expect(await walk('')).toEqual(['d', 'c', 'b', 'a']);
      expect(await walk('&accessibleOnly=false')).toEqual(['d', 'c', 'b', 'a']);
      expect(await walk('&accessibleOnly=true')).toEqual(['d', 'c', 'a']);

      const { nextCursor } = await get<Page<Agent>>('?limit=2', as);
      expect(await statusOf('GET', `?cursor=${nextCursor}&accessibleOnly=true`, as)).toBe(400);
      expect(await statusOf('GET', `?cursor=${nextCursor}`, app.member)).toBe(400);
      expect(await statusOf('GET', '?cursor=x', as)).toBe(400);
    },
  );

  verifies(
    'agents.list.pages',
    'has pages of at most 4 MB, and so have the versions of an agent',
    async () => {
      const as = await app.addUser('ADMIN', null);
      const systemPrompt = 'x'.repeat(900_000);
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      const [first = ''] = await Promise.all(
        names.map(async (name) => (await made({ name, systemPrompt }, as)).id),
      );
      for (const name of names.slice(1)) await patch(first, { name }, as);
      const sizes = async (path: string) => {
        const one = await get<Page<unknown>>(`${path}limit=200`, as);
        const two = await get<Page<unknown>>(`${path}limit=200&cursor=${one.nextCursor}`, as);
        return [one.items.length, two.items.length, two.nextCursor];
      };
      expect(await sizes('?sort=name&')).toEqual([4, 2, null]);
      expect(await sizes(`/${first}/versions?`)).toEqual([4, 2, null]);
    },
  );

  verifies('agents.list.owned-only', 'has only the agents of the caller, page by page', async () => {
    const as = await app.addUser('ADMIN', null);
    const member = await app.addUser('MEMBER', as.spaceId);
    for (const name of ['a', 'b']) await made({ name }, as);
    for (const name of ['c', 'd']) await made({ name, ...restricted() }, member);
    const named = async (query: string, user: TestUser) => {
      const { items, nextCursor } = await get<Page<Agent>>(`?sort=name${query}`, user);
      return [...items.map(({ name }) => name), ...(nextCursor === null ? [] : ['…'])];
    };
    expect(await named('&ownedOnly=true', as)).toEqual(['a', 'b']);
    expect(await named('&ownedOnly=true', member)).toEqual(['c', 'd']);
    expect(await named('&ownedOnly=true&limit=1', member)).toEqual(['c', '…']);
    expect(await named('&ownedOnly=true&accessibleOnly=true', member)).toEqual([]);
    expect(await named('&ownedOnly=false', as)).toEqual(['a', 'b', 'c', 'd']);
    const { nextCursor } = await get<Page<Agent>>('?limit=1&ownedOnly=true', as);
    expect(await statusOf('GET', `?limit=1&cursor=${nextCursor}`, as)).toBe(400);
    expect(await statusOf('GET', '?ownedOnly=1', as)).toBe(400);
  });

  verifies('agents.list.tool', 'has those with a tool, to whom may know it', async () => {
    const tool = {
      toolId: '01900000-0000-7000-8000-0000000000AB',
      methods: ['toolId', '"toolId":"other_tool"'],
    };
    const owner = app.member;
    const open = await made({ name: 'Open', tools: [{ toolId: 'tool_of_few', methods: null }, tool] }, owner);
    const hidden = await made({ name: 'Hidden', tools: [tool], ...restricted() }, app.admin);
    const deleted = await made({ name: 'Deleted', tools: [tool] }, owner);
    await made({ name: 'Without', systemPrompt: `Say "toolId":"${tool.toolId}"` }, owner);
    expect(await statusOf('DELETE', `/${deleted.id}`, owner)).toBe(204);
    const named = async (as: TestUser, query = `toolId=${tool.toolId}`) => {
      const { items, nextCursor } = await get<Page<Agent>>(`?${query}`, as);
      return [...items.map(({ name }) => name), ...(nextCursor === null ? [] : ['…'])];
    };
    expect(await named(app.admin)).toEqual(['Hidden', 'Open']);
    expect(await named(app.admin, `toolId=${tool.toolId.toLowerCase()}&limit=1`)).toEqual(['Hidden', '…']);
    expect(await named(app.admin, `toolId=${tool.toolId}&accessibleOnly=true`)).toEqual(['Open']);
    expect(await named(app.admin, `toolId=${tool.toolId}&ids=${open.id}`)).toEqual(['Open']);
    // Whether an agent of others has it is nobody's business, whoever may call that agent.
    expect(await named(owner)).toEqual(['Open']);
    expect(await named(other)).toEqual([]);
    expect(await named(app.outsider)).toEqual([]);
    expect(await named(owner, 'toolId=tool_of_few')).toEqual(['Open']);
    expect(await named(app.admin, 'toolId=other_tool')).toEqual([]);

    const { nextCursor } = await get<Page<Agent>>(`?toolId=${tool.toolId}&limit=1`, app.admin);
    expect(await statusOf('GET', `?toolId=tool_of_few&cursor=${nextCursor}`, app.admin)).toBe(400);
    await patch(open.id, { tools: [] }, owner);
    expect(await named(owner)).toEqual([]);
    for (const wrong of ['', 'x'.repeat(65), '%00'])
      expect(await statusOf('GET', `?toolId=${wrong}`, app.admin)).toBe(400);
    expect(hidden.tools).toHaveLength(1);

    const collector = await app.addUser('ADMIN', null);
    await app.sql(
      `insert into agent (space_id, owner_user_id, name, description, model, system_prompt, access_scope, allowed_user_ids,
         variables, tools, local_tools, knowledge, settings, ask_user, version)
       select $1, $2, 'Agent ' || n, '', 'm', 'p', 'SPACE', '{}', '[]',
         json_build_array(json_build_object('toolId', 'tool_' || n, 'methods', null)), '[]', '{"enabled":false,"topK":5}', '{}', true, 1
       from generate_series(1, 2000) as n`,
      [collector.spaceId, collector.userId],
    );
    await app.sql('analyze agent');
    await eventually(async () => {
      expect(await named(collector, 'toolId=tool_7')).toEqual(['Agent 7']);
      const [index] = await app.sql<{ used: boolean }>(
        "select idx_scan > 0 as used from pg_stat_user_indexes where indexrelname = 'agent_tools'",
      );
      expect(index?.used).toBe(true);
    });
  });

  verifies('agents.list.accessible-only', 'refuses anything but true and false', async () => {
    for (const value of ['yes', '1', 'TRUE', '']) {
      const { status, body } = await app.request('GET', `/api/agents?accessibleOnly=${value}`);
      expect([status, body.message]).toEqual([400, expect.stringMatching(/^accessibleOnly /)]);
    }
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'offset=5'])('refuses %s', async (query) => {
    expect(await statusOf('GET', `?${query}`, app.member)).toBe(400);
  });
});

describe('who may call an agent', () => {
  /** The case that says most: a restricted agent that lists one member, neither its creator nor the admin. */
  verifies(
    'agents.access.rule',
    'is decided by the list alone: creator and admins are on it or out',
    async () => {
      const { id } = await made(restricted(other));
      const called = async (as: TestUser) => statusOf('GET', `/${id}/sessions`, as);
      expect(await Promise.all([called(other), called(app.member), called(app.admin)])).toEqual([
        200, 403, 403,
      ]);
      await patch(id, restricted(app.member, app.admin));
      expect(await Promise.all([called(other), called(app.member), called(app.admin)])).toEqual([
        403, 200, 200,
      ]);
      await patch(id, { accessScope: 'SPACE' });
      expect(await Promise.all([called(other), called(app.member), called(app.admin)])).toEqual([
        200, 200, 200,
      ]);
      await patch(id, restricted());
      expect(await Promise.all([called(other), called(app.member), called(app.admin)])).toEqual([
        403, 403, 403,
      ]);
    },
  );

  verifies(
    ['agents.access.rule', 'agents.list.accessible-only'],
    'is the same rule in SQL: lists and single agents agree for random policies',
    async () => {
      const space = await app.addUser('ADMIN', null);
      const users = [
        space,
        await app.addUser('MEMBER', space.spaceId),
        await app.addUser('MEMBER', space.spaceId),
      ];
      const ids = [...users.map(({ userId }) => userId), 'ghost', app.outsider.userId];
      const policies = fc.sample(
        fc.record({
          accessScope: fc.constantFrom('SPACE' as const, 'RESTRICTED' as const),
          allowedUserIds: fc.subarray(ids),
        }),
        40,
      );
      const agents = [];
      for (const policy of policies) agents.push(await made(policy, space));
      for (const user of users) {
        const expected = agents
          .filter((agent) => decideAccess(agent, user.userId).allowed)
          .map(({ id }) => id);
        const { items } = await get<Page<AgentListing>>('?limit=200&accessibleOnly=true', user);
        expect(items.map(({ id }) => id).sort()).toEqual(expected.sort());
        const all = await get<Page<AgentListing>>('?limit=200', user);
        expect(
          all.items
            .filter(({ accessible }) => accessible)
            .map(({ id }) => id)
            .sort(),
        ).toEqual(expected);
      }
    },
  );

  verifies(
    'agents.access.explained',
    'is explained with the rule that decides, and lists unknown ids separately',
    async () => {
      const { id } = await made(restricted(other, 'ghost', app.outsider));
      expect(await get<AgentAccess>(`/${id}/access`)).toEqual({
        agentId: id,
        accessScope: 'RESTRICTED',
        users: [
          {
            userId: other.userId,
            name: other.email.slice(0, 6),
            email: other.email,
            allowed: true,
            reason: 'The agent is restricted and lists this user',
          },
        ],
        unknownUserIds: ['ghost', app.outsider.userId],
      });
      const about = async (userId: string) => {
        const { users, unknownUserIds } = await get<AgentAccess>(`/${id}/access?userId=${userId}`, app.admin);
        return [users.map(({ allowed, reason }) => [allowed, reason]), unknownUserIds];
      };
      expect(await about(app.admin.userId)).toEqual([
        [[false, 'The agent is restricted and does not list this user']],
        [],
      ]);
      expect(await about('ghost')).toEqual([
        [[false, 'This id belongs to no member of the space']],
        ['ghost'],
      ]);

      await patch(id, { accessScope: 'SPACE' });
      const open = await get<AgentAccess>(`/${id}/access`);
      expect(open.users.map(({ userId }) => userId).sort()).toEqual(
        [app.admin, app.member, other].map(({ userId }) => userId).sort(),
      );
      expect(open.users.every(({ allowed }) => allowed)).toBe(true);
    },
  );

  verifies('agents.access.everywhere', 'is asked before the body is looked at', async () => {
    const { id } = await made(restricted());
    const wrong = { contents: 5 };
    expect(await statusOf('POST', `/${id}/chat`, app.member, wrong)).toBe(403);
    expect(await statusOf('POST', `/${id}/chat`, app.outsider, wrong)).toBe(403);
    expect(await statusOf('POST', `/${NOWHERE}/chat`, app.member, wrong)).toBe(404);
    expect(await statusOf('POST', '/no-uuid/chat', app.member, wrong)).toBe(404);
    await patch(id, { accessScope: 'SPACE' });
    expect(await statusOf('POST', `/${id}/chat`, app.member, wrong)).toBe(400);
  });

  it('is one query for a turn, with everything that it needs', async () => {
    const agent = await made({ systemPrompt: '{{city}}', settings: { temperature: 1 } });
    const { userId, spaceId } = app.member;
    const caller = { kind: 'user' as const, userId, spaceId, role: 'MEMBER' as const };
    const credential = { kind: 'api-key' as const, id: NOWHERE };
    const principal = { ...caller, credential, causationRunId: null };
    expect(await app.get(AgentsService).getInvocable(principal, agent.id)).toEqual({
      id: agent.id,
      spaceId,
      ownerUserId: agent.ownerUserId,
      name: 'Ada',
      model: 'platform/offline',
      systemPrompt: '{{city}}',
      variables: [{ name: 'city', required: true }],
      settings: { temperature: 1 },
      askUser: true,
      tools: [],
      localTools: [],
      knowledge: { enabled: false, topK: 5 },
      version: 1,
    });
  });
});

describe('ids', () => {
  const ROUTES = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/access'],
    ['GET', '/versions'],
    ['POST', '/versions/1/restore'],
    ['GET', '/sessions'],
  ] as const;
  for (const [method, rest] of ROUTES) {
    verifies('agents.ids', `of another space are 403, of nothing 404: ${method} /{id}${rest}`, async () => {
      const body = method === 'PATCH' ? {} : undefined;
      const { id } = await made({}, app.outsider);
      const answers = await Promise.all(
        [id, NOWHERE, 'no-uuid', `${id}x`].map((target) =>
          statusOf(method, `/${target}${rest}`, app.admin, body),
        ),
      );
      expect(answers).toEqual([403, 404, 404, 404]);
      expect(await statusOf(method, `/${id}${rest}`, null, body)).toBe(401);
    });
  }
});

describe('changing an agent', () => {
  verifies(
    'agents.update',
    'replaces the given fields, keeps the others, and increments the version',
    async () => {
      const before = await made({ settings: { temperature: 1, top_p: 1 }, variables: [{ name: 'a' }] });
      const { status, body } = await patch(before.id, {
        settings: { temperature: 2 },
        name: 'Bea',
        model: null,
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        ...before,
        name: 'Bea',
        settings: { temperature: 2 },
        version: 2,
        updatedAt: body.updatedAt,
      });
      expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt));
    },
  );

  verifies('agents.create.strict', 'checks as creating does', async () => {
    const { id } = await made();
    for (const wrong of [
      { name: '' },
      { systemPrompt: '{{images}}' },
      { settings: { top_p: 2 } },
      { version: 0 },
      { x: 1 },
    ]) {
      expect((await patch(id, wrong)).status).toBe(400);
    }
    expect((await get(`/${id}`)).version).toBe(1);
  });

  verifies(
    'agents.update',
    'rejects a stale version, and accepts one of many concurrent updates',
    async () => {
      const { id } = await made();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => patch(id, { name: `Ada ${i}`, version: 1 })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
      const { body } = await patch(id, { name: 'Late', version: 1 });
      expect(body).toMatchObject({
        success: false,
        code: 'CONFLICT',
        message: expect.stringContaining('version 2'),
      });
      expect((await patch(id, { name: 'In time', version: 2 })).body.version).toBe(3);
    },
  );

  it('makes no version of nothing', async () => {
    const { id } = await made({ allowedUserIds: ['a'] });
    expect((await patch(id, {})).body.version).toBe(1);
    expect((await patch(id, { name: 'Ada', allowedUserIds: ['a', 'a'] })).body.version).toBe(1);
  });

  verifies(
    ['agents.manage.roles', 'agents.audit'],
    'lets admins change and delete any, and writes that down',
    async () => {
      const { id } = await made();
      expect((await patch(id, { name: 'Own' })).status).toBe(200);
      expect((await patch(id, { name: 'Better' }, app.admin)).body).toMatchObject({
        name: 'Better',
        ownerUserId: app.member.userId,
      });
      expect(await statusOf('POST', `/${id}/versions/1/restore`, app.admin)).toBe(200);
      expect(await statusOf('DELETE', `/${id}`, app.admin)).toBe(204);
      const entries = await app.sql(
        'select action, actor_user_id as actor, details from audit_entry where target_id = $1 order by id',
        [id],
      );
      const actor = app.admin.userId;
      expect(entries).toEqual([
        { action: 'agent.update', actor, details: { name: 'Own', fields: ['name'] } },
        { action: 'agent.restore', actor, details: { name: 'Better', version: 1 } },
        { action: 'agent.delete', actor, details: { name: 'Ada' } },
      ]);
    },
  );
});

describe('versions', () => {
  verifies('agents.versions', 'show the earlier definitions and who saved them', async () => {
    const first = await made({ systemPrompt: 'One {{a}}', variables: [{ name: 'a', default: 'x' }] });
    await patch(first.id, { systemPrompt: 'Two' }, app.admin);
    const { items, nextCursor } = await get<Page<AgentVersion>>(`/${first.id}/versions`);
    expect(nextCursor).toBeNull();
    expect(items.map(({ version, author }) => [version, author?.id])).toEqual([
      [2, app.admin.userId],
      [1, app.member.userId],
    ]);
    const { accessible: _, modelStatus: __, ...snapshot } = first;
    expect(items[1]).toEqual({
      version: 1,
      author: { id: app.member.userId, name: app.member.email.slice(0, 6) },
      createdAt: first.createdAt,
      agent: snapshot,
    });
  });

  it('go in pages', async () => {
    const { id } = await made();
    for (const name of ['b', 'c']) await patch(id, { name });
    const one = await get<Page<AgentVersion>>(`/${id}/versions?limit=2`);
    const two = await get<Page<AgentVersion>>(`/${id}/versions?limit=2&cursor=${one.nextCursor}`);
    expect([...one.items, ...two.items].map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(two.nextCursor).toBeNull();
  });

  verifies('agents.versions', 'come back as a new version', async () => {
    const first = await made({
      ...restricted(other),
      settings: { top_p: 0.5 },
      tools: [{ toolId: TOOL, methods: null }],
    });
    await patch(first.id, { name: 'Bea', accessScope: 'SPACE', allowedUserIds: [], settings: {}, tools: [] });
    const restore = (n: string | number) =>
      app.request<Agent>('POST', `/api/agents/${first.id}/versions/${n}/restore`, { as: app.member });
    const { status, body } = await restore(1);
    expect(status).toBe(200);
    expect(body).toEqual({ ...first, version: 3, updatedAt: body.updatedAt });
    expect(
      await Promise.all(
        ['4', '0', '-1', 'x', '1.5', '99999999999'].map(async (n) => (await restore(n)).status),
      ),
    ).toEqual([404, 404, 404, 404, 404, 404]);
  });
});

describe('deleting an agent', () => {
  verifies('agents.delete', 'hides it immediately and keeps the row', async () => {
    const { id } = await made();
    expect(await statusOf('DELETE', `/${id}`, app.member)).toBe(204);
    const after = await Promise.all([
      statusOf('GET', `/${id}`, app.member),
      statusOf('GET', `/${id}`, app.outsider),
      statusOf('GET', `/${id}/sessions`, app.member),
      statusOf('PATCH', `/${id}`, app.member, { name: 'x' }),
      statusOf('DELETE', `/${id}`, app.member),
    ]);
    expect(after).toEqual([404, 404, 404, 404, 404]);
    const { items } = await get<Page<Agent>>('?limit=200');
    expect(items.map((agent) => agent.id)).not.toContain(id);
    expect(await app.sql('select version from agent where id = $1 and deleted_at is not null', [id])).toEqual(
      [{ version: 1 }],
    );
  });
});
