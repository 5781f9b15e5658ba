import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { MethodBinding, ToolRedirects } from '@platform/contracts';
import { CAUSATION_HEADER } from '../../auth/credentials/causation.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import {
  GuardedHttp,
  OutgoingError,
  type GuardedRequest,
  type GuardedResponse,
} from '../../infra/outgoing/guarded-http.ts';
import { OwnAddressRegistry } from '../../infra/outgoing/own-address.registry.ts';
import { withoutNulls } from '../../infra/runtime/json.ts';
import { rawNumber } from '../../infra/runtime/raw-json.ts';
import type { Secrets } from '../../models/port/secrets.ts';
import { readFiles } from '../calls/http-request-files.ts';
import { buildRequest, type HttpRequest } from '../calls/http-request.ts';
import { returnsJson } from '../calls/method-schemas.service.ts';
import type {
  AuthenticatedRequest,
  CallAuth,
  CallDraft,
  CallProtocol,
  CallResponse,
  PreparedCall,
} from '../calls/call-protocol.ts';
import { ToolCallsService } from '../calls/tool-calls.service.ts';
import { describeResponse, keepFile, readOutput } from '../calls/tool-output.ts';
import { defaultRetry, isRetriedStatus } from '../calls/tool-retries.ts';
import { replaceWrittenIntegers } from '../calls/written-integers.ts';

const MAX_RESPONSE_BYTES = 10_485_760;
const MAX_REDIRECTS = 5;
const REFUSED = 401;

/** Calls methods that are requests of an HTTP API. Every response is a result, whatever its status. */
@Injectable()
export class HttpCallsService implements CallProtocol, OnModuleInit {
  private readonly logger = new Logger(HttpCallsService.name);

  constructor(
    private readonly http: GuardedHttp,
    private readonly ownAddress: OwnAddressRegistry,
    private readonly calls: ToolCallsService,
  ) {}

  onModuleInit(): void {
    this.calls.register('http', this);
  }

  async prepare(draft: CallDraft): Promise<PreparedCall> {
    const { method, values, hasAttachments } = await readInput(draft);
    return {
      // The same id of an attachment is another one in another session.
      isCacheable: !hasAttachments,
      as: (auth) => {
        const request = buildRequest(method, auth.parts, values, draft.options.key);
        const { warnings } = request;
        return { auth, warnings, attempt: (timeoutMs) => this.attempt(request, draft, auth, timeoutMs) };
      },
    };
  }

  private async attempt(
    request: HttpRequest,
    draft: CallDraft,
    { secrets }: CallAuth,
    timeoutMs: number,
  ): ReturnType<AuthenticatedRequest['attempt']> {
    const { method, options } = draft;
    const own = this.withCausation(request, draft);
    const response = await this.send(own, method.redirects, timeoutMs, options.signal);
    if (response instanceof OutgoingError) return { failure: response };
    const { status, headers, isOutcome } = response;
    return {
      isRetried: isRetriedStatus(status) && !isOutcome,
      retryAfter: headers.get('retry-after'),
      refusal: status === REFUSED ? { isRepeatable: canRepeat(draft, response) } : null,
      read: () => this.read(response, draft, secrets),
    };
  }

  private async send(
    { method, url, headers, body }: HttpRequest,
    redirects: ToolRedirects,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<GuardedResponse | OutgoingError> {
    const request: GuardedRequest = {
      method,
      headers,
      timeoutMs,
      maxBytes: MAX_RESPONSE_BYTES,
      ...(redirects !== 'none' && { redirects: { most: MAX_REDIRECTS, to: redirects } }),
      ...(body !== null && { body }),
      ...(signal && { signal }),
    };
    try {
      return await this.http.fetch(url, request);
    } catch (error) {
      if (error instanceof OutgoingError) return error;
      throw error;
    }
  }

  private async read(
    response: GuardedResponse,
    { method, options }: CallDraft,
    secrets: Secrets,
  ): Promise<CallResponse> {
    const { status, ok } = response;
    const { output, warnings, isRead, binary } = readOutput(response, returnsJson(method));
    const described = describeResponse(response, secrets);
    if (binary === null)
      return { status, output, isUsable: ok && isRead, isKept: true, warnings, response: described };
    const file = await keepFile(binary, ok ? options.saveAttachment : undefined, (err) =>
      this.logger.warn({ err, methodId: method.id }, 'A file that a tool sent could not be stored'),
    );
    return { status, ...file, isUsable: false, isKept: false, response: described };
  }

  /** Only the platform can use the value, and nobody else needs to know the run. */
  private withCausation(request: HttpRequest, { options: { causation } }: CallDraft): HttpRequest {
    if (causation === undefined || !this.ownAddress.includes(request.url)) return request;
    return { ...request, headers: { ...request.headers, [CAUSATION_HEADER]: causation } };
  }
}

/** The values of an input, with the files that it names. */
async function readInput({ method: stored, input, options }: CallDraft) {
  // Stored bindings can have null for what they leave out.
  const method = { ...stored, bindings: stored.bindings.map(withoutNulls) as MethodBinding[] };
  const read =
    options.readAttachment && ((id: string) => options.readAttachment?.(id) ?? Promise.resolve(null));
  const exact = replaceWrittenIntegers(method.inputSchema, input, rawNumber) as Record<string, unknown>;
  const { values, problems, hasAttachments } = await readFiles(method, exact, read);
  if (problems.length > 0) throw invalidFor(problems);
  return { method, values, hasAttachments };
}

/** Whether a call that was refused with 401 can be made again: it had no effect, or has the same one. */
function canRepeat(
  { method: { httpMethod }, options: { isRepeatable = false } }: CallDraft,
  { headers, isOutcome }: GuardedResponse,
): boolean {
  // A server before the redirect has acted.
  if (isOutcome) return false;
  if (isRepeatable || defaultRetry(httpMethod).attempts > 0) return true;
  // RFC 6750: the request was refused because of its token.
  return /\berror="?invalid_token\b/.test(headers.get('www-authenticate')?.slice(0, 4_000) ?? '');
}
