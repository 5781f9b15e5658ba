import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { throwawayPostgres } from './postgres.mjs';
import { readStartArguments } from './start-arguments.mjs';

const root = join(import.meta.dirname, '..');
const home = mkdtempSync(join(tmpdir(), 'platform-start-'));
after(() => rmSync(home, { recursive: true, force: true }));

const SERVICE = ['--conditions=platform-source', '--import', './tools/swc-hook.mjs', 'apps/api/src/main.ts'];

/** Runs a program to its end: its exit code, and everything that it printed. */
async function runToEnd(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output: output.trim() };
}

/** No stack trace, no JSON of the log, and not more than one sentence for each problem. */
function assertPlain(output) {
  assert.doesNotMatch(output, /^\s+at |[{}]|node:internal|Error:/m);
}

describe('the arguments of npm start', () => {
  it('set environment variables', () => {
    assert.deepEqual(readStartArguments('start', []), { env: {} });
    assert.deepEqual(readStartArguments('start', ['--port', '3001', '--data-dir=b'], '/a'), {
      env: { PORT: '3001', PLATFORM_DATA_DIR: '/a/b' },
    });
  });

  it('are rejected, with a list of the known ones, before anything is installed', async () => {
    for (const [args, begin] of [
      [
        ['start', '--prot', '3001'],
        /^Unknown argument "--prot"\. Known arguments, as in "npm start -- --port/,
      ],
      [['start', '3001'], /^Unknown argument "3001"\./],
      [['dev', '--fast'], /^Unknown argument "--fast".*"npm run dev -- --port/],
      [['start', '--constructor', '1'], /^Unknown argument "--constructor"/],
      [['start', '--port'], /^--port needs a value: npm start -- --port NUMBER$/],
      [['start', '--port', '--host'], /^--port needs a value/],
    ]) {
      const { code, output } = await runToEnd(['tools/setup.mjs', ...args]);
      assert.equal(code, 1);
      assert.match(output, begin);
      assertPlain(output);
    }
    const help = await runToEnd(['tools/setup.mjs', 'start', '--help']);
    assert.equal(help.code, 0);
    for (const name of ['--port', '--host', '--data-dir']) assert.ok(help.output.includes(`${name} `));
  });
});

describe('a data folder', { timeout: 300_000 }, () => {
  const open = (dataDir) =>
    runToEnd(
      [
        '--input-type=module',
        '--eval',
        `import { openEnvironment } from './tools/environment.mjs';
         await openEnvironment(() => {}).catch((error) => { console.error(error.message); process.exit(1); });`,
      ],
      { PLATFORM_DATA_DIR: dataDir },
    );

  it('that another instance uses names that instance', async () => {
    const dataDir = join(home, 'locked');
    const holder = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { mkdirSync, writeFileSync } from 'node:fs';
         import { lockFolder } from './tools/folder-lock.mjs';
         mkdirSync(${JSON.stringify(join(dataDir, 'postgres'))}, { recursive: true });
         lockFolder(${JSON.stringify(join(dataDir, 'postgres'))});
         writeFileSync(${JSON.stringify(join(dataDir, 'address'))}, 'http://127.0.0.1:3007\\n');
         console.log('locked');
         setInterval(() => {}, 1000);`,
      ],
      { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(holder.stdout, 'data');
    const { code, output } = await open(dataDir);
    holder.kill();
    assert.equal(code, 1);
    assert.equal(
      output,
      `The platform already runs at http://127.0.0.1:3007 with the data in ${dataDir} (pid ${holder.pid}): use it, stop it, ` +
        'or start another one with "npm start -- --port 3001 --data-dir .platform-2".',
    );
  });

  it('that is a file is named, with the remedy', async () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    const { code, output } = await open(file);
    assert.equal(code, 1);
    assert.match(
      output,
      /^The data folder .*file cannot be used \(\w+\): set PLATFORM_DATA_DIR to a folder .*\.$/,
    );
  });
});

describe('the service', { timeout: 300_000 }, () => {
  let database;
  let other;
  before(async () => {
    database = await throwawayPostgres();
    other = createServer((req, res) => {
      res.setHeader('Content-Type', 'application/json');
      res.end(req.url === answersAs ? '{"status":"ok","checks":{}}' : '{}');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
  });
  after(async () => {
    other.close();
    await database.stop();
  });

  let answersAs = '';
  const environment = (env) => ({
    PATH: process.env.PATH,
    HOME: home,
    DATABASE_URL: database.url,
    PLATFORM_SECRET_KEY: Buffer.alloc(32).toString('base64'),
    PLATFORM_DATA_DIR: join(home, 'service'),
    PLATFORM_LOG_LEVEL: 'error',
    ...env,
  });
  const start = (env) => runToEnd(SERVICE, environment(env));

  it('says in one sentence that its port is in use, and by whom if it is a platform', async () => {
    const { port } = other.address();
    const remedy = `stop it, or choose another port, for example PORT=${port + 1} npm start.`;
    for (const [path, sentence] of [
      ['', `Port ${port} on 127.0.0.1 is used by another program: ${remedy}`],
      [
        '/api/health/live',
        `The platform already runs at http://127.0.0.1:${port}, with other data: ${remedy}`,
      ],
    ]) {
      answersAs = path;
      assert.deepEqual(await start({ PORT: String(port) }), { code: 1, output: sentence });
    }
  });

  it('finds a free port if it is told to, and names it', async () => {
    const child = spawn(process.execPath, SERVICE, { cwd: root, env: environment({ PORT: '0' }) });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const ended = once(child, 'close');
    const named = () => /^ {2}Console {3}(\S+)$/m.exec(output)?.[1];
    while (named() === undefined && child.exitCode === null) await sleep(50);
    const response = await fetch(`${named()}/.well-known/oauth-authorization-server`).catch(() => null);
    child.kill();
    assert.deepEqual(await ended, [0, null], output);
    assert.equal((await response?.json())?.issuer, named());
  });

  it('says what is wrong with its settings, one line each, and with its database', async () => {
    const wrong = await start({ PORT: 'http', PLATFORM_ROLE: 'boss' });
    assert.deepEqual(wrong, {
      code: 1,
      output: 'PORT must be an integer from 0 to 65535\nPLATFORM_ROLE must be one of all, api, worker',
    });
    const { code, output } = await start({ DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/shop' });
    assert.equal(code, 1);
    assert.equal(
      output,
      'The database at 127.0.0.1:1/shop cannot be used, because nothing listens there: start it, correct DATABASE_URL, ' +
        'or unset DATABASE_URL, and npm start runs a database of its own.',
    );
  });
});
