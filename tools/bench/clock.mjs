// Timestamps inside responses: every token is the time at which it was written, so that the reader can measure its delay.

/** A stamp is a space and seven digits in base 36: microseconds, which wrap around after 21 hours. */
export const TOKEN_LENGTH = 8;
const DIGITS = TOKEN_LENGTH - 1;
const WRAP = 36 ** DIGITS;

/** Returns microseconds of a clock that all processes of a machine share. */
export function now() {
  const [seconds, nanoseconds] = process.hrtime();
  return (seconds * 1e6 + Math.floor(nanoseconds / 1e3)) % WRAP;
}

export const stamp = (time) => ` ${time.toString(36).padStart(DIGITS, '0')}`;

/** Returns the time of the token that starts at `at`. */
export const timeOf = (text, at) => parseInt(text.slice(at + 1, at + TOKEN_LENGTH), 36);

/** Returns the milliseconds between two times. */
export const between = (from, to) => ((to - from + WRAP) % WRAP) / 1e3;

/** Returns the quantile of the values; NaN if there are none. */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/**
 * Returns the Unix time in ms that PostgreSQL's now() and other processes are compared with. The clock has whole milliseconds:
 * with half of one added, it is right on average. performance.timeOrigin + performance.now() would miss the corrections of
 * the clock, tens of milliseconds within an hour.
 */
export const unixTime = () => Date.now() + 0.5;
