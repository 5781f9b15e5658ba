import { join } from 'node:path';
import { onePerWorker, tiers } from '../../tools/jest/project.mjs';
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

export default {
  projects: [
    ...tiers({
      ...onePerWorker,
      displayName: 'console-logic',
      rootDir: import.meta.dirname,
      tests: 'src/**/*.spec.ts',
    }),
    // What needs components or a browser. Each file evaluates its modules anew, which takes a second or two.
    ...tiers({
      displayName: 'console',
      rootDir: import.meta.dirname,
      testEnvironment: own('test/browser-environment.mjs'),
      testEnvironmentOptions: { customExportConditions: ['platform-source', 'browser'] },
      extensionsToTreatAsEsm: ['.ts', '.tsx'],
      transform: { '\\.ts$': ['@swc/jest', swcOptions], '\\.tsx$': ['@swc/jest', react] },
      moduleNameMapper: {
        '\\.css$': own('test/no-styles.mjs'),
        '/code-editor\\.tsx$': own('test/plain-editor.tsx'),
      },
      tests: 'src/**/*.spec.tsx',
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
