const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds between a failed attempt and the next one. */
const DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 12 * HOUR];

/** Returns how long to wait after a number of failed attempts, or null to give up. */
export function retryDelayMs(attempts: number): number | null {
  return DELAYS[attempts - 1] ?? null;
}
