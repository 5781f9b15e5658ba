// Runs a benchmark: builds the service first, and stops everything that was started.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { throwawayPostgres } from '../postgres.mjs';
import { onStop, run } from '../processes.mjs';
import { Child } from './child.mjs';

const cleanups = [];

/** Runs a benchmark until it ends or is interrupted, and exits. */
export async function runBench(bench) {
  let interrupted = false;
  onStop(
    () => {
      interrupted = true;
      void stop().finally(() => process.exit(130));
    },
    () => process.exit(130),
  );
  try {
    warnWhereBusy();
    await buildService();
    await bench();
  } catch (error) {
    if (!interrupted) console.error(error.message);
    process.exitCode = interrupted ? 130 : 1;
  } finally {
    await stop();
  }
  process.exit();
}

/** Creates an empty, durable database and an empty data folder. `database(name)` creates another database beside it. */
export async function temporaryPlace() {
  const postgres = await throwawayPostgres({ durable: true });
  cleanups.push(postgres.stop);
  const database = async (name) => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return postgres.urlOf(name);
  };
  return { dataDir: temporaryFolder(), databaseUrl: postgres.url, database };
}

export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs at the end of the benchmark, however it ends. */
export function cleanUp(cleanup) {
  cleanups.push(cleanup);
}

/** Starts a script of this folder as a process that ends with the benchmark. */
export function child(script, args) {
  return started(new Child(join(import.meta.dirname, script), { args }));
}

export function started(process) {
  cleanups.push(() => process.stop());
  return process;
}

function warnWhereBusy() {
  const [load] = loadavg();
  const cores = availableParallelism();
  if (load > cores / 2)
    console.error(`The machine is busy (load ${load.toFixed(1)} on ${cores} cores): times will be too long.`);
}

async function buildService() {
  const { code, stopped, output } = await run('nx', ['run', '@platform/api:build'], {
    env: { ...process.env, NX_TUI: 'false', NX_DAEMON: 'false', CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (stopped || code !== 0) throw new Error(output);
}

/** Stops everything in reverse order. Can be called twice. */
async function stop() {
  while (cleanups.length > 0) await cleanups.pop()();
}
