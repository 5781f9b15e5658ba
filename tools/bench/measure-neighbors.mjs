// The clients, the service, PostgreSQL, and Redis share the machine: what a neighbor costs includes its share of the CPU.
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { runBench, temporaryFolder, temporaryPlace } from './bench.mjs';
import { quantile, unixTime } from './clock.mjs';
import { NOISES } from './neighbors-noises.mjs';
import { startRedis } from './redis.mjs';
import { startSpaces } from './neighbors-spaces.mjs';
import { printNeighbors } from './table.mjs';

const { values } = parseArgs({
  options: {
    /** Such as `hang,runs`. */
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
const calls = values.quick ? 40 : 200;
/** The noise of --quick is a tenth, and still more than the service handles in the time. */
const scale = values.quick ? 0.1 : 1;
const PAUSE_MS = 50;
const WARM_UP = values.quick ? 200 : 500;
/** What has not ended by then counts as long. */
const PATIENCE_MS = 30_000;
/** How long the noise has to arrive before the quiet space emits. */
const ARRIVAL_MS = 2_000;

await runBench(bench);

async function bench() {
  const place = await temporaryPlace();
  const redisUrl = await startRedis();
  const names = values.only?.split(',') ?? Object.keys(NOISES);
  const tables = [];
  for (const [title, env] of [
    ['one process', {}],
    ['two processes on Redis', { REDIS_URL: redisUrl }],
  ]) {
    const rows = [];
    for (const name of ['idle', ...names]) {
      console.error(`${title}: ${name} …`);
      const database = await place.database(`n${tables.length}_${name}`);
      rows.push({
        name: NOISES[name]?.title(scale) ?? 'idle',
        ...(await measure(database, env, NOISES[name])),
      });
    }
    tables.push({ title, rows });
  }
  if (!printNeighbors(tables)) process.exitCode = 1;
}

/** Measures the events of a quiet space, with a neighbor that makes noise. */
async function measure(databaseUrl, env, noise) {
  const spaces = await startSpaces({
    databaseUrl,
    dataDir: temporaryFolder(),
    env: { ...env, PLATFORM_RATE_LIMIT: '1000000000', ...noise?.env },
    processes: env.REDIS_URL ? 2 : 1,
  });
  const database = new pg.Client({ connectionString: databaseUrl });
  database.on('error', () => undefined);
  await database.connect();
  try {
    await probe(spaces.quiet, database, WARM_UP, 5);
    const stopping = new AbortController();
    const noisy = noise?.make(spaces.noisy, scale, stopping.signal);
    noisy?.catch((error) => stopping.signal.aborted || console.error(error.message));
    if (noise) await Promise.race([noise.isArrivalAwaited ? noisy : sleep(ARRIVAL_MS), noisy]);
    const times = await probe(spaces.quiet, database, calls, PAUSE_MS);
    stopping.abort();
    await noisy?.catch(() => undefined);
    return times;
  } finally {
    await database.end();
    await spaces.stop();
  }
}

/** Emits at a fixed pace, whatever happens to the runs. Returns the times from the calls to the start and end of the runs. */
async function probe({ emit }, database, count, pauseMs) {
  const sent = [];
  for (let i = 0; i < count; i++) {
    const at = unixTime();
    sent.push(emit({ n: i }).then(({ envelopeId }) => [envelopeId, at]));
    await sleep(pauseMs);
  }
  const sentAt = new Map(await Promise.all(sent));
  const runs = await ended(database, [...sentAt.keys()]);
  const times = (column) => [...sentAt].map(([id, at]) => (runs.get(id)?.[column] ?? Infinity) - at);
  const figures = (found) => ({ p50: quantile(found, 0.5), p99: quantile(found, 0.99) });
  return { started: figures(times('started')), finished: figures(times('finished')) };
}

async function ended(database, ids) {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const { rows } = await database.query(
      `select envelope_id as id, extract(epoch from started_at)::float8 * 1000 as started,
         extract(epoch from finished_at)::float8 * 1000 as finished
       from run where envelope_id = any($1::uuid[])`,
      [ids],
    );
    const finished = rows.filter(({ finished }) => finished !== null);
    if (finished.length < ids.length && Date.now() < deadline) continue;
    const late = { started: Infinity, finished: Infinity };
    return new Map(
      rows.map(({ id, started, finished }) => [
        id,
        { started: started ?? late.started, finished: finished ?? late.finished },
      ]),
    );
  }
}
