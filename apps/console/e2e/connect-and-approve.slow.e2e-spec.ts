import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '@platform/contracts';
import type { Browser, Page } from 'playwright-core';
import type { OAuthProvider } from '../../api/e2e/fixtures/oauth-provider.ts';
import { sendJson, ToolServer } from '../../api/e2e/fixtures/tool-server.ts';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { ScriptedModel } from '../../api/e2e/harness/scripted-model.ts';
import {
  complaintsOf,
  DESK,
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

/** Where pictures are saved; absent: none are. */
const { SCREENSHOTS } = process.env;

describeInBrowser('an agent that acts in the name of a person', () => {
  let app: TestApp;
  let browser: Browser;
  let oauth: OAuthProvider;
  let shop: ToolServer;
  let model: ScriptedModel;
  let agent: Agent;
  /** What the shop has received. Its first response is the last one that the token is good for. */
  const bodies: string[] = [];
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ app, oauth, close } = await startConnectingApp());
    [shop, model] = await Promise.all([ToolServer.start(), ScriptedModel.start()]);
    shop.respond((response, received) => {
      bodies.push(received.body.toString());
      sendJson({ done: true })(response, received);
      if (bodies.length === 1)
        void app.sql(`update connection set status = 'EXPIRED', reason = 'GRANT_ENDED'`);
    });
    agent = await makeAgent();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await close();
    await Promise.all([shop.stop(), model.close()]);
  });

  /** Finds orders without asking, and asks before a refund. */
  async function makeAgent(): Promise<Agent> {
    const client = app.client();
    const provider = await client.connections.createProvider({
      name: 'Acme',
      kind: 'oauth2',
      origins: [shop.url],
      oauth: oauth.settings,
      clientSecret: oauth.clientSecret,
    });
    const inputSchema = { type: 'object', properties: {} };
    const amount = { type: 'number', isPort: true };
    const tool = await client.tools.create({
      name: 'Shop',
      serverUrl: shop.url,
      auth: { type: 'connection', providerId: provider.id },
      methods: [
        { name: 'find', httpMethod: 'get', path: '/orders', inputSchema },
        {
          name: 'refund',
          httpMethod: 'post',
          path: '/refunds',
          inputSchema: { type: 'object', properties: { amount } },
          bindings: [{ port: 'amount', in: 'body', name: 'amount' }],
          bodyMediaType: 'application/json',
          policy: { mode: 'ask' },
        },
      ],
    });
    await client.models.create({ name: 'scripted', baseUrl: model.url });
    return client.agents.create({
      name: 'Clerk',
      model: 'scripted',
      systemPrompt: 'Be brief.',
      tools: [{ toolId: tool.id, methods: null }],
    });
  }

  const call = (id: string, method: string, input: object) => ({
    text: [],
    toolCalls: [{ id, name: `Shop__${method}`, arguments: JSON.stringify(input) }],
  });

  async function say(page: Page, text: string) {
    await page.getByRole('textbox').first().fill(text);
    await page.keyboard.press('Enter');
  }

  /** Signs in at the provider, in the tab that the card opens. The conversation goes on by itself. */
  async function connect(page: Page, heading: string | RegExp) {
    await page.getByRole('heading', { name: heading }).waitFor();
    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Connect the account' }).click(),
    ]);
    await tab.getByRole('dialog').getByRole('button', { name: 'Continue to Acme' }).click();
    await tab.getByText('Connected. Tools can use it now.').waitFor();
    await tab.close();
  }

  async function shoot(page: Page, name: string) {
    if (SCREENSHOTS === undefined) return;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(DESK);
      await settled(page);
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`) });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-phone.png`) });
    await page.setViewportSize(DESK);
  }

  it('asks to connect, to sign in again, and for approval, and asks again after the connection is revoked', async () => {
    const context = await newConsoleContext(browser, app.url);
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await signIn(page, app.admin);
    await page.goto(`/agents/${agent.id}/playground`);
    await settled(page);

    // The token ends between two calls of the same turn.
    const orders = model.prompt(call('c1', 'find', {}), call('c2', 'find', {}), { text: ['Two orders.'] });
    await say(page, orders);
    await page
      .getByRole('heading', { name: 'Connect Acme: the tool Shop calls it on your behalf' })
      .waitFor();
    expect([await overflows(page), await violations(page, 'a missing connection')]).toEqual([false, []]);
    await shoot(page, 'connect');
    await connect(page, /Connect Acme/);
    await page.getByRole('heading', { name: /Sign in to Acme again/ }).waitFor();
    await shoot(page, 'sign-in-again');
    await connect(page, /Sign in to Acme again/);
    await page.getByText('Two orders.').waitFor();
    expect(bodies).toEqual(['', '']);

    await say(page, model.prompt(call('c3', 'refund', { amount: 40 }), { text: ['Refunded.'] }));
    await page.getByRole('heading', { name: 'May the agent make this call?' }).waitFor();
    await page.getByText('Calls of this method need an approval: an admin has set that.').waitFor();
    expect(bodies).toHaveLength(2);
    await shoot(page, 'approve');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Refunded.').waitFor();
    expect(bodies).toEqual(['', '', '{"amount":40}']);

    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByRole('row', { name: /Acme/ }).getByRole('button', { name: 'Acme' }).click();
    await page.getByRole('dialog', { name: 'Acme' }).getByRole('button', { name: 'Revoke Acme' }).click();
    await page.getByText('1 tool stops working with it: Shop.').waitFor();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Acme was revoked').waitFor();
    await page.goto(`/agents/${agent.id}/playground`);
    await settled(page);
    await say(page, model.prompt(call('c4', 'find', {}), { text: ['Nothing.'] }));
    await page.getByRole('heading', { name: /Connect Acme/ }).waitFor();
    expect(bodies).toHaveLength(3);
    await page.getByRole('button', { name: 'Go on without it' }).click();
    await page.getByText('Nothing.').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
