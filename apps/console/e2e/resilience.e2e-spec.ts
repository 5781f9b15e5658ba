import { beforeAll, expect, it } from '@jest/globals';
import type { Browser, Route } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  describeInBrowser,
  DESK,
  newConsoleContext,
  PHONE,
  runConsole,
  signIn,
  violations,
} from './browser.ts';

const SHOTS = process.env.SHOTS;

describeInBrowser('what must not be lost in the console', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started));
  let agentId: string;

  beforeAll(async () => {
    const agent = { name: 'Parcel helper', model: 'platform/offline', systemPrompt: 'Be brief.' };
    agentId = (await app.client().agents.create(agent)).id;
  });

  it('finds by name and by a pasted id, from every page', async () => {
    const page = await newPage();
    await page.goto('/jobs');
    await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Command menu' });
    await field.fill('parc');
    await page.getByRole('option', { name: 'Parcel helper' }).waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/search.png` });
    expect(await violations(page, 'search')).toEqual([]);
    await field.fill(agentId);
    await page.getByRole('option', { name: 'Parcel helper' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/agents/${agentId}`);
  });

  it('never shows the form of one task on the page of another, and keeps it behind other tabs', async () => {
    const create = async (name: string) => {
      const steps = [{ id: 'work', kind: 'code' as const, source: 'return 1;' }];
      return (await app.client().tasks.create({ name, type: 'MANUAL', workflow: { steps } })).id;
    };
    const [first, second] = [await create('Weigh parcels'), await create('Label parcels')];
    const page = await newPage();
    const name = page.getByLabel('Name', { exact: true });
    await page.goto(`/tasks/${first}`);
    await name.waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Command menu' }).fill(second);
    await page.getByRole('option', { name: 'Label parcels' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tasks/${second}`);
    await page.getByRole('heading', { level: 1, name: 'Label parcels' }).waitFor();
    expect(await name.inputValue()).toBe('Label parcels');
    // What was loaded before is shown at once.
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Weigh parcels' }).waitFor();
    expect(await name.inputValue()).toBe('Weigh parcels');

    await name.fill('Weigh all parcels');
    await page.getByRole('tab', { name: 'Runs' }).click();
    await name.waitFor({ state: 'hidden' });
    await page.getByRole('tab', { name: 'Definition' }).click();
    await name.waitFor();
    expect(await name.inputValue()).toBe('Weigh all parcels');
  });

  it('keeps the navigation if the code of a page cannot be loaded, and loads it later', async () => {
    const page = await newPage();
    await page.goto('/agents');
    await page.getByRole('link', { name: 'Parcel helper' }).waitFor();
    await page.route(/assets\/models-page-.*\.js/, (route) => route.abort());
    await page.getByRole('link', { name: 'Models' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'This page could not be loaded' });
    await alert.waitFor();
    if (SHOTS) await page.screenshot({ path: `${SHOTS}/late.png` });
    expect(await violations(page, 'late page')).toEqual([]);
    await page.unroute(/assets\/models-page-.*\.js/);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Models' }).waitFor();
  });

  it('signs in again over the page, and saves what was entered before', async () => {
    const context = await newConsoleContext(browser, app.url);
    const page = await context.newPage();
    await page.setViewportSize(DESK);
    await signIn(page, app.member);
    await page.goto('/agents/new');
    await page.getByLabel('Name', { exact: true }).fill('Typed for an hour');
    await page.getByLabel('System prompt').fill('Be brief.');
    // The session ends after the click: what the page loads by itself would ask first.
    const end = async (route: Route) => {
      const revoke = 'update refresh_session set revoked_at = clock_timestamp() where user_id = $1';
      await app.sql(revoke, [app.member.userId]);
      await route.continue();
    };
    await page.route('**/api/agents', end, { times: 1 });
    await page.getByRole('button', { name: 'Create agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    if (SHOTS) {
      await page.screenshot({ path: `${SHOTS}/expired.png` });
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.screenshot({ path: `${SHOTS}/expired-dark.png` });
      await page.setViewportSize(PHONE);
      await page.screenshot({ path: `${SHOTS}/expired-phone.png` });
    }
    expect(await violations(page, 'expired session')).toEqual([]);
    await dialog.getByLabel('Password').fill(app.member.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}/);
    const { items } = await app.client(app.member).agents.list();
    expect(items.map(({ name }) => name)).toContain('Typed for an hour');
    await context.close();
  });

  it('asks before Back, the command menu, or a reload discards what was typed in a drawer or a dialog', async () => {
    const page = await newPage();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    const answer = async (name: 'Stay' | 'Leave') => {
      await question.getByRole('button', { name }).click();
      await question.waitFor({ state: 'hidden' });
    };
    const name = page.getByLabel('Name', { exact: true });
    await page.goto('/settings/models');
    await page.getByRole('button', { name: 'Add model' }).first().click();
    await name.fill('typed-for-an-hour');
    await page.goBack();
    await answer('Stay');
    expect(await name.inputValue()).toBe('typed-for-an-hour');
    expect(new URL(page.url()).search).toBe('?model=new');

    const choose = async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command menu' }).fill('members');
      await page.getByRole('option', { name: 'Members' }).first().waitFor();
      await page.keyboard.press('Enter');
    };
    await choose();
    await answer('Stay');
    expect(await name.inputValue()).toBe('typed-for-an-hour');
    // The browser asks in its own words.
    const asked = page.waitForEvent('dialog');
    const reloaded = page.evaluate(() => window.location.reload()).catch(() => undefined);
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await reloaded;
    await page.goBack();
    await answer('Leave');
    await name.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).search).toBe('');

    // A dialog that has no place in the URL.
    await page.goto('/settings/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    await name.fill('billing');
    await choose();
    await answer('Stay');
    expect(await name.inputValue()).toBe('billing');
    await choose();
    await answer('Leave');
    await page.waitForURL('**/settings/members');
  });

  it('asks nothing after a save that closes a drawer or leads to another page', async () => {
    const page = await newPage();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.goto('/settings/models');
    await page.getByRole('button', { name: 'Add model' }).first().click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('quiet-model');
    await page.getByLabel('Base URL').fill('https://models.example.com/v1');
    await page.getByRole('button', { name: 'Save' }).click();
    await name.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'quiet-model', exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await question.count()).toBe(0);
    await page.goBack();

    const steps = [{ id: 'work', kind: 'code' as const, source: 'return 1;' }];
    const task = await app.client().tasks.create({ name: 'Weigh', type: 'MANUAL', workflow: { steps } });
    await page.goto(`/tasks/${task.id}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByLabel('Inputs').fill('{"kilos": 2}');
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.waitForURL('**/runs/*');
    expect(await question.count()).toBe(0);
  });
});
