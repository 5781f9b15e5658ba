import { expect, it } from '@jest/globals';
import type { Step } from '@platform/contracts';
import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { installApplication } from '../../api/e2e/harness/applications.ts';
import { describeInBrowser, newConsoleContext, openPlaygroundOf, runConsole, say, until } from './browser.ts';

/** What a screen reader says, and where the keyboard is: neither is seen on a picture. */
describeInBrowser('what is read out', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started));

  const focusedTag = (page: Page) => page.evaluate(() => document.activeElement?.tagName);
  const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).first();

  it('tells of a wrong password, and of a field that is missing', async () => {
    const context = await newConsoleContext(browser, app.url);
    const stranger = await context.newPage();
    await stranger.goto('/');
    await stranger.getByLabel('Email').fill(app.member.email);
    await stranger.getByLabel('Password', { exact: true }).fill('wrong');
    await stranger.keyboard.press('Enter');
    await stranger.getByRole('alert').getByText('Email or password is wrong').waitFor();
    await context.close();

    const fields = [{ key: 'amount', label: 'Amount', type: 'number', required: true }];
    const ask = { id: 'ask', kind: 'ask', message: 'Refund to Ada?', approval: true, fields };
    const task = await app
      .client()
      .tasks.create({ name: 'Refund', type: 'MANUAL', workflow: { steps: [ask as object as Step] } });
    const run = await app.client().tasks.run(task.id, { inputs: {} });
    await app.client().runs.waitFor(run.id, { until: ['WAITING'], pollMs: 100 });
    const page = await newPage();
    await page.goto(`/runs/${run.id}`);
    await said(page, 'Waiting').waitFor();
    await page.goto('/inbox');
    await page.getByRole('button', { name: /Refund to Ada/ }).press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Approve' }).press('Enter');
    const amount = drawer.getByRole('spinbutton', { name: 'Amount', exact: true });
    await until(() => amount.evaluate((field) => field === document.activeElement));
    await page.keyboard.type('12');
    await drawer.getByRole('button', { name: 'Approve' }).press('Enter');
    await drawer.getByText('Approved', { exact: true }).waitFor();
    // The row that opened the drawer is gone as well.
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await until(async () => (await focusedTag(page)) !== 'BODY');
  });

  it('tells of a question of the agent, and of the end of its answer', async () => {
    const page = await newPage();
    await openPlaygroundOf(app, page, 'Host');
    await say(page, 'Tea\n/ask Which tea? | Green | Black');
    await said(page, 'The agent asks: Which tea?').waitFor({ state: 'attached' });
    const question = page.getByRole('form', { name: 'Which tea?' });
    await question.getByRole('radio', { name: 'Green' }).press('Space');
    await question.getByRole('button', { name: 'Answer' }).press('Enter');
    await said(page, 'The answer is complete').waitFor({ state: 'attached' });
  });

  it('keeps the keyboard where something was removed', async () => {
    const client = app.client();
    await installApplication(app);
    const task = await client.tasks.create({
      name: 'Ship',
      type: 'EVENT',
      workflow: { steps: [{ id: 'code', kind: 'code', source: 'return 1' }] },
    });
    const { id } = await client.events.createSubscription({
      applicationIdentifier: 'shop',
      event: 'order.created',
      taskId: task.id,
      filter: { total: 5 },
    });
    const page = await newPage();
    await page.goto(`/events/subscriptions?subscription=${id}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Remove total' }).press('Enter');
    await drawer.getByText('No filter: every event matches.').waitFor();
    await until(async () => (await focusedTag(page)) !== 'BODY');
    await page.keyboard.press('Tab');
    expect(
      await drawer
        .getByRole('button', { name: 'Add field' })
        .evaluate((one) => one === document.activeElement),
    ).toBe(true);
  });
});
