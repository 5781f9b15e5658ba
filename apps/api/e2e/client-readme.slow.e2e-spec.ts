import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { Agent, InstalledApplication } from '@platform/contracts';
import { TestApp, type TestUser } from './harness/app.ts';
import { shopManifest } from './harness/applications.ts';
import { verifies } from './verifies.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** What the examples of a page share with those of a server. */
const IN_BROWSER = /accessToken|passwordTemporary|temporaryPassword|changePassword|apiKeys\.create/;

const run = promisify(execFile);

let app: TestApp;
let pets: Server;
let project: string;
let examples: string[];
let given: Record<string, unknown>;
let environment: Record<string, string>;

beforeAll(async () => {
  app = await TestApp.start();
  pets = createServer((_, res) => void res.setHeader('Content-Type', 'application/json').end('{"id":7}'));
  pets.listen(0, '127.0.0.1');
  await once(pets, 'listening');
  project = await mkdtemp(join(tmpdir(), 'platform-readme-'));
  await installPackage();
  await prepareService();
  const readme = readFileSync(join(project, 'node_modules/@platform/client/README.md'), 'utf8');
  const petsUrl = `http://127.0.0.1:${(pets.address() as AddressInfo).port}`;
  examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) =>
    code.replaceAll('https://platform.example', app.url).replaceAll('https://pets.example.com/v1', petsUrl),
  );
});
afterAll(async () => {
  await app.close();
  pets.closeAllConnections();
  pets.close();
  await rm(project, { recursive: true, force: true });
});

/** The package as npm would publish it, in a folder that has nothing else. */
async function installPackage(): Promise<void> {
  for (const library of ['contracts', 'client'])
    await run(process.execPath, [join(ROOT, 'tools/build-lib.mjs')], { cwd: join(ROOT, 'libs', library) });
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
  const npm = (...args: string[]) => run('npm', args, { cwd: project });
  await npm('pack', '--ignore-scripts', '--silent', join(ROOT, 'libs/client'));
  const [tarball = ''] = globSync('*.tgz', { cwd: project });
  await npm('install', '--offline', '--no-audit', '--no-fund', `./${tarball}`);
  expect(globSync('node_modules/@*/*', { cwd: project })).toEqual(['node_modules/@platform/client']);
}

/** Makes what the examples take as given. */
async function prepareService(): Promise<void> {
  const installed = await app.request<InstalledApplication>('POST', '/api/applications', {
    body: shopManifest(),
  });
  const openPage = { name: 'open_page', description: 'Opens a page', inputSchema: { type: 'object' } };
  const agent = await app.request<Agent>('POST', '/api/agents', {
    body: {
      name: 'Assistant',
      model: 'platform/offline',
      systemPrompt: 'You help {{customer}}.',
      variables: [{ name: 'customer', required: false, default: 'a customer' }],
      localTools: [openPage],
    },
  });
  expect([installed.status, agent.status]).toEqual([201, 201]);
  const { id: agentId } = agent.body;
  const contents = [{ type: 'text', text: 'Hello' }];
  const turnId = crypto.randomUUID();
  const sessionId = 'readme';
  const chat = { contents, turnId, session_id: sessionId, stream: false };
  expect((await app.request('POST', `/api/agents/${agentId}/chat`, { body: chat })).status).toBe(200);
  const source = 'return context.execution.inputs;';
  given = {
    agentId,
    turnId,
    sessionId,
    contents,
    apiKey: app.admin.apiKey,
    token: 'secret-token',
    manifest: shopManifest({ identifier: 'billing', name: 'Billing' }),
    nextManifest: shopManifest({ version: '1.1.0' }),
    steps: [{ id: 'ship', kind: 'code', source }],
    methods: [
      {
        name: 'getPet',
        httpMethod: 'GET',
        path: '/pet/{id}',
        inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
        bindings: [{ port: 'id', in: 'path', name: 'id' }],
      },
    ],
  };
  environment = { PLATFORM_API_KEY: app.admin.apiKey, SHOP_SYSTEM_KEY: installed.body.systemKey };
}

/** Values that cannot be written as JSON, as code. */
const FUNCTIONS = `
  const ask = [{ type: 'text', text: '/ask Which color? | red | blue' }];
  const plain = given.contents;
  Object.assign(globalThis, given, {
    client: new PlatformClient({ baseUrl: given.url, apiKey: given.apiKey }),
    pdf: new TextEncoder().encode('%PDF-1.4').buffer,
    choose: async (options) => options[0].id,
    confirm: () => true,
    openPage: async () => undefined,
    notify: console.log,
    showBalance: () => undefined,
    before: async (example) => {
      globalThis.contents = example.includes('stream.interaction') ? ask : plain;
      const headers = {
        Authorization: 'Bearer ' + given.apiKey, 'X-Platform-Stream-Protocol': 'langgraph-v3',
      };
      const address = given.url + '/api/agents/' + given.agentId + '/turns/' + given.turnId + '/stream';
      globalThis.bytes = (await fetch(address, { headers })).body;
    },
  });`;

/** Reads the streams that an example only opens. */
const READ_STREAMS = (code: string) =>
  [...code.matchAll(/^(?:const|let) (stream|all|rest) =/gm)]
    .map(([, name]) => `if (${name}.state === 'unread') await ${name}.text();`)
    .join('\n');

/** A name of an event or a tool is taken once; the examples run several times. */
const renew = (code: string, run: string) =>
  code
    .replaceAll("'Pets'", `'Pets ${run}'`)
    .replaceAll('order-7', `order-7-${run}`)
    .replaceAll('report-2026-01', `report-${run}`)
    .replaceAll('install(manifest)', `install({ ...manifest, identifier: 'billing-${run}' })`);

const serverExamples = (name: string) =>
  examples.filter((code) => !IN_BROWSER.test(code)).map((code) => renew(code, name));

async function runNode(file: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--no-warnings', file], {
    cwd: project,
    env: { ...process.env, ...environment },
    timeout: 60_000,
  }).catch((error: unknown) => {
    const { message, stdout, stderr } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout ?? ''}\n${stderr ?? ''}`);
  });
  return stdout;
}

describe('the examples of the README', () => {
  verifies('client.readme', 'run as ES modules', async () => {
    const folder = join(project, 'esm');
    mkdirSync(folder);
    const codes = serverExamples('esm');
    for (const [i, code] of codes.entries())
      writeFileSync(join(folder, `${i}.ts`), `${code}\n${READ_STREAMS(code)}\nexport {};\n`);
    writeFileSync(
      join(folder, 'run.mjs'),
      `import { PlatformClient } from '@platform/client';
       const given = ${JSON.stringify({ ...given, url: app.url })};
       ${FUNCTIONS}
       const codes = ${JSON.stringify(codes)};
       for (const [i, code] of codes.entries()) {
         await before(code);
         try { await import('./' + i + '.ts'); }
         catch (error) { console.error(code); throw error; }
         console.log('\\nexample ' + i + ' ran');
       }`,
    );
    const output = await runNode('esm/run.mjs');
    expect(codes.length).toBeGreaterThan(12);
    expect(output.match(/^example \d+ ran$/gm)).toHaveLength(codes.length);
    expect(output).toContain('You said: Where is my parcel?');
  });

  verifies('client.readme', 'run as CommonJS', async () => {
    const codes = serverExamples('cjs');
    const bodies = codes.map((code) => {
      const required = stripTypeScriptTypes(`${code}\n${READ_STREAMS(code)}`).replace(
        /^import (\{[^}]*\}) from ('[^']*');$/gm,
        'const $1 = require($2);',
      );
      return `async () => {\n${required}\n}`;
    });
    writeFileSync(
      join(project, 'run.cjs'),
      `const { PlatformClient } = require('@platform/client');
       const given = ${JSON.stringify({ ...given, url: app.url })};
       ${FUNCTIONS}
       const codes = ${JSON.stringify(codes)};
       const bodies = [${bodies.join(',\n')}];
       (async () => {
         for (const [i, body] of bodies.entries()) {
           await before(codes[i]);
           await body();
           console.log('\\nexample ' + i + ' ran');
         }
       })();`,
    );
    const output = await runNode('run.cjs');
    expect(output.match(/^example \d+ ran$/gm)).toHaveLength(codes.length);
  });

  verifies('client.readme', 'run in a page, bundled by Vite', async () => {
    const folder = join(project, 'page');
    mkdirSync(folder);
    const codes = examples.filter((code) => IN_BROWSER.test(code));
    expect(codes).toHaveLength(5);
    // One page: later examples use the client of the first.
    const [signIn = '', ...others] = codes;
    const blocks = others.map((code) => `await (async () => {\n${code}\n})();\nran();`);
    writeFileSync(join(folder, 'page.ts'), [signIn, 'ran();', ...blocks].join('\n'));
    writeFileSync(
      join(project, 'vite.config.mjs'),
      `export default {
        logLevel: 'error',
        build: { target: 'es2022', lib: { entry: 'page/page.ts', formats: ['es'], fileName: 'page' } },
      };`,
    );
    await run(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build'], { cwd: project });
    const [bundle = ''] = globSync('dist/*.{js,mjs}', { cwd: project });
    const source = readFileSync(join(project, bundle), 'utf8');
    expect(source).not.toMatch(/\bimport\s*[{*"']|from\s*["']node:|\brequire\(/);

    const invited = await app.addUser('ADMIN');
    const host = await app.addUser('ADMIN', null);
    const body = { email: invited.email, role: 'MEMBER' };
    expect((await app.request('POST', '/api/members', { as: host, body })).status).toBe(202);
    let count = 0;
    const context = vm.createContext({ ...pageGlobals(invited), ran: () => (count += 1) });
    const page = new vm.SourceTextModule(source, { context, identifier: 'page.js' });
    await page.link((specifier) => {
      throw new Error(`The bundle imports ${specifier}`);
    });
    await page.evaluate();
    expect(count).toBe(codes.length);
    const again = { email: invited.email, password: 'a new password, long enough' };
    expect((await app.request('POST', '/api/auth/login', { as: null, body: again })).status).toBe(200);
  });
});

/** What a page of the service has: its origin, its cookies, and nothing of Node.js. */
function pageGlobals(user: TestUser): Record<string, unknown> {
  let cookie: string | null = null;
  const fetchInPage = async (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (cookie !== null && init.credentials === 'include') headers.set('Cookie', cookie);
    const response = await fetch(new URL(url, app.url), { ...init, headers });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return response;
  };
  return {
    window: {},
    document: {},
    fetch: fetchInPage,
    AbortController,
    AbortSignal,
    crypto,
    Headers,
    queueMicrotask,
    ReadableStream,
    Response,
    setTimeout,
    clearTimeout,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    console,
    email: user.email,
    password: user.password,
    currentPassword: user.password,
    newPassword: 'a new password, long enough',
  };
}
