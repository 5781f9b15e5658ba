// Runs the PostgreSQL of an installation without DATABASE_URL, and temporary servers for tests.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { lockFolder } from './folder-lock.mjs';
import { preparePostgres } from './postgres-binaries.mjs';
import { readOrCreateSecret } from './secret-file.mjs';

const USER = 'platform';
const DATABASE = 'platform';
const COME_UP_MS = 30_000;
const STILL_RECOVERING = '57P03';
/** A server that ran longer than this did not fail because of its configuration, so the backoff starts over. */
const HEALTHY_MS = 10_000;
const MAX_BACKOFF_MS = 30_000;
// Commits reach the kernel, so that what tests were told is stored survives a server process that crashes.
const EPHEMERAL_SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'autovacuum=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_connections=400',
  // Every connection proves its password anew, which takes 4,096 rounds otherwise.
  'scram_iterations=1',
];
// Above the maximum pid, so no process can have it.
const UNUSED_PID = 4_194_304;

/**
 * Starts the PostgreSQL server of `dataDir`, or adopts one that a killed process left running. Creates the cluster if
 * necessary. The server outlives this process unless `stop()` is called. Throws if another process uses the folder.
 * If the server ends unexpectedly, it is restarted on the same port. If that fails, `onLost` is called once.
 */
export async function keepPostgres({
  dataDir,
  log = console.error,
  onLost = () => {},
  comeUpMs = COME_UP_MS,
}) {
  const place = preparePostgres(dataDir, log);
  const unlock = lockFolder(place.folder);
  try {
    await createCluster(place);
    const { port, adopted } = await startOrAdopt(place);
    await createDatabase(urlOf(place, port, 'postgres'));
    const unwatch = await watch(place, port, { log, onLost, comeUpMs });
    let stopped;
    const stop = () => (stopped ??= unwatch().then(() => stopServer(place).finally(unlock)));
    return { url: urlOf(place, port, DATABASE), adopted, stop };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Starts an empty, temporary PostgreSQL server in memory. `url` is its maintenance database, `urlOf(name)` any other.
 * It is stopped and removed by `stop()`, or when this process ends for any reason.
 * A `durable` server writes to disk like that of an installation, for benchmarks.
 */
export async function throwawayPostgres({ durable = false } = {}) {
  const folder = mkdtempSync(join(durable ? tmpdir() : findFastFolder(), 'platform-pg-'));
  const guard = startGuard(folder);
  const stop = async () => {
    guard.ref();
    guard.stdin.end();
    if (guard.exitCode === null) await once(guard, 'exit');
  };
  try {
    const place = preparePostgres(folder, () => {});
    await createCluster(place, durable ? [] : EPHEMERAL_SETTINGS);
    const { port } = await startOrAdopt(place);
    const restart = async () => {
      const { code, output } = await place.pg('pg_ctl', [...at(place), '-m', 'immediate', '-w', 'restart']);
      if (code !== 0) throw new Error(output);
    };
    return {
      url: urlOf(place, port, 'postgres'),
      urlOf: (name) => urlOf(place, port, name),
      pid: () => Number(postmasterFile(place)[0]),
      restart,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const clusterOf = (place) => join(place.folder, 'cluster');
const at = (place) => ['-D', clusterOf(place), '-l', join(place.folder, 'postgres.log')];

const urlOf = (place, port, database) =>
  `postgres://${USER}:${readFileSync(join(place.folder, 'password'), 'utf8')}@127.0.0.1:${port}/${database}`;

/** Encoding and collation are the same on every machine, whatever LANG is. */
async function createCluster(place, settings = []) {
  const cluster = clusterOf(place);
  const password = join(place.folder, 'password');
  if (existsSync(cluster)) {
    assertSameVersion(place);
    if (!existsSync(password))
      throw new Error(`${password} is missing, and the data in the same folder cannot be opened without it.`);
    return;
  }
  readOrCreateSecret(password, () => randomBytes(24).toString('hex'));
  place.share(password);
  // A killed initdb leaves an incomplete cluster, so only a complete one gets the final name.
  const draft = `${cluster}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'timezone=UTC', ...settings];
  const { code, output } = await place.pg('initdb', [
    '-D',
    draft,
    '--username',
    USER,
    '--pwfile',
    password,
    '--auth=scram-sha-256',
    '--no-instructions',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...all.flatMap((setting) => ['--set', setting]),
    ...(settings.includes('fsync=off') ? ['--no-sync'] : []),
  ]);
  if (code !== 0)
    throw new Error(`PostgreSQL could not create its data folder in ${place.folder}:\n${output}`);
  renameSync(draft, cluster);
}

function assertSameVersion(place) {
  const theirs = readFileSync(join(clusterOf(place), 'PG_VERSION'), 'utf8').trim();
  const [ours] = place.version.split('.');
  if (theirs === ours) return;
  throw new Error(
    [
      `The data in ${place.folder} was written by PostgreSQL ${theirs}, but this version of the platform contains PostgreSQL ${ours}.`,
      `Run the version of the platform that wrote it, and dump the data (the port is in line 4 of cluster/postmaster.pid):`,
      `  PGPASSWORD="$(cat ${place.folder}/password)" pg_dump -h 127.0.0.1 -p PORT -U ${USER} -Fc -f platform.dump ${DATABASE}`,
      `Stop it, move the folder away, start this version once, and restore the dump:`,
      `  mv ${place.folder} ${place.folder}.${theirs}`,
      `  PGPASSWORD="$(cat ${place.folder}/password)" pg_restore -h 127.0.0.1 -p PORT -U ${USER} --clean --if-exists -d ${DATABASE} platform.dump`,
    ].join('\n'),
  );
}

/**
 * Keeps a connection open to detect when the server ends, and restarts the server, with backoff.
 * Returns a function that stops watching and waits for a restart in progress.
 */
async function watch(place, port, { log, onLost, comeUpMs }) {
  const over = new AbortController();
  let client;
  const stand = async () => {
    client = clientOf(place, port);
    const ended = new Promise((resolve) => client.once('end', resolve));
    await client.connect();
    // Wrapped in an object, because `await` would otherwise wait for the promise itself.
    return { ended };
  };
  const keep = async ({ ended }) => {
    for (let backoff = 0; ;) {
      const since = Date.now();
      await ended;
      if (over.signal.aborted) return;
      backoff = Date.now() - since > HEALTHY_MS ? 0 : Math.min(2 * backoff + 250, MAX_BACKOFF_MS);
      log('The database has ended unexpectedly. It is started again.');
      await sleep(backoff, undefined, { signal: over.signal }).catch(() => {});
      if (over.signal.aborted) return;
      await startOrAdopt(place, port, comeUpMs);
      // The server may have ended again in the meantime.
      const stood = await stand().catch(() => null);
      if (stood !== null) log('The database runs again.');
      ended = stood?.ended;
      // Stopped while connecting: the new connection must not be kept open.
      if (over.signal.aborted) await client.end().catch(() => {});
    }
  };
  const keeping = keep(await stand()).catch((error) => {
    if (!over.signal.aborted) onLost(new Error(`The database is lost: ${error.message}`, { cause: error }));
  });
  return async () => {
    over.abort();
    await client.end().catch(() => {});
    await keeping;
  };
}

function clientOf(place, port) {
  const client = new pg.Client({
    connectionString: urlOf(place, port, 'postgres'),
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {});
  return client;
}

/** After a crash, the old server may still be ending, or be a zombie. Only a connection proves that a server runs. */
async function startOrAdopt(place, wanted, comeUpMs = COME_UP_MS) {
  let deadline = Date.now() + comeUpMs;
  let adopted = true;
  for (;;) {
    try {
      replaceStalePid(place);
      if ((await place.pg('pg_ctl', [...at(place), 'status'])).code !== 0) {
        adopted = false;
        await startServer(place, wanted ?? (await freePort()));
      }
      const port = Number(postmasterFile(place)?.[3]);
      if (wanted !== undefined && port !== wanted) throw new Error(`it started on port ${port}`);
      await verifyServer(place, port);
      return { port, adopted };
    } catch (error) {
      if (error.code === STILL_RECOVERING) deadline = Date.now() + COME_UP_MS;
      if (Date.now() > deadline) {
        throw new Error(`PostgreSQL in ${place.folder} does not start: ${error.message}`, { cause: error });
      }
      await sleep(250);
    }
  }
}

async function startServer(place, port) {
  const { code, output } = await place.pg('pg_ctl', [
    ...at(place),
    '-o',
    `-p ${port}`,
    '-w',
    '-t',
    '60',
    'start',
  ]);
  if (code === 0) return;
  const log = readFileSync(join(place.folder, 'postgres.log'), 'utf8').trim().split('\n').slice(-5);
  throw new Error([output.trim(), ...log].join('\n'));
}

async function verifyServer(place, port) {
  const client = clientOf(place, port);
  try {
    await client.connect();
    const { rows } = await client.query('show data_directory');
    if (rows[0].data_directory !== clusterOf(place))
      throw new Error(`port ${port} is used by the server of another folder`);
  } finally {
    await client.end().catch(() => {});
  }
}

const postmasterFile = (place) => {
  const file = join(clusterOf(place), 'postmaster.pid');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : undefined;
};

/**
 * After a reboot, another process may have the pid in postmaster.pid, and a killed server may remain as a zombie.
 * PostgreSQL would mistake both for a running server. Only the pid is replaced, because the file also protects the
 * shared memory.
 */
function replaceStalePid(place) {
  const lines = process.platform === 'linux' ? postmasterFile(place) : undefined;
  if (lines === undefined || !existsSync(`/proc/${lines[0]}`)) return;
  let workingIn;
  try {
    workingIn = readlinkSync(`/proc/${lines[0]}/cwd`);
  } catch (error) {
    // A zombie has no working directory. If the process cannot be inspected, nothing is known.
    if (error.code !== 'ENOENT') return;
  }
  if (workingIn === clusterOf(place)) return;
  writeFileSync(join(clusterOf(place), 'postmaster.pid'), [UNUSED_PID, ...lines.slice(1)].join('\n'));
}

async function createDatabase(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

async function stopServer(place) {
  const { code, output } = await place.pg('pg_ctl', [...at(place), '-m', 'fast', '-w', '-t', '60', 'stop']);
  if (code === 0 || (await place.pg('pg_ctl', [...at(place), 'status'])).code !== 0) return;
  throw new Error(`PostgreSQL in ${place.folder} does not stop: ${output.trim()}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Returns a folder in memory if there is enough space: containers often have 64 MB, less than a cluster needs. */
function findFastFolder() {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 ** 30 ? memory : tmpdir();
}

/** Starts a shell in a session of its own that cleans up when its input is closed, even if this process is killed. */
function startGuard(folder) {
  const script = `
    read -r _
    file="$0/cluster/postmaster.pid"
    [ -e "$file" ] && kill -QUIT "$(head -n 1 "$file")"
    tries=0
    while [ -e "$file" ] && [ $tries -lt 600 ]; do sleep 0.05; tries=$((tries + 1)); done
    rm -rf "$0"`;
  const options = { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] };
  const guard = spawn('/bin/sh', ['-c', script, folder], options);
  guard.unref();
  guard.stdin.unref();
  return guard;
}
