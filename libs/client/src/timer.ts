/** Schedules delays and timeouts. Tests can replace it. */
export interface Timer {
  /** Calls back once after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

/** The longest delay of `setTimeout`, almost 25 days. A longer one would end at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export const systemTimer: Timer = {
  after(ms, callback) {
    const id = setTimeout(callback, Math.min(ms, MAX_DELAY_MS));
    return () => clearTimeout(id);
  },
};

/** Resolves after `ms` milliseconds. Rejects with the reason of the signal when it is aborted. */
export async function sleep(timer: Timer, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve } = withResolvers();
  signal?.addEventListener('abort', resolve, { once: true });
  const cancel = timer.after(ms, resolve);
  await promise;
  cancel();
  signal?.removeEventListener('abort', resolve);
  signal?.throwIfAborted();
}

// Promise.withResolvers needs Node.js 22.
function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
