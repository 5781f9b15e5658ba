import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, McpOffers, Task, Trace, Turn } from '@platform/contracts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { McpPeer, type DetailedTask } from './harness/mcp-peer.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
/** Another process. */
let other: TestApp;
let server: ToolServer;
let agent: Agent;
let sum: Task;
let peer: McpPeer;
let elsewhere: McpPeer;

const COLOR = '/ask Which color? | red | blue';
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

beforeAll(async () => {
  server = await ToolServer.start();
  server.respond(sendJson({ id: 'o_1' }));
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` } });
  other = await TestApp.start({ database: app });
  const platform = app.client();
  agent = await platform.agents.create({ name: 'Planner', model: 'platform/offline', systemPrompt: 'Plan.' });
  const tool = await platform.tools.create({
    name: 'Shop',
    serverUrl: server.url,
    methods: [{ name: 'find', httpMethod: 'get', path: '/orders', inputSchema: { type: 'object' } }],
  });
  const source = 'const { a, b } = context.execution.inputs; return { sum: a + b };';
  const wait = [{ id: 'wait', kind: 'wait', for: 'PT1H' }];
  const ask = {
    id: 'approve',
    kind: 'ask',
    message: 'Pay?',
    to: 'owner',
    approval: true,
    fields: [{ key: 'amount', label: 'Amount', type: 'number' }],
  };
  const tasks = await Promise.all([
    createTask('Sum', [{ id: 'sum', kind: 'code', source }]),
    createTask('Payment', [ask]),
    createTask('Nightly report', wait),
    createTask('Slow', wait),
  ]);
  sum = tasks[0];
  const body = {
    agents: [agent.id],
    tasks: tasks.map(({ id }) => id),
    tools: [{ toolId: tool.id, methods: null }],
  };
  const { url } = await call<McpOffers>('PUT', '/api/mcp/offers', { body });
  const { pathname } = new URL(url);
  const { apiKey } = app.admin;
  peer = new McpPeer({ url: `${app.url}${pathname}`, apiKey });
  elsewhere = new McpPeer({ url: `${other.url}${pathname}`, apiKey });
});
afterAll(async () => {
  await other.close();
  await app.close();
  await server.stop();
});

function createTask(name: string, steps: unknown[]): Promise<Task> {
  return call<Task>('POST', '/api/tasks', { body: { name, type: 'MANUAL', workflow: { steps } } });
}

async function call<Body>(method: string, path: string, init: object = {}): Promise<Body> {
  const { status, body, text } = await app.request<Body>(method, path, init);
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body;
}

const textOf = ({ result }: DetailedTask) =>
  (result?.content ?? []).map((part) => (part.type === 'text' ? part.text : part.type)).join('');

/** Follows a task until it has a status. */
const until = (taskId: string, status: DetailedTask['status'], by = elsewhere) =>
  eventually(async () => {
    const task = await by.get(taskId);
    expect(task.status).toBe(status);
    return task;
  });

const turnOf = (taskId: string) => taskId.split(':')[2];

const originsOf = async (taskId: string) =>
  (await call<Turn>('GET', `/api/agents/${agent.id}/turns/${turnOf(taskId)}`)).segments.map(
    ({ origin }) => origin,
  );

const INTERRUPTED = { code: 'INTERRUPTED', message: 'Its process ended', retryable: true };

/** As if the process of a turn had ended. */
const interrupt = (taskId: string) =>
  app.sql(
    `update turn set status = 'FAILED', error = $2, error_code = 'INTERRUPTED'
     where client_turn_id = $1`,
    [turnOf(taskId), JSON.stringify(INTERRUPTED)],
  );

verifies(
  'mcp.tasks',
  'lets the official client of the extension use an agent, a method, and a task',
  async () => {
    const asked: unknown[] = [];
    const { session, client } = await peer.openSession((request) => {
      asked.push(request.params);
      return Promise.resolve({ action: 'accept', content: { choice: 'blue' } } as never);
    });
    const answers: Record<string, unknown> = {};
    for (const [name, input] of [
      ['ask_planner', { message: `${COLOR}\nThank you` }],
      ['Shop__find', {}],
      ['run_sum', { a: 1, b: 2 }],
    ] as const) {
      const execution = await session.callTool(name, input);
      const { outcome } = await execution.settle();
      if (outcome.status !== 'completed') throw new Error(`${name} is ${outcome.status}`);
      answers[`${execution.kind} ${name}`] = outcome.result.structuredContent;
    }
    expect(asked).toMatchObject([{ message: 'Which color?', mode: 'form' }]);
    expect(answers).toMatchObject({
      'task ask_planner': { answer: expect.stringContaining('blue'), status: 'completed' },
      'immediate Shop__find': { id: 'o_1' },
      'task run_sum': { status: 'SUCCEEDED', output: { sum: 3 } },
    });
    await session.close();
    await client.close();
  },
);

verifies('mcp.tasks', 'are turns and runs, which any process reads and cancels', async () => {
  const discovered = await peer.request<{ capabilities: object }>('server/discover');
  expect(discovered.capabilities).toMatchObject({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
  const begun = await peer.call('ask_planner', { message: '/think 600000' });
  expect(begun).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 500 });
  // It is stored before its handle is returned.
  const [, agentId = '', turnId = ''] = begun.taskId.split(':');
  expect(agentId).toBe(agent.id);
  expect(await elsewhere.get(begun.taskId)).toMatchObject({ resultType: 'complete', status: 'working' });
  const waiting = await peer.call('run_slow', {});
  for (const { taskId } of [begun, waiting]) {
    expect(await elsewhere.request('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' });
    await until(taskId, 'cancelled', peer);
    expect(await elsewhere.request('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' });
  }
  expect((await call<Turn>('GET', `/api/agents/${agentId}/turns/${turnId}`)).status).toBe('CANCELLED');

  // What fails is a result: the protocol has worked.
  const failing = await peer.call('ask_planner', { message: '/fail' });
  const failed = await until(failing.taskId, 'completed');
  expect(failed.result?.isError).toBe(true);
  expect(textOf(failed)).not.toBe('');
});

verifies('mcp.tasks', 'say for how long they are kept', async () => {
  const days = ({ ttlMs }: DetailedTask) => (ttlMs ?? NaN) / 86_400_000;
  const { taskId } = await peer.call('ask_planner', { message: COLOR });
  expect(days(await until(taskId, 'input_required'))).toBeCloseTo(7, 1);
  const expire = () =>
    app.sql(
      `update session set expires_at = clock_timestamp() - interval '1 minute'
       where id = (select session_id from turn where client_turn_id = $1)`,
      [turnOf(taskId)],
    );
  // The person answers on the ninth day.
  await app.sql(
    `update turn set created_at = created_at - interval '9 days', started_at = started_at - interval '9 days',
       finished_at = finished_at - interval '9 days' where client_turn_id = $1`,
    [turnOf(taskId)],
  );
  await expire();
  await app.sweep();
  const asking = await peer.get(taskId);
  expect(days(asking)).toBeCloseTo(16, 1);
  const [question = ''] = Object.keys(asking.inputRequests ?? {});
  const answer = { [question]: { action: 'accept', content: { choice: 'blue' } } };
  await peer.request('tasks/update', { taskId, inputResponses: answer });
  await until(taskId, 'completed');
  await expire();
  await app.sweep();
  const completed = await peer.get(taskId);
  expect(days(completed)).toBeCloseTo(16, 1);
  expect(textOf(completed)).toContain('blue');
  await app.sql(`update turn set finished_at = finished_at - interval '7 days' where client_turn_id = $1`, [
    turnOf(taskId),
  ]);
  await expire();
  await app.sweep();
  expect((await peer.send('tasks/get', { taskId })).error?.code).toBe(-32602);

  // A conversation and a run are kept as long as others.
  const kept = await peer.call('ask_planner', { message: 'Hello', session: 'kept' });
  expect([kept.ttlMs, (await peer.call('run_slow', {})).ttlMs]).toEqual([null, null]);
});

verifies('mcp.tasks', 'are for clients that declare them, and for the person whose they are', async () => {
  const { taskId } = await peer.call('ask_planner', { message: 'Hello' });
  const { url } = await call<McpOffers>('GET', '/api/mcp/offers');
  const at = `${app.url}${new URL(url).pathname}`;
  const stranger = new McpPeer({ url: at, apiKey: app.member.apiKey });
  const plain = new McpPeer({ url: at, apiKey: app.admin.apiKey, capabilities: {} });
  for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
    const params = { taskId, inputResponses: {} };
    expect((await stranger.send(method, params)).error?.code).toBe(-32602);
    expect((await peer.send(method, { ...params, taskId: 'turn:1' })).error?.code).toBe(-32602);
    expect((await peer.send(method, { inputResponses: {} })).error?.code).toBe(-32602);
    expect((await plain.send(method, params)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
  }
  // Without the extension, the call waits for its result.
  expect(await plain.call('ask_planner', { message: 'Hello' })).toMatchObject({
    resultType: 'complete',
    structuredContent: { status: 'completed' },
  });
  // A client that only opens addresses has no forms.
  const opening = new McpPeer({
    url: at,
    apiKey: app.admin.apiKey,
    capabilities: { elicitation: { url: {} } },
  });
  expect(await opening.call('ask_planner', { message: COLOR })).toMatchObject({
    resultType: 'complete',
    structuredContent: { status: 'asking' },
  });
  // The revisions before know other tasks.
  const legacy = await app.request<{ error: { code: number } }>('POST', new URL(url).pathname, {
    body: { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId } },
    headers: { Accept: 'application/json, text/event-stream' },
  });
  expect(legacy.text).toContain('-32601');
});

verifies('mcp.tasks', 'ask the person once, and take one answer, however often it is sent', async () => {
  const { taskId } = await peer.call('ask_planner', { message: `${COLOR}\nThank you` });
  const { inputRequests = {} } = await until(taskId, 'input_required');
  const [question = '', asked] = Object.entries(inputRequests)[0] ?? [];
  expect(asked).toMatchObject({ method: 'elicitation/create', params: { message: 'Which color?' } });
  const update = (by: McpPeer, action: string, choice?: string, key = question) =>
    by.send('tasks/update', {
      taskId,
      inputResponses: { [key]: { action, ...(choice && { content: { choice } }) } },
    });
  // What fits no question is ignored; what is no answer to it is refused.
  expect((await update(peer, 'decline', undefined, agent.id)).error).toBeUndefined();
  expect((await update(peer, 'accept', 'green')).error?.code).toBe(-32602);
  expect(await peer.get(taskId)).toMatchObject({ status: 'input_required' });
  const peers = [peer, elsewhere, peer, elsewhere, peer];
  const acknowledged = await Promise.all(peers.map((by) => update(by, 'accept', 'blue')));
  expect(acknowledged.map(({ error }) => error)).toEqual(peers.map(() => undefined));
  expect((await update(peer, 'accept', 'red')).error).toBeUndefined();
  expect((await update(peer, 'decline')).error).toBeUndefined();
  const done = await until(taskId, 'completed');
  expect(textOf(done)).toContain('blue');
  const { segments } = await call<Turn>('GET', `/api/agents/${agent.id}/turns/${turnOf(taskId)}`);
  expect(segments.map(({ origin }) => origin)).toEqual(['start', 'resume']);

  const payment = await peer.call('run_payment', {});
  const open = await until(payment.taskId, 'input_required');
  const [id = ''] = Object.keys(open.inputRequests ?? {});
  const content = { approved: true, amount: 5 };
  const approve = () =>
    elsewhere.send('tasks/update', {
      taskId: payment.taskId,
      inputResponses: { [id]: { action: 'accept', content } },
    });
  const approvals = await Promise.all([approve(), approve(), approve()]);
  expect(approvals.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  const paid = await until(payment.taskId, 'completed');
  expect(paid.result?.structuredContent).toMatchObject({
    status: 'SUCCEEDED',
    output: { approved: true, values: { amount: 5 } },
  });
});

verifies('mcp.tasks', 'go on if their process has ended, unless they are canceled', async () => {
  const { taskId } = await peer.call('ask_planner', { message: 'Hello' });
  await until(taskId, 'completed');
  await interrupt(taskId);
  // Several look at once: it runs again once.
  await Promise.all([peer, elsewhere, peer].map((by) => by.get(taskId)));
  expect((await until(taskId, 'completed')).result?.isError).toBe(false);
  expect(await originsOf(taskId)).toEqual(['start', 'rerun']);
  await interrupt(taskId);
  await peer.request('tasks/cancel', { taskId });
  expect((await elsewhere.get(taskId)).status).toBe('cancelled');
  expect(await originsOf(taskId)).toEqual(['start', 'rerun']);
});

verifies('mcp.tasks', 'end as failed if they end their process each time', async () => {
  const untilFailed = async (also: (taskId: string) => Promise<unknown>) => {
    const { taskId } = await peer.call('ask_planner', { message: 'Hello' });
    let done = await until(taskId, 'completed');
    while (done.result?.isError === false) {
      await interrupt(taskId);
      await also(taskId);
      done = await until(taskId, 'completed');
    }
    expect(textOf(done)).toBe(INTERRUPTED.message);
    return originsOf(taskId);
  };
  const [further, nowhere] = await Promise.all([
    untilFailed(() => Promise.resolve()),
    // What the model has said so far gets it no further.
    untilFailed((taskId) =>
      app.sql(
        `update turn_step set kind = 'partial' where kind = 'model'
         and turn_id = (select id from turn where client_turn_id = $1)`,
        [turnOf(taskId)],
      ),
    ),
  ]);
  expect(nowhere).toEqual(['start', ...Array.from({ length: 20 }, () => 'rerun')]);
  expect(further).toHaveLength(25);
});

verifies('mcp.keys', 'start one turn or run, however often and wherever a call is repeated', async () => {
  const meta = { idempotencyKey: 'once', traceparent: TRACEPARENT };
  const repeat = (name: string, input: object) =>
    Promise.all([peer, elsewhere, peer, elsewhere].map((by) => by.call(name, { ...input }, meta)));
  for (const [name, input] of [
    ['run_sum', { a: 1, b: 2 }],
    ['ask_planner', { message: 'Hello' }],
  ] as const) {
    const [first, ...others] = await repeat(name, input);
    expect(new Set(others.map(({ taskId }) => taskId))).toEqual(new Set([first?.taskId]));
    await until(first?.taskId ?? '', 'completed');
    // Long after its end as well.
    const [late] = await repeat(name, input);
    expect(late).toMatchObject({ taskId: first?.taskId, status: 'completed' });
  }
  const runs = await app.sql('select 1 from run where task_id = $1 and inputs::text like $2', [
    sum.id,
    '%2%',
  ]);
  const keys = await app.sql('select 1 from run_start_key where task_id = $1', [sum.id]);
  expect(keys).toHaveLength(1);
  expect(runs.length).toBeLessThanOrEqual(2);
  const changed = await peer.call('run_sum', { a: 2, b: 2 }, meta);
  expect([changed.isError, JSON.stringify(changed.content)]).toEqual([
    true,
    expect.stringContaining('other inputs'),
  ]);

  const turn = await peer.call('ask_planner', { message: 'Hello' }, meta);
  const path = `/api/agents/${agent.id}/turns/${turn.taskId.split(':')[2]}/trace`;
  expect((await call<Trace>('GET', path)).traceparent).toBe(TRACEPARENT);
  const unknown = await peer.call('ask_planner', { message: 'Hello' }, { traceparent: '00-zz' });
  const plain = `/api/agents/${agent.id}/turns/${unknown.taskId.split(':')[2]}/trace`;
  expect((await call<Trace>('GET', plain)).traceparent).toBeNull();
});

verifies('mcp.tasks', 'are what the documentation shows', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8');
  const blocks = [...text.matchAll(/```json\n(.+?)```/gs)].map(([, json = '']) => json);
  const shown = (key: string) => {
    const block = blocks.find((json) => json.includes(`"${key}"`));
    return JSON.parse(block ?? 'null') as Record<string, unknown>;
  };
  // The call with a key, and the task that it returns.
  const begun = await peer.request<Record<string, unknown>>('tools/call', shown('idempotencyKey'));
  const { taskId, ...task } = shown('taskId');
  expect(begun).toMatchObject(task);
  expect(String(begun.taskId)).toMatch(/^run:/);
  expect(String(taskId)).toBe('run:…');
  // The answer of a client without forms.
  const plain = new McpPeer({ ...peer.options, capabilities: {} });
  const { structuredContent: asked } = await plain.call('ask_planner', { message: `${COLOR}\nThank you` });
  const answer = { ...shown('values'), ...(asked as { handle: string; question: string }) };
  expect(JSON.stringify(await plain.call('get_result', answer))).toContain('blue');
  // The configuration of a client, and the offers.
  const { mcpServers } = shown('mcpServers') as { mcpServers: { platform: { url: string } } };
  expect(mcpServers.platform.url).toMatch(/^https:\/\/[a-z.]+\/mcp\/<spaceId>$/);
  const [, offers = '{}'] = /-d '(\{.+?\})'/.exec(text) ?? [];
  const { agents, tools, tasks } = await call<McpOffers>('GET', '/api/mcp/offers');
  const ids: Record<string, string> = {
    '<agentId>': agents[0]?.id ?? '',
    '<taskId>': tasks[0]?.id ?? '',
    '<toolId>': tools[0]?.toolId ?? '',
    listOrders: 'find',
  };
  const body: unknown = JSON.parse(offers.replace(/<\w+>|listOrders/g, (name) => ids[name] ?? name));
  expect(await call<McpOffers>('PUT', '/api/mcp/offers', { body })).toMatchObject({ knowledge: true });
});
