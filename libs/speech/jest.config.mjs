import { swcOptions } from '../../tools/swc-options.mjs';

export default {
  displayName: 'speech',
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['platform-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  rootDir: import.meta.dirname,
};
