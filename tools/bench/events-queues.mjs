// The queues beside which the event bus is measured: publish → handler → stored result. Both sides of a queue run here in
// one process. Clients publish through a bare route, because an emission is an HTTP request, and the handler runs the code
// of the step in the sandbox of the service: a queue does the same work as the service, which shows what the bus itself costs.
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import Bull from 'bull';
import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { startBareRoute } from './bare-route.mjs';
import { answer } from './child.mjs';
import { unixTime } from './clock.mjs';
import { CODE, EVENT } from './events-work.mjs';

const [databaseUrl, redisUrl] = process.argv.slice(2);
const BATCH = 64;
/** The shortest that pg-boss accepts. */
const POLL_SECONDS = 0.5;
const CONNECTIONS = 10;

const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
await pool.query('create table if not exists result (n int primary key, handled_at timestamptz, value json)');

/** When the handler of each job started, as Unix times in ms. */
const startedAt = new Map();

/** Like a worker of the service: one owner, and as many processes. */
const { SandboxPool } = await import('../../apps/api/dist/tasks/sandbox/sandbox-pool.js');
const sandbox = new SandboxPool(4);

async function handle(payload) {
  const { n } = payload;
  startedAt.set(n, unixTime());
  await pool.query({
    name: 'result',
    text: 'insert into result values ($1, clock_timestamp(), $2) on conflict do nothing',
    values: [n, await resultOf(payload)],
  });
}

/** Returns the result of the step as JSON. */
const resultOf = (payload) =>
  sandbox.run({
    owner: 'bench',
    source: CODE,
    context: JSON.stringify({ execution: { inputs: { trigger: { payload } } }, steps: {} }),
    signal: new AbortController().signal,
    log: () => {},
  });

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

/** Each job is a durable workflow with one step. */
async function startDbos() {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: databaseUrl,
    systemDatabasePoolSize: CONNECTIONS,
    logLevel: 'error',
  });
  const workflow = DBOS.registerWorkflow((data) => DBOS.runStep(() => handle(data), { name: 'work' }), {
    name: EVENT,
  });
  await DBOS.launch();
  await DBOS.registerQueue(EVENT, { workerConcurrency: BATCH, minPollingIntervalMs: 50 });
  const publish = DBOS.startWorkflow(workflow, { queueName: EVENT });
  return (data) => publish(data);
}

/** With the settings for high throughput: jobs are fetched and completed in batches. */
async function startGraphile() {
  const runner = await run({
    preset: {
      worker: {
        connectionString: databaseUrl,
        maxPoolSize: CONNECTIONS,
        concurrentJobs: BATCH,
        localQueue: { size: 4 * BATCH },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
    taskList: { [EVENT]: (data) => handle(data) },
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
  });
  return (data) => runner.addJob(EVENT, data);
}

const publishers = { 'pg-boss': startPgBoss, bull: startBull, dbos: startDbos, graphile: startGraphile };
let publish;

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
  async start({ queue }) {
    publish = await publishers[queue]();
  },

  /** Lets clients publish over HTTP. Returns the URL. */
  serve: () =>
    startBareRoute(async ({ payload }) => {
      await publish(payload);
      return { envelopeId: payload.n, status: 'PENDING' };
    }),

  waitForResults: ({ total }) => waitForResults(total),

  /** Returns when the handlers of these jobs started. */
  timesOf: (ids) => ids.map((n) => startedAt.get(n)),
});
