/** Milliseconds to wait by a `Retry-After` header; null if it is absent or neither seconds nor a date. */
export function parseRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  // Some model servers send fractions.
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text) * 1000;
  // Date.parse also takes texts such as "-5".
  const date = /GMT\s*$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
