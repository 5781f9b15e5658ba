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
import { readFiles } from '../calls/http-request-files.ts';
import { buildRequest, type HttpRequest } from '../calls/http-request.ts';
import { returnsJson } from '../calls/method-schemas.service.ts';
import {
  ToolCallsService,
  type Attempt,
  type CallDraft,
  type CallProtocol,
  type CallResponse,
  type PreparedCall,
} from '../calls/tool-calls.service.ts';
import { describeResponse, keepFile, readOutput } from '../calls/tool-output.ts';
import { isRetriedStatus } from '../calls/tool-retries.ts';
import { replaceWrittenIntegers } from '../calls/written-integers.ts';

const MAX_RESPONSE_BYTES = 10_485_760;
const MAX_REDIRECTS = 5;

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
    const { request, hasAttachments } = await build(draft);
    return {
      warnings: request.warnings,
      // The same id of an attachment is another one in another session.
      isCacheable: !hasAttachments,
      attempt: (timeoutMs) => this.attempt(this.withCausation(request, draft), draft, timeoutMs),
    };
  }

  private async attempt(request: HttpRequest, draft: CallDraft, timeoutMs: number): Promise<Attempt> {
    const response = await this.send(request, draft.method.redirects, timeoutMs, draft.options.signal);
    if (response instanceof OutgoingError) return { failure: response };
    return {
      isRetried: isRetriedStatus(response.status) && !response.isOutcome,
      retryAfter: response.headers.get('retry-after'),
      read: () => this.read(response, draft),
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
    { method, options, secrets }: CallDraft,
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

/** Builds the request of a call, with the files of its input. */
async function build({ method: stored, auth, input, options }: CallDraft) {
  // Stored bindings can have null for what they leave out.
  const method = { ...stored, bindings: stored.bindings.map(withoutNulls) as MethodBinding[] };
  const read =
    options.readAttachment && ((id: string) => options.readAttachment?.(id) ?? Promise.resolve(null));
  const exact = replaceWrittenIntegers(method.inputSchema, input, rawNumber) as Record<string, unknown>;
  const { values, problems, hasAttachments } = await readFiles(method, exact, read);
  if (problems.length > 0) throw invalidFor(problems);
  return { request: buildRequest(method, auth, values, options.key), hasAttachments };
}
