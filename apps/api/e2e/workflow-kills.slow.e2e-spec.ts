import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, QuestionListing, Step, Task, Tool } from '@platform/contracts';
import { LIMIT_MS, scaled } from './faults/scale.ts';
import { ToolServer, sendJson } from './fixtures/tool-server.ts';
import { AgentCalls } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { installApplication, shopManifest } from './harness/applications.ts';
import { eventually } from './harness/eventually.ts';
import { ServiceProcess } from './harness/process.ts';
import { seededRandom } from './harness/random.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

const KILLS = scaled('WORKFLOW_KILLS', { slow: 1, faults: 100 });
/** Between the statements of a run, of its waits, and of the turn of an agent. */
const PLACES = [
  'runs.claimed',
  'runs.step-started',
  'runs.step-waits',
  'runs.suspended',
  'runs.ended',
  'runs.waits-ending',
  'runs.waits-ended',
  'turns.claim',
  'turns.run',
  'turns.close',
];
/** A run of a process that died goes on after one and a half of it. */
const LEASE_MS = 5_000;
const DIES_MS = 120_000;
const random = seededRandom();

let app: TestApp;
let server: ToolServer;
let runs: RunCalls;
let task: Task;
let child: Task;

beforeAll(async () => {
  server = await ToolServer.start();
  server.respond(sendJson({ ok: true }));
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  runs = new RunCalls(app);
  await installApplication(app, shopManifest({ tasks: [], subscriptions: [] }));
  const agent = await AgentCalls.make(app);
  const tool = await runs.request<Tool>('POST', '/tools', {
    body: {
      name: 'bank',
      serverUrl: server.url,
      idempotency: { header: 'Idempotency-Key', isHonored: true },
      methods: [
        {
          name: 'pay',
          httpMethod: 'post',
          path: '/pay',
          inputSchema: { type: 'object', properties: {} },
        },
      ],
    },
  });
  const pay = (id: string): Step => ({ id, kind: 'tool', toolId: tool.body.id, method: 'pay', input: {} });
  const again = { retry: { attempts: 10, backoffMs: 0, onInterrupted: true } };
  child = await runs.createTask([pay('part')], { name: 'Part', ...again });
  const steps: Step[] = [
    pay('charge'),
    {
      id: 'code',
      kind: 'code',
      source: `return (await platform.tools.invoke('${tool.body.id}', 'pay', {})).status`,
    },
    {
      id: 'row',
      kind: 'data',
      applicationIdentifier: 'shop',
      table: 'orders',
      operation: 'insert',
      values: { total: 1 },
    },
    { id: 'told', kind: 'emit', applicationIdentifier: 'shop', event: 'order.shipped', payload: {} },
    { id: 'decide', kind: 'branch', branches: [{ when: 'true', steps: [pay('large')] }] },
    {
      id: 'items',
      kind: 'each',
      items: '{{inputs.items}}',
      concurrency: 2,
      steps: [pay('item'), { id: 'pause', kind: 'wait', for: 'PT0.01S' }, pay('after')],
    },
    { id: 'later', kind: 'wait', for: 'PT0.05S' },
    { id: 'approval', kind: 'ask', message: 'Go on?', to: 'owner', approval: true },
    { id: 'agent', kind: 'agent', agentId: agent.agentId, inputs: { query: 'Hello' } },
    { id: 'part', kind: 'task', taskId: child.id, inputs: {} },
    pay('end'),
  ];
  task = await runs.createTask(steps, { ...again, concurrency: 20 });
}, LIMIT_MS);

afterAll(async () => {
  await app.close();
  await server.stop();
});

const EXPECTED = [
  'charge',
  'code',
  'decide.large',
  'end',
  'items[0].after',
  'items[0].item',
  'items[1].after',
  'items[1].item',
];

const spawnWorker = (failpoints?: string) =>
  ServiceProcess.spawn({
    DATABASE_URL: app.databaseUrl,
    PLATFORM_SECRET_KEY: app.secretKey,
    PLATFORM_DATA_DIR: app.dataDir,
    PLATFORM_ROLE: 'worker',
    PLATFORM_RUN_LEASE_MS: String(LEASE_MS),
    PLATFORM_STREAM_LEASE_MS: String(LEASE_MS),
    ...(failpoints !== undefined && { PLATFORM_FAILPOINTS: failpoints }),
  });

/** Approves what is asked, twice each, until it is stopped. */
function approve(): { stop: () => Promise<void> } {
  const stopped = new AbortController();
  const loop = async () => {
    while (!stopped.signal.aborted) {
      const { body } = await runs.request<Page<QuestionListing>>('GET', '/inbox');
      const answers = body.items.flatMap(({ id }) => [id, id]);
      const statuses = await Promise.all(
        answers.map((id) => runs.request('POST', `/inbox/${id}/answer`, { body: { approved: true } })),
      );
      expect(statuses.filter(({ status }) => status >= 500)).toEqual([]);
      await sleep(50);
    }
  };
  const ended = loop();
  return {
    stop: () => {
      stopped.abort();
      return ended;
    },
  };
}

interface Execution {
  runId: string;
  scope: string;
  count: number;
}

/** Requests by run and scope. */
function requests(): Map<string, { keys: Set<string>; count: number }> {
  const found = new Map<string, { keys: Set<string>; count: number }>();
  for (const { headers } of server.received) {
    const key = String(headers['idempotency-key']);
    const [runId = '', scope = ''] = key.split(':');
    const entry = found.get(`${runId}:${scope}`) ?? { keys: new Set(), count: 0 };
    entry.keys.add(key);
    entry.count += 1;
    found.set(`${runId}:${scope}`, entry);
  }
  return found;
}

const count = async (sql: string) => (await app.sql<{ n: number }>(sql))[0]?.n;

verifies(
  'workflow.resume',
  'wherever a process dies, workflows of all kinds end with one effect for each step',
  async () => {
    const approving = approve();
    const places = PLACES.flatMap((name) => Array.from({ length: KILLS }, () => name));
    const started: { id: string }[] = [];
    const died = new Map<string, number>();
    const killNext = async () => {
      for (let name = places.shift(); name !== undefined; name = places.shift()) {
        const member = await spawnWorker(`${name}:kill@${1 + random(4)}`);
        const deadline = performance.now() + DIES_MS;
        const death = member.exit();
        // It may die as soon as it has begun.
        await member.ready().catch(() => undefined);
        while (!member.hasEnded && performance.now() < deadline) {
          started.push(await runs.start(task, { items: [1, 2] }));
          await Promise.race([death, sleep(1_000)]);
        }
        if (member.hasEnded) died.set(name, (died.get(name) ?? 0) + 1);
        await member.kill();
      }
    };
    await Promise.all([killNext(), killNext()]);
    const worker = await (await spawnWorker()).ready();
    try {
      await eventually(async () => {
        const left = await app.sql<{ status: string }>(
          `select id, status, error from run where status <> 'SUCCEEDED'`,
        );
        expect(left).toEqual([]);
      }, DIES_MS);
    } finally {
      await worker.kill();
      await approving.stop();
    }
    console.info('Workflows', started.length, Object.fromEntries(died));
    expect(PLACES.filter((name) => died.get(name) !== KILLS)).toEqual([]);

    const total = started.length;
    const seen = requests();
    for (const { id } of started)
      expect(EXPECTED.filter((scope) => seen.get(`${id}:${scope}`)?.keys.size !== 1)).toEqual([]);
    // The parts are runs of their own.
    expect(seen.size).toBe(total * (EXPECTED.length + 1));
    // A request beyond the first one belongs to an execution that was cut off, and has the same key.
    const executions = await app.sql<Execution>(
      `select run_id as "runId", scope, count(*)::int as count from run_step group by run_id, scope`,
    );
    const executed = new Map(executions.map(({ runId, scope, count: n }) => [`${runId}:${scope}`, n]));
    expect([...seen].filter(([at, { count: sent }]) => sent > (executed.get(at) ?? 0))).toEqual([]);
    const ended = `select count(*)::int as n from (
      select 1 from run_step where status = 'SUCCEEDED' and not superseded
      group by run_id, scope having count(*) > 1) as twice`;
    expect(await count(ended)).toBe(0);
    for (const sql of [
      `select count(*)::int as n from run where task_id = '${child.id}'`,
      'select count(*)::int as n from data_row',
      `select count(*)::int as n from envelope where event = 'order.shipped'`,
      `select count(*)::int as n from question where status = 'ANSWERED'`,
      'select count(*)::int as n from question',
      `select count(*)::int as n from turn where status = 'COMPLETED'`,
      'select count(*)::int as n from turn',
    ])
      expect([sql, await count(sql)]).toEqual([sql, total]);
  },
  LIMIT_MS,
);
