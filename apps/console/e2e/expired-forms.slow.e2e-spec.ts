import { beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { chooseOption, describeInBrowser, newConsoleContext, runConsole, settled } from './browser.ts';
import { ExpiringSessions } from './expiring.ts';

interface SavedForm {
  name: string;
  path: string;
  /** Opens the form and fills it. */
  fill: (page: Page) => Promise<void>;
  submit: string;
  /** What was saved, as the service knows it. */
  saved: () => Promise<unknown>;
  is: unknown;
}

const NEW_PASSWORD = 'another correct horse';

// Most forms are saved in this way by the flows of `npm test`, see `sessionsEnd`.
describeInBrowser('a form whose session has ended', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started), { sessionsEnd: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  beforeAll(async () => {
    const code = { id: 'code', kind: 'code', source: 'return 1;' } as const;
    await app.client().tasks.create({ name: 'Owned', type: 'MANUAL', workflow: { steps: [code] } });
  });

  const forms: SavedForm[] = [
    {
      name: 'quotas',
      path: '/settings/usage',
      fill: async (page) => {
        await button(page, 'Set quotas').click();
        await page.getByRole('dialog').getByLabel('Data rows').fill('12');
      },
      submit: 'Save',
      saved: async () =>
        (await app.client().usage.storage()).items.find(({ kind }) => kind === 'ROWS')?.quotaBytes,
      is: 12_000_000,
    },
    {
      name: 'the owner of a task',
      path: '/tasks',
      fill: async (page) => {
        await page.getByRole('table').getByText('Owned').click();
        await button(page, 'Change owner').click();
        await chooseOption(page.getByRole('dialog').getByLabel('Owner'), app.member.email.slice(0, 6));
      },
      submit: 'Change owner',
      saved: async () => (await app.client().tasks.list()).items[0]?.ownerUserId === app.member.userId,
      is: true,
    },
    {
      name: 'a text for the knowledge',
      path: '/knowledge',
      fill: async (page) => {
        await button(page, 'Add text').click();
        await page.getByLabel('Title').fill('Written');
        await page.getByRole('dialog').getByLabel('Text').fill('Tea is served at noon.');
      },
      submit: 'Add',
      saved: async () => (await app.client().knowledge.listDocuments()).items.map(({ title }) => title),
      is: ['Written'],
    },
    {
      name: 'a source',
      path: '/knowledge',
      fill: async (page) => {
        await button(page, 'Add a source').click();
        await page.getByLabel('Address').fill(`${app.url}/nothing`);
      },
      submit: 'Add',
      saved: async () =>
        (await app.client().knowledge.listSources()).items.map(({ url }) => new URL(url).pathname),
      is: ['/nothing'],
    },
    {
      name: 'search settings',
      path: '/knowledge',
      fill: async (page) => {
        await button(page, 'Change').click();
        await page.getByLabel('Rewrite questions').check();
      },
      submit: 'Save',
      saved: async () => (await app.client().knowledge.getSettings()).rewritesQuestions,
      is: true,
    },
    {
      name: 'a channel of notifications',
      path: '/settings/notifications',
      fill: async (page) => {
        await button(page, 'Add channel').click();
        await page.getByRole('dialog').getByLabel('Name').fill('Night watch');
        await page.getByRole('dialog').getByLabel('Address').fill(`${app.url}/hook`);
      },
      submit: 'Save',
      saved: async () => (await app.client().notifications.listChannels()).items.map(({ name }) => name),
      is: ['Night watch'],
    },
    {
      name: 'a provider of connections',
      path: '/connections',
      fill: async (page) => {
        await button(page, 'Add provider').click();
        const drawer = page.getByRole('dialog', { name: 'Add provider' });
        await drawer.getByLabel('What people enter or do').click();
        await page.locator('.ant-select-item-option', { hasText: 'Bearer token' }).click();
        await drawer.getByLabel('Name', { exact: true }).fill('Harbor');
        await drawer.getByLabel('Addresses that may receive the access').fill('https://harbor.example.com');
      },
      submit: 'Save',
      saved: async () => (await app.client().connections.listProviders()).items.map(({ name }) => name),
      is: ['Harbor'],
    },
    {
      name: 'a connection',
      path: '/connections',
      fill: async (page) => {
        await button(page, 'Connect Harbor').click();
        await page.getByRole('dialog').getByLabel('Token').fill('t-1');
      },
      submit: 'Connect',
      saved: async () => (await app.client().connections.list()).items.map(({ provider }) => provider.name),
      is: ['Harbor'],
    },
    {
      name: 'a space',
      path: '/',
      fill: async (page) => {
        await page.getByRole('button', { name: /switch space$/ }).click();
        await page.getByRole('menuitem', { name: 'New space' }).click();
        await page.getByRole('dialog').getByLabel('Name').fill('Second floor');
      },
      submit: 'Create space',
      saved: async () => app.sql(`select name from space where name = 'Second floor'`),
      is: [{ name: 'Second floor' }],
    },
    {
      name: 'a password',
      path: '/',
      fill: async (page) => {
        await page.getByRole('button', { name: /^Account/ }).click();
        await page.getByRole('menuitem', { name: 'Change password' }).click();
        await fillPasswords(page, app.admin.password, NEW_PASSWORD);
      },
      submit: 'Change password',
      saved: async () => {
        const body = { email: app.admin.email, password: NEW_PASSWORD };
        return (await app.request('POST', '/api/auth/login', { as: null, body })).status;
      },
      is: 200,
    },
  ];

  it('is saved once, after signing in again: a temporary password', async () => {
    const email = 'new@space.example';
    const added = await app.client().members.add({ email, name: 'New', role: 'MEMBER' });
    const temporaryPassword = ('temporaryPassword' in added && added.temporaryPassword) || '';
    const context = await newConsoleContext(browser, app.url);
    const sessions = new ExpiringSessions(app, temporaryPassword);
    await sessions.watch(context);
    const page = await newPage(context);
    await page.goto('/');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(temporaryPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await fillPasswords(page, temporaryPassword, NEW_PASSWORD);
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
    expect(sessions.unasked).toEqual([]);
    await context.close();
  });

  it.each(forms)(
    'is saved once, after signing in again: $name',
    async ({ path, fill, submit, saved, is }) => {
      const page = await newPage();
      await page.goto(path);
      await settled(page);
      await fill(page);
      await page.getByRole('dialog').getByRole('button', { name: submit, exact: true }).click();
      await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
      expect(await saved()).toEqual(is);
    },
  );
});

async function fillPasswords(page: Page, current: string, next: string): Promise<void> {
  await page.getByLabel('Current password').fill(current);
  await page.getByLabel('New password', { exact: true }).fill(next);
  await page.getByLabel('Repeat new password').fill(next);
}
