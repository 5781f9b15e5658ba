import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { TestApp } from '../../api/e2e/harness/app.ts';
import {
  assertBuilt,
  complaintsOf,
  DESK,
  launchBrowser,
  newConsoleContext,
  overflows,
  PHONE,
  signIn,
  skipReason,
  violations,
} from './browser.ts';

const suite = skipReason ? describe.skip : describe;
if (skipReason) console.warn(`The import of tools is not tested in a browser: ${skipReason}`);

jest.setTimeout(180_000);

suite('importing tools in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let admin: BrowserContext;

  let port: Server;
  let portUrl: string;
  /** What the server has received, byte by byte. */
  const received: string[] = [];

  beforeAll(async () => {
    assertBuilt();
    port = createServer(answer);
    await new Promise<void>((resolve) => port.listen(0, '127.0.0.1', resolve));
    portUrl = `http://127.0.0.1:${(port.address() as AddressInfo).port}`;
    app = await TestApp.start();
    browser = await launchBrowser();
    admin = await newConsoleContext(browser, app.url);
    await signIn(await newPage(), app.admin);
  });
  afterEach(() => Promise.all(admin.pages().map((page) => page.close())));
  afterAll(async () => {
    await browser.close();
    await app.close();
    await new Promise((resolve) => port.close(resolve));
  });

  /** Responds to one request per connection, and keeps its bytes. */
  function answer(socket: Socket): void {
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      received.push(text);
      const output = JSON.stringify({ number: 7, ferry: 'Aurora' });
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${output.length}\r\nconnection: close\r\n\r\n${output}`,
      );
    });
  }

  async function newPage(context = admin): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    return page;
  }

  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  });

  /** Reads a document on a page that asks for one. */
  const choose = (page: Page, document: object) =>
    page.getByLabel('Choose file').setInputFiles(file('document.json', JSON.stringify(document)));

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
        ...{ name, in: 'query', schema, required: required.includes(name) },
      }));
    const operation = (operationId: string, description: string, parameters: object[]) => ({
      ...{ operationId, description, parameters, responses: {} },
    });
    const document = (paths: object) => ({
      ...{ openapi: '3.1.0', info: { title: 'Ferries' }, servers: [{ url: 'https://ferries.example.com' }] },
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
        ...{ name: 'readFerry', description: 'My ferry', timeoutMs: 9_000, cache: { ttlSeconds: 60 } },
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
      await page.keyboard.press('Escape');
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
      await app.client().tools.updateMethod(toolId, 'getFerry', { description: 'Meanwhile' });
      await changes.getByRole('button', { name: 'Apply 2 changes' }).click();
      await changes.getByRole('alert').getByText('Someone has changed the tool').waitFor();
      const { methods } = await app.client().tools.get(toolId);
      expect(methods.map(({ description }) => description)).toEqual([
        'Lists ferries',
        'Meanwhile',
        'Lists crews',
      ]);
      await changes.getByRole('button', { name: 'Load again' }).click();
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
