// The clients, the service, and PostgreSQL share the machine, so compare only within one run.
import { setTimeout as sleep } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { runBench, temporaryPlace } from './bench.mjs';
import { quantile } from './clock.mjs';
import { fillPast, fillPending, fillRows, fillRuns } from './events-fill.mjs';
import { planOf } from './plans.mjs';
import { startAlone } from './service.mjs';
import { printPlans, printScale } from './table.mjs';

const { values } = parseArgs({
  options: {
    envelopes: { type: 'string' },
    backlog: { type: 'string' },
    rows: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const envelopes = Number(values.envelopes ?? (values.quick ? 200_000 : 5_000_000));
const backlog = Number(values.backlog ?? (values.quick ? 50_000 : 2_000_000));
const rowCount = Number(values.rows ?? (values.quick ? 50_000 : 1_000_000));
/** One in so many envelopes has a run. */
const ENVELOPES_PER_RUN = 4;
const TASKS = 20;
const CALLS = 100;
const EVENTS = 20;
const DAY = 86_400_000;
/** A backlog that is dispatched at the speed of fresh events. */
const FRESH = 50_000;
const DRAIN_MS = 30_000;
const CLAIMS = 50;
const COUNTED_MS = 1_800_000;

const TABLE = {
  name: 'orders',
  columns: [
    { name: 'number', type: 'string' },
    { name: 'customer', type: 'string' },
    { name: 'total', type: 'integer' },
    { name: 'paid', type: 'boolean' },
    { name: 'dueAt', type: 'datetime' },
  ],
};
const EVENT = {
  description: 'An order changed.',
  payloadSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};

await runBench(bench);

async function bench() {
  const place = await temporaryPlace();
  const client = new pg.Client({ connectionString: place.databaseUrl });
  // When the benchmark is interrupted, the server ends before its clients.
  client.on('error', () => undefined);
  await client.connect();
  console.error('Starting the service …');
  const service = await startAlone({ ...place, env: { PLATFORM_RATE_LIMIT: '1000000' } });
  const owner = await install(service, client);

  const now = Date.now();
  const period = { from: new Date(now - 29 * DAY), to: new Date(now - 600_000), count: envelopes };
  await fillPast(client, { ...owner, events: EVENTS, ...period, onChunk: progress('envelopes', envelopes) });
  // Not before: the counter would pass over times whose envelopes are not there yet.
  await client.query('update event_count_progress set counted_until = $1', [period.from]);
  await counted(client);
  const taskIds = await createTasks(service);
  const runs = Math.ceil(envelopes / ENVELOPES_PER_RUN);
  await fillRuns(client, { ...owner, taskIds, ...period, count: runs, onChunk: progress('runs', runs) });
  const table = TABLE.name;
  await fillRows(client, { ...owner, table, count: rowCount, onChunk: progress('rows', rowCount) });
  const cases = { ...envelopeReads(period), ...runReads(period, taskIds, owner), ...rowReads() };
  const { figures: reads, plans } = await measureReads(service, client, cases);
  await service.child.stop();

  const fresh = await drain(client, service, owner, FRESH);
  const large = await drain(client, service, owner, backlog);
  await client.end();
  printPlans(plans);
  printScale({
    envelopes,
    runs,
    rowCount,
    backlog,
    fresh: { ...fresh, count: FRESH },
    large,
    reads,
    calls: CALLS,
  });
}

async function install({ as, apiKey }, client) {
  const events = Array.from({ length: EVENTS }, (_, n) => ({ name: `order.event-${n}`, ...EVENT }));
  const identifier = 'bench';
  await as(apiKey)('/api/applications', { identifier, name: 'Bench', version: '1', events, tables: [TABLE] });
  const { rows } = await client.query('select id, space_id from application where identifier = $1', [
    identifier,
  ]);
  const users = await client.query('select id from platform_user limit 1');
  return { spaceId: rows[0].space_id, applicationId: rows[0].id, userId: users.rows[0].id };
}

async function createTasks({ as, apiKey }) {
  const workflow = { steps: [{ id: 'work', kind: 'code', source: 'return 1' }] };
  const taskIds = [];
  for (let n = 0; n < TASKS; n++)
    taskIds.push((await as(apiKey)('/api/tasks', { name: `Task ${n}`, type: 'EVENT', workflow })).id);
  return taskIds;
}

function progress(what, total) {
  return (done) => console.error(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${what} …`);
}

/** Waits until a worker has counted the past events for the summary. */
async function counted(client) {
  console.error('Counting …');
  for (const deadline = Date.now() + COUNTED_MS; ; await sleep(1_000)) {
    const { rows } = await client.query(
      `select counted_until > clock_timestamp() - interval '2 minutes' as done from event_count_progress`,
    );
    if (rows[0].done) break;
    if (Date.now() > deadline) throw new Error('The events are not counted');
  }
  await client.query('vacuum analyze event_minute, event_hour');
}

/** A time within a period, as `from` and `to` of a query. */
function timeIn({ from, to }) {
  return (share) => new Date(from.getTime() + share * (to - from)).toISOString();
}

/** The reads of envelopes, by name. Each call has other bounds or another event. */
function envelopeReads(period) {
  const at = timeIn(period);
  const log = (query) => ({ path: `/api/events/envelopes?${query}` });
  const preview = (query) => (n) => ({
    path: '/api/events/replays/preview',
    body: { from: at(0.5 * (n / CALLS)), to: at(1), ...query },
  });
  return {
    'a page': () => log('limit=50'),
    'a page of 200': () => log('limit=200'),
    'of an event': (n) => log(`event=order.event-${n % EVENTS}`),
    'of the application': () => log('applicationIdentifier=bench'),
    FAILED: () => log('status=FAILED'),
    'FAILED of an event': (n) => log(`status=FAILED&event=order.event-${n % EVENTS}`),
    DISPATCHED: () => log('status=DISPATCHED'),
    'PENDING of an event': (n) => log(`status=PENDING&event=order.event-${n % EVENTS}`),
    'by a key': (n) => log(`idempotencyKey=${encodeURIComponent(`order ${n * 10}`)}`),
    'by a key of an event': (n) =>
      log(`event=order.event-0&idempotencyKey=${encodeURIComponent(`order ${n * 20}`)}`),
    'by a key that none has': () => log('idempotencyKey=none'),
    'of which a run has failed': () => log('outcome=FAILED'),
    'of an event, of which a run has failed': (n) => log(`outcome=FAILED&event=order.event-${n % EVENTS}`),
    'of which all runs succeeded': () => log('outcome=SUCCEEDED'),
    'of which a run waits': () => log('outcome=WAITING'),
    'with a text': () => log('text=usual'),
    'with a text that few have': (n) => log(`text=c-${envelopes - n - 1}"`),
    'of an event, with a text that none has': (n) => log(`text=nowhere&event=order.event-${n % EVENTS}`),
    'of which a run has failed, with a text': () => log('outcome=FAILED&text=usual'),
    'of an hour, weeks ago': (n) => log(`from=${at(n / CALLS)}&to=${at(n / CALLS + 1 / 700)}`),
    'of an event, before a time': (n) => log(`to=${at(n / CALLS)}&event=order.event-${n % EVENTS}`),
    'summary, 1h': () => ({ path: '/api/events/summary?window=1h' }),
    'summary, 24h': () => ({ path: '/api/events/summary?window=24h' }),
    'summary, 7d': () => ({ path: '/api/events/summary?window=7d' }),
    'summary, 30d': () => ({ path: '/api/events/summary?window=30d' }),
    'preview of a replay, all': preview({}),
    'preview of a replay, FAILED': preview({ status: 'FAILED' }),
    'preview of a replay, an event': (n) => preview({ event: `order.event-${n % EVENTS}` })(n),
  };
}

function runReads(period, taskIds, { userId }) {
  const at = timeIn(period);
  const list = (query) => ({ path: `/api/runs?${query}` });
  const task = (n) => taskIds[n % taskIds.length];
  return {
    runs: () => list('limit=50'),
    'runs of a task': (n) => list(`taskId=${task(n)}`),
    'runs of a task, by its path': (n) => ({ path: `/api/tasks/${task(n)}/runs?status=FAILED` }),
    'runs, FAILED': () => list('status=FAILED'),
    'runs, QUEUED': () => list('status=QUEUED'),
    'runs of an event': (n) => list(`event=order.event-${n % EVENTS}`),
    'runs of an event, FAILED': (n) => list(`event=order.event-${n % EVENTS}&status=FAILED`),
    'runs of the application': () => list('applicationIdentifier=bench'),
    'runs, MANUAL': () => list('origin=MANUAL'),
    'runs of an owner': () => list(`ownerUserId=${userId}`),
    'runs of an hour, weeks ago': (n) => list(`from=${at(n / CALLS / 8)}&to=${at(n / CALLS / 8 + 1 / 700)}`),
  };
}

function rowReads() {
  const list = (filter, sort) => {
    const query = new URLSearchParams({
      ...(filter && { filter: JSON.stringify(filter) }),
      ...(sort && { sort }),
    });
    return { path: `/api/data/bench/${TABLE.name}/rows?${query}` };
  };
  return {
    rows: () => list(),
    'rows, oldest first': () => list(null, 'createdAt'),
    'rows by a number, descending': () => list(null, '-total'),
    'rows by a text': () => list(null, 'customer'),
    'rows, one text': (n) => list({ number: `A-${n * 97}` }),
    'rows, a customer': (n) => list({ customer: `customer ${n * 13}` }),
    'rows, a customer and a comparison': (n) =>
      list({ customer: `customer ${n * 13}`, total: { $gt: 90_000 } }),
    'rows, a comparison by its column': (n) => list({ total: { $gte: n * 900 } }, 'total'),
    'rows, a prefix by its column': (n) => list({ number: { $prefix: `A-${n}` } }, '-number'),
    'rows, a time by its column': (n) =>
      list({ dueAt: { $lt: new Date(Date.UTC(2026, 0, 2 + n)).toISOString() } }, '-dueAt'),
    'rows, a comparison that few pass': () => list({ total: { $gt: 99_998 } }),
    'rows, half of all and few': () => list({ paid: true, total: { $gt: 99_998 } }),
    'rows, none': () => list({ number: 'none' }),
  };
}

/** The times of calls, and the indexes that their statements use. */
async function measureReads({ child, url, apiKey }, client, cases) {
  const figures = {};
  const plans = {};
  for (const [name, request] of Object.entries(cases)) {
    console.error(`${name} …`);
    const times = [];
    for (let n = 0; n < CALLS; n++) times.push(await call(url, apiKey, request(n)));
    figures[name] = { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
    await child.call('startStatements');
    await call(url, apiKey, request(0));
    plans[name] = await planOf(client, await child.call('takeStatements'));
  }
  return { figures, plans };
}

async function call(url, apiKey, { path, body }) {
  const start = performance.now();
  const res = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await res.text();
  if (!res.ok) throw new Error(`${path} responded with ${res.status}: ${text}`);
  return performance.now() - start;
}

/** Records events while no process runs, then starts one: the cost of a claim before, and the rate of the dispatch. */
async function drain(client, service, owner, count) {
  await fillPending(client, { ...owner, count, onChunk: progress('events that wait', count) });
  const claim = await measureClaims(client);
  const [first, last] = await endsOf(client);
  const { child } = await service.startAgain();
  try {
    while (await isPending(client, first)) await sleep(10);
    const start = performance.now();
    // Counting what is left takes a core for a while, so it is done once.
    while (performance.now() - start < DRAIN_MS && (await isPending(client, last))) await sleep(50);
    const elapsed = performance.now() - start;
    const { rows } = await client.query('select count(*)::int as n from envelope_outbox');
    return { rate: ((count - rows[0].n) * 1_000) / elapsed, ...claim };
  } finally {
    await child.stop();
    await client.query('truncate envelope_outbox');
  }
}

/** The first and the last envelope to be claimed. */
async function endsOf(client) {
  const ends = ['', 'desc'].map(async (order) => {
    const sorted = `order by available_at ${order}, envelope_id ${order}`;
    const { rows } = await client.query(`select envelope_id from envelope_outbox ${sorted} limit 1`);
    return rows[0].envelope_id;
  });
  return Promise.all(ends);
}

async function isPending(client, id) {
  const { rows } = await client.query(`select 1 from envelope where id = $1 and status = 'PENDING'`, [id]);
  return rows.length > 0;
}

/** Runs the claim of the service and takes it back. */
async function measureClaims(client) {
  const { CLAIM_BATCH } = await import('../../apps/api/dist/events/records/outbox.store.js');
  const times = [];
  let plan = '';
  for (let i = 0; i < CLAIMS; i++) {
    await client.query('begin');
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${CLAIM_BATCH}`, [
      '00000000-0000-0000-0000-000000000000',
      64,
      [],
    ]);
    await client.query('rollback');
    const [explained] = rows[0]['QUERY PLAN'];
    times.push(explained['Execution Time']);
    plan = JSON.stringify(explained.Plan);
  }
  const index = /"Index Name":"(\w+)"/.exec(plan)?.[1] ?? 'none';
  return { claimMs: quantile(times, 0.95), index };
}
