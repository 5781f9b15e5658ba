import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  complaintsOf,
  DESK,
  describeInBrowser,
  overflows,
  PHONE,
  runConsole,
  settled,
  violations,
} from './browser.ts';

/** Where pictures are saved; absent: none are. */
const { SCREENSHOTS } = process.env;

describeInBrowser('approvals in a browser', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started));

  async function shoot(page: Page, name: string) {
    if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
  }

  it('are given on a phone: in the playground with other arguments, and in the inbox', async () => {
    const client = app.client();
    const agent = await client.agents.create({
      name: 'Clerk',
      model: 'platform/offline',
      systemPrompt: 'Be brief.',
      tools: [{ toolId: 'current_time', methods: null, policies: { now: { mode: 'ask' } } }],
    });
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.setViewportSize(PHONE);
    await page.goto(`/agents/${agent.id}/playground`);
    await settled(page);
    const say = async () => {
      await page.getByRole('textbox').first().fill('/call current_time.now {"timezone": "Europe/Berlin"}');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'May the agent make this call?' }).waitFor();
    };
    await say();
    expect(await overflows(page)).toBe(false);
    expect(await violations(page, 'approval')).toEqual([]);
    await shoot(page, 'playground-phone');
    await page.setViewportSize(DESK);
    await shoot(page, 'playground-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await shoot(page, 'playground-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Change the arguments' }).click();
    await page.getByRole('button', { name: 'Restore the arguments' }).waitFor();
    await page.setViewportSize(PHONE);
    await shoot(page, 'playground-edit');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'May the agent make this call?' }).waitFor({ state: 'detached' });

    const policies = { '*': { mode: 'ask', approvers: 'admins' } } as const;
    await client.agents.update(agent.id, { tools: [{ toolId: 'current_time', methods: null, policies }] });
    const contents = [{ type: 'text' as const, text: '/call current_time.now {}' }];
    const stream = app.client(app.member).agents.chatStream(agent.id, { contents });
    await stream.text();
    await page.goto('/inbox');
    await page.getByText('May current_time.now be called?').click();
    const form = page.getByRole('dialog');
    await form.getByText('On behalf of').waitFor();
    expect(await overflows(page)).toBe(false);
    expect(await violations(page, 'inbox')).toEqual([]);
    await shoot(page, 'inbox-phone');
    await page.setViewportSize(DESK);
    await shoot(page, 'inbox-light');
    await form.getByLabel('Note or reason').fill('Not now');
    await form.getByRole('button', { name: 'Reject' }).click();
    await form.getByText('Rejected', { exact: true }).waitFor();
    await shoot(page, 'inbox-answered');

    const tool = await client.tools.create({
      name: 'Shop',
      serverUrl: 'http://127.0.0.1:9',
      methods: [
        { name: 'refund', httpMethod: 'post', path: '/refunds', inputSchema: {}, policy: { mode: 'ask' } },
        { name: 'find', httpMethod: 'get', path: '/orders', inputSchema: {} },
      ],
    });
    await client.agents.update(agent.id, {
      tools: [{ toolId: tool.id, methods: null, policies: { find: { mode: 'ask', approvers: 'others' } } }],
    });
    await page.goto(`/agents/${agent.id}`);
    await settled(page);
    await page.getByText('Approvals', { exact: false }).first().click();
    await shoot(page, 'agent-light');
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    await shoot(page, 'agent-phone');
    await page.goto(`/tools/${tool.id}`);
    await settled(page);
    await page.goto(`/tools/${tool.id}?method=refund`);
    await page.getByText('Agents and steps can only make it stricter.').waitFor();
    await shoot(page, 'method-phone');
    expect(complaints).toEqual([]);
  });
});
