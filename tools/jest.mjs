// node ../../tools/jest.mjs <report> [--group=x] [--projects=a,b] [option or pattern …], in the folder of a package: runs Jest.
// Also writes reports/<report>.json, which npm test adds up and Nx caches. The reports `slow` and `faults` name tiers, too.
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.mjs';

const NODE_OPTIONS = [
  // For the test that runs the client with web standards only.
  '--experimental-vm-modules',
  '--conditions=platform-source',
  '--disable-warning=ExperimentalWarning',
];
/** Ends what hangs, also on a machine that is ten times slower: a test of `npm test` that needs more than 30 s is listed. */
const LIMIT_MS = { quick: 150_000, slow: 300_000, faults: 300_000 };
const JEST = join(import.meta.dirname, '../node_modules/jest/bin/jest.js');

const [report, ...rest] = process.argv.slice(2);
const option = (name) => {
  const at = rest.findIndex((arg) => arg.startsWith(`--${name}=`));
  return at < 0 ? undefined : rest.splice(at, 1)[0].slice(name.length + 3);
};
const group = option('group');
const projects = option('projects');
const tier = report in LIMIT_MS ? report : 'quick';
// In the quick tier, random tests do the same everywhere.
process.env.TEST_SEED ??= tier === 'quick' ? '1' : String(randomInt(2 ** 31));
if (tier !== 'quick') console.log(`TEST_SEED=${process.env.TEST_SEED}`);
const reporting = [
  '--passWithNoTests',
  // A test that fails can leave a server open, which would keep Jest running forever.
  '--forceExit',
  `--testTimeout=${process.env.TEST_LIMIT_MS ?? LIMIT_MS[tier]}`,
  '--json',
  `--outputFile=reports/${group === undefined || group === 'rest' ? report : `${group}-${report}`}.json`,
];
// `--selectProjects` takes all following values up to the next option, so patterns come last.
const selecting = projects === undefined ? [] : ['--selectProjects', ...projects.split(',')];
mkdirSync('reports', { recursive: true });
const { code } = await run(process.execPath, [...NODE_OPTIONS, JEST, ...selecting, ...reporting, ...rest], {
  env: { ...process.env, TEST_TIER: tier, ...(group && { TEST_GROUP: group }) },
});
process.exit(code);
