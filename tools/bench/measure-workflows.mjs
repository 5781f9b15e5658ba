// The clients, the service or the engine, and PostgreSQL share the machine, so compare only within one run.
import { parseArgs } from 'node:util';
import { dirname } from 'node:path';
import { child, runBench, temporaryFolder, temporaryPlace } from './bench.mjs';
import {
  idleOf,
  idleOver,
  measureRate,
  publisherOver,
  runsOf,
  startSubject,
  withDatabase,
} from './end-to-end.mjs';
import { quantile } from './clock.mjs';
import { CODE } from './events-work.mjs';
import { installEngines } from './install-engines.mjs';
import { postgresCpu } from './process-cpu.mjs';
import { printWaiting, printWorkflows } from './table.mjs';
import { measureWaiting } from './workflows-waiting.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
    waiting: { type: 'boolean', default: false },
  },
});
const count = Number(values.count ?? (values.quick ? 500 : 3_000));
/** How often the service and Restate take turns while idle, and the calls of each turn. */
const TURNS = 5;
const calls = values.quick ? 20 : 100;
const STEPS = ['first', 'second', 'third'].map((id) => ({ id, kind: 'code', source: CODE }));

await runBench(values.waiting ? benchWaiting : bench);

async function bench() {
  const engines = dirname((await installEngines()).resolve('./package.json'));
  const place = await temporaryPlace();
  const client = child('events-client.mjs');
  const databaseCpu = await postgresCpu(place.databaseUrl);
  const found = {};

  console.error('The service …');
  const databaseUrl = await place.database('service');
  const subject = await startSubject(databaseUrl, {}, { steps: STEPS });
  const { handle, written } = counting(databaseUrl, (events) => runsOf(subject, client, events));
  const service = await measureRate(subject.child, { databaseCpu, count, handle, profile: values.profile });
  found.service = { ...service, ...written };

  for (const engine of ['restate', 'dbos', 'openworkflow']) {
    console.error(`${engine} …`);
    const url = await place.database(engine);
    const measured = child('workflows-engines.mjs', [url, engines, temporaryFolder()]);
    await measured.call('start', { engine });
    const route = await measured.call('serve');
    const publish = publisherOver(route, measured, client);
    const { handle, written } = counting(url, publish);
    const figures = await measureRate(measured, { databaseCpu, count, handle });
    found[engine] = { ...figures, ...written };
    if (engine === 'restate') {
      // The machine differs more from minute to minute than these two do, so they take turns.
      const idle = { service: [], restate: [] };
      for (let turn = 0; turn < TURNS; turn++) {
        idle.service.push((await idleOf(subject, client, calls)).done);
        idle.restate.push((await idleOver(route, measured, client, { calls, isPolling: false })).p50);
      }
      for (const name of ['service', 'restate']) found[name].idle = quantile(idle[name], 0.5);
      await subject.child.stop();
    } else {
      found[engine].idle = (await idleOver(route, measured, client, { calls, isPolling: true })).p50;
    }
    await measured.stop();
  }
  printWorkflows({ found, count, calls: calls * TURNS });
}

/** Only the service: what many runs that wait cost. */
async function benchWaiting() {
  const place = await temporaryPlace();
  const databaseCpu = await postgresCpu(place.databaseUrl);
  const databaseUrl = await place.database('service');
  const waiting = Number(values.count ?? (values.quick ? 10_000 : 100_000));
  const idleMs = values.quick ? 20_000 : 60_000;
  printWaiting(await measureWaiting({ databaseUrl, databaseCpu, count: waiting, idleMs }));
}

/** Counts the rows per workflow that a database writes meanwhile, into `written`; the last call counts. */
function counting(databaseUrl, work) {
  const written = {};
  const handle = async (workflows) => {
    const before = await rowsOf(databaseUrl);
    const rate = await work(workflows);
    const after = await rowsOf(databaseUrl);
    for (const kind of ['inserted', 'updated']) written[kind] = (after[kind] - before[kind]) / workflows;
    return rate;
  };
  return { handle, written };
}

/** Statistics appear when a session has been idle for a moment. */
async function rowsOf(databaseUrl) {
  return withDatabase(databaseUrl, async (database) => {
    await database.query('select pg_sleep(1.5)');
    const { rows } = await database.query(
      `select coalesce(sum(n_tup_ins), 0)::float8 as inserted, coalesce(sum(n_tup_upd), 0)::float8 as updated
       from pg_stat_user_tables`,
    );
    return rows[0];
  });
}
