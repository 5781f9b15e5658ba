// What test files and the harness import from '@jest/globals'. The harness is loaded once per worker, so these are live
// bindings: they change with each test file.
export let describe, it, test, expect, beforeAll, beforeEach, afterAll, afterEach, jest;

const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

export function provideGlobals(globals, { moduleMocker, fakeTimersModern: timers }) {
  ({ describe, it, test, expect, beforeAll, beforeEach, afterAll, afterEach } = globals);
  delete globalThis[TEST_TIMEOUT];
  jest = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: () => moduleMocker.restoreAllMocks(),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    getTimerCount: () => timers.getTimerCount(),
    setTimeout: (ms) => void (globalThis[TEST_TIMEOUT] = ms),
  };
}
