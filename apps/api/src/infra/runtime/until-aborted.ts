/**
 * Resolves when the work is done or the signal aborts, whichever comes first; rejects if the work does. Removes its
 * listener: `Promise.race` with a promise that lives as long as the process would leak memory with each call.
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

/**
 * Starts work and returns its result, or throws the reason of the signal as soon as it aborts: not all work looks at its
 * signal. If it has aborted already, nothing is started.
 */
export async function runUnlessAborted<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const work = start();
  // After an abort, the outcome is ignored.
  work.catch(() => undefined);
  await untilAborted(signal, work);
  signal.throwIfAborted();
  return work;
}
