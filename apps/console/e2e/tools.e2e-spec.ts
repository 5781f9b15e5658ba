import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  chooseOption,
  complaintsOf,
  describeInBrowser,
  DESK,
  overflows,
  PHONE,
  runConsole,
  settled,
  violations,
} from './browser.ts';

const SECRET = 'depot-secret-token';
const METHODS = 300;

describeInBrowser('the tool pages in a browser', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started), { sessionsEnd: true });
  let depot: Server;
  let depotUrl: string;
  const calls: { url: string; authorization: string | undefined }[] = [];

  beforeAll(async () => {
    depot = createServer((request, response) => {
      const { url = '' } = request;
      const json = { 'content-type': 'application/json' };
      if (url === '/shared.json') {
        answerPreflight(request);
        response.writeHead(200, { ...json, ...CORS }).end(request.method === 'OPTIONS' ? '' : document());
      } else if (url === '/closed.json') response.writeHead(200, json).end(document());
      else if (url === '/page')
        response.writeHead(200, { ...CORS, 'content-type': 'text/html' }).end('<!doctype html>');
      else if (url === '/gone.json') response.writeHead(404, CORS).end();
      else {
        calls.push({ url, authorization: request.headers.authorization });
        response.writeHead(200, json).end(JSON.stringify({ parcel: url.split('/').at(-1) }));
      }
    });
    await new Promise<void>((resolve) => depot.listen(0, '127.0.0.1', resolve));
    depotUrl = `http://127.0.0.1:${(depot.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    depot.closeAllConnections();
    await new Promise((resolve) => depot.close(resolve));
  });

  const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'x-depot-key' };
  const sentKeys: (string | undefined)[] = [];

  function answerPreflight({ method, headers }: IncomingMessage): void {
    if (method === 'GET') sentKeys.push(headers['x-depot-key'] as string | undefined);
  }

  /** Many parcels, one operation that is skipped. */
  function document(): string {
    const read = (i: number) => ({
      operationId: `readParcel${i}`,
      summary: `Reads a parcel of depot ${i}`,
      tags: [i % 2 === 0 ? 'even' : 'odd'],
      parameters: [
        { name: 'number', in: 'path', required: true, schema: { type: 'string', examples: ['P-1'] } },
      ],
      responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } } },
    });
    const paths = Array.from({ length: METHODS }, (_, i) => [`/depots/${i}/{number}`, { get: read(i) }]);
    return JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Depots', version: '7' },
      servers: [{ url: 'https://depots.example.com' }, { url: depotUrl, description: 'Test' }],
      paths: { ...Object.fromEntries(paths), '/broken': { get: null } },
    });
  }

  it('imports three of many methods from a file, sets the token, and calls one of them', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/tools');
    await settled(page);
    // The tools of the platform are always there.
    await page.getByRole('table', { name: 'Tools' }).getByText('Platform').first().waitFor();
    expect(await violations(page, 'tools')).toEqual([]);
    await page.getByRole('button', { name: 'Import tool' }).click();
    await page.getByRole('heading', { name: 'Import tool' }).waitFor();
    expect(await violations(page, 'source')).toEqual([]);

    await page.getByLabel('Choose file').setInputFiles({
      name: 'depots.json',
      mimeType: 'application/json',
      buffer: Buffer.from(document()),
    });
    const report = page.getByRole('region', { name: 'Depots' });
    await report.getByText('OpenAPI 3').waitFor();
    await report.getByText('1 method is simplified or skipped').click();
    await report.getByText('GET /broken').waitFor();

    const methods = page.getByRole('region', { name: 'Choose methods' });
    const rows = methods.getByRole('table').getByRole('row');
    expect(await rows.count()).toBeLessThan(100);
    await methods.getByRole('button', { name: `Choose all ${METHODS} shown` }).click();
    await methods.getByText(`${METHODS} methods are chosen`).waitFor();
    await methods.getByRole('button', { name: 'Clear choice' }).click();
    await methods.getByLabel('Search methods').fill('parcel25');
    // 25 and 250 to 259.
    await methods.getByRole('button', { name: 'Choose all 11 shown' }).waitFor();
    await methods.getByRole('checkbox', { name: 'Choose readParcel25', exact: true }).check();
    await methods.getByLabel('Search methods').fill('depot 29');
    await methods.getByRole('checkbox', { name: 'Choose readParcel290' }).check();
    await methods.getByRole('checkbox', { name: 'Choose readParcel291' }).check();
    await methods.getByText(`3 of ${METHODS} chosen`).waitFor();
    expect(await violations(page, 'import')).toEqual([]);

    const save = page.getByRole('region', { name: 'Name and connect' });
    await save.getByLabel('Server').fill(depotUrl);
    await save.getByLabel('Authentication').click();
    await page.getByTitle('Bearer token').click();
    await save.getByLabel('Token').fill(SECRET);
    await save.getByRole('button', { name: 'Import 3 methods' }).click();

    await page.waitForURL(/\/tools\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { level: 1, name: 'Depots' }).waitFor();
    const toolId = page.url().split('/').at(-1) ?? '';
    const tool = await app.client().tools.get(toolId);
    expect(tool).toMatchObject({
      name: 'Depots',
      serverUrl: depotUrl,
      auth: { type: 'bearer', configured: true },
    });
    expect(tool.methods.map(({ name }) => name).sort()).toEqual([
      'readParcel25',
      'readParcel290',
      'readParcel291',
    ]);
    expect(await page.content()).not.toContain(SECRET);
    expect(await violations(page, 'tool')).toEqual([]);

    await page.getByRole('button', { name: 'Try readParcel291' }).click();
    const panel = page.getByRole('dialog', { name: 'Try readParcel291' });
    const number = panel.getByLabel('number');
    expect(await number.inputValue()).toBe('P-1');
    await panel.getByText('string · path').waitFor();
    expect(await violations(page, 'input form')).toEqual([]);
    await panel.getByText('JSON', { exact: true }).click();
    await panel.locator('.cm-content').getByText('"P-1"').waitFor();
    await panel.getByText('Input fields').click();
    await panel.getByRole('list', { name: 'Input fields' }).getByText('number').waitFor();
    await panel.getByRole('button', { name: 'Call method' }).click();
    await panel.getByRole('group', { name: 'Output' }).getByText('"P-1"').waitFor();
    await panel.getByText('200', { exact: true }).waitFor();
    await panel.getByText(/^\d+ bytes$/).waitFor();
    await panel.getByText(/^\d+ response headers$/).click();
    await panel.getByText('application/json', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Code' }).click();
    await page.getByRole('menuitem', { name: 'Copy as cURL' }).click();
    const code = page.getByRole('dialog', { name: 'This call as cURL' });
    await code.getByText(`/api/tools/${toolId}/methods/readParcel291/invoke`).waitFor();
    expect(await code.innerText()).toContain('Bearer $PLATFORM_API_KEY');
    expect(await page.content()).not.toContain(SECRET);
    await code.getByRole('button', { name: 'Close' }).click();
    await code.waitFor({ state: 'hidden' });
    expect(calls).toEqual([{ url: '/depots/291/P-1', authorization: `Bearer ${SECRET}` }]);
    expect(await violations(page, 'try')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('changes a method and the server, keeps the token, and shows that a server cannot be reached', async () => {
    const get = (name: string) => ({
      name,
      httpMethod: 'get',
      path: `/depots/${name}/{number}`,
      inputSchema: { type: 'object', properties: { number: { type: 'string', isPort: true } } },
      bindings: [{ port: 'number', in: 'path' as const, name: 'number' }],
    });
    const tool = await app.client().tools.create({
      name: 'Parcels',
      serverUrl: depotUrl,
      auth: { type: 'bearer', token: SECRET },
      methods: [get('north'), get('south')],
    });
    const page = await newPage();
    await page.goto(`/tools/${tool.id}?method=north`);
    const drawer = page.getByRole('dialog', { name: 'north' });
    await drawer.getByLabel('Cache, in seconds').fill('60');
    await drawer.getByLabel('Description').fill('Reads one parcel.');
    await drawer.getByLabel('Retries').fill('1');
    expect(await violations(page, 'method')).toEqual([]);
    // After the check: the cursor of a focused editor blinks, which is an animation without an end.
    const output = { type: 'object', properties: { parcel: { type: 'string', isPort: true } } };
    await drawer.locator('.cm-content').last().fill(JSON.stringify(output));
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('switch', { name: 'Enable south' }).click();
    await page.locator('[aria-checked=false]').waitFor();

    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByLabel('Server').fill('http://127.0.0.1:9');
    await settings.getByRole('button', { name: 'Save' }).click();
    // The token must not reach another server without someone who knows it.
    await page.getByText('must be sent again').waitFor();
    await settings.getByLabel('Token').fill(SECRET);
    await settings.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Parcels saved').waitFor();
    const changed = await app.client().tools.get(tool.id);
    expect(changed).toMatchObject({ serverUrl: 'http://127.0.0.1:9', auth: { configured: true } });
    expect(changed.methods.filter(({ enabled }) => !enabled).map(({ name }) => name)).toEqual(['south']);
    expect(changed.methods.find(({ name }) => name === 'north')).toMatchObject({
      description: 'Reads one parcel.',
      cache: { ttlSeconds: 60 },
      retry: { attempts: 1 },
      outputSchema: output,
    });

    await page.getByRole('button', { name: 'Try north', exact: true }).click();
    await page.getByRole('button', { name: 'Call method' }).click();
    await page.getByRole('alert').getByText('The server did not return a complete response').waitFor();

    const editor = await newPage();
    await editor.goto('/tasks/new');
    await editor.getByRole('group', { name: 'Add a step' }).getByRole('button', { name: 'Tool' }).click();
    const step = editor.getByRole('group', { name: 'Step 2' });
    await chooseOption(step.getByRole('combobox', { name: 'Tool' }), 'Parcels');
    await chooseOption(step.getByLabel('Method'), 'north');
    await step.getByTitle('north').waitFor();
    await chooseOption(step.getByRole('combobox', { name: 'Tool' }), 'time');
    // Another tool has other methods.
    await step.getByTitle('north').waitFor({ state: 'detached' });

    await page.goto(`/tools/${tool.id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Delete Parcels?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.waitForURL('**/tools');
    expect((await app.client().tools.list()).items.map(({ name }) => name)).not.toContain('Parcels');
  });

  it('gives an agent one method of a tool, which the agent calls', async () => {
    const read = (name: string) => ({
      name,
      httpMethod: 'get',
      path: `/${name}/{number}`,
      inputSchema: { type: 'object', properties: { number: { type: 'string', isPort: true } } },
      bindings: [{ port: 'number', in: 'path' as const, name: 'number' }],
    });
    const tool = await app.client().tools.create({
      name: 'Harbors',
      serverUrl: depotUrl,
      methods: [read('east'), read('west')],
    });
    const page = await newPage();
    await page.goto('/agents/new');
    await page.getByLabel('Name').fill('Pilot');
    await page.getByLabel('System prompt').fill('Guide ships.');
    await chooseOption(page.getByLabel('Add a tool'), 'Harbors');
    await chooseOption(page.getByLabel('Methods of Harbors'), 'west');
    await page.getByLabel('Methods of Harbors').press('Escape');
    await chooseOption(page.getByLabel('Add a tool'), 'speech');
    expect(await violations(page, 'agent')).toEqual([]);
    await page.getByRole('button', { name: 'Remove speech_recognition' }).click();
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByText('Talk to Pilot').waitFor();
    await page.getByLabel('Message').fill('/call Harbors.west {"number":"S-1"}');
    await page.getByLabel('Message').press('Enter');
    await page.getByText('Harbors.west', { exact: true }).waitFor();
    await page.getByText(/\d tokens \(/).waitFor();
    expect(calls.at(-1)?.url).toBe('/west/S-1');

    await page.getByRole('button', { name: 'Configure agent' }).click();
    const chosen = page.getByRole('list', { name: 'Chosen tools' });
    await chosen.getByTitle('west').waitFor();
    const { items } = await app.client().agents.list();
    const pilot = await app.client().agents.get(items.find(({ name }) => name === 'Pilot')?.id ?? '');
    expect(pilot).toMatchObject({ tools: [{ toolId: tool.id, methods: ['west'], status: 'ready' }] });
    await app.client().tools.delete(tool.id);
    await page.reload();
    await chosen.getByText('Does not exist').waitFor();
  });

  it('loads a document from a URL, and says what prevents it', async () => {
    const page = await newPage();
    await page.goto('/tools/import');
    await page.getByText('URL', { exact: true }).click();
    const read = async (url: string) => {
      await page.getByLabel('Document URL').fill(url);
      await page.getByRole('button', { name: 'Read document' }).click();
    };
    const alert = page.getByRole('alert');
    await read('depots.example.com');
    await alert.getByText('Enter a complete address').waitFor();
    await read(`${depotUrl}/gone.json`);
    await alert.getByText('The server returned the status 404').waitFor();
    await read(`${depotUrl}/page`);
    await alert.getByText('returns a web page').waitFor();
    await read(`${depotUrl}/closed.json`);
    await alert.getByText('does not allow other websites').waitFor();
    await alert.getByText(`curl -fL -o openapi.json '${depotUrl}/closed.json'`).waitFor();
    expect(await violations(page, 'problem')).toEqual([]);
    // The input is kept, and the header is sent only to the document's server.
    expect(await page.getByLabel('Document URL').inputValue()).toBe(`${depotUrl}/closed.json`);
    await page.getByLabel('Header name').fill('X-Depot-Key');
    await page.getByLabel('Header value').fill('k-1');
    await read(`${depotUrl}/shared.json`);
    await page.getByRole('region', { name: 'Depots' }).getByText('OpenAPI 3').waitFor();
    expect(sentKeys).toEqual(['k-1']);
  });

  it('names what is wrong with a pasted text, and fits a narrow screen', async () => {
    const page = await newPage();
    await page.setViewportSize(PHONE);
    await page.goto('/tools/import');
    await page.getByText('Text', { exact: true }).click();
    await page.getByLabel('Document as JSON or YAML').fill('openapi: 3.1.0\ninfo: {}\n');
    await page.getByRole('button', { name: 'Read document' }).click();
    await page.getByRole('alert').getByText('paths').waitFor();
    // An address is loaded, not read as a document.
    await page.getByLabel('Document as JSON or YAML').fill(`${depotUrl}/shared.json`);
    await page.getByRole('button', { name: 'Read document' }).click();
    await page.getByRole('region', { name: 'Depots' }).waitFor();
    await page.getByRole('button', { name: 'Choose another document' }).click();
    await page.getByText('Text', { exact: true }).click();
    await page.getByLabel('Document as JSON or YAML').fill(document());
    await page.getByRole('button', { name: 'Read document' }).click();
    await page.getByRole('region', { name: 'Depots' }).waitFor();
    expect(await overflows(page)).toBe(false);
    await page.setViewportSize(DESK);
  });
});
