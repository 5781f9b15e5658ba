import { useEffect, useState } from 'react';

/** Typing goes on for a while before a search is sent. */
export const SEARCH_AFTER_MS = 250;

/** Returns the value once it has not changed for a while. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
