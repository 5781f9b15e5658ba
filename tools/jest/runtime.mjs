// Runs test files as plain modules of the worker. Jest's own runtime evaluates every module anew for each file, which for
// Nest and TypeORM takes longer than most tests. Here a module is loaded once per worker, as in production. In return,
// there is no `jest.mock`, and what a file changes outside itself it must restore.
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { sourceMaps } from '../swc-hook.mjs';
import { provideGlobals } from './globals.mjs';

const require = createRequire(import.meta.url);
const GLOBALS = new URL('globals.mjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

/** The part of jest-runtime that Jest's runner and jest-circus call. */
export default class Runtime {
  constructor(_config, environment) {
    this.environment = environment;
  }

  /** jest-circus keeps the tests of the file that it runs, so each file has its own. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  }

  requireModule = require;

  async unstable_importModule(path) {
    await import(pathToFileURL(path).href);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  setGlobalsForRuntime(globals) {
    provideGlobals(globals, this.environment);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  teardown() {}
  enterTestCode() {}
  leaveTestCode() {}
  getAllCoverageInfoCopy() {}
}
