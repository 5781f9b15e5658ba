import { join } from 'node:path';
import { onePerWorker, tiers } from '../../tools/jest/project.mjs';

const own = (file) => join(import.meta.dirname, file);

export default {
  // See apps/api/jest.config.mjs.
  workerGracefulExitTimeout: 15_000,
  projects: [
    ...tiers({
      ...onePerWorker,
      displayName: 'console',
      rootDir: import.meta.dirname,
      testEnvironment: own('test/browser-environment.mjs'),
      tests: 'src/**/*.spec.{ts,tsx}',
    }),
    ...tiers({
      ...onePerWorker,
      displayName: 'console-e2e',
      rootDir: import.meta.dirname,
      tests: 'e2e/**/*.e2e-spec.ts',
      globalSetup: own('../api/e2e/harness/global-setup.mjs'),
      globalTeardown: own('../api/e2e/harness/global-teardown.mjs'),
    }),
  ],
};
