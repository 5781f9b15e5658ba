import { expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { TestApp, TestUser } from '../../api/e2e/harness/app.ts';
import { OAuthAttempts, pkce } from '../../api/e2e/harness/oauth-client.ts';
import {
  describeInBrowser,
  newConsoleContext,
  overflows,
  PHONE,
  runConsole,
  settled,
  violations,
} from './browser.ts';

const CALLBACK = 'http://127.0.0.1:33418/callback';

describeInBrowser('the consent page in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started), { sessionsEnd: true });

  /** The request of a client that has just registered. */
  async function request(name: string, more: Record<string, string> = {}) {
    const { url } = await app.client().mcp.getOffers();
    const oauth = new OAuthAttempts(app, url.replace(/\/mcp\/.*$/, ''));
    const clientId = await oauth.register({ client_name: name });
    const { verifier, challenge } = pkce();
    return {
      oauth,
      clientId,
      verifier,
      path: `/oauth/consent?${oauth.query(clientId, challenge, app.admin.spaceId, more)}`,
    };
  }

  /** Stands in for the client, to which the browser goes. */
  async function awaitCallback(page: Page, act: () => Promise<void>): Promise<URLSearchParams> {
    await page.route(`${CALLBACK}*`, (route) => route.fulfill({ body: 'The client has it.' }));
    await act();
    await page.waitForURL((url) => url.href.startsWith(CALLBACK));
    return new URL(page.url()).searchParams;
  }

  async function signIn(page: Page, { email, password }: TestUser): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true });

  it('asks whoever comes to sign in first, and sends the browser back with a code', async () => {
    const context = await newConsoleContext(browser, app.url);
    const page = await newPage(context);
    await page.setViewportSize(PHONE);
    const { oauth, clientId, verifier, path } = await request('Pocket editor');
    const opened = await page.goto(path);
    expect(opened?.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
    await signIn(page, app.member);
    await page.getByRole('heading', { name: /^Pocket editor wants to use Space of/ }).waitFor();
    await page.getByText('Not verified').waitFor();
    expect(await violations(page, 'consent')).toEqual([]);
    expect(await overflows(page)).toBe(false);
    await page.getByLabel('Use tools and documents, and start tasks').uncheck();
    const received = await awaitCallback(page, () => allow(page).click());
    expect(received.get('state')).toBe('s 1');
    const tokens = await oauth.exchange(clientId, received.get('code') ?? '', verifier);
    expect(tokens.body.scope).toBe('invoke');
    await context.close();

    // Admins see and revoke it.
    const admins = await newPage();
    await admins.goto('/settings/mcp');
    await settled(admins);
    const row = admins.getByRole('row', { name: /Pocket editor/ });
    await row.getByText(app.member.email).waitFor();
    await row.getByRole('button', { name: 'Revoke Pocket editor' }).click();
    await admins.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await admins.getByText('No client has access').waitFor();
    expect((await oauth.tools(tokens.body.access_token, app.admin.spaceId)).status).toBe(401);
  });

  it('tells the client of a refusal, and nobody of a wrong request unless the person wants it', async () => {
    const page = await newPage();
    const { path } = await request('Refused editor');
    await page.goto(path);
    const denied = await awaitCallback(page, () => page.getByRole('button', { name: 'Deny' }).click());
    expect(denied.get('error')).toBe('access_denied');

    const plain = await request('Old editor', { code_challenge_method: 'plain' });
    await page.goto(plain.path);
    await page.getByRole('alert').getByText('code_challenge_method must be S256').waitFor();
    const told = await awaitCallback(page, () =>
      page.getByRole('button', { name: 'Return to Old editor' }).click(),
    );
    expect(told.get('error')).toBe('invalid_request');

    const elsewhere = await request('Thief', { redirect_uri: 'https://attacker.example/' });
    await page.goto(elsewhere.path);
    await page.getByRole('alert').getByText('redirect_uri is none of those').waitFor();
    expect(await page.getByRole('button', { name: /Allow|Return/ }).count()).toBe(0);
  });

  it('says that a person is no member, and lets them come back as someone else', async () => {
    const context = await newConsoleContext(browser, app.url);
    const stranger = await newPage(context);
    await stranger.goto((await request('Stranger')).path);
    await signIn(stranger, app.outsider);
    await stranger.getByRole('alert').getByText('not a member of the space').waitFor();
    await stranger.getByRole('button', { name: 'Use another account' }).click();
    await stranger.getByLabel('Email').waitFor();
    await signIn(stranger, app.member);
    await allow(stranger).waitFor();
    await context.close();
  });

  it('chooses what is offered, and shows settings for clients', async () => {
    const page = await newPage();
    const agent = { name: 'Offered agent', model: 'platform/offline', systemPrompt: 'Be brief.' };
    await app.client().agents.create(agent);
    await page.goto('/settings/mcp');
    await settled(page);
    await page.getByLabel('Agents', { exact: true }).fill('Offered');
    await page.getByTitle('Offered agent').click();
    await page.getByText('3 of 128 tools').waitFor();
    await page.getByRole('checkbox', { name: 'Documents' }).check();
    await page.getByText('4 of 128 tools').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('ask_offered_agent').waitFor();
    const { agents, knowledge, url } = await app.client().mcp.getOffers();
    expect(knowledge).toBe(true);
    expect(agents.map(({ name }) => name)).toEqual(['ask_offered_agent']);
    for (const name of ['Cursor', 'VS Code', 'Other clients', 'With an API key']) {
      await page.getByRole('radiogroup', { name: 'Settings for' }).getByText(name, { exact: true }).click();
      const settings = page.getByRole('group', { name: `Settings for ${name}` });
      expect(JSON.stringify(JSON.parse((await settings.textContent()) ?? ''))).toContain(url);
    }
    await page.setViewportSize(PHONE);
    expect(await violations(page, 'mcp')).toEqual([]);
    expect(await overflows(page)).toBe(false);
  });
});
