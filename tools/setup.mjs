// First step of `npm start`, `npm test`, and `npm run dev`: installs the packages if they are missing or outdated, then
// runs tools/<command>.mjs on the Node.js that npm installed. Without a command, it only installs. It can use only
// built-in modules, because it runs before anything is installed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './processes.mjs';
import { readStartArguments } from './start-arguments.mjs';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');
const stamp = join(root, 'node_modules', '.platform-lock');
const [command, ...rest] = process.argv.slice(2);

function exitWith(sentence) {
  console.error(sentence);
  process.exit(1);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  exitWith(`Node.js 20.19 or later is required; this is ${process.versions.node}.`);
}
if (command !== undefined && !['start', 'test', 'dev'].includes(command)) {
  exitWith(`Unknown command "${command}". Use start, test, or dev.`);
}
// The arguments of the tests are patterns.
const given = command === 'start' || command === 'dev' ? readStartArguments(command, rest) : undefined;
if (given?.problem !== undefined) exitWith(given.problem);
if (given?.help !== undefined) {
  console.log(given.help);
  process.exit();
}

await install();
if (command !== undefined) {
  if (process.env.npm_lifecycle_event) endWithNpm();
  const path = [bin, process.env.PATH].join(delimiter);
  const { code } = await run(projectNode(), [join('tools', `${command}.mjs`), ...(given ? [] : rest)], {
    cwd: root,
    env: { ...process.env, ...given?.env, PATH: path },
  });
  process.exit(code);
}

/** The stamp is written last, so that an interrupted installation is repeated. */
async function install() {
  const wanted = createHash('sha256')
    .update(`${process.platform} ${process.arch}\n`)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing the packages (about a minute, only after changes) …');
  rmSync(stamp, { force: true });
  // npm must not run on the Node.js in the folder that it is about to replace.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== bin);
  const { code, stopped } = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: { ...process.env, PATH: path.join(delimiter) },
    shell: process.platform === 'win32',
  });
  if (stopped) process.exit(code || 130);
  if (code !== 0)
    exitWith('The packages could not be installed. See the output above, then run the command again.');
  writeFileSync(stamp, wanted);
}

/** npm's shell does not forward SIGTERM. A changed parent process shows that the shell has ended. */
function endWithNpm() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

function projectNode() {
  const installed = join(bin, 'node');
  if (existsSync(installed)) return installed;
  if (major >= 24) return process.execPath;
  return exitWith(
    `npm has no Node.js 24 for ${process.platform}-${process.arch}, and this is ${process.versions.node}: ` +
      'install Node.js 24 or later and run the command again.',
  );
}
