import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type Answer, type TestUser } from './harness/app.ts';
import { callEverything, expectAway, type Told } from './harness/every-route.ts';
import { eventually } from './harness/eventually.ts';
import { textOf } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { PostgresServer } from './harness/postgres.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

const LIMIT_MS = 10_000;
const HEALTH = /^\/api\/health\//;
/** They ask for no credential, and an empty request gives them nothing to look up. */
const WITHOUT_DATABASE =
  /auth\/(logout|refresh)|\/\.well-known\/|connections\/callback|oauth\/(revoke|token)/;

let postgres: PostgresServer;
let model: ScriptedModel;
let app: TestApp;
let calls: AgentCalls;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  model = await ScriptedModel.start();
  app = await TestApp.start({
    databaseUrl: await postgres.database(),
    env: { PLATFORM_DATABASE_IDLE_TRANSACTION_MS: '3000', PLATFORM_MAX_RUNNING_TURNS: '300' },
  });
  calls = await AgentCalls.make(app, { baseUrl: model.url });
});

afterAll(async () => {
  await app.close();
  await model.close();
  await postgres.stop();
});

describe('a database that is frozen', () => {
  verifies('errors.unavailable', 'gives 503 on every route within ten seconds, and comes back', async () => {
    await calls.json({ contents: said('Hello') });
    await postgres.freeze();
    try {
      const told = await callEverything(calls, 100);
      for (const one of told.filter(({ route }) => !HEALTH.test(route.split(' ')[1] ?? ''))) {
        if (WITHOUT_DATABASE.test(one.route))
          expect([one.route, one.answer.status < 500]).toEqual([one.route, true]);
        else expectAway(one);
      }
      const slow = told.filter(({ ms }) => ms > LIMIT_MS).map(({ route, ms }) => ({ route, ms }));
      expect(slow).toEqual([]);
      const begin = performance.now();
      const ready = await app.request('GET', '/api/health/ready', { as: null });
      expect(performance.now() - begin).toBeLessThan(5_000);
      expect(ready).toMatchObject({ status: 503, body: { checks: { database: 'down' } } });
      expect((await app.request('GET', '/api/health/live', { as: null })).status).toBe(200);
    } finally {
      postgres.thaw();
    }
    await eventually(async () => {
      expect((await app.request('GET', '/api/health/ready', { as: null })).status).toBe(200);
      expect((await app.request('GET', '/api/agents')).status).toBe(200);
    });
  });

  it('pauses a running response, which then completes', async () => {
    const { opened, open } = gate();
    const prompt = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
    const stream = await calls.open({ contents: said(prompt) });
    await stream.untilSaid('One');
    await postgres.freeze();
    open();
    await delay(3_000);
    postgres.thaw();
    expect(textOf((await stream.rest()).frames)).toBe('One two');
  });
});

describe('locks that somebody keeps', () => {
  let holder: pg.Client;

  beforeEach(async () => {
    holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await holder.query('begin');
  });
  afterEach(() => holder.end());

  verifies('errors.unavailable', 'on every table give 503 and never 500', async () => {
    await holder.query(`do $$ declare t text; begin
      for t in select tablename from pg_tables where schemaname = 'public'
        and tablename not in ('api_key', 'membership', 'platform_user', 'space', 'migrations')
      loop execute format('lock table %I in access exclusive mode', t); end loop; end $$`);
    const told = await callEverything(calls, 10);
    const away = told.filter(({ answer }) => answer.status >= 500);
    expect(away.length).toBeGreaterThan(told.length / 2);
    // Readiness has a body of its own: it is 503 while all connections for background work wait for the locks.
    const isHealth = ({ route }: Told) => HEALTH.test(route.split(' ')[1] ?? '');
    expect(away.filter(isHealth).map(({ answer }) => answer.status)).not.toContain(500);
    for (const one of away.filter((one) => !isHealth(one))) expectAway(one);
    expect(told.filter(({ ms }) => ms > LIMIT_MS).map(({ route, ms }) => ({ route, ms }))).toEqual([]);
    await holder.query('rollback');
  });

  it('on the account of one space give its callers 503 and leave the others their time', async () => {
    const other = new AgentCalls(
      app,
      (
        await app
          .client(app.outsider)
          .agents.create({ name: 'O', model: 'platform/offline', systemPrompt: 'x' })
      ).id,
      app.outsider,
    );
    const grant = (as: TestUser) =>
      app.request('POST', '/api/usage/grants', { as, body: { tokens: 1_000_000 } });
    await grant(app.admin);
    await grant(app.outsider);
    await holder.query('select from usage_account where space_id = $1 for update', [app.admin.spaceId]);

    const stuck = Array.from({ length: 40 }, () => calls.json({ contents: said('Hello') }));
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const begin = performance.now();
      expect(await other.json({ contents: said('Hello') })).toMatchObject({ status: 200 });
      expect((await app.request('GET', '/api/agents', { as: app.member })).status).toBe(200);
      times.push(performance.now() - begin);
    }
    for (const answer of await Promise.all(stuck))
      expectAway({ route: 'chat', answer: answer as unknown as Answer, ms: 0 });
    // They met the same pool as forty callers who waited for a lock of two seconds.
    expect(times.sort((a, b) => a - b)[times.length >> 1]).toBeLessThan(1_800);
    await holder.query('rollback');
    expect(await calls.json({ contents: said('Hello') })).toMatchObject({ status: 200 });
  });

  it('are released when a process freezes in the middle of a transaction', async () => {
    const runner = app.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from space for update');
    const create = () =>
      app.request('POST', '/api/agents', { body: { name: 'L', model: 'x', systemPrompt: 'x' } });
    expectAway({ route: 'agents', answer: await create(), ms: 0 });
    await eventually(async () => expect(await create()).toMatchObject({ status: 201 }), 30_000);
    await runner.release();
  });
});

describe('a burst of one space', () => {
  /** As on a machine with too much to do. The starts of one user follow each other. */
  const slowDown = (ms: number) =>
    app.sql(
      `create function slow_start() returns trigger language plpgsql as
         $$ begin perform pg_sleep(${ms / 1_000}); return new; end $$;
       create trigger slow_start before insert on turn for each row
         when (new.space_id = '${app.admin.spaceId}') execute function slow_start()`,
    );
  afterEach(() => app.sql('drop function slow_start cascade'));

  verifies('errors.burst', 'waits while the database works for it, and nobody else waits', async () => {
    // All together take more than the time to wait for a connection.
    await slowDown(20);
    const starts = Array.from({ length: 200 }, () => calls.json({ contents: said('Hello') }));
    const times: number[] = [];
    const watching = (async () => {
      for (let i = 0; i < 50; i++) {
        const begin = performance.now();
        expect((await app.request('GET', '/api/agents', { as: app.outsider })).status).toBe(200);
        times.push(performance.now() - begin);
        await delay(100);
      }
    })();
    const statuses = (await Promise.all(starts)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await watching;
    expect(times.sort((a, b) => a - b)[times.length >> 1]).toBeLessThan(1_000);
  });

  verifies('errors.burst', 'also waits while its own calls keep the locks for too long', async () => {
    // Five have a connection, so the last of them waits for four others.
    await slowDown(200);
    const hurried = await TestApp.start({ database: app, env: { PLATFORM_DATABASE_LOCK_MS: '600' } });
    const starts = Array.from({ length: 20 }, () => calls.via(hurried).json({ contents: said('Hello') }));
    const statuses = (await Promise.all(starts)).map(({ status }) => status);
    await hurried.close();
    expect(statuses).toEqual(Array(20).fill(200));
  });
});
