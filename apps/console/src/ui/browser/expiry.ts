import { useSyncExternalStore } from 'react';

/** A session that has ended while the user is at work. */
interface Expiry {
  /** What the service said. */
  reason: string;
  /** Continues what waits, with the access token of a new session; null if the user gives up. */
  resume: (accessToken: string | null) => void;
}

let expiry: Expiry | null = null;
const listeners = new Set<() => void>();

/** Asks the user to sign in again over the page, and returns the access token of the new session. */
export function waitForSignIn(reason: string): Promise<string | null> {
  return new Promise((resolve) => {
    change({
      reason,
      resume: (accessToken) => {
        change(null);
        resolve(accessToken);
      },
    });
  });
}

/** What waits for a new session gets none. */
export function endWaitForSignIn(): void {
  expiry?.resume(null);
}

/** Null unless the session has ended. */
export function useExpiry(): Expiry | null {
  return useSyncExternalStore(subscribe, () => expiry);
}

function change(next: Expiry | null): void {
  expiry = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
