import { AgentStreamFailedError, PlatformConnectionError, PlatformError } from '@platform/client';
import type { ErrorCode } from '@platform/contracts';
import type { TFunction } from 'i18next';

export const isForbidden = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === 'FORBIDDEN';
export const isNotFound = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === 'NOT_FOUND';
export const isConflict = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === 'CONFLICT';
export const isUnauthorized = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === 'UNAUTHORIZED';

/** Whether the same may succeed later. */
export const isTransient = (error: unknown): boolean =>
  error instanceof PlatformConnectionError ||
  (error instanceof PlatformError && (error.status === 429 || error.status >= 500));

/** Returns the message for the user: that of the service, or our own if there was no response. */
export function getErrorMessage(error: unknown, t: TFunction): string {
  return translateCode(error, getPlainMessage(error, t), t);
}

/** Adds what the code of an error means, in languages other than that of the service, to its message or a part of it. */
export function translateCode(error: unknown, message: string, t: TFunction): string {
  if (!(error instanceof PlatformError) || isInternal(error)) return message;
  const code = error.code as Exclude<ErrorCode, 'SERVER_ERROR'>;
  return t(`errors.codes.${code}`, { message, defaultValue: '{{message}}' });
}

function getPlainMessage(error: unknown, t: TFunction): string {
  if (error instanceof PlatformConnectionError) return t('errors.connection');
  if (error instanceof PlatformError && isInternal(error)) return t('errors.server');
  return error instanceof Error ? error.message : String(error);
}

const isInternal = ({ status, code }: PlatformError) => status >= 500 && code === 'SERVER_ERROR';

export function getRequestId(error: unknown): string | null {
  return error instanceof PlatformError || error instanceof AgentStreamFailedError ? error.requestId : null;
}

/** Returns each problem of a request as a sentence that starts with the name of its field. */
export function getProblems(error: unknown, t: TFunction): string[] {
  if (error instanceof PlatformError && error.errors.length > 0)
    return error.errors.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return getPlainMessage(error, t).split('; ');
}
