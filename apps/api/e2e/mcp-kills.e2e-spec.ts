import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { Agent, McpOffers, Task } from '@platform/contracts';
import { LIMIT_MS, scaled } from './faults/scale.ts';
import { ToolServer } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { McpPeer, type DetailedTask } from './harness/mcp-peer.ts';
import { ServiceProcess } from './harness/process.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

jest.setTimeout(LIMIT_MS);

/** Of processes, each amid the calls of all clients. */
const KILLS = scaled('MCP_KILLS', { quick: 1, slow: 5, faults: 50 });
/** Of clients, amid a request. */
const LEAVES = scaled('MCP_LEAVES', { quick: 40, slow: 1_000, faults: 5_000 });
const CLIENTS = 6;
/** What an agent buys in a call before it asks, and how long it thinks about each: a minute in the largest form. */
const PURCHASES = scaled('MCP_PURCHASES', { quick: 1, slow: 1, faults: 20 });
const THINK_MS = scaled('MCP_THINK_MS', { quick: 0, slow: 0, faults: 3_000 });
/** Between two looks at a task. */
const POLL_MS = 50;
/** Those that should die by themselves live on if the calls take long. */
const MOST_KEPT = 3;
/** A process that gets no processor time for half of it loses its turns and runs. */
const LEASE_MS = 4_000;
/** A client that leaves does so within this time. */
const LEAVES_WITHIN_MS = 150;
const PLACES = ['turns.claim', 'turns.run', 'turns.close', 'runs.claimed', 'runs.step-waits', 'runs.ended'];

const random = seededRandom();
let app: TestApp;
let server: ToolServer;
let agent: Agent;
let task: Task;
let path: string;
const members: ServiceProcess[] = [];
/** What the effects of each call were, by its key. */
const effects = new Map<string, number>();

beforeAll(async () => {
  server = await ToolServer.start();
  server.respond((response, { url }) => {
    const key = new URL(url, 'http://x').searchParams.get('key') ?? '';
    effects.set(key, (effects.get(key) ?? 0) + 1);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ key }));
  });
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api', PLATFORM_ALLOWED_PRIVATE_HOSTS: '127.0.0.1' } });
  const platform = app.client();
  const tool = await platform.tools.create({
    name: 'Shop',
    serverUrl: server.url,
    methods: [
      {
        name: 'buy',
        httpMethod: 'post',
        path: '/buy',
        inputSchema: {
          type: 'object',
          properties: { key: { type: 'string', isPort: true } },
          required: ['key'],
        },
        bindings: [{ port: 'key', in: 'query', name: 'key' }],
      },
    ],
  });
  agent = await platform.agents.create({
    name: 'Buyer',
    model: 'platform/offline',
    systemPrompt: 'You buy.',
    tools: [{ toolId: tool.id, methods: null }],
  });
  const ask = {
    id: 'ask',
    kind: 'ask',
    message: 'Which?',
    to: 'owner',
    fields: [{ key: 'choice', label: 'Choice', type: 'choice', choices: ['blue', 'red'], required: true }],
  };
  const source = 'return { key: context.execution.inputs.key };';
  const steps = [ask, { id: 'end', kind: 'code', source }];
  const body = { name: 'Order', type: 'MANUAL', retry: { onInterrupted: true }, workflow: { steps } };
  const created = await app.request<Task>('POST', '/api/tasks', { body });
  expect(created.status).toBe(201);
  task = created.body;
  const offers = { agents: [agent.id], tasks: [task.id], tools: [] };
  const { body: offered } = await app.request<McpOffers>('PUT', '/api/mcp/offers', { body: offers });
  path = new URL(offered.url).pathname;
});
afterAll(async () => {
  await Promise.all(members.map((member) => member.kill()));
  await app.close();
  await server.stop();
});

async function addProcess(failpoints = ''): Promise<ServiceProcess> {
  const member = await ServiceProcess.spawn({
    DATABASE_URL: app.databaseUrl,
    PLATFORM_SECRET_KEY: app.secretKey,
    PLATFORM_DATA_DIR: app.dataDir,
    PLATFORM_STREAM_LEASE_MS: String(LEASE_MS),
    PLATFORM_RUN_LEASE_MS: String(LEASE_MS),
    PLATFORM_FAILPOINTS: failpoints,
  });
  members.push(member);
  // One that dies as it starts has done so.
  return member.ready().catch(() => member);
}

/** Calls until a request has its response; some leave before. Every request goes to any process. */
class RestlessClient {
  left = 0;

  constructor(private readonly leaves: () => boolean) {}

  async send<Result>(method: string, params: Record<string, unknown>): Promise<Result> {
    for (;;) {
      const running = members.filter(({ hasEnded }) => !hasEnded);
      const member = running[random(running.length)];
      const peer = new McpPeer({ url: `${member?.url}${path}`, apiKey: app.admin.apiKey });
      const leaves = this.leaves();
      const signal = leaves ? AbortSignal.timeout(random(LEAVES_WITHIN_MS)) : AbortSignal.timeout(60_000);
      const response = await peer.send<Result>(method, params, signal).catch(() => null);
      if (response === null && !leaves) await delay(POLL_MS);
      if (response === null && leaves) this.left += 1;
      if (response?.result !== undefined) return response.result;
      // The service, or its database, is just not there; what the call is about is right.
      if (response?.error !== undefined && response.error.code !== -32603)
        throw new Error(response.error.message);
    }
  }

  /** Calls a tool with a key, answers its question, and follows it to its end. */
  async work(name: string, input: object, key: string): Promise<DetailedTask> {
    const call = () =>
      this.send<DetailedTask>('tools/call', { name, arguments: input, _meta: { idempotencyKey: key } });
    const { taskId } = await call();
    for (;;) {
      const found = await this.send<DetailedTask>('tasks/get', { taskId });
      if (found.status === 'input_required') {
        const [question = ''] = Object.keys(found.inputRequests ?? {});
        const inputResponses = { [question]: { action: 'accept', content: { choice: 'blue' } } };
        await this.send('tasks/update', { taskId, inputResponses });
        await this.send('tasks/update', { taskId, inputResponses });
      } else if (found.status === 'working') {
        await delay(POLL_MS);
      } else {
        expect((await call()).taskId).toBe(taskId);
        return found;
      }
    }
  }
}

verifies('mcp.kills', 'loses no call, executes none twice, and answers all the same', async () => {
  await addProcess();
  let left = 0;
  let kills = 0;
  const isOver = () => left >= LEAVES && kills >= KILLS;
  const answers = new Map<string, DetailedTask>();
  const begun: string[] = [];

  const serve = async (n: number) => {
    for (let i = 0; i === 0 || !isOver(); i += 1) {
      const key = `${n}-${i}`;
      begun.push(key);
      const client = new RestlessClient(() => random(2) === 0);
      const isRun = (n + i) % 2 === 0;
      const purchases = Array.from(
        { length: PURCHASES },
        (_, item) => `/think ${THINK_MS}\n/call Shop.buy {"key":"${key}.${item}"}`,
      );
      const message = [...purchases, '/think 50\n/ask Which? | blue | red', `Bought ${key}`].join('\n\n');
      const answer = isRun
        ? await client.work('run_order', { key }, key)
        : await client.work('ask_buyer', { message }, key);
      answers.set(key, answer);
      left += client.left;
    }
  };
  const kill = async () => {
    for (let round = 0; kills < KILLS; round += 1) {
      // Another process takes the place of the oldest first, and one more may die where it hurts.
      const running = members.filter(({ hasEnded }) => !hasEnded);
      const victims = running.slice(0, Math.max(1, running.length - MOST_KEPT));
      const place = PLACES[random(PLACES.length)] ?? '';
      await Promise.all([addProcess(), round % 2 === 1 && addProcess(`${place}:kill@${1 + random(3)}`)]);
      await Promise.all(victims.map((victim) => victim.kill()));
      kills += victims.length;
    }
  };
  await Promise.all([kill(), ...Array.from({ length: CLIENTS }, (_, n) => serve(n))]);

  expect([...answers.keys()].sort()).toEqual(begun.sort());
  const failed = [...answers].filter(
    ([, { status, result }]) => status !== 'completed' || result?.isError !== false,
  );
  expect(failed).toEqual([]);
  const last = new RestlessClient(() => false);
  for (const { taskId, result } of answers.values())
    expect((await last.send<DetailedTask>('tasks/get', { taskId })).result).toEqual(result);
  const repeated = [...effects].filter(([, count]) => count > 1);
  expect(repeated).toEqual([]);
  const [counts] = await app.sql<{ turns: number; runs: number; asked: number }>(
    `select (select count(*)::int from turn) as turns, (select count(*)::int from run) as runs,
       (select count(*)::int from interaction where status = 'ANSWERED') as asked`,
  );
  const turns = [...answers.values()].filter(({ taskId }) => taskId.startsWith('turn:')).length;
  expect(counts).toEqual({ turns, runs: answers.size - turns, asked: turns });
  console.info(`${answers.size} calls, ${kills} kills of processes, ${left} clients that left`);
});
