// The clients, the service, PostgreSQL, and Redis share the machine, so compare only within one run.
// The service needs an HTTP request for every event or batch; the insert does without, and the queues are behind a bare route.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { REDIS, findOrInstall } from '../external.mjs';
import { child, cleanUp, runBench, temporaryPlace } from './bench.mjs';
import { cpuOf, idleOf, idleOver, measureRate, publisherOver, runsOf, startSubject } from './end-to-end.mjs';
import { CODE } from './events-work.mjs';
import { postgresCpu } from './process-cpu.mjs';
import { freePort } from './service.mjs';
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
const WARM_UP_SECONDS = 4;

const STEPS = [{ id: 'work', kind: 'code', source: CODE }];

await runBench(bench);

async function bench() {
  const redisUrl = await startRedis();
  const place = await temporaryPlace();
  const client = child('events-client.mjs');

  console.error('Starting the service …');
  const api = await startSubject(await place.database('api'), { PLATFORM_ROLE: 'api' }, { steps: null });
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
  // Twice those whose ratio is promised, in an order in which a machine that becomes faster or slower favors neither.
  for (const [i, name] of ['service', 'batches', 'batches', 'service', 'redis'].entries()) {
    console.error(`End to end, ${name} …`);
    const env = name === 'redis' ? { REDIS_URL: redisUrl } : {};
    const batch = name === 'batches' ? BATCH : undefined;
    const subject = await startSubject(await place.database(`${name}_${i}`), env, { steps: STEPS, batch });
    const found = await measureRate(subject.child, {
      databaseCpu,
      count,
      handle: (events) => runsOf(subject, client, events),
      profile: values.profile && `${values.profile}.${name}`,
    });
    endToEnd[name] = endToEnd[name] === undefined ? found : togetherOf(endToEnd[name], found);
    if (batch === undefined) idle[name] ??= await idleOf(subject, client, calls);
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
    const route = await queues.call('serve');
    const handle = publisherOver(route, queues, client);
    endToEnd[name] = await measureRate(queues, { databaseCpu, count, handle });
    idle[name] = await idleOver(route, queues, client, { calls, isPolling: name !== 'bull' });
    await queues.stop();
  }
  printQueues({ endToEnd, idle, count, calls, batch: BATCH });
}

/** What two measurements of the same count make as one. */
function togetherOf(a, b) {
  const cpu = Object.keys(a.cpu).map((name) => [name, (a.cpu[name] + b.cpu[name]) / 2]);
  return { rate: 2 / (1 / a.rate + 1 / b.rate), cpu: Object.fromEntries(cpu) };
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
