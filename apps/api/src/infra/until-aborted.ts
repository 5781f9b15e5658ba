/**
 * Resolves when the work is over or the signal aborts, whichever comes first; rejects as the work does. Leaves nothing
 * at the signal: `Promise.race` with a promise that lives as long as the process would keep something of each call.
 */
export async function untilAborted(signal: AbortSignal, work: Promise<unknown>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  work.then(stop, reject);
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
