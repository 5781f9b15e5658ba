import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks again until the assertions in `look` hold; fails with the last of their errors after the deadline. That something
 * came soon is no matter of this deadline, which a busy machine must not miss.
 */
export async function eventually<T>(look: () => Promise<T>, deadlineMs = 60_000): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(50);
    }
  }
}
