import { expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import {
  complaintsOf,
  describeInBrowser,
  DESK,
  newConsoleContext,
  overflows,
  PHONE,
  runConsole,
  settled,
  signIn,
  violations,
} from './browser.ts';

const RETURNS = '# Returns\n\nCustomers can return an order within 30 days. <b>Parcels</b> must be unopened.';
const RULES = '# 退货\n\n客户可以在三十天内退货。';

const file = (name: string, text: string) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });

describeInBrowser('the knowledge page in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started), { sessionsEnd: true });

  it('takes several files, reads them, finds passages in both languages, and deletes a document', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/');
    await page.getByRole('link', { name: 'Knowledge' }).click();
    await page.getByText('No documents yet').waitFor();
    expect(await violations(page, 'empty')).toEqual([]);

    await page
      .getByLabel('Choose files')
      .setInputFiles([file('returns.md', RETURNS), file('rules.md', RULES), file('empty.md', '')]);
    const upload = page.getByRole('region', { name: 'Upload' });
    await upload.getByText('3 of 3 files').waitFor();
    await upload.getByText('file must not be empty').waitFor();
    const table = page.getByRole('table', { name: 'Knowledge' });
    await table.getByRole('row', { name: /returns\.md.*Ready/ }).waitFor();
    await table.getByRole('row', { name: /rules\.md.*Ready/ }).waitFor();
    expect(await violations(page, 'documents')).toEqual([]);

    const search = page.getByRole('region', { name: 'Try a search' });
    await search.getByLabel('Message').fill('How long can I return an order?');
    await search.getByLabel('Message').press('Enter');
    await search.getByRole('link', { name: 'returns.md' }).waitFor();
    // The text of a document is data.
    await search.getByText('<b>Parcels</b> must be unopened').waitFor();
    await search
      .getByText(/^Score [01]\.\d\d$/)
      .first()
      .waitFor();
    expect(await violations(page, 'search')).toEqual([]);
    await search.getByLabel('Message').fill('退货');
    await search.getByLabel('Message').press('Enter');
    await search.getByRole('link', { name: 'rules.md' }).click();
    const drawer = page.getByRole('dialog', { name: 'rules.md' });
    await drawer.getByText('客户可以在三十天内退货').waitFor();
    expect(await violations(page, 'document')).toEqual([]);
    await drawer.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Add text' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add text' });
    await dialog.getByLabel('Title').fill('Opening hours');
    await dialog.getByLabel('Text').fill('We are open from nine to five.');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await table.getByRole('row', { name: /Opening hours.*Ready/ }).waitFor();

    await page.getByRole('button', { name: 'Delete Opening hours' }).click();
    const question = page.getByRole('dialog', { name: 'Delete Opening hours?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await table.getByText('Opening hours').waitFor({ state: 'detached' });
    const { items } = await app.client().knowledge.listDocuments();
    expect(items.map(({ title }) => title)).toEqual(['rules.md', 'returns.md']);

    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    await page.setViewportSize(DESK);
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
  });

  it('shows members the documents, and nothing to change them', async () => {
    const member = await newConsoleContext(browser, app.url);
    const page = await member.newPage();
    await signIn(page, app.member);
    await page.goto('/knowledge?q=return');
    await settled(page);
    await page.getByRole('table', { name: 'Knowledge' }).getByText('returns.md').waitFor();
    await page
      .getByRole('region', { name: 'Try a search' })
      .getByRole('link', { name: 'returns.md' })
      .waitFor();
    expect(await page.getByRole('button', { name: /Delete|Add text|Choose files/ }).count()).toBe(0);
    await member.close();
  });

  it('shows in the playground what an agent found, also after a reload', async () => {
    const agent = await app.client().agents.create({
      name: 'Clerk',
      model: 'platform/offline',
      systemPrompt: 'Answer.',
      tools: [{ toolId: 'current_time', methods: null }],
    });
    const page = await newPage();
    await page.goto(`/agents/${agent.id}`);
    await page.getByRole('switch', { name: 'Knowledge' }).click();
    await page.getByLabel('Passages at most').fill('3');
    expect(await violations(page, 'agent')).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Unsaved').waitFor({ state: 'detached' });
    const saved = await app.client().agents.get(agent.id);
    expect('knowledge' in saved && saved.knowledge).toEqual({ enabled: true, topK: 3 });
    await page.goto(`/agents/${agent.id}/playground`);
    await page.getByLabel('Message').fill('How long can I return an order?\n/call current_time.now {}');
    await page.getByLabel('Message').press('Enter');
    await page.getByText(/\d tokens \(/).waitFor();
    const look = async () => {
      const answer = page.getByRole('group', { name: 'Agent' });
      await answer.getByText('1 source').first().click();
      await answer.getByText('<b>Parcels</b> must be unopened').waitFor();
      await answer.getByText('Document', { exact: true }).waitFor();
      await answer.getByText('current_time.now', { exact: true }).waitFor();
      expect(await violations(page, 'evidence')).toEqual([]);
    };
    await look();
    await page.reload();
    await look();
    await page.getByRole('link', { name: 'returns.md' }).click();
    await page.getByRole('dialog', { name: 'returns.md' }).getByText('within 30 days').waitFor();
  });
});
