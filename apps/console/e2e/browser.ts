import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import type AxeBuilder from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { TestApp } from '../../api/e2e/harness/app.ts';
import { ExpiringSessions, isOfExpiry } from './expiring.ts';

export const DESK = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** How long a test waits for something. That it came soon is no matter of this time, which a busy machine must not exceed. */
const PATIENCE_MS = 60_000;
/** How many times slower than the machine pages execute, which shows what a test does not wait for. */
const SLOWDOWN = Number(process.env.BROWSER_SLOWDOWN ?? 1);
/** How long a page may load before it is compared as it is. */
const LOADING_MS = 5_000;
const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
];
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A suite that needs a browser. It is skipped by name if there is none. */
export function describeInBrowser(name: string, define: () => void): void {
  const skipReason = process.env.PLATFORM_SKIP_BROWSER;
  if (skipReason) console.warn(`Not tested in a browser: ${name}: ${skipReason}`);
  (skipReason ? describe.skip : describe)(name, define);
}

interface StartedConsole {
  app: TestApp;
  browser: Browser;
  /** Where the admin is signed in for the whole file; sign-ins are throttled. */
  admin: BrowserContext;
}

interface ConsoleOptions {
  flags?: string[];
  /** The session of the admin ends at every save; see `ExpiringSessions`. */
  sessionsEnd?: boolean;
}

/**
 * Runs a service and a browser for all tests of a suite. Returns a function that opens a page, for the admin unless it
 * receives another context; the admin's pages are closed after each test.
 */
export function runConsole(
  onStarted: (started: StartedConsole) => void,
  { flags, sessionsEnd = false }: ConsoleOptions = {},
): (context?: BrowserContext) => Promise<Page> {
  let started: StartedConsole | undefined;
  let expiring: ExpiringSessions | undefined;
  const newPage = async (context = started?.admin) => {
    if (context === undefined) throw new Error('The console does not run');
    return context.newPage();
  };
  beforeAll(async () => {
    assertBuilt();
    const app = await TestApp.start();
    const browser = await launchBrowser(flags);
    const admin = await newConsoleContext(browser, app.url);
    started = { app, browser, admin };
    const page = await newPage(admin);
    await signIn(page, app.admin);
    await page.close();
    if (sessionsEnd) {
      expiring = new ExpiringSessions(app, app.admin.password);
      await expiring.watch(admin);
    }
    onStarted(started);
  });
  afterEach(async () => {
    await expiring?.settle();
    await Promise.all(started?.admin.pages().map((page) => page.close()) ?? []);
    expect(expiring?.unasked.splice(0) ?? []).toEqual([]);
  });
  afterAll(async () => {
    await started?.browser.close();
    await started?.app.close();
  });
  return newPage;
}

/** Throws if there is no console to test. */
function assertBuilt(): void {
  const built = existsSync(join(import.meta.dirname, '../dist/index.html'));
  if (!built) throw new Error('The console is not built');
}

export function launchBrowser(flags: string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: [...BROWSER_FLAGS, ...flags] });
}

export async function newConsoleContext(browser: Browser, baseURL: string): Promise<BrowserContext> {
  const look = { viewport: DESK, reducedMotion: 'reduce', locale: 'en-US' } as const;
  const context = await browser.newContext({ baseURL, ...look });
  context.setDefaultTimeout(PATIENCE_MS);
  if (SLOWDOWN > 1) context.on('page', (page) => void slowDown(page));
  return context;
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
}

export async function signIn(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.goto('/');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
}

/** Errors in the browser's console, broken policies included, and what the page threw. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isOfExpiry(page, message.text()))
      complaints.push(message.text());
  });
  return complaints;
}

/** The page is there with its data. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await page.locator('.ant-spin, .skeleton-bar').first().waitFor({ state: 'detached' });
}

/**
 * What axe finds. In `npm test`, colors are compared on one page only, because that takes half of its time: all of them come from
 * one theme, and the slow tier compares those of every page in every look.
 */
export async function violations(
  page: Page,
  where: string,
  { colors = process.env.TEST_TIER === 'slow' } = {},
): Promise<string[]> {
  // What is compared is the page that has loaded, unless something never does.
  const loading = page.locator('.ant-spin').first();
  await loading.waitFor({ state: 'detached', timeout: LOADING_MS }).catch(() => undefined);
  // Colors in the middle of an animation are nobody's fault. What turns while something loads never ends.
  await page.evaluate(
    `Promise.all(document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
      .map((one) => one.finished.catch(() => undefined)))`,
  );
  await page.evaluate(axeSource);
  // Only what is wrong leaves the page: to carry the whole result over takes several times as long as the check.
  const violated = await page.evaluate(async (enabled) => {
    const { violations } = await (globalThis as unknown as { axe: typeof AxeBuilder }).axe.run({
      resultTypes: ['violations'],
      rules: { 'color-contrast': { enabled } },
    });
    return violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ target, any }) => `${target.join(' ')} ${any[0]?.message ?? ''}`),
    }));
  }, colors);
  return violated.map(({ id, nodes }) => `${where}: ${id}: ${nodes.join(' | ')}`);
}

/**
 * Icons that are read out by the names of their files, such as "down": antd names them so, unless they are hidden or have another
 * name. It has no setting for the icons of messages.
 */
export async function spokenIcons(page: Page, where: string): Promise<string[]> {
  const icons = await page.evaluate(listSpokenIcons);
  return icons.map((icon) => `${where}: ${icon}`);
}

/** Runs in the page. */
function listSpokenIcons(): string[] {
  const icons = [...document.querySelectorAll('.anticon[aria-label]:not([aria-hidden])')];
  return icons.flatMap((icon) => {
    const label = icon.getAttribute('aria-label');
    // What has a name of its own is read out by that one.
    const isSilent =
      icon.closest(
        '[aria-hidden=true], [role=button][aria-label], button[aria-label], a[aria-label], .ant-message',
      ) !== null;
    const isShown = icon.checkVisibility({ visibilityProperty: true });
    if (isSilent || !isShown || !icon.classList.contains(`anticon-${label}`)) return [];
    return `${label} in ${icon.parentElement?.className}`;
  });
}

/** Whether the page, its content, or a drawer can be scrolled sideways. */
export function overflows(page: Page): Promise<boolean> {
  return page.evaluate(() =>
    [...document.querySelectorAll('html, main, .conversation-scroll, .ant-drawer-body, .chart-times')].some(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
    ),
  );
}

/** Chooses the first option with a text. Waits for it: options can still be loading. */
export async function chooseOption(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  const dropdown = field.page().locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden)');
  await dropdown.locator('.ant-select-item-option-active', { hasText: text }).waitFor();
  await field.press('Enter');
}

/** Asks until the answer is yes. */
export async function until(ask: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await ask())) {
    if (Date.now() > end) throw new Error('It did not come about within a minute');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Opens the playground of a new agent, and returns its id. */
export async function openPlaygroundOf(
  app: TestApp,
  page: Page,
  name: string,
  model = 'platform/offline',
): Promise<string> {
  const agent = await app.client().agents.create({
    name,
    model,
    systemPrompt: 'Be brief.',
    tools: [{ toolId: 'current_time', methods: null }],
  });
  await page.goto(`/agents/${agent.id}/playground`);
  return agent.id;
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByLabel('Message').press('Enter');
}

/** Pages that need no more than an agent. */
export function pagesOf(agentId: string): string[] {
  return [
    '/',
    '/agents',
    '/agents?q=nothing-is-called-so',
    '/agents/new',
    `/agents/${agentId}`,
    `/agents/${agentId}/playground`,
    '/jobs',
    '/tools/speech_recognition',
    '/knowledge',
    '/settings/models',
    '/settings/api-keys',
    '/settings/mcp',
    '/settings/members',
    '/settings/usage',
    '/settings/usage?by=user&window=30d',
    '/settings/webhooks',
    '/settings/webhooks?tab=deliveries',
    '/settings/notifications',
    '/settings/notifications?tab=deliveries',
    '/settings/notifications?tab=events',
    '/settings/audit',
    '/settings/audit?time=days',
    '/nowhere',
  ];
}
