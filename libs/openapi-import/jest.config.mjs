import { onePerWorker, tiers } from '../../tools/jest/project.mjs';

export default {
  projects: tiers({
    ...onePerWorker,
    displayName: 'openapi-import',
    rootDir: import.meta.dirname,
    tests: 'src/**/*.spec.ts',
  }),
};
