import pg from 'pg';
import { DataSource } from 'typeorm';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { callEverything, expectAway } from './harness/every-route.ts';
import { eventually } from './harness/eventually.ts';
import { textOf } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

const LIMIT_MS = 10_000;

let model: ScriptedModel;
let app: TestApp;
let calls: AgentCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  // The limits of the service: those of other tests are more patient.
  const env = { PLATFORM_DATABASE_CONNECT_MS: '3000', PLATFORM_DATABASE_LOCK_MS: '2000' };
  app = await TestApp.start({ env: { ...env, PLATFORM_MAX_RUNNING_TURNS: '300' } });
  calls = await AgentCalls.make(app, { baseUrl: model.url });
});

afterAll(async () => {
  await app.close();
  await model.close();
});

describe('a burst of one space', () => {
  // The starts of one user follow each other, so 200 of them take more than the time to wait for a connection.
  const SLOW_MS = 20;

  // As on a machine with too much to do.
  beforeEach(() =>
    app.sql(
      `create function slow_start() returns trigger language plpgsql as
         $$ begin perform pg_sleep(${SLOW_MS / 1_000}); return new; end $$;
       create trigger slow_start before insert on turn for each row
         when (new.space_id = '${app.admin.spaceId}') execute function slow_start()`,
    ),
  );
  afterEach(() => app.sql('drop function slow_start cascade'));

  verifies('errors.burst', 'waits while the database works for it', async () => {
    const starts = Array.from({ length: 200 }, () => calls.json({ contents: said('Hello') }));
    const statuses = (await Promise.all(starts)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('connections that others use up', () => {
  verifies(
    'errors.unavailable',
    'give 503 in time on every route, and neither leases nor streams suffer',
    async () => {
      const { opened, open } = gate();
      const prompt = model.prompt({
        text: ['One', ' two', ' three'],
        pauseAfter: { chunks: 2, until: opened },
      });
      const stream = await calls.open({ contents: said(prompt) });
      await stream.untilSaid('One');
      const runners = Array.from({ length: 10 }, () => app.get(DataSource).createQueryRunner());
      await Promise.all(runners.map((runner) => runner.connect()));
      const told = await callEverything(calls, 100);
      const away = told.filter(({ answer }) => answer.status >= 500);
      expect(away.length).toBeGreaterThan(told.length / 2);
      for (const one of away) expectAway(one);
      expect(told.filter(({ ms }) => ms > LIMIT_MS).map(({ route, ms }) => ({ route, ms }))).toEqual([]);
      expect((await app.request('GET', '/api/health/ready', { as: null })).status).toBe(200);
      open();
      await stream.untilSaid('three');
      await Promise.all(runners.map((runner) => runner.release()));
      expect(textOf((await stream.rest()).frames)).toBe('One two three');
    },
  );

  it('and are closed while idle do not end the process', async () => {
    const killer = new pg.Client({ connectionString: app.databaseUrl });
    await killer.connect();
    for (let i = 0; i < 5; i++) {
      await Promise.all(Array.from({ length: 12 }, () => app.request('GET', '/api/agents')));
      await killer.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    }
    await killer.end();
    await eventually(async () => expect((await app.request('GET', '/api/agents')).status).toBe(200));
  });
});
