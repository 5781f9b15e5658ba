// What `npm start`, `npm test` and `npm run dev` begin with: installs the packages where they are missing or old, then
// runs tools/<command>.mjs on the Node that the project brings. Built-ins only, it runs before there is anything else.
// Without a command it only installs.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './processes.mjs';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules', '.bin');
const stamp = join(root, 'node_modules', '.platform-lock');
const [command, ...rest] = process.argv.slice(2);

function refuse(sentence) {
  console.error(sentence);
  process.exit(1);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  refuse(`Node.js 20.19 or newer is needed; this is ${process.versions.node}.`);
}
if (command !== undefined && !['start', 'test', 'dev'].includes(command)) {
  refuse(`Unknown command "${command}"; it is start, test or dev.`);
}

await install();
if (command !== undefined) {
  if (process.env.npm_lifecycle_event) endWithNpm();
  const path = [bin, process.env.PATH].join(delimiter);
  const { code } = await run(projectNode(), [join('tools', `${command}.mjs`), ...rest], {
    cwd: root,
    env: { ...process.env, PATH: path },
  });
  process.exit(code);
}

/** The stamp is written last, so an installation that was interrupted is done again. */
async function install() {
  const wanted = createHash('sha256')
    .update(`${process.platform} ${process.arch}\n`)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing the packages (about a minute, only when they changed) …');
  rmSync(stamp, { force: true });
  // npm must not run on the Node inside the folder that it is about to replace.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== bin);
  const { code, stopped } = await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: { ...process.env, PATH: path.join(delimiter) },
    shell: process.platform === 'win32',
  });
  if (stopped) process.exit(code || 130);
  if (code !== 0)
    refuse('The packages could not be installed: see the lines above, then run the command again.');
  writeFileSync(stamp, wanted);
}

/** npm's shell keeps a SIGTERM to itself and is gone: the new parent is how we learn of it. */
function endWithNpm() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

function projectNode() {
  const brought = join(bin, 'node');
  if (existsSync(brought)) return brought;
  if (major >= 24) return process.execPath;
  return refuse(
    `npm has no Node.js 24 for ${process.platform}-${process.arch}, and this is ${process.versions.node}: ` +
      'install Node.js 24 or newer and run the command again.',
  );
}
