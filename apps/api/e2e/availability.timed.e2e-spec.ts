import { AgentCalls, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { measureBystander } from './harness/bystander.ts';
import { ServiceProcess } from './harness/process.ts';
import { sendSlowly } from './harness/slow-request.ts';
import { verifies } from './verifies.ts';

const MB = 1024 * 1024;

/** `{"0":1,"1":1,…,"z":1,"10":1,…}` */
const keys = (count: number) =>
  `{${Array.from({ length: count }, (_, i) => `"${i.toString(36)}":1`).join()}}`;
const chat = (rest: string) => `{"stream":false,"contents":[{"type":"text","text":"Hi"}],${rest}}`;
const item = (rest: string) => `{"contents":[${rest}]}`;
const inputs = (rest: string) => `{"inputs":${rest}}`;
const list = (count: number, entry: string) => `[${Array<string>(count).fill(entry).join()}]`;

interface Attack {
  name: string;
  path: 'login' | 'agents' | 'chat' | 'execute';
  body: string;
  /** What the answer says. */
  refused: RegExp;
}

const AGENT = '"name":"A","model":"platform/offline","systemPrompt":"x"';

const ATTACKS: Attack[] = [
  {
    name: '118,000 unknown keys on login',
    path: 'login',
    body: keys(118_000),
    refused: /^The body must have at most 500 keys$/,
  },
  {
    name: '60,000 keys in a new agent',
    path: 'agents',
    body: keys(60_000),
    refused: /^The body must have at most 500 keys$/,
  },
  {
    name: '50,000 keys in the settings of a new agent',
    path: 'agents',
    body: `{${AGENT},"settings":${keys(50_000)}}`,
    refused: /^settings must have at most 500 keys$/,
  },
  {
    name: '90,000 users in a new agent',
    path: 'agents',
    body: `{${AGENT},"allowedUserIds":${list(90_000, '"u"')}}`,
    refused: /^allowedUserIds must have at most 10000 items$/,
  },
  {
    name: '60,000 variables in a new agent',
    path: 'agents',
    body: `{${AGENT},"variables":${list(60_000, '{"name":"x"}')}}`,
    refused: /^variables must have at most 128 items$/,
  },
  {
    name: '150,000 placeholders in a new agent',
    path: 'agents',
    body: `{"name":"A","model":"platform/offline","systemPrompt":"${'{{x}}'.repeat(150_000)}"}`,
    refused: /^systemPrompt must have at most 1000 \{\{variables\}\}/,
  },
  {
    name: '120,000 keys in the settings of a chat',
    path: 'chat',
    body: chat(`"settings":${keys(120_000)}`),
    refused: /^settings must have at most 500 keys$/,
  },
  {
    name: '120,000 keys two levels down in a chat',
    path: 'chat',
    body: chat(`"settings":{"temperature":{"x":${keys(120_000)}}}`),
    refused: /^settings\.temperature\.x must have at most 500 keys$/,
  },
  {
    name: '150,000 unknown keys in a content item',
    path: 'chat',
    body: item(`{"type":"text","text":"Hi","x":${keys(150_000)}}`),
    refused: /^contents\[0\]\.x is not a known field$/,
  },
  {
    name: '150,000 unknown keys beside the text of a content item',
    path: 'chat',
    body: item(keys(150_000).replace('{', '{"type":"text","text":"Hi",')),
    refused: /^contents\[0\] must have at most 500 keys$/,
  },
  {
    name: '400,000 unknown keys in a content item',
    path: 'chat',
    body: item(keys(400_000).replace('{', '{"type":"text","text":"Hi",')),
    refused: /^The body must have at most 200000 objects, arrays and keys together$/,
  },
  {
    name: '65 content items',
    path: 'chat',
    body: item(list(65, '{"type":"text","text":"Hi"}').slice(1, -1)),
    refused: /^contents must have at most 64 items$/,
  },
  {
    name: '2 million registered tools',
    path: 'chat',
    body: chat(`"registeredLocalTools":${list(2_000_000, '"t"')}`),
    refused: /^registeredLocalTools must have at most 10000 items$/,
  },
  {
    name: 'a data URI with 2.4 million parameters',
    path: 'chat',
    body: item(
      `{"type":"image_url","image_url":{"url":"data:image/png${';a=b'.repeat(2_400_000)};base64,SGk="}}`,
    ),
    refused: /^contents\[0\]\.image_url\.url must be an http: or https: address or a data:/,
  },
  {
    name: '10 MB of brackets',
    path: 'chat',
    body: '['.repeat(10 * MB),
    refused: /^The body is nested deeper than 64 levels$/,
  },
  {
    name: '10 MB of empty objects',
    path: 'chat',
    body: item(`${'{},'.repeat(3 * MB)}{}`),
    refused: /^The body must have at most 200000 objects, arrays and keys together$/,
  },
  {
    name: '400,000 images',
    path: 'execute',
    body: inputs(`{"query":"Hi","images":${list(400_000, '"x"')}}`),
    refused: /^inputs\.images must be a list of at most 64 URLs$/,
  },
  {
    name: 'an image whose data: head has 1 MB',
    path: 'execute',
    body: inputs(`{"query":"Hi","images":["data:image/${'x'.repeat(MB)};base64,SGk="]}`),
    refused: /^inputs\.images\[0\] must be an http: or https: address or a data:/,
  },
  {
    name: '700,000 variables',
    path: 'execute',
    body: inputs(keys(700_000)),
    refused: /^The body must have at most 200000 objects, arrays and keys together$/,
  },
  {
    name: '150,000 variables',
    path: 'execute',
    body: inputs(keys(150_000)),
    refused: /^inputs must have at most 1000 keys$/,
  },
  {
    name: 'a value of 9.5 MB for a prompt that repeats it 1,000 times',
    path: 'execute',
    body: inputs(`{"query":"Hi","x":"${'y'.repeat(9.5 * MB)}"}`),
    refused:
      /^systemPrompt must have at most 1000000 characters with its variables filled in, not 99614720\d\d$/,
  },
];

describe('availability', () => {
  let app: TestApp;
  let service: ServiceProcess;
  let calls: AgentCalls;

  beforeAll(async () => {
    app = await TestApp.start();
    calls = await AgentCalls.make(app, null, { systemPrompt: '{{x}}'.repeat(1000) });
    // A process of its own: what blocks it must not block whoever measures.
    service = await ServiceProcess.spawn({
      DATABASE_URL: app.databaseUrl,
      PLATFORM_SECRET_KEY: app.secretKey,
      PLATFORM_DATA_DIR: app.dataDir,
    });
    await service.ready();
  });

  afterAll(async () => {
    await service.kill();
    await app.close();
  });

  async function send({ path, body }: Attack) {
    const paths = {
      login: '/api/auth/login',
      agents: '/api/agents',
      chat: `${calls.path}/chat`,
      execute: `${calls.path}/execute`,
    };
    const response = await fetch(service.url + paths[path], {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(path !== 'login' && { Authorization: `Bearer ${app.admin.apiKey}` }),
        ...STREAMED,
      },
      body,
    });
    return { status: response.status, text: await response.text() };
  }

  it.each(ATTACKS)('$name: a 400 of at most 4 KB', async (attack) => {
    const { status, text } = await send(attack);
    expect([status, text.length < 5000]).toEqual([400, true]);
    const { code, message } = JSON.parse(text) as { code: string; message: string };
    expect(code).toBe('VALIDATION_ERROR');
    expect(message).toMatch(attack.refused);
  });

  verifies('platform.body-bounds', 'bodies that were made to be slow hold up nobody else', async () => {
    const target = { url: service.url, apiKey: app.member.apiKey };
    const statuses: number[] = [];
    const waits = await measureBystander(target, async () => {
      // Before there were limits, the first body alone stopped the process for 18 s.
      for (const attack of ATTACKS) statuses.push((await send(attack)).status);
    });
    expect(waits.failures).toEqual([]);
    expect(waits.requests).toBeGreaterThan(20);
    expect(waits.max).toBeLessThan(5_000);
    expect(new Set(statuses)).toEqual(new Set([400]));
  });
});

describe('requests that arrive slowly', () => {
  const TIMEOUT_MS = 500;
  /** Long enough for a busy process to look its caller up before. */
  const LOOKUP_MS = 3_000;
  let app: TestApp;
  let patient: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ env: { PLATFORM_READ_TIMEOUT_MS: String(TIMEOUT_MS) } });
    patient = await TestApp.start({ env: { PLATFORM_READ_TIMEOUT_MS: String(LOOKUP_MS) }, database: app });
  });
  afterAll(async () => {
    await patient.close();
    await app.close();
  });

  const body = JSON.stringify({ name: 'A', model: 'platform/offline', systemPrompt: 'x'.repeat(10_000) });
  const head = (path: string, key: string | null, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n` +
    `${key === null ? '' : `Authorization: Bearer ${key}\r\n`}\r\n`;

  verifies('platform.slow-bodies', 'to a public route are closed', async () => {
    const sent = await sendSlowly(app.url, head('/api/auth/login', null, body.length), body, 20_000);
    expect(sent.closedAfterMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 50);
    expect(sent.answer).toBe('');
  });

  it.each([
    ['without a credential', null],
    ['with a wrong one', `pk_${'x'.repeat(40)}`],
  ])('%s are told 401 at once, and then closed', async (_, key) => {
    const sent = await sendSlowly(patient.url, head('/api/agents', key, body.length), body, 20_000);
    expect(sent.answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(sent.closedAfterMs).toBeGreaterThanOrEqual(LOOKUP_MS - 50);
  });

  it('in chunks without a length are closed, too', async () => {
    const chunked = `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const sent = await sendSlowly(app.url, chunked, '1\r\n{\r\n'.repeat(1000), 20_000);
    expect(sent.closedAfterMs).not.toBeNull();
  });

  it('with headers that do not end are closed', async () => {
    const headers = 'X-More: and more\r\n'.repeat(1000);
    const sent = await sendSlowly(app.url, 'GET /api/health/live HTTP/1.1\r\nHost: x\r\n', headers, 20_000);
    expect(sent.closedAfterMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 50);
  });

  it('leave a connection open that waits for the next request', async () => {
    const request = 'GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    // Less than Node.js keeps idle connections.
    const sent = await sendSlowly(app.url, request, '', 4_500);
    expect(sent.answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(sent.closedAfterMs).toBeNull();
  });

  it('from an authenticated caller have no such deadline', async () => {
    const small = JSON.stringify({ name: 'A', model: 'platform/offline', systemPrompt: 'x' });
    const request = head('/api/agents', app.admin.apiKey, small.length + 200);
    const sent = await sendSlowly(patient.url, request, small + ' '.repeat(200), 1.5 * LOOKUP_MS);
    expect(sent).toEqual({ answer: '', closedAfterMs: null });
    const whole = await sendSlowly(patient.url, request, small + ' '.repeat(200), 10 * LOOKUP_MS);
    expect(whole.answer).toMatch(/^HTTP\/1\.1 201 /);
  });
});
