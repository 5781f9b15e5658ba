import { beforeAll, expect, it } from '@jest/globals';
import type { Agent, Step } from '@platform/contracts';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { installApplication } from '../../api/e2e/harness/applications.ts';
import { describeInBrowser, newConsoleContext, runConsole, say, settled, signIn, until } from './browser.ts';
import { CutLine } from './cut-line.ts';

const AWAY_MS = 30_000;
/** A page is fresh within two seconds. A dozen at once may take longer on a busy machine; their times are printed. */
const LATE_MS = 2_000;
const LATE_AT_ONCE_MS = 10_000;
const OFFLINE = /You are offline/;
const UNREACHED = 'The service cannot be reached. Check your connection and try again.';
const NOW = new Date().getFullYear();
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Harbor' },
  servers: [{ url: 'http://127.0.0.1:9' }],
  paths: { '/ships': { get: { operationId: 'listShips', summary: 'Lists ships', responses: {} } } },
};

const code = (source: string) => ({ steps: [{ id: 'code', kind: 'code', source }] satisfies Step[] });

describeInBrowser('a line that is cut', () => {
  let app: TestApp;
  let browser: Browser;
  let admin: BrowserContext;
  const newPage = runConsole((started) => ({ app, browser, admin } = started));
  let agent: Agent;

  beforeAll(async () => {
    await installApplication(app);
    agent = await app.client().agents.create({
      name: 'Talker',
      model: 'platform/offline',
      systemPrompt: 'Be brief.',
    });
  });

  const open = async (path: string, context?: BrowserContext): Promise<Page> => {
    const page = await newPage(context);
    await page.goto(path);
    await settled(page);
    return page;
  };
  const turnsOf = async () => (await app.client().turns.list({ agentId: agent.id, limit: 100 })).items;
  const bulk = (promises: Promise<unknown>[]) => Promise.all(promises);

  it('loses nothing, shows nothing stale, and does nothing twice', async () => {
    const client = app.client();
    const playground = `/agents/${agent.id}/playground`;
    const task = await client.tasks.create({
      name: 'Slow',
      type: 'MANUAL',
      workflow: code('await platform.sleep(100_000)'),
    });
    const started = await client.tasks.run(task.id, { inputs: {} });

    const talking = await open(playground);
    const asked = await open(playground);
    const writing = await open(playground);
    const run = await open(`/runs/${started.id}`);
    const log = await open('/events/log?live=on');
    const agents = await open('/agents');
    const agentForm = await open('/agents/new');
    const taskForm = await open('/tasks/new');
    const knowledge = await open('/knowledge');
    const imported = await open('/tools/import');
    const overview = await open('/');
    const all = [
      talking,
      asked,
      writing,
      run,
      log,
      agents,
      agentForm,
      taskForm,
      knowledge,
      imported,
      overview,
    ];

    await say(asked, '/ask Which tea? | Green | Black');
    const question = asked.getByRole('form', { name: 'Which tea?' });
    await question.getByText('Green').click();
    await run.getByText('Running', { exact: true }).first().waitFor();
    await agentForm.getByLabel('Name', { exact: true }).fill('Typed offline');
    await agentForm.getByLabel('System prompt').fill('Be brief.');
    await taskForm.getByLabel('Name', { exact: true }).fill('Task typed offline');
    await taskForm.locator('.cm-content').first().fill('return 1;');
    await imported.getByLabel('Choose file').setInputFiles({
      name: 'harbor.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(DOCUMENT)),
    });
    await imported.getByRole('checkbox', { name: 'Choose listShips' }).check();
    await writing.getByLabel('Message').fill('Written offline');
    await overview.getByRole('button', { name: 'Work in progress 1 running' }).first().waitFor();
    await say(talking, 'Begin\n/think 5000\n/long 40');
    await talking.getByRole('group', { name: 'Agent' }).first().waitFor();

    await admin.setOffline(true);
    const cutAt = performance.now();
    // What is sent while the line is away.
    await question.getByRole('button', { name: 'Answer' }).click();
    await writing.getByLabel('Message').press('Enter');
    const createAgent = agentForm.getByRole('button', { name: 'Create agent' });
    const createTask = taskForm.getByRole('button', { name: 'Create task' });
    const saveTool = imported.getByRole('button', { name: 'Import 1 method' });
    for (const [page, button] of [
      [agentForm, createAgent],
      [taskForm, createTask],
      [imported, saveTool],
    ] as const) {
      await button.click();
      await page.getByText(UNREACHED).waitFor();
    }
    await knowledge.getByLabel('Choose files').setInputFiles({
      name: 'tides.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Tides\n\nHigh.'),
    });
    await bulk(all.map((page) => page.getByText(OFFLINE).waitFor()));
    // What happens meanwhile.
    await client.runs.cancel(started.id);
    await client.events.emitTest('shop', 'order.created', { payload: { total: NOW } });
    await client.agents.create({ name: 'Made elsewhere', model: 'platform/offline', systemPrompt: '-' });
    await until(async () => (await turnsOf()).some(({ status }) => status === 'COMPLETED'));
    await until(() => Promise.resolve(performance.now() - cutAt >= AWAY_MS));
    expect(await agentForm.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed offline');

    for (const one of all) one.setDefaultTimeout(15_000);
    const loaded: string[] = [];
    admin.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    const watch = stopwatch();
    await admin.setOffline(false);
    const answered = (page: Page) => page.getByText(/\d tokens \(/).waitFor();
    await bulk([
      watch('answer that streamed', answered(talking)),
      watch('answer to a question', answered(asked)),
      watch('message', answered(writing)),
      watch('run', run.getByText('Canceled', { exact: true }).first().waitFor()),
      watch('log', log.getByRole('table').getByText(String(NOW)).first().waitFor()),
      watch('list', agents.getByRole('link', { name: 'Made elsewhere' }).first().waitFor()),
      watch('upload', knowledge.getByRole('table').getByText('tides.md').waitFor()),
      watch('tray', gone(overview.getByRole('button', { name: /Work in progress 1 running/ }))),
      ...all.map((page, i) => watch(`notice ${i}`, gone(page.getByText(OFFLINE)))),
    ]);

    // The pages were told that no replay began; nobody tells of applications.
    expect(loaded).toContain('/api/applications');
    expect(loaded).not.toContain('/api/events/replays');

    // What one tab saves now is in the other.
    await createAgent.click();
    await agentForm.getByText('Talk to Typed offline').waitFor();
    await watch('other tab', agents.getByRole('link', { name: 'Typed offline' }).first().waitFor(), true);
    await createTask.click();
    await taskForm.getByRole('heading', { name: 'Task typed offline' }).waitFor();
    await saveTool.click();
    await imported.getByRole('heading', { name: 'Harbor', level: 1 }).waitFor();
    console.warn(watch.report());

    const names = async (list: Promise<{ items: { name: string }[] }>) =>
      (await list).items.map(({ name }) => name).sort();
    expect(await names(client.agents.list())).toEqual(['Made elsewhere', 'Talker', 'Typed offline']);
    expect((await names(client.tasks.list())).filter((name) => name.includes('offline'))).toHaveLength(1);
    expect((await names(client.tools.list())).filter((name) => name === 'Harbor')).toHaveLength(1);
    expect((await client.knowledge.listDocuments()).items).toHaveLength(1);
    expect((await turnsOf()).map(({ status }) => status)).toEqual(Array(3).fill('COMPLETED'));
    expect(watch.late(LATE_AT_ONCE_MS)).toEqual([]);
  });

  it('shows nothing stale on a page that is open alone', async () => {
    const client = app.client();
    const task = await client.tasks.create({
      name: 'Slow alone',
      type: 'MANUAL',
      workflow: code('await platform.sleep(100_000)'),
    });
    const startRun = () => client.tasks.run(task.id, { inputs: {} });
    const report: string[] = [];
    const alone = async (
      name: string,
      path: string,
      change: (page: Page) => Promise<unknown>,
      fresh: (page: Page) => Promise<unknown>,
      prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
    ) => {
      const page = await open(path);
      await prepare(page);
      await admin.setOffline(true);
      await page.getByText(OFFLINE).waitFor();
      await change(page);
      const watch = stopwatch();
      await admin.setOffline(false);
      await Promise.all([watch(name, fresh(page)), watch(`${name}, notice`, gone(page.getByText(OFFLINE)))]);
      report.push(watch.report());
      expect(watch.late(LATE_MS)).toEqual([]);
      await page.close();
    };

    const [shown, counted] = [await startRun(), await startRun()];
    await alone(
      'run',
      `/runs/${shown.id}`,
      () => client.runs.cancel(shown.id),
      (page) => page.getByText('Canceled', { exact: true }).first().waitFor(),
      (page) => page.getByText('Running', { exact: true }).first().waitFor(),
    );
    await alone(
      'tray',
      '/',
      () => client.runs.cancel(counted.id),
      (page) => gone(page.getByRole('button', { name: /Work in progress 1 running/ })),
      (page) => page.getByRole('button', { name: 'Work in progress 1 running' }).first().waitFor(),
    );
    await alone(
      'log',
      '/events/log?live=on',
      () => client.events.emitTest('shop', 'order.created', { payload: { total: 77_001 } }),
      (page) => page.getByRole('table').getByText('77001').first().waitFor(),
    );
    await alone(
      'list',
      '/agents',
      () => client.agents.create({ name: 'Made alone', model: 'platform/offline', systemPrompt: '-' }),
      (page) => page.getByRole('link', { name: 'Made alone' }).first().waitFor(),
    );
    await alone(
      'answer that streamed',
      `/agents/${agent.id}/playground`,
      () => until(async () => (await turnsOf())[0]?.status === 'COMPLETED'),
      (page) => page.getByText(/\d tokens \(/).waitFor(),
      async (page) => {
        await say(page, 'Begin\n/think 2000\n/long 40');
        await page.getByRole('group', { name: 'Agent' }).first().waitFor();
      },
    );
    console.warn(report.join('\n'));
  });

  it('is noticed without a word from the browser, and what hung is loaded again', async () => {
    const line = await CutLine.to(app.url);
    const context = await newConsoleContext(browser, line.url);
    const [agents, playground] = [await context.newPage(), await context.newPage()];
    await signIn(agents, app.member);
    await agents.goto('/agents');
    await settled(agents);
    await playground.goto(`/agents/${agent.id}/playground`);
    await say(playground, 'Begin\n/think 3000\n/long 40');
    await playground.getByRole('group', { name: 'Agent' }).first().waitFor();

    line.cut();
    // A page that is opened now hangs as well.
    await agents.getByRole('link', { name: 'Traces' }).click();
    await agents.getByText('Live updates are interrupted').waitFor();
    const before = (await turnsOf()).length;
    await until(async () => (await turnsOf()).every(({ status }) => status === 'COMPLETED'));

    const watch = stopwatch();
    line.restore();
    await Promise.all([
      watch('first load', agents.getByRole('table').getByText('Talker').first().waitFor()),
      watch('answer that streamed', playground.getByText(/\d tokens \(/).waitFor()),
      watch('notice', gone(agents.getByText('Live updates are interrupted'))),
    ]);
    console.warn(watch.report());
    expect((await turnsOf()).length).toBe(before);
    expect(watch.late(LATE_AT_ONCE_MS)).toEqual([]);
    await context.close();
    await line.close();
  });
});

const gone = (locator: Locator) => locator.first().waitFor({ state: 'detached' });

/** Measures how long it takes until things are so. */
function stopwatch() {
  const start = performance.now();
  const took: [string, number][] = [];
  const watch = async (name: string, until: Promise<unknown>, fromNow = false) => {
    const from = fromNow ? performance.now() : start;
    await until.catch(() => took.push([`${name} never`, Infinity]));
    took.push([name, Math.round(performance.now() - from)]);
  };
  return Object.assign(watch, {
    report: () => took.map(([name, ms]) => `${name}: ${ms} ms`).join('\n'),
    late: (limitMs: number) => took.filter(([, ms]) => ms > limitMs),
  });
}
