import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './processes.mjs';

const STAMP = 'node_modules/.platform-build';
const NOT_BUILT = ['node_modules', 'dist', 'e2e'];

/** Returns the workspaces that have the script, as `{ name, folder, script }`. The working directory is the repository. */
export function workspacesWith(script) {
  return globSync('{apps,libs}/*/package.json')
    .sort()
    .map((file) => ({ folder: dirname(file), ...JSON.parse(readFileSync(file, 'utf8')) }))
    .filter(({ scripts }) => scripts?.[script] !== undefined)
    .map(({ folder, name, scripts }) => ({ folder, name, script: scripts[script] }));
}

/** Builds what is missing or outdated. Prints the output of the compiler and returns false if it fails. */
export async function ensureBuilt() {
  const sources = fingerprint();
  const complete = workspacesWith('build').every(({ folder }) => existsSync(join(folder, 'dist')));
  if (complete && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return true;
  console.log('Building (about half a minute, only after changes) …');
  rmSync(STAMP, { force: true });
  const env = { ...process.env, NX_TUI: 'false', NX_DAEMON: 'false', CI: '1' };
  const { code, output, stopped } = await run('nx', ['run-many', '-t', 'build'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (stopped) process.exit(code);
  if (code === 0) writeFileSync(STAMP, sources);
  else console.error(output);
  return code === 0;
}

/** Returns a value that changes if a file is added, removed, or written. */
function fingerprint() {
  const own = globSync('{apps,libs}/**/*', {
    withFileTypes: true,
    exclude: (entry) => NOT_BUILT.includes(entry.name),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of [
    'package-lock.json',
    'tsconfig.base.json',
    'tools/build-api.mjs',
    'tools/build-lib.mjs',
    ...own,
  ].sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
