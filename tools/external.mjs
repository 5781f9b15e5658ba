import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './processes.mjs';

/** Programs that tests need and npm does not bring: where they are told, what they are called, who ships them. */
export const CHROMIUM = {
  name: 'Chromium',
  variable: 'CHROMIUM_PATH',
  commands: ['chromium', 'chromium-browser', 'google-chrome'],
  debianPackage: 'chromium',
};

export const REDIS = {
  name: 'Redis',
  variable: 'REDIS_SERVER_PATH',
  commands: ['redis-server', 'valkey-server'],
  debianPackage: 'redis-server',
};

/**
 * Finds a program by its variable or on the PATH, or installs it from Debian where that is possible (root and apt-get).
 * Resolves to `{ path }`, or to `{ reason }` where there is none.
 */
export async function findOrInstall({ name, variable, commands, debianPackage }) {
  const told = process.env[variable];
  if (told)
    return existsSync(told) ? { path: told } : { reason: `${variable} names ${told}, which does not exist` };
  const found = onPath(commands);
  if (found) return { path: found };
  const advice = `install ${debianPackage}, or set ${variable}`;
  if (process.getuid?.() !== 0 || !onPath(['apt-get'])) return { reason: `${name} was not found: ${advice}` };

  console.log(`Installing ${name} from Debian …`);
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
  };
  const waiting = ['-o', 'DPkg::Lock::Timeout=180'];
  await run('apt-get', [...waiting, 'update'], options);
  const { code, output } = await run('apt-get', [...waiting, 'install', '-y', debianPackage], options);
  const installed = onPath(commands);
  if (installed) return { path: installed };
  const last = output.trim().split('\n').at(-1);
  return { reason: `${name} could not be installed (apt-get ended with ${code}: ${last}): ${advice}` };
}

function onPath(commands) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return commands
    .flatMap((command) => folders.map((folder) => join(folder, command)))
    .find((path) => existsSync(path));
}
