// The clients, the service, and PostgreSQL share the machine, so compare only within one run.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { runBench, temporaryPlace } from './bench.mjs';
import { quantile } from './clock.mjs';
import { fillPast, fillPending } from './events-fill.mjs';
import { startAlone } from './service.mjs';
import { printScale } from './table.mjs';

const { values } = parseArgs({
  options: {
    envelopes: { type: 'string' },
    backlog: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const envelopes = Number(values.envelopes ?? (values.quick ? 200_000 : 5_000_000));
const backlog = Number(values.backlog ?? (values.quick ? 50_000 : 2_000_000));
const CALLS = 100;
const EVENTS = 20;
const DAY = 86_400_000;
/** A backlog that is dispatched at the speed of fresh events. */
const FRESH = 50_000;
const DRAIN_MS = 30_000;
const CLAIMS = 50;
const COUNTED_MS = 1_800_000;

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
  const reads = await measureReads(service, period);
  await service.child.stop();

  const fresh = await drain(client, service, owner, FRESH);
  const large = await drain(client, service, owner, backlog);
  await client.end();
  printScale({ envelopes, backlog, fresh: { ...fresh, count: FRESH }, large, reads, calls: CALLS });
}

async function install({ as, apiKey }, client) {
  const events = Array.from({ length: EVENTS }, (_, n) => ({ name: `order.event-${n}`, ...EVENT }));
  const identifier = 'bench';
  await as(apiKey)('/api/applications', { identifier, name: 'Bench', version: '1', events });
  const { rows } = await client.query('select id, space_id from application where identifier = $1', [
    identifier,
  ]);
  return { spaceId: rows[0].space_id, applicationId: rows[0].id };
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

/** The times of calls, each with other bounds or another event. */
async function measureReads({ url, apiKey }, { from, to }) {
  const at = (share) => new Date(from.getTime() + share * (to - from)).toISOString();
  const log = (query) => ({ path: `/api/events/envelopes?${query}` });
  const preview = (query) => (n) => ({
    path: '/api/events/replays/preview',
    body: { from: at(0.5 * (n / CALLS)), to: at(1), ...query },
  });
  const cases = {
    'a page': () => log('limit=50'),
    'a page of 200': () => log('limit=200'),
    'of an event': (n) => log(`event=order.event-${n % EVENTS}`),
    'of the application': () => log('applicationIdentifier=bench'),
    FAILED: () => log('status=FAILED'),
    'FAILED of an event': (n) => log(`status=FAILED&event=order.event-${n % EVENTS}`),
    DISPATCHED: () => log('status=DISPATCHED'),
    'PENDING of an event': (n) => log(`status=PENDING&event=order.event-${n % EVENTS}`),
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
  const figures = {};
  for (const [name, request] of Object.entries(cases)) {
    console.error(`${name} …`);
    const times = [];
    for (let n = 0; n < CALLS; n++) times.push(await call(url, apiKey, request(n)));
    figures[name] = { p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
  }
  return figures;
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
