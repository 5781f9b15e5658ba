import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { fileBegins, fileEnds } from './processor-time.mjs';

/** The global object of the worker itself; see runtime.mjs. What Jest replaces in it for a file is restored afterwards. */
export default class Environment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #console = globalThis.console;
  #exit = process.exit;
  #setTimeout = globalThis.setTimeout;
  #variables = { ...process.env };

  constructor({ projectConfig }, { testPath }) {
    this.testPath = testPath;
    fileBegins(testPath);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  /** Tells `eventually` when the running test or hook must have ended. */
  handleTestEvent({ name, test, hook }, { testTimeout }) {
    const running = name === 'hook_start' ? hook : name === 'test_fn_start' ? test : null;
    if (running !== null)
      globalThis[Symbol.for('platform.testEndsAt')] = performance.now() + (running.timeout ?? testTimeout);
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    // A mock of a timer that was not real has been restored to that one, and no later test would end.
    globalThis.setTimeout = this.#setTimeout;
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
    fileEnds(this.testPath);
  }

  getVmContext() {
    return null;
  }
}
