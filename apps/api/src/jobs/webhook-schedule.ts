const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds between a failed attempt and the next. */
const DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 12 * HOUR];

/** How long to wait after so many failed attempts; null: no more. */
export function retryDelayMs(attempts: number): number | null {
  return DELAYS[attempts - 1] ?? null;
}
