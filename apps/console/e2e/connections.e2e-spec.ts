import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import type { OAuthProvider } from '../../api/e2e/fixtures/oauth-provider.ts';
import { sendJson, ToolServer } from '../../api/e2e/fixtures/tool-server.ts';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  complaintsOf,
  describeInBrowser,
  launchBrowser,
  newConsoleContext,
  overflows,
  PHONE,
  settled,
  signIn,
  violations,
} from './browser.ts';
import { startConnectingApp } from './connecting-app.ts';

/** Chooses in a list that cannot be searched. */
async function pick(field: Locator, text: string): Promise<void> {
  await field.press('ArrowDown');
  const dropdown = field.page().locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden)');
  await dropdown.locator('.ant-select-item-option', { hasText: text }).first().click();
}

describeInBrowser('connections in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let oauth: OAuthProvider;
  let things: ToolServer;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ app, oauth, close } = await startConnectingApp());
    things = await ToolServer.start();
    things.respond(sendJson({ ok: true }));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await close();
    await things.stop();
  });

  it('adds a provider, refers a tool to it, connects a person, and revokes the connection', async () => {
    const context = await newConsoleContext(browser, app.url);
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await signIn(page, app.admin);
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByText('There is nothing to connect to yet').waitFor();
    await addProvider(page);

    await app.client().tools.create({
      name: 'Things',
      serverUrl: things.url,
      methods: [
        { name: 'read', httpMethod: 'get', path: '/', inputSchema: { type: 'object', properties: {} } },
      ],
    });
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('link', { name: 'Things' }).click();
    await pick(page.getByLabel('Authentication'), 'Connection');
    await pick(page.getByLabel('On whose behalf'), 'Acme');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Things saved').waitFor();
    expect(await violations(page, 'the authentication of a tool')).toEqual([]);

    const { items: providers } = await app.client().connections.listProviders();
    await page.goto(`/connections?connect=${providers[0]?.id ?? ''}`);
    const dialog = page.getByRole('dialog', { name: 'Connect Acme' });
    await dialog.getByText(things.url).waitFor();
    expect(await violations(page, 'the consent')).toEqual([]);
    oauth.account = 'ada';
    await dialog.getByRole('button', { name: 'Continue to Acme' }).click();
    await page.getByText('Connected. Tools can use it now.').waitFor();
    const row = page.getByRole('row', { name: /Acme.*ada@example\.com.*You.*Active/ });
    await row.waitFor();
    expect(await violations(page, 'connections')).toEqual([]);

    await row.getByRole('button', { name: 'Acme' }).click();
    const drawer = page.getByRole('dialog', { name: 'Acme' });
    await drawer.getByRole('link', { name: 'Things' }).waitFor();
    await drawer.getByText('Renews itself').waitFor();
    await drawer.getByRole('button', { name: 'Test' }).click();
    await page.getByText('It responded with status 200').waitFor();
    await page.setViewportSize(PHONE);
    expect([await overflows(page), await violations(page, 'a connection on a phone')]).toEqual([false, []]);
    await drawer.getByRole('button', { name: 'Revoke Acme' }).click();
    await page.getByText('1 tool stops working with it: Things.').waitFor();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Acme was revoked').waitFor();
    await page.getByRole('button', { name: 'Connect Acme' }).waitFor();
    expect(complaints).toEqual([]);

    await page.goto('/connections?problem=DENIED');
    await page.getByText('You did not allow the access').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('You did not allow the access').waitFor({ state: 'detached' });
    await context.close();
  });

  async function addProvider(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Add provider' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Add provider' });
    await drawer.getByText('/api/connections/callback').waitFor();
    await pick(drawer.getByLabel('Start from'), 'GitHub');
    await drawer.getByRole('link', { name: 'Create the client at GitHub' }).waitFor();
    await pick(drawer.getByLabel('Start from'), 'Find out');
    await drawer.getByLabel('Address of an MCP server').fill(oauth.issuer);
    await drawer.getByRole('button', { name: 'Find' }).click();
    await drawer.getByText(`The settings below come from ${oauth.issuer}`).waitFor();
    expect(await violations(page, 'a new provider')).toEqual([]);
    await drawer.getByLabel('Name').fill('Acme');
    await drawer.getByLabel('Client ID').fill('platform');
    await drawer.getByLabel('Client secret').fill(oauth.clientSecret);
    await drawer.getByLabel('Scopes').fill('openid offline_access');
    await drawer.getByLabel('Addresses that may').fill(things.url);
    await drawer.getByLabel('Test address').fill(`${things.url}/me`);
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Acme was saved').waitFor();
    await page.getByRole('tab', { name: 'Providers' }).click();
    await page.getByRole('row', { name: /Acme/ }).waitFor();
    await settled(page);
    expect(await violations(page, 'providers')).toEqual([]);
    await page.getByRole('tab', { name: 'Connections' }).click();
    await page.getByRole('button', { name: 'Connect Acme' }).waitFor();
  }
});
