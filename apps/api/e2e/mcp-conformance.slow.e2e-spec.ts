import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Agent, KnowledgeDocument, McpOffers, Task } from '@platform/contracts';
import { ConformanceProxy, type StandIn } from './fixtures/conformance-proxy.ts';
import { NOT_APPLICABLE, TASKS_NOT_APPLICABLE, type Exception } from './fixtures/conformance-exceptions.ts';
import { ToolServer } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const LIMIT_MS = 300_000;

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

let app: TestApp;
let server: ToolServer;
let proxy: ConformanceProxy;

beforeAll(async () => {
  server = await ToolServer.start();
  server.respond((response, { url }) => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    if (pathname === '/error') return response.writeHead(500).end('This tool intentionally returns an error');
    const text = pathname === '/greet' ? `Hello, ${searchParams.get('name')}!` : SIMPLE_TEXT;
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(text));
  });
  app = await TestApp.start({
    env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${server.port}` },
  });
  proxy = await offerFixtures();
});
afterAll(async () => {
  await proxy.close();
  await app.close();
  await server.stop();
});

const SIMPLE_TEXT = 'This is a simple text response for testing.';
/** As the suite describes it. */
const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** Real agents, methods, tasks, and documents that do what the suite asks of its fixtures. */
async function offerFixtures(): Promise<ConformanceProxy> {
  const platform = app.client();
  const named = {
    type: 'object',
    properties: { name: { type: 'string', isPort: true } },
    required: ['name'],
  };
  const get = { httpMethod: 'get', inputSchema: { type: 'object', properties: {} } } as const;
  const tool = await platform.tools.create({
    name: 'Fixtures',
    serverUrl: server.url,
    methods: [
      { ...get, name: 'test_simple_text', path: '/text' },
      { ...get, name: 'test_error_handling', path: '/error' },
      {
        ...get,
        name: 'greet',
        path: '/greet',
        inputSchema: named,
        bindings: [{ port: 'name', in: 'query', name: 'name' }],
      },
      { ...get, name: 'json_schema_2020_12_tool', path: '/text', inputSchema: SCHEMA_2020 },
    ],
  });
  const messages: Record<string, (given: Record<string, unknown>) => string> = {
    slow_compute: ({ seconds }) => `/think ${Number(seconds) * 1_000}`,
    failing_job: () => '/fail',
    test_tool_with_progress: () => '/think 7000',
    test_input_required_result_elicitation: () => '/ask What is your name? | Alice',
    test_input_required_result_request_state: () => '/ask Please confirm | ok',
    test_input_required_result_tampered_state: () => '/ask Please confirm | ok',
  };
  const agents: Agent[] = [];
  for (const name of Object.keys(messages))
    agents.push(await platform.agents.create({ name, model: 'platform/offline', systemPrompt: 'You test.' }));
  const fields = [
    { key: 'confirm', label: 'Confirm', type: 'boolean' },
    { key: 'name', label: 'Name', type: 'text' },
  ];
  const ask = { id: 'ask', kind: 'ask', message: 'Go on?', to: 'owner', fields };
  const tasks = [
    await createTask('confirm_delete', [ask]),
    await createTask('multi_input', [
      { id: 'all', kind: 'each', items: [1, 2], concurrency: 2, steps: [ask] },
    ]),
  ];
  const document = await platform.knowledge.createDocument({
    title: 'Static text',
    text: 'This is the content of the static text resource.',
  });
  await eventually(async () => {
    const { status } = await platform.knowledge.getDocument(document.id);
    expect(status).toBe<KnowledgeDocument['status']>('READY');
  });
  const body = {
    agents: agents.map(({ id }) => id),
    tasks: tasks.map(({ id }) => id),
    tools: [{ toolId: tool.id, methods: null }],
    knowledge: true,
  };
  const { body: offers } = await app.request<McpOffers>('PUT', '/api/mcp/offers', { body });
  const standIns = Object.entries(messages).map(([name, message]): [string, StandIn] => [
    name,
    { name: `ask_${name}`, input: (given) => ({ message: message(given) }) },
  ]);
  const methods = tool.methods.map(({ name }): [string, StandIn] => [name, { name: `Fixtures__${name}` }]);
  return ConformanceProxy.start({
    target: `${app.url}${new URL(offers.url).pathname}`,
    apiKey: app.admin.apiKey,
    tools: Object.fromEntries([
      ...standIns,
      ...methods,
      ...tasks.map(({ name }): [string, StandIn] => [name, { name: `run_${name}` }]),
    ]),
    resources: { 'test://static-text': `knowledge://documents/${document.id}` },
  });
}

async function createTask(name: string, steps: unknown[]): Promise<Task> {
  const body = { name, type: 'MANUAL', workflow: { steps } };
  const created = await app.request<Task>('POST', '/api/tasks', { body });
  if (created.status !== 201) throw new Error(created.text);
  return created.body;
}

interface Outcome {
  /** The reasons, by `scenario:check`. */
  failed: Map<string, string>;
  passed: Set<string>;
}

function suite(args: string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [SUITE, ...args],
      { timeout: LIMIT_MS, maxBuffer: 2 ** 26, cwd },
      (_, out, err) => resolve(out + err),
    );
  });
}

/** Runs scenarios, and adds what has become of their checks. */
async function run(args: string[], outcome: Outcome): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-conformance-'));
  const output = await suite(['server', '--url', proxy.url, ...args, '--output-dir', folder], folder);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('checks.json'));
  if (files.length === 0) throw new Error(`The suite reports nothing: ${output.slice(-2_000)}`);
  for (const file of files) {
    const [, scenario = ''] = /server-(.+?)-\d{4}-\d{2}-\d{2}T/.exec(file) ?? [];
    const checks = JSON.parse(await readFile(join(folder, file), 'utf8')) as Check[];
    for (const { id, status, errorMessage = '' } of checks)
      if (status === 'FAILURE') outcome.failed.set(`${scenario}:${id}`, errorMessage);
      else if (status === 'SUCCESS') outcome.passed.add(`${scenario}:${id}`);
  }
  await rm(folder, { recursive: true, force: true });
}

/** Each failure must be listed as not applicable, and whatever is listed must fail. */
function judge(label: string, { failed, passed }: Outcome, listed: readonly Exception[]): void {
  const covers = (one: string, check: string) => check === one || check.startsWith(`${one}:`);
  const names = listed.flatMap(({ checks }) => checks);
  const unlisted = [...failed].filter(([check]) => !names.some((one) => covers(one, check)));
  expect(Object.fromEntries(unlisted)).toEqual({});
  expect(names.filter((one) => ![...failed.keys()].some((check) => covers(one, check)))).toEqual([]);
  console.info(`${label}: ${passed.size} checks passed, ${failed.size} do not apply`);
}

describe.each(['2026-07-28', '2025-11-25'] as const)('the conformance suite of %s', (revision) => {
  verifies('mcp.conformance', 'passes, but for what does not apply', async () => {
    const outcome: Outcome = { failed: new Map(), passed: new Set() };
    await run(['--suite', 'all', '--spec-version', revision], outcome);
    const isOf = ({ revisions = [revision] }: Exception) => revisions.includes(revision);
    judge(revision, outcome, NOT_APPLICABLE.filter(isOf));
  });
});

verifies('mcp.conformance', 'passes for the tasks extension, but for what does not apply', async () => {
  const listed = await suite(['list', '--server'], tmpdir());
  const scenarios = [...listed.matchAll(/- (tasks-[a-z-]+) \[extension\]/g)].map(([, name = '']) => name);
  expect(scenarios.length).toBeGreaterThan(5);
  const outcome: Outcome = { failed: new Map(), passed: new Set() };
  for (const scenario of scenarios) await run(['--scenario', scenario], outcome);
  judge('tasks extension', outcome, TASKS_NOT_APPLICABLE);
});
