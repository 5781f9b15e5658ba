import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { repeat } from '../../api/e2e/faults/background.ts';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { installApplication } from '../../api/e2e/harness/applications.ts';
import { describeInBrowser, runConsole, settled } from './browser.ts';

const PAGES = ['/', '/events/log?live=on', '/runs', '/traces', '/jobs', '/inbox'];
/** How long the pages stay open. By hand: HEAP_SECONDS=600 TEST_LIMIT_MS=900000. */
const WATCHED_MS = Number(process.env.HEAP_SECONDS ?? 40) * 1_000;
const SAMPLES = 10;
/** Events before pages are opened. */
const FILLED = 300;
const PAUSE_MS = 250;
/** From the first three samples to the last three. */
const MAX_GROWTH_MB = 1.5;

describeInBrowser('pages that stay open', () => {
  let app: TestApp;
  const newPage = runConsole((started) => ({ app } = started));
  let agentId: string;

  beforeAll(async () => {
    await installApplication(app);
    const agent = { name: 'Busy', model: 'platform/offline', systemPrompt: 'Be brief.' };
    agentId = (await app.client().agents.create(agent)).id;
    // Lists and pictures are as long as they become.
    for (let i = 0; i < FILLED; i++) await work(i);
  });

  async function work(i: number): Promise<void> {
    await app.client().events.emitTest('shop', 'order.created', { payload: { total: i } });
    if (i % 2 === 0) await app.client().agents.execute(agentId, { inputs: { query: `Number ${i}` } });
  }

  it('need no more memory while a space is at work', async () => {
    const pages = [];
    for (const path of PAGES) {
      const page = await newPage();
      await page.goto(path);
      await settled(page);
      pages.push(page);
    }
    let events = 0;
    const working = repeat(
      () => work(events++),
      () => PAUSE_MS,
    );
    const samples: number[][] = [];
    for (let i = 0; i < SAMPLES; i++) {
      await delay(WATCHED_MS / SAMPLES);
      samples.push(await Promise.all(pages.map(heapOf)));
    }
    await working.stop();
    const heaps = PAGES.map((path, i) => ({ path, mb: samples.map((heap) => Number(heap[i]?.toFixed(1))) }));
    console.info(`${events} events\n${heaps.map(({ path, mb }) => `${path} ${mb.join(' ')} MB`).join('\n')}`);
    const grown = heaps.filter(({ mb }) => !(least(mb.slice(-3)) - least(mb.slice(0, 3)) <= MAX_GROWTH_MB));
    expect(grown).toEqual([]);
  });
});

const least = (values: number[]): number => Math.min(...values);

/** What the objects of a page use that it still needs, in MB. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1_000_000;
}
