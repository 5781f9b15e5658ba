// npm run bench:turns: what the service adds to a model's answer, beside the bare `openai` client on the same work.
import { delimiter, join } from 'node:path';
import { run } from '../processes.mjs';

const root = join(import.meta.dirname, '../..');
const bin = join(root, 'node_modules/.bin');
process.chdir(root);
process.env.PATH = bin + delimiter + process.env.PATH;

const major = Number(process.versions.node.split('.')[0]);
if (major >= 24) await import('./measure-turns.mjs');
else {
  const args = [import.meta.filename, ...process.argv.slice(2)];
  process.exit((await run(join(bin, 'node'), args)).code);
}
