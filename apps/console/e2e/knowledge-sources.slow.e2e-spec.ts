import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { WebSite } from '../../api/e2e/harness/web-site.ts';
import {
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

/** Pages of a host are fetched with pauses. */
const FETCH_MS = 30_000;

describeInBrowser('knowledge from a web site, in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  let site: WebSite;
  const newPage = runConsole((started) => ({ app, browser } = started));

  beforeAll(async () => {
    site = await WebSite.start();
    site.pages.set('/robots.txt', { type: 'text/plain', body: 'User-agent: *\nDisallow: /internal' });
    site.html('/returns', 'Returns', 'Customers can return an order within 30 days.');
    site.html('/hours', 'Opening hours', 'The shop is open from nine to five.');
    site.html('/internal', 'Prices', 'Nobody outside reads this.');
    site.pages.set('/logo.png', { type: 'image/png', body: 'x' });
    site.sitemap('/sitemap.xml', ['/returns', '/hours', '/internal', '/gone', '/logo.png']);
  });
  afterAll(() => site.close());

  const sources = (page: Page) => page.getByRole('table', { name: 'Sources' });
  const found = async (page: Page, query: string) => {
    const search = page.getByRole('region', { name: 'Try a search' });
    await search.getByLabel('Message').fill(query);
    await search.getByLabel('Message').press('Enter');
    return search;
  };

  it('fetches the pages of a sitemap, says what became of each, and finds their text', async () => {
    const page = await newPage();
    await page.goto('/knowledge');
    await page.getByRole('button', { name: 'Add a source' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a source' });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Required').waitFor();
    await dialog.getByLabel('Address').fill(site.url('/sitemap.xml'));
    await dialog.getByText('Sitemap', { exact: true }).click();
    expect(await violations(page, 'dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const row = sources(page).getByRole('row', { name: /sitemap\.xml/ });
    await row.getByText('Ready').waitFor({ timeout: FETCH_MS });
    await row.getByText('1 failed').waitFor();
    await row.getByText('2 skipped').waitFor();

    await row.getByRole('button', { name: site.url('/sitemap.xml'), exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Source' });
    const reasons = async (path: string) =>
      drawer
        .getByRole('row')
        .filter({ hasText: site.url(path) })
        .innerText();
    await drawer.getByRole('row').filter({ hasText: '/gone' }).waitFor();
    expect(await reasons('/gone')).toMatch(/404[\s\S]*Failed/);
    expect(await reasons('/internal')).toMatch(/robots\.txt[\s\S]*Skipped/);
    expect(await reasons('/logo.png')).toMatch(/image\/png[\s\S]*Skipped/);
    expect(await reasons('/returns')).toContain('Fetched');
    expect(await violations(page, 'source')).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    await page.setViewportSize(DESK);
    await drawer.getByRole('button', { name: 'Close' }).click();

    const search = await found(page, 'How long can I return an order?');
    await search.getByText('within 30 days').waitFor();
    expect(site.takePaths()).not.toContain('/internal');
  });

  it('fetches a page again that has changed, and keeps the documents of a source that is deleted', async () => {
    site.html('/returns', 'Returns', 'Customers can return an order within 60 days.');
    site.sitemap('/sitemap.xml', ['/returns', '/hours']);
    const page = await newPage();
    await page.goto('/knowledge');
    await settled(page);
    await page.getByRole('button', { name: `Fetch ${site.url('/sitemap.xml')} now` }).click();
    const row = sources(page).getByRole('row', { name: /sitemap\.xml/ });
    await row.getByText('Ready').waitFor({ timeout: FETCH_MS });
    const search = await found(page, 'How long can I return an order?');
    await search.getByText('within 60 days').waitFor({ timeout: FETCH_MS });

    await row.getByRole('button', { name: `Delete ${site.url('/sitemap.xml')}` }).click();
    const question = page.getByRole('dialog', { name: 'Delete the source?' });
    await question.getByText('Its 2 documents').waitFor();
    await question.getByText('Keep them as they are').click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No sources yet').waitFor();
    const { items } = await app.client().knowledge.listDocuments();
    expect(items.map(({ title }) => title).sort()).toEqual(['Opening hours', 'Returns']);
  });

  it('shows members the sources, and nothing to change them', async () => {
    const { id } = await app.client().knowledge.createSource({ kind: 'url', url: site.url('/hours') });
    const member = await newConsoleContext(browser, app.url);
    const page = await member.newPage();
    await signIn(page, app.member);
    await page.goto(`/knowledge?source=${id}`);
    const drawer = page.getByRole('dialog', { name: 'Source' });
    await drawer.getByText(site.url('/hours')).first().waitFor();
    expect(await page.getByRole('button', { name: /Add a source|Fetch|Delete|Change/ }).count()).toBe(0);
    await member.close();
  });
});
