import type { MethodRetry } from '@platform/contracts';
import { parseRetryAfter } from '../../infra/outgoing/retry-after.ts';

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
