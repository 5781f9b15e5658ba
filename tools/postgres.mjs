// The keeper: the PostgreSQL of an installation that has no DATABASE_URL, and throwaway ones for tests.
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
import { secretFile } from './secret-file.mjs';

const USER = 'platform';
const DATABASE = 'platform';
const COME_UP_MS = 30_000;
const STILL_RECOVERING = '57P03';
/** A server that was up for so long did not end because it could not live. */
const HEALTHY_MS = 10_000;
const MAX_BACKOFF_MS = 30_000;
const FORGETFUL = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'],
  ...['wal_level=minimal', 'max_wal_senders=0', 'max_connections=200'],
];
// Above every possible pid, so surely nobody's.
const NOBODYS_PID = 4_194_304;

/**
 * Starts the PostgreSQL of `dataDir`, or adopts the one that a killed process left running there; makes it if need be.
 * It survives this process: `stop()` ends it. Throws where another process keeps the folder.
 * Where it ends by itself it is started again, at the same address; `onLost` is told, once, where that fails.
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
    await makeCluster(place);
    const { port, adopted } = await bringUp(place);
    await makeDatabase(urlOf(place, port, 'postgres'));
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
 * Starts an empty PostgreSQL in memory that forgets everything: `url` is its maintenance database, `urlOf(name)` another.
 * It is stopped and removed by `stop()`, or when this process ends in whatever way.
 * A `durable` one writes to disk as an installation's does, for measurements.
 */
export async function throwawayPostgres({ durable = false } = {}) {
  const folder = mkdtempSync(join(durable ? tmpdir() : fastFolder(), 'platform-pg-'));
  const guard = guardOf(folder);
  const stop = async () => {
    guard.ref();
    guard.stdin.end();
    if (guard.exitCode === null) await once(guard, 'exit');
  };
  try {
    const place = preparePostgres(folder, () => {});
    await makeCluster(place, durable ? [] : FORGETFUL);
    const { port } = await bringUp(place);
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

/** The encoding and the order of text are the same on every machine, whatever its LANG says. */
async function makeCluster(place, settings = []) {
  const cluster = clusterOf(place);
  const password = join(place.folder, 'password');
  if (existsSync(cluster)) {
    refuseForeignVersion(place);
    if (!existsSync(password))
      throw new Error(`${password} is missing, and the data beside it cannot be opened without it.`);
    return;
  }
  secretFile(password, () => randomBytes(24).toString('hex'));
  place.share(password);
  // An initdb that was killed leaves half a cluster: only a complete one gets the real name.
  const draft = `${cluster}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'timezone=UTC', ...settings];
  const { code, output } = await place.pg('initdb', [
    ...['-D', draft, '--username', USER, '--pwfile', password, '--auth=scram-sha-256', '--no-instructions'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...all.flatMap((setting) => ['--set', setting]),
    ...(settings.includes('fsync=off') ? ['--no-sync'] : []),
  ]);
  if (code !== 0) throw new Error(`PostgreSQL could not make its data folder in ${place.folder}:\n${output}`);
  renameSync(draft, cluster);
}

function refuseForeignVersion(place) {
  const theirs = readFileSync(join(clusterOf(place), 'PG_VERSION'), 'utf8').trim();
  const [ours] = place.version.split('.');
  if (theirs === ours) return;
  throw new Error(
    [
      `The data in ${place.folder} was written by PostgreSQL ${theirs}; this version of the platform brings PostgreSQL ${ours}.`,
      `With the version of the platform that wrote it running, dump it (its port: line 4 of cluster/postmaster.pid):`,
      `  PGPASSWORD="$(cat ${place.folder}/password)" pg_dump -h 127.0.0.1 -p PORT -U ${USER} -Fc -f platform.dump ${DATABASE}`,
      `Stop it, set the folder aside, start this version once, and load the dump into it:`,
      `  mv ${place.folder} ${place.folder}.${theirs}`,
      `  PGPASSWORD="$(cat ${place.folder}/password)" pg_restore -h 127.0.0.1 -p PORT -U ${USER} --clean --if-exists -d ${DATABASE} platform.dump`,
    ].join('\n'),
  );
}

/**
 * Holds a connection, whose end tells of the server's, and brings that up again; the sooner it ended, the later.
 * Answers how to stop it, which ends what is under way first.
 */
async function watch(place, port, { log, onLost, comeUpMs }) {
  const over = new AbortController();
  let client;
  const stand = async () => {
    client = clientOf(place, port);
    const ended = new Promise((resolve) => client.once('end', resolve));
    await client.connect();
    // In an object, or whoever awaits this would await the end.
    return { ended };
  };
  const keep = async ({ ended }) => {
    for (let backoff = 0; ;) {
      const since = Date.now();
      await ended;
      if (over.signal.aborted) return;
      backoff = Date.now() - since > HEALTHY_MS ? 0 : Math.min(2 * backoff + 250, MAX_BACKOFF_MS);
      log('The database has ended unexpectedly: it is started again.');
      await sleep(backoff, undefined, { signal: over.signal }).catch(() => {});
      if (over.signal.aborted) return;
      await bringUp(place, port, comeUpMs);
      // It may have ended again by now.
      ({ ended } = await stand().catch(() => ({ ended: Promise.resolve() })));
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

/** After a crash the old server may be ending still or be nobody's zombie, so only a connection proves anything. */
async function bringUp(place, wanted, comeUpMs = COME_UP_MS) {
  let deadline = Date.now() + comeUpMs;
  let adopted = true;
  for (;;) {
    try {
      retireStalePid(place);
      if ((await place.pg('pg_ctl', [...at(place), 'status'])).code !== 0) {
        adopted = false;
        await startServer(place, wanted ?? (await freePort()));
      }
      const port = Number(postmasterFile(place)?.[3]);
      if (wanted !== undefined && port !== wanted) throw new Error(`it came up on port ${port}`);
      await prove(place, port);
      return { port, adopted };
    } catch (error) {
      if (error.code === STILL_RECOVERING) deadline = Date.now() + COME_UP_MS;
      if (Date.now() > deadline) {
        throw new Error(`PostgreSQL in ${place.folder} does not come up: ${error.message}`, { cause: error });
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

async function prove(place, port) {
  const client = clientOf(place, port);
  try {
    await client.connect();
    const { rows } = await client.query('show data_directory');
    if (rows[0].data_directory !== clusterOf(place))
      throw new Error(`port ${port} is another folder's server`);
  } finally {
    await client.end().catch(() => {});
  }
}

const postmasterFile = (place) => {
  const file = join(clusterOf(place), 'postmaster.pid');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : undefined;
};

/**
 * After a reboot the pid of postmaster.pid may be somebody else's, and a killed server's may stay a zombie: PostgreSQL
 * would take both for a running one. The pid alone is replaced, since the file also guards the shared memory.
 */
function retireStalePid(place) {
  const lines = process.platform === 'linux' ? postmasterFile(place) : undefined;
  if (lines === undefined || !existsSync(`/proc/${lines[0]}`)) return;
  let workingIn;
  try {
    workingIn = readlinkSync(`/proc/${lines[0]}/cwd`);
  } catch (error) {
    // A zombie works nowhere; of a process that may not be looked at nothing is known.
    if (error.code !== 'ENOENT') return;
  }
  if (workingIn === clusterOf(place)) return;
  writeFileSync(join(clusterOf(place), 'postmaster.pid'), [NOBODYS_PID, ...lines.slice(1)].join('\n'));
}

async function makeDatabase(url) {
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

/** Memory where there is enough of it: containers often have 64 MB of it, less than a cluster needs. */
function fastFolder() {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 ** 30 ? memory : tmpdir();
}

/** A shell in a session of its own that sees our end of its input close, also when we are killed, and cleans up. */
function guardOf(folder) {
  const script = `
    read -r _
    file="$0/cluster/postmaster.pid"
    [ -e "$file" ] && kill -QUIT "$(head -n 1 "$file")"
    tries=0
    while [ -e "$file" ] && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
    rm -rf "$0"`;
  const options = { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] };
  const guard = spawn('/bin/sh', ['-c', script, folder], options);
  guard.unref();
  guard.stdin.unref();
  return guard;
}
