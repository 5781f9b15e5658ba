import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  complaintsOf,
  describeInBrowser,
  overflows,
  PHONE,
  runConsole,
  settled,
  violations,
} from './browser.ts';

/** Returns a card of the editor. */
const card = (page: Page, number: string) => page.getByRole('group', { name: `Step ${number}`, exact: true });

async function writeCode(step: Locator, source: string): Promise<void> {
  // The editor replaces the field in which the text is edited until it is loaded.
  const editor = step.locator('.cm-content');
  await editor.click();
  await editor.press('Control+a');
  await editor.fill(source);
}

describeInBrowser('the workflow editor in a browser', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started), { sessionsEnd: true });

  it('builds an approval by clicks, runs it, and ends after the answer on a phone', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/tasks/new');
    await page.getByLabel('Name', { exact: true }).fill('Approval');
    await page.getByRole('button', { name: 'Remove step 1' }).click();
    const kinds = page.getByRole('group', { name: 'Add a step' });
    await kinds.last().getByRole('button', { name: 'Branch' }).click();
    const branch = card(page, '1');
    await branch.getByLabel('Step id').first().fill('decide');
    await branch.getByRole('combobox', { name: 'Branch 1: if' }).fill('inputs.amount > 1000');
    const first = branch.getByRole('region', { name: 'Branch 1' });
    await first.getByRole('button', { name: 'Add a step' }).click();
    await first.getByRole('button', { name: 'Ask people' }).click();
    const ask = card(page, '1.1.1');
    await ask.getByLabel('Step id').fill('approval');
    await ask
      .getByRole('textbox', { name: 'Question', exact: true })
      .fill('Ship order {{inputs.order}} for {{steps.ship.output}}?');
    await ask.getByRole('combobox', { name: 'Who can answer' }).click();
    await page.getByTitle('Admins of the space').click();
    await first.getByRole('button', { name: 'Add a step' }).click();
    await first.getByRole('button', { name: 'Code' }).click();
    await card(page, '1.1.2').getByLabel('Step id').fill('answer');
    await writeCode(card(page, '1.1.2'), 'return context.steps.approval.output.approved;');
    const otherwise = branch.getByRole('region', { name: 'Otherwise' });
    await otherwise.getByRole('button', { name: 'Add a step' }).click();
    await otherwise.getByRole('button', { name: 'Code' }).click();
    await card(page, '1.0.1').getByLabel('Step id').fill('small');
    await writeCode(card(page, '1.0.1'), 'return true;');
    await kinds.last().getByRole('button', { name: 'Code' }).click();
    const ship = card(page, '2');
    await ship.getByLabel('Step id').fill('ship');
    await writeCode(ship, "return 'shipped';");
    await ship.getByText('Options', { exact: true }).click();
    await ship.getByLabel('Only if').fill('steps.decide.output');
    await page.getByRole('button', { name: 'Create task' }).click();

    // What the service refuses is shown at the field, wherever it is.
    await ask.locator('.ant-form-item-explain-error').filter({ hasText: 'steps.ship.output' }).waitFor();
    const question = ask.getByRole('textbox', { name: 'Question', exact: true });
    await question.fill('Ship order {{inputs.order}} for {{inputs.amount}}?');
    await settled(page);
    expect(await violations(page, 'editor')).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    expect(await violations(page, 'editor on a phone')).toEqual([]);
    await page.getByRole('button', { name: 'Create task' }).click();
    await page.waitForURL(/\/tasks\/[0-9a-f-]{36}/);

    const taskId = /tasks\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
    const { workflow } = await app.client().tasks.get(taskId);
    expect(workflow.steps).toEqual([
      {
        id: 'decide',
        kind: 'branch',
        branches: [
          {
            when: 'inputs.amount > 1000',
            steps: [
              {
                id: 'approval',
                kind: 'ask',
                message: 'Ship order {{inputs.order}} for {{inputs.amount}}?',
                to: 'admins',
                approval: true,
              },
              { id: 'answer', kind: 'code', source: 'return context.steps.approval.output.approved;' },
            ],
          },
        ],
        otherwise: [{ id: 'small', kind: 'code', source: 'return true;' }],
      },
      { id: 'ship', kind: 'code', source: "return 'shipped';", when: 'steps.decide.output' },
    ]);
    const run = await app.client().tasks.run(taskId, { inputs: { order: 'A-1', amount: 2_000 } });
    await app.client().runs.waitFor(run.id, { until: ['WAITING'], pollMs: 100 });
    await page.goto('/inbox');
    await page.getByRole('button', { name: /Ship order A-1 for 2000\?/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByText('Approved', { exact: true }).waitFor();
    const ended = await app.client().runs.waitFor(run.id, { pollMs: 100 });
    expect([ended.status, ended.steps.at(-1)?.output]).toEqual(['SUCCEEDED', 'shipped']);
    await page.goto(`/runs/${run.id}`);
    await settled(page);
    await page.getByTitle('decide.approval', { exact: true }).waitFor();
    expect(await overflows(page)).toBe(false);
    expect(await violations(page, 'run')).toEqual([]);
    // The browser notes what the service refused.
    expect(complaints).toEqual([
      'Failed to load resource: the server responded with a status of 400 (Bad Request)',
    ]);
  });
});
