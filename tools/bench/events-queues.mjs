// The two queues beside which the event bus is measured: publish → handler → stored result. Both sides of a queue run here
// in one process. The handler either does nothing else, or runs the code of the step in the sandbox of the service. Jobs are
// published by this process, or by clients through a bare route, because an emission is an HTTP request. With the sandbox and
// the route, a queue does the same work as the service, which shows what the bus itself costs.
import { setTimeout as sleep } from 'node:timers/promises';
import Bull from 'bull';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { startBareRoute } from './bare-route.mjs';
import { answer } from './child.mjs';
import { CODE, EVENT, payloadOf } from './events-work.mjs';

const [databaseUrl, redisUrl] = process.argv.slice(2);
const BATCH = 64;
/** The shortest that pg-boss accepts. */
const POLL_SECONDS = 0.5;

const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
await pool.query('create table if not exists result (n int primary key, handled_at timestamptz, value json)');

/** When the handler of each job started. */
const startedAt = new Map();

/** Returns the result as JSON. */
let work = ({ n }) => JSON.stringify({ n, ok: true });

async function handle(payload) {
  const { n } = payload;
  startedAt.set(n, performance.now());
  await pool.query({
    name: 'result',
    text: 'insert into result values ($1, clock_timestamp(), $2) on conflict do nothing',
    values: [n, await work(payload)],
  });
}

/** Like a worker of the service: one owner, and as many processes. */
async function useSandbox() {
  const { SandboxPool } = await import('../../apps/api/dist/tasks/sandbox/sandbox-pool.js');
  const sandbox = new SandboxPool(4);
  work = (payload) =>
    sandbox.run({
      owner: 'bench',
      source: CODE,
      context: JSON.stringify({ execution: { inputs: { trigger: { payload } } }, steps: {} }),
      signal: new AbortController().signal,
      log: () => {},
    });
}

async function startPgBoss() {
  const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(EVENT);
  const options = { batchSize: BATCH, pollingIntervalSeconds: POLL_SECONDS, burstWhenBatchFull: true };
  await boss.work(EVENT, options, (jobs) => Promise.all(jobs.map(({ data }) => handle(data))));
  return (data) => boss.send(EVENT, data);
}

async function startBull() {
  const queue = new Bull(EVENT, redisUrl, { prefix: 'bench' });
  queue.process(BATCH, ({ data }) => handle(data)).catch((error) => console.error(error));
  await queue.isReady();
  return (data) => queue.add(data);
}

const publishers = { 'pg-boss': startPgBoss, bull: startBull };
let publish;
let sent = 0;

/** Waits until so many results are stored in all. Returns when the last handler stored its own, as a Unix time in ms. */
async function waitForResults(total) {
  for (;;) {
    const { rows } = await pool.query(
      'select count(*)::int as count, extract(epoch from max(handled_at)) * 1000 as last from result',
    );
    if (rows[0].count >= total) return Number(rows[0].last);
    await sleep(10);
  }
}

answer({
  async start({ queue, isSandboxed }) {
    if (isSandboxed) await useSandbox();
    publish = await publishers[queue]();
  },

  /** Lets clients publish over HTTP. Returns the URL. */
  serve: () =>
    startBareRoute(async ({ payload }) => {
      await publish(payload);
      return { envelopeId: payload.n, status: 'PENDING' };
    }),

  waitForResults: ({ total }) => waitForResults(total),

  /** Publishes a number of jobs as fast as the clients can. Returns the jobs per second until the last result is stored. */
  async burst({ clients, count }) {
    const from = sent;
    const since = performance.now();
    const client = async () => {
      while (sent < from + count) await publish(payloadOf(sent++));
    };
    await Promise.all(Array.from({ length: clients }, client));
    await waitForResults(from + count);
    return count / ((performance.now() - since) / 1_000);
  },

  /** One job after another, with pauses. Returns the milliseconds from the call to the start of each handler. */
  async idle({ count, pauseMs }) {
    const times = [];
    for (let i = 0; i < count; i++) {
      const n = sent++;
      const since = performance.now();
      await publish(payloadOf(n));
      while (!startedAt.has(n)) await sleep(1);
      times.push(startedAt.get(n) - since);
      await sleep(pauseMs);
    }
    return times;
  },
});
