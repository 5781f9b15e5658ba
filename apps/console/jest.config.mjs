import { join } from 'node:path';
import { swcOptions } from '../../tools/swc-options.mjs';

const { jsc } = swcOptions;
const react = {
  ...swcOptions,
  jsc: {
    ...jsc,
    parser: { ...jsc.parser, tsx: true },
    transform: { ...jsc.transform, react: { runtime: 'automatic' } },
  },
};
const own = (file) => join(import.meta.dirname, file);
const conditions = (...more) => ({ customExportConditions: ['platform-source', ...more] });

export default {
  projects: [
    {
      displayName: 'console',
      rootDir: import.meta.dirname,
      testEnvironment: own('test/browser-environment.mjs'),
      testEnvironmentOptions: conditions('browser'),
      extensionsToTreatAsEsm: ['.ts', '.tsx'],
      transform: { '\\.ts$': ['@swc/jest', swcOptions], '\\.tsx$': ['@swc/jest', react] },
      moduleNameMapper: {
        '\\.css$': own('test/no-styles.mjs'),
        '/code-editor\\.tsx$': own('test/plain-editor.tsx'),
      },
      testMatch: ['<rootDir>/src/**/*.spec.{ts,tsx}'],
    },
    {
      displayName: 'console-e2e',
      rootDir: import.meta.dirname,
      testEnvironment: 'node',
      testEnvironmentOptions: conditions('node', 'node-addons'),
      extensionsToTreatAsEsm: ['.ts'],
      transform: { '\\.ts$': ['@swc/jest', swcOptions] },
      testMatch: ['<rootDir>/e2e/**/*.e2e-spec.ts'],
      globalSetup: own('../api/e2e/harness/global-setup.mjs'),
      globalTeardown: own('../api/e2e/harness/global-teardown.mjs'),
    },
  ],
};
