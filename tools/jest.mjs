// node ../../tools/jest.mjs <report> [--group=x] [--projects=a,b] [--repeat=folder] [option or pattern …], in the folder of a
// package: runs Jest. Also writes reports/<report>.json, which npm test adds up and Nx caches. The reports `slow` and `faults`
// name tiers, too. With CI=true, a file of the folder `repeat` that fails runs once more (decision 28).
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { merge } from './jest/repeated.mjs';
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
const repeat = option('repeat');
const tier = report in LIMIT_MS ? report : 'quick';
// In the quick tier, random tests do the same everywhere.
process.env.TEST_SEED ??= tier === 'quick' ? '1' : String(randomInt(2 ** 31));
if (tier !== 'quick') console.log(`TEST_SEED=${process.env.TEST_SEED}`);
const reportFile = `reports/${group === undefined || group === 'rest' ? report : `${group}-${report}`}.json`;
// `--selectProjects` takes all following values up to the next option, so patterns come last.
const selecting = projects === undefined ? [] : ['--selectProjects', ...projects.split(',')];
mkdirSync('reports', { recursive: true });

let { code, stopped } = await runJest(rest, reportFile);
if (repeat !== undefined && process.env.CI === 'true' && code !== 0 && !stopped && existsSync(reportFile)) {
  const first = read(reportFile);
  const isMeant = ({ name, status }) => status === 'failed' && name.startsWith(resolve(repeat) + sep);
  const files = first.testResults.filter(isMeant).map(({ name }) => name);
  if (files.length > 0) {
    const repeatedFile = reportFile.replace(/json$/, 'repeated.json');
    rmSync(repeatedFile, { force: true });
    console.log(`Repeats ${files.length === 1 ? 'a file' : `${files.length} files`} that failed`);
    await runJest(['--runTestsByPath', ...files], repeatedFile);
    const merged = existsSync(repeatedFile) ? merge(first, read(repeatedFile)) : first;
    writeFileSync(reportFile, JSON.stringify(merged));
    code = merged.numFailedTests + merged.numRuntimeErrorTestSuites > 0 ? 1 : 0;
  }
}
process.exit(code);

function runJest(selected, outputFile) {
  const args = [
    ...selecting,
    '--passWithNoTests',
    // A test that fails can leave a server open, which would keep Jest running forever.
    '--forceExit',
    `--testTimeout=${process.env.TEST_LIMIT_MS ?? LIMIT_MS[tier]}`,
    '--json',
    `--outputFile=${outputFile}`,
    ...selected,
  ];
  return run(process.execPath, [...NODE_OPTIONS, JEST, ...args], {
    env: { ...process.env, TEST_TIER: tier, ...(group && { TEST_GROUP: group }) },
  });
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
