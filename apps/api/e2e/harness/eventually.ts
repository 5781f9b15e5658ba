import { setTimeout as delay } from 'node:timers/promises';

/** Set by `tools/jest/environment.mjs`. */
const TEST_ENDS_AT = Symbol.for('platform.testEndsAt');
/** So long before the end of its test, an assertion that does not hold fails, or nobody would read why. */
const REPORT_MS = 500;

/**
 * Asks again until the assertions in `look` hold; fails with the last of their errors after the deadline, or just before
 * the test must end. That something came soon is no matter of this deadline, which a busy machine must not miss.
 */
export async function eventually<T>(look: () => Promise<T>, deadlineMs = Infinity): Promise<T> {
  const { [TEST_ENDS_AT]: testEndsAt = Infinity } = globalThis as { [TEST_ENDS_AT]?: number };
  const end = Math.min(performance.now() + deadlineMs, testEndsAt - REPORT_MS);
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(50);
    }
  }
}
