import type { IncomingHttpHeaders } from 'node:http';
import { parseRetryAfter } from '../../infra/outgoing/retry-after.ts';
import { ProviderError } from '../port/model-provider.ts';
import type { Secrets } from '../port/secrets.ts';

/** A URL, a host with its port, or an IP address. */
const ADDRESS =
  /\b[a-z][a-z+.-]{0,20}:\/\/\S+|\b(?:localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}):\d{2,5}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b|\[[\da-f]{0,4}:[\da-f:.]{1,40}\](?::\d{2,5})?/gi;
/** Characters of a server's message that are kept. */
const MAX_DETAIL = 1_000;

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
  const waitMs = parseRetryAfter(headers['retry-after'] ?? null, Date.now());
  const wait = waitMs === null ? {} : { retryAfter: waitMs / 1_000 };
  return { error: toError(status, wait, refusal, secrets), status, ...wait, refusal };
}

// The message of the server is kept apart, because it may say more than the users of an agent should know.
function toError(status: number, wait: { retryAfter?: number }, refusal: string, secrets: Secrets) {
  const { code, message } = parseRefusal(refusal);
  const words = message === null ? '' : clean(secrets.mask(message));
  const told = words === '' ? { status } : { status, detail: words };
  const more = { ...wait, ...told };
  if (status === 429) {
    return new ProviderError('rate-limited', "The model's server has too many requests right now.", more);
  }
  if (status === 408 || status >= 500) {
    return new ProviderError('unavailable', `The model's server failed (HTTP ${status}).`, more);
  }
  if (status === 401 || status === 403) {
    return new ProviderError('refused', `The model's server refused the credentials (HTTP ${status}).`, told);
  }
  const reason = code !== null && !secrets.isIn(code) ? `, ${code}` : '';
  return new ProviderError(
    'refused',
    `The model's server refused the request (HTTP ${status}${reason}).`,
    told,
  );
}

/** OpenAI's `error.code`, if it looks like one, and its message. */
function parseRefusal(refusal: string): { code: string | null; message: string | null } {
  try {
    const { error } = JSON.parse(refusal) as { error?: { code?: unknown; message?: unknown } | null };
    const { code, message } = error ?? {};
    return {
      code: typeof code === 'string' && /^[a-z_]{1,60}$/.test(code) ? code : null,
      message: typeof message === 'string' ? message : null,
    };
  } catch {
    return { code: null, message: null };
  }
}

/** Returns the beginning of a foreign text as one line, without addresses. */
function clean(text: string): string {
  return text
    .slice(0, MAX_DETAIL)
    .toWellFormed()
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(ADDRESS, '…')
    .trim();
}
