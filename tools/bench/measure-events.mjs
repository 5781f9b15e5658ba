// The clients, the service, PostgreSQL, and Redis share the machine, so compare only within one run.
// The service needs an HTTP request for every event or batch; the insert does without, and the queues are behind a bare route.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { REDIS, findOrInstall } from '../external.mjs';
import { child, cleanUp, runBench, temporaryFolder, temporaryPlace } from './bench.mjs';
import { quantile } from './clock.mjs';
import { CODE, EVENT } from './events-work.mjs';
import { childrenCpu, postgresCpu } from './process-cpu.mjs';
import { freePort, startAlone } from './service.mjs';
import { printEmissions, printQueues } from './table.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    count: { type: 'string' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const seconds = Number(values.seconds ?? (values.quick ? 3 : 10));
const count = Number(values.count ?? (values.quick ? 1_000 : 5_000));
const calls = values.quick ? 50 : 200;
const CLIENTS = [1, 8, 32];
const BATCH = 100;
const BATCH_CLIENTS = 4;
/** More than the pause of a run: every event meets an idle service. */
const PAUSE_MS = 60;
/** An application may emit 30,000 times a minute. */
const APPLICATIONS = 16;
const DONE_MS = 120_000;
/** Events before those that count: V8 compiles the path of an event in steps, up to about this many. */
const WARM_UP = 3_000;
const WARM_UP_SECONDS = 4;

const SCHEMA = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    kind: { type: 'string', enum: ['rush', 'normal'] },
    amount: { type: 'number' },
    customer: {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' }, email: { type: 'string' } },
      required: ['id'],
    },
    lines: { type: 'array', items: { type: 'object', required: ['sku', 'quantity'] } },
    note: { type: 'string' },
  },
  required: ['n', 'kind', 'amount', 'customer', 'lines'],
};
const WORKFLOW = {
  steps: [
    {
      id: 'work',
      kind: 'code',
      source: CODE,
    },
  ],
};

await runBench(bench);

async function bench() {
  const redisUrl = await startRedis();
  const place = await temporaryPlace();
  const client = child('events-client.mjs');

  console.error('Starting the service …');
  const api = await startSubject(
    await place.database('api'),
    { PLATFORM_ROLE: 'api' },
    { subscribed: false },
  );
  const bareUrl = await migrated(await place.database('bare'));
  const route = child('events-route.mjs', [bareUrl]);
  const targets = {
    service: api.target,
    insert: { databaseUrl: bareUrl },
    route: { url: await route.call('url'), callers: api.target.callers },
  };
  const measured = { service: api.child, insert: client, route };
  const databaseCpu = await postgresCpu(place.databaseUrl);
  const emit = {};
  for (const clients of CLIENTS) {
    emit[clients] = {};
    for (const [name, target] of Object.entries(targets)) {
      console.error(`Emissions, ${name}, ${clients} clients …`);
      // As long with --quick: a cold compiler would be measured otherwise.
      await client.call('closed', { target, clients, seconds: WARM_UP_SECONDS });
      const profiled = values.profile !== undefined && name === 'service' && clients === 32;
      if (profiled) await api.child.call('startProfile');
      const cpu = await cpuOf(measured[name], databaseCpu);
      const found = await client.call('closed', { target, clients, seconds });
      emit[clients][name] = { ...found, cpu: await cpu(found.emitted) };
      if (profiled) await api.child.call('writeProfile', `${values.profile}.emit`);
    }
  }
  console.error(`Emissions in batches of ${BATCH} …`);
  const batched = { target: { ...api.target, batch: BATCH }, clients: BATCH_CLIENTS };
  await client.call('closed', { ...batched, seconds: WARM_UP_SECONDS });
  const cpu = await cpuOf(api.child, databaseCpu);
  const found = await client.call('closed', { ...batched, seconds });
  const batches = { ...found, cpu: await cpu(found.emitted) };
  await api.child.stop();
  await route.stop();
  printEmissions({ emit, batches, batch: BATCH, batchClients: BATCH_CLIENTS, seconds });

  const endToEnd = {};
  const idle = {};
  for (const [name, env, batch] of [
    ['service', {}],
    ['redis', { REDIS_URL: redisUrl }],
    ['batches', {}, BATCH],
  ]) {
    console.error(`End to end, ${name} …`);
    const subject = await startSubject(await place.database(name), env, { subscribed: true, batch });
    endToEnd[name] = await measureRate(
      subject.child,
      databaseCpu,
      (events) => runsOf(subject, client, events),
      values.profile && `${values.profile}.${name}`,
    );
    if (batch === undefined) idle[name] = await idleOf(subject, client);
    await subject.child.stop();
  }
  for (const [name, queue] of [
    ['dbos', 'dbos'],
    ['graphile', 'graphile'],
    ['boss', 'pg-boss'],
    ['bull', 'bull'],
  ]) {
    console.error(`End to end, ${queue} …`);
    const queues = child('events-queues.mjs', [await place.database(name), redisUrl]);
    await queues.call('start', { queue });
    endToEnd[name] = await measureRate(
      queues,
      databaseCpu,
      publisherOver(await queues.call('serve'), queues, client),
    );
    // Those that poll are slow enough with fewer.
    const times = await queues.call('idle', {
      count: name === 'bull' ? calls : Math.min(calls, 50),
      pauseMs: PAUSE_MS,
    });
    idle[name] = { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
    await queues.stop();
  }
  printQueues({ endToEnd, idle, count, calls, batch: BATCH });
}

/** Lets a process warm up, and returns how many events per second it handles, and its CPU. Can write a profile. */
async function measureRate(subject, databaseCpu, handle, profile) {
  await handle(WARM_UP);
  const cpu = await cpuOf(subject, databaseCpu);
  if (profile !== undefined) await subject.call('startProfile');
  const rate = await handle(count);
  if (profile !== undefined) await subject.call('writeProfile', profile);
  return { rate, cpu: await cpu(count) };
}

/** Returns a function that tells how much CPU a process, its children, and PostgreSQL have used since then, in µs per event. */
async function cpuOf(child, databaseCpu) {
  const { pid } = child.process;
  const before = (await child.call('usage')).cpuUs;
  const childrenBefore = childrenCpu(pid);
  const databaseBefore = databaseCpu();
  return async (events) => ({
    process: ((await child.call('usage')).cpuUs - before) / events,
    children: (childrenCpu(pid) - childrenBefore) / events,
    database: (databaseCpu() - databaseBefore) / events,
  });
}

/** The service with applications, and a task that each event runs. */
async function startSubject(databaseUrl, env, { subscribed, batch }) {
  const {
    child: service,
    url,
    apiKey,
    as,
  } = await startAlone({ databaseUrl, dataDir: temporaryFolder(), env });
  const admin = as(apiKey);
  const callers = [];
  for (let i = 0; i < APPLICATIONS; i++) {
    const identifier = `bench-${i}`;
    const task = { key: 'work', name: 'Work', type: 'EVENT', concurrency: 100, workflow: WORKFLOW };
    const { systemKey } = await admin('/api/applications', {
      identifier,
      name: 'Bench',
      version: '1.0.0',
      events: [{ name: EVENT, description: 'An order was created.', payloadSchema: SCHEMA }],
      tasks: subscribed ? [task] : [],
      subscriptions: subscribed ? [{ key: 'work', event: EVENT, taskKey: 'work' }] : [],
    });
    callers.push({ identifier, systemKey });
  }
  return { child: service, databaseUrl, target: { url: `${url}/api/events/emit`, callers, batch } };
}

/** Returns the runs per second from the first emission to the end of the last run. */
async function runsOf({ target, databaseUrl }, client, events) {
  return withDatabase(databaseUrl, async (database) => {
    const before = await counted(database);
    const startedAt = await client.call('burst', { target, clients: 32, count: events });
    for (const deadline = Date.now() + DONE_MS; ; await sleep(50)) {
      if ((await counted(database)) >= before + events) break;
      if (Date.now() > deadline) throw new Error('The runs do not end');
    }
    const { rows } = await database.query(
      'select extract(epoch from max(finished_at)) * 1000 as ended from run',
    );
    return events / ((Number(rows[0].ended) - startedAt) / 1_000);
  });
}

/** Publishes to a queue through a route. Like `runsOf`, with the time when the last handler stored its result. */
function publisherOver(url, queues, client) {
  let total = 0;
  return async (events) => {
    const startedAt = await client.call('burst', {
      target: { url, callers: [{}] },
      clients: 32,
      count: events,
    });
    total += events;
    const endedAt = await queues.call('waitForResults', { total });
    return events / ((endedAt - startedAt) / 1_000);
  };
}

async function counted(database) {
  const { rows } = await database.query(`select count(*)::int as count from run where status = 'SUCCEEDED'`);
  return rows[0].count;
}

/** Returns the times from the call to the start of the run, and to its end. */
async function idleOf({ target, databaseUrl }, client) {
  await sleep(1_000);
  const sentAt = await client.call('idle', { target, count: calls, pauseMs: PAUSE_MS });
  await sleep(1_000);
  return withDatabase(databaseUrl, async (database) => {
    const { rows } = await database.query(
      `select envelope_id as id, extract(epoch from started_at) * 1000 as started,
         extract(epoch from finished_at) * 1000 as finished
       from run where envelope_id = any($1::uuid[]) and status = 'SUCCEEDED'`,
      [sentAt.map(([id]) => id)],
    );
    if (rows.length < calls) throw new Error(`Only ${rows.length} of ${calls} runs have succeeded`);
    const sent = new Map(sentAt);
    const started = rows.map((row) => Number(row.started) - sent.get(row.id));
    const finished = rows.map((row) => Number(row.finished) - sent.get(row.id));
    return { p50: quantile(started, 0.5), p99: quantile(started, 0.99), done: quantile(finished, 0.5) };
  });
}

async function withDatabase(connectionString, work) {
  const database = new pg.Client({ connectionString });
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

/** The same tables as those of the service. */
async function migrated(databaseUrl) {
  const { migrate } = await import('../../apps/api/dist/infra/database/migrate.js');
  await migrate(databaseUrl);
  return databaseUrl;
}

async function startRedis() {
  const { path, reason } = await findOrInstall(REDIS);
  if (path === undefined) throw new Error(reason);
  const port = await freePort();
  const server = spawn(
    path,
    ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'].map(String),
    {
      stdio: 'ignore',
    },
  );
  cleanUp(() => server.kill('SIGKILL'));
  await once(server, 'spawn');
  return `redis://127.0.0.1:${port}`;
}
