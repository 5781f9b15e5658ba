import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './processes.mjs';

/** Programs that tests need and npm does not install: the variable with the path, the commands, the Debian package. */
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
 * Finds a program through its variable or on the PATH, or installs it from Debian if possible (root and apt-get).
 * Resolves to `{ path }`, or to `{ reason }` if there is none.
 */
export async function findOrInstall({ name, variable, commands, debianPackage }) {
  const configured = process.env[variable];
  if (configured)
    return existsSync(configured)
      ? { path: configured }
      : { reason: `${variable} is ${configured}, which does not exist` };
  const found = findOnPath(commands);
  if (found) return { path: found };
  const advice = `install ${debianPackage}, or set ${variable}`;
  if (process.getuid?.() !== 0 || !findOnPath(['apt-get']))
    return { reason: `${name} was not found: ${advice}` };

  console.log(`Installing ${name} from Debian …`);
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
  const folders = (process.env.PATH ?? '').split(delimiter);
  return commands
    .flatMap((command) => folders.map((folder) => join(folder, command)))
    .find((path) => existsSync(path));
}
