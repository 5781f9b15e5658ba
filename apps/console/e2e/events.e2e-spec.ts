import { expect, it } from '@jest/globals';
import { emitManagedEvent } from '@platform/client';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  chooseOption,
  complaintsOf,
  describeInBrowser,
  overflows,
  PHONE,
  runConsole,
  settled,
  until,
  violations,
} from './browser.ts';
import { PARCELS } from './parcels.ts';

describeInBrowser('the event pages in a browser', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started), { sessionsEnd: true });

  it('installs an application, says why an event fired nothing, and replays it after the filter is fixed', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);

    await page.goto('/applications');
    await page.getByRole('button', { name: 'Install application' }).first().click();
    const install = page.getByRole('dialog');
    await install.getByLabel('Manifest as JSON').fill(JSON.stringify({ ...PARCELS, version: 1 }));
    await install.getByRole('button', { name: 'Install', exact: true }).click();
    await install.getByRole('alert').getByText('/version').waitFor();
    await install.getByLabel('Choose file').setInputFiles({
      name: 'manifest.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(PARCELS)),
    });
    await install.getByRole('button', { name: 'Install', exact: true }).click();
    const systemKey = await page.locator('.secret code').innerText();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Parcels' }).waitFor();
    expect(await page.content()).not.toContain(systemKey);

    const task = await app.client().tasks.create({
      name: 'Weigh',
      type: 'EVENT',
      workflow: {
        steps: [
          {
            id: 'weigh',
            kind: 'code',
            source:
              "const { payload } = context.execution.inputs.trigger;\nconsole.log('weighing', payload.number);\nreturn { kilos: payload.weight };",
          },
        ],
      },
    });

    await page.goto('/events/catalog');
    await page.getByRole('heading', { name: 'parcel.sent' }).waitFor();
    await page.getByRole('link', { name: 'Subscribe a task' }).click();
    const drawer = page.getByRole('dialog');
    await chooseOption(drawer.getByLabel('Task'), 'Weigh');
    await drawer.getByRole('button', { name: 'Add field' }).click();
    await drawer.getByLabel('Field 1', { exact: true }).fill('weight');
    await drawer.getByLabel('Values of field 1').fill('50');
    await drawer.getByLabel('Values of field 1').press('Enter');
    await drawer.getByLabel('Values of field 1').fill('100');
    await drawer.getByLabel('Values of field 1').press('Enter');
    await drawer.getByRole('button', { name: 'Create subscription' }).click();
    await page.getByRole('table', { name: 'Subscriptions' }).getByText('50 | 100').waitFor();
    const { items } = await app.client().events.subscriptions({ taskId: task.id });
    expect(items).toMatchObject([{ filter: { weight: [50, 100] }, enabled: true, origin: 'USER' }]);

    const { envelopeId } = await emitManagedEvent(
      { baseUrl: app.url, systemKey },
      { appIdentifier: 'parcels', event: 'parcel.sent', payload: { number: 'P-7', weight: 40 } },
    );
    await page.goto('/events/log?status=DISPATCHED&applicationIdentifier=parcels');
    await page.getByRole('link', { name: /parcel\.sent/ }).click();
    await page.waitForURL(`**/events/log/${envelopeId}?**`);
    const envelope = page.getByRole('dialog', { name: 'parcel.sent' });
    await envelope.getByText('weight: 40, wanted one of [50,100]').waitFor();
    await envelope.getByText('Filter did not match').waitFor();
    expect(await violations(page, 'envelope')).toEqual([]);

    await envelope.getByRole('link', { name: 'Edit filter' }).click();
    await drawer.getByText('Matches 0 of the latest event').waitFor();
    await drawer.getByText('weight: 40, wanted one of [50,100]').waitFor();
    await drawer.getByLabel('Values of field 1').fill('40');
    await drawer.getByLabel('Values of field 1').press('Enter');
    await drawer.getByText('Matches 1 of the latest event').waitFor();
    expect(await violations(page, 'subscription')).toEqual([]);
    await drawer.getByRole('button', { name: 'Save' }).click();
    // Back at the event that led there.
    await page.waitForURL(`**/events/log/${envelopeId}?fixed=*`);
    await envelope.getByRole('status').getByText('It would match now').waitFor();
    await page.goto('/events/subscriptions');
    await page.getByRole('table', { name: 'Subscriptions' }).getByText('50 | 100 | 40').waitFor();

    await page.goto(`/events/log/${envelopeId}`);
    await envelope.getByRole('button', { name: 'Replay' }).click();
    await page
      .getByRole('dialog', { name: 'Replay this event?' })
      .getByRole('button', { name: 'Replay' })
      .click();
    await envelope.getByText('Replay 1').waitFor();
    await envelope.getByText('Matched', { exact: true }).waitFor();
    await envelope.getByRole('link', { name: /Succeeded/ }).click();

    await page.getByRole('heading', { name: 'Weigh' }).waitFor();
    const timeline = page.locator('.timeline');
    await timeline.getByText('weigh', { exact: true }).waitFor();
    await timeline.getByRole('group', { name: 'Log of weigh' }).getByText('weighing P-7').waitFor();
    await timeline.getByRole('group', { name: 'Output of weigh' }).getByText('"kilos"').waitFor();
    const runs = await app.client().tasks.runs(task.id);
    expect(runs.items.map(({ status, trigger }) => [status, trigger?.id])).toEqual([
      ['SUCCEEDED', envelopeId],
    ]);
    // The browser reports the manifest that was rejected.
    expect(complaints).toEqual([expect.stringContaining('400')]);
  });

  it('emits a test event, follows the log live, and replays a time range', async () => {
    const page = await newPage();
    await page.goto('/events/log?live=on');
    await settled(page);
    const rows = page.getByRole('table', { name: 'Event log' }).getByRole('row');
    const before = await rows.count();

    const other = await newPage();
    await other.goto('/events/catalog');
    await other.getByRole('button', { name: 'Emit test event' }).click();
    const emission = other.getByRole('dialog', { name: 'Emit test event' });
    await emission.locator('.cm-content').getByText('"P-1"').waitFor();
    await emission.locator('.cm-content').fill('{"number":7,"weight":0}');
    await emission.getByRole('button', { name: 'Emit event' }).click();
    // Every failing path is named, and nothing is recorded.
    await emission.getByRole('alert').getByText('number').waitFor();
    await emission.getByRole('alert').getByText('weight').waitFor();
    await emission.getByRole('button', { name: 'Reset to sample' }).click();
    await emission.getByRole('button', { name: 'Emit event' }).click();
    await emission.getByRole('link', { name: 'Open envelope' }).waitFor();
    expect(await violations(other, 'test emission')).toEqual([]);

    await until(async () => (await rows.count()) === before + 1);
    await rows.nth(1).getByText('Dispatched').waitFor();

    await page.goto('/events/log?applicationIdentifier=parcels&event=parcel.sent');
    await page.getByRole('button', { name: 'Replay events' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByRole('button', { name: 'Count events' }).click();
    await dialog.getByText('2 events will be replayed').waitFor();
    expect(await violations(page, 'bulk replay')).toEqual([]);
    await dialog.getByRole('button', { name: 'Start replay' }).click();
    await dialog.getByText('Completed').waitFor();
    await dialog.getByText('2 of 2').waitFor();
    expect(new URL(page.url()).searchParams.get('replay')).toMatch(/^[0-9a-f-]{36}$/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('replayed once').first().waitFor();
  });

  it('creates a scheduled task from code, runs it with inputs, and retries a failed run', async () => {
    const page = await newPage();
    await page.goto('/tasks/new');
    await page.getByLabel('Name').fill('Report');
    await page.getByText('On a schedule').click();
    await page.getByLabel('Cron expression').fill('61 * * * *');
    await page
      .locator('.next-times')
      .getByText(/minute/i)
      .waitFor();
    await page.getByLabel('Cron expression').fill('0 9 * * 1');
    await until(async () => (await page.locator('.next-times li').count()) === 5);
    await page
      .locator('.cm-content')
      .first()
      .fill("if (!context.execution.inputs.ok) throw new Error('no luck');\nreturn 1;");
    await page.getByRole('button', { name: 'Create task' }).click();
    await page.getByRole('heading', { name: 'Report' }).waitFor();
    expect(await violations(page, 'task')).toEqual([]);

    await page.getByRole('button', { name: 'Run now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run now: Report' });
    await dialog.locator('.cm-content').fill('[');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await dialog.getByText('Enter a JSON object').waitFor();
    await dialog.locator('.cm-content').fill('{"ok":false}');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.locator('.error-box').getByText('no luck').first().waitFor();
    expect(await violations(page, 'failed run')).toEqual([]);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    const retry = page.getByRole('dialog', { name: 'Retry a run of Report' });
    await retry.getByRole('region', { name: 'Executed again' }).waitFor();
    await retry.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('Attempt 2').waitFor();
    await page.getByRole('link', { name: 'Runs of Report' }).click();
    await page.getByRole('table', { name: 'Runs' }).getByText('Failed', { exact: true }).waitFor();
  });

  it('previews an upgrade with the subscriptions that it breaks, rotates the key, and uninstalls', async () => {
    const page = await newPage();
    await page.goto('/applications/parcels');
    await page.getByRole('button', { name: 'Upgrade' }).click();
    const drawer = page.getByRole('dialog', { name: 'Upgrade Parcels' });
    const next = structuredClone(PARCELS);
    next.version = '2.0.0';
    next.events = [
      {
        name: 'parcel.sent',
        description: 'A parcel left the warehouse.',
        payloadSchema: {
          type: 'object',
          properties: { number: { type: 'string' } },
          additionalProperties: false,
        },
      },
    ];
    await drawer.getByLabel('Manifest as JSON').fill(JSON.stringify(next));
    await drawer.getByRole('button', { name: 'Preview changes' }).click();
    await drawer.getByText('1.0.0 → 2.0.0').waitFor();
    await drawer.getByText('1 subscription would no longer fire').waitFor();
    expect(await violations(page, 'upgrade')).toEqual([]);
    await drawer.getByRole('button', { name: 'Upgrade now' }).click();
    await page.getByText('Upgraded to 2.0.0').waitFor();

    await page.getByRole('button', { name: 'Replace keys' }).click();
    await page
      .getByRole('dialog', { name: /^Replace the system keys/ })
      .getByRole('button', { name: 'Replace keys' })
      .click();
    expect(await page.locator('.secret code').innerText()).toMatch(/^app_/);
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Uninstall' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click();
    await page.getByText('Uninstalled', { exact: true }).waitFor();
    await page.goto('/events/subscriptions');
    await page.getByText('Waiting for application').waitFor();
    await app.client().applications.install(PARCELS);
  });

  it('shows a picture above each list, which leads to a time or a run', async () => {
    const client = app.client();
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/events/log');
    const rows = page.getByRole('table', { name: 'Event log' }).getByRole('row');
    const brush = page.getByRole('slider', { name: 'Choose a time' });
    const area = async () => (await brush.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await brush.waitFor();
    await settled(page);
    const all = await rows.count();
    const timeOf = () => ['from', 'to'].map((name) => new URL(page.url()).searchParams.get(name));

    // The events of this test are in the last bars; those before have none.
    await page.getByText(`Last 24 hours: ${all - 1} events`).waitFor();
    const { x, y, width, height } = await area();
    await page.mouse.move(x + width - 1, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.6, y + height / 2, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    const [from, to] = timeOf().map((time) => Date.parse(time ?? ''));
    expect((to ?? 0) - (from ?? 0)).toBeGreaterThan(9 * 3_600_000);
    expect([from, to].map((time) => (time ?? NaN) % 900_000)).toEqual([0, 0]);
    await page.getByText(`: ${all - 1} events`).waitFor();
    await until(async () => (await rows.count()) === all);

    // The first bar of what is chosen, with the keyboard. A slow page still shows the whole day, of 97 bars at most.
    await until(async () => Number(await brush.getAttribute('aria-valuemax')) > 97);
    await brush.focus();
    await page.keyboard.press('Home');
    expect(await brush.getAttribute('aria-valuetext')).toMatch(/ · Dispatched 0$/);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByText('No events match the filters').waitFor();
    await until(
      async () => Date.parse(timeOf()[0] ?? '') === from && Date.parse(timeOf()[1] ?? '') < (to ?? 0),
    );
    expect(await violations(page, 'picture of the log')).toEqual([]);
    await page.getByRole('button', { name: 'Any time' }).click();
    await until(async () => (await rows.count()) === all);
    await page.goto('/events/log?outcome=FAILED');
    await page.getByText('No events match the filters').waitFor();

    const { items } = await client.runs.list();
    const [before, newest] = items
      .toReversed()
      .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
      .slice(-2);
    await page.goto('/runs');
    const dots = page.locator('.chart-dot');
    await until(async () => (await dots.count()) === items.length);
    await dots.last().hover();
    await page.locator('.chart-tip', { hasText: newest?.taskName ?? '' }).waitFor();
    expect(await violations(page, 'picture of runs')).toEqual([]);
    await dots.last().focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${before?.id ?? ''}`);

    await page.goto('/tasks');
    const [shown] = await client.runs.results([newest?.taskId ?? '']);
    const bars = page.getByRole('row', { name: newest?.taskName ?? '' }).locator('.result-bar');
    await until(async () => (await bars.count()) === shown?.results.length);
    expect(await violations(page, 'results of tasks')).toEqual([]);
    await bars.last().click();
    await page.waitForURL(`**/runs/${shown?.results[0]?.id ?? ''}`);
    await page.setViewportSize(PHONE);
    for (const path of ['/events/log', '/runs', '/tasks']) {
      await page.goto(path);
      await page.locator('.chart-part, .chart-dot').first().waitFor();
      expect(await overflows(page)).toBe(false);
    }
    expect(complaints).toEqual([]);
  });

  it('lists the rows of a table, filtered and in the order of a column', async () => {
    const client = app.client();
    const columns = [
      { name: 'customer', type: 'string' as const },
      { name: 'total', type: 'number' as const },
      { name: 'paid', type: 'boolean' as const },
    ];
    await client.applications.install({
      identifier: 'till',
      name: 'Till',
      version: '1.0.0',
      tables: [{ name: 'receipts', columns }],
    });
    const rows = [30, 10, 20].map((total) => ({ customer: `Customer ${total}`, total, paid: total > 10 }));
    await client.data.createMany({ applicationIdentifier: 'till', table: 'receipts' }, rows);
    const page = await newPage();
    await page.goto('/applications/till');
    await page.getByRole('link', { name: 'receipts' }).click();
    const customers = page.getByRole('table', { name: 'Rows of receipts' }).getByText(/^Customer \d+$/);
    await customers.first().waitFor();
    await page.getByLabel('Order', { exact: true }).selectOption('total, ascending');
    await page.getByText('Customer 10').waitFor();
    await page.waitForFunction(() => document.querySelector('tbody tr')?.textContent.includes('Customer 10'));
    expect(await customers.allInnerTexts()).toEqual(['Customer 10', 'Customer 20', 'Customer 30']);
    await page.getByLabel('Column', { exact: true }).selectOption('total');
    await page.getByLabel('Comparison').selectOption('is at least');
    await page.getByLabel('Value', { exact: true }).fill('many');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText('Enter a number').waitFor();
    await page.getByLabel('Value', { exact: true }).fill('20');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText('Customer 10').waitFor({ state: 'detached' });
    await page.getByText('Customer 20').waitFor();
    expect(await customers.allInnerTexts()).toEqual(['Customer 20', 'Customer 30']);
    expect(await violations(page, 'rows')).toEqual([]);
    await page.reload();
    await page.getByText('Customer 30').click();
    await page.getByRole('dialog', { name: 'Row' }).getByText('"Customer 30"').waitFor();
  });

  it('shows a Chinese interface, which is kept', async () => {
    const page = await newPage();
    await page.goto('/');
    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByRole('menuitemradio', { name: '简体中文' }).click();
    await page.getByRole('heading', { name: '概览' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: '概览' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
    await page.evaluate(() => localStorage.removeItem('platform.language'));
  });
});
