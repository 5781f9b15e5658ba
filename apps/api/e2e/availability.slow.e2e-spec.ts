import { AgentCalls, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { ATTACKS, type Attack } from './harness/body-attacks.ts';
import { measureBystander } from './harness/bystander.ts';
import { ServiceProcess } from './harness/process.ts';
import { head, sendSlowly } from './harness/slow-request.ts';
import { verifies } from './verifies.ts';

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

  async function send({ name, path, body }: Attack) {
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
    }).catch((cause: unknown) => {
      throw new Error(`${name}: no response (${service.ending ?? 'the service is running'})`, { cause });
    });
    return { status: response.status, text: await response.text() };
  }

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
  /** Long enough for a busy process to look its caller up before. */
  const LOOKUP_MS = 3_000;
  let patient: TestApp;
  beforeAll(async () => {
    patient = await TestApp.start({ env: { PLATFORM_READ_TIMEOUT_MS: String(LOOKUP_MS) } });
  });
  afterAll(() => patient.close());

  it('from an authenticated caller have no such deadline', async () => {
    const small = JSON.stringify({ name: 'A', model: 'platform/offline', systemPrompt: 'x' });
    const request = head('/api/agents', patient.admin.apiKey, small.length + 200);
    const sent = await sendSlowly(patient.url, request, small + ' '.repeat(200), 1.5 * LOOKUP_MS);
    expect(sent).toEqual({ answer: '', closedAfterMs: null });
    const whole = await sendSlowly(patient.url, request, small + ' '.repeat(200), 10 * LOOKUP_MS);
    expect(whole.answer).toMatch(/^HTTP\/1\.1 201 /);
  });
});
