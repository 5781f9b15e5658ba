import { beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { TestApp, TestUser } from '../../api/e2e/harness/app.ts';
import {
  complaintsOf,
  describeInBrowser,
  DESK,
  newConsoleContext,
  overflows,
  PHONE,
  runConsole,
  settled,
  signIn,
  until,
  violations,
} from './browser.ts';

const SECRET = 'A secret of the member';

describeInBrowser('traces, the command menu, and the home in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started));
  let agentId: string;

  const say = (text: string, user: TestUser = app.admin) =>
    app.client(user).agents.chat(agentId, { contents: [{ type: 'text', text }] });

  beforeAll(async () => {
    const tools = [{ toolId: 'current_time', methods: null }];
    const agent = { name: 'Clock', model: 'platform/offline', systemPrompt: 'Be brief.', tools };
    agentId = (await app.client().agents.create(agent)).id;
    await say('/call current_time.now {}');
    await say('Hello');
    await say('/fail').catch(() => undefined);
    await say(SECRET, app.member);
  });

  it('lists turns, filters them, and shows those of others only as figures', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/traces');
    const rows = page.locator('.list tbody tr');
    await page.getByRole('table').getByRole('link', { name: 'Hello' }).waitFor();
    // The picture above has the same turns, and leads to them.
    const dots = page.locator('.chart-dot');
    await until(async () => (await dots.count()) === 3);
    await page.getByLabel('Height of the points').selectOption('Cost');
    await page.getByRole('link', { name: /^Failed .* \/fail$/ }).waitFor();
    await until(async () => (await rows.count()) === 3);
    await page.getByLabel('Status').selectOption('FAILED');
    await until(async () => (await rows.count()) === 1);
    await page.getByText('UNAVAILABLE').waitFor();
    expect(new URL(page.url()).search).toBe('?status=FAILED');
    await page.getByLabel('Status').selectOption('');
    // Otherwise the next filter could be added to the previous address.
    await until(async () => (await rows.count()) === 3);
    await page.getByLabel('Whose turns').selectOption('space');
    await page
      .getByText('Former member')
      .or(page.getByText(app.member.email.slice(0, 6)))
      .first()
      .waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await until(async () => (await dots.count()) === 4 && (await page.locator('a.chart-dot').count()) === 3);
    expect(await violations(page, 'traces')).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('keeps the filters of a list by name, with the keyboard alone', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/traces?status=FAILED&since=24h');
    const views = page.getByRole('button', { name: /^Views/ });
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await views.focus();
    await press('Enter');
    // The browser opens a menu before it tells the menu, which then takes the focus.
    await until(() =>
      page.getByRole('menuitem', { name: 'Save view…' }).evaluate((item) => item === document.activeElement),
    );
    await press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Save view' });
    await until(() => dialog.getByLabel('Name').evaluate((field) => field === document.activeElement));
    await page.keyboard.type('Failed lately');
    await press('Tab', 'Space', 'Shift+Tab', 'Enter');
    await page.getByRole('button', { name: 'Views: Failed lately', exact: true }).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    const { items } = await app.client(app.member).savedViews.list({ page: 'traces' });
    expect(items).toMatchObject([{ name: 'Failed lately', query: 'since=24h&status=FAILED', shared: true }]);
    expect(new URL(page.url()).searchParams.get('view')).toBe(items[0]?.id);

    await page.getByLabel('Status').selectOption('COMPLETED');
    await page.getByRole('button', { name: 'Views: Failed lately changed' }).waitFor();
    await views.focus();
    await press('Enter');
    await page.getByRole('menuitem', { name: 'Save changes' }).waitFor();
    expect(await violations(page, 'views')).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    await page.setViewportSize(DESK);
    await press('Escape');
    // The menu of commands finds the view, and opens it as it was saved.
    await page.goto('/agents');
    await settled(page);
    await press('Control+k');
    await page.getByRole('combobox', { name: 'Command menu' }).fill('lately');
    await page.getByRole('option', { name: /Failed lately/ }).waitFor();
    await press('Enter');
    await page.waitForURL('**/traces?**');
    await page.getByRole('button', { name: 'Views: Failed lately', exact: true }).waitFor();
    expect(await page.getByLabel('Status').inputValue()).toBe('FAILED');
    expect(complaints).toEqual([]);
  });

  it('leads to the API reference, which calls the service as the person who is signed in', async () => {
    const page = await newPage();
    await page.goto('/');
    await page.getByRole('button', { name: 'Account' }).click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('menuitem', { name: 'API reference' }).click();
    const reference = await opened;
    await reference.goto('/api/docs#get-/api/agents/-agentId-');
    await reference.getByText(`/api/agents/${agentId}`).first().waitFor();
    await reference.getByRole('button', { name: 'TRY' }).click();
    await reference.getByText('OK:200').waitFor();
    await reference.close();
  });

  it('shows a turn as a waterfall, each step in a drawer that Back closes, and runs it again', async () => {
    const page = await newPage();
    await page.goto('/traces');
    // Not the link: the whole row leads there.
    await page.locator('.list tbody tr', { hasText: '/call current_time' }).locator('td').nth(4).click();
    await page.getByRole('heading', { name: '/call current_time.now {}' }).waitFor();
    await settled(page);
    const steps = page.locator('.span-row');
    await until(async () => (await steps.count()) === 3);
    await steps.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Succeeded').waitFor();
    await drawer.getByText('"timezone"').first().waitFor();
    expect(await violations(page, 'step')).toEqual([]);
    await page.goBack();
    await drawer.waitFor({ state: 'hidden' });
    expect(await violations(page, 'trace')).toEqual([]);
    await page.getByText('Frames', { exact: true }).click();
    await page.locator('.frame-list li').first().waitFor();
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    await page.setViewportSize(DESK);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL(/playground/);
    const input = page.getByRole('textbox', { name: 'Message' });
    await input.waitFor();
    expect(await input.inputValue()).toBe('/call current_time.now {}');
  });

  it('goes anywhere by the command menu and by keys', async () => {
    const page = await newPage();
    await page.goto('/agents');
    await settled(page);
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Command menu' });
    await field.fill('fail');
    await page.getByRole('option', { name: 'Show failed turns' }).waitFor();
    expect(await violations(page, 'command menu')).toEqual([]);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await field.fill('traces');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/traces');
    await page.getByRole('heading', { name: 'Traces' }).waitFor();
    await page.locator('input[type=search]').first().waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.locator('#main').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await violations(page, 'shortcuts')).toEqual([]);
    await page.keyboard.press('Escape');
    // The two keys count only if they follow each other soon.
    await until(async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('j');
      return new URL(page.url()).pathname === '/jobs';
    });
  });

  it('tells on the home what failed, and leads there', async () => {
    const page = await newPage();
    await page.goto('/');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('link', { name: '/fail' }).waitFor();
    await settled(page);
    expect(await violations(page, 'home')).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    await attention.getByRole('link', { name: '/fail' }).click();
    await page.waitForURL('**/traces/**');
    await page.getByText('UNAVAILABLE').first().waitFor();
  });

  it('offers examples in a new conversation, and renames and finds conversations', async () => {
    const page = await newPage();
    await page.goto(`/agents/${agentId}/playground`);
    await page.getByRole('button', { name: /^Let the agent ask you/ }).waitFor();
    expect(await violations(page, 'examples')).toEqual([]);
    await page.getByRole('button', { name: /^Call a tool/ }).click();
    await page.getByText('current_time.now', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    await page.reload();
    await page.locator('details.tool').first().waitFor();
    await page.getByRole('button', { name: 'Rename Hello' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Trip to Lisbon');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stay' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: /^Trip to Lisbon/ }).waitFor();
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    expect(await page.getByLabel('Message').inputValue()).toContain('/call current_time.now');

    const sessionId = new URL(page.url()).searchParams.get('session');
    const conversations = page.getByRole('navigation', { name: 'Conversations' });
    const open = conversations.locator('li.active');
    await open.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await open.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Let the agent ask you/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('session')).toBeNull();
    const { items } = await app.client().agents.sessions(agentId);
    expect(items.map((session) => session.sessionId)).not.toContain(sessionId);
    await conversations.getByRole('link', { name: /^Trip to Lisbon/ }).waitFor();
  });

  it('executes with variables, starts a job, and compares two agents', async () => {
    const desk = { name: 'Desk', model: 'platform/offline', systemPrompt: 'Help {{customer}}.' };
    const { id } = await app.client().agents.create(desk);
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto(`/agents/${id}/playground`);
    const kind = page.getByLabel('Send as');
    const input = page.getByRole('textbox', { name: 'Message' });
    await kind.selectOption({ label: 'Execution' });
    await page.getByText('Fill in first: customer').waitFor();
    const panel = page.getByRole('complementary', { name: 'Run settings' });
    await panel.getByLabel('customer').fill('Ada');
    await input.fill('Where is it? $x^2$');
    await input.press('Enter');
    const answer = page.getByRole('group', { name: 'Agent' });
    await answer.locator('math').waitFor();
    await answer.getByText('Response as JSON').click();
    await answer.getByText(`"${id}"`).waitFor();
    await kind.selectOption({ label: 'Job' });
    await input.fill('Write it down');
    await input.press('Enter');
    await answer.nth(1).getByText('Completed').waitFor();
    await answer.nth(1).getByText('Write it down').waitFor();
    expect(await violations(page, 'run settings')).toEqual([]);
    await page.reload();
    await until(async () => (await answer.count()) === 2);
    expect(await kind.locator('option:checked').innerText()).toBe('Job');
    expect(await panel.getByLabel('customer').inputValue()).toBe('Ada');

    await page.goto(`/agents/${id}/compare?with=${agentId}`);
    await input.fill('One for both');
    await input.press('Enter');
    for (const name of ['Column A', 'Column B'])
      await page
        .getByRole('region', { name })
        .getByText(/^\d+\.\d\d\ss/)
        .last()
        .waitFor();
    expect(await violations(page, 'comparison')).toEqual([]);
    const spare = await app.client().agents.create({ ...desk, name: 'Spare' });
    await page.reload();
    await input.fill('Once more');
    await input.press('Enter');
    const second = page.getByRole('region', { name: 'Column B' });
    await second
      .getByText(/^\d+\.\d\d\ss/)
      .last()
      .waitFor();
    await page.getByLabel('Agent of column A').selectOption(spare.id);
    await page.getByRole('region', { name: 'Column A' }).getByText('Send a message').waitFor();
    // The conversation with the other agent stays.
    expect(await second.getByText('Once more').count()).toBeGreaterThan(0);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    // The initial of the user can be the same letter.
    await page.getByRole('radiogroup').getByText('B', { exact: true }).click();
    await page
      .getByRole('region', { name: 'Column B' })
      .getByText(/^\d+\.\d\d\ss/)
      .last()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows members no pages of admins', async () => {
    const context = await newConsoleContext(browser, app.url);
    const page = await newPage(context);
    await signIn(page, app.member);
    const nav = page.getByRole('navigation', { name: 'Navigation' }).first();
    await nav.getByRole('link', { name: 'Traces' }).waitFor();
    for (const name of ['Event log', 'Subscriptions', 'Applications'])
      expect(await nav.getByRole('link', { name }).count()).toBe(0);
    await page.goto('/traces?scope=space');
    await page.getByRole('table').getByRole('link', { name: SECRET }).waitFor();
    expect(await page.getByLabel('Whose turns').count()).toBe(0);
    await context.close();
  });
});
