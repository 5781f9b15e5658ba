import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const own = (file) => join(import.meta.dirname, file);

/** A Jest project whose modules are loaded once per worker; see runtime.mjs. */
export const onePerWorker = {
  runtime: own('runtime.mjs'),
  testEnvironment: own('environment.mjs'),
  transform: {},
};

const isSlow = (file) => /\.slow\.[^/]+$/.test(file);
const IS_RANDOM = /\bfc\.assert\(|\bseededRandom\(|\bscaled\(/;

/**
 * Returns two Jest projects for the test files in a folder. The quick one has all but `*.slow.*`. The slow one has those,
 * and the files with random tests, which run in both tiers: with a fixed seed, and with another one at each run.
 */
export function tiers({ displayName, rootDir, tests, ...options }) {
  const files = [tests]
    .flat()
    .flatMap((glob) => globSync(glob, { cwd: rootDir }))
    .sort();
  const project = (name, chosen) => ({
    ...options,
    displayName: name,
    rootDir,
    // An empty list would mean the files that Jest takes for tests.
    testMatch: chosen.length > 0 ? chosen.map((file) => `<rootDir>/${file}`) : ['<rootDir>/none'],
  });
  const isRandom = (file) => IS_RANDOM.test(readFileSync(join(rootDir, file), 'utf8'));
  return [
    project(
      displayName,
      files.filter((file) => !isSlow(file)),
    ),
    project(
      `${displayName}-slow`,
      files.filter((file) => isSlow(file) || isRandom(file)),
    ),
  ];
}
