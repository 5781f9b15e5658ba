import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Envelope, Model, ModelTestResult, Page, SignInResponse } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { IdentityService } from '../src/auth/people/identity.service.ts';
import { SeedService } from '../src/seed/seed.service.ts';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import type { FirstStart } from '../src/seed/first-start.ts';
import { startOpenAiServer } from './fixtures/openai-server.ts';
import { copyTemplate, TestApp } from './harness/app.ts';

let app: TestApp;

/** A service on a database that nobody has used yet. */
async function start(env: Record<string, string> = {}): Promise<void> {
  app = await TestApp.start({
    databaseUrl: await copyTemplate(),
    empty: true,
    env: { PLATFORM_SEED: 'demo', ...env },
  });
}

afterEach(async () => {
  disarmFailpoints();
  await app.close();
});

const seed = () => app.get(SeedService).run();
const file = () => join(app.dataDir, 'first-start.json');
const kept = async () => JSON.parse(await readFile(file(), 'utf8')) as FirstStart;
const signIn = (email: string, password: string | null) =>
  app.request<SignInResponse>('POST', '/api/auth/login', { as: null, body: { email, password } });

describe('the first start', () => {
  it.each(['seed.kept', 'seed.committed'])('locks nobody out after a crash at %s', async (place) => {
    await start();
    armFailpoints([place]);
    await expect(seed()).rejects.toThrow(`Failpoint ${place}`);
    const { password } = await kept();
    disarmFailpoints();

    const banner = (await seed()).banner();
    const made = await kept();
    expect(made).toMatchObject({ password, apiKey: expect.any(String), agentId: expect.any(String) });
    expect(banner).toContain(`admin@platform.local  ${password ?? 'none'}`);
    expect((await signIn(made.email, made.password)).status).toBe(200);
    const agent = await app.request('GET', `/api/agents/${made.agentId ?? ''}`, {
      as: null,
      headers: { Authorization: `Bearer ${made.apiKey ?? ''}` },
    });
    expect(agent.status).toBe(200);
    expect(await app.sql('select id from platform_user')).toHaveLength(1);
    expect(await app.sql('select id from agent')).toHaveLength(1);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it.each([null, 'seed.samples'])(
    'installs two sample applications, also after a crash at %s',
    async (place) => {
      await start();
      if (place !== null) {
        armFailpoints([place]);
        await expect(seed()).rejects.toThrow(`Failpoint ${place}`);
        disarmFailpoints();
      }
      const banner = (await seed()).banner();
      const { apiKey, systemKeys, spaceId } = await kept();
      expect(Object.keys(systemKeys ?? {})).toEqual(['order-desk', 'help-desk']);
      expect(banner).toContain(systemKeys?.['order-desk'] ?? 'none');
      for (const table of ['application', 'data_table']) {
        expect(await app.sql(`select 1 from ${table} where space_id = $1`, [spaceId])).toHaveLength(2);
      }
      // The command of the banner, and the events of the first rows.
      const emit = (key: string) =>
        app.request('POST', '/api/events/emit', {
          as: null,
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          raw: /-d '(\{"appIdentifier".*\})'/.exec(banner)?.[1],
        });
      expect((await emit(systemKeys?.['order-desk'] ?? '')).status).toBe(200);
      expect((await emit(systemKeys?.['help-desk'] ?? '')).status).toBe(403);
      const log = await app.request<Page<Envelope>>('GET', '/api/events/envelopes', {
        as: null,
        headers: { Authorization: `Bearer ${apiKey ?? ''}` },
      });
      expect(log.body.items.map(({ event, source }) => [event, source]).sort()).toEqual(
        expect.arrayContaining([
          ['order.created', 'app'],
          ['order.created', 'datasource'],
          ['order.created', 'datasource'],
          ['ticket.opened', 'datasource'],
          ['ticket.opened', 'datasource'],
        ]),
      );
      // A later start leaves them alone.
      await seed();
      expect((await kept()).systemKeys).toEqual(systemKeys);
      expect(await app.sql('select 1 from data_row where space_id = $1', [spaceId])).toHaveLength(4);
    },
  );

  it('creates no account if the password cannot be stored', async () => {
    await start({ PLATFORM_DATA_DIR: join(import.meta.filename, 'below a file') });
    await expect(seed()).rejects.toThrow('ENOTDIR');
    expect(await app.sql('select id from platform_user')).toEqual([]);
  });

  it('neither stores nor prints a password from the environment', async () => {
    const password = 'given by an operator';
    await start({ PLATFORM_ADMIN_PASSWORD: password });
    const banners = [(await seed()).banner(), (await seed()).banner()];
    for (const banner of banners) {
      expect(banner).not.toContain(password);
      expect(banner).toContain('the password of PLATFORM_ADMIN_PASSWORD');
    }
    expect(await readFile(file(), 'utf8')).not.toContain(password);
    expect((await signIn('admin@platform.local', password)).status).toBe(200);
  });

  it('prints the model of the first agent, and follows a changed key of the environment until an admin edits it', async () => {
    const environment = (key: string, baseUrl: string) => ({
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: baseUrl,
      OPENAI_MODEL: 'gpt-env',
    });
    await start();
    expect((await seed()).banner()).toContain('  Model     platform/offline, built in (set OPENAI_API_KEY');
    const first = app;

    const models = [
      await startOpenAiServer({ apiKey: 'sk-right' }),
      await startOpenAiServer({ apiKey: 'sk-x' }),
    ];
    const apps: TestApp[] = [];
    const restart = async (key: string, baseUrl: string) => {
      app = await TestApp.start({
        database: first,
        env: { PLATFORM_SEED: 'demo', PLATFORM_DATA_DIR: first.dataDir, ...environment(key, baseUrl) },
      });
      apps.push(app);
      return seed();
    };
    const { apiKey } = await kept();
    const as = { as: null, headers: { Authorization: `Bearer ${apiKey ?? ''}` } };
    const works = async () => {
      const { items } = (await app.request<Page<Model>>('GET', '/api/models', as)).body;
      expect(items.map(({ name }) => name)).toEqual(['gpt-env', 'platform/offline']);
      const test = await app.request<ModelTestResult>('POST', `/api/models/${items[0]?.id ?? ''}/test`, as);
      return [test.body.ok, items[0]?.baseUrl];
    };
    const [one, two] = models.map(({ url }) => url) as [string, string];

    const wrong = await restart('sk-wrong', one);
    expect(wrong.banner()).toContain(`  Model     gpt-env at ${one}`);
    expect(await wrong.testModel()).toMatch(/^ {2}The model gpt-env does not work: .*401/);
    expect(await works()).toEqual([false, one]);
    const right = await restart('sk-right', one);
    expect(await right.testModel()).toMatch(/^ {2}The model gpt-env works: it answered after \d+ ms/);
    expect(await works()).toEqual([true, one]);
    // It is not asked at each start.
    expect(await (await restart('sk-right', one)).testModel()).toBeNull();
    await restart('sk-x', two);
    expect(await works()).toEqual([true, two]);

    const [model] = (await app.request<Page<Model>>('GET', '/api/models', as)).body.items;
    const body = { apiKey: 'sk-mine' };
    expect((await app.request('PATCH', `/api/models/${model?.id ?? ''}`, { ...as, body })).status).toBe(200);
    await restart('sk-x', two);
    expect(await works()).toEqual([false, two]);

    for (const one of apps) await one.close();
    for (const one of models) await one.close();
    app = first;
  });

  it('takes a model from the environment also after the password was changed', async () => {
    await start({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_MODEL: 'gpt-late' });
    const identity = app.get(IdentityService);
    const { id } = await app.get(DataSource).transaction(async (tx) => {
      const user = await identity.createUser(tx, { email: 'a@b.example', name: 'A', password: 'a password' });
      return identity.createSpace(tx, 'Old space', user.id);
    });
    await seed();
    expect(await app.sql('select name, space_id from model')).toEqual([{ name: 'gpt-late', space_id: id }]);
  });

  it('shows the password until it is changed', async () => {
    await start();
    await seed();
    const { email, password } = await kept();
    expect((await seed()).banner()).toContain(password);
    const { accessToken } = (await signIn(email, password)).body;
    const changed = await app.request('POST', '/api/auth/password', {
      as: null,
      headers: { Authorization: `Bearer ${accessToken}` },
      body: { currentPassword: password, newPassword: 'another one of length' },
    });
    expect(changed.status).toBeLessThan(300);
    expect((await seed()).banner()).not.toContain(email);
    await expect(readFile(file())).rejects.toThrow('ENOENT');
    await rm(file(), { force: true });
  });
});
