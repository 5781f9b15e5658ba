import { beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { installApplication } from '../../api/e2e/harness/applications.ts';
import { describeInBrowser, newConsoleContext, runConsole, settled, until } from './browser.ts';

const AGENTS = 1_000;
/** A slow line: bytes per second, and milliseconds until a response begins. */
const SLOW = { downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 400, offline: false };
const FRAME_MS = 2_000;
/** 312 until it is shown; the rest is what the stream of changes makes it ask for again, and what the tray asks for. */
const OVERVIEW_KB = 320;
/** Cumulative layout shift: the goal of 0.05, less what a page with more data can add. */
const MAX_SHIFT = 0.04;
const PAGES =
  '/ /agents /agents/new /events/log /runs /tasks /tasks/new /traces /tools /knowledge /settings/usage'.split(
    ' ',
  );
/** The largest text is shown, and nothing holds the browser up for longer, in milliseconds of a machine with the pace of 1. */
const MAX_LCP_MS = 1_000;
const MAX_TASK_MS = 200;
/** What `measureWork` takes on that machine, in milliseconds. */
const WORK_MS = 350;
/** The pages whose forms take longest. */
const HEAVY_PAGES = ['/', '/agents/new', '/tasks/new', '/tools/new', '/settings/usage'];
const WATCHED_MS = 20_000;
const TAIL_BYTES_PER_MINUTE = 100_000;

describeInBrowser('what a visit costs', () => {
  let app: TestApp;
  let browser: Browser;
  let admin: BrowserContext;
  const newPage = runConsole((started) => ({ app, browser, admin } = started));

  beforeAll(async () => {
    const { id } = await app.client().agents.create({
      name: 'Agent 0',
      model: 'platform/offline',
      systemPrompt: 'Be brief.',
    });
    await copyRows(app, 'agent', id, AGENTS - 1);
    await app.client().agents.execute(id, { inputs: { query: 'Hello' } });
    await installApplication(app);
    await app.client().events.emitTest('shop', 'order.created', { payload: { total: 77 } });
  });

  async function connect(page: Page): Promise<CDPSession> {
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.clearBrowserCache');
    return session;
  }

  /** How many times slower than the machine of the limits a browser works here and now. At least 1. */
  async function measurePace(): Promise<number> {
    const page = await newPage();
    await page.goto('/');
    await settled(page);
    const took = await page.evaluate(measureWork);
    await page.close();
    return Math.max(1, took / WORK_MS);
  }

  /** Opens a page with an empty cache, and watches it until it is quiet. */
  async function visitPage(path: string): Promise<Visit> {
    const page = await newPage();
    await connect(page);
    await page.addInitScript(watchVisit);
    await page.goto(path);
    await settled(page);
    await page.waitForFunction(
      () => performance.now() > (window as unknown as { visit: Visit }).visit.quietAt,
    );
    const visit = await page.evaluate(() => (window as unknown as { visit: Visit }).visit);
    await page.close();
    return visit;
  }

  it('shows a frame early on a slow line, to those who are signed in and to others', async () => {
    const visitor = await newConsoleContext(browser, app.url);
    for (const context of [admin, visitor]) {
      // A busy machine can delay one visit, but not each of several.
      let best = Infinity;
      for (let visit = 0; visit < 4 && best > FRAME_MS; visit++) {
        const page = await newPage(context);
        const session = await connect(page);
        await session.send('Network.emulateNetworkConditions', SLOW);
        await page.goto('/', { waitUntil: 'commit' });
        best = Math.min(best, await page.evaluate(readFirstPaint));
        expect(await page.locator('#boot').isVisible()).toBe(true);
        await page.close();
      }
      expect(best).toBeLessThanOrEqual(FRAME_MS);
    }
    await visitor.close();
  });

  it('transfers little for the overview of a space with a thousand agents', async () => {
    // A busy machine asks once more before the stream of changes begins.
    let best = Infinity;
    for (let visit = 0; visit < 4 && best > OVERVIEW_KB; visit++) {
      const page = await newPage();
      const session = await connect(page);
      let bytes = 0;
      session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
      const last = page.waitForEvent('requestfinished', (request) =>
        request.url().includes('/api/knowledge/settings'),
      );
      await page.goto('/');
      await settled(page);
      await page.waitForLoadState('load');
      await page
        .getByRole('link', { name: /order\.created/ })
        .first()
        .waitFor();
      // The tray asks for more, a second after the page was shown.
      await last;
      best = Math.min(best, bytes / 1_000);
      await page.close();
    }
    expect(best).toBeLessThanOrEqual(OVERVIEW_KB);
  });

  it('moves nothing on a page that is loading', async () => {
    const moved: [string, number, string[]][] = [];
    for (const path of PAGES) {
      const { shift, sources } = await visitPage(path);
      if (shift > MAX_SHIFT) moved.push([path, shift, sources]);
    }
    expect(moved).toEqual([]);
  });

  it('shows every page soon, without holding the browser up', async () => {
    const slow: [string, { lcp: number; task: number; pace: number }][] = [];
    for (const path of HEAVY_PAGES) {
      // Something else can delay one visit, but not each of several.
      const best = { lcp: Infinity, task: Infinity, pace: Infinity };
      const isSlow = () => best.lcp > MAX_LCP_MS * best.pace || best.task > MAX_TASK_MS * best.pace;
      for (let visit = 0; visit === 0 || (visit < 6 && isSlow()); visit++) {
        const pace = await measurePace();
        const { lcp, task } = await visitPage(path);
        expect(lcp).toBeGreaterThan(0);
        best.lcp = Math.min(best.lcp, lcp);
        best.task = Math.min(best.task, task);
        best.pace = Math.min(best.pace, pace);
      }
      if (isSlow()) slow.push([path, best]);
    }
    expect(slow).toEqual([]);
  });

  it('transfers little for a log that nobody writes to', async () => {
    const page = await newPage();
    const session = await connect(page);
    await page.goto('/events/log');
    await page.getByRole('table').getByText('order.created').first().waitFor();
    let bytes = 0;
    session.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength));
    session.on('Network.responseReceived', ({ response }) => (bytes += response.encodedDataLength));
    const from = performance.now();
    await until(() => Promise.resolve(performance.now() - from >= WATCHED_MS));
    expect((bytes * 60_000) / WATCHED_MS).toBeLessThanOrEqual(TAIL_BYTES_PER_MINUTE);
  });
});

/** Copies a row of a table with other ids. */
async function copyRows(app: TestApp, table: string, id: string, count: number): Promise<void> {
  const [{ columns }] = (await app.sql(
    `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
     where table_name = $1 and column_name <> 'id'`,
    [table],
  )) as [{ columns: string }];
  await app.sql(
    `insert into ${table} (id, ${columns}) select uuid_v7(), ${columns} from ${table}
     cross join generate_series(1, $2) where ${table}.id = $1`,
    [id, count],
  );
}

/** Scripts, elements, layout, and requests, in many short tasks, as a page that is loading. In milliseconds. Runs in the page. */
async function measureWork(): Promise<number> {
  const from = performance.now();
  for (let task = 0; task < 20; task++) {
    const list = document.body.appendChild(document.createElement('ul'));
    for (let i = 0; i < 400; i++) {
      const data = JSON.stringify({ i, text: 'word '.repeat(i % 20) });
      list.appendChild(document.createElement('li')).textContent = JSON.stringify(JSON.parse(data));
    }
    list.getBoundingClientRect();
    list.remove();
    await (await fetch('/favicon.svg', { cache: 'no-store' })).text();
  }
  return performance.now() - from;
}

/** When something was painted first, in milliseconds after the navigation. Runs in the page. */
function readFirstPaint(): Promise<number> {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName('first-contentful-paint');
      if (paint !== undefined) resolve(paint.startTime);
    }).observe({ type: 'paint', buffered: true });
  });
}

interface Visit {
  /** What moved without the user's doing: the cumulative layout shift, and its elements. */
  shift: number;
  sources: string[];
  /** When the largest text was painted, in milliseconds. */
  lcp: number;
  /** The longest task, in milliseconds. */
  task: number;
  /** When nothing has happened for a while. */
  quietAt: number;
}

/** Runs in the page. */
function watchVisit(): void {
  interface Shift extends PerformanceEntry {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Element | null; previousRect: DOMRect; currentRect: DOMRect }[];
  }
  const visit: Visit = { shift: 0, sources: [], lcp: 0, task: 0, quietAt: 1_000 };
  Object.assign(window, { visit });
  const watch = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => {
      list.getEntries().forEach(note);
      visit.quietAt = Math.max(visit.quietAt, performance.now() + 500);
    }).observe({ type, buffered: true });
  watch('largest-contentful-paint', ({ startTime }) => (visit.lcp = startTime));
  watch('longtask', ({ duration }) => (visit.task = Math.max(visit.task, duration)));
  watch('layout-shift', (entry) => {
    const { value, hadRecentInput, sources } = entry as Shift;
    if (hadRecentInput) return;
    visit.shift += value;
    for (const { node, previousRect, currentRect } of sources)
      visit.sources.push(`${node?.className}: ${previousRect.y} → ${currentRect.y}`);
  });
}
