import { expect, it } from '@jest/globals';
import type { Step } from '@platform/contracts';
import type { Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { installApplication, shopManifest } from '../../api/e2e/harness/applications.ts';
import { applicationIdOf, recordEnvelope } from '../../api/e2e/harness/event-calls.ts';
import {
  complaintsOf,
  describeInBrowser,
  overflows,
  PHONE,
  runConsole,
  until,
  violations,
} from './browser.ts';

/** Nobody asks for changes in this time: whatever is current is so because of the stream. */
const NEVER = 'Live updates are interrupted';

describeInBrowser('the changes of a space in a browser', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started));

  const code = (source: string) => ({ steps: [{ id: 'code', kind: 'code', source }] satisfies Step[] });
  const openTray = async (page: Page) => {
    await page
      .getByRole('button', { name: /^Work in progress/ })
      .first()
      .click();
    return page.getByRole('dialog', { name: 'Work in progress' });
  };

  it('are shown in every tab: a bulk replay is seen and stopped, and rows agree with their drawers', async () => {
    const client = app.client();
    await installApplication(app, shopManifest({ subscriptions: [] }));
    const applicationId = await applicationIdOf(app);
    const old: string[] = [];
    for (let i = 0; i < 30; i++)
      old.push(await recordEnvelope(app, { applicationId, status: 'FAILED', payload: { total: i } }));

    const log = await newPage();
    const complaints = complaintsOf(log);
    await log.goto('/events/log');
    await log.getByRole('button', { name: 'Replay events' }).click();
    const dialog = log.getByRole('dialog');
    await dialog.getByLabel('Events per second').fill('1');
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await dialog.getByRole('button', { name: 'Start replay' }).click();
    await dialog.getByRole('button', { name: 'Continue in background' }).click();

    // Another tab, on another page.
    const other = await newPage();
    await other.goto('/agents');
    await other.getByRole('button', { name: 'Work in progress 1 running' }).first().waitFor();
    const tray = await openTray(other);
    await tray.getByText(/^[1-9]\d* of 30/).waitFor();
    expect(await violations(other, 'tray')).toEqual([]);

    // The same again is not begun without a word.
    await log.getByRole('button', { name: 'Replay events' }).click();
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await dialog.getByText('The same replay is already running.').waitFor();
    await dialog.getByRole('button', { name: 'Show it' }).click();
    await dialog.getByRole('button', { name: 'Stop replay' }).waitFor();
    await dialog.getByRole('button', { name: 'Continue in background' }).click();

    await tray.getByRole('button', { name: 'Stop: Bulk replay' }).click();
    await tray.getByText('Stopped', { exact: true }).waitFor();
    const { items } = await client.events.bulkReplays({ limit: 10 });
    expect(items.map(({ status }) => status)).toEqual(['STOPPED']);

    // A replayed row becomes what its drawer says, and so does an event that another tab emits.
    const rows = log.getByRole('table').getByRole('row');
    await log
      .locator(`a[href^="/events/log/${old[29] ?? ''}"]`)
      .first()
      .click();
    const drawer = log.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Replay' }).click();
    await log
      .getByRole('dialog', { name: 'Replay this event?' })
      .getByRole('button', { name: 'Replay' })
      .click();
    await drawer.getByText('Dispatched', { exact: true }).first().waitFor();
    const row = rows.filter({ has: log.locator(`a[href^="/events/log/${old[29] ?? ''}"]`) });
    await row.getByText('Dispatched', { exact: true }).waitFor();
    await client.events.emitTest('shop', 'order.created', { payload: { total: 77 } });
    await rows.filter({ hasText: '77' }).getByText('Dispatched', { exact: true }).waitFor();

    // A run's clock goes on, although nobody loads it.
    const task = await client.tasks.create({
      name: 'Slow',
      type: 'MANUAL',
      workflow: code('await platform.sleep(100_000)'),
    });
    const run = await client.tasks.run(task.id, { inputs: {} });
    await other.getByRole('button', { name: 'Close' }).click();
    await other.goto('/runs');
    const clock = other.getByRole('row').filter({ hasText: 'Slow' }).locator('.ticking');
    await clock.waitFor();
    const shown = new Set<string>();
    await until(async () => shown.add(await clock.innerText()).size >= 3);

    // The line is away, and what happened meanwhile is there when it is back.
    await other.context().setOffline(true);
    await app.client().runs.cancel(run.id);
    await other.getByText('You are offline').waitFor();
    await other.context().setOffline(false);
    await other.getByRole('row').filter({ hasText: 'Slow' }).getByText('Canceled').waitFor();
    await other.getByText('You are offline').waitFor({ state: 'detached' });
    await other.getByText(NEVER).waitFor({ state: 'detached' });

    // The dialog that emits an event follows it.
    await client.events.createSubscription({
      applicationIdentifier: 'shop',
      event: 'order.created',
      taskId: (await client.tasks.create({ name: 'Ship', type: 'EVENT', workflow: code('return 1') })).id,
      filter: { total: 5 },
    });
    await other.goto('/events/catalog');
    await other.getByRole('button', { name: /Emit/ }).first().click();
    const emission = other.getByRole('dialog');
    await emission.getByRole('button', { name: 'Emit event' }).click();
    await emission.getByText('Dispatched', { exact: true }).first().waitFor();

    // Why it did not fire: the filter is changed, and the event is replayed.
    await emission.getByRole('link', { name: 'Edit filter' }).click();
    await other
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
    await other.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await other.getByText('It would match now').waitFor();
    await other.getByRole('button', { name: 'Replay this one' }).click();
    await other
      .getByRole('dialog')
      .getByRole('link', { name: /Succeeded/ })
      .waitFor();

    await other.setViewportSize(PHONE);
    await other.goto('/agents');
    await openTray(other);
    expect(await overflows(other)).toBe(false);
    expect(complaints.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });
});
