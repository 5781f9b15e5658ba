// node ../../tools/jest.mjs <report> [--projects=a,b] [option or pattern …], in the folder of a package: Jest with what
// ESM needs. What came out is also written to reports/<report>.json, which npm test sums up and Nx keeps.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.mjs';

const NODE_OPTIONS = [
  '--experimental-vm-modules',
  '--conditions=platform-source',
  '--disable-warning=ExperimentalWarning',
];
// On a busy machine it takes a while to start a service and its database. A test that hangs is still found.
const TEST_TIMEOUT_MS = 30_000;
const JEST = join(import.meta.dirname, '../node_modules/jest/bin/jest.js');

const [report, ...rest] = process.argv.slice(2);
const projects = /^--projects=(.+)$/.exec(rest[0] ?? '')?.[1].split(',');
// The list of projects takes in whatever follows it up to the next option: patterns come last.
const selecting = projects ? ['--selectProjects', ...projects] : [];
const reporting = [
  '--passWithNoTests',
  `--testTimeout=${TEST_TIMEOUT_MS}`,
  '--json',
  `--outputFile=reports/${report}.json`,
];
const args = projects ? rest.slice(1) : rest;
mkdirSync('reports', { recursive: true });
const { code } = await run(process.execPath, [...NODE_OPTIONS, JEST, ...selecting, ...reporting, ...args]);
process.exit(code);
