import { useSyncExternalStore } from 'react';

/** Shorter waits are over before anybody has read about them. */
const WORTH_TELLING_MS = 2_000;

let until: number | null = null;
const listeners = new Set<() => void>();

/** Tells the user that a call waits, such as for a rate limit, and goes on by itself. */
export function announceWait(delayMs: number): void {
  if (delayMs < WORTH_TELLING_MS) return;
  const ends = Date.now() + delayMs;
  if (until !== null && until >= ends) return;
  until = ends;
  for (const listener of listeners) listener();
  setTimeout(() => {
    if (until !== ends) return;
    until = null;
    for (const listener of listeners) listener();
  }, delayMs);
}

/** When the longest wait ends, in milliseconds since 1970; null if no call waits. */
export function useWait(): number | null {
  return useSyncExternalStore(subscribe, () => until);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
