import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { installApplication } from '../../api/e2e/harness/applications.ts';
import { describeInBrowser, runConsole, settled } from './browser.ts';
import { KeyboardUser } from './keyboard-user.ts';

const MANIFEST = {
  identifier: 'parcels',
  name: 'Parcels',
  version: '1.0.0',
  events: [
    {
      name: 'parcel.sent',
      description: 'A parcel left the warehouse.',
      payloadSchema: {
        type: 'object',
        required: ['weight'],
        properties: { weight: { type: 'number', examples: [40] } },
      },
    },
  ],
};
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Harbor' },
  servers: [{ url: 'http://127.0.0.1:9' }],
  paths: Object.fromEntries(
    ['listShips', 'listPiers'].map((operationId) => [
      `/${operationId}`,
      { get: { operationId, summary: operationId, responses: {} } },
    ]),
  ),
};

describeInBrowser('without a mouse', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started));

  async function open(path: string): Promise<{ page: Page; keyboard: KeyboardUser }> {
    const page = await newPage();
    await page.goto(path);
    await settled(page);
    return { page, keyboard: new KeyboardUser(page) };
  }

  it('an event is emitted, explained, and replayed after its filter was mended', async () => {
    const client = app.client();
    await installApplication(app, MANIFEST);
    const task = await client.tasks.create({
      name: 'Weigh',
      type: 'EVENT',
      workflow: { steps: [{ id: 'weigh', kind: 'code', source: 'return 1;' }] },
    });
    const event = { applicationIdentifier: 'parcels', event: 'parcel.sent' };
    await client.events.createSubscription({ ...event, taskId: task.id, filter: { weight: 50 } });

    const { page, keyboard } = await open('/events/catalog');
    await keyboard.activate(page.getByRole('button', { name: 'Emit test event' }));
    await page.locator('.cm-content').waitFor();
    await keyboard.activate(page.getByRole('button', { name: 'Emit event', exact: true }));
    await keyboard.activate(page.getByRole('link', { name: 'Open envelope' }));
    const envelope = page.getByRole('dialog', { name: 'parcel.sent' });
    await envelope.getByText('weight: 40, wanted 50').waitFor();
    await keyboard.activate(envelope.getByRole('link', { name: 'Edit filter' }));
    const values = page.getByRole('dialog').getByLabel('Values of field 1');
    await keyboard.tabTo(values);
    await page.keyboard.type('40');
    await page.keyboard.press('Enter');
    await page.getByText('Matches 1 of the latest event').waitFor();
    await keyboard.activate(page.getByRole('button', { name: 'Save', exact: true }));
    await envelope.getByRole('status').getByText('It would match now').waitFor();
    await keyboard.activate(envelope.getByRole('button', { name: 'Replay this one' }));
    await envelope.getByText('Matched', { exact: true }).waitFor();
    const subscriptions = await client.events.subscriptions({ taskId: task.id });
    expect(subscriptions.items).toMatchObject([{ filter: { weight: [50, 40] } }]);
    const [replayed, ...others] = (await client.events.envelopes()).items;
    expect([replayed?.generation, others]).toEqual([1, []]);
    const runs = await client.tasks.runs(task.id);
    expect(runs.items).toMatchObject([{ trigger: { id: replayed?.id, event: 'parcel.sent' } }]);
    expect(keyboard.withoutRing).toEqual([]);
  });

  it('a method is chosen from a document, and imported with a token', async () => {
    const { page, keyboard } = await open('/tools');
    await keyboard.activate(page.getByRole('button', { name: 'Import tool' }));
    // The window of the system takes over.
    const choosing = page.waitForEvent('filechooser');
    await keyboard.activate(page.getByRole('button', { name: 'Choose file' }));
    const chooser = await choosing;
    await chooser.setFiles({
      name: 'harbor.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(DOCUMENT)),
    });
    await keyboard.tabTo(page.getByRole('checkbox', { name: 'Choose listPiers' }));
    await page.keyboard.press('Space');
    await keyboard.tabTo(page.getByLabel('Authentication'));
    await page.keyboard.press('Enter');
    await keyboard.choose('Bearer token');
    await keyboard.tabTo(page.getByLabel('Token', { exact: true }));
    await page.keyboard.type('harbor-secret');
    await keyboard.activate(page.getByRole('button', { name: 'Import 1 method' }));
    await page.getByRole('heading', { level: 1, name: 'Harbor' }).waitFor();
    const tool = await app.client().tools.get(page.url().split('/').at(-1) ?? '');
    expect(tool).toMatchObject({
      auth: { type: 'bearer', configured: true },
      methods: [{ name: 'listShips' }],
    });
    expect(keyboard.withoutRing).toEqual([]);
  });

  it('a question of an agent is answered, and its call approved', async () => {
    const agent = await app.client().agents.create({
      name: 'Clerk',
      model: 'platform/offline',
      systemPrompt: 'Be brief.',
      tools: [{ toolId: 'current_time', methods: null, policies: { now: { mode: 'ask' } } }],
    });
    const { page, keyboard } = await open(`/agents/${agent.id}/playground`);
    const say = async (text: string) => {
      await keyboard.tabTo(page.getByLabel('Message'));
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    await say('/ask Which tea? | Green | Black');
    const question = page.getByRole('form', { name: 'Which tea?' });
    await keyboard.tabTo(question.getByRole('radio').first());
    await page.keyboard.press('Space');
    await keyboard.activate(question.getByRole('button', { name: 'Answer' }));
    // It stays until the service has accepted the answer.
    await question.waitFor({ state: 'detached' });
    await page.getByText(/\d tokens \(/).waitFor();

    await say('/call current_time.now {"timezone": "Europe/Berlin"}');
    const approval = page.getByRole('heading', { name: 'May the agent make this call?' });
    await approval.waitFor();
    await keyboard.activate(page.getByRole('button', { name: 'Approve' }));
    await approval.waitFor({ state: 'detached' });
    await page
      .getByText(/\d tokens \(/)
      .nth(1)
      .waitFor();
    const { items } = await app.client().turns.list({ agentId: agent.id, limit: 10 });
    expect(items.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(keyboard.withoutRing).toEqual([]);
  });
});
