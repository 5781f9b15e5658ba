import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onePerWorker, tiers } from '../../tools/jest/project.mjs';

const rootDir = import.meta.dirname;

/** The groups of the API whose tests are Nx projects of their own, and the e2e files of each, which are inputs of its target. */
const groups = globSync('src/*/project.json', { cwd: rootDir }).map((file) => ({
  name: file.split('/')[1],
  e2e: JSON.parse(readFileSync(join(rootDir, file), 'utf8')).targets.e2e?.inputs ?? [],
}));

function groupOf(file) {
  const isOf = ({ name, e2e }) =>
    file.startsWith(`src/${name}/`) || e2e.some((input) => `${input}`.endsWith(`/${file}`));
  return groups.find(isOf)?.name ?? 'rest';
}

/** All tests; with TEST_GROUP, which tools/jest.mjs sets, those of one group or the `rest`. */
const tests = (glob) =>
  globSync(glob, { cwd: rootDir }).filter((file) =>
    [undefined, groupOf(file)].includes(process.env.TEST_GROUP),
  );

const e2e = {
  ...onePerWorker,
  rootDir,
  globalSetup: join(rootDir, 'e2e/harness/global-setup.mjs'),
  globalTeardown: join(rootDir, 'e2e/harness/global-teardown.mjs'),
};

export default {
  maxWorkers: 2,
  // Bounds what tests leave behind. A renewal costs a second.
  workerIdleMemoryLimit: '1500MB',
  // A worker writes its compile cache when it ends. One that is ended by force after this has a handle that a test left open.
  workerGracefulExitTimeout: 15_000,
  testSequencer: join(rootDir, 'e2e/harness/longest-first.mjs'),
  projects: [
    ...tiers({ ...onePerWorker, displayName: 'unit', rootDir, tests: tests('src/**/*.spec.ts') }),
    ...tiers({ ...e2e, displayName: 'e2e', tests: tests('e2e/**/*.e2e-spec.ts') }),
    {
      ...e2e,
      displayName: 'faults',
      testMatch: [
        '<rootDir>/e2e/faults/*.faults-spec.ts',
        '<rootDir>/e2e/event-{deployments,kills,outages}*.e2e-spec.ts',
      ],
    },
  ],
};
