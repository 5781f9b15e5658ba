// node tools/screenshots.mjs [pages|people|events|tools]: saves screenshots of every console page (light, dark, narrow), or of
// one part, in ./screenshots. PLATFORM_URL (http://127.0.0.1:3000), PLATFORM_EMAIL, and PLATFORM_PASSWORD are required.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { shootEvents } from './screenshots-events.mjs';
import { shootPeople } from './screenshots-people.mjs';
import { callApi, signIn } from './screenshots-session.mjs';
import { shootTools } from './screenshots-tools.mjs';

const {
  PLATFORM_URL = 'http://127.0.0.1:3000',
  PLATFORM_EMAIL,
  PLATFORM_PASSWORD,
  CHROMIUM_PATH,
} = process.env;
if (!PLATFORM_EMAIL || !PLATFORM_PASSWORD) {
  console.error('Set PLATFORM_EMAIL and PLATFORM_PASSWORD. npm start prints both.');
  process.exit(1);
}

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  narrow: {
    colorScheme: 'light',
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  },
};
/** How long a page requests nothing before it counts as complete. */
const QUIET_MS = 500;
const QUESTION = 'Show me a short list, a table and some code, please.';
// Commands of the offline model: a tool call, then a question to the user.
const WITH_TOOL =
  'What time is it?\n/call current_time.now {}\n\n/ask Which tea would you like? | Green | Black | other';

/** `pages`, `people`, `events`, or `tools`, or undefined for all. */
const [, , only] = process.argv;
const folder = join(process.cwd(), 'screenshots');
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ],
});

await openFirstSpace();

let failed = false;
for (const [look, options] of Object.entries(LOOKS)) {
  const contextOptions = { ...options, baseURL: PLATFORM_URL, reducedMotion: 'reduce' };
  const shootOf = (page) => {
    page.on('console', (message) => {
      // Some pages show how invalid input is rejected, and how a call fails.
      if (message.type() !== 'error' || /status of (400|502)/.test(message.text())) return;
      failed = true;
      console.error(`${look}: ${message.text()}`);
    });
    return async (name) => {
      await settled(page);
      await page.screenshot({ path: join(folder, `${name}.${look}.png`) });
      console.log(`${name}.${look}.png`);
    };
  };
  if (!only || only === 'pages') {
    const context = await browser.newContext(contextOptions);
    const page = await context.newPage();
    await shootAll(page, look, shootOf(page));
    await context.close();
  }
  if (!only || only === 'people') await shootPeople(browser, contextOptions, shootOf);
  if (!only || only === 'events') await shootEvents(browser, contextOptions, shootOf);
  if (!only || only === 'tools') await shootTools(browser, contextOptions, shootOf);
}
await browser.close();
process.exit(failed ? 1 : 0);

/** A sign-in opens the space that was used last; after an interrupted run, that is one of a part. */
async function openFirstSpace() {
  const context = await browser.newContext({ baseURL: PLATFORM_URL });
  const page = await context.newPage();
  const api = callApi(page, await signIn(page, PLATFORM_EMAIL, PLATFORM_PASSWORD));
  const { items } = await api('GET', '/api/spaces?limit=200');
  const [first] = items.map(({ id }) => id).sort();
  await api('POST', '/api/auth/refresh', { spaceId: first });
  await context.close();
}

async function shootAll(page, look, shoot) {
  await page.goto('/sign-in');
  await page.getByLabel('Email').waitFor();
  await shoot('sign-in');
  await page.getByLabel('Email').fill(PLATFORM_EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PLATFORM_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  await page.goto('/agents');
  await shoot('agents');
  await page.goto('/agents?q=nothing-is-called-so');
  await shoot('agents-no-match');

  await page.goto('/agents/new');
  await shoot('agent-new');
  await page.goto('/agents');
  const tryIt = page.getByRole('button', { name: /^Try it/ }).first();
  await tryIt.click();
  await page.getByLabel('Message').waitFor();
  await shoot('playground-empty');
  await page.getByLabel('Message').fill(QUESTION);
  await page.getByLabel('Message').press('Enter');
  await page.getByText(/\d tokens \(/).waitFor();
  await shoot('playground');
  await page.getByText('Frames', { exact: true }).first().click();
  await shoot('playground-frames');

  await page.getByText('Chat', { exact: true }).first().click();
  await page.getByLabel('Message').fill(WITH_TOOL);
  await page.getByLabel('Message').press('Enter');
  await page
    .getByText(/\d tokens \(/)
    .nth(1)
    .waitFor();
  await shoot('playground-question');
  const compact = page.getByRole('button', { name: 'Compact' });
  const answer = page.getByRole('button', { name: 'Answer', exact: true });
  if (await answer.isVisible()) {
    await page.getByText('Green', { exact: true }).click();
    await answer.click();
    await answer.waitFor({ state: 'detached' });
  }
  await page.locator('button:enabled', { hasText: 'Compact' }).waitFor();
  await shoot('playground-answered');
  const trace = await page.getByRole('link', { name: 'Trace', exact: true }).last().getAttribute('href');
  await compact.click();
  await page
    .getByRole('dialog')
    .getByText(/tokens$|nothing to shorten/)
    .waitFor();
  await shoot('playground-compact');

  const agent = page.url().replace(/\/playground.*/, '');
  await page.goto(`${agent}/playground?panel=open`);
  await page.getByText('Parameters', { exact: true }).waitFor();
  await shoot('playground-settings');
  await page.goto(`${agent}/compare`);
  await page.getByLabel('Message').fill(QUESTION);
  await page.getByLabel('Message').press('Enter');
  await page.getByText('Open conversation').first().waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await shoot('compare');
  await page.goto(agent);
  await shoot('agent');
  await page.getByText('Local tools').click();
  await page.getByRole('button', { name: 'Add local tool' }).click();
  await shoot('agent-tools');
  await page.goto('/agents');
  await page.goto(agent);
  await page.getByRole('button', { name: 'Versions' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot('agent-versions');

  await page.goto('/');
  await shoot('home');
  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().waitFor();
  await shoot('command-menu');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await shoot('shortcuts');
  await page.goto('/traces');
  await shoot('traces');
  await page.goto('/traces?scope=space');
  await shoot('traces-space');
  await page.goto(trace);
  await page.locator('.span-row').first().waitFor();
  await shoot('trace');
  await page.locator('.span-row').first().click();
  await shoot('trace-step');
  await page.goBack();
  await page.getByText('Frames', { exact: true }).click();
  await page.locator('.frame-list li').first().waitFor();
  await shoot('trace-frames');

  await page.goto('/jobs');
  await page.getByRole('button', { name: 'New job' }).first().click();
  await page.getByLabel('Agent', { exact: true }).press('Enter');
  await page.getByLabel('Agent', { exact: true }).press('Enter');
  await page.getByLabel('Message').fill(QUESTION);
  await shoot('job-new');
  await page.getByRole('button', { name: 'Start job' }).click();
  await page.getByRole('dialog').getByText('Completed').waitFor();
  await shoot('job');
  await page.goto('/jobs');
  await shoot('jobs');

  await page.goto('/settings/models');
  await page
    .getByRole('button', { name: /^Test / })
    .first()
    .click();
  await shoot('models');
  await page.getByRole('button', { name: 'Add model' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot('model-new');
  await page.goto('/settings/api-keys');
  await shoot('api-keys');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  await page.getByRole('dialog').waitFor();
  await shoot('api-key-new');
  await page.goto('/settings/mcp');
  await page.getByText(/of 128 tools/).waitFor();
  await shoot('mcp');

  await page.goto('/settings/members');
  await shoot('members');
  await page.getByRole('button', { name: 'Add member' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot('member-new');
  await page.goto('/settings/usage');
  await shoot('usage');
  await page.goto('/settings/usage?by=agent');
  await shoot('usage-by-agent');
  await page.getByRole('button', { name: 'Grant tokens' }).click();
  await page.getByRole('dialog').waitFor();
  await shoot('usage-grant');
  await page.goto('/settings/webhooks');
  await shoot('webhooks');
  await page.goto('/settings/webhooks?tab=deliveries');
  await shoot('webhook-deliveries');
  await page.goto('/settings/audit?time=days');
  await page.locator('.audit-entry').first().click();
  await shoot('audit');
  await page.goto('/nowhere');
  await shoot('not-found');

  if (look === 'narrow') await page.getByRole('button', { name: 'Open navigation' }).click();
  await page.getByRole('button', { name: /^Account / }).click();
  await page.getByRole('menu').waitFor();
  await shoot('user-menu');
}

/** Waits until loading and animations have ended. */
async function settled(page) {
  await quiet(page);
  await page.locator('.ant-spin, .skeleton-bar, .ant-btn-loading').first().waitFor({ state: 'detached' });
  await page.evaluate(
    'Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined)))',
  );
}

/** Waits until nothing has been requested for a while. The stream of changes never ends. */
async function quiet(page) {
  let lastAt = performance.now();
  const note = (request) => {
    if (!request.url().includes('/api/changes')) lastAt = performance.now();
  };
  const events = ['request', 'requestfinished', 'requestfailed'];
  for (const event of events) page.on(event, note);
  while (performance.now() - lastAt < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const event of events) page.off(event, note);
}
