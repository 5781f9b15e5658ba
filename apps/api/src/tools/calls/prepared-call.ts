import type { MethodBinding } from '@platform/contracts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import type { GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { withoutNulls } from '../../infra/runtime/json.ts';
import { rawNumber } from '../../infra/runtime/raw-json.ts';
import type { AuthParts } from './auth-kinds/auth-kind.ts';
import { authKindOf } from './auth-kinds/auth-kinds.ts';
import type { CallCredentials } from './call-credentials.service.ts';
import { readFiles } from './http-request-files.ts';
import { buildRequest, type HttpRequest } from './http-request.ts';
import type { CallableMethod, CallOptions } from './tool-calls.service.ts';
import { defaultRetry } from './tool-retries.ts';
import { replaceWrittenIntegers } from './written-integers.ts';

/** A call whose input is complete, with the files that it names. */
export interface PreparedCall {
  hasAttachments: boolean;
  /** The request with one authentication; with another one if the first was refused. */
  request: (auth: AuthParts) => HttpRequest;
}

/** Reads the files of an input. Throws VALIDATION_ERROR for an input that cannot be sent. */
export async function prepareCall(
  stored: CallableMethod,
  { auth: kind, secret }: CallCredentials,
  input: Record<string, unknown>,
  options: CallOptions,
): Promise<PreparedCall> {
  // Stored bindings can have null for what they leave out.
  const method = { ...stored, bindings: stored.bindings.map(withoutNulls) as MethodBinding[] };
  const read =
    options.readAttachment && ((id: string) => options.readAttachment?.(id) ?? Promise.resolve(null));
  const exact = replaceWrittenIntegers(method.inputSchema, input, rawNumber) as Record<string, unknown>;
  const { values, problems, hasAttachments } = await readFiles(method, exact, read);
  if (problems.length > 0) throw invalidFor(problems);
  return {
    hasAttachments,
    request: (auth) => {
      const request = buildRequest(method, auth, values, options.key);
      if (authKindOf(kind).secret !== null && secret === null)
        request.warnings.push('The tool has no credentials, so the call was made without them');
      return request;
    },
  };
}

/** Whether a call that was refused with 401 can be made again: it had no effect, or has the same one. */
export function canRepeat(
  { httpMethod }: CallableMethod,
  { isRepeatable = false }: CallOptions,
  { headers, isOutcome }: GuardedResponse,
): boolean {
  // A server before the redirect has acted.
  if (isOutcome) return false;
  if (isRepeatable || defaultRetry(httpMethod).attempts > 0) return true;
  // RFC 6750: the request was refused because of its token.
  return /\berror="?invalid_token\b/.test(headers.get('www-authenticate')?.slice(0, 4_000) ?? '');
}
