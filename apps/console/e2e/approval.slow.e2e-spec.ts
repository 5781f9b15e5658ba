import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ApplicationManifest, Run } from '@platform/contracts';
import type { Browser, Locator, Page } from 'playwright-core';
import { TestApp } from '../../api/e2e/harness/app.ts';
import { eventually } from '../../api/e2e/harness/eventually.ts';
import { ServiceProcess } from '../../api/e2e/harness/process.ts';
import {
  chooseOption,
  describeInBrowser,
  launchBrowser,
  newConsoleContext,
  overflows,
  PHONE,
  settled,
  signIn,
  violations,
} from './browser.ts';

const SHOP: ApplicationManifest = {
  identifier: 'shop',
  name: 'Shop',
  version: '1.0.0',
  events: [
    {
      name: 'order.placed',
      description: 'A customer placed an order.',
      payloadSchema: {
        type: 'object',
        required: ['order', 'amount'],
        properties: {
          order: { type: 'string', examples: ['A-1'] },
          amount: { type: 'number', examples: [2_000] },
          carrier: { type: 'object', properties: { name: { type: 'string' } } },
        },
      },
    },
  ],
};

/** Orders that name their carrier, as they all did when the task was built. */
const PAST = [
  { order: 'A-1', amount: 2_000, carrier: { name: 'post' } },
  { order: 'A-2', amount: 50, carrier: { name: 'post' } },
];

/**
 * What a person needs, in milliseconds, by the keystroke-level model: to think of and to make a click, and to press a key. The browser's
 * own time would say how fast the machine is.
 */
const CLICK_MS = 1_350 + 1_100 + 200;
const KEY_MS = 280;
const MAX_MS = 180_000;

/** Clicks and types like a person, and counts the time that it takes one. */
class Hands {
  clicks = 0;
  keys = 0;

  get ms(): number {
    return this.clicks * CLICK_MS + this.keys * KEY_MS;
  }

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  async type(field: Locator, text: string): Promise<void> {
    this.clicks++;
    this.keys += text.length;
    await field.fill(text);
  }

  /** The editor replaces the field in which the text is edited until it is loaded. */
  async writeCode(step: Locator, source: string): Promise<void> {
    const editor = step.locator('.cm-content');
    await this.click(editor);
    this.keys += source.length + 2;
    await editor.press('Control+a');
    await editor.fill(source);
  }

  /** Types the beginning of a template, and takes the suggestion with Enter. */
  async complete(field: Locator, typed: string, suggestion: string): Promise<void> {
    this.keys += typed.length + 1;
    await field.press('End');
    await field.pressSequentially(typed);
    const active = field.page().locator('.ant-select-item-option-active');
    await active.getByText(suggestion, { exact: true }).waitFor();
    await field.press('Enter');
  }
}

const MENDED =
  "const { order, carrier } = context.execution.inputs.trigger.payload; return order + ' by ' + (carrier?.name ?? 'any carrier')";

const card = (page: Page, number: string) => page.getByRole('group', { name: `Step ${number}`, exact: true });

describeInBrowser('the approval of orders in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let service: ServiceProcess;
  const start = async () =>
    (
      await ServiceProcess.spawn({
        DATABASE_URL: app.databaseUrl,
        PLATFORM_SECRET_KEY: app.secretKey,
        PLATFORM_DATA_DIR: app.dataDir,
      })
    ).ready();
  const openConsole = async () => (await newConsoleContext(browser, service.url)).newPage();

  beforeAll(async () => {
    // It has the database, and neither dispatches nor executes anything.
    app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    service = await start();
    browser = await launchBrowser();
    await app.client().applications.install(SHOP);
    for (const payload of PAST) await emit(payload);
  });
  afterAll(async () => {
    await browser.close();
    await service.kill();
    await app.close();
  });

  const emit = (payload: Record<string, unknown>) =>
    app.client().events.emitTest('shop', 'order.placed', { payload });
  const saved = (taskId: string, version: number) =>
    eventually(async () => expect((await app.client().tasks.get(taskId)).version).toBe(version));
  const runsOf = async (taskId: string) => (await app.client().tasks.runs(taskId)).items;

  it('is built by clicks, tested with a past event, approved on a phone after a restart, and mended', async () => {
    const page = await openConsole();
    await signIn(page, app.admin);
    const hands = new Hands();
    const taskId = await build(page, hands);
    await subscribe(page, hands);
    await testWithPastEvent(page, hands, taskId);
    console.log(
      `${hands.clicks} clicks and ${hands.keys} keys: ${Math.round(hands.ms / 1_000)} s of a person`,
    );
    expect(hands.ms).toBeLessThan(MAX_MS);

    // Real orders have no carrier, which the code does not expect.
    await emit({ order: 'A-3', amount: 3_000 });
    await emit({ order: 'A-4', amount: 70 });
    await eventually(async () =>
      expect((await runsOf(taskId)).map(({ status }) => status).sort()).toEqual(['FAILED', 'WAITING']),
    );

    await service.kill();
    service = await start();
    await approveOnPhone();
    await eventually(async () =>
      expect((await runsOf(taskId)).map(({ status }) => status)).toEqual(['FAILED', 'FAILED']),
    );

    const desk = await openConsole();
    await signIn(desk, app.admin);
    await mend(desk, taskId);
    await previewRetry(desk, taskId);
    await retryInBulk(desk);
    const ended = await eventually(async () => {
      const runs = await runsOf(taskId);
      expect(runs.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
      return Promise.all(runs.map(({ id }) => app.client().runs.get(id)));
    });
    expect(ended.map(outcomeOf)).toEqual([
      ['A-4', 'A-4 by any carrier', 1],
      ['A-3', 'A-3 by any carrier', 1],
    ]);
    // Asked once, and answered once: a retry keeps what has ended.
    const questions = await app.client().inbox.list({ status: 'ANSWERED' });
    expect(questions.items.map(({ message }) => message)).toEqual(['Ship A-3 for 3000?']);
  }, 600_000);

  async function build(page: Page, hands: Hands): Promise<string> {
    await page.goto('/tasks/new');
    await hands.type(page.getByLabel('Name', { exact: true }), 'Approval');
    await hands.click(page.getByText('By an event', { exact: true }));
    await hands.click(page.getByRole('button', { name: 'Remove step 1' }));
    const kinds = page.getByRole('group', { name: 'Add a step' });
    await hands.click(kinds.last().getByRole('button', { name: 'Branch' }));
    const branch = card(page, '1');
    await hands.type(branch.getByLabel('Step id').first(), 'decide');
    await hands.type(branch.getByLabel('Branch 1: if'), 'trigger.payload.amount > 1000');
    const first = branch.getByRole('region', { name: 'Branch 1' });
    await hands.click(first.getByRole('button', { name: 'Add a step' }));
    await hands.click(first.getByRole('button', { name: 'Ask people' }));
    const ask = card(page, '1.1.1');
    await hands.type(ask.getByLabel('Step id'), 'approval');
    await hands.type(ask.getByLabel('Question', { exact: true }), 'Ship it?');
    await hands.click(ask.getByRole('combobox', { name: 'Who can answer' }));
    await hands.click(page.getByTitle('Admins of the space'));
    await hands.click(first.getByRole('button', { name: 'Add a step' }));
    await hands.click(first.getByRole('button', { name: 'Code' }));
    await hands.type(card(page, '1.1.2').getByLabel('Step id'), 'answer');
    await hands.writeCode(card(page, '1.1.2'), 'return context.steps.approval.output.approved');
    const otherwise = branch.getByRole('region', { name: 'Otherwise' });
    await hands.click(otherwise.getByRole('button', { name: 'Add a step' }));
    await hands.click(otherwise.getByRole('button', { name: 'Code' }));
    await hands.writeCode(card(page, '1.0.1'), 'return true');
    await hands.click(kinds.last().getByRole('button', { name: 'Code' }));
    const ship = card(page, '2');
    await hands.type(ship.getByLabel('Step id'), 'ship');
    await hands.writeCode(
      ship,
      "const { order, carrier } = context.execution.inputs.trigger.payload; return order + ' by ' + carrier.name",
    );
    await hands.click(ship.getByText('Options', { exact: true }));
    const onlyIf = ship.getByLabel('Only if');
    await hands.click(onlyIf);
    await hands.complete(onlyIf, 'steps.d', 'steps.decide.output');
    await hands.click(page.getByRole('button', { name: 'Create task' }));
    await page.waitForURL(/\/tasks\/[0-9a-f-]{36}/);
    return /tasks\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
  }

  async function subscribe(page: Page, hands: Hands): Promise<void> {
    await page.goto('/events/catalog?event=shop%2Forder.placed');
    await hands.click(page.getByRole('link', { name: 'Subscribe a task' }));
    const drawer = page.getByRole('dialog');
    hands.clicks++;
    await chooseOption(drawer.getByLabel('Task'), 'Approval');
    await hands.click(drawer.getByRole('button', { name: 'Create subscription' }));
    await drawer.waitFor({ state: 'detached' });
  }

  /** Completes the question from the schema of the event, and tests that before it is saved. */
  async function testWithPastEvent(page: Page, hands: Hands, taskId: string): Promise<void> {
    await page.goto(`/tasks/${taskId}`);
    const question = card(page, '1.1.1').getByLabel('Question', { exact: true });
    await hands.type(question, 'Ship ');
    await hands.complete(question, '{{order', 'trigger.payload.order');
    await hands.complete(question, ' for {{am', 'trigger.payload.amount');
    hands.keys++;
    await question.pressSequentially('?');
    await hands.click(page.getByRole('button', { name: 'Test', exact: true }).first());
    const panel = page.getByRole('complementary', { name: 'Test' });
    await hands.click(panel.getByRole('radio', { name: /"A-1"/ }));
    await hands.click(panel.getByRole('button', { name: 'Start test' }));
    const result = panel.getByRole('region', { name: 'Result of the test' });
    await result.getByText('Unsaved changes').waitFor();
    await result.getByRole('status').getByText('Succeeded').waitFor();
    await result.getByText('Simulated').waitFor();
    await hands.click(page.getByRole('button', { name: 'Save' }));
    await saved(taskId, 2);
    const tests = await app.client().tasks.runs(taskId, { isTest: 'true' });
    expect(tests.items).toMatchObject([{ status: 'SUCCEEDED', isTest: true }]);
    const test = await app.client().runs.get(tests.items[0]?.id ?? '');
    expect(test.steps.map(({ scope, output }) => [scope, output])).toEqual([
      ['decide', true],
      ['decide.approval', expect.objectContaining({ approved: true })],
      ['decide.answer', true],
      ['ship', 'A-1 by post'],
    ]);
    expect(await app.client().inbox.count()).toEqual({ open: 0 });
    await settled(page);
    expect(await violations(page, 'test')).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    expect(await violations(page, 'test on a phone')).toEqual([]);
  }

  async function approveOnPhone(): Promise<void> {
    const phone = await openConsole();
    await phone.setViewportSize(PHONE);
    await signIn(phone, app.admin);
    await phone.goto('/inbox');
    await phone.getByRole('button', { name: /Ship A-3 for 3000\?/ }).click();
    const question = phone.getByRole('dialog');
    await question.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await overflows(phone)).toBe(false);
    expect(await violations(phone, 'question')).toEqual([]);
    await question.getByRole('button', { name: 'Approve' }).click();
    await question.getByText('Approved', { exact: true }).waitFor();
  }

  /** Corrects the code of the last step. */
  async function mend(page: Page, taskId: string): Promise<void> {
    await page.goto(`/tasks/${taskId}`);
    const editor = card(page, '2').locator('.cm-content');
    await editor.click();
    await editor.press('Control+a');
    await editor.fill(MENDED);
    await page.getByRole('button', { name: 'Save' }).click();
    await saved(taskId, 3);
  }

  /** Looks at what a retry of the order that was approved would do, with the version that failed and the one that does not. */
  async function previewRetry(page: Page, taskId: string): Promise<void> {
    const approved = (await runsOf(taskId)).at(-1);
    await page.goto(`/runs/${approved?.id}`);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const repeated = dialog.getByRole('region', { name: 'Executed again' });
    await repeated.getByText('ship', { exact: true }).waitFor();
    await dialog.getByText('3 steps are kept').click();
    await dialog.getByText('decide.approval', { exact: true }).waitFor();
    await dialog.getByText('Version 3 (current)').waitFor();
    expect(await violations(page, 'retry')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  }

  async function retryInBulk(page: Page): Promise<void> {
    await page.goto('/runs/failures');
    const group = page.getByRole('checkbox', { name: /Approval/ });
    await group.check();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 runs').waitFor();
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('No failures').waitFor();
  }
});

/** The order that a run was about, what its last step returned, and how often it has executed the branch. */
function outcomeOf({ trigger, steps }: Run): unknown[] {
  return [trigger?.payload.order, steps.at(-1)?.output, steps.find(({ id }) => id === 'decide')?.stepAttempt];
}
