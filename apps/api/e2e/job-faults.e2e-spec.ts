import { randomUUID } from 'node:crypto';
import type { ChatResponse, Job } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { auditLedger } from '../src/usage/ledger-audit.store.ts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { scaled } from './faults/scale.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { JobCalls } from './harness/job-calls.ts';
import { ServiceProcess } from './harness/process.ts';
import { RedisServer } from './harness/redis.ts';
import { WebhookServer } from './harness/webhook-server.ts';
import { verifies } from './verifies.ts';

/** Long enough for a busy process to renew its leases in time. */
const LEASE_MS = 6_000;
const JOBS = scaled('FAULT_JOBS', { quick: 8, slow: 50 });
const WORDS = Array.from({ length: 40 }, (_, i) => `word${i} `);

interface ModelMessage {
  role: string;
  content: string;
}

/** Takes jobs and runs none. */
let app: TestApp;
let openai: FakeOpenAiServer;
let agent: AgentCalls;
let jobs: JobCalls;
let webhooks: WebhookServer;
/** Those that are to die. */
const workers: ServiceProcess[] = [];
/** Those that go on, in the process of the tests: a start takes longer than their work. */
const survivors: TestApp[] = [];

beforeAll(async () => {
  // Each turn calls a tool, then answers for about two seconds; a prompt that hangs never gets its second answer.
  openai = await startOpenAiServer({
    behavior: (body) => {
      const step = stepOf(body.messages as ModelMessage[]);
      if (step === 1) return { toolCalls: [{ id: 'call_1', name: 'current_time__now', arguments: '{}' }] };
      return promptOf(body).startsWith('Hang') ? { kind: 'hang' } : { text: WORDS, paceMs: 50 };
    },
  });
  webhooks = await WebhookServer.start();
  app = await TestApp.start({ env: { PLATFORM_ROLE: 'api', PLATFORM_STREAM_LEASE_MS: String(LEASE_MS) } });
  const tools = [{ toolId: 'current_time', methods: null }];
  agent = await AgentCalls.make(app, { baseUrl: openai.url }, { tools });
  jobs = new JobCalls(app);
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await retire();
  await app.close();
  await openai.close();
  await webhooks.close();
});

/** A process that runs jobs. */
async function work(): Promise<ServiceProcess> {
  const worker = await ServiceProcess.spawn({
    DATABASE_URL: app.databaseUrl,
    PLATFORM_SECRET_KEY: app.secretKey,
    PLATFORM_STREAM_LEASE_MS: String(LEASE_MS),
    PLATFORM_DATA_DIR: app.dataDir,
    PLATFORM_ROLE: 'worker',
  });
  workers.push(worker);
  return worker.ready();
}

async function workOn(): Promise<void> {
  const env = { PLATFORM_ROLE: 'worker', PLATFORM_STREAM_LEASE_MS: String(LEASE_MS) };
  survivors.push(await TestApp.start({ database: app, env }));
}

async function retire(): Promise<void> {
  await Promise.all(survivors.splice(0).map((survivor) => survivor.close()));
}

function promptOf(body: Record<string, unknown>): string {
  const { messages = [] } = body as { messages?: ModelMessage[] };
  return messages.find(({ role }) => role === 'user')?.content ?? '';
}

/** Which call of the turn's model this is, from 1. */
function stepOf(messages: ModelMessage[]): number {
  return 1 + messages.filter(({ role }) => role === 'assistant').length;
}

/** The calls of the model for a prompt, each as its step. */
const stepsAsked = (prompt: string, from = 0) =>
  openai.requests
    .slice(from)
    .filter(({ body }) => promptOf(body) === prompt)
    .map(({ body }) => stepOf(body.messages as ModelMessage[]));

/** How many steps of the model are stored of each job. */
async function stepsStored(made: Job[]): Promise<Map<string, number>> {
  const found = await app.sql<{ id: string; steps: number }>(
    `select j.id, count(i.n)::int as steps
     from agent_job j left join turn_step i on i.turn_id = j.turn_id and i.kind = 'model'
     where j.id = any($1::uuid[]) group by j.id`,
    [made.map(({ id }) => id)],
  );
  return new Map(found.map(({ id, steps }) => [id, steps]));
}

const ended = (made: Job[]) =>
  eventually(async () => {
    const { items } = await jobs.list('?limit=200');
    const open = items.filter(
      ({ id, finishedAt }) => finishedAt === null && made.some((job) => job.id === id),
    );
    expect(open.map(({ status }) => status)).toEqual([]);
    return Promise.all(made.map((job) => jobs.get(job)));
  });

/** What the turns say they used is what was charged, the entries are the balances, and nothing is held any more. */
async function ledgerAddsUp(): Promise<void> {
  const apart = await app.sql(
    `select t.client_turn_id from turn t
     left join (select turn_id, -sum(tokens) as tokens from usage_entry group by turn_id) e
       on e.turn_id = t.client_turn_id
     where t.prompt_tokens + t.completion_tokens <> coalesce(e.tokens, 0)`,
  );
  expect(apart).toEqual([]);
  expect(await auditLedger(app.get(DataSource))).toEqual([]);
  expect(await app.sql('select id from usage_reservation')).toEqual([]);
}

describe('jobs and crashes', () => {
  verifies(
    ['job.role', 'job.crash'],
    'kill -9 during many jobs: each is done in the end, no step twice',
    async () => {
      // With a balance every call holds tokens, also those that are killed.
      await app.request('POST', '/api/usage/grants', { body: { tokens: 1_000_000_000 } });
      const prompts = Array.from({ length: JOBS }, (_, i) => `Job ${i}`);
      const made: Job[] = [];
      for (const [i, prompt] of prompts.entries()) {
        const webhook = { url: webhooks.url(`/${i}`) };
        made.push(await jobs.start({ agentId: agent.agentId, contents: said(prompt), webhook }));
      }
      expect(openai.requests).toHaveLength(0);
      expect((await jobs.list('?status=QUEUED')).items).toHaveLength(JOBS);

      const first = await work();
      await eventually(async () => {
        const stored = await stepsStored(made);
        expect([...stored.values()].filter((steps) => steps >= 1).length).toBeGreaterThan(JOBS / 2);
      });
      await first.kill();

      const before = await stepsStored(made);
      // A call that comes after those that the process had sent when it died.
      await fetch(`${openai.url}/models`);
      const calledBefore = openai.requests.length;
      const told = await jobs.list('?limit=200');
      expect(told.items.map(({ status }) => status).filter((status) => status === 'FAILED')).toEqual([]);

      await workOn();
      for (const job of await ended(made)) {
        expect(job).toMatchObject({ status: 'COMPLETED', progress: 100 });
        expect((job.result as ChatResponse).answer).toBe(WORDS.join(''));
      }
      await ledgerAddsUp();
      const after = await stepsStored(made);
      for (const [i, prompt] of prompts.entries()) {
        const id = made[i]?.id ?? '';
        expect(after.get(id)).toBe(2);
        // What was stored when the process died is never asked for again.
        const asked = stepsAsked(prompt, calledBefore);
        expect(asked.filter((step) => step <= (before.get(id) ?? 0))).toEqual([]);
        // And nobody else asked twice for the rest.
        expect(asked).toEqual([1, 2].filter((step) => step > (before.get(id) ?? 0)));
      }
      await eventually(async () => {
        for (const i of prompts.keys())
          expect(webhooks.of(`/${i}`).map(({ message }) => message.type)).toEqual(['agent-job.completed']);
      });
      const reruns = await app.sql<{ count: number }>(
        'select count(*)::int as count from agent_job where claimed_again',
      );
      expect(reruns[0]?.count).toBeGreaterThan(0);
    },
  );

  verifies(
    ['job.crash', 'job.cancel'],
    'a job whose process dies twice is FAILED, with the reason; one that was canceled before the crash does not run again',
    async () => {
      const hang = async (path: string) => {
        const prompt = `Hang ${randomUUID()}`;
        const webhook = { url: webhooks.url(path) };
        const job = await jobs.start({ agentId: agent.agentId, contents: said(prompt), webhook });
        return { job, prompt };
      };
      await retire();
      const path = `/${randomUUID()}`;
      const unlucky = await hang(path);
      const hasHung = ({ prompt }: { prompt: string }, times: number) =>
        eventually(async () =>
          expect(stepsAsked(prompt).filter((step) => step === 2)).toHaveLength(await Promise.resolve(times)),
        );
      const first = await work();
      await hasHung(unlucky, 1);
      await first.kill();
      // Interrupted, and still to be claimed once more: no caller is told that it failed.
      await eventually(async () =>
        expect(await agent.turn(unlucky.job.turnId)).toMatchObject({
          status: 'FAILED',
          error: { code: 'INTERRUPTED' },
        }),
      );
      expect(await jobs.get(unlucky.job)).toMatchObject({ status: 'RUNNING', finishedAt: null });

      const second = await work();
      const canceled = await hang('/canceled');
      await Promise.all([hasHung(unlucky, 2), hasHung(canceled, 1)]);
      await second.kill();
      await jobs.cancel(canceled.job);
      await workOn();
      expect(await ended([unlucky.job, canceled.job])).toMatchObject([
        { status: 'FAILED', phase: 'finished', error: { code: 'INTERRUPTED' } },
        { status: 'CANCELLED', phase: 'finished' },
      ]);
      expect(stepsAsked(unlucky.prompt)).toEqual([1, 2, 2]);
      expect(stepsAsked(canceled.prompt)).toEqual([1, 2]);
      await eventually(async () =>
        expect(webhooks.of(path).map(({ message }) => message.type)).toEqual(['agent-job.failed']),
      );
    },
  );
});

const skipReason = process.env.PLATFORM_SKIP_REDIS;
if (skipReason) console.warn(`Jobs are not tested on Redis: ${skipReason}`);

(skipReason ? describe.skip : describe)('jobs over Redis', () => {
  verifies('job.outage', 'are taken while it is away or forgets, and run when it is back', async () => {
    const redis = await RedisServer.down();
    const service = await TestApp.start({ env: { REDIS_URL: redis.url } });
    try {
      const own = new JobCalls(service);
      const { agentId } = await AgentCalls.make(service);
      const path = `/${randomUUID()}`;
      const start = () =>
        own.start({ agentId, contents: said('Hello'), webhook: { url: webhooks.url(path) } });
      const early = await start();
      const { headers, body } = await own.request('GET', `/${early.id}`);
      expect(body).toMatchObject({ status: 'QUEUED' });
      expect(await own.changed(early, headers.get('etag') ?? '', 500)).toBeNull();
      await redis.start();
      await own.reached(early, 'COMPLETED');
      await redis.restart();
      const made = await Promise.all(Array.from({ length: 20 }, start));
      await Promise.all(made.map((job) => own.reached(job, 'COMPLETED')));
      await eventually(async () => {
        const ids = webhooks.of(path).map(({ message }) => message.data.id);
        expect(ids.sort()).toEqual([early, ...made].map(({ id }) => id).sort());
      });
    } finally {
      await service.close();
      await redis.kill();
    }
  });
});
