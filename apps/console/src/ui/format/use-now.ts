import { useCallback, useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => listeners.forEach((tell) => tell()), TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const NEVER = () => () => undefined;

/** The time, which goes on in steps of so many milliseconds, for all that shows it at the same moment. Null: it stands. */
export function useNow(everyMs: number | null): number {
  const read = useCallback(
    () => (everyMs === null ? 0 : Math.floor(Date.now() / everyMs) * everyMs),
    [everyMs],
  );
  return useSyncExternalStore(everyMs === null ? NEVER : subscribe, read);
}
