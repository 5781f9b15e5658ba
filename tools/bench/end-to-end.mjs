// What bench:events and bench:workflows measure from end to end: from an emission to the end of its run, and the same of
// queues and engines behind a bare route.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { temporaryFolder } from './bench.mjs';
import { quantile } from './clock.mjs';
import { EVENT } from './events-work.mjs';
import { childrenCpu } from './process-cpu.mjs';
import { startAlone } from './service.mjs';

/** An application may emit 30,000 times a minute. */
const APPLICATIONS = 16;
const DONE_MS = 120_000;
/** Events before those that count: V8 compiles the path of an event in steps, up to about this many. */
const WARM_UP = 3_000;
/** Longer than a run: every event meets an idle service. */
const PAUSE_MS = 60;
/** The same for engines that poll, and how many calls show what they are like. */
const POLLING = { pauseMs: 600, calls: 50 };

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
/** Lets a process warm up, and returns how many of `count` events per second it handles, and its CPU. Can write a profile. */
export async function measureRate(subject, { databaseCpu, count, handle, profile }) {
  await handle(WARM_UP);
  const cpu = await cpuOf(subject, databaseCpu);
  if (profile !== undefined) await subject.call('startProfile');
  const rate = await handle(count);
  if (profile !== undefined) await subject.call('writeProfile', profile);
  return { rate, cpu: await cpu(count) };
}

/** Returns a function that tells how much CPU a process, its children, and PostgreSQL have used since then, in µs per event. */
export async function cpuOf(child, databaseCpu) {
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

/** The service with applications, and a task with these steps that each event runs; null: without tasks. */
export async function startSubject(databaseUrl, env, { steps, batch }) {
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
    const task = { key: 'work', name: 'Work', type: 'EVENT', concurrency: 100, workflow: { steps } };
    const { systemKey } = await admin('/api/applications', {
      identifier,
      name: 'Bench',
      version: '1.0.0',
      events: [{ name: EVENT, description: 'An order was created.', payloadSchema: SCHEMA }],
      tasks: steps ? [task] : [],
      subscriptions: steps ? [{ key: 'work', event: EVENT, taskKey: 'work' }] : [],
    });
    callers.push({ identifier, systemKey });
  }
  return { child: service, databaseUrl, target: { url: `${url}/api/events/emit`, callers, batch } };
}

/** Returns the runs per second from the first emission to the end of the last run. */
export async function runsOf({ target, databaseUrl }, client, events) {
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
export function publisherOver(url, queues, client) {
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
export async function idleOf({ target, databaseUrl }, client, calls) {
  const sentAt = await callsOf(client, { target, count: calls, pauseMs: PAUSE_MS });
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

/** Publishes to an engine through a route, one call after another. Returns the times from each call to what the engine notes. */
export async function idleOver(url, engine, client, { calls, isPolling }) {
  const [count, pauseMs] = isPolling ? [Math.min(calls, POLLING.calls), POLLING.pauseMs] : [calls, PAUSE_MS];
  const sentAt = await callsOf(client, { target: { url, callers: [{}] }, count, pauseMs });
  const notedAt = await engine.call(
    'timesOf',
    sentAt.map(([n]) => n),
  );
  if (notedAt.includes(null)) throw new Error('Some jobs have not ended');
  const times = sentAt.map(([, at], i) => notedAt[i] - at);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

async function callsOf(client, { target, count, pauseMs }) {
  await sleep(1_000);
  const sentAt = await client.call('idle', { target, count, pauseMs });
  await sleep(1_000);
  return sentAt;
}

export async function withDatabase(connectionString, work) {
  const database = new pg.Client({ connectionString });
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}
