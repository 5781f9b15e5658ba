import type { MethodBinding, MethodCache, MethodRetry, ToolRedirects } from '@platform/contracts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import type { GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { withoutNulls } from '../../infra/runtime/json.ts';
import { rawNumber } from '../../infra/runtime/raw-json.ts';
import type { AuthParts } from './auth-kinds/auth-kind.ts';
import { authKindOf } from './auth-kinds/auth-kinds.ts';
import type { CallCredentials } from './call-credentials.service.ts';
import { readFiles } from './http-request-files.ts';
import { buildRequest, type HttpRequest } from './http-request.ts';
import type { Pair } from './serialize.ts';
import { defaultRetry } from './tool-retries.ts';
import { replaceWrittenIntegers } from './written-integers.ts';

/** A method with everything that a call needs. */
export interface CallableMethod {
  id: string;
  toolId: string;
  toolName: string;
  spaceId: string;
  /** Of the method, or of its tool. */
  serverUrl: string;
  /** Which redirects are followed. */
  redirects: ToolRedirects;
  httpMethod: string;
  path: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  /** Null: the whole output. */
  outputFields: string[] | null;
  bindings: MethodBinding[];
  bodyMediaType: string | null;
  encoding: Record<string, unknown> | null;
  cache: MethodCache;
  retry: MethodRetry;
  timeoutMs: number;
  /** Changes with the method, so that cached responses of its past are not used. */
  version: string;
}

export interface CallOptions {
  /** The person in whose name the call is made. */
  userId: string;
  signal?: AbortSignal;
  /** Whether the call can be made again without another effect. Default: if the verb says so. */
  isRepeatable?: boolean;
  /** The header that names the effect of the call, with its value. */
  key?: Pair;
  /** The value of `X-Platform-Causation`. Only the platform itself receives it. */
  causation?: string;
  /** Reads an attachment that the input names as `attachment:<id>`. */
  readAttachment?(id: string): Promise<{ mime: string; data: Buffer } | null>;
  /** Keeps a file that a response is. Returns its id. */
  saveAttachment?: (file: { mime: string; data: Buffer }) => Promise<string>;
  /** What the caller may know about an address that is blocked; null: nothing. */
  explainBlocked?: () => Promise<string | null>;
}

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
