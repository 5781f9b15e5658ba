import { afterEach, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startOpenAiServer } from '../../api/e2e/fixtures/openai-server.ts';
import type { TestApp } from '../../api/e2e/harness/app.ts';
import { gate } from '../../api/e2e/harness/gate.ts';
import { WebhookServer } from '../../api/e2e/harness/webhook-server.ts';
import {
  chooseOption,
  complaintsOf,
  describeInBrowser,
  newConsoleContext,
  DESK,
  PHONE,
  openPlaygroundOf,
  overflows,
  pagesOf,
  runConsole,
  say,
  settled,
  signIn as signInAt,
  until,
  violations,
} from './browser.ts';

describeInBrowser('the console in a browser', () => {
  let app: TestApp;
  let browser: Browser;
  const newPage = runConsole((started) => ({ app, browser } = started), { sessionsEnd: true });
  let strangers: BrowserContext[] = [];

  afterEach(async () => {
    await Promise.all(strangers.map((context) => context.close()));
    strangers = [];
  });

  function newContext(): Promise<BrowserContext> {
    return newConsoleContext(browser, app.url);
  }

  /** A page of a browser in which nobody has signed in. */
  async function strangersPage(): Promise<Page> {
    const context = await newContext();
    strangers.push(context);
    return newPage(context);
  }

  function signIn(page: Page, person = app.admin): Promise<void> {
    return signInAt(page, person);
  }

  const openPlayground = (page: Page, name: string, model?: string) =>
    openPlaygroundOf(app, page, name, model);

  /** Whether a turn of the agent is running. */
  async function isAnswering(agentId: string): Promise<boolean> {
    const { items } = await app.client().agents.sessions(agentId);
    return items.some(({ runningTurnId }) => runningTurnId !== null);
  }

  it('leads from sign-in over a new agent to a streamed answer, its frames and its history', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    await page.goto('/agents');
    await page.getByRole('button', { name: 'Create agent' }).first().click();
    await page.getByLabel('Name').fill('Poet');
    await page.getByLabel('System prompt').fill('Write for {{customer}} in {{language}}.');
    await page.getByText('customer', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Create agent' }).click();

    await page.getByText('Talk to Poet').waitFor();
    await page.setViewportSize(PHONE);
    const head = page.locator('.playground-head');
    // What the page says of its header outweighs what the frame says, or the last buttons would be beyond the edge.
    const edges = await head
      .locator(':scope > *')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().right));
    expect(Math.max(...edges)).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESK);
    await say(page, 'A word about rivers, **please**');
    const answer = page.getByRole('group', { name: 'Agent' });
    await answer.getByText('A word about rivers').waitFor();
    await answer.getByText(/\d tokens \(\d+ in, \d+ out\) · cost unknown/).waitFor();
    expect(await answer.locator('strong').innerText()).toBe('please');
    expect(page.url()).toContain('?session=');

    await page.getByText('Frames', { exact: true }).first().click();
    const frames = page.locator('.frame-list li');
    await frames.first().waitFor();
    const seqs = await frames.locator('.seq').allInnerTexts();
    expect(seqs.map(Number)).toEqual(seqs.map((_, i) => i + 1));
    await frames.first().getByRole('button').click();
    await frames.first().getByText('"event": "session-started"').waitFor();

    await page.getByText('Chat', { exact: true }).click();
    await page.reload();
    await answer.getByText('A word about rivers').waitFor();
    await answer.getByText(/\d tokens \(/).waitFor();
    await page.getByRole('navigation', { name: 'Conversations' }).getByText('A word about rivers').waitFor();
    expect(complaints).toEqual([]);
  });

  it('joins a running turn again after a reload', async () => {
    const page = await newPage();
    const { opened, open } = gate();
    const model = await startOpenAiServer({
      behavior: { text: ['Mountains'], pauseAfter: { chunks: 1, until: opened } },
    });
    await app.client().models.create({ name: 'slow', baseUrl: model.url, apiKey: 'k' });
    const agentId = await openPlayground(page, 'Slow', 'slow');
    await say(page, 'What is high?');
    await until(() => isAnswering(agentId));
    await page.reload();
    const answer = page.getByRole('group', { name: 'Agent' });
    await answer.getByText('Working on it').waitFor();
    open();
    await answer.getByText('Mountains').waitFor();
    await answer.getByText(/\d tokens \(/).waitFor();
    expect(await page.getByRole('group', { name: 'You' }).count()).toBe(1);
    await model.close();
  });

  it('shows the answer of a turn that ended while the page was loading', async () => {
    const page = await newPage();
    const [answering, answered] = [gate(), gate()];
    const behavior = { text: ['Valleys'], pauseAfter: { chunks: 1, until: answering.opened } };
    const model = await startOpenAiServer({ behavior });
    await app.client().models.create({ name: 'late', baseUrl: model.url, apiKey: 'k' });
    const agentId = await openPlayground(page, 'Late', 'late');
    await say(page, 'What is low?');
    await page.waitForURL(/session=/);
    const sessionId = new URL(page.url()).searchParams.get('session') ?? '';
    await until(() => isAnswering(agentId));
    // The history says that the turn is running, the session that it has ended.
    await page.route(`**/api/agents/${agentId}/sessions/${sessionId}`, async (route) => {
      await answered.opened;
      await route.continue();
    });
    await page.reload();
    const answer = page.getByRole('group', { name: 'Agent' });
    await answer.getByText('Working on it').waitFor();
    answering.open();
    await until(async () => !(await isAnswering(agentId)));
    answered.open();
    await answer.getByText('Valleys').waitFor();
    await model.close();
  });

  it('goes on where the answer was when the connection was lost', async () => {
    const page = await newPage();
    const agentId = await openPlayground(page, 'Interrupted');
    let cutAfter = 0;
    await page.route(`**/api/agents/${agentId}/chat`, async (route) => {
      const response = await route.fetch();
      const frames = (await response.text()).split('\n\n');
      cutAfter = Math.floor(frames.filter((frame) => frame.startsWith('id:')).length / 2);
      const last = frames.findIndex((frame) => frame.startsWith(`id: 1.${cutAfter}\n`));
      await route.fulfill({ response, body: `${frames.slice(0, last + 1).join('\n\n')}\n\n` });
    });
    await say(page, 'Bridges');
    const answer = page.getByRole('group', { name: 'Agent' });
    await answer.getByText(/\d tokens \(/).waitFor();
    await answer.getByText(`Resumed at frame ${cutAfter}`).waitFor();
    expect(cutAfter).toBeGreaterThan(1);
    await page.getByText('Frames', { exact: true }).first().click();
    await page.locator('.frame-list li').first().waitFor();
    const seqs = await page.locator('.frame-list li .seq').allInnerTexts();
    expect(seqs.map(Number)).toEqual(seqs.map((_, i) => i + 1));
    expect(seqs.length).toBeGreaterThan(cutAfter);
  });

  it('shows why a turn failed, with what is needed to ask about it, and tries the same turn again', async () => {
    const page = await newPage();
    const agentId = await openPlayground(page, 'Broken');
    await say(page, 'Anything\n/fail');
    const failure = page.getByRole('alert');
    await failure.getByText('Last seq').waitFor();
    const turnId = await failure.locator('dd').nth(1).innerText();
    const failed = await app.client().agents.turn(agentId, turnId);
    expect(failed.status).toBe('FAILED');
    expect(await failure.locator('dd').first().innerText()).toBe(failed.error?.code);

    await failure.getByRole('button', { name: 'Try again' }).click();
    await until(async () => {
      const { segments } = await app.client().agents.turn(agentId, turnId);
      return segments.some(({ origin }) => origin === 'rerun');
    });
    await failure.getByText('Last seq').waitFor();
    expect(await page.getByRole('group', { name: 'You' }).count()).toBe(1);
  });

  it('sends attached pictures and refuses more than a request can carry', async () => {
    const page = await newPage();
    const agentId = await openPlayground(page, 'Eyes');
    const picker = page.locator('input[type=file]');
    await picker.setInputFiles({
      name: 'huge.bin',
      mimeType: 'application/zip',
      buffer: Buffer.alloc(8 * 1024 * 1024),
    });
    await page.getByText('Too large: huge.bin.').waitFor();
    await picker.setInputFiles({
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: Buffer.from(DOT, 'base64'),
    });
    await page.getByRole('list', { name: 'Attached files' }).getByText('dot.png').waitFor();
    await say(page, 'What is this?');
    await page
      .getByRole('group', { name: 'Agent' })
      .getByText(/\d tokens \(/)
      .waitFor();
    const picture = page.getByRole('group', { name: 'You' }).locator('img');
    expect(await picture.getAttribute('src')).toMatch(/^data:image\/png/);
    await page.reload();
    await picture.waitFor();
    expect(await picture.getAttribute('src')).toMatch(/^blob:/);
    // Decoding shows that its bytes are there.
    expect(await picture.evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth))).toBe(
      1,
    );

    // A failed turn of the history is tried again with its files.
    await picker.setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(DOT, 'base64') },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') },
    ]);
    await say(page, 'And this?\n/fail');
    const failure = page.getByRole('alert');
    await failure.getByText('Last seq').waitFor();
    const turnId = await failure.locator('dd').nth(1).innerText();
    await page.reload();
    await failure.getByText(turnId).waitFor();
    await failure.getByRole('button', { name: 'Try again' }).click();
    await until(async () => {
      const { segments } = await app.client().agents.turn(agentId, turnId);
      return segments.some(({ origin }) => origin === 'rerun');
    });
  });

  it('lets the user answer a question, after a reload too, and goes on in the same turn', async () => {
    const page = await newPage();
    const agentId = await openPlayground(page, 'Host');
    await say(page, 'Tea\n/ask Which tea? | Green | Black | other\n\n/ask-many Which cakes? | Apple | Plum');
    const question = page.getByRole('form', { name: 'Which tea?' });
    await question.getByText('Something else').waitFor();
    expect(await question.getByRole('radio').count()).toBe(3);
    expect(await question.getByRole('button', { name: 'Answer' }).isDisabled()).toBe(true);

    await page.reload();
    await question.getByText('Something else').click();
    await question.getByPlaceholder('In your own words').fill('White <b>');
    await question.getByRole('button', { name: 'Answer' }).click();
    const second = page.getByRole('form', { name: 'Which cakes?' });
    await second.getByText('Apple').click();
    await second.getByText('Plum').click();
    await second.getByRole('button', { name: 'Answer' }).click();

    const answer = page.getByRole('group', { name: 'Agent' });
    await answer.getByText('Apple, Plum', { exact: true }).waitFor();
    await answer.getByText('White <b>', { exact: true }).waitFor();
    await answer.getByText(/\d tokens \(/).waitFor();
    const { items } = await app.client().agents.sessions(agentId);
    expect(items.map(({ turnCount }) => turnCount)).toEqual([1]);
  });

  it('stops a turn, keeps what was said, and makes room in the context of the model', async () => {
    const page = await newPage();
    await openPlayground(page, 'Talker');
    await say(page, '/long 400\n/think 60000');
    await page.getByText('word word').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const answer = page.getByRole('group', { name: 'Agent' });
    await answer.getByText('Canceled').waitFor();
    await answer.getByText('word word').waitFor();

    await page.getByText(/of the context$/).waitFor();
    await page.getByRole('button', { name: 'Compact' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^From \d+ to about \d+ tokens$/).waitFor();
    await dialog.getByRole('button', { name: 'Compact' }).click();
    await page.getByText(/^Compacted from \d+ to \d+ tokens$/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The last compaction was undone').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
  });

  it('shows a tool call with how it ended, its arguments and its result as text', async () => {
    const page = await newPage();
    await openPlayground(page, 'Clock');
    const calls = ['{"timezone":"Europe/Berlin"}', '{"timezone":"<i>Nowhere</i>"}'];
    await say(page, calls.map((input) => `/call current_time.now ${input}`).join('\n'));
    const cards = page.locator('details.tool');
    // The two run side by side, so either may be told first.
    const succeeded = cards.filter({ hasText: 'Succeeded' });
    await succeeded.waitFor();
    await succeeded.getByText('current_time.now').click();
    await succeeded.getByText(/"utc": "20/).waitFor();
    const failed = cards.filter({ hasText: 'Failed' });
    await failed.waitFor();
    await failed.getByText('current_time.now').click();
    await failed.getByText('"timezone": "<i>Nowhere</i>"').waitFor();
    expect(await cards.locator('i').filter({ hasText: 'Nowhere' }).count()).toBe(0);
  });

  it('switches a tool on and declares a local one', async () => {
    const page = await newPage();
    await page.goto('/agents/new');
    await page.getByLabel('Name').fill('Porter');
    await page.getByLabel('System prompt').fill('Open doors.');
    await page.getByRole('switch', { name: 'Current time' }).click();
    await page.getByText('Local tools').click();
    await page.getByRole('button', { name: 'Add local tool' }).click();
    const tool = page.getByRole('group', { name: 'Local tool 1' });
    await tool.getByLabel('Name').fill('open_door');
    await tool.getByLabel('Input schema').fill('[');
    await tool.getByText('Enter a JSON object').waitFor();
    await tool.getByLabel('Input schema').fill('{"type":"object"}');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByText('Talk to Porter').waitFor();
    const { items } = await app.client().agents.list();
    expect(items.find(({ name }) => name === 'Porter')).toMatchObject({
      tools: [{ toolId: 'current_time', methods: null }],
      localTools: [{ name: 'open_door', description: '', inputSchema: { type: 'object' } }],
      askUser: true,
    });
  });

  it('starts a job, follows it to its result, and stops another', async () => {
    const page = await newPage();
    const agent = await app
      .client()
      .agents.create({ name: 'Worker', model: 'platform/offline', systemPrompt: 'Be brief.' });
    await page.goto('/jobs');
    await page.getByRole('button', { name: 'New job' }).first().click();
    await chooseOption(page.getByLabel('Agent', { exact: true }), 'Worker');
    await page.getByLabel('Message').fill('A word about **rivers**');
    await page.getByRole('button', { name: 'Start job' }).click();
    const drawer = page.getByRole('dialog', { name: 'Worker' });
    await drawer.locator('strong', { hasText: 'rivers' }).waitFor();
    await drawer.getByText('Completed').waitFor();
    // The message is shown as it was written, unlike the result.
    await drawer.getByText('A word about **rivers**', { exact: true }).waitFor();

    const contents = [{ type: 'text' as const, text: 'Later\n/think 60000' }];
    const { id } = await app.client().jobs.create({ agentId: agent.id, contents });
    await page.goto(`/jobs?status=RUNNING&job=${id}`);
    await drawer.getByRole('button', { name: 'Stop job' }).click();
    await page
      .getByRole('dialog', { name: 'Stop this job?' })
      .getByRole('button', { name: 'Stop job' })
      .click();
    await drawer.getByText('Canceled').waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await page.getByText('No jobs with this status').waitFor();
    await drawer.waitFor({ state: 'detached' });
  });

  it('tells what was used, and grants tokens', async () => {
    const page = await newPage();
    await openPlayground(page, 'Spender');
    await say(page, 'Hello');
    await page.getByText(/\d tokens \(/).waitFor();
    await page.goto('/settings/usage?by=model');
    await page.getByRole('list').getByText('platform/offline').waitFor();
    await page.getByRole('table', { name: 'Entries' }).getByText('Chat').first().waitFor();
    await page.getByText('No limit').first().waitFor();

    await page.getByRole('button', { name: 'Grant tokens' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('spinbutton', { name: 'Tokens' }).fill('5000000');
    await dialog.getByLabel('Note').fill('for spring');
    await dialog.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByText('5,000,000 tokens left', { exact: true }).waitFor();
    await page.goto('/settings/usage?source=grant');
    const rows = page.getByRole('table', { name: 'Entries' }).locator('tbody tr');
    await rows.getByText('for spring').waitFor();
    await rows.getByText('Opening balance').waitFor();
    expect(await rows.count()).toBe(2);
  });

  it('shows HTML in answers as text', async () => {
    const page = await newPage();
    await openPlayground(page, 'Echo');
    await say(page, 'x <img src=x onerror="document.title=1"> <script>document.title=2</script>');
    const answer = page.getByRole('group', { name: 'Agent' });
    await answer.getByText('<img src=x').waitFor();
    expect(await answer.locator('img, script').count()).toBe(0);
    expect(await page.title()).toContain('Echo');
  });

  it('tells a wrong password under the field, keeps the address, and says where the first one is', async () => {
    const page = await strangersPage();
    await page.goto('/settings/models');
    await page.getByText(/printed in the terminal/).waitFor();
    await page.getByLabel('Email').fill(app.member.email);
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Email or password is wrong').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(app.member.email);

    await page.getByLabel('Password', { exact: true }).fill(app.member.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Models' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/models');
  });

  it('gets a new access token once when a call is refused, and signs out for good', async () => {
    const page = await strangersPage();
    await signIn(page);
    let refusals = 0;
    await page.route('**/api/models?*', async (route) => {
      if (refusals++ > 0) return route.fallback();
      return route.fulfill({
        status: 401,
        json: { success: false, code: 'UNAUTHORIZED', message: 'expired' },
      });
    });
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByText(/^Built-in: free/).waitFor();
    expect(refusals).toBe(2);

    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Email').waitFor();
    await page.goto('/agents');
    await page.getByLabel('Email').waitFor();
  });

  it('puts the creator of a restricted agent on its list and says who may call it', async () => {
    const page = await newPage();
    await page.goto('/agents/new');
    await page.getByLabel('Name').fill('Private');
    await page.getByLabel('System prompt').fill('Hush.');
    await page.getByText('Only listed users').click();
    await page.locator('.people-field').getByText('(you)').waitFor();
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('button', { name: 'Configure agent' }).click();
    const panel = page.getByRole('complementary', { name: 'Who can call this agent, and why' });
    await panel.getByText('On the list of the agent').waitFor();
    expect(await panel.getByRole('listitem').count()).toBe(1);
  });

  it('shows what each version of an agent changed, and restores one', async () => {
    const { agents } = app.client();
    const { id } = await agents.create({
      name: 'Versioned',
      model: 'platform/offline',
      systemPrompt: 'Be kind.\nBe brief.',
    });
    await agents.update(id, { systemPrompt: 'Be kind.\nBe precise.', settings: { temperature: 0.5 } });
    const page = await newPage();
    await page.goto(`/agents/${id}?show=versions`);
    const drawer = page.getByRole('dialog', { name: 'Versions' });
    const prompt = drawer.getByRole('group', { name: 'System prompt' });
    await prompt.locator('.added', { hasText: 'Be precise.' }).waitFor();
    await prompt.locator('.removed', { hasText: 'Be brief.' }).waitFor();
    expect(await prompt.locator('.same').allInnerTexts()).toEqual(['Be kind.']);
    expect(await drawer.getByRole('group', { name: 'Model settings' }).innerText()).toContain(
      'temperature: 0.5',
    );
    expect(await violations(page, 'versions')).toEqual([]);

    await drawer.getByRole('button', { name: 'Restore version 1' }).click();
    const question = page.getByRole('dialog', { name: 'Restore version 1?' });
    await question.locator('.added', { hasText: 'Be brief.' }).waitFor();
    expect(await violations(page, 'restore a version')).toEqual([]);
    await question.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Version 1 restored as the latest version').waitFor();
    // The drawer shows the new version too, until it is closed.
    await page.locator('#main').getByText('Version 3', { exact: true }).waitFor();
    const stored = page.getByRole('textbox', { name: 'System prompt' });
    await until(async () => (await stored.inputValue()) === 'Be kind.\nBe brief.');
    expect((await agents.get(id)) as unknown).toMatchObject({ version: 3, settings: {} });
  });

  it('points at the field that the server refuses, and keeps the input', async () => {
    const page = await newPage();
    await page.goto('/settings/models');
    await page.getByRole('button', { name: 'Add model' }).click();
    await page.getByLabel('Name', { exact: true }).fill('mine');
    await page.getByLabel('Base URL').fill('not an address');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .locator('.ant-form-item', { has: page.getByLabel('Base URL') })
      .getByText(/^Must /)
      .waitFor();
    expect(await page.getByLabel('Base URL').inputValue()).toBe('not an address');

    await page.getByLabel('Base URL').fill('https://models.example.com/v1');
    await page.getByLabel('Name', { exact: true }).fill('platform/offline');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .locator('.ant-form-item', { has: page.getByLabel('Name', { exact: true }) })
      .getByText('Must be unique: a model named platform/offline already exists')
      .waitFor();
  });

  it('adds a model that its server lists', async () => {
    const page = await newPage();
    const server = await startOpenAiServer({ apiKey: 'sk-of-the-server' });
    await page.goto('/settings/models');
    await page.getByRole('button', { name: 'Add model' }).first().click();
    await chooseOption(page.getByLabel('Provider', { exact: true }), 'vLLM');
    const baseUrl = page.getByLabel('Base URL');
    await until(async () => (await baseUrl.inputValue()) === 'http://localhost:8000/v1');
    await baseUrl.fill(server.url);
    const list = page.getByRole('button', { name: 'List models' });
    await list.click();
    await page.getByText('refused the credentials (HTTP 401). You can enter the name by hand.').waitFor();
    await page.getByLabel('API key', { exact: true }).fill('sk-of-the-server');
    await list.click();
    await page.getByText('1 model: choose it as the name.').waitFor();
    await page.setViewportSize(PHONE);
    expect(await overflows(page)).toBe(false);
    expect(await violations(page, 'the form of a model')).toEqual([]);
    await chooseOption(page.getByLabel('Name', { exact: true }), 'fake');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^fake works: /).waitFor();
    await server.close();
  });

  it('shows a new key and a temporary password once', async () => {
    const page = await newPage();
    await page.goto('/settings/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).first().click();
    await page.getByLabel('Name').fill('billing');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.locator('.secret code').innerText();
    expect((await app.request('GET', '/api/auth/me', { as: { ...app.admin, apiKey: key } })).status).toBe(
      200,
    );
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('billing').waitFor();
    expect(await page.content()).not.toContain(key);

    await page.goto('/settings/members');
    await page.getByRole('button', { name: 'Add member' }).click();
    await page.getByRole('dialog').getByLabel('Email').fill('grace@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    const password = await page.locator('.secret code').innerText();
    await app.sql('delete from rate_window');
    const newcomer = await strangersPage();
    await newcomer.goto('/');
    await newcomer.getByLabel('Email').fill('grace@example.com');
    await newcomer.getByLabel('Password', { exact: true }).fill(password);
    await newcomer.getByRole('button', { name: 'Sign in' }).click();
    // Nothing else is there before the password is replaced.
    await newcomer.getByRole('heading', { name: 'Choose your password' }).waitFor();
    expect(await violations(newcomer, 'temporary password')).toEqual([]);
    await newcomer.reload();
    const replace = async (current: string) => {
      await newcomer.getByLabel('Current password').fill(current);
      await newcomer.getByLabel('New password', { exact: true }).fill('a password of mine');
      await newcomer.getByLabel('Repeat new password').fill('a password of mine');
      await newcomer.getByRole('button', { name: 'Save and continue' }).click();
    };
    await replace('a slip');
    await newcomer.getByText('Is wrong', { exact: true }).waitFor();
    await replace(password);
    await newcomer.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
  });

  it('invites a person, who joins by accepting, and withdraws an invitation', async () => {
    await app.sql('delete from rate_window');
    const host = await app.addUser('ADMIN', null);
    const page = await strangersPage();
    await signIn(page, host);
    await page.goto('/settings/members');
    for (const email of [app.member.email, 'nobody@nowhere.example']) {
      await page.getByRole('button', { name: 'Invite member' }).click();
      await page.getByRole('dialog').getByLabel('Email').fill(email);
      await page.getByRole('dialog').getByRole('button', { name: 'Invite member' }).click();
      await page.getByText(`${email} was invited`).waitFor();
      await page.getByRole('table', { name: 'Pending invitations' }).getByText(email).waitFor();
    }
    expect(await violations(page, 'pending invitations')).toEqual([]);
    await page.getByRole('button', { name: 'Withdraw the invitation of nobody@nowhere.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('nobody@nowhere.example', { exact: true }).waitFor({ state: 'detached' });

    const guest = await strangersPage();
    await guest.setViewportSize(PHONE);
    await signIn(guest, app.member);
    const space = `Space of ${host.email}`;
    await guest.getByText(`invites you to ${space} as a member`).waitFor();
    expect(await violations(guest, 'invitation')).toEqual([]);
    expect(await overflows(guest)).toBe(false);
    await guest.getByRole('button', { name: `Accept the invitation to ${space}` }).click();
    await guest.getByRole('button', { name: `Go to ${space}` }).click();
    await guest.locator('.shell-top').getByText(space).waitFor();
    await guest.goto('/settings/members');
    await guest.getByRole('table', { name: 'Members' }).getByText(host.email).waitFor();
    expect(await guest.getByRole('button', { name: 'Invite member' }).count()).toBe(0);
  });

  it('declines an invitation', async () => {
    await app.sql('delete from rate_window');
    const host = await app.addUser('ADMIN', null);
    const person = await app.addUser('MEMBER');
    await app.client(host).members.add({ email: person.email, role: 'ADMIN' });
    const page = await strangersPage();
    await signIn(page, person);
    await page.getByRole('button', { name: `Decline the invitation to Space of ${host.email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    await page.getByText('invites you').waitFor({ state: 'detached' });
    expect((await app.client(host).invitations.list()).items).toEqual([]);
  });

  it('appoints an installation admin and dismisses him', async () => {
    const colleague = await app.addUser('ADMIN');
    const name = colleague.email.slice(0, 6);
    const page = await newPage();
    await page.goto('/settings/members');
    const installationAdmin = page.getByRole('switch', { name: `${name} is an installation admin` });
    await installationAdmin.click();
    await page.getByRole('button', { name: 'Appoint' }).click();
    const isAppointed = async () => (await app.client(colleague).auth.me()).installationAdmin;
    await until(isAppointed);
    await page.getByRole('switch', { name: `${name} is an installation admin`, checked: true }).click();
    await until(async () => !(await isAppointed()));
  });

  it('revokes API keys with the change of a password', async () => {
    await app.sql('delete from rate_window');
    const person = await app.addUser('MEMBER');
    const client = app.client(person);
    await client.apiKeys.create({ name: 'Leaked', scopes: ['invoke'] });
    const page = await strangersPage();
    await signIn(page, person);
    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByText('Change password').click();
    await page.getByLabel('Current password').fill(person.password);
    await page.getByLabel('New password', { exact: true }).fill('a new password');
    await page.getByLabel('Repeat new password').fill('a new password');
    await page.getByRole('checkbox', { name: /^Leaked/ }).check();
    expect(await violations(page, 'password dialog')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed, 1 API key revoked').waitFor();
    expect((await client.apiKeys.list()).items.map(({ name }) => name)).toEqual(['test']);
  });

  it('creates and rotates the webhook secret, and tells both in the audit log', async () => {
    const page = await newPage();
    await page.goto('/settings/webhooks');
    await page.getByRole('button', { name: 'Create secret' }).click();
    const secret = page.locator('.secret code');
    const first = await secret.innerText();
    expect(first).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rotate the signing secret?' });
    await dialog.getByText(/signed with both secrets/).waitFor();
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText(/^The previous secret also signs until /).waitFor();
    const second = await secret.innerText();
    expect(second).not.toBe(first);
    expect(await violations(page, 'webhook secret')).toEqual([]);
    await page.reload();
    await page.getByText('Configured').waitFor();
    expect(await page.content()).not.toContain(second);

    await page.goto('/settings/audit');
    const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
    await rows.first().waitFor();
    await page.getByLabel('What').selectOption('Webhook secret rotated');
    await until(async () => (await rows.count()) === 2);
    await page.getByLabel('Time').selectOption('Choose days …');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No entries match the filters').waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await rows.first().locator('summary').click();
    await rows.first().getByText('"webhook-secret.rotate"').waitFor();
    expect(await rows.first().innerText()).not.toContain('whsec_');
    // The filters are in the address, so Back keeps them.
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.goBack();
    await until(async () => (await rows.count()) === 2);
    expect(await page.getByLabel('What').inputValue()).toBe('webhook-secret.rotate');
  });

  it('shows what a webhook sent and what its server made of it, sends it again, and tests another', async () => {
    const server = await WebhookServer.start();
    try {
      server.respond('/orders', 503, 'Maintenance until 12:00');
      server.respond('/test', 200, 'Welcome');
      const client = app.client();
      const agent = await client.agents.create({ name: 'A', model: 'platform/offline', systemPrompt: 'x' });
      const contents = [{ type: 'text', text: 'Hello' }] as const;
      const webhook = { url: server.url('/orders') };
      const job = await client.jobs.create({ agentId: agent.id, contents: [...contents], webhook });
      const isAttempted = async () =>
        (await client.webhooks.listDeliveries({ jobId: job.id })).items[0]?.lastError === 'HTTP 503';
      await until(isAttempted);
      await app.sql('update webhook_delivery set next_publish_at = null where job_id = $1', [job.id]);
      const page = await newPage();
      await page.goto('/settings/webhooks');
      await page.getByRole('tab', { name: 'Deliveries' }).click();
      await page.getByRole('button', { name: `agent-job.completed ${webhook.url}` }).click();
      const drawer = page.getByRole('dialog', { name: 'Delivery' });
      await drawer.getByLabel('Response').getByText('Maintenance until 12:00').waitFor();
      await drawer.getByLabel('Request').getByText('"text":"You said: Hello').waitFor();
      expect(await violations(page, 'delivery')).toEqual([]);
      server.respond('/orders', 204);
      await drawer.getByRole('button', { name: 'Send again' }).click();
      // The stream of changes tells the drawer.
      await drawer.getByText('HTTP 204').waitFor();
      await drawer.getByText('Delivered').waitFor();
      await drawer.getByRole('button', { name: 'Close' }).click();

      await page.getByRole('button', { name: 'Send a test message' }).click();
      await page.getByLabel('Address').fill(server.url('/test'));
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Your server accepted the message').waitFor();
      await page.getByLabel('Response').getByText('Welcome').waitFor();
      const signature = server.of('/test')[0]?.headers['webhook-signature'];
      expect(await page.getByLabel('What was sent').innerText()).toContain(
        `webhook-signature: ${String(signature)}`,
      );
    } finally {
      await server.close();
    }
  });

  it('breaks no rule of the content security policy on any page', async () => {
    const page = await newPage();
    const complaints = complaintsOf(page);
    const agentId = await openPlayground(page, 'Strict');
    await say(page, 'Hello');
    await page.getByText(/\d tokens \(/).waitFor();
    for (const path of pagesOf(agentId)) {
      await page.goto(path);
      await settled(page);
    }
    // Every page, in every look: accessibility.slow.e2e-spec.ts.
    await page.goto(`/agents/${agentId}/playground`);
    await settled(page);
    expect(await violations(page, 'conversation', { colors: true })).toEqual([]);
    const policy = (await page.request.get('/')).headers()['content-security-policy'];
    expect(policy).toContain("script-src 'self'");
    expect(complaints).toEqual([]);
  });
});

/** A red dot of one pixel. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
