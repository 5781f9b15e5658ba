import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Type } from '@nestjs/common';
import type { Job } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { BackgroundDatabase } from '../src/infra/database/database.ts';
import { Messaging } from '../src/infra/messaging/messaging.ts';
import { JobClaimsService } from '../src/jobs/queue/job-claims.service.ts';
import * as queue from '../src/jobs/queue/job-queue.store.ts';
import { queryJobs, requestCancel } from '../src/jobs/records/jobs.store.ts';
import { DUE_DELIVERIES, FORGET_BODIES, PURGE_DELIVERIES } from '../src/jobs/webhooks/webhooks.store.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { JobCalls } from './harness/job-calls.ts';
import { rowsRead } from './harness/query-plan.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { SqlMeter } from './harness/sql-meter.ts';
import { verifies } from './verifies.ts';

let model: ScriptedModel;
const apps: TestApp[] = [];

beforeAll(async () => {
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

afterAll(() => model.close());

async function started(env: Record<string, string> = {}, database?: TestApp): Promise<TestApp> {
  const app = await TestApp.start(database ? { env, database } : { env });
  apps.push(app);
  return app;
}

/** Prompts that the model leaves unfinished until they are let go. */
function held(count: number): { prompts: string[]; letGo: () => void } {
  const { opened, open } = gate();
  const behavior = { text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } };
  return { prompts: Array.from({ length: count }, () => model.prompt({ ...behavior })), letGo: open };
}

class Client {
  readonly calls: JobCalls;

  constructor(
    app: TestApp,
    readonly agent: AgentCalls,
    user: TestUser = app.admin,
  ) {
    this.calls = new JobCalls(app, user);
  }

  start(prompt: string, more: object = {}): Promise<Job> {
    return this.calls.start({ agentId: this.agent.agentId, contents: said(prompt), ...more });
  }

  startAll(prompts: string[], more: object = {}): Promise<Job[]> {
    return Promise.all(prompts.map((prompt) => this.start(prompt, more)));
  }

  async statuses(): Promise<Job['status'][]> {
    return (await this.calls.list('?limit=200')).items.map(({ status }) => status);
  }
}

const count = <T>(all: T[], one: T) => all.filter((each) => each === one).length;

describe('the queue of jobs', () => {
  verifies('job.fair', '50 long jobs of one member delay no other member', async () => {
    const app = await started({ PLATFORM_JOB_CONCURRENCY: '50', PLATFORM_MAX_RUNNING_TURNS: '50' });
    const agent = await AgentCalls.make(app, { baseUrl: model.url });
    const admin = new Client(app, agent);
    const { prompts, letGo } = held(50);
    const long = await admin.startAll(prompts);
    await eventually(async () => expect(count(await admin.statuses(), 'RUNNING')).toBeGreaterThanOrEqual(25));
    for (let i = 0; i < 3; i++) {
      const other = new Client(app, agent, await app.addUser('MEMBER'));
      const job = await other.start(model.prompt());
      expect((await other.calls.reached(job)).status).toBe('COMPLETED');
    }
    expect(await admin.statuses()).not.toContain('COMPLETED');
    letGo();
    for (const job of long) expect((await admin.calls.reached(job)).status).toBe('COMPLETED');
  });

  verifies('job.fair', 'users take turns, however many jobs one of them has sent before', async () => {
    const app = await started({ PLATFORM_JOB_CONCURRENCY: '1' });
    const agent = await AgentCalls.make(app, { baseUrl: model.url });
    const [ada, bob, cy] = await Promise.all(
      [1, 2, 3].map(async () => new Client(app, agent, await app.addUser('MEMBER'))),
    );
    if (!ada || !bob || !cy) return;
    const first = held(1);
    const jobs = [await ada.start(first.prompts[0] ?? '')];
    await eventually(async () => expect(await ada.statuses()).toEqual(['RUNNING']));
    // The queue is polled while nobody else waits, and does not forget who has the place.
    const polls = jest.spyOn(app.get<BackgroundDatabase>(BackgroundDatabase), 'hasRows');
    const looks = () => polls.mock.calls.filter(([query]) => query === queue.JOBS_QUEUED).length;
    await eventually(async () => expect(looks()).toBeGreaterThan(1));
    const order: [Client, string][] = [];
    for (const [user, name] of [
      [ada, 'a1'],
      [ada, 'a2'],
      [ada, 'a3'],
      [bob, 'b1'],
      [bob, 'b2'],
      [cy, 'c1'],
    ] as const) {
      order.push([user, name]);
      jobs.push(await user.start(`Take turns: ${name}`));
    }
    // A job can be picked when its hint was handled.
    await eventually(async () => {
      const [ready] = await app.sql(
        `select count(*)::int as count from agent_job where queue_state = 'READY'`,
      );
      expect(ready).toEqual({ count: order.length });
    });
    first.letGo();
    for (const [i, job] of jobs.entries()) await (order[i - 1]?.[0] ?? ada).calls.reached(job, 'COMPLETED');
    const rows = await app.sql<{ text: string }>(
      `select i.content -> 'parts' -> 0 ->> 'text' as text from agent_job j
       join turn t on t.id = j.turn_id join turn_step i on i.turn_id = t.id and i.n = 1
       where j.id = any($1::uuid[]) order by t.started_at`,
      [jobs.slice(1).map(({ id }) => id)],
    );
    expect(rows.map(({ text }) => text.slice('Take turns: '.length))).toEqual([
      'b1',
      'c1',
      'a1',
      'b2',
      'a2',
      'a3',
    ]);
  });

  verifies(
    'job.fair',
    'a user at the limit of running turns waits, is not asked about, and goes on',
    async () => {
      const app = await started({ PLATFORM_MAX_RUNNING_TURNS: '3' });
      const claims = jest.spyOn(app.get(JobClaimsService), 'claim');
      const agent = await AgentCalls.make(app, { baseUrl: model.url });
      const admin = new Client(app, agent);
      const running = held(3);
      const waiting = held(2);
      await admin.startAll(running.prompts);
      await eventually(async () => expect(await admin.statuses()).toEqual(Array(3).fill('RUNNING')));
      const later = await admin.startAll(waiting.prompts);
      const member = new Client(app, agent, app.member);
      const others = await member.startAll([model.prompt(), model.prompt()]);
      for (const job of others) await member.calls.reached(job, 'COMPLETED');
      expect(count(await admin.statuses(), 'QUEUED')).toBe(2);
      // Three and two: those that must not run were never picked.
      expect(claims).toHaveBeenCalledTimes(5);
      running.letGo();
      waiting.letGo();
      for (const job of later) await admin.calls.reached(job, 'COMPLETED');
      expect(claims).toHaveBeenCalledTimes(7);
    },
  );

  verifies(
    ['job.session.busy', 'job.fair'],
    'a busy session is looked at once, not over and over',
    async () => {
      const app = await started();
      const claims = jest.spyOn(app.get(JobClaimsService), 'claim');
      const agent = await AgentCalls.make(app, { baseUrl: model.url });
      const admin = new Client(app, agent);
      const session = randomUUID();
      const { prompts, letGo } = held(1);
      const chat = await agent.open({ contents: said(prompts[0] ?? ''), session_id: session });
      await chat.until('content-delta');
      const parked = await admin.startAll(
        Array.from({ length: 30 }, () => model.prompt()),
        { sessionId: session },
      );
      // Behind all of them in the same user's queue, and not held up.
      const free = await admin.start(model.prompt());
      await admin.calls.reached(free, 'COMPLETED');
      await eventually(async () => {
        const [{ waiting } = { waiting: -1 }] = await app.sql<{ waiting: number }>(
          `select count(*)::int as waiting from agent_job where queue_state = 'PARKED'`,
        );
        expect(waiting).toBe(30);
      });
      const looks = claims.mock.calls.length;
      const meter = await SqlMeter.attach(app);
      const began = performance.now();
      try {
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        // The look that parked the last one may have been followed by one more.
        expect(claims.mock.calls.length).toBeLessThanOrEqual(looks + 1);
        // What the process does anyway, a few statements a second, whatever waits.
        const { statements } = await meter.read();
        expect(statements / (performance.now() - began)).toBeLessThan(80 / 2_000);
      } finally {
        await meter.close();
      }
      letGo();
      await chat.rest();
      for (const job of parked) await admin.calls.reached(job, 'COMPLETED');
      const ran = await app.sql<{ id: string }>(
        'select j.id from agent_job j join turn t on t.id = j.turn_id where j.id = any($1::uuid[]) order by t.started_at',
        [parked.map(({ id }) => id)],
      );
      const made = [...parked].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(ran[0]?.id).toBe(made[0]?.id);
      expect(claims.mock.calls.length).toBeLessThan(3 * 31);
    },
  );

  it('takes a job while its user starts another turn: what is queued is not counted', async () => {
    const app = await started({ PLATFORM_ROLE: 'api' });
    const admin = new Client(app, await AgentCalls.make(app));
    const claim = app.get(DataSource).createQueryRunner();
    await claim.startTransaction();
    try {
      await claim.query('select running_turns($1)', [app.admin.userId]);
      expect((await admin.start('Hello')).status).toBe('QUEUED');
    } finally {
      await claim.rollbackTransaction();
      await claim.release();
    }
  });

  verifies('job.fair', 'two processes share the queue, and none of its jobs runs twice', async () => {
    const first = await started({ PLATFORM_ROLE: 'api' });
    const agent = await AgentCalls.make(first, { baseUrl: model.url });
    const users = [first.admin, first.member, await first.addUser('MEMBER')].map(
      (user) => new Client(first, agent, user),
    );
    const sent = await Promise.all(
      users.map(async (user) => {
        const prompts = Array.from({ length: 15 }, () => model.prompt());
        return { user, prompts, jobs: await user.startAll(prompts) };
      }),
    );
    const env = { PLATFORM_ROLE: 'worker', PLATFORM_JOB_CONCURRENCY: '4' };
    await Promise.all([started(env, first), started(env, first)]);
    for (const { user, prompts, jobs } of sent) {
      for (const job of jobs) expect((await user.calls.reached(job)).status).toBe('COMPLETED');
      for (const prompt of prompts) expect(model.requests(prompt)).toHaveLength(1);
    }
  });

  verifies('job.cancel', 'a cancellation counts for a process that has read the job before', async () => {
    const app = await started();
    const client = new Client(app, await AgentCalls.make(app, { baseUrl: model.url }));
    const { prompts, letGo } = held(1);
    const [job] = await client.startAll(prompts);
    await eventually(async () => expect(await client.statuses()).toEqual(['RUNNING']));
    const database = app.get(BackgroundDatabase);
    const id = job?.id ?? '';
    const [read] = await app.sql<{ changes: number }>('select changes from agent_job where id = $1', [id]);
    expect(await requestCancel(database, id)).toBe(true);
    expect(await queue.postpone(database, id, read?.changes ?? NaN)).toBe(false);
    letGo();
  });

  verifies('job.fair', 'a job that a dying process had picked is picked by another one', async () => {
    const app = await started({ PLATFORM_ROLE: 'api' });
    const agent = await AgentCalls.make(app, { baseUrl: model.url });
    const admin = new Client(app, agent);
    const job = await admin.start(model.prompt());
    await app.sql(
      `update agent_job set queue_state = 'STARTING', starting_until = clock_timestamp() where id = $1`,
      [job.id],
    );
    await started({ PLATFORM_ROLE: 'worker' }, app);
    expect((await admin.calls.reached(job)).status).toBe('COMPLETED');
  });
});

describe('hints that are forged', () => {
  it('are looked up many at a time, and do nothing', async () => {
    const app = await started();
    const agent = await AgentCalls.make(app, { baseUrl: model.url });
    const admin = new Client(app, agent);
    const ended = await admin.calls.reached(await admin.start(model.prompt()), 'COMPLETED');
    const foreign = await AgentCalls.make(app, { baseUrl: model.url });
    expect(foreign.agentId).not.toBe(agent.agentId);
    await app.settle();
    const meter = await SqlMeter.attach(app);
    try {
      const messaging = app.get(Messaging as Type<Messaging>);
      const forged = Array.from({ length: 3_000 }, (_, i) =>
        i % 3 === 0 ? randomUUID() : i % 3 === 1 ? `no id ${i}\u0000` : ended.id,
      );
      await messaging.publish('job', forged);
      await messaging.publish('webhook', forged);
      const next = await admin.start(model.prompt());
      expect((await admin.calls.reached(next)).status).toBe('COMPLETED');
      expect((await meter.read()).statements).toBeLessThan(600);
    } finally {
      await meter.close();
    }
    expect(await admin.calls.get(ended)).toEqual(ended);
  });
});

describe('20,000 queued jobs of one user', () => {
  const MANY = 20_000;

  it('cost a look at the queue no more than twenty', async () => {
    const app = await started({ PLATFORM_ROLE: 'api' });
    const { agentId } = await AgentCalls.make(app, { baseUrl: model.url });
    const { userId, spaceId } = app.admin;
    const member = new Client(app, await AgentCalls.make(app), app.member);
    await member.start('Hello');
    await app.sql(`insert into session (space_id, agent_id, user_id, name) values ($1, $2, $3, 'many')`, [
      spaceId,
      agentId,
      userId,
    ]);
    // In portions, for a statement has little time.
    for (let from = 1; from < MANY; from += 1_000) {
      await app.sql(
        `with t as (
           insert into turn (space_id, agent_id, user_id, session_id, client_turn_id, n, contents_hash, status,
             settings, model)
           select $1, $2, $3, s.id, gen_random_uuid()::text, n, '', 'QUEUED', '{}', 'x'
           from session s, generate_series($4::int, $4::int + 999) n where s.agent_id = $2 and s.name = 'many'
           returning id, session_id
         ), j as (
           insert into agent_job (space_id, user_id, agent_id, turn_id, session_id, form, request_hash, timeout_ms,
             deadline, next_publish_at)
           select $1, $3, $2, t.id, t.session_id, 'chat', '', 3600000, clock_timestamp() + interval '1 hour',
             clock_timestamp() + interval '1 hour' from t returning id
         )
         insert into webhook_delivery (space_id, job_id, segment, type, url, body, next_publish_at)
         select $1, id, 1, 'agent-job.completed', 'http://x', '', clock_timestamp() + interval '1 hour' from j`,
        [spaceId, agentId, userId, from],
      );
    }
    await app.sql('analyze agent_job');
    await app.sql('analyze webhook_delivery');
    const read = (statement: string, ...parameters: unknown[]) => rowsRead(app, statement, parameters);
    const list = (status: 'FAILED' | null, agent: string) => {
      const { manager } = app.get(DataSource);
      const filter = { status, agentIds: [agent] };
      const [statement, parameters] = queryJobs(
        manager,
        { spaceId, userId },
        filter,
        null,
        51,
      ).getQueryAndParameters();
      return rowsRead(app, statement, parameters);
    };
    const statements: Record<string, number> = {
      users: await read(queue.WAITING_USERS, null, 500),
      pick: await read(queue.PICK_JOBS, [userId, app.member.userId]),
      due: await read(queue.DUE_JOBS, 500, 200),
      expedite: await read(queue.EXPEDITE_JOBS, 500),
      overdue: await read(queue.TIME_OUT_JOBS, 100),
      list: await list(null, agentId),
      listFailed: await list('FAILED', agentId),
      listAgent: await list(null, randomUUID()),
      dueDeliveries: await read(DUE_DELIVERIES, 500, 200),
      purge: await read(PURGE_DELIVERIES, 1_000),
      forget: await read(FORGET_BODIES, 1_000),
    };
    expect(Object.entries(statements).filter(([, rows]) => rows > 300)).toEqual([]);
    expect(
      (await queue.listWaitingUsers(app.get(DataSource), null, 500)).map((user) => user.userId),
    ).toContain(userId);
  });
});
