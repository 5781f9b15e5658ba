import { said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { ServiceProcess } from './harness/process.ts';

const CANARY = 'canary-7f3a9c';

it('the log of a service whose statements fail contains no prompt, response, password, or key', async () => {
  const app = await TestApp.start();
  const service = await (
    await ServiceProcess.spawn({
      DATABASE_URL: app.databaseUrl,
      PLATFORM_SECRET_KEY: app.secretKey,
      PLATFORM_DATA_DIR: app.dataDir,
      PLATFORM_LOG_LEVEL: 'debug',
    })
  ).ready();
  const { id } = await app
    .client()
    .agents.create({ name: 'A', model: 'platform/offline', systemPrompt: `Be brief, ${CANARY}.` });
  const post = (path: string, body: unknown, credential = app.admin.apiKey) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  try {
    await app.sql('alter table turn_step add constraint broken check (false) not valid');
    const chat = await post(`/api/agents/${id}/chat`, { contents: said(`Prompt ${CANARY}`), stream: false });
    expect(chat.status).toBe(500);
    await app.sql('alter table turn_step drop constraint broken');

    await app.sql('alter table stream_frame add constraint broken check (to_seq < 3) not valid');
    const streamed = post(`/api/agents/${id}/chat`, { contents: said(`Prompt ${CANARY}`), stream: false });
    await eventually(async () => expect(service.printed).toContain('Frames could not be stored'));
    await app.sql('alter table stream_frame drop constraint broken');
    expect((await streamed).status).toBe(200);

    const { email, password: current } = app.admin;
    const signedIn = await post('/api/auth/login', { email, password: current });
    const { accessToken } = (await signedIn.json()) as { accessToken: string };
    await app.sql('alter table platform_user add constraint broken check (false) not valid');
    const password = `password ${CANARY}`;
    const passwords = { currentPassword: current, newPassword: password };
    const changed = await post('/api/auth/password', passwords, accessToken);
    expect(changed.status).toBe(500);
    await fetch(`${service.url}/api/agents/${app.admin.apiKey}`);

    await eventually(async () =>
      expect(service.printed.match(/"constraint":"broken"/g)?.length).toBeGreaterThan(2),
    );
    await eventually(async () =>
      expect(service.printed).toMatch(/"path":"\/api\/agents\/[^"]+","status":401/),
    );
    expect(service.printed).not.toContain(CANARY);
    expect(service.printed).not.toContain(app.admin.apiKey);
    expect(Math.max(...service.printed.split('\n').map(({ length }) => length))).toBeLessThan(20_000);
  } finally {
    await service.kill();
    await app.close();
  }
});
