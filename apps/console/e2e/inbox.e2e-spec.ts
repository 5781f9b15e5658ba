import { expect, it } from '@jest/globals';
import type { Step } from '@platform/contracts';
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

describeInBrowser('the inbox in a browser', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started), { sessionsEnd: true });

  it('answers a question on a phone, from the run to its end, and shows what a version changed', async () => {
    const client = app.client();
    const fields = [
      { key: 'amount', label: 'Amount', type: 'number', required: true },
      { key: 'reason', label: 'Reason', type: 'choice', choices: ['damaged', 'late'] },
      { key: 'day', label: 'Day', type: 'date' },
      { key: 'express', label: 'By express', type: 'boolean' },
    ] as const;
    const ask = {
      id: 'ask',
      kind: 'ask',
      message: 'Refund {{inputs.total}} to Ada?',
      approval: true,
      fields,
    };
    const workflow = { steps: [ask as object as Step] };
    const task = await client.tasks.create({ name: 'Refund', type: 'MANUAL', workflow });
    const started = await client.tasks.run(task.id, { inputs: { total: '12 euros' } });
    await client.runs.waitFor(started.id, { until: ['WAITING'], pollMs: 100 });

    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.setViewportSize(PHONE);
    await page.goto(`/runs/${started.id}`);
    await page.getByText('Refund 12 euros to Ada?').first().waitFor();
    await page.getByRole('link', { name: 'Open the question' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Approve' }).click();
    await form.getByText('Required').first().waitFor();
    await form.getByLabel('Amount').fill('12');
    await form.getByLabel('Day').fill('2026-02-28');
    await form.getByLabel('By express').check();
    await form.getByLabel('Note').fill('As agreed');
    expect(await overflows(page)).toBe(false);
    expect(await violations(page, 'question')).toEqual([]);
    await form.getByRole('button', { name: 'Approve' }).click();
    await form.getByText('Approved', { exact: true }).waitFor();
    const ended = await client.runs.waitFor(started.id, { pollMs: 100 });
    expect(ended.steps.at(-1)?.output).toMatchObject({
      approved: true,
      note: 'As agreed',
      values: { amount: 12, day: '2026-02-28', express: true },
    });

    await client.tasks.update(task.id, {
      workflow: { steps: [{ ...ask, message: 'Refund?' } as object as Step] },
    });
    await page.goto(`/tasks/${task.id}?tab=versions`);
    await settled(page);
    await page.getByRole('group', { name: 'ask message' }).waitFor();
    expect(await overflows(page)).toBe(false);
    expect(await violations(page, 'versions')).toEqual([]);
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByRole('heading', { name: 'Version 3' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
