import { setTimeout as delay } from 'node:timers/promises';

/** Asks again until the assertions in `look` hold; fails with the last of their errors after the deadline. */
export async function eventually<T>(look: () => Promise<T>, deadlineMs = 10_000): Promise<T> {
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
