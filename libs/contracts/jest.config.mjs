import { onePerWorker, tiers } from '../../tools/jest/project.mjs';

export default {
  projects: tiers({
    ...onePerWorker,
    displayName: 'contracts',
    rootDir: import.meta.dirname,
    tests: 'src/**/*.spec.ts',
  }),
};
