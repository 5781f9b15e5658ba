import { expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  complaintsOf,
  describeInBrowser,
  DESK,
  newConsoleContext,
  openPlaygroundOf,
  overflows,
  pagesOf,
  PHONE,
  runConsole,
  say,
  settled,
  spokenIcons,
  violations,
} from './browser.ts';
import { PARCELS } from './parcels.ts';

async function faults(page: Page, where: string): Promise<string[]> {
  return [...(await violations(page, where)), ...(await spokenIcons(page, where))];
}

describeInBrowser('accessibility violations', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started));

  it.each([
    ['light', 'light', DESK],
    ['dark', 'dark', DESK],
    ['narrow', 'light', PHONE],
  ] as const)('agents, jobs, and settings have none: %s', async (look, colorScheme, viewport) => {
    const page = await newPage();
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    const agentId = await openPlaygroundOf(app, page, `Accessible ${look}`);
    await say(page, 'Hello, `code`, [link](https://example.com)\n/fail');
    await page.getByText('Last seq').waitFor();
    await say(page, '/call current_time.now {}\n\n/ask Which? | Green | Black | other');
    await page.getByRole('form', { name: 'Which?' }).getByText('Something else').click();
    await page.getByText('current_time.now').last().click();
    const found = await faults(page, 'conversation');
    for (const path of pagesOf(agentId)) {
      await page.goto(path);
      await settled(page);
      found.push(...(await faults(page, path)));
      expect([path, await overflows(page)]).toEqual([path, false]);
    }
    await page.goto('/settings/models');
    await page.getByRole('button', { name: 'Add model' }).click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await faults(page, 'model drawer')));
    await page.goto('/jobs');
    await page.getByRole('button', { name: 'New job' }).first().click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await faults(page, 'job dialog')));
    const contents = [{ type: 'text' as const, text: 'Hello' }];
    const { id } = await app.client().jobs.create({ agentId, contents });
    await page.goto(`/jobs?job=${id}`);
    await page.getByRole('dialog').getByText('Completed').waitFor();
    found.push(...(await faults(page, 'job drawer')));
    await page.goto('/settings/usage');
    await page.getByRole('button', { name: 'Grant tokens' }).click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await faults(page, 'grant dialog')));

    const context = await newConsoleContext(browser, app.url);
    const stranger = await newPage(context);
    await stranger.emulateMedia({ colorScheme });
    await stranger.setViewportSize(viewport);
    await stranger.goto('/sign-in');
    await stranger.getByLabel('Email').waitFor();
    found.push(...(await faults(stranger, '/sign-in')));
    await context.close();
    expect(found).toEqual([]);
  });

  it.each([
    ['light', 'light', DESK],
    ['dark', 'dark', DESK],
    ['narrow', 'light', PHONE],
  ] as const)('events, tasks, and applications have none: %s', async (look, colorScheme, viewport) => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    const client = app.client();
    const identifier = `parcels-${look}`;
    await client.applications.install({ ...PARCELS, identifier });
    const payload = { number: 'P-1', weight: 1 };
    const envelope = await client.events.emitTest(identifier, 'parcel.sent', { payload });
    const workflow = { steps: [{ id: 'count', kind: 'code' as const, source: 'return 1;' }] };
    const task = await client.tasks.create({ name: 'Count', type: 'EVENT', workflow });
    const run = await client.tasks.run(task.id);
    const found: string[] = [];
    for (const path of [
      '/',
      '/?window=7d',
      '/events/catalog',
      '/events/subscriptions',
      '/events/subscriptions?subscription=new',
      '/events/log?live=on',
      '/events/log?status=FAILED',
      `/events/log/${envelope.envelopeId}`,
      '/events/log?replay=new',
      '/tasks',
      '/tasks/new?type=SCHEDULE',
      `/tasks/${task.id}`,
      `/tasks/${task.id}?tab=runs`,
      '/runs',
      `/runs/${run.id}`,
      '/applications',
      '/applications?install=open',
      `/applications/${identifier}`,
    ]) {
      await page.goto(path);
      await settled(page);
      found.push(...(await faults(page, path)));
      expect([path, await overflows(page)]).toEqual([path, false]);
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('whatever people name fits narrow screens', async () => {
    const page = await newPage();
    await page.setViewportSize({ ...PHONE, width: 360 });
    const client = app.client();
    const name = 'x'.repeat(119);
    const event = `${'x'.repeat(60)}.${'y'.repeat(50)}`;
    const agent = await client.agents.create({
      name,
      description: name,
      model: 'platform/offline',
      systemPrompt: name,
    });
    const tool = await client.tools.create({
      name,
      description: name,
      serverUrl: `https://example.com/${name}`,
      methods: [],
    });
    const workflow = { steps: [{ id: 'count', kind: 'code' as const, source: 'return 1;' }] };
    const task = await client.tasks.create({ name, type: 'EVENT', workflow });
    const events = [{ name: event, description: name, payloadSchema: { type: 'object' } }];
    await client.applications.install({ identifier: 'long', name, version: '1.0.0', events });
    await client.events.createSubscription({
      applicationIdentifier: 'long',
      event,
      taskId: task.id,
      enabled: true,
      filter: null,
    });
    const { envelopeId } = await client.events.emitTest('long', event, { payload: { name } });
    const wide: string[] = [];
    for (const path of [
      '/agents',
      `/agents/${agent.id}`,
      `/agents/${agent.id}/playground`,
      `/agents/${agent.id}/compare`,
      '/tools',
      `/tools/${tool.id}`,
      '/tasks',
      `/tasks/${task.id}`,
      '/runs',
      '/events/log',
      `/events/log/${envelopeId}`,
      '/events/subscriptions',
      `/events/catalog?event=long/${event}`,
      '/applications',
      '/applications/long',
    ]) {
      await page.goto(path);
      await settled(page);
      if ((await overflows(page)) || (await page.evaluate(hasValueBelowLabel))) wide.push(path);
    }
    expect(wide).toEqual([]);
  });
});

/** Whether a line of a value in a list begins below the label, not beside it. Runs in the page. */
function hasValueBelowLabel(): boolean {
  const range = document.createRange();
  return [...document.querySelectorAll('td[data-label]:not([data-label=""])')].some((cell) => {
    range.selectNodeContents(cell);
    const start = cell.getBoundingClientRect().left + parseFloat(getComputedStyle(cell).fontSize) * 6;
    return [...range.getClientRects()].some(({ left, width }) => width > 0 && left < start);
  });
}
