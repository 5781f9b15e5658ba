import { swcOptions } from '../../tools/swc-options.mjs';

export default {
  displayName: 'contracts',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  rootDir: import.meta.dirname,
};
