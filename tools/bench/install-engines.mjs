// Only bench:workflows needs these engines, and they have more than 200 MB: it installs them itself.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run } from '../processes.mjs';

const VERSIONS = {
  '@restatedev/restate-sdk': '1.17.2',
  '@restatedev/restate-server': '1.7.12',
  openworkflow: '0.10.1',
  postgres: '3.4.9',
};

/** Returns a `require` that finds the engines. */
export async function installEngines() {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/workflow-engines');
  const manifest = join(folder, 'package.json');
  const done = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      manifest,
      JSON.stringify({ name: 'workflow-engines', private: true, dependencies: VERSIONS }),
    );
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    const { code } = await run('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (code !== 0) throw new Error('The engines could not be installed');
  }
  return createRequire(manifest);
}
