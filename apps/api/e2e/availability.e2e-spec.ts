import { AgentCalls, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { ATTACKS, type Attack } from './harness/body-attacks.ts';
import { cpuMsOf } from './harness/cpu-time.ts';
import { head, sendSlowly } from './harness/slow-request.ts';
import { verifies } from './verifies.ts';

describe('bodies that are made to be slow', () => {
  let app: TestApp;
  let calls: AgentCalls;

  beforeAll(async () => {
    app = await TestApp.start();
    calls = await AgentCalls.make(app, null, { systemPrompt: '{{x}}'.repeat(1000) });
  });
  afterAll(() => app.close());

  async function send({ path, body }: Attack) {
    const paths = {
      login: '/api/auth/login',
      agents: '/api/agents',
      chat: `${calls.path}/chat`,
      execute: `${calls.path}/execute`,
    };
    const as = path === 'login' ? null : app.admin;
    return app.request('POST', paths[path], { as, raw: body, headers: STREAMED });
  }

  it.each(ATTACKS)('$name: a 400 of at most 4 KB', async (attack) => {
    const { status, text, body } = await send(attack);
    expect([status, text.length < 5000]).toEqual([400, true]);
    expect(body).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(attack.refused) as string,
    });
  });

  verifies('platform.body-bounds', 'cost little processor time', async () => {
    const costs: { name: string; ms: number }[] = [];
    for (const attack of ATTACKS) costs.push({ name: attack.name, ms: await cpuMsOf(() => send(attack)) });
    // Before there were limits, the first alone took 18 s.
    expect(costs.filter(({ ms }) => ms > 2_000)).toEqual([]);
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
});
