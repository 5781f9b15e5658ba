// What many runs that wait cost: while nothing happens, and when all of them are woken at once, for whoever calls the API then.
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './bench.mjs';
import { quantile } from './clock.mjs';
import { cpuOf, withDatabase } from './end-to-end.mjs';
import { startAlone } from './service.mjs';

const CODE = 'return context.execution.inputs.note;';
const STEPS = [
  { id: 'first', kind: 'code', source: CODE },
  { id: 'pause', kind: 'wait', for: 'P1D' },
  { id: 'last', kind: 'code', source: CODE },
];
const TASKS = 16;
/** Between two calls of the API. */
const CALL_MS = 50;
const DONE_MS = 3_600_000;
const COPIED = ['run', 'run_attempt', 'run_step', 'run_wait'];

/** Returns what `count` runs cost that wait: `idleMs` long, and from the moment in which all of them are due until they have ended. */
export async function measureWaiting({ databaseUrl, databaseCpu, count, idleMs }) {
  const { child, as, apiKey } = await startAlone({ databaseUrl, dataDir: temporaryFolder() });
  const call = as(apiKey);
  return withDatabase(databaseUrl, async (database) => {
    const shareOf = async () => {
      const cpu = await cpuOf(child, databaseCpu);
      await sleep(idleMs);
      const { process, children, database } = await cpu(1);
      const share = (process + children + database) / (idleMs * 1_000);
      console.error(`idle: ${(100 * share).toFixed(2)} % of a core`);
      return share;
    };
    const models = [];
    for (let i = 0; i < TASKS; i++) models.push(await waitingRun(call, i));
    // The service has just started.
    await sleep(idleMs);
    const before = await shareOf();
    console.error('Copying …');
    for (const model of models) await copyRun(database, model, count / TASKS - 1);
    await database.query(`vacuum analyze ${COPIED.join(', ')}`);
    const idle = await shareOf();

    console.error('Waking …');
    const cpu = await cpuOf(child, databaseCpu);
    const calls = callWhile(call, models);
    const since = performance.now();
    await database.query('update run_wait set due_at = clock_timestamp()');
    await untilEnded(database, count);
    const seconds = (performance.now() - since) / 1_000;
    const used = await cpu(count);
    const times = await calls();
    const { rows } = await database.query(
      `select count(*)::int as lost from run r where task_id = any($1) and (status <> 'SUCCEEDED' or
         (select count(*) from run_step s where s.run_id = r.id and s.status = 'SUCCEEDED') <> ${STEPS.length})`,
      [models.map(({ taskId }) => taskId)],
    );
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    return {
      count,
      tasks: TASKS,
      before,
      idle,
      seconds,
      cpu: used,
      lost: rows[0].lost,
      calls: times.length,
      p50,
      p99,
    };
  });
}

/** Starts a run through the API, and returns its id when it waits. */
async function waitingRun(call, n) {
  const workflow = { steps: STEPS };
  const task = await call('/api/tasks', { name: `Wait ${n}`, type: 'MANUAL', concurrency: 100, workflow });
  const { id } = await call(`/api/tasks/${task.id}/run`, {
    inputs: { note: 'Leave the parcel with the neighbors.' },
  });
  for (;;) {
    const { status, error } = await call(`/api/runs/${id}`);
    if (status === 'WAITING') return { taskId: task.id, id };
    if (error) throw new Error(error.message);
    await sleep(20);
  }
}

/** Copies the rows of a run that waits, as if so many others had been started: starting them would take an hour. */
async function copyRun(database, { id }, copies) {
  await database.query('create temp table copy as select uuid_v7() as id from generate_series(1, $1::int)', [
    copies,
  ]);
  for (const table of COPIED) {
    const key = table === 'run' ? 'id' : 'run_id';
    await database.query(
      `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(r) || jsonb_build_object('${key}', copy.id))).*
       from ${table} r, copy where r.${key} = $1`,
      [id],
    );
  }
  await database.query('drop table copy');
}

/** Calls the API again and again. Returns a function that stops that, and returns how long each call took, in milliseconds. */
function callWhile(call, models) {
  const times = [];
  let isOver = false;
  const paths = models.flatMap(({ taskId, id }) => [
    `/api/runs/${id}`,
    `/api/tasks/${taskId}/runs?limit=20`,
    '/api/tasks?limit=20',
  ]);
  const calling = (async () => {
    for (let i = 0; !isOver; i++) {
      const since = performance.now();
      await call(paths[i % paths.length]);
      times.push(performance.now() - since);
      await sleep(CALL_MS);
    }
  })();
  return async () => {
    isOver = true;
    await calling;
    return times;
  };
}

async function untilEnded(database, count) {
  for (const deadline = Date.now() + DONE_MS; Date.now() < deadline; await sleep(500)) {
    // Cheap while most wait: their index is small in the end.
    const { rows } = await database.query(
      `select (select count(*) from run_wait) + (select count(*) from run_queue) as open`,
    );
    if (Number(rows[0].open) === 0) return;
  }
  throw new Error(`${count} runs do not end`);
}
