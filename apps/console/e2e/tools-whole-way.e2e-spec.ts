import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { scaled } from '../../api/e2e/faults/scale.ts';
import { paymentsDocument } from '../../api/e2e/fixtures/api-documents.ts';
import { chooseOption, complaintsOf, describeInBrowser, runConsole, say, violations } from './browser.ts';

const SECRET = 'payments-secret-token';
/** Three operations of each: 417 together, as many as a payment provider has, and fewer in `npm test`. */
const RESOURCES = scaled('IMPORT_RESOURCES', { quick: 19, slow: 139 });
/** One of them, and with the digits after it ten. */
const CHOSEN = `resource_${(RESOURCES - 9) / 10}`;

describeInBrowser('a large document, all the way', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started));
  let payments: Server;
  let server: string;
  const calls: string[] = [];

  beforeAll(async () => {
    payments = createServer(({ method, url, headers }, response) => {
      calls.push(`${method} ${url} ${headers.authorization}`);
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id: url, amount: 7 }));
    });
    await new Promise<void>((resolve) => payments.listen(0, '127.0.0.1', resolve));
    server = `http://127.0.0.1:${(payments.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    payments.closeAllConnections();
    await new Promise((resolve) => payments.close(resolve));
  });

  const file = (version: string) => ({
    name: 'payments.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(paymentsDocument(RESOURCES, { version, server }))),
  });

  it('is imported in part, called by its people and its agents, and imported again', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/tools/import');
    await page.getByLabel('Choose file').setInputFiles(file('1'));
    const methods = page.getByRole('region', { name: 'Choose methods' });
    await methods.getByText(`0 of ${RESOURCES * 3} chosen`).waitFor();
    await methods.getByLabel('Search methods').fill(`Get_${CHOSEN}`);
    await methods.getByRole('button', { name: 'Choose all 10 shown' }).click();
    const save = page.getByRole('region', { name: 'Name and connect' });
    expect(await save.getByLabel('Server').inputValue()).toBe(server);
    await save.getByLabel('Authentication').click();
    await page.getByTitle('Bearer token').click();
    await save.getByLabel('Token').fill(SECRET);
    await save.getByRole('button', { name: 'Import 10 methods' }).click();
    await page.waitForURL(/\/tools\/[0-9a-f-]{36}$/);
    const toolId = page.url().split('/').at(-1) ?? '';

    await page.getByRole('button', { name: `Try Get_${CHOSEN}`, exact: true }).click();
    const trial = page.getByRole('dialog', { name: `Try Get_${CHOSEN}` });
    await trial.getByLabel(/^id\b/).fill('x-1');
    await trial.getByRole('button', { name: 'Call method' }).click();
    await trial.getByRole('group', { name: 'Output' }).getByText(`/v1/${CHOSEN}/x-1`).waitFor();
    expect(calls.splice(0)).toEqual([`GET /v1/${CHOSEN}/x-1 Bearer ${SECRET}`]);

    await page.goto('/agents/new');
    await page.getByLabel('Name').fill('Cashier');
    await page.getByLabel('System prompt').fill('Count money.');
    await chooseOption(page.getByLabel('Add a tool'), 'Payments');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByText('Talk to Cashier').waitFor();
    await say(page, `/call Payments.Get_${CHOSEN} {"id":"x-2"}`);
    await page.getByText(/\d tokens \(/).waitFor();
    expect(calls.splice(0)).toEqual([`GET /v1/${CHOSEN}/x-2 Bearer ${SECRET}`]);

    await page.goto(`/tools/${toolId}/import`);
    await page.getByLabel('Choose file').setInputFiles(file('2'));
    const changes = page.getByRole('region', { name: 'Changes' });
    await changes.getByText('To update: 10, to add: 0, to delete: 0').waitFor();
    expect(await violations(page, 're-import')).toEqual([]);
    await changes.getByRole('button', { name: 'Apply 10 changes' }).click();
    await page.waitForURL(new RegExp(`/tools/${toolId}$`));
    const tool = await app.client().tools.get(toolId);
    expect(tool.auth).toEqual({ type: 'bearer', configured: true });
    expect(tool.methods.map(({ description }) => description)).toEqual(
      tool.methods.map(({ path }) => `Reads one ${path.split('/')[2]}`),
    );
    expect(complaints).toEqual([]);
  });
});
