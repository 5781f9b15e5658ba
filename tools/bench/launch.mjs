import { delimiter, join } from 'node:path';
import { run } from '../processes.mjs';

/** Runs a benchmark on the Node.js of this repository, from its root. `command` is the npm script. */
export async function launch(command, measurement) {
  const root = join(import.meta.dirname, '../..');
  const bin = join(root, 'node_modules/.bin');
  process.chdir(root);
  process.env.PATH = bin + delimiter + process.env.PATH;

  const major = Number(process.versions.node.split('.')[0]);
  if (major >= 24) await import(measurement);
  else process.exit((await run(join(bin, 'node'), [command, ...process.argv.slice(2)])).code);
}
