// Times inside the answers: every token is a stamp of when it was written, so that its reader knows how long it took.

/** A stamp is a space and seven digits in base 36: microseconds, which begin anew after 21 hours. */
export const TOKEN_LENGTH = 8;
const DIGITS = TOKEN_LENGTH - 1;
const WRAP = 36 ** DIGITS;

/** Microseconds on the clock that all processes of a machine share. */
export function now() {
  const [seconds, nanoseconds] = process.hrtime();
  return (seconds * 1e6 + Math.floor(nanoseconds / 1e3)) % WRAP;
}

export const stamp = (time) => ` ${time.toString(36).padStart(DIGITS, '0')}`;

/** The time of the token that starts at `at`. */
export const timeOf = (text, at) => parseInt(text.slice(at + 1, at + TOKEN_LENGTH), 36);

/** Milliseconds between two times. */
export const between = (from, to) => ((to - from + WRAP) % WRAP) / 1e3;

/** The value below which the given share of all lies; NaN of none. */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
