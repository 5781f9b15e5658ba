import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { keepPostgres, throwawayPostgres } from './postgres.mjs';

const keeper = join(import.meta.dirname, 'postgres.mjs');
const home = mkdtempSync(join(tmpdir(), 'platform-keeper-'));
const dataDir = join(home, 'a folder', 'postgres');
const quiet = { dataDir, log: () => {} };

/** Another process that runs `body` (with `keep` and `throwaway` at hand), tells its result as JSON, and stays. */
async function otherProcess(body, { env = process.env, folder = dataDir } = {}) {
  const script = `
    import { keepPostgres as keep, throwawayPostgres as throwaway } from ${JSON.stringify(keeper)};
    const dataDir = ${JSON.stringify(folder)};
    console.log(JSON.stringify((await (async () => { ${body} })()) ?? null));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told = once(child.stdout.setEncoding('utf8'), 'data');
  const ended = once(child, 'exit').then(([code]) => assert.fail(`the other process ended with ${code}`));
  const [line] = await Promise.race([told, ended]);
  ended.catch(() => {});
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { pid: child.pid, result: JSON.parse(line), kill };
}

async function query(url, sql) {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed meanwhile fails the query; without a listener it would end the process as well.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Waits for what another process does; ends with the test's own time limit. */
async function until(condition) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const postmasterFile = join(dataDir, 'cluster', 'postmaster.pid');
const postmasterPid = () => Number(readFileSync(postmasterFile, 'utf8').split('\n')[0]);

describe('the keeper', { timeout: 300_000 }, () => {
  before(() => mkdirSync(home, { recursive: true, mode: 0o700 }));
  after(() => rmSync(home, { recursive: true, force: true }));

  it('creates a UTF-8 cluster with its own locale, whatever the environment is', async () => {
    mkdirSync(join(dataDir, 'cluster.draft'), { recursive: true });
    writeFileSync(join(dataDir, 'cluster.draft', 'PG_VERSION'), 'an initdb that was killed');
    const env = { PATH: process.env.PATH, LANG: 'tr_TR.ISO-8859-9', PGDATA: '/nowhere', PGPORT: '1' };
    const { result, kill } = await otherProcess('return (await keep({ dataDir })).url', { env });
    const [row] = await query(
      result,
      `select pg_encoding_to_char(encoding) as encoding, datlocprovider, datlocale, current_setting('timezone') as timezone
       from pg_database where datname = current_database()`,
    );
    assert.deepEqual(row, { encoding: 'UTF8', datlocprovider: 'b', datlocale: 'C.UTF-8', timezone: 'UTC' });
    assert.equal(statSync(join(dataDir, 'password')).mode & 0o777, 0o600);
    await query(result, 'create table kept (n int); insert into kept values (1)');
    await kill();
  });

  it('adopts the server of a start script that was killed', async () => {
    const left = postmasterPid();
    const kept = await keepPostgres(quiet);
    assert.equal(kept.adopted, true);
    assert.equal(postmasterPid(), left);
    assert.deepEqual(await query(kept.url, 'select n from kept'), [{ n: 1 }]);
    await kept.stop();
    assert.equal(existsSync(postmasterFile), false);
  });

  it('rejects a second start on the folder and names the first', async () => {
    const first = await otherProcess('await keep({ dataDir })');
    await assert.rejects(keepPostgres(quiet), {
      message: new RegExp(`^already running, pid ${first.pid}: `),
    });
    await first.kill();
  });

  it('recovers its rows after the start script and the server were killed', async () => {
    const victim = await otherProcess('return (await keep({ dataDir })).url');
    await query(victim.result, 'insert into kept select generate_series(2, 50000)');
    // In this order: the start script would start the server again.
    await victim.kill();
    process.kill(postmasterPid(), 'SIGKILL');
    const kept = await keepPostgres(quiet);
    assert.equal(kept.adopted, false);
    assert.deepEqual(await query(kept.url, 'select count(*)::int as n from kept'), [{ n: 50_000 }]);
    await kept.stop();
  });

  it('is not deceived by a pid that now belongs to another process', { skip: linuxOnly() }, async () => {
    const victim = await otherProcess('await keep({ dataDir })');
    const [, ...lines] = readFileSync(postmasterFile, 'utf8').split('\n');
    await victim.kill();
    process.kill(postmasterPid(), 'SIGKILL');
    writeFileSync(postmasterFile, [process.pid, ...lines].join('\n'));
    const kept = await keepPostgres(quiet);
    assert.equal(kept.adopted, false);
    await kept.stop();
  });

  it('restarts a server that was killed, at the same address and with its rows', async () => {
    const said = [];
    const kept = await keepPostgres({ dataDir, log: (line) => said.push(line), onLost: assert.fail });
    for (const [i, signal] of ['SIGKILL', 'SIGQUIT'].entries()) {
      const killed = postmasterPid();
      process.kill(killed, signal);
      // The server answers before the keeper knows that it does, and only then the next death is another one.
      await until(() => said.filter((line) => line === 'The database runs again.').length > i);
      assert.notEqual(postmasterPid(), killed);
      assert.deepEqual(await query(kept.url, 'select count(*)::int as n from kept'), [{ n: 50_000 }]);
    }
    assert.match(said[0], /^The database has ended unexpectedly/);
    await kept.stop();
    assert.equal(existsSync(postmasterFile), false);
  });

  it('reports if it cannot restart the server', async () => {
    let tell;
    const told = new Promise((resolve) => (tell = resolve));
    const kept = await keepPostgres({ ...quiet, onLost: tell, comeUpMs: 1_000 });
    const settings = join(dataDir, 'cluster', 'postgresql.conf');
    const right = readFileSync(settings, 'utf8');
    writeFileSync(settings, `${right}\nno_such_setting = 1\n`);
    process.kill(postmasterPid(), 'SIGQUIT');
    const { message } = await told;
    assert.match(message, /^The database is lost: PostgreSQL in .* does not start/);
    writeFileSync(settings, right);
    await kept.stop();
  });

  it('can be stopped twice', async () => {
    const kept = await keepPostgres(quiet);
    await Promise.all([kept.stop(), kept.stop()]);
    assert.equal(existsSync(postmasterFile), false);
  });

  it('stops silently if its server has already ended', async () => {
    const kept = await keepPostgres(quiet);
    const pid = postmasterPid();
    process.kill(pid, 'SIGQUIT');
    await until(() => !existsSync(postmasterFile));
    await kept.stop();
  });

  it('rejects the data of another version and explains how to migrate it', async () => {
    const version = join(dataDir, 'cluster', 'PG_VERSION');
    const ours = readFileSync(version, 'utf8');
    writeFileSync(version, '17\n');
    await assert.rejects(keepPostgres(quiet), {
      message: /written by PostgreSQL 17[^]*pg_dump[^]*pg_restore/,
    });
    writeFileSync(version, ours);
  });

  it('explains what is wrong if the password is lost', async () => {
    rmSync(join(dataDir, 'password'));
    await assert.rejects(keepPostgres(quiet), { message: /password is missing/ });
  });
});

describe('a throwaway server', { timeout: 300_000 }, () => {
  it('copies a template and leaves nothing behind', async () => {
    const server = await throwawayPostgres();
    await query(server.url, 'create database one');
    await query(server.urlOf('one'), 'create table t ()');
    await query(server.url, 'create database two template one strategy file_copy');
    assert.deepEqual(await query(server.urlOf('two'), "select to_regclass('t')::text as t"), [{ t: 't' }]);
    const [{ folder }] = await query(server.url, "select current_setting('data_directory') as folder");
    await server.restart();
    assert.deepEqual(await query(server.url, 'select 1 as n'), [{ n: 1 }]);
    await server.stop();
    assert.equal(existsSync(join(folder, '..')), false);
  });

  it('ends with the process that started it, however that ends', async () => {
    const owner = await otherProcess('return (await throwaway()).url');
    const [{ folder }] = await query(owner.result, "select current_setting('data_directory') as folder");
    await owner.kill();
    await until(() => !existsSync(join(folder, '..')));
    await assert.rejects(query(owner.result, 'select 1'), { code: 'ECONNREFUSED' });
  });
});

describe('the keeper of root', { skip: process.getuid?.() !== 0 && 'needs root' }, () => {
  it('runs the server as an unprivileged user if user namespaces are forbidden', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platform-root-'));
    chmodSync(folder, 0o755);
    // A PATH without unshare stands for a system that forbids it.
    const path = join(folder, 'programs');
    mkdirSync(path);
    for (const program of ['chown', 'chmod']) symlinkSync(join('/bin', program), join(path, program));
    const inner = join(folder, 'postgres');
    const body = 'const kept = await keep({ dataDir }); return [kept.url, await kept.stop()]';
    const { kill } = await otherProcess(body, { env: { PATH: path }, folder: inner });
    assert.notEqual(statSync(join(inner, 'cluster')).uid, 0);
    await kill();
    const kept = await keepPostgres({ dataDir: inner, log: assert.fail });
    assert.deepEqual(await query(kept.url, 'select 1 as n'), [{ n: 1 }]);
    await kept.stop();
    rmSync(folder, { recursive: true });
  });
});

function linuxOnly() {
  return process.platform !== 'linux' && 'only Linux tells where a process works';
}
