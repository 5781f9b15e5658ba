import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CallPause, type CallAnswer } from '../src/tools/calls/call-pause.ts';
import { ToolDirectoryService } from '../src/tools/definition/tool-directory.service.ts';
import { TestApp } from './harness/app.ts';
import { verifies } from './verifies.ts';

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** What each scenario that applies has the client do besides connecting and listing tools; `all`: call every tool. */
const SCENARIOS: Record<string, Call[] | 'all' | 'given'> = {
  initialize: [],
  tools_call: [{ name: 'add_numbers', arguments: { a: 2, b: 3 } }],
  'sse-retry': [{ name: 'test_reconnection', arguments: {} }],
  'request-metadata': 'all',
  'http-standard-headers': 'all',
  'http-custom-headers': 'given',
  'http-invalid-tool-headers': 'all',
  'json-schema-ref-no-deref': [],
  'sep-2322-client-request-state': 'all',
};

/** Why the others do not apply. */
const NOT_APPLICABLE: [RegExp, string][] = [
  [
    /^elicitation-sep1034-client-defaults$/,
    'Servers before 2026-07-28 ask in the middle of a call, where no person can be waited for: they receive a cancellation',
  ],
  [
    /^auth\//,
    'An admin sets up how a tool authenticates; its calls never start the sign-in of a person by themselves',
  ],
  [
    /^json-schema-2020-12-preservation$/,
    'A method has the schema of its tool without the dialect, and with marks of its ports, so it is never sent back as it came',
  ],
  [/^sep-2640-/, 'The platform does not load skills from servers'],
];

/** The checks that fail, and why. */
const DEVIATIONS: Record<string, [check: string, reason: string]> = {
  'sep-2322-client-request-state': [
    'MRTRClientJsonRpcIdDifferent',
    'Each call is a client of its own, perhaps in another process, whose ids begin anew; a response can belong only to its own request',
  ],
};

const require = createRequire(import.meta.url);
const manifest = require.resolve('@modelcontextprotocol/conformance/package.json');
const program = join(dirname(manifest), 'dist/index.js');
const client = join(import.meta.dirname, 'fixtures/conformance-client.mjs');

let app: TestApp;
let control: Server;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: 'localhost,127.0.0.1,::1' } });
  control = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await work(JSON.parse(Buffer.concat(chunks).toString()) as Work);
      response.end();
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  control.listen(0, '127.0.0.1');
  await once(control, 'listening');
});
afterAll(async () => {
  await app.close();
  control.closeAllConnections();
  control.close();
  await rm(folder, { recursive: true });
});

interface Work {
  scenario: string;
  url: string;
  context: { toolCalls?: Call[] };
}

/** Imports all tools of the server, and calls those of the scenario, whatever becomes of the calls. */
async function work({ scenario, url, context }: Work): Promise<void> {
  const { tools } = app.client();
  const tool = await tools.create({ kind: 'mcp', name: `${scenario} ${url}`, serverUrl: url });
  const { offers } = await tools.importMcp(tool.id);
  const methods = offers.flatMap(({ tool: name, hash }) => (hash === null ? [] : [{ tool: name, hash }]));
  await tools.importMcp(tool.id, { methods });
  const wanted = SCENARIOS[scenario] ?? [];
  const all = offers.map(({ tool: name, inputSchema }) => ({ name, arguments: exampleOf(inputSchema) }));
  const calls = wanted === 'all' ? all : wanted === 'given' ? (context.toolCalls ?? []) : wanted;
  for (const { name, arguments: input } of calls) {
    // What has no value is left out.
    const given = Object.entries(input).filter(([, value]) => value !== null);
    await call(tool.id, name, Object.fromEntries(given));
  }
}

function exampleOf(schema: Record<string, unknown> | null): Record<string, unknown> {
  const values: Record<string, unknown> = {
    string: 'x',
    integer: 1,
    number: 1,
    boolean: true,
    array: [],
    object: {},
  };
  const properties = Object.entries((schema?.properties ?? {}) as Record<string, { type?: string }>);
  return Object.fromEntries(properties.map(([name, { type = 'string' }]) => [name, values[type] ?? null]));
}

/** Calls a method, and accepts what its server asks. */
async function call(toolId: string, method: string, input: Record<string, unknown>): Promise<void> {
  const caller = { spaceId: app.admin.spaceId, userId: app.admin.userId, causationRunId: null };
  let answer: CallAnswer | null = null;
  for (let round = 0; round < 5; round++)
    try {
      const options = { ownRole: 'ADMIN', mayPause: true, ...(answer && { answer }) };
      await app.get(ToolDirectoryService).invoke(caller, toolId, method, input, options);
      return;
    } catch (error) {
      if (!(error instanceof CallPause) || error.need.kind !== 'FORM') return;
      const { fields, state } = error.need;
      const values = Object.fromEntries(
        fields.map(({ key, type }) => [key, type === 'boolean' ? true : 'x']),
      );
      answer = { state, values };
    }
}

async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, CONTROL_URL: `http://127.0.0.1:${(control.address() as AddressInfo).port}` },
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

verifies('mcp-tools.conformance', 'knows of each scenario whether it applies', async () => {
  const { output } = await run('list', '--client');
  const names = [...output.matchAll(/^ +- (\S+)/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  const unknown = names.filter(
    (name) => !(name in SCENARIOS) && !NOT_APPLICABLE.some(([pattern]) => pattern.test(name)),
  );
  expect(unknown).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(Object.keys(SCENARIOS)));
});

for (const scenario of Object.keys(SCENARIOS)) {
  verifies('mcp-tools.conformance', `passes ${scenario}`, async () => {
    const command = `${process.execPath} ${client}`;
    const { code, output } = await run('client', '--command', command, '--scenario', scenario);
    const failed = [...output.matchAll(/^ {2}- (\w+): /gm)].map(([, check]) => check);
    const [deviation] = DEVIATIONS[scenario] ?? [];
    expect({ failed, output: code === null ? output : '' }).toEqual({
      failed: deviation === undefined ? [] : [deviation],
      output: '',
    });
    expect(code).toBe(deviation === undefined ? 0 : 1);
  });
}
