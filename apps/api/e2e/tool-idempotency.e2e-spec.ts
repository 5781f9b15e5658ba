import type { Step, Task, Tool } from '@platform/contracts';
import { ToolServer, sendJson } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { ServiceProcess } from './harness/process.ts';
import { RunCalls } from './harness/run-calls.ts';
import { verifies } from './verifies.ts';

const LEASE_MS = 6_000;

let app: TestApp;
let server: ToolServer;
let calls: RunCalls;

beforeAll(async () => {
  server = await ToolServer.start();
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
  calls = new RunCalls(app);
});
afterAll(async () => {
  await app.close();
  await server.stop();
});

const method = (name: string, httpMethod: string) => ({
  name,
  httpMethod,
  path: `/${name}`,
  inputSchema: { type: 'object', properties: {} },
});

async function createTool(name: string, isHonored: boolean): Promise<Tool> {
  const idempotency = { header: 'X-Request-Key', isHonored };
  const methods = [method('charge', 'post'), method('find', 'get')];
  const body = { name, serverUrl: `${server.url}/${name}`, idempotency, methods };
  return (await calls.request<Tool>('POST', '/tools', { body })).body;
}

const step = ({ id: toolId }: Tool, name: string): Step => ({
  id: 'call',
  kind: 'tool',
  toolId,
  method: name,
  input: {},
});

const code = ({ id }: Tool): Step => ({
  id: 'call',
  kind: 'code',
  source: `return (await platform.tools.invoke('${id}', 'charge', {})).output`,
});

const startWorker = async () =>
  (
    await ServiceProcess.spawn({
      DATABASE_URL: app.databaseUrl,
      PLATFORM_SECRET_KEY: app.secretKey,
      PLATFORM_DATA_DIR: app.dataDir,
      PLATFORM_ROLE: 'worker',
      PLATFORM_RUN_LEASE_MS: String(LEASE_MS),
    })
  ).ready();

verifies(
  ['tools.calls.idempotency', 'run.interrupted'],
  'a process that dies during calls: they are made again with the same key if the server honors it',
  async () => {
    const [honoring, other] = [await createTool('honoring', true), await createTool('other', false)];
    const tasks: Record<string, Task> = {
      step: await calls.createTask([step(honoring, 'charge')]),
      code: await calls.createTask([code(honoring)]),
      read: await calls.createTask([step(other, 'find')]),
      other: await calls.createTask([step(other, 'charge')]),
    };
    // The first process never receives a response, although the server has acted.
    server.respond(() => undefined);
    const first = await startWorker();
    const started = new Map<string, string>();
    for (const [name, task] of Object.entries(tasks)) started.set(name, (await calls.start(task)).id);
    await eventually(async () => expect(server.received).toHaveLength(await Promise.resolve(4)));
    await first.kill();
    const before = [...server.received];
    server.respond(sendJson({ ok: true }));
    await app.sql('update run_queue set lease_until = clock_timestamp()');
    const env = { PLATFORM_ROLE: 'worker', PLATFORM_RUN_LEASE_MS: String(LEASE_MS) };
    const second = await TestApp.start({ database: app, env });
    try {
      const ended = async (name: string) => calls.reached({ id: started.get(name) ?? '' });
      for (const name of ['step', 'code', 'read']) expect((await ended(name)).status).toBe('SUCCEEDED');
      expect((await ended('other')).status).toBe('INTERRUPTED');
    } finally {
      await second.close();
    }
    const keysOf = (path: string) =>
      [...before, ...server.received]
        .filter(({ url }) => url === path)
        .map(({ headers }) => headers['x-request-key']);
    // Two requests for each effect, with one key.
    const charged = keysOf('/honoring/charge');
    expect(charged).toHaveLength(4);
    expect(new Set(charged).size).toBe(2);
    expect(charged).toContain(`${started.get('step')}:call`);
    expect(charged).toContainEqual(expect.stringContaining(`${started.get('code')}:call:`));
    expect(keysOf('/other/charge')).toEqual([`${started.get('other')}:call`]);
    expect(keysOf('/other/find')).toEqual([undefined, undefined]);
  },
);
