import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import {
  type KeyScope,
  type Agent,
  type AgentTool,
  type AuditEntry,
  type McpOffers,
  type Page,
  type Run,
  type Task,
  type Tool,
  type Turn,
} from '@platform/contracts';
import type { UserPrincipal } from '../src/auth/principals/principal.ts';
import { TurnsService } from '../src/turns/lifecycle/turns.service.ts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { McpPeer } from './harness/mcp-peer.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
/** Another process, whose calls return handles soon. */
let hasty: TestApp;
let server: ToolServer;
let agent: Agent;
let tool: Tool;
let task: Task;
let offers: McpOffers;
const clients: Client[] = [];

const COLOR = '/ask Which color? | red | blue';

beforeAll(async () => {
  server = await ToolServer.start();
  const env = { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` };
  app = await TestApp.start({ env });
  hasty = await TestApp.start({ database: app, env: { ...env, PLATFORM_MCP_WAIT_MS: '200' } });
  const platform = app.client();
  agent = await platform.agents.create({
    name: 'Travel planner',
    description: 'Plans journeys.',
    model: 'platform/offline',
    systemPrompt: 'You plan journeys from {{home}}.',
  });
  const inputSchema = {
    type: 'object',
    properties: { id: { type: 'string', isPort: true } },
    required: ['id'],
  };
  tool = await platform.tools.create({
    name: 'Shop',
    serverUrl: server.url,
    methods: [
      {
        name: 'find',
        httpMethod: 'get',
        path: '/orders/{id}',
        inputSchema,
        bindings: [{ port: 'id', in: 'path', name: 'id' }],
      },
      { name: 'buy', httpMethod: 'post', path: '/orders', inputSchema: { type: 'object', properties: {} } },
    ],
  });
  task = await platform.tasks.create({
    name: 'Nightly report',
    type: 'MANUAL',
    workflow: {
      steps: [
        {
          id: 'sum',
          kind: 'code',
          source: 'const { a, b } = context.execution.inputs; return { sum: a + b };',
        },
      ],
    },
  });
  offers = await offer({ agents: [agent.id], tasks: [task.id], tools: [{ toolId: tool.id, methods: null }] });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await hasty.close();
  await app.close();
  await server.stop();
});
beforeEach(() => server.respond(sendJson({ id: 'o_1' })));

const offer = (body: object, as?: TestUser) =>
  call<McpOffers>('PUT', '/api/mcp/offers', { body, ...(as && { as }) });

async function call<Body>(method: string, path: string, init: object = {}): Promise<Body> {
  const { status, body, text } = await app.request<Body>(method, path, init);
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body;
}

interface Connection {
  to?: TestApp;
  key?: string;
  isLegacy?: boolean;
  /** How forms are filled in; undefined: the client has none. */
  fill?: (message: string) => { action: 'accept' | 'decline'; content?: Record<string, string> };
}

/** The official client, as a person uses it. */
async function connect({
  to = app,
  key = app.admin.apiKey,
  isLegacy = false,
  fill,
}: Connection = {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: fill ? { elicitation: {} } : {},
      versionNegotiation: { mode: isLegacy ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  if (fill) client.setRequestHandler('elicitation/create', ({ params }) => fill(params.message));
  const headers = { Authorization: `Bearer ${key}` };
  const url = new URL(`/mcp/${app.admin.spaceId}`, to.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  clients.push(client);
  return client;
}

const textIn = ({ content }: Pick<CallToolResult, 'content'>) =>
  content.map((part) => (part.type === 'text' ? part.text : part.type)).join('');
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
const ask = (message: string, more: object = {}) => ({
  name: 'ask_travel_planner',
  arguments: { message, variables: { home: 'Rome' } },
  ...more,
});
const handleIn = ({ structuredContent }: CallToolResult) => (structuredContent as { handle: string }).handle;

describe('what a space offers over MCP', () => {
  verifies(
    'mcp.offers',
    'lists agents, methods, and tasks with their schemas, in both revisions',
    async () => {
      for (const isLegacy of [false, true]) {
        const { tools } = await (await connect({ isLegacy })).listTools();
        expect(tools.map(({ name }) => name)).toEqual([
          'ask_travel_planner',
          'run_nightly_report',
          'Shop__find',
          'Shop__buy',
          'get_result',
          'cancel',
        ]);
        expect(tools[0]).toMatchObject({
          title: 'Travel planner',
          description: 'Plans journeys.',
          inputSchema: {
            properties: { variables: { required: ['home'] } },
            required: ['message', 'variables'],
          },
        });
        expect(tools[2]).toMatchObject({
          inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
          annotations: { readOnlyHint: true },
        });
        expect(JSON.stringify(tools)).not.toContain('isPort');
      }
    },
  );

  verifies(
    'mcp.offers',
    'keeps names, refuses what does not exist, and shows callers what they may use',
    async () => {
      const host = await app.addUser('ADMIN', null);
      const as = { as: host };
      const create = (name: string) =>
        call<Agent>('POST', '/api/agents', {
          ...as,
          body: {
            name,
            model: 'platform/offline',
            systemPrompt: 'Hi.',
            accessScope: 'RESTRICTED',
            allowedUserIds: [host.userId],
          },
        });
      const [one, two, three] = [await create('Same name'), await create('Same name'), await create('旅行')];
      const first = await offer({ agents: [one.id, two.id, three.id], tasks: [], tools: [] }, host);
      const names = first.agents.map(({ name }) => name);
      expect(names[0]).toBe('ask_same_name');
      expect(names[1]).toMatch(/^ask_same_name_[0-9a-f]{8}$/);
      expect(names[2]).toMatch(/^ask_[0-9a-f]{8}$/);
      expect(first.url).toMatch(new RegExp(`/mcp/${host.spaceId}$`));
      await call('PATCH', `/api/agents/${one.id}`, { ...as, body: { name: 'Renamed' } });
      const again = await offer({ agents: [two.id, one.id], tasks: [], tools: [] }, host);
      expect(again.agents.map(({ name }) => name)).toEqual([names[1], names[0]]);

      const refused = await app.request('PUT', '/api/mcp/offers', {
        body: { agents: [one.id], tasks: [agent.id], tools: [{ toolId: tool.id, methods: ['nothing'] }] },
      });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('agents[0] must be the id of an agent of the space');
      expect(refused.text).toContain('tasks[0] must be the id of a task of type MANUAL');
      expect(refused.text).toContain('nothing');
      expect(
        (
          await app.request('PUT', '/api/mcp/offers', {
            as: app.member,
            body: { agents: [], tasks: [], tools: [] },
          })
        ).status,
      ).toBe(403);
      expect(await call<McpOffers>('GET', '/api/mcp/offers', { as: app.member })).toEqual(offers);
      // A member manages no task of the admin.
      expect(await namesOf(await connect({ key: app.member.apiKey }))).not.toContain('run_nightly_report');
    },
  );
});

describe('more methods than clients can be offered', () => {
  const inputSchema = { type: 'object', properties: {} };
  const methodsOf = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => ({
      name: `m${i + from}`,
      httpMethod: 'get' as const,
      path: `/m${i + from}`,
      inputSchema,
    }));
  const named = (count: number) => Array.from({ length: count }, (_, i) => `Grown__m${i}`);

  /** A space that offers an agent, and all methods of a tool, to which others were added later. */
  async function grow(...more: number[]) {
    const host = await app.addUser('ADMIN', null);
    const platform = app.client(host);
    const planner = await platform.agents.create({
      name: 'Planner',
      model: 'platform/offline',
      systemPrompt: '.',
    });
    const grown = await platform.tools.create({
      name: 'Grown',
      serverUrl: server.url,
      methods: methodsOf(1),
    });
    const tools = [{ toolId: grown.id, methods: null }];
    await offer({ agents: [planner.id], tasks: [], tools }, host);
    let count = 1;
    for (const added of more) {
      await platform.tools.addMethods(grown.id, methodsOf(added, count));
      count += added;
    }
    const peer = new McpPeer({
      url: `${app.url}/mcp/${host.spaceId}`,
      apiKey: host.apiKey,
      capabilities: {},
    });
    const listed = async () => {
      const { tools: all } = await peer.request<{ tools: { name: string }[] }>('tools/list');
      return all.map(({ name }) => name);
    };
    const shown = () => call<McpOffers>('GET', '/api/mcp/offers', { as: host });
    return { toolId: grown.id, peer, listed, shown };
  }

  it('are cut, and keep nothing else from being listed and called', async () => {
    const { toolId, peer, listed, shown } = await grow(124);
    const own = ['get_result', 'cancel'];
    expect(await listed()).toEqual(['ask_planner', ...named(125), ...own]);
    expect(await shown()).toMatchObject({ unlistedMethods: 0, unlisted: [] });
    const inserted = await app.sql(
      `insert into tool_method select (json_populate_record(m, json_build_object('id', uuid_v7(), 'name', 'more' || i))).*
       from tool_method m, generate_series(1, 375) i where m.tool_id = $1 and m.name = 'm0' returning id`,
      [toolId],
    );
    expect(inserted).toHaveLength(375);
    expect(await listed()).toEqual(['ask_planner', ...named(125), ...own]);
    const { unlistedMethods, unlisted } = await shown();
    expect(unlistedMethods).toBe(375);
    expect(unlisted).toEqual(
      Array.from({ length: 100 }, (_, i) => ({
        toolId,
        toolName: 'Grown',
        name: `more${i + 1}`,
        limit: 'tools',
      })),
    );
    expect(await peer.call('ask_planner', { message: 'Hello' })).toMatchObject({
      structuredContent: { status: 'completed' },
    });
    expect(await peer.call('Grown__m124', {})).toMatchObject({ structuredContent: { id: 'o_1' } });
  });

  it('are cut at the bytes of their schemas', async () => {
    const { toolId, listed, shown } = await grow(29);
    const large = { type: 'object', properties: { a: { type: 'string', description: 'x'.repeat(200_000) } } };
    await app.sql('update tool_method set input_schema = $2 where tool_id = $1', [
      toolId,
      JSON.stringify(large),
    ]);
    expect(await listed()).toEqual(['ask_planner', ...named(10), 'get_result', 'cancel']);
    const { unlistedMethods, unlisted } = await shown();
    expect(unlistedMethods).toBe(20);
    expect(unlisted).toEqual(
      named(30)
        .slice(10)
        .map((_, i) => ({ toolId, toolName: 'Grown', name: `m${i + 10}`, limit: 'bytes' })),
    );
  });
});

describe('calls over MCP', () => {
  verifies('mcp.calls', 'execute agents, methods, and tasks, and say what went wrong', async () => {
    for (const isLegacy of [false, true]) {
      const client = await connect({ isLegacy });
      const answer = await client.callTool(ask('Hello'));
      expect(answer.structuredContent).toMatchObject({ status: 'completed' });
      expect(textIn(answer)).toBe((answer.structuredContent as { answer: string }).answer);

      const found = await client.callTool({ name: 'Shop__find', arguments: { id: 'o_1' } });
      expect([found.isError, found.structuredContent]).toEqual([false, { id: 'o_1' }]);
      const bought = await client.callTool({
        name: 'Shop__buy',
        arguments: {},
        _meta: { idempotencyKey: 'k1' },
      });
      expect(bought.isError).toBe(false);
      expect(server.received.at(-1)?.headers['idempotency-key']).toBe(`mcp:${app.admin.userId}:k1`);

      const ran = await client.callTool({ name: 'run_nightly_report', arguments: { a: 1, b: 2 } });
      expect(ran.structuredContent).toMatchObject({ status: 'SUCCEEDED', output: { sum: 3 } });

      server.respond((response) => response.writeHead(404).end('gone'));
      const missing = await client.callTool({ name: 'Shop__find', arguments: { id: 'o_2' } });
      expect([missing.isError, textIn(missing)]).toEqual([true, expect.stringContaining('404')]);
      const invalid = await client.callTool({ name: 'Shop__find', arguments: {} });
      expect([invalid.isError, textIn(invalid)]).toEqual([true, expect.stringContaining('id')]);
      const nameless = await client.callTool({ name: 'ask_travel_planner', arguments: { message: 'Hi' } });
      expect([nameless.isError, textIn(nameless)]).toEqual([
        true,
        'variables.home is required by the prompt',
      ]);
      const input = { message: 'Hi', variables: { home: 'Rome' }, session: 7 };
      const unnamed = await client.callTool({ name: 'ask_travel_planner', arguments: input });
      expect([unnamed.isError, textIn(unnamed)]).toEqual([
        true,
        expect.stringMatching(/^session must be a text/),
      ]);
      await expect(client.callTool({ name: 'ask_nobody', arguments: {} })).rejects.toThrow(
        'Unknown tool: ask_nobody',
      );
      server.respond(sendJson({ id: 'o_1' }));
    }
  });

  verifies('mcp.calls', 'return the error of a last step after which the run went on', async () => {
    const { workflow } = task;
    const failing = {
      id: 'last',
      kind: 'code',
      source: "throw new Error('Out of paper')",
      onError: 'continue',
    };
    const change = (steps: object) =>
      app.request('PATCH', `/api/tasks/${task.id}`, { body: { workflow: { steps } } });
    expect((await change([failing])).status).toBe(200);
    const client = await connect();
    const ran = await client.callTool({ name: 'run_nightly_report', arguments: { a: 1, b: 2 } });
    expect(ran.structuredContent).toMatchObject({
      status: 'SUCCEEDED',
      output: { error: { message: expect.stringContaining('Out of paper') } },
    });
    expect((await change(workflow.steps)).status).toBe(200);
  });

  it('of methods that act, or that their caller approves, are in the audit, without arguments', async () => {
    const host = await app.addUser('ADMIN', null);
    const as = { as: host };
    const inputSchema = { type: 'object', properties: { id: { type: 'string' } } };
    const bindings = [{ port: 'id', in: 'query' as const, name: 'id' }];
    const shop = await app.client(host).tools.create({
      name: 'Shop',
      serverUrl: server.url,
      methods: [
        { name: 'find', httpMethod: 'get', path: '/orders', inputSchema, bindings },
        { name: 'buy', httpMethod: 'post', path: '/orders', inputSchema, bindings },
      ],
    });
    await offer({ agents: [], tasks: [], tools: [{ toolId: shop.id, methods: null }] }, host);
    const peer = new McpPeer({ url: `${app.url}/mcp/${host.spaceId}`, apiKey: host.apiKey });
    const input = { id: 'secret-4711' };
    const invoke = (name: string) =>
      call('POST', `/api/tools/${shop.id}/methods/${name}/invoke`, { ...as, body: { input } });
    const entries = async () => {
      const { items } = await call<Page<AuditEntry>>('GET', '/api/audit?action=tool.invoke', as);
      expect(JSON.stringify(items)).not.toContain('4711');
      for (const { actor, targetId, requestId } of items)
        expect([actor?.id, targetId, requestId]).toEqual([host.userId, shop.id, expect.any(String)]);
      return items.reverse().map(({ details }) => details);
    };

    await peer.call('Shop__find', input);
    await invoke('find');
    expect(await entries()).toEqual([]);
    await peer.call('Shop__buy', input);
    await invoke('buy');
    const called = { name: 'Shop', method: 'buy', rule: 'default', mode: 'run' };
    expect(await entries()).toEqual([
      { ...called, door: 'mcp' },
      { ...called, door: 'api' },
    ]);

    // Who calls it approves it, and over MCP nobody can.
    await call('PATCH', `/api/tools/${shop.id}/methods/find`, { ...as, body: { policy: { mode: 'ask' } } });
    await invoke('find');
    expect(await peer.call('Shop__find', input)).toMatchObject({ isError: true });
    expect((await entries()).slice(2)).toEqual([
      { name: 'Shop', method: 'find', rule: 'method', mode: 'ask', door: 'api' },
    ]);
  });

  verifies('mcp.calls', 'reach the method that has the name in the list, and no other', async () => {
    const host = await app.addUser('ADMIN', null);
    const inputSchema = { type: 'object', properties: {} };
    const create = (name: string, path: string) => {
      const method = { name: 'find', httpMethod: 'get', path, inputSchema };
      const methods = [method, { ...method, name: 'other', path: '/other' }];
      return call<Tool>('POST', '/api/tools', {
        as: host,
        body: { name, serverUrl: server.url, methods },
      });
    };
    const [one, two] = [await create('My shop', '/one'), await create('My.shop', '/two')];
    const builtin = { toolId: 'current_time', methods: null };
    const tools = [{ toolId: one.id, methods: null }, { toolId: two.id, methods: ['find'] }, builtin];
    await offer({ agents: [], tasks: [], tools }, host);
    const peer = new McpPeer({ url: `${app.url}/mcp/${host.spaceId}`, apiKey: host.apiKey });
    const listed = async () => {
      const { result } = await peer.send<{ tools: { name: string }[] }>('tools/list', {});
      return result?.tools.map(({ name }) => name).filter((name) => name.includes('__')) ?? [];
    };
    const reached = async (name: string) => {
      const before = server.received.length;
      const { result, error } = await peer.send<CallToolResult>('tools/call', { name, arguments: {} });
      return error?.message ?? server.received[before]?.url ?? result?.isError;
    };

    const names = await listed();
    expect(new Set(names).size).toBe(4);
    const places: unknown[] = [];
    for (const name of names) places.push(await reached(name));
    expect(places).toEqual([false, '/one', '/other', '/two']);
    expect(await reached('My_shop__find')).toBe('Unknown tool: My_shop__find');

    await call('PATCH', `/api/tools/${two.id}/methods/find`, { as: host, body: { enabled: false } });
    expect(await listed()).toContain('My_shop__find');
    expect(await reached('My_shop__find')).toBe('/one');
    expect(await reached(names[3] ?? '')).toBe(`Unknown tool: ${names[3]}`);
  });

  verifies(
    'mcp.questions',
    'are forms for clients that have them, and end the turn if they are declined',
    async () => {
      const asked: string[] = [];
      const fill = (message: string) => {
        asked.push(message);
        return { action: 'accept' as const, content: { choice: 'blue' } };
      };
      const client = await connect({ fill });
      const answer = await client.callTool(ask(`${COLOR}\nThank you`));
      expect(asked).toEqual(['Which color?']);
      expect(answer.structuredContent).toMatchObject({ status: 'completed' });
      expect(textIn(answer)).toContain('blue');

      const unwilling = await connect({ fill: () => ({ action: 'decline' }) });
      const declined = await unwilling.callTool(ask(COLOR));
      expect([declined.isError, textIn(declined)]).toEqual([true, expect.stringContaining('declined')]);
    },
  );

  verifies(
    'mcp.questions',
    'of a run are asked once in a call; the inbox keeps what is declined',
    async () => {
      const platform = app.client();
      const { workflow } = task;
      const fields = [{ key: 'name', label: 'Name', type: 'text' as const, required: true }];
      const step = { id: 'ask', kind: 'ask' as const, message: 'Who?', to: 'owner' as const, fields };
      await platform.tasks.update(task.id, { workflow: { steps: [step] } });
      try {
        let asked = 0;
        const unwilling = await connect({
          fill: () => {
            asked++;
            return { action: 'decline' };
          },
        });
        const waiting = await unwilling.callTool({ name: 'run_nightly_report', arguments: {} });
        expect(asked).toBe(1);
        expect(waiting.structuredContent).toMatchObject({ status: 'working' });
        expect(textIn(waiting)).toContain('the inbox of the space');
        const { items } = await platform.inbox.list();
        expect(items).toHaveLength(1);
        await platform.inbox.answer(items[0]?.id ?? '', { values: { name: 'Ann' } });
        const done = await resultOf(unwilling, waiting);
        expect([asked, done.structuredContent]).toEqual([
          1,
          expect.objectContaining({ status: 'SUCCEEDED' }),
        ]);
      } finally {
        await platform.tasks.update(task.id, { workflow });
      }
    },
  );

  verifies('mcp.questions', 'are texts for clients without forms; one answer counts', async () => {
    for (const isLegacy of [false, true]) {
      const client = await connect({ isLegacy });
      const question = await client.callTool(ask(COLOR));
      expect(textIn(question)).toContain('choice (Choice): "red", "blue"');
      const { handle, question: id } = question.structuredContent as { handle: string; question: string };
      const reply = (choice: string, to: Client = client) =>
        to.callTool({ name: 'get_result', arguments: { handle, question: id, values: { choice } } });
      const wrong = await reply('green');
      expect([wrong.isError, textIn(wrong)]).toEqual([true, expect.stringContaining('answers are wanted')]);
      const elsewhere = await connect({ to: hasty });
      const answers = await Promise.all([reply('red'), reply('red'), reply('red', elsewhere)]);
      const ended = await Promise.all(answers.map((answer) => resultOf(client, answer)));
      expect(new Set(ended.map(textIn)).size).toBe(1);
      expect(textIn(ended[0] ?? question)).toContain('red');
      const late = await reply('blue');
      expect([late.isError, textIn(late)]).toEqual([
        true,
        expect.stringContaining('already has another answer'),
      ]);
    }
  });

  verifies(
    'approval.pause',
    'is a form, or a text, of a client; what a client calls itself asks nobody',
    async () => {
      const platform = app.client();
      const change = (tools: AgentTool[]) => platform.agents.update(agent.id, { tools });
      await change([{ toolId: tool.id, methods: null, policies: { buy: { mode: 'ask' } } }]);
      try {
        server.respond(sendJson({ id: 'o_9' }));
        const buys = () => server.received.filter(({ url }) => url === '/orders').length;
        const asked: string[] = [];
        const client = await connect({
          fill: (message) => {
            asked.push(message);
            const content = { choice: asked.length === 1 ? 'Reject' : 'Approve' };
            return {
              action: 'accept' as const,
              content: asked.length === 1 ? { ...content, other: 'No' } : content,
            };
          },
        });
        await client.callTool(ask('/call Shop.buy {}'));
        expect(asked[0]).toContain('Shop.buy');
        expect(buys()).toBe(0);
        await client.callTool(ask('/call Shop.buy {}'));
        expect(buys()).toBe(1);
        const plain = await connect();
        const question = await plain.callTool(ask('/call Shop.buy {}'));
        expect(textIn(question)).toContain('choice (Choice): "Approve", "Reject"');
        const { handle, question: id } = question.structuredContent as { handle: string; question: string };
        const values = { choice: 'Approve' };
        const answer = await plain.callTool({
          name: 'get_result',
          arguments: { handle, question: id, values },
        });
        await resultOf(plain, answer);
        expect(buys()).toBe(2);
        await platform.tools.updateMethod(tool.id, 'buy', { policy: { mode: 'ask' } });
        const refused = await plain.callTool({ name: 'Shop__buy', arguments: {} });
        expect([refused.isError, textIn(refused)]).toEqual([
          true,
          expect.stringContaining('needs an approval'),
        ]);
        expect(buys()).toBe(2);
      } finally {
        await change([]);
        await platform.tools.updateMethod(tool.id, 'buy', { policy: null });
        server.respond(sendJson({ id: 'o_1' }));
      }
    },
  );

  verifies('mcp.handles', 'name work that any process waits for and cancels', async () => {
    const client = await connect({ to: hasty });
    const working = await client.callTool(ask('/think 3000'));
    expect(working.structuredContent).toMatchObject({ status: 'working' });
    const done = await resultOf(await connect(), working);
    expect(done.structuredContent).toMatchObject({ status: 'completed', handle: handleIn(working) });

    const endless = await client.callTool(ask('/think 600000'));
    const cancel = (by: Client) => by.callTool({ name: 'cancel', arguments: { handle: handleIn(endless) } });
    const stranger = await cancel(await connect({ key: app.member.apiKey }));
    expect([stranger.isError, textIn(stranger)]).toEqual([true, expect.stringContaining('does not exist')]);
    const [, agentId = '', turnId = ''] = handleIn(endless).split(':');
    // The same person with a credential of another space.
    const elsewhere = { userId: app.admin.userId, spaceId: app.outsider.spaceId } as UserPrincipal;
    await expect(app.get(TurnsService).find(elsewhere, agentId, turnId)).rejects.toThrow('does not exist');
    await cancel(client);
    await eventually(async () => {
      const turn = await call<Turn>('GET', `/api/agents/${agentId}/turns/${turnId}`);
      expect(turn.status).toBe('CANCELLED');
    });

    const slow = await call<Task>('POST', '/api/tasks', {
      body: { name: 'Slow', type: 'MANUAL', workflow: { steps: [{ id: 'w', kind: 'wait', for: 'PT1H' }] } },
    });
    await offer({
      agents: [agent.id],
      tasks: [task.id, slow.id],
      tools: [{ toolId: tool.id, methods: null }],
    });
    const waiting = await client.callTool({ name: 'run_slow', arguments: {} });
    expect(waiting.structuredContent).toMatchObject({ status: 'working' });
    await client.callTool({ name: 'cancel', arguments: { handle: handleIn(waiting) } });
    const [, runId = ''] = handleIn(waiting).split(':');
    await eventually(async () => {
      expect((await call<Run>('GET', `/api/runs/${runId}`)).status).toBe('CANCELLED');
    });
    const strange = await client.callTool({ name: 'get_result', arguments: { handle: 'turn:1' } });
    expect([strange.isError, textIn(strange)]).toEqual([true, 'handle must be one that a call has returned']);
  });

  verifies('mcp.handles', 'are not needed by a client that repeats its call with the same key', async () => {
    const client = await connect();
    const repeat = (message: string) =>
      client.callTool(ask(message, { _meta: { idempotencyKey: 'journey 1' } }));
    const answers = await Promise.all([repeat('Hello'), repeat('Hello'), repeat('Hello')]);
    const later = await repeat('Hello');
    expect(new Set([...answers, later].map(handleIn)).size).toBe(1);
    const other = await repeat('Bye');
    expect(other.isError).toBe(true);
    await expect(client.callTool(ask('Hello', { _meta: { idempotencyKey: 1 } }))).rejects.toThrow(
      'idempotencyKey',
    );
  });
});

/** Follows a handle to the end of its work. */
async function resultOf(client: Client, first: CallToolResult): Promise<CallToolResult> {
  let result = first;
  const isWorking = () => (result.structuredContent as { status?: string } | undefined)?.status === 'working';
  while (isWorking())
    result = await client.callTool({ name: 'get_result', arguments: { handle: handleIn(result) } });
  return result;
}

describe('credentials of MCP clients', () => {
  verifies('mcp.access', 'reach their own space only, and what their scopes allow', async () => {
    const request = (path: string, init: object = {}) =>
      app.request('POST', path, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, ...init });
    const path = `/mcp/${app.admin.spaceId}`;
    expect((await request(path, { as: null })).status).toBe(401);
    expect((await request(path, { as: app.outsider })).status).toBe(403);
    const stream = await app.request('GET', path);
    expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST']);

    const scoped = async (...scopes: KeyScope[]) => {
      const { key } = await call<{ key: string }>('POST', '/api/api-keys', { body: { name: 'mcp', scopes } });
      return namesOf(await connect({ key }));
    };
    expect(await scoped('invoke')).toEqual(['ask_travel_planner', 'get_result', 'cancel']);
    const used = await scoped('use');
    expect(used).toContain('Shop__find');
    expect(used).not.toContain('ask_travel_planner');
  });

  verifies('mcp.access', 'of one person do not reach the work of another', async () => {
    const client = await connect();
    const answer = await client.callTool(ask('Hello'));
    const stranger = await connect({ key: app.member.apiKey });
    const read = await stranger.callTool({ name: 'get_result', arguments: { handle: handleIn(answer) } });
    expect([read.isError, textIn(read)]).toEqual([true, expect.stringContaining('does not exist')]);
  });
});
