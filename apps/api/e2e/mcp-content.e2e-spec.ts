import { experimental_createMCPClient as createMCPClient } from '@ai-sdk/mcp';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import type { Agent, KeyScope, McpOffers } from '@platform/contracts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { McpPeer } from './harness/mcp-peer.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let server: ToolServer;
let agent: Agent;
let path: string;
const clients: Client[] = [];

/** More text than one reading returns. */
const LONG = Array.from({ length: 2_000 }, (_, i) => `Sentence number ${i} is about wombats.`).join(' ');

beforeAll(async () => {
  server = await ToolServer.start();
  server.respond(sendJson({ id: 'o_1' }));
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` } });
  const platform = app.client();
  agent = await platform.agents.create({
    name: 'Travel planner',
    model: 'platform/offline',
    systemPrompt: 'The secret of {{home}} is {{tone}}.',
    variables: [{ name: 'tone', description: 'How it speaks.', default: 'kind' }],
  });
  const tool = await platform.tools.create({
    name: 'Shop',
    serverUrl: server.url,
    methods: [{ name: 'find', httpMethod: 'get', path: '/orders', inputSchema: { type: 'object' } }],
  });
  const source = 'const { a, b } = context.execution.inputs; return { sum: a + b };';
  const task = await platform.tasks.create({
    name: 'Sum',
    type: 'MANUAL',
    workflow: { steps: [{ id: 'sum', kind: 'code', source }] },
  });
  const offers = await put({
    agents: [agent.id],
    tasks: [task.id],
    tools: [{ toolId: tool.id, methods: null }],
    knowledge: true,
  });
  expect(offers.knowledge).toBe(true);
  path = new URL(offers.url).pathname;
  for (const title of ['Short', 'Long'])
    await platform.knowledge.createDocument({ title, text: title === 'Long' ? LONG : 'Quokkas smile.' });
  await eventually(async () => {
    const { items } = await platform.knowledge.listDocuments();
    expect(items.map(({ status }) => status)).toEqual(['READY', 'READY']);
  });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await app.close();
  await server.stop();
});

async function put(body: object): Promise<McpOffers> {
  const answer = await app.request<McpOffers>('PUT', '/api/mcp/offers', { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function connect(apiKey = app.admin.apiKey, isLegacy = false): Promise<Client> {
  const mode = isLegacy ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${apiKey}` };
  const url = new URL(path, app.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  clients.push(client);
  return client;
}

async function keyWith(...scopes: KeyScope[]): Promise<{ id: string; key: string }> {
  const body = { name: 'mcp', scopes };
  return (await app.request<{ id: string; key: string }>('POST', '/api/api-keys', { body })).body;
}

const textIn = ({ content }: Pick<CallToolResult, 'content'>) =>
  content.map((part) => (part.type === 'text' ? part.text : part.type)).join('');

verifies(
  'mcp.resources',
  'are the documents of the space, read part by part, for those who may',
  async () => {
    for (const isLegacy of [false, true]) {
      const client = await connect(app.member.apiKey, isLegacy);
      const { resources, nextCursor } = await client.listResources();
      expect(resources.map(({ name, mimeType }) => [name, mimeType])).toEqual([
        ['Long', 'text/plain'],
        ['Short', 'text/plain'],
      ]);
      expect(nextCursor).toBeUndefined();
      expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
        { uriTemplate: 'knowledge://documents/{id}{?after}' },
      ]);
      let uri: string | undefined = resources[0]?.uri;
      const parts: string[] = [];
      while (uri !== undefined) {
        const { contents } = await client.readResource({ uri });
        const [part] = contents as { text: string; _meta?: { nextUri?: string } }[];
        parts.push(part?.text ?? '');
        uri = part?._meta?.nextUri;
        if (uri !== undefined) expect(parts.at(-1)).toContain(uri);
      }
      expect(parts.length).toBeGreaterThan(1);
      expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(40_000);
      const all = parts.join('');
      expect(Array.from({ length: 2_000 }, (_, i) => all.includes(`number ${i} is`)).every(Boolean)).toBe(
        true,
      );

      const found = await client.callTool({ name: 'search_documents', arguments: { query: 'quokkas' } });
      expect(found.structuredContent).toMatchObject({
        passages: [{ title: 'Short', uri: resources[1]?.uri, text: expect.stringContaining('smile') }],
      });
      const wrong = await client.callTool({
        name: 'search_documents',
        arguments: { query: 'x', limit: 1e9 },
      });
      expect([wrong.isError, textIn(wrong)]).toEqual([true, expect.stringContaining('limit')]);
      for (const unknown of [
        'knowledge://documents/x',
        'file:///etc/passwd',
        `${resources[0]?.uri}?after=9e9`,
      ])
        await expect(client.readResource({ uri: unknown })).rejects.toThrow();
      await expect(client.listResources({ cursor: 'x' })).rejects.toThrow('cursor');
    }
    const stranger = await connect((await keyWith('invoke')).key);
    expect((await stranger.listResources()).resources).toEqual([]);
    expect((await stranger.listTools()).tools.map(({ name }) => name)).not.toContain('search_documents');
  },
);

verifies('mcp.resources', 'are not offered before an admin has chosen so, and stay as they are', async () => {
  const before = await app.request<McpOffers>('GET', '/api/mcp/offers');
  const { agents, tasks, tools } = before.body;
  const ids = { agents: agents.map(({ id }) => id), tasks: tasks.map(({ id }) => id), tools };
  const client = await connect();
  const [first] = (await client.listResources()).resources;
  expect((await put({ ...ids, knowledge: false })).knowledge).toBe(false);
  expect((await client.listResources()).resources).toEqual([]);
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
  await expect(client.readResource({ uri: first?.uri ?? '' })).rejects.toThrow();
  await expect(client.callTool({ name: 'search_documents', arguments: { query: 'x' } })).rejects.toThrow(
    'Unknown tool',
  );
  await put({ ...ids, knowledge: true });
  expect((await put(ids)).knowledge).toBe(true);
});

verifies('mcp.prompts', 'are agents with variables, and never what their own prompts say', async () => {
  for (const isLegacy of [false, true]) {
    const client = await connect(app.member.apiKey, isLegacy);
    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([
      {
        name: 'ask_travel_planner',
        arguments: [
          { name: 'message', required: true },
          { name: 'home', required: true },
          { name: 'tone', description: 'How it speaks.', required: false },
        ],
      },
    ]);
    const given = { message: 'Where to?', home: 'Rome' };
    const { messages } = await client.getPrompt({ name: 'ask_travel_planner', arguments: given });
    expect(JSON.stringify(messages)).toContain('ask_travel_planner');
    expect(JSON.stringify([prompts, messages])).not.toContain('secret');
    const get = (name: string, args: Record<string, string>) => client.getPrompt({ name, arguments: args });
    await expect(get('ask_travel_planner', { message: 'Hi' })).rejects.toThrow('home is required');
    await expect(get('ask_travel_planner', { ...given, other: '1' })).rejects.toThrow('no argument other');
    await expect(get('ask_nobody', {})).rejects.toThrow('Unknown prompt');
  }
  const scoped = await connect((await keyWith('use')).key);
  expect((await scoped.listPrompts()).prompts).toEqual([]);
});

verifies('mcp.progress', 'tells clients that wait that the call goes on', async () => {
  for (const isLegacy of [false, true]) {
    const client = await connect(app.admin.apiKey, isLegacy);
    const seen: number[] = [];
    const call = {
      name: 'ask_travel_planner',
      arguments: { message: '/think 3000', variables: { home: 'Rome' } },
    };
    const answer = await client.callTool(call, { onprogress: ({ progress }) => seen.push(progress) });
    expect(answer.structuredContent).toMatchObject({ status: 'completed' });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  }
});

verifies('mcp.lists', 'are private to the caller', async () => {
  const peer = new McpPeer({ url: `${app.url}${path}`, apiKey: app.admin.apiKey });
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
    expect(await peer.request(method)).toMatchObject({ cacheScope: 'private', ttlMs: 0 });
  const { resources } = await peer.request<{ resources: { uri: string }[] }>('resources/list');
  const read = await peer.request('resources/read', { uri: resources[0]?.uri });
  expect(read).toMatchObject({ cacheScope: 'private', ttlMs: 0 });
});

verifies(
  'mcp.calls',
  'serve another client than the official one, also with a question in the middle',
  async () => {
    const headers = { Authorization: `Bearer ${app.admin.apiKey}` };
    const client = await createMCPClient({ transport: { type: 'http', url: `${app.url}${path}`, headers } });
    const tools = await client.tools();
    const execute = async (name: string, input: object) => {
      const tool = tools[name];
      if (tool === undefined) throw new Error(`${name} is not offered`);
      return (await tool.execute(input, { messages: [], toolCallId: '1' } as never)) as CallToolResult;
    };
    expect((await execute('Shop__find', {})).structuredContent).toEqual({ id: 'o_1' });
    expect((await execute('run_sum', { a: 1, b: 2 })).structuredContent).toMatchObject({
      output: { sum: 3 },
    });
    const message = '/ask Which color? | red | blue\nThank you';
    const asked = await execute('ask_travel_planner', { message, variables: { home: 'Rome' } });
    const { handle, question } = asked.structuredContent as { handle: string; question: string };
    const answer = await execute('get_result', { handle, question, values: { choice: 'blue' } });
    expect(textIn(answer)).toContain('blue');
    await client.close();
  },
);

describe('the endpoint of an MCP server', () => {
  const post = (raw: string, headers: Record<string, string> = {}) =>
    app.request<{ message?: string; error?: { code: number; message: string } }>('POST', path, {
      raw,
      headers: { Accept: 'application/json, text/event-stream', ...headers },
    });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  verifies('mcp.bounds', 'refuses what is too much, and what it does not know', async () => {
    const batch = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...list, id })));
    expect((await post(batch(10_000))).status).toBe(400);
    expect((await post(batch(16))).status).toBe(200);
    expect((await post('[]')).status).toBe(400);
    expect((await post('"text"')).status).toBe(400);
    expect((await post(JSON.stringify({ ...list, params: { a: 'x'.repeat(11_000_000) } }))).status).toBe(413);
    expect((await post(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).status).toBe(400);
    expect((await post(JSON.stringify(list), { 'X-Long': 'x'.repeat(20_000) })).status).toBe(431);
    expect((await post(JSON.stringify({ ...list, method: 'tools/steal' }))).text).toContain('-32601');
    expect((await post(JSON.stringify(list), { 'Mcp-Protocol-Version': '1999-01-01' })).status).toBe(400);

    const peer = new McpPeer({ url: `${app.url}${path}`, apiKey: app.admin.apiKey });
    for (const method of ['sampling/createMessage', 'roots/list', 'tools/steal', '__proto__'])
      expect((await peer.send(method)).error?.code).toBe(-32601);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2030-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const future = await peer.post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
    expect(future).toMatchObject({ status: 400, error: { code: expect.any(Number) } });
    const names = (await peer.request<{ tools: { name: string }[] }>('tools/list')).tools;
    expect(names.every(({ name }) => name.length <= 64)).toBe(true);
  });

  verifies('mcp.bounds', 'refuses the pages of others', async () => {
    const from = (origin: string) => post(JSON.stringify(list), { Origin: origin });
    expect((await from('http://evil.example')).status).toBe(403);
    expect((await from('null')).status).toBe(403);
    expect((await from(app.url)).status).toBe(200);
  });

  verifies('mcp.bounds', 'ends the calls of a credential that is revoked', async () => {
    const { id, key } = await keyWith('invoke');
    const peer = new McpPeer({
      url: `${app.url}${path}`,
      apiKey: key,
      capabilities: {},
    });
    const input = { message: '/think 600000', variables: { home: 'Rome' } };
    const ended = peer.call('ask_travel_planner', input).then(
      () => 'answered',
      () => 'cut off',
    );
    const running = () => app.sql(`select 1 from turn where status = 'RUNNING'`);
    await eventually(async () => expect(await running()).toHaveLength(1));
    expect((await app.request('DELETE', `/api/api-keys/${id}`)).status).toBe(204);
    expect(await ended).toBe('cut off');
    // The turn is not the call: it goes on.
    expect(await running()).toHaveLength(1);
    const [turn] = await app.sql<{ agentId: string; turnId: string; name: string }>(
      `select t.agent_id as "agentId", t.client_turn_id as "turnId", s.name from turn t
       join session s on s.id = t.session_id where t.status = 'RUNNING'`,
    );
    const body = { turnId: turn?.turnId, session_id: turn?.name };
    await app.request('POST', `/api/agents/${turn?.agentId}/chat/cancel`, { body });
  });
});
