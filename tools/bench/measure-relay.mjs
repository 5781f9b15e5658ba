// The model server, PostgreSQL, both gateways, and the callers share the machine, so compare only within one run.
// Portkey waits 25 ms before the first chunk of a stream, so there must be enough callers to keep it busy.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { child, runBench, started, temporaryPlace } from './bench.mjs';
import { Child } from './child.mjs';
import { quantile } from './clock.mjs';
import { postgresCpu } from './process-cpu.mjs';
import { freePort, startService } from './service.mjs';
import { printRelay } from './table.mjs';

const { values } = parseArgs({
  options: {
    callers: { type: 'string', default: '64' },
    seconds: { type: 'string' },
    streams: { type: 'string', default: '100' },
    rate: { type: 'string', default: '50' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const callers = Number(values.callers);
const streams = Number(values.streams);
const rate = Number(values.rate);
const seconds = Number(values.seconds ?? (values.quick ? 4 : 15));
const calls = values.quick ? 50 : 300;
if (![callers, streams, rate, seconds].every((value) => value > 0)) {
  console.error(
    '--callers, --streams, --rate (tokens per second and stream) and --seconds are numbers above 0',
  );
  process.exit(1);
}

const BURST = 100_000;
/** One takes a tenth of a second, in which the service may do something else, or compile. */
const BURSTS = 9;
const ORDER = { tokens: 100, rate: 0, waitMs: 0 };
const COME_UP_MS = 15_000;
/** A subject is warm when its calls have not become cheaper by this part in so many rounds. */
const COOLING = 0.05;
const STEADY_ROUNDS = 2;
const WARM_UP_SECONDS = 4;
const MAX_WARM_UP_ROUNDS = 15;
/** Far more than the benchmark uses: a limit that is never reached. */
const PLENTY = 1_000_000_000_000;

await runBench(bench);

async function bench() {
  const place = await temporaryPlace();
  const model = child('fake-openai.mjs');
  const modelUrl = await model.call('url');
  const env = { PLATFORM_RATE_LIMIT: '1000000000' };
  const service = await startService({ ...place, modelUrl, streams: 101, env });
  const databaseCpu = await postgresCpu(place.databaseUrl);
  const load = child('relay-client.mjs');

  const [free, limited] = service.access.keys.map((key) => ({
    url: `${service.access.url}/models/v1`,
    headers: { Authorization: `Bearer ${key}` },
  }));
  const server = { url: modelUrl, headers: {} };
  const gateway = await startPortkey(modelUrl);
  const subjects = [
    { name: 'server', target: server, measured: model },
    { name: 'portkey', target: gateway.target, measured: gateway.child },
    { name: 'relay', target: free, measured: service.child },
  ];
  await limitTheSecond(service);

  const found = { server: {}, portkey: {}, relay: {} };
  const database = {};
  for (const [key, title, measure] of [
    ['warmUp', 'Warming up', warmUp],
    [
      'whole',
      `Whole answers, ${callers} callers × ${seconds} s`,
      (of) => closed(of, load, { stream: false }),
    ],
    [
      'streams',
      `Streams, ${callers} callers × ${seconds} s`,
      (of) => closed(of, load, { stream: true, file: values.profile }),
    ],
    ['paced', `${streams} streams × ${rate} tokens/s × ${seconds} s`, paced],
    ['burst', `${BURSTS} × ${BURST.toLocaleString('en')} tokens`, burst],
  ]) {
    console.error(`${title} …`);
    for (const subject of subjects) {
      const before = databaseCpu();
      found[subject.name][key] = await measure(subject, load);
      if (subject.name === 'relay') database[key] = (databaseCpu() - before) / found.relay[key]?.calls;
    }
  }
  console.error(`${calls} calls of each in turn …`);
  const targets = [server, free, limited, gateway.target];
  await load.call('inTurn', { targets, calls: 20, order: ORDER });
  const [bare, ours, oursLimited, portkeys] = await load.call('inTurn', { targets, calls, order: ORDER });

  printRelay({
    ours: { ...found.relay, added: ours - bare, addedLimited: oursLimited - bare },
    portkey: { ...found.portkey, added: portkeys - bare },
    bare: found.server,
    database,
    callers,
    seconds,
    streams,
    rate,
    calls,
    tokens: BURST,
  });
}

async function startPortkey(modelUrl) {
  const port = await freePort();
  const child = started(
    new Child('node_modules/@portkey-ai/gateway/build/start-server.js', {
      args: [`--port=${port}`],
      execArgv: ['probe.mjs', 'patch-portkey.mjs'].flatMap((file) => [
        '--import',
        join(import.meta.dirname, file),
      ]),
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + COME_UP_MS; ; await sleep(100)) {
    if ((await fetch(url).catch(() => null))?.ok) break;
    await child.call('usage');
    if (Date.now() > deadline) throw new Error('The gateway of Portkey does not start');
  }
  const headers = {
    Authorization: 'Bearer none',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': modelUrl,
  };
  return { child, target: { url: `${url}/v1`, headers } };
}

/** Grants tokens to the user of the second key, which makes the account limited. */
async function limitTheSecond({ access, admin }) {
  const [, key] = access.keys;
  const res = await fetch(`${access.url}/api/auth/me`, { headers: { Authorization: `Bearer ${key}` } });
  const { user } = await res.json();
  await admin('/api/usage/grants', { userId: user.id, tokens: PLENTY });
}

/**
 * Makes calls until they no longer become cheaper, also with --quick: a call of a process that is not yet compiled takes up to
 * twice the CPU time, and a large program takes longer to compile than a small one.
 */
async function warmUp(subject, load) {
  for (const stream of [true, false]) {
    let best = Infinity;
    let steady = 0;
    for (let round = 0; round < MAX_WARM_UP_ROUNDS && steady < STEADY_ROUNDS; round++) {
      const { cpu } = await closed(subject, load, { stream, forSeconds: WARM_UP_SECONDS });
      steady = cpu < best * (1 - COOLING) ? 0 : steady + 1;
      best = Math.min(best, cpu);
    }
    if (steady < STEADY_ROUNDS) console.error(`${subject.name} did not become steady`);
  }
  const { target } = subject;
  await load.call('open', { target, streams: 1, spreadMs: 0, order: { ...ORDER, tokens: 20_000 } });
}

async function closed({ name, target, measured }, load, { stream, file, forSeconds = seconds }) {
  await sleep(500);
  const profiled = file !== undefined && name === 'relay';
  if (profiled) await measured.call('startProfile');
  const before = await measured.call('usage');
  const startedAt = performance.now();
  const done = await load.call('closed', { target, callers, seconds: forSeconds, order: ORDER, stream });
  const ms = performance.now() - startedAt;
  if (profiled) await measured.call('writeProfile', file);
  // Work after the last response belongs to the calls as well.
  await sleep(300);
  const { cpuUs } = await measured.call('usage');
  return { calls: done, rate: done / (ms / 1_000), cpu: (cpuUs - before.cpuUs) / done };
}

async function paced({ target, measured }, load) {
  await sleep(500);
  const tokens = rate * seconds;
  const before = await measured.call('usage');
  await load.call('open', { target, streams, spreadMs: 1_000, order: { tokens, rate, waitMs: 20 } });
  await sleep(300);
  const { cpuUs } = await measured.call('usage');
  return { cpu: (cpuUs - before.cpuUs) / (streams * tokens) };
}

async function burst({ target, measured }, load) {
  const cpu = [];
  const ms = [];
  for (let i = 0; i < BURSTS; i++) {
    await sleep(300);
    const before = await measured.call('usage');
    const startedAt = performance.now();
    await load.call('open', {
      target,
      streams: 1,
      spreadMs: 0,
      order: { tokens: BURST, rate: 0, waitMs: 0 },
    });
    ms.push(performance.now() - startedAt);
    await sleep(300);
    cpu.push(((await measured.call('usage')).cpuUs - before.cpuUs) / BURST);
  }
  return { cpu: quantile(cpu, 0.5), ms: quantile(ms, 0.5) };
}
