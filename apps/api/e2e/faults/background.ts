import { setTimeout as delay } from 'node:timers/promises';

/** Repeats something, with pauses, until it is stopped. `stop` rejects if it has failed meanwhile. */
export function repeat(work: () => Promise<unknown>, pauseMs: () => number): { stop: () => Promise<void> } {
  const over = new AbortController();
  const loop = (async () => {
    while (!over.signal.aborted) {
      await delay(pauseMs());
      await work();
    }
  })();
  // Reported by `stop`.
  loop.catch(() => {});
  return {
    stop: () => {
      over.abort();
      return loop;
    },
  };
}
