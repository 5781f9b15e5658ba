import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  chooseOption,
  describeInBrowser,
  DESK,
  overflows,
  PHONE,
  runConsole,
  settled,
  until,
  violations,
} from './browser.ts';

const LOAD = { name: 'Load the sample shop' };

describeInBrowser('the first steps in a browser', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started));

  const load = (page: Page) => page.getByRole('button', LOAD);
  const count = async () => {
    const [applications, envelopes, runs] = await Promise.all([
      app.client().applications.list(),
      app.client().events.envelopes(),
      app.client().runs.list(),
    ]);
    return [applications.items.length, envelopes.items.length, runs.items.length];
  };
  const look = async (page: Page, where: string) => {
    for (const [size, viewport] of [
      ['', DESK],
      [' on a phone', PHONE],
    ] as const) {
      await page.setViewportSize(viewport);
      await settled(page);
      expect(await overflows(page)).toBe(false);
      expect(await violations(page, where + size)).toEqual([]);
    }
    await page.setViewportSize(DESK);
  };

  it('load the sample shop: through a lost response and a closed tab, once, with what there is to see', async () => {
    const page = await newPage();
    for (const path of ['/', '/applications', '/tasks', '/events/subscriptions', '/events/log']) {
      await page.goto(path);
      await load(page).waitFor();
      await look(page, `empty ${path}`);
    }

    // The application is installed, but nobody is told.
    let isLost = false;
    await page.route('**/api/applications', async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.continue();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    await load(page).click();
    const dialog = page.getByRole('dialog', { name: 'The sample shop is not complete' });
    await dialog.getByText(/sample-shop is installed .* and 0 of 3 events are emitted/).waitFor();
    await look(page, 'half loaded');
    expect((await count())[0]).toBe(1);
    // Then the second event is refused, and the tab is closed.
    let sent = 0;
    await page.route('**/test', (route) =>
      ++sent === 2
        ? route.fulfill({ status: 403, json: { success: false, code: 'FORBIDDEN', message: 'Not now' } })
        : route.continue(),
    );
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Not now').waitFor();
    await page.getByText(/sample-shop is installed .* and 1 of 3 events are emitted/).waitFor();
    await page.close();

    const next = await newPage();
    await next.goto('/applications/sample-shop');
    await next.getByText('The sample shop has emitted 1 of its 3 events.').waitFor();
    await look(next, 'application');
    await load(next).click();
    await next.waitForURL('**/events/log');
    await next.getByText(/The sample shop is loaded/).waitFor();
    const rows = next.getByRole('table', { name: 'Event log' }).getByRole('row');
    // Three samples, and the one that the task emits.
    await until(async () => (await rows.count()) === 5);
    await next.getByRole('link', { name: /stock\.low/ }).waitFor();
    await look(next, 'log');
    expect(await count()).toEqual([1, 4, 1]);

    const paid = next.getByRole('link', { name: /order\.paid/ });
    const envelope = next.getByRole('dialog', { name: 'order.paid' });
    await paid.first().click();
    await envelope.getByRole('link', { name: /Succeeded/ }).waitFor();
    await look(next, 'matching');
    await next.goto('/events/log');
    await paid.nth(1).click();
    await envelope.getByText('shipping: "standard", wanted "express"').waitFor();
    await look(next, 'not matching');

    // It is there, so nothing offers it again.
    await next.goto('/');
    await next.getByRole('link', { name: 'Open the sample shop' }).waitFor();
    await look(next, 'overview');
    expect(await load(next).count()).toBe(0);
    await next.getByRole('link', { name: 'Open the sample shop' }).click();
    await next.getByRole('heading', { name: 'Sample shop' }).waitFor();
    await settled(next);
    expect(await load(next).count()).toBe(0);
    expect(await count()).toEqual([1, 4, 1]);
  });

  it('add a tool to an agent, from where one sees who uses it', async () => {
    const client = app.client();
    const { id } = await client.tools.create({
      name: 'carrier',
      description: 'Sends parcels.',
      serverUrl: 'https://carrier.example',
      methods: [
        {
          name: 'track',
          description: '',
          httpMethod: 'GET',
          path: '/track',
          inputSchema: { type: 'object' },
          outputSchema: {},
          bindings: [],
        },
      ],
    });
    const agent = await client.agents.create({
      name: 'Courier',
      model: 'platform/offline',
      systemPrompt: 'Hi',
    });
    const page = await newPage();
    await page.goto(`/tools/${id}`);
    await page.getByText('None yet.').waitFor();
    await look(page, 'unused tool');
    await page.getByRole('button', { name: 'Add to agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add carrier to an agent' });
    await chooseOption(dialog.getByLabel('Agent'), 'Courier');
    await look(page, 'choosing an agent');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Courier can now call carrier').waitFor();
    const used = page.getByRole('list', { name: 'Used by' });
    await used.getByRole('link', { name: 'Courier' }).waitFor();
    await look(page, 'used tool');
    expect(await client.agents.get(agent.id)).toMatchObject({ tools: [{ toolId: id, methods: null }] });
    await used.getByRole('link', { name: 'Courier' }).click();
    await page.getByRole('list', { name: 'Chosen tools' }).getByRole('link', { name: 'carrier' }).waitFor();
    await page.goto('/agents/new');
    await page.getByRole('link', { name: 'Open the list of tools' }).waitFor();
    await look(page, 'agent without tools');
  });
});
