import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent, Member, Page, Task, Tool } from '@platform/contracts';
import { TestApp, type TestUser } from './harness/app.ts';
import { SqlPlans } from './harness/sql-plans.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
/** The admin of a space of its own. */
let boss: TestUser;
beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  boss = await app.addUser('ADMIN', null);
});
afterAll(() => app.close());

type Item = { id: string; name: string } | Member;
type Query = Record<string, string>;

const nameOf = (item: Item) => ('user' in item ? item.user.name : item.name);

async function page(path: string, query: Query = {}, as: TestUser = boss): Promise<Page<Item>> {
  const search = new URLSearchParams(query).toString();
  const answer = await app.request<Page<Item>>('GET', `/api/${path}?${search}`, { as });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
}

/** The names of a list that is read page by page; `between` happens after each page. */
async function walk(
  path: string,
  query: Query = {},
  as: TestUser = boss,
  between: (names: string[]) => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: Page<Item> = await page(path, { limit: '2', ...query, ...(cursor && { cursor }) }, as);
    names.push(...more.items.map(nameOf));
    cursor = more.nextCursor;
    if (cursor !== null) await between(names);
  }
  return names;
}

async function make<T>(path: string, body: object, as: TestUser = boss): Promise<T> {
  const answer = await app.request<T>('POST', `/api/${path}`, { as, body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

const agent = (name: string, more: object = {}, as?: TestUser) =>
  make<Agent>('agents', { name, model: 'platform/offline', systemPrompt: 'x', ...more }, as);
const task = (name: string, as?: TestUser) =>
  make<Task>(
    'tasks',
    { name, type: 'MANUAL', workflow: { steps: [{ id: 'a', kind: 'code', source: '' }] } },
    as,
  );
const tool = (name: string) => make<Tool>('tools', { name, serverUrl: 'https://example.com' });
const MAKE = { agents: agent, tasks: task, tools: tool };
const restricted = { accessScope: 'RESTRICTED', allowedUserIds: [] };

async function renamedMember(name: string, email?: string): Promise<TestUser> {
  const user = await app.addUser('MEMBER', boss.spaceId);
  await app.sql('update platform_user set name = $2, email = coalesce($3, email) where id = $1', [
    user.userId,
    name,
    email ?? null,
  ]);
  return user;
}

const found = async (path: string, text: string, as?: TestUser, query: Query = {}) =>
  (await walk(path, { ...query, text, sort: 'name' }, as)).join(', ');

describe('a search in a list', () => {
  verifies('lists.text', 'finds each word as a part of a text, in any case, and literally', async () => {
    await agent('Parcel 100%');
    await agent('parcel_b', { description: 'Finds LOST things' });
    await agent(String.raw`Größe a\b`);
    await agent('Hidden parcel', restricted);
    expect(await found('agents', 'ARCE')).toBe('Hidden parcel, Parcel 100%, parcel_b');
    expect(await found('agents', ' lost   b parc ')).toBe('parcel_b');
    expect(await found('agents', '100%')).toBe('Parcel 100%');
    expect(await found('agents', '%')).toBe('Parcel 100%');
    expect(await found('agents', '_')).toBe('parcel_b');
    expect(await found('agents', String.raw`a\B`)).toBe(String.raw`Größe a\b`);
    expect(await found('agents', 'GRÖSSE')).toBe('');
    expect(await found('agents', 'GRÖ')).toBe(String.raw`Größe a\b`);
    expect(await found('agents', `{"',}`)).toBe('');
    expect(await found('agents', 'p a r c e l b 1 9 9 9 9 9')).toBe('');
    expect(await found('agents', 'a r c e l _ b b unseen')).toBe('parcel_b');

    await task('Weekly report');
    await task('Report of 2026');
    expect(await found('tasks', 'report')).toBe('Report of 2026, Weekly report');
    expect(await found('tasks', 'report', boss, { type: 'EVENT' })).toBe('');

    await tool('carrier_api');
    await tool('Carrier two');
    expect(await found('tools', 'API carrier')).toBe('carrier_api');
    expect(await found('tools', 'CARRIER')).toBe('Carrier two, carrier_api');
    expect(await found('tools', 'time current_')).toBe('current_time');

    await renamedMember('Ada Lovelace', 'countess@analytical.example');
    await renamedMember('Grace Hopper');
    expect(await found('members', 'lovelace ADA')).toBe('Ada Lovelace');
    expect(await found('members', 'Analytical')).toBe('Ada Lovelace');
    expect(await found('members', 'hopper')).toBe('Grace Hopper');
  });

  verifies('lists.text', 'stays among what the caller may list', async () => {
    const member = await renamedMember('Member');
    await agent('Open walrus');
    await agent('Secret walrus', restricted);
    await agent('Own walrus', restricted, member);
    await task('Walrus of the boss');
    await task('Walrus of the member', member);
    expect(await found('agents', 'walrus', member, { accessibleOnly: 'true' })).toBe('Open walrus');
    expect(await found('agents', 'walrus', boss, { accessibleOnly: 'true' })).toBe('Open walrus');
    expect(await found('agents', 'walrus', member)).toBe('Open walrus, Own walrus, Secret walrus');
    expect(await found('tasks', 'walrus', member)).toBe('Walrus of the member');
    for (const path of ['agents', 'tasks', 'tools', 'members'])
      expect(await found(path, 'walrus', app.outsider)).toBe('');
    expect(await found('members', 'example.com', app.outsider)).toBe(app.outsider.email.slice(0, 6));
  });

  it.each(['', '%20', '%00', 'x'.repeat(201)])('refuses the text "%s"', async (text) => {
    for (const path of ['agents', 'tasks', 'tools', 'members']) {
      const { status, body } = await app.request('GET', `/api/${path}?text=${text}`, { as: boss });
      expect([status, body.message]).toEqual([400, expect.stringMatching(/^text /)]);
    }
  });
});

describe('the order of a list', () => {
  const NAMES = ['b', 'A', 'c', 'a', 'B', 'x'.repeat(120), '\u0001'.repeat(120), '好'.repeat(120), 'ä'];
  const sorted = ['\u0001'.repeat(120), 'A', 'a', 'b', 'B', 'c', 'x'.repeat(120), 'ä', '好'.repeat(120)];

  verifies('lists.sort', 'is by name in both directions, whatever the case of the letters', async () => {
    for (const [path, create] of Object.entries(MAKE)) {
      // The names of tools are unique.
      const isUnique = path === 'tools';
      const made = isUnique ? NAMES.filter((name) => name !== 'a' && name !== 'B') : NAMES;
      for (const name of made) await create(name);
      const builtin = isUnique ? (await page(path)).items.slice(made.length).map(nameOf) : [];
      const expected = sorted.filter((name) => made.includes(name));
      expect(await walk(path, { sort: 'name' })).toEqual([...expected, ...builtin]);
      expect(await walk(path, { sort: '-name' })).toEqual([...expected.toReversed(), ...builtin]);
      const newest = [...made.toReversed(), ...builtin];
      expect(await walk(path)).toEqual(newest);
      expect(await walk(path, { sort: '-createdAt' })).toEqual(newest);
      expect(await walk(path, { sort: 'createdAt' })).toEqual([...made, ...builtin]);
      expect(await walk(path, { sort: '-updatedAt' })).toEqual(newest);
    }
  });

  verifies('lists.sort', 'is that of the last change, also within a millisecond', async () => {
    for (const [path, table] of [
      ['agents', 'agent'],
      ['tasks', 'task'],
      ['tools', 'tool'],
    ] as const) {
      const ids: string[] = [];
      for (const name of ['first', 'second', 'third', 'fourth']) ids.push((await MAKE[path](name)).id);
      const times = ['00.5019', '00.5011', '00.5015', '00.4999999'];
      for (const [i, id] of ids.entries())
        await app.sql(`update ${table} set updated_at = $2::timestamptz where id = $1`, [
          id,
          `2026-01-01T00:00:${times[i]}Z`,
        ]);
      const read = async (sort: string) => (await walk(path, { sort, limit: '1' })).slice(0, 4);
      expect((await read('updatedAt')).toSorted()).toEqual(['first', 'fourth', 'second', 'third']);
      expect(await read('-updatedAt')).toEqual((await read('updatedAt')).toReversed());
      await app.request('PATCH', `/api/${path}/${ids[1]}`, { as: boss, body: { name: 'renamed' } });
      expect((await read('-updatedAt'))[0]).toBe('renamed');
    }
  });

  verifies('lists.sort', 'is that of names, or of when people joined', async () => {
    await renamedMember('Zoe');
    const adam = await renamedMember('adam');
    await renamedMember('Yan');
    await app.sql('update platform_user set name = $2 where id = $1', [boss.userId, 'Boss']);
    await app.sql(`update membership set created_at = '2020-01-01' where user_id = $1`, [adam.userId]);
    expect(await walk('members', { sort: 'name' })).toEqual(['adam', 'Boss', 'Yan', 'Zoe']);
    expect(await walk('members', { sort: '-name' })).toEqual(['Zoe', 'Yan', 'Boss', 'adam']);
    expect(await walk('members', { sort: 'createdAt' })).toEqual(['adam', 'Boss', 'Zoe', 'Yan']);
    expect(await walk('members', { sort: '-createdAt' })).toEqual(['Yan', 'Zoe', 'Boss', 'adam']);
    expect(await walk('members')).toEqual(['Yan', 'adam', 'Zoe', 'Boss']);
  });

  verifies('lists.sort', 'loses and repeats nothing that stays while others change', async () => {
    const made = new Map<string, Agent>();
    for (const name of ['e', 'b', 'd', 'a', 'c', 'f', 'g']) made.set(name, await agent(name));
    const change = (name: string, method: string, body?: object) =>
      app.request(method, `/api/agents/${made.get(name)?.id}`, { as: boss, ...(body && { body }) });
    let pages = 0;
    const names = await walk('agents', { sort: 'name' }, boss, async () => {
      pages += 1;
      if (pages === 1) {
        // The last one that was shown is no longer there, and others come before and after it.
        await change('b', 'DELETE');
        await agent('0');
        await agent('bb');
        await change('e', 'PATCH', { name: 'z' });
      }
      if (pages === 2) await change('c', 'PATCH', { name: 'aa' });
    });
    expect(names).toEqual(['a', 'b', 'bb', 'c', 'd', 'f', 'g', 'z']);
  });

  verifies('lists.sort', 'is part of its cursors', async () => {
    for (const path of ['agents', 'tasks', 'tools'] as const)
      for (const name of ['a', 'b', 'c']) await MAKE[path](name);
    await renamedMember('x');
    for (const path of ['agents', 'tasks', 'tools', 'members']) {
      const { nextCursor } = await page(path, { limit: '1', sort: 'name' });
      expect(nextCursor).not.toBeNull();
      for (const other of ['sort=-name', 'sort=createdAt', 'limit=1', 'sort=name&text=a']) {
        const { status, body } = await app.request('GET', `/api/${path}?${other}&cursor=${nextCursor}`, {
          as: boss,
        });
        expect([status, body.message]).toEqual([
          400,
          'cursor must be the nextCursor of a page with the same filter and order',
        ]);
      }
      for (const wrong of ['', 'owner', '--name', 'name,id', ...(path === 'members' ? ['updatedAt'] : [])]) {
        const { status, body } = await app.request('GET', `/api/${path}?sort=${wrong}`, { as: boss });
        expect([status, body.message]).toEqual([400, expect.stringMatching(/^sort /)]);
      }
    }
  });

  verifies('lists.sort.private', 'tells nobody when agents of others were changed', async () => {
    const member = await renamedMember('Member');
    const foreign = await agent('foreign');
    const own = await agent('own', {}, member);
    await agent('later');
    const order = () => walk('agents', { sort: '-updatedAt' }, member);
    expect(await order()).toEqual(['later', 'own', 'foreign']);
    await app.request('PATCH', `/api/agents/${foreign.id}`, { as: boss, body: { description: 'new' } });
    expect(await order()).toEqual(['later', 'own', 'foreign']);
    expect(await walk('agents', { sort: '-updatedAt' })).toEqual(['foreign', 'later', 'own']);
    await app.request('PATCH', `/api/agents/${own.id}`, { as: member, body: { description: 'new' } });
    expect(await order()).toEqual(['own', 'later', 'foreign']);
  });
});

verifies('lists.scale', 'has an index for each order, and reads no other space', async () => {
  const { spaceId, userId } = boss;
  await app.sql(
    `insert into agent (space_id, owner_user_id, name, description, model, system_prompt, access_scope, allowed_user_ids,
       variables, tools, local_tools, knowledge, settings, ask_user, version)
     select $1, $2, md5(n::text), '', 'm', 's', 'SPACE', '{}', '[]', '[]', '[]', '{"enabled":false,"topK":5}', '{}', true, 1
     from generate_series(1, 3000) n`,
    [spaceId, userId],
  );
  await app.sql(
    `insert into task (space_id, owner_user_id, name, type, workflow, concurrency, timeout_ms, retry)
     select $1, $2, md5(n::text), 'MANUAL', '{"steps": []}', 1, 1000, '{}' from generate_series(1, 3000) n`,
    [spaceId, userId],
  );
  await app.sql(
    `insert into tool (space_id, name, description, kind, server_url, auth, created_by)
     select $1, md5(n::text), '', 'http', 'https://example.com', '{"type":"none"}', $2 from generate_series(1, 3000) n`,
    [spaceId, userId],
  );
  await app.sql(
    `with made as (
       insert into platform_user (email, name, password_hash)
       select md5(n::text) || '@many.example', md5(n::text), 'x' from generate_series(1, 3000) n returning id)
     insert into membership (space_id, user_id, role) select $1, id, 'MEMBER' from made`,
    [spaceId],
  );
  await app.sql('analyze agent, task, tool, membership, platform_user');

  const used: Record<string, string[]> = {};
  const orders = ['name', '-name', 'updatedAt', '-updatedAt'];
  for (const [path, table, sorts] of [
    ['agents', 'agent', orders],
    ['tasks', 'task', orders],
    ['tools', 'tool', orders],
    ['members', 'membership', ['createdAt', '-createdAt']],
  ] as const)
    for (const sort of sorts) {
      const { nextCursor } = await page(path, { sort });
      const plans = await SqlPlans.attach(app);
      try {
        await page(path, { sort, cursor: nextCursor ?? '' });
        used[`${path} ${sort}`] = await plans.indexesOf(`FROM "${table}"`);
      } finally {
        await plans.close();
      }
    }
  expect(used).toEqual({
    'agents name': ['agent_by_name', 'agent_pkey'],
    'agents -name': ['agent_by_name', 'agent_pkey'],
    'agents updatedAt': ['agent_by_change', 'agent_pkey'],
    'agents -updatedAt': ['agent_by_change', 'agent_pkey'],
    'tasks name': ['task_by_name', 'task_pkey'],
    'tasks -name': ['task_by_name', 'task_pkey'],
    'tasks updatedAt': ['task_by_change', 'task_pkey'],
    'tasks -updatedAt': ['task_by_change', 'task_pkey'],
    'tools name': ['tool_by_name'],
    'tools -name': ['tool_by_name'],
    'tools updatedAt': ['tool_by_change'],
    'tools -updatedAt': ['tool_by_change'],
    'members createdAt': ['membership_by_time', 'platform_user_pkey'],
    'members -createdAt': ['membership_by_time', 'platform_user_pkey'],
  });

  // A search of another space looks at its own rows, however many all others have.
  const plans = await SqlPlans.attach(app);
  try {
    for (const path of ['agents', 'tasks', 'tools', 'members'])
      for (const sort of ['name', 'createdAt']) await page(path, { text: 'seldom', sort }, app.outsider);
    const tables = ['agent', 'task', 'tool', 'membership', 'platform_user'];
    expect(await plans.wholeReads(tables)).toEqual([]);
  } finally {
    await plans.close();
  }
});
