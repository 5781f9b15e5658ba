import { useSyncExternalStore } from 'react';

/** Whether the browser has a connection at all. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

function subscribe(listener: () => void): () => void {
  for (const type of ['online', 'offline']) window.addEventListener(type, listener);
  return () => {
    for (const type of ['online', 'offline']) window.removeEventListener(type, listener);
  };
}

/** Resolves as soon as the browser has a connection, or when the signal aborts. Null if it has one. */
export function whenOnline(signal?: AbortSignal): Promise<void> | null {
  if (navigator.onLine || signal?.aborted === true) return null;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  window.addEventListener('online', end, { once: true });
  signal?.addEventListener('abort', end, { once: true });
  return promise.finally(() => {
    window.removeEventListener('online', end);
    signal?.removeEventListener('abort', end);
  });
}
