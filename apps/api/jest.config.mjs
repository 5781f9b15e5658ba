import { join } from 'node:path';
import { swcOptions } from '../../tools/swc-options.mjs';

const common = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['platform-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  rootDir: import.meta.dirname,
};

const e2e = {
  ...common,
  globalSetup: join(import.meta.dirname, 'e2e/harness/global-setup.mjs'),
  globalTeardown: join(import.meta.dirname, 'e2e/harness/global-teardown.mjs'),
};

export default {
  maxWorkers: 2,
  // VM modules leak some heap per test file; renewing the workers bounds it. Each renewal costs half a second.
  workerIdleMemoryLimit: '800MB',
  testSequencer: join(import.meta.dirname, 'e2e/harness/longest-first.mjs'),
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/**/*.spec.ts', '!src/main.ts'],
  projects: [
    { ...common, displayName: 'unit', testMatch: ['<rootDir>/src/**/!(*.contract).spec.ts'] },
    { ...common, displayName: 'contract', testMatch: ['<rootDir>/src/**/*.contract.spec.ts'] },
    { ...e2e, displayName: 'e2e', testMatch: ['<rootDir>/e2e/**/!(*.timed).e2e-spec.ts'] },
    { ...e2e, displayName: 'timed', testMatch: ['<rootDir>/e2e/**/*.timed.e2e-spec.ts'] },
    {
      ...e2e,
      displayName: 'faults',
      testMatch: ['<rootDir>/e2e/faults/*.faults-spec.ts', '<rootDir>/e2e/event-{kills,outages}.e2e-spec.ts'],
    },
  ],
};
