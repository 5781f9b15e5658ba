// Pages of the event bus, tasks, and applications.
import { callApi, signIn } from './screenshots-session.mjs';

const PARCELS = {
  identifier: 'parcels',
  name: 'Parcels',
  version: '1.0.0',
  events: [
    {
      name: 'parcel.sent',
      description: 'A parcel left the warehouse.',
      payloadSchema: {
        type: 'object',
        required: ['number', 'weight'],
        properties: {
          number: { type: 'string', description: 'As printed on the label', examples: ['P-1001'] },
          weight: { type: 'integer', minimum: 1, default: 40, description: 'In kilograms' },
          express: { type: 'boolean', default: false },
          address: {
            type: 'object',
            required: ['city'],
            properties: { street: { type: 'string' }, city: { type: 'string', default: 'Berlin' } },
          },
        },
      },
    },
    {
      name: 'parcel.lost',
      description: 'Nobody knows where the parcel is.',
      payloadSchema: { type: 'object', properties: { number: { type: 'string' } } },
    },
  ],
};

const WEIGH = `const { payload } = context.execution.inputs.trigger ?? { payload: {} };
console.log('weighing', payload.number ?? 'nothing');
if (payload.weight > 90) throw new Error(\`\${payload.number} is too heavy\`);
return { kilos: payload.weight ?? 0 };`;

/** Takes screenshots of everything that events touch, in a space of its own. */
export async function shootEvents(browser, options, shootOf) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const shoot = shootOf(page);
  const first = callApi(page, await signIn(page, process.env.PLATFORM_EMAIL, process.env.PLATFORM_PASSWORD));
  const { space: home } = await first('POST', '/api/auth/refresh', {});
  const space = await first('POST', '/api/spaces', { name: 'Harbor logistics' });
  const { accessToken } = await first('POST', '/api/auth/refresh', { spaceId: space.id });
  const api = callApi(page, accessToken);

  for (const [name, path] of [
    ['overview-first-steps', '/'],
    ['catalog-empty', '/events/catalog'],
    ['event-log-empty', '/events/log'],
    ['tasks-empty', '/tasks'],
    ['applications-empty', '/applications'],
  ]) {
    await page.goto(path);
    await shoot(name);
  }
  await shootInstallation(page, shoot);
  const data = await fill(api);
  await shootLists(page, shoot, data);
  await shootForms(page, shoot, data);
  // The next sign-in opens the space that was used last.
  await api('POST', '/api/auth/refresh', { spaceId: home.id });
  await context.close();
}

async function shootInstallation(page, shoot) {
  await page.goto('/applications?install=open');
  const text = page.getByLabel('Manifest as JSON');
  await text.fill(JSON.stringify({ ...PARCELS, events: [{ name: 'Sent', description: 1 }] }, null, 2));
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('alert').scrollIntoViewIfNeeded();
  await shoot('application-rejected');
  await text.fill(JSON.stringify(PARCELS, null, 2));
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await page.locator('.secret').waitFor();
  await shoot('application-installed');
}

/** Creates tasks, subscriptions, events, and runs. */
async function fill(api) {
  const weigh = await api('POST', '/api/tasks', {
    name: 'Weigh the parcel',
    type: 'EVENT',
    workflow: {
      steps: [
        { id: 'weigh', kind: 'code', source: WEIGH },
        { id: 'report', kind: 'code', source: "console.log('done');\nreturn context.steps.weigh.output;" },
      ],
    },
  });
  const report = await api('POST', '/api/tasks', {
    name: 'Report on Monday',
    type: 'SCHEDULE',
    schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
    workflow: { steps: [{ id: 'report', kind: 'code', source: "return 'nothing to report';" }] },
  });
  const event = { applicationIdentifier: 'parcels', event: 'parcel.sent' };
  const subscription = await api('POST', '/api/events/subscriptions', {
    ...event,
    taskId: weigh.id,
    filter: { weight: [95, 40], express: false },
  });
  await api('POST', '/api/events/subscriptions', { ...event, taskId: weigh.id, enabled: false });
  const weights = [40, 95, 12, 40, 7, 40];
  for (const [i, weight] of weights.entries()) {
    await api('POST', '/api/events/catalog/parcels/parcel.sent/test', {
      payload: { number: `P-${1001 + i}`, weight, express: false, address: { city: 'Berlin' } },
    });
  }
  await api('POST', '/api/events/catalog/parcels/parcel.lost/test', { payload: { number: 'P-1003' } });
  await until(async () => {
    const { items } = await api('GET', '/api/runs');
    return items.length >= 4 && items.every(({ status }) => status === 'SUCCEEDED' || status === 'FAILED');
  });
  const { items: envelopes } = await api('GET', '/api/events/envelopes?event=parcel.sent');
  const matched = envelopes.find(({ payload }) => payload.weight === 40);
  await api('POST', `/api/events/envelopes/${matched.id}/replay`, {});
  const { items: runs } = await api('GET', '/api/runs?status=FAILED');
  const failed = runs[0];
  await api('POST', `/api/runs/${failed.id}/retry`, {});
  await until(async () =>
    (await api('GET', `/api/runs/${failed.id}`)).attempts.every((one) => one.finishedAt),
  );
  const { items: succeeded } = await api('GET', '/api/runs?status=SUCCEEDED');
  const unmatched = envelopes.find(({ payload }) => payload.weight === 12);
  return { weigh, report, subscription, matched, unmatched, failed, succeeded: succeeded[0] };
}

async function shootLists(page, shoot, { matched, unmatched, failed, succeeded, weigh }) {
  for (const [name, path] of [
    ['overview', '/?window=1h'],
    ['event-log', '/events/log?live=on'],
    ['event-log-no-match', '/events/log?status=FAILED'],
    ['envelope-mismatch', `/events/log/${unmatched.id}`],
    ['subscriptions', '/events/subscriptions'],
    ['tasks', '/tasks'],
    ['task-runs', `/tasks/${weigh.id}?tab=runs`],
    ['runs', '/runs'],
    ['run', `/runs/${succeeded.id}`],
    ['run-failed', `/runs/${failed.id}`],
    ['applications', '/applications'],
    ['application', '/applications/parcels'],
  ]) {
    await page.goto(path);
    await shoot(name);
  }
  await page.goto(`/events/log/${matched.id}`);
  await page.getByText('Replay 1').waitFor();
  await page.getByText('Replay 1').scrollIntoViewIfNeeded();
  await shoot('envelope-replayed');
}

async function shootForms(page, shoot, { weigh, report, subscription }) {
  await page.goto('/events/catalog?event=parcels%2Fparcel.sent');
  await shoot('catalog');
  await page.getByRole('button', { name: 'Emit test event' }).click();
  await page.locator('.cm-content').waitFor();
  await page.getByRole('button', { name: 'Emit event' }).click();
  await page.getByRole('link', { name: 'Open envelope' }).waitFor();
  await shoot('test-emission');
  await page.goto(`/events/subscriptions?subscription=${subscription.id}`);
  await page.getByText(/^Matches \d/).waitFor();
  await shoot('subscription');
  await page.goto('/events/subscriptions?subscription=new&for=parcels%2Fparcel.sent');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByText(/^Matches \d/).waitFor();
  await shoot('subscription-new');
  await page.goto('/events/log?replay=new&applicationIdentifier=parcels&event=parcel.sent');
  await page.getByRole('button', { name: 'Count events' }).click();
  await page.getByText(/will be replayed$/).waitFor();
  await shoot('bulk-replay');
  await page.getByRole('button', { name: 'Start replay' }).click();
  await page.getByText('Completed').waitFor();
  await shoot('bulk-replay-done');
  await page.goto(`/tasks/${weigh.id}`);
  await page.locator('.cm-content').first().waitFor();
  await shoot('task');
  await page.locator('.steps').scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Emit event' }).click();
  await page.getByRole('group', { name: 'Step 3' }).scrollIntoViewIfNeeded();
  await shoot('task-steps');
  await page.goto(`/tasks/${report.id}`);
  await page.locator('.next-times li').first().waitFor();
  await shoot('task-schedule');
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('dialog').locator('.cm-content').waitFor();
  await shoot('task-run');
  await page.goto('/applications/parcels?upgrade=open');
  const [sent] = PARCELS.events;
  const { weight: _, ...properties } = sent.payloadSchema.properties;
  const events = [{ ...sent, payloadSchema: { type: 'object', properties, additionalProperties: false } }];
  await page.getByLabel('Manifest as JSON').fill(JSON.stringify({ ...PARCELS, version: '2.0.0', events }));
  await page.getByRole('button', { name: 'Preview changes' }).click();
  await page.getByRole('button', { name: 'Upgrade now' }).waitFor();
  await page.getByRole('button', { name: 'Upgrade now' }).scrollIntoViewIfNeeded();
  await shoot('application-upgrade');
  await page.goto('/applications/parcels');
  await page.getByRole('button', { name: 'Uninstall' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot('application-uninstall');
  await page.evaluate("localStorage.setItem('platform.language', 'zh-CN')");
  await page.goto('/?window=1h');
  await shoot('overview-chinese');
  await page.evaluate("localStorage.removeItem('platform.language')");
}

async function until(isDone) {
  const end = Date.now() + 60_000;
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error('It did not happen within a minute');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
