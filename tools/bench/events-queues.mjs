// The two queues beside which the event bus is measured: publish → handler → stored result. Both sides of a queue run here
// in one process, without the HTTP request that an emission needs. The handler either does nothing else, or runs the code of
// the step in the sandbox of the service, which shows what the bus itself costs.
import { setTimeout as sleep } from 'node:timers/promises';
import Bull from 'bull';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
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

answer({
  async start({ queue, isSandboxed }) {
    if (isSandboxed) await useSandbox();
    publish = await publishers[queue]();
  },

  /** Publishes a number of jobs as fast as the clients can. Returns the jobs per second until the last result is stored. */
  async burst({ clients, count }) {
    const from = sent;
    const since = performance.now();
    const client = async () => {
      while (sent < from + count) await publish(payloadOf(sent++));
    };
    await Promise.all(Array.from({ length: clients }, client));
    for (;;) {
      const { rows } = await pool.query('select count(*)::int as count from result where n >= $1', [from]);
      if (rows[0].count >= count) break;
      await sleep(10);
    }
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
