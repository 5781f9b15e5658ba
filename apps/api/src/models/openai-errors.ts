import { APIConnectionError, APIError } from 'openai';
import { ProviderError } from './model-provider.ts';

/** Says what a failure of the client or the server means, in words that show neither key nor address. */
export function toProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  // Thrown for a chunk that is no JSON.
  if (error instanceof SyntaxError) {
    return new ProviderError('bad-answer', "The model's server sent an answer that cannot be read.");
  }
  const apiError = asApiError(error);
  if (apiError && !(apiError instanceof APIConnectionError)) {
    return apiError.status === undefined
      ? new ProviderError('unavailable', "The model's server broke off its answer with an error.")
      : fromStatus(apiError.status, apiError);
  }
  return new ProviderError(
    'unavailable',
    "The model's server could not be reached or broke the connection.",
    {
      cause: error,
    },
  );
}

/** Narrows as `instanceof` does, but to the types of the client instead of any. */
export function asApiError(error: unknown): APIError | null {
  return error instanceof APIError ? (error as APIError) : null;
}

// The upstream's own words are left out, cause included: they may repeat the key.
function fromStatus(status: number, error: APIError): ProviderError {
  const retryAfter = readRetryAfter(error.headers, Date.now());
  if (status === 429) {
    return new ProviderError('rate-limited', "The model's server has too many requests right now.", {
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
  if (status === 408 || status >= 500) {
    return new ProviderError('unavailable', `The model's server failed (HTTP ${status}).`, {
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
  if (status === 401 || status === 403) {
    return new ProviderError('refused', `The model's server refused the credentials (HTTP ${status}).`);
  }
  const reason = typeof error.code === 'string' && /^[a-z_]{1,60}$/.test(error.code) ? `, ${error.code}` : '';
  return new ProviderError('refused', `The model's server refused the request (HTTP ${status}${reason}).`);
}

/** Seconds to wait, from `Retry-After` in seconds or as a date. */
export function readRetryAfter(headers: Headers | undefined, now: number): number | undefined {
  const text = headers?.get('retry-after')?.trim();
  if (!text) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
