// node ../../tools/jest.mjs <report> [--projects=a,b] [option or pattern …], in the folder of a package: runs Jest with
// support for ESM. Also writes reports/<report>.json, which npm test adds up and Nx caches.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './processes.mjs';

const NODE_OPTIONS = [
  '--experimental-vm-modules',
  '--conditions=platform-source',
  '--disable-warning=ExperimentalWarning',
];
// A busy machine takes several times as long as an idle one. Only a test that hangs must not last forever.
const TEST_TIMEOUT_MS = 300_000;
const JEST = join(import.meta.dirname, '../node_modules/jest/bin/jest.js');

const [report, ...rest] = process.argv.slice(2);
const projects = /^--projects=(.+)$/.exec(rest[0] ?? '')?.[1].split(',');
// `--selectProjects` takes all following values up to the next option, so patterns come last.
const selecting = projects ? ['--selectProjects', ...projects] : [];
const reporting = [
  '--passWithNoTests',
  // A test that fails can leave a server open, which would keep Jest running forever.
  '--forceExit',
  `--testTimeout=${TEST_TIMEOUT_MS}`,
  '--json',
  `--outputFile=reports/${report}.json`,
];
const args = projects ? rest.slice(1) : rest;
mkdirSync('reports', { recursive: true });
const { code } = await run(process.execPath, [...NODE_OPTIONS, JEST, ...selecting, ...reporting, ...args]);
process.exit(code);
