import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { SignInResponse, Run, Step, Task, Tool } from '@platform/contracts';
import pg from 'pg';
import { sendJson, ToolServer } from '../fixtures/tool-server.ts';
import { createDatabase } from '../harness/app.ts';
import { eventually } from '../harness/eventually.ts';
import { ServiceProcess } from '../harness/process.ts';
import { repeat } from './background.ts';
import { scaled } from './scale.ts';

jest.setTimeout(1_800_000);

/** The folder of a previous version of this repository, with its packages installed. */
const PREVIOUS = process.env.PREVIOUS_VERSION;
if (PREVIOUS === undefined)
  console.warn('Versions are not mixed: PREVIOUS_VERSION is not the folder of a previous version');
const withPrevious = PREVIOUS === undefined ? describe.skip : describe;

const RUNS = scaled('MIXED_RUNS', { slow: 100_000 });
const LOAD_MS = scaled('MIXED_LOAD_MS', { slow: 10_000 });
const LEASE_MS = 5_000;
const PASSWORD = 'correct horse battery';

withPrevious('the previous version and this one on one database', () => {
  let server: ToolServer;
  let db: pg.Client;
  let dataDir: string;
  let env: Record<string, string>;
  let key: string;
  const services: ServiceProcess[] = [];

  beforeAll(async () => {
    server = await ToolServer.start();
    const databaseUrl = await createDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'platform-mixed-'));
    env = {
      DATABASE_URL: databaseUrl,
      PLATFORM_DATA_DIR: dataDir,
      PLATFORM_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      PLATFORM_ADMIN_EMAIL: 'admin@example.com',
      PLATFORM_ADMIN_PASSWORD: PASSWORD,
      PLATFORM_RUN_LEASE_MS: String(LEASE_MS),
    };
    db = new pg.Client({ connectionString: databaseUrl });
    await db.connect();
  });

  afterAll(async () => {
    await Promise.all(services.filter(({ hasEnded }) => !hasEnded).map((service) => service.kill()));
    await db.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = async (root?: string) => {
    const service = await ServiceProcess.spawn(env, [], root);
    services.push(service);
    return service.ready();
  };

  const request = async <Body>(
    service: ServiceProcess,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Body> => {
    const response = await fetch(`${service.url}/api${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(key && { Authorization: `Bearer ${key}` }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  };

  const createTask = (service: ServiceProcess, name: string, steps: Step[], more = {}) =>
    request<Task>(service, 'POST', '/tasks', { name, type: 'MANUAL', workflow: { steps }, ...more });

  const run = (service: ServiceProcess, { id }: Task, inputs: Record<string, unknown> = {}) =>
    request<Run>(service, 'POST', `/tasks/${id}/run`, { inputs });

  const countByStatus = async (): Promise<Record<string, number>> => {
    const { rows } = await db.query<{ status: string; n: number }>(
      'select status, count(*)::int as n from run group by status',
    );
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  };

  /** Repeats each ended run until there are `RUNS`, with its attempts and steps. */
  const multiply = async (ended: number): Promise<void> => {
    const copies = Math.ceil(RUNS / ended) - 1;
    await db.query(
      `create temp table copy as select id as source, uuid_v7() as id from run, generate_series(1, $1)
       where status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED')`,
      [copies],
    );
    for (const [table, id] of [
      ['run', 'id'],
      ['run_attempt', 'run_id'],
      ['run_step', 'run_id'],
    ] as const) {
      const { rows } = await db.query<{ name: string }>(
        `select column_name as name from information_schema.columns
         where table_name = $1 and table_schema = 'public' and column_name <> $2 and is_generated = 'NEVER'`,
        [table, id],
      );
      const names = rows.map(({ name }) => `"${name}"`).join(', ');
      await db.query(
        `insert into ${table} (${id}, ${names}) select c.id, ${rows.map(({ name }) => `t."${name}"`).join(', ')}
         from copy c join ${table} t on t.${id} = c.source`,
      );
    }
  };

  it('runs of every state are kept, and none is lost or executed twice while both execute', async () => {
    const previous = await start(PREVIOUS);
    key = '';
    const credentials = { email: 'admin@example.com', password: PASSWORD };
    key = (await request<SignInResponse>(previous, 'POST', '/auth/login', credentials)).accessToken;
    const tool = await request<Tool>(previous, 'POST', '/tools', {
      name: 'sink',
      serverUrl: server.url,
      methods: ['effect', 'hang'].map((name) => ({
        name,
        httpMethod: 'post',
        path: `/${name}/{n}`,
        inputSchema: {
          type: 'object',
          required: ['n'],
          properties: { n: { type: 'integer', isPort: true } },
        },
        bindings: [{ port: 'n', in: 'path', name: 'n' }],
      })),
    });
    server.respond((response, received) => {
      if (!received.url.startsWith('/hang')) sendJson({ ok: true })(response, received);
    });
    const call = (method: string): Step => ({
      id: 'call',
      kind: 'tool',
      toolId: tool.id,
      method,
      input: { n: '{{inputs.n}}' },
    });
    const code = (source: string, id = 'code'): Step => ({ id, kind: 'code', source });
    const effect = await createTask(previous, 'Effect', [code('return 1;'), call('effect')], {
      concurrency: 20,
    });
    const failing = await createTask(previous, 'Failing', [
      code('return 1;'),
      code('throw new Error("No")', 'no'),
    ]);
    const slow = await createTask(previous, 'Slow', [code('await platform.sleep(30_000)')], {
      concurrency: 1,
    });
    const hanging = await createTask(previous, 'Hanging', [call('hang')]);
    let n = 0;
    const effects = new Set<number>();
    const startEffect = async (service: ServiceProcess) => {
      const of = (n += 1);
      await run(service, effect, { n: of });
      effects.add(of);
    };
    for (let i = 0; i < 10; i++) await startEffect(previous);
    for (let i = 0; i < 10; i++) await run(previous, failing);
    const canceled = [await run(previous, slow), await run(previous, slow)];
    for (const { id } of canceled) await request(previous, 'POST', `/runs/${id}/cancel`);
    await run(previous, hanging, { n: 0 });
    await eventually(async () =>
      expect(await countByStatus()).toEqual({ SUCCEEDED: 10, FAILED: 10, CANCELLED: 2, RUNNING: 1 }),
    );
    await eventually(async () => {
      expect(server.received.some(({ url }) => url.startsWith('/hang'))).toBe(true);
      await Promise.resolve();
    });
    // Interrupted, as nobody knows what the server has done.
    await previous.kill();
    const old = await start(PREVIOUS);
    await eventually(async () => expect((await countByStatus()).INTERRUPTED).toBe(1), 60_000);
    await multiply(23);
    // Running and queued while the schema changes.
    await run(old, slow);
    await run(old, slow);
    await eventually(async () => expect((await countByStatus()).RUNNING).toBe(1));
    const before = await countByStatus();

    const refused: string[] = [];
    const note = (error: unknown) => void refused.push(String(error));
    const loadOld = repeat(
      () => startEffect(old).catch(note),
      () => 20,
    );
    const begun = performance.now();
    const current = await start();
    const readyMs = Math.round(performance.now() - begun);
    const loadNew = repeat(
      () => startEffect(current).catch(note),
      () => 20,
    );
    await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
    await loadOld.stop();
    // As when processes are replaced: the current one goes on with what the old one had.
    old.signal('SIGTERM');
    await old.exit();
    await loadNew.stop();
    await eventually(async () => {
      const { rows } = await db.query("select 1 from run where status in ('QUEUED', 'RUNNING') limit 1");
      expect(rows).toEqual([]);
    }, 120_000);

    const after = await countByStatus();
    console.info('Mixed versions', { readyMs, effects: effects.size, before, after });
    expect(refused).toEqual([]);
    const seen = server.received.flatMap(({ url }) => /^\/effect\/(\d+)$/.exec(url)?.[1] ?? []).map(Number);
    expect([...seen].sort((a, b) => a - b)).toEqual([...effects].sort((a, b) => a - b));
    for (const status of ['FAILED', 'CANCELLED', 'INTERRUPTED']) {
      expect([status, after[status]]).toEqual([status, before[status]]);
      const { items } = await request<{ items: Run[] }>(current, 'GET', `/runs?status=${status}&limit=200`);
      expect(items.length).toBeGreaterThan(0);
    }

    // What the previous version has stored can be retried after a fix.
    const { items } = await request<{ items: Run[] }>(current, 'GET', `/runs?status=FAILED&limit=1`);
    await request(current, 'PATCH', `/tasks/${failing.id}`, {
      workflow: { steps: [code('return 1;'), code('return "fixed";', 'no')] },
    });
    await request(current, 'POST', `/runs/${items[0]?.id}/retry`, {});
    await eventually(async () => {
      const found = await request<Run>(current, 'GET', `/runs/${items[0]?.id}`);
      expect(found).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
      expect(found.steps.at(-1)?.output).toBe('fixed');
    });
  });
});
