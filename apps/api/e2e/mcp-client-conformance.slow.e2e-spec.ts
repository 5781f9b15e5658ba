import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TestApp } from './harness/app.ts';
import { verifies } from './verifies.ts';

/** What each scenario that applies has the client do besides connecting and listing tools. */
const SCENARIOS: Record<string, { method: string; input: Record<string, unknown> } | null> = {
  initialize: null,
  tools_call: { method: 'add_numbers', input: { a: 2, b: 3 } },
  'sse-retry': { method: 'test_reconnection', input: {} },
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
];

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
      const { scenario, url } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
      await work(scenario ?? '', url ?? '');
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

/** Imports all tools of the server, and calls the one of the scenario. */
async function work(scenario: string, url: string): Promise<void> {
  const { tools } = app.client();
  const tool = await tools.create({ kind: 'mcp', name: `${scenario} ${url}`, serverUrl: url });
  const { offers } = await tools.importMcp(tool.id);
  const methods = offers.flatMap(({ tool: name, hash }) => (hash === null ? [] : [{ tool: name, hash }]));
  await tools.importMcp(tool.id, { methods });
  const call = SCENARIOS[scenario];
  if (!call) return;
  const { status, output } = await tools.invoke(tool.id, call.method, { input: call.input });
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(output)}`);
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
    expect([code, output]).toEqual([0, expect.any(String)]);
  });
}
