import type { MethodRetry } from '@platform/contracts';

const IDEMPOTENT = ['get', 'head', 'options', 'trace', 'query', 'put', 'delete'];
const RETRIED = [429, 502, 503, 504];

/** The retry of a method that states none: only verbs that can be repeated without another effect are. */
export function defaultRetry(httpMethod: string): MethodRetry {
  return { attempts: IDEMPOTENT.includes(httpMethod.toLowerCase()) ? 2 : 0, backoffMs: 500 };
}

/** Whether a response is worth another attempt. */
export function isRetriedStatus(status: number): boolean {
  return RETRIED.includes(status);
}

/**
 * Milliseconds until the next attempt: the backoff, doubled for each attempt before, with jitter; at least what the
 * server asks for. `random`: 0 to 1.
 */
export function retryDelay(
  { backoffMs }: MethodRetry,
  failed: number,
  retryAfter: string | null,
  now: number,
  random: number,
): number {
  const backoff = backoffMs * 2 ** failed * (0.5 + random / 2);
  return Math.round(Math.max(backoff, parseRetryAfter(retryAfter, now) ?? 0));
}

/** Milliseconds; null if the header is absent or neither seconds nor a date. */
function parseRetryAfter(text: string | null, now: number): number | null {
  if (text === null) return null;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  // Date.parse also takes texts such as "-5".
  const date = /GMT\s*$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
