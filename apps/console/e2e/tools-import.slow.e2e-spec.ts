import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { gate } from '../../api/e2e/harness/gate.ts';
import { RunCalls } from '../../api/e2e/harness/run-calls.ts';
import {
  complaintsOf,
  describeInBrowser,
  DESK,
  newConsoleContext,
  overflows,
  PHONE,
  runConsole,
  signIn,
  until,
  violations,
} from './browser.ts';

/** From then on browsers call a task long. */
const LONG_TASK_MS = 50;
/** Of what a reading takes, which is longer on a slow or busy machine. A page that reads by itself would compute most of it. */
const LONG_TASK_SHARE = 0.05;

describeInBrowser('importing tools in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let admin: BrowserContext;
  const newPage = runConsole((started) => ({ app, browser, admin } = started));

  let port: Server;
  let portUrl: string;
  /** What the server has received, byte by byte. */
  const received: string[] = [];

  beforeAll(async () => {
    port = createServer(answer);
    await new Promise<void>((resolve) => port.listen(0, '127.0.0.1', resolve));
    portUrl = `http://127.0.0.1:${(port.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await new Promise((resolve) => port.close(resolve));
  });

  /** Responds to one request per connection, and keeps its bytes. */
  function answer(socket: Socket): void {
    let text = '';
    socket.setEncoding('latin1');
    // The browser may leave before the end.
    socket.on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      text += chunk;
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      const isDocument = text.startsWith('GET /closed.json ');
      if (!isDocument) received.push(text);
      const output = JSON.stringify(isDocument ? berths(50) : { number: 7, ferry: 'Aurora' });
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${output.length}\r\nconnection: close\r\n\r\n${output}`,
      );
    });
  }

  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  });

  /** Reads a document on a page that asks for one. */
  const choose = (page: Page, document: object) =>
    page.getByLabel('Choose file').setInputFiles(file('document.json', JSON.stringify(document)));

  /** A document with many methods that differ only in their names. */
  function berths(count: number) {
    const book = (i: number) => ({
      operationId: `bookBerth${i}`,
      summary: `Books berth ${i}`,
      parameters: [
        { name: 'day', in: 'path', required: true, schema: { type: 'string', examples: ['2026-05-01'] } },
        { name: 'side', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { type: 'object', properties: { ship: { type: 'string' } }, required: ['ship'] },
          },
        },
      },
      responses: {},
    });
    const paths = Array.from({ length: count }, (_, i) => [`/berths/${i}/{day}`, { post: book(i) }]);
    return {
      openapi: '3.1.0',
      info: { title: 'Berths' },
      servers: [{ url: portUrl }],
      paths: Object.fromEntries(paths) as object,
    };
  }

  async function drop(page: Page, name: string, text: string): Promise<void> {
    const data = await page.evaluateHandle(
      ([fileName, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], fileName));
        return transfer;
      },
      [name, text] as const,
    );
    await page.locator('.import-drop').dispatchEvent('drop', { dataTransfer: data });
  }

  it('imports 3 of 50 methods from a dropped file, edits one, and sends exactly its request', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/tools/import');
    await drop(page, 'berths.txt', '{}');
    await page.getByRole('alert').getByText('berths.txt is not a .json, .yaml, or .yml file').waitFor();
    await drop(page, 'berths.json', JSON.stringify(berths(50)));
    await page.getByText('0 of 50 chosen').waitFor();
    for (const i of [7, 8, 9]) {
      await page.getByRole('checkbox', { name: `Choose bookBerth${i}`, exact: true }).check();
    }
    await page.getByLabel('Name', { exact: true }).fill('Berths');
    await page.getByLabel('Authentication').click();
    await page.getByTitle('API key').click();
    await page.getByLabel('Parameter name').fill('X-Berth-Key');
    await page.getByLabel('Key', { exact: true }).fill('berth-key-123');
    await page.getByRole('button', { name: 'Import 3 methods' }).click();
    await page.waitForURL(/\/tools\/[0-9a-f-]{36}$/);
    const toolId = page.url().split('/').at(-1) ?? '';

    await page.getByRole('button', { name: 'Edit bookBerth8' }).click();
    const drawer = page.getByRole('dialog', { name: 'bookBerth8' });
    await drawer.getByLabel('Name').fill('reserve');
    await drawer.getByLabel('Description').fill('Reserves a berth.');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'hidden' });

    const input = { day: '1/5', side: ['a b', 'ö'], ship: 'Zoë' };
    await page.getByRole('button', { name: 'Try reserve' }).click();
    const panel = page.getByRole('dialog', { name: 'Try reserve' });
    await panel.getByText('JSON', { exact: true }).click();
    await panel.locator('.cm-content').fill(JSON.stringify(input));
    await panel.getByRole('button', { name: 'Call method' }).click();
    await panel.getByRole('group', { name: 'Output' }).getByText('Aurora').waitFor();
    const expected = [
      'POST /berths/8/1%2F5?side=a%20b&side=%C3%B6 HTTP/1.1',
      `host: ${portUrl.slice('http://'.length)}`,
      'connection: keep-alive',
      'Accept: application/json, */*;q=0.8',
      'User-Agent: platform',
      'X-Berth-Key: berth-key-123',
      'Content-Type: application/json',
      'accept-language: *',
      'sec-fetch-mode: cors',
      'accept-encoding: gzip, deflate',
      'content-length: 15',
      '',
      '{"ship":"Zoë"}',
    ].join('\r\n');
    expect(complaints).toEqual([]);

    // An agent sends the same, and a task as well, with the key of the effect.
    const agent = await app.client().agents.create({
      name: 'Harbor master',
      model: 'platform/offline',
      systemPrompt: 'Be brief.',
      tools: [{ toolId, methods: ['reserve'] }],
    });
    await app.client().agents.execute(agent.id, {
      inputs: { query: `/call Berths.reserve ${JSON.stringify(input)}` },
    });
    const runs = new RunCalls(app);
    const { id } = await runs.result([{ id: 'book', kind: 'tool', toolId, method: 'reserve', input }]);
    const sent = received.splice(0).map((request) => Buffer.from(request, 'latin1').toString());
    const agentLine = 'User-Agent: platform';
    const keyed = expected.replace(agentLine, `${agentLine}\r\nIdempotency-Key: ${id}:book`);
    expect(sent).toEqual([expected, expected, keyed]);
  });

  it('says why a document cannot be loaded, and the way around it works', async () => {
    const page = await newPage();
    await page.goto('/tools/import');
    await page.getByText('URL', { exact: true }).click();
    await page.getByLabel('Document URL').fill(`${portUrl}/closed.json`);
    await page.getByRole('button', { name: 'Read document' }).click();
    await page.getByRole('alert').getByText('does not allow other websites').waitFor();
    const command = await page.getByRole('group', { name: 'Download command' }).innerText();
    const folder = mkdtempSync(join(tmpdir(), 'import-'));
    // What the user does in a terminal. Where curl is not installed, Node.js downloads.
    const download = `fs.writeFileSync(process.argv[3], await (await fetch(process.argv[4])).text())`;
    const curl = `curl() { '${process.execPath}' --input-type=module -e "import fs from 'fs'; ${download}" -- "$@"; }`;
    const script = `command -v curl >/dev/null || ${curl}\n${command}`;
    await promisify(execFile)('sh', ['-c', script], { cwd: folder });
    const [fileName = ''] = readdirSync(folder);
    expect(fileName).toBe('openapi.json');
    await drop(page, fileName, readFileSync(join(folder, fileName), 'utf8'));
    await page.getByText('0 of 50 chosen').waitFor();
    rmSync(folder, { recursive: true });
  });

  it('creates a tool by hand, and adds and deletes methods', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/tools');
    await page.getByRole('button', { name: 'New tool' }).click();
    await page.getByRole('heading', { name: 'New tool' }).waitFor();
    await page.getByLabel('Name', { exact: true }).first().fill('Lighthouse');
    await page.getByLabel('Server', { exact: true }).fill(portUrl);
    await page.getByLabel('Method name').fill('read light');
    await page.getByLabel('Path').fill('lights');
    await page.getByRole('button', { name: 'Create tool' }).click();
    await page.getByText('Use letters, digits, _ and - only').waitFor();
    await page.getByText('Begin with / and use no spaces').waitFor();
    await page.getByLabel('Method name').fill('readLight');
    await page.getByLabel('Path').fill('/lights/{light}');
    await page.getByRole('button', { name: 'Add parameter' }).click();
    const parameter = page.getByRole('group', { name: 'Parameter 1' });
    await parameter.getByLabel('Name').fill('unit');
    await parameter.getByLabel('Required').check();
    expect(await violations(page, 'new tool')).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    await page.setViewportSize(DESK);
    await page.getByRole('button', { name: 'Create tool' }).click();
    await page.waitForURL(/\/tools\/[0-9a-f-]{36}$/);
    const toolId = page.url().split('/').at(-1) ?? '';
    const { tools } = app.client();
    await tools.invoke(toolId, 'readLight', { input: { light: '7', unit: 'cd' } });
    expect(received.splice(0)[0]).toMatch(/^GET \/lights\/7\?unit=cd HTTP/);

    const drawer = page.getByRole('dialog', { name: 'Add method' });
    await page.getByRole('button', { name: 'Add method' }).click();
    await drawer.waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Add method' }).click();
    await drawer.getByLabel('Method name').fill('READLIGHT');
    await drawer.getByLabel('Path').fill('/lights');
    expect(await violations(page, 'new method')).toEqual([]);
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer
      .getByText('Must be unique: the tool already has a method named READLIGHT (case is ignored)')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stay' }).click();
    await drawer.getByLabel('Method name').fill('listLights');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Edit readLight' }).click();
    await page.getByRole('dialog', { name: 'readLight' }).getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete readLight?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('button', { name: 'Edit readLight' }).waitFor({ state: 'detached' });
    expect((await tools.get(toolId)).methods.map(({ name }) => name)).toEqual(['listLights']);
    // The browser reports the conflict as well.
    expect(complaints.filter((text) => !text.includes('status of 409'))).toEqual([]);
  });

  it('lets members see and call tools only', async () => {
    const { id } = await app.client().tools.create({
      name: 'Buoys',
      serverUrl: portUrl,
      methods: [{ name: 'listBuoys', httpMethod: 'get', path: '/buoys', inputSchema: { type: 'object' } }],
    });
    const context = await newConsoleContext(browser, app.url);
    const page = await newPage(context);
    await signIn(page, app.member);
    await page.goto('/tools');
    await page.getByRole('link', { name: 'Buoys' }).waitFor();
    for (const name of ['Import tool', 'New tool']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    await page.goto(`/tools/${id}`);
    await page.getByRole('button', { name: 'Try listBuoys' }).waitFor();
    for (const name of ['Edit listBuoys', 'Re-import', 'Add method', 'Delete', 'Save']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    for (const path of ['/tools/import', '/tools/new', `/tools/${id}/import`]) {
      await page.goto(path);
      await page.getByText("You don't have permission to view this").first().waitFor();
      expect(await page.getByLabel('Choose file').count()).toBe(0);
    }
    await context.close();
  });

  it('reads a large document without holding up the page, and can be canceled', async () => {
    const { name, text } = largeDocument();
    const page = await newPage();
    await page.goto('/tools/import');
    await page.getByText('Choose file').waitFor();
    // By its path: the content of a buffer would go through the page.
    const folder = mkdtempSync(join(tmpdir(), 'import-'));
    const path = join(folder, 'large.json');
    writeFileSync(path, text);
    const read = () => page.getByLabel('Choose file').setInputFiles(path);
    // Otherwise the document could be read before the button is pressed.
    const held = gate();
    await page.route('**/import.worker*', async (route) => {
      await held.opened;
      await route.continue().catch(() => undefined);
    });
    await read();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Cancel reading' }).click();
    await page.getByLabel('Choose file').waitFor({ state: 'attached' });
    await until(async () => page.workers().length === 0);
    held.open();
    await page.unrouteAll({ behavior: 'wait' });

    let seconds = 0;
    let tasks: number[] = [];
    // A busy machine can lengthen a task of one reading, but not one of each of several.
    for (let reading = 0; reading < 5 && (tasks[0] ?? Infinity) >= LONG_TASK_MS; reading++) {
      await page.goto('/tools/import');
      await page.getByText('Choose file').waitFor();
      const started = performance.now();
      await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
      await read();
      await page.getByRole('region', { name: 'Choose methods' }).waitFor();
      seconds = (performance.now() - started) / 1_000;
      tasks = listTasks(await browser.stopTracing());
    }
    const { used, reserved } = await measureWorker(page);
    rmSync(folder, { recursive: true });
    const figures = (...list: number[]) => list.map((one) => one.toFixed(0)).join(', ');
    console.warn(
      `${(text.length / 1e6).toFixed(1)} MB (${name}) in ${seconds.toFixed(1)} s; longest of ${tasks.length} tasks of ` +
        `the page: ${figures(...tasks.slice(0, 5))} ms; heap of the worker, used and reserved: ${figures(used, reserved)} MB`,
    );
    // The document and its schemas, not every converted method.
    expect(used).toBeLessThan(200);
    expect(tasks.length).toBeGreaterThan(100);
    expect(tasks[0]).toBeLessThan(Math.max(LONG_TASK_MS, LONG_TASK_SHARE * seconds * 1_000));
  });

  /** The heap of the worker of a page, in MB: what it uses, and what it has reserved. */
  async function measureWorker(page: Page): Promise<{ used: number; reserved: number }> {
    const session = await admin.newCDPSession(page);
    const usage = new Promise<{ usedSize: number; totalSize: number }>((resolve) => {
      session.on('Target.attachedToTarget', ({ sessionId }) => {
        const message = JSON.stringify({ id: 1, method: 'Runtime.getHeapUsage' });
        void session.send('Target.sendMessageToTarget', { sessionId, message });
      });
      session.on('Target.receivedMessageFromTarget', ({ message }) => {
        const { id, result } = JSON.parse(message) as {
          id?: number;
          result: { usedSize: number; totalSize: number };
        };
        if (id === 1) resolve(result);
      });
    });
    await session.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: false,
    });
    const { usedSize, totalSize } = await usage;
    return { used: usedSize / 1e6, reserved: totalSize / 1e6 };
  }

  /** How long the main thread of the page computed in each task, longest first: without the time that others had the CPU. */
  function listTasks(trace: Buffer): number[] {
    interface TraceEvent {
      name: string;
      pid: number;
      tid: number;
      tdur?: number;
      args?: { name?: string };
    }
    const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
    const threads = new Set(
      traceEvents
        .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    return traceEvents
      .filter(({ name, pid, tid }) => /RunTask$/.test(name) && threads.has(`${pid} ${tid}`))
      .map(({ tdur = 0 }) => tdur / 1_000)
      .sort((a, b) => b - a);
  }

  /** The largest document of the corpus, several times over; without the corpus, a document of our own. */
  function largeDocument(): { name: string; text: string } {
    const folder =
      process.env.OPENAPI_CORPUS ?? join(import.meta.dirname, '../../../../shared/openapi-corpus');
    const [largest] = (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => name.endsWith('.json'))
      .sort((a, b) => statSync(join(folder, b)).size - statSync(join(folder, a)).size);
    if (largest === undefined) {
      console.warn('The large document is one of our own: set OPENAPI_CORPUS to test a real one');
      return { name: 'berths', text: JSON.stringify(berths(6_500)) };
    }
    const root = JSON.parse(readFileSync(join(folder, largest), 'utf8')) as Record<
      'paths' | 'components',
      object
    >;
    const copies = 10;
    const components: object[] = [];
    const paths: [string, unknown][] = [];
    for (let i = 0; i < copies; i++) {
      const move = (part: object) =>
        JSON.parse(JSON.stringify(part).replaceAll('"#/components/', `"#/x-copies/${i}/`)) as object;
      components.push(move(root.components));
      for (const [path, item] of Object.entries(move(root.paths))) paths.push([`/copy${i}${path}`, item]);
    }
    const document = { ...root, 'x-copies': components, paths: Object.fromEntries(paths) };
    // With line breaks, as real documents have them.
    return { name: `${copies} × ${largest}`, text: JSON.stringify(document, null, 1) };
  }

  it('makes a method of a curl command, without its credentials', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/tools/import');
    await page.getByText('cURL', { exact: true }).click();
    expect(await violations(page, 'curl')).toEqual([]);
    const command = page.getByLabel('curl command');
    await command.fill('wget http://example.com');
    await page.getByRole('button', { name: 'Read document' }).click();
    await page.getByRole('alert').getByText('This is not a curl command').waitFor();
    await command.fill(
      `curl '${portUrl}/v1/tickets?class=2' -H 'Authorization: Bearer s3cret-ticket' \\\n` +
        `  -H 'X-Harbor: Oslo' --data-raw $'{"name":"Zoë","seats":[3]}'`,
    );
    await page.getByRole('button', { name: 'Read document' }).click();
    const report = page.getByRole('region', { name: '127.0.0.1' });
    await report.getByText('Credentials are not imported').waitFor();
    // Its only method is chosen, and the way to authenticate is known.
    await page.getByText('1 of 1 chosen').waitFor();
    expect(await page.getByLabel('Server').inputValue()).toBe(portUrl);
    expect(await page.content()).not.toContain('s3cret-ticket');
    await page.getByLabel('Name', { exact: true }).fill('Tickets');
    await page.getByLabel('Token', { exact: true }).fill('new-token');
    await page.getByRole('button', { name: 'Import 1 method' }).click();
    await page.waitForURL(/\/tools\/[0-9a-f-]{36}$/);

    await page.getByRole('button', { name: 'Try post_v1_tickets' }).click();
    await page.getByRole('button', { name: 'Call method' }).click();
    await page.getByRole('group', { name: 'Output' }).getByText('Aurora').waitFor();
    const [request = ''] = received.splice(0);
    expect(request).toMatch(/^POST \/v1\/tickets\?class=2 HTTP\/1\.1\r\n/);
    expect(request).toMatch(/\r\nauthorization: Bearer new-token\r\n/i);
    expect(request).toMatch(/\r\nx-harbor: Oslo\r\n/i);
    expect(Buffer.from(request, 'latin1').toString()).toMatch(/\r\n\r\n\{"name":"Zoë","seats":\[3\]\}$/);
    expect(complaints).toEqual([]);
  });

  describe('again', () => {
    const text = { type: 'string' };
    const query = (properties: Record<string, object>, required: string[] = []) =>
      Object.entries(properties).map(([name, schema]) => ({
        name,
        in: 'query',
        schema,
        required: required.includes(name),
      }));
    const operation = (operationId: string, description: string, parameters: object[]) => ({
      operationId,
      description,
      parameters,
      responses: {},
    });
    const document = (paths: object) => ({
      openapi: '3.1.0',
      info: { title: 'Ferries' },
      servers: [{ url: 'https://ferries.example.com' }],
      paths,
    });
    const BEFORE = document({
      '/ferries': { get: operation('listFerries', 'Lists ferries', query({ harbor: text })) },
      '/ferries/{id}': { get: operation('getFerry', 'Reads a ferry', []) },
      '/crews': { get: operation('listCrews', 'Lists crews', []) },
    });
    const AFTER = document({
      '/ferries': {
        get: operation('listFerries', 'Lists all ferries', query({ harbor: text, day: text }, ['day'])),
      },
      '/ferries/{id}': { get: operation('getFerry', 'Reads one ferry', []) },
      '/docks': { get: operation('listDocks', 'Lists docks', []) },
    });

    async function importFerries(): Promise<string> {
      const page = await newPage();
      await page.goto('/tools/import');
      await choose(page, BEFORE);
      await page.getByRole('button', { name: 'Choose all 3 shown' }).click();
      await page.getByLabel('Name', { exact: true }).fill(`Ferries ${Date.now()}`);
      await page.getByLabel('Authentication').click();
      await page.getByTitle('Bearer token').click();
      await page.getByLabel('Token', { exact: true }).fill('ferry-token');
      await page.getByRole('button', { name: 'Import 3 methods' }).click();
      await page.waitForURL(/\/tools\/[0-9a-f-]{36}$/);
      await page.close();
      return page.url().split('/').at(-1) ?? '';
    }

    it('shows what has changed, keeps edits and credentials, and asks about conflicts', async () => {
      const toolId = await importFerries();
      const { tools } = app.client();
      await tools.updateMethod(toolId, 'getFerry', {
        name: 'readFerry',
        description: 'My ferry',
        timeoutMs: 9_000,
        cache: { ttlSeconds: 60 },
      });
      const page = await newPage();
      const complaints = complaintsOf(page);
      await page.goto(`/tools/${toolId}`);
      await page.getByRole('button', { name: 'Re-import' }).click();
      await choose(page, AFTER);
      const changes = page.getByRole('region', { name: 'Changes' });
      const row = (name: string) => changes.getByRole('row').filter({ hasText: name });
      await row('listFerries').getByText('Breaking').waitFor();
      await row('readFerry').getByText('Conflict').waitFor();
      await row('listCrews').getByText('Not in the document').waitFor();
      await row('listDocks').getByText('New', { exact: true }).waitFor();
      // Nothing is deleted or added without being asked for.
      await changes.getByText('To update: 2, to add: 0, to delete: 0').waitFor();
      expect(await violations(page, 're-import')).toEqual([]);

      await changes.getByRole('button', { name: 'Show what changed in listFerries' }).click();
      const breaking = page.getByRole('dialog', { name: 'listFerries' });
      await breaking.getByText('day must be given now.').waitFor();
      await breaking.getByText('Lists all ferries').waitFor();
      expect(await violations(page, 'differences')).toEqual([]);
      // The drawer is an entry of the history: Back closes it, and the comparison stays.
      await page.goBack();
      await breaking.waitFor({ state: 'hidden' });
      await changes.getByRole('button', { name: 'Show what changed in readFerry' }).click();
      const conflict = page.getByRole('dialog', { name: 'readFerry' });
      for (const version of ['Reads a ferry', 'My ferry', 'Reads one ferry']) {
        await conflict.getByText(version).waitFor();
      }
      expect(await conflict.getByRole('radio', { name: 'Keep my edits' }).isChecked()).toBe(true);
      await page.keyboard.press('Escape');
      await conflict.waitFor({ state: 'hidden' });
      await changes.getByRole('checkbox', { name: 'Delete listCrews' }).check();
      await changes.getByRole('checkbox', { name: 'Add listDocks' }).check();
      await changes.getByRole('button', { name: 'Apply 4 changes' }).click();
      await page.waitForURL(new RegExp(`/tools/${toolId}$`));

      const tool = await tools.get(toolId);
      expect(tool.auth).toEqual({ type: 'bearer', configured: true });
      expect(tool.methods.map(({ name }) => name)).toEqual(['listFerries', 'readFerry', 'listDocks']);
      const [listed, read] = tool.methods;
      expect(listed).toMatchObject({
        description: 'Lists all ferries',
        inputSchema: { required: ['day'], properties: { harbor: { type: 'string' } } },
      });
      expect(read).toMatchObject({ description: 'My ferry', timeoutMs: 9_000, cache: { ttlSeconds: 60 } });

      // The same document again: the conflict was decided.
      await page.getByRole('button', { name: 'Re-import' }).click();
      await choose(page, AFTER);
      await page.getByText('The tool is up to date with the document.').waitFor();
      expect(complaints).toEqual([]);
    });

    it('saves nothing if the tool has changed meanwhile, and compares again', async () => {
      const toolId = await importFerries();
      const page = await newPage();
      await page.setViewportSize(PHONE);
      await page.goto(`/tools/${toolId}/import`);
      await choose(page, AFTER);
      const changes = page.getByRole('region', { name: 'Changes' });
      await changes.getByText('To update: 2').waitFor();
      expect(await overflows(page)).toBe(false);
      await changes.getByRole('checkbox', { name: 'Add listDocks' }).check();
      await app.client().tools.updateMethod(toolId, 'getFerry', { description: 'Meanwhile' });
      // The page says so by itself, and keeps what was decided until it compares again.
      await changes.getByRole('alert').getByText('Someone has changed the tool').waitFor();
      await changes.getByText('To update: 2, to add: 1').waitFor();
      expect(await changes.getByRole('button', { name: 'Apply 3 changes' }).isDisabled()).toBe(true);
      await changes.getByRole('button', { name: 'Compare again' }).click();
      await changes.getByText('Conflict').waitFor();

      // Before the page knows.
      const known = gate();
      await page.route(`**/api/tools/${toolId}`, async (route) => {
        await known.opened;
        await route.continue();
      });
      await app.client().tools.updateMethod(toolId, 'getFerry', { description: 'Meanwhile again' });
      const refused = page.waitForResponse((response) => response.status() === 409);
      await changes.getByRole('button', { name: 'Apply 2 changes' }).click();
      await refused;
      known.open();
      await changes.getByRole('alert').getByText('Someone has changed the tool').waitFor();
      const { methods } = await app.client().tools.get(toolId);
      expect(methods.map(({ description }) => description)).toEqual([
        'Lists ferries',
        'Meanwhile again',
        'Lists crews',
      ]);
      await changes.getByRole('button', { name: 'Compare again' }).click();
      await changes.getByText('Conflict').waitFor();
      await changes.getByRole('button', { name: 'Show what changed in getFerry' }).click();
      await page.getByRole('radio', { name: 'Take the document' }).check();
      expect(await overflows(page)).toBe(false);
      await page.keyboard.press('Escape');
      await changes.getByRole('button', { name: 'Apply 2 changes' }).click();
      await page.waitForURL(new RegExp(`/tools/${toolId}$`));
      const merged = await app.client().tools.get(toolId);
      expect(merged.methods.map(({ description }) => description)).toEqual([
        'Lists all ferries',
        'Reads one ferry',
        'Lists crews',
      ]);
      await page.setViewportSize(DESK);
    });
  });
});
