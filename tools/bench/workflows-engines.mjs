// The engines beside which the workflows of tasks are measured: start → three stored steps → end. An engine and its worker run
// here in one process, Restate with its server. Clients start workflows through a bare route, and each step runs the same code
// in the sandbox of the service, which shows what the engine itself costs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { startBareRoute } from './bare-route.mjs';
import { answer } from './child.mjs';
import { unixTime } from './clock.mjs';
import { CODE, EVENT } from './events-work.mjs';
import { freePort } from './service.mjs';

const [databaseUrl, enginesFolder, dataDir] = process.argv.slice(2);
const CONCURRENCY = 64;
const CONNECTIONS = 10;
const STEPS = ['first', 'second', 'third'];
const COME_UP_MS = 30_000;
/** Runs a program until it ends or the other end of descriptor 3 is closed, which happens however this process ends. */
const ENDS_WITH_PARENT = '(read _ <&3; kill -9 $$) & exec "$0" "$@" 3<&-';

const requireEngine = createRequire(join(enginesFolder, 'package.json'));
const importEngine = (name) => import(pathToFileURL(requireEngine.resolve(name)).href);

/** Like a worker of the service: one owner, and as many processes. */
const { SandboxPool } = await import('../../apps/api/dist/tasks/sandbox/sandbox-pool.js');
const sandbox = new SandboxPool(4);

/** When each workflow ended, as Unix times in ms. */
const endedAt = new Map();

/** Runs the code of a step. Returns its result as JSON. */
const runCode = (payload) =>
  sandbox.run({
    owner: 'bench',
    source: CODE,
    context: JSON.stringify({ execution: { inputs: { trigger: { payload } } }, steps: {} }),
    signal: new AbortController().signal,
    log: () => {},
  });

/** The workflow of every engine. `step` stores the result of a step under its name. */
async function workflow(payload, step) {
  for (const name of STEPS) await step(name, () => runCode(payload));
  endedAt.set(payload.n, unixTime());
}

async function startDbos() {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: databaseUrl,
    systemDatabasePoolSize: CONNECTIONS,
    logLevel: 'error',
  });
  const registered = DBOS.registerWorkflow(
    (payload) => workflow(payload, (name, work) => DBOS.runStep(work, { name })),
    { name: EVENT },
  );
  await DBOS.launch();
  await DBOS.registerQueue(EVENT, { workerConcurrency: CONCURRENCY, minPollingIntervalMs: 50 });
  const begin = DBOS.startWorkflow(registered, { queueName: EVENT });
  return (payload) => begin(payload);
}

async function startOpenWorkflow() {
  const { OpenWorkflow } = await importEngine('openworkflow');
  const { BackendPostgres } = await importEngine('openworkflow/postgres');
  const client = new OpenWorkflow({ backend: await BackendPostgres.connect(databaseUrl) });
  const defined = client.defineWorkflow({ name: EVENT }, ({ input, step }) =>
    workflow(input, (name, work) => step.run({ name }, work)),
  );
  await client.newWorker({ concurrency: CONCURRENCY }).start();
  return (payload) => defined.run(payload);
}

/** The server stores every step in its log before the next one begins. */
async function startRestate() {
  const restate = await importEngine('@restatedev/restate-sdk');
  const [port, ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const service = restate.service({
    name: 'Bench',
    handlers: { run: (context, payload) => workflow(payload, (name, work) => context.run(name, work)) },
  });
  await restate.serve({ services: [service], port });
  const program = requireEngine.resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
  const server = spawn(
    'sh',
    ['-c', ENDS_WITH_PARENT, program, '--no-logo', '--base-dir', dataDir, '--listen-mode', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        RUST_LOG: 'error',
        RESTATE_BIND_IP: '127.0.0.1',
        RESTATE_BIND_PORT: String(node),
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        DO_NOT_TRACK: '1',
      },
    },
  );
  await once(server, 'spawn');
  await post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${port}` }, COME_UP_MS);
  return (payload) => post(`http://127.0.0.1:${ingress}/Bench/run/send`, payload);
}

/** Tries again for so long, until the server is there. */
async function post(url, body, forMs = 0) {
  for (const deadline = Date.now() + forMs; ; await sleep(200)) {
    const res = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }).catch((error) => error);
    if (res.ok) return res.json();
    if (Date.now() >= deadline)
      throw new Error(`${url} does not respond: ${res.message ?? `${res.status} ${await res.text()}`}`);
  }
}

const engines = { dbos: startDbos, openworkflow: startOpenWorkflow, restate: startRestate };
let begin;

answer({
  async start({ engine }) {
    begin = await engines[engine]();
  },

  /** Lets clients start workflows over HTTP. Returns the URL. */
  serve: () =>
    startBareRoute(async ({ payload }) => {
      await begin(payload);
      return { envelopeId: payload.n, status: 'PENDING' };
    }),

  /** Waits until so many workflows have ended in all. Returns when the last one did, as a Unix time in ms. */
  async waitForResults({ total }) {
    while (endedAt.size < total) await sleep(10);
    return Math.max(...endedAt.values());
  },

  /** Returns when these workflows ended. */
  timesOf: (ids) => ids.map((n) => endedAt.get(n)),
});
