// The fake server, PostgreSQL, the service, and its clients share the machine, so compare with the baseline of the same run.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { child, runBench, temporaryPlace } from './bench.mjs';
import { quantile } from './clock.mjs';
import { postgresCpu } from './process-cpu.mjs';
import { startService } from './service.mjs';
import { printTurns } from './table.mjs';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '200' },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const streams = Number(values.streams);
const rate = Number(values.rate);
const seconds = Number(values.seconds ?? (values.quick ? 5 : 30));
const [turns, bursts] = values.quick ? [50, 1] : [200, 3];
if (![streams, rate, seconds].every((value) => value > 0)) {
  console.error('--streams, --rate (tokens per second and stream) and --seconds are numbers above 0');
  process.exit(1);
}

const BURST = 100_000;
const WARM_UP_SECONDS = 5;
const JOBS = 50;
const CALLERS = 32;
const SHORT = { tokens: 20, rate: 0, waitMs: 0 };
const SPREAD_MS = Math.max(1_000, streams * 21);

await runBench(bench);

async function bench() {
  const place = await temporaryPlace();
  const model = child('fake-openai.mjs');
  const modelUrl = await model.call('url');
  const service = await startService({ ...place, modelUrl, streams });
  const databaseCpu = await postgresCpu(place.databaseUrl);

  const bareClient = child('bare-client.mjs', [modelUrl]);
  const subjects = [
    { name: 'openai', load: bareClient, measured: bareClient },
    {
      name: 'service',
      load: child('service-client.mjs', [JSON.stringify(service.access)]),
      measured: service.child,
      databaseCpu,
    },
  ];
  const [bare, ours] = [{}, {}];
  for (const [measure, ...title] of [
    [warmUp, 'Warming up'],
    [idle, `${turns} turns, one after the other`],
    [paced, `${streams} streams × ${rate} tokens/s × ${seconds} s`],
    [burst, `${bursts} × ${BURST.toLocaleString('en')} tokens`],
    // Last, because the memory that it takes would be missing in the other figures.
    [closed, `${CALLERS} callers × ${seconds} s`],
  ]) {
    console.error(`${title} …`);
    Object.assign(bare, await measure(subjects[0]));
    Object.assign(ours, await measure(subjects[1]));
  }
  console.error(`${JOBS} job streams from a second process …`);
  const followed = await followJobs(service);
  printTurns({
    ours,
    bare,
    followed,
    jobs: JOBS,
    callers: CALLERS,
    short: SHORT.tokens,
    streams,
    rate,
    seconds,
    turns,
    tokens: BURST,
  });
}

/** As long with --quick: until everything is compiled, a turn takes up to twice the CPU time. */
async function warmUp({ load }) {
  await load.call('closed', { callers: 8, seconds: WARM_UP_SECONDS, order: SHORT });
  await load.call('turns', 20, { tokens: 5, rate: 200, waitMs: 20 });
  await load.call('turns', 1, { tokens: 20_000, rate: 0, waitMs: 0 });
  await load.call('open', { streams: 20, spreadMs: 500, order: { tokens: 150, rate: 50, waitMs: 20 } });
  await load.call('ended');
  return {};
}

async function idle({ load }) {
  await sleep(500);
  return { idle: await load.call('turns', turns, { tokens: 5, rate: 200, waitMs: 20 }) };
}

/** All turns are charged to one space, whose account they lock one after another. */
async function closed({ load, measured, databaseCpu = () => NaN }) {
  await load.call('closed', { callers: CALLERS, seconds: 2, order: SHORT });
  await sleep(500);
  const before = { database: databaseCpu(), ...(await measured.call('usage')) };
  const startedAt = performance.now();
  const done = await load.call('closed', { callers: CALLERS, seconds, order: SHORT });
  const ms = performance.now() - startedAt;
  // Work after the last response belongs to the turns as well.
  await sleep(500);
  const after = { database: databaseCpu(), ...(await measured.call('usage')) };
  return {
    closed: {
      rate: done / (ms / 1_000),
      cpu: (after.cpuUs - before.cpuUs) / done / 1_000,
      database: (after.database - before.database) / done / 1_000,
    },
  };
}

/** Jobs that run in the first process, whose streams are read in a second one. */
async function followJobs({ access, startSecond }) {
  const second = await startSecond();
  const args = [JSON.stringify({ ...access, followUrl: second.url })];
  const subject = { name: 'second', load: child('service-client.mjs', args), measured: second.child };
  await subject.load.call('open', {
    streams: 20,
    spreadMs: 500,
    order: { tokens: 150, rate: 50, waitMs: 20 },
  });
  await subject.load.call('ended');
  return (await paced(subject, JOBS, JOBS * 21)).paced;
}

/** Counts only while all streams are open, without the cost of opening and ending them. */
async function paced({ name, load, measured }, count = streams, spreadMs = SPREAD_MS) {
  const before = await measured.call('usage');
  const tokens = Math.ceil(rate * (spreadMs / 1_000 + seconds + 3));
  await load.call('open', { streams: count, spreadMs, order: { tokens, rate, waitMs: 20 } });
  await sleep(1_000);
  const profiled = values.profile !== undefined && name === 'service';
  if (profiled) await measured.call('startProfile');
  const start = await measured.call('usage');
  await load.call('mark');
  let peak = start.rss;
  for (let second = 0; second < seconds; second++) {
    await sleep(1_000);
    peak = Math.max(peak, (await measured.call('usage')).rss);
  }
  const arrived = await load.call('count');
  const end = await measured.call('usage');
  if (profiled) await measured.call('writeProfile', values.profile);
  await load.call('ended');
  return {
    paced: {
      cpu: (end.cpuUs - start.cpuUs) / arrived.tokens,
      p50: arrived.p50,
      p99: arrived.p99,
      memory: (peak - before.rss) / 2 ** 20 / count,
    },
  };
}

async function burst({ load, measured }) {
  const cpu = [];
  const ms = [];
  for (let i = 0; i < bursts; i++) {
    await sleep(500);
    const before = await measured.call('usage');
    const startedAt = performance.now();
    await load.call('turns', 1, { tokens: BURST, rate: 0, waitMs: 0 });
    ms.push(performance.now() - startedAt);
    // Work after the last byte belongs to the turn as well.
    await sleep(300);
    cpu.push(((await measured.call('usage')).cpuUs - before.cpuUs) / BURST);
  }
  return { burst: { cpu: quantile(cpu, 0.5), ms: quantile(ms, 0.5) } };
}
