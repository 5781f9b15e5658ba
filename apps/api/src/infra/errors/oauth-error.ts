import type { AppError } from './app-error.ts';

/** The error body of the endpoints of OAuth (RFC 6749, 5.2). */
export interface OAuthErrorBody {
  error: string;
  error_description: string;
}

const WORDS: Partial<Record<AppError['code'], string>> = {
  UNAUTHORIZED: 'invalid_client',
  RATE_LIMITED: 'temporarily_unavailable',
  UNAVAILABLE: 'temporarily_unavailable',
  SERVER_ERROR: 'server_error',
};

/** Converts an error to the body that clients of OAuth read. */
export function oauthBody({ code, message, oauth }: AppError): OAuthErrorBody {
  // Descriptions are ASCII without quotes and backslashes.
  const description = message.replaceAll(/[^\x20-\x7e]|["\\]/g, "'");
  return { error: oauth ?? WORDS[code] ?? 'invalid_request', error_description: description };
}
