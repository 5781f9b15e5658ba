import type { IncomingHttpHeaders } from 'node:http';
import { ProviderError } from './model-provider.ts';
import type { Secrets } from './secrets.ts';

/** A call that failed before its response began. */
export interface FailedCall {
  error: ProviderError;
  /** Null if there was no response. */
  status: number | null;
  /** Seconds. */
  retryAfter?: number;
  /** The text of the server, which may contain anything, even its key. */
  refusal: string;
}

/** The error for a connection that failed or was lost. */
export function connectionFailed(cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  return new ProviderError(
    'unavailable',
    "The model's server could not be reached or broke the connection.",
    { cause },
  );
}

export const badAnswer = (message = "The model's server sent an answer that is cut off or cannot be read.") =>
  new ProviderError('bad-answer', message);

export const brokeOff = () =>
  new ProviderError('unavailable', "The model's server broke off its answer with an error.");

/** The error for a status other than 2xx, without key or address. */
export function refused(
  status: number,
  headers: IncomingHttpHeaders,
  refusal: string,
  secrets: Secrets,
): FailedCall {
  const retryAfter = readRetryAfter(headers['retry-after'], Date.now());
  const wait = retryAfter === undefined ? {} : { retryAfter };
  return { error: toError(status, wait, refusal, secrets), status, ...wait, refusal };
}

// The message of the server is omitted, because it may repeat the key.
function toError(status: number, wait: { retryAfter?: number }, refusal: string, secrets: Secrets) {
  if (status === 429) {
    return new ProviderError('rate-limited', "The model's server has too many requests right now.", wait);
  }
  if (status === 408 || status >= 500) {
    return new ProviderError('unavailable', `The model's server failed (HTTP ${status}).`, wait);
  }
  if (status === 401 || status === 403) {
    return new ProviderError('refused', `The model's server refused the credentials (HTTP ${status}).`);
  }
  const code = codeIn(refusal);
  const reason = code !== null && !secrets.isIn(code) ? `, ${code}` : '';
  return new ProviderError('refused', `The model's server refused the request (HTTP ${status}${reason}).`);
}

/** OpenAI's `error.code`, if it looks like one. */
function codeIn(refusal: string): string | null {
  try {
    const { error } = JSON.parse(refusal) as { error?: { code?: unknown } | null };
    const code = error?.code;
    return typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? code : null;
  } catch {
    return null;
  }
}

/** Seconds to wait, from `Retry-After` in seconds or as a date. */
function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
