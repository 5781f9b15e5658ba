import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './processes.mjs';

/**
 * Programs that tests need and npm does not install: the variable with the path, the commands, the Debian package. Without
 * the parts that show windows, Chromium takes a quarter less processor time.
 */
export const CHROMIUM = {
  name: 'Chromium',
  variable: 'CHROMIUM_PATH',
  commands: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
  debianPackage: 'chromium-headless-shell',
  purpose: 'The tests of the console',
};

export const REDIS = {
  name: 'Redis',
  variable: 'REDIS_SERVER_PATH',
  commands: ['redis-server', 'valkey-server'],
  debianPackage: 'redis-server',
  purpose: 'The tests of queues and of outages',
};

export const PGBOUNCER = {
  name: 'PgBouncer',
  variable: 'PGBOUNCER_PATH',
  commands: ['pgbouncer'],
  debianPackage: 'pgbouncer',
  purpose: 'The tests of the service behind a connection pooler',
};

/** How long the announcement of an installation can be read before it begins. */
const ANNOUNCED_MS = 5_000;

/**
 * Finds a program through its variable or on the PATH, or announces that it is installed from Debian and does so: as root,
 * with apt-get, and unless PLATFORM_INSTALL is 0.
 * Resolves to `{ path }`, or to `{ reason }` if there is none.
 */
export async function findOrInstall({ name, variable, commands, debianPackage, purpose }) {
  const configured = process.env[variable];
  if (configured)
    return existsSync(configured)
      ? { path: configured }
      : { reason: `${variable} is ${configured}, which does not exist` };
  const found = findOnPath(commands);
  if (found) return { path: found };
  const advice = `install the package ${debianPackage} as root, or set ${variable}`;
  const mayInstall =
    process.getuid?.() === 0 && findOnPath(['apt-get']) && process.env.PLATFORM_INSTALL !== '0';
  if (!mayInstall) return { reason: `${name} was not found: ${advice}` };

  console.log(
    `${purpose} need ${name}, which was not found. In ${ANNOUNCED_MS / 1_000} seconds, the system package ${debianPackage} is ` +
      `installed with apt-get. To prevent this, press Ctrl-C and set PLATFORM_INSTALL=0, which skips these tests, or ${variable}.`,
  );
  await sleep(ANNOUNCED_MS);
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
  };
  const waiting = ['-o', 'DPkg::Lock::Timeout=180'];
  await run('apt-get', [...waiting, 'update'], options);
  const { code, output } = await run('apt-get', [...waiting, 'install', '-y', debianPackage], options);
  const installed = findOnPath(commands);
  if (installed) return { path: installed };
  const last = output.trim().split('\n').at(-1);
  return { reason: `${name} could not be installed (apt-get exited with ${code}: ${last}): ${advice}` };
}

function findOnPath(commands) {
  // Debian installs servers where only root looks.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return commands
    .flatMap((command) => folders.map((folder) => join(folder, command)))
    .find((path) => existsSync(path));
}
