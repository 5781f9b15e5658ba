/** Where delays come from; a test gives its own. */
export interface Timer {
  /** Calls back once after `ms` milliseconds; the returned function takes that back. */
  after(ms: number, callback: () => void): () => void;
}

export const systemTimer: Timer = {
  after(ms, callback) {
    const id = setTimeout(callback, ms);
    return () => clearTimeout(id);
  },
};

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
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

// Promise.withResolvers needs Node 22.
function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

export interface Backoff {
  /** Delay before the first new attempt, in milliseconds; doubles with each further one. */
  baseDelayMs: number;
  maxDelayMs: number;
}

/** Milliseconds to wait before the `attempt`-th new try (1, 2, …): exponential, between half and all of it. */
export function backoffDelay(attempt: number, { baseDelayMs, maxDelayMs }: Backoff, random: number): number {
  const full = Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1));
  return full * (0.5 + random / 2);
}
