import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type {
  MethodBinding,
  MethodCache,
  MethodRetry,
  ToolAuthStatus,
  ToolInvocation,
} from '@platform/contracts';
import { CAUSATION_HEADER } from '../../auth/credentials/causation.ts';
import { AppError, invalidFor } from '../../infra/errors/app-error.ts';
import {
  GuardedHttp,
  OutgoingError,
  type GuardedRequest,
  type GuardedResponse,
} from '../../infra/outgoing/guarded-http.ts';
import { OwnAddressRegistry } from '../../infra/outgoing/own-address.registry.ts';
import { withoutNulls } from '../../infra/runtime/json.ts';
import { Secrets } from '../../models/port/secrets.ts';
import type { AuthCall } from './auth-kinds/auth-kind.ts';
import { authenticate, authKindOf } from './auth-kinds/auth-kinds.ts';
import { readFiles } from './http-request-files.ts';
import { buildRequest, type HttpRequest } from './http-request.ts';
import { MethodSchemasService } from './method-schemas.service.ts';
import { describeResponse, maskOutput, readOutput } from './tool-output.ts';
import { ToolResponsesService, type ResponseKey } from './tool-responses.service.ts';
import { isRetriedStatus, retryDelay } from './tool-retries.ts';

/** A method with everything that a call needs. */
export interface CallableMethod {
  id: string;
  toolId: string;
  spaceId: string;
  /** Of the method, or of its tool. */
  serverUrl: string;
  httpMethod: string;
  path: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown>;
  bindings: MethodBinding[];
  bodyMediaType: string | null;
  encoding: Record<string, unknown> | null;
  cache: MethodCache;
  retry: MethodRetry;
  timeoutMs: number;
  /** Changes with the method, so that cached responses of its past are not used. */
  version: string;
}

export interface CallCredentials {
  auth: ToolAuthStatus;
  /** The value, token, or password; null if none is stored. */
  secret: string | null;
  /** Changes with the credentials. */
  version: number;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** The value of `X-Platform-Causation`. Only the platform itself receives it. */
  causation?: string;
  /** Reads an attachment that the input names as `attachment:<id>`. */
  readAttachment?(id: string): Promise<{ mime: string; data: Buffer } | null>;
}

/** The same for calls that were blocked, refused, or cut off. */
const NO_RESPONSE = 'The tool could not be reached, or its response was cut off';
const MAX_RESPONSE_BYTES = 10_485_760;

/** Calls methods of tools over HTTP. */
@Injectable()
export class ToolCallsService {
  private readonly logger = new Logger(ToolCallsService.name);

  constructor(
    private readonly http: GuardedHttp,
    private readonly schemas: MethodSchemasService,
    private readonly responses: ToolResponsesService,
    private readonly ownAddress: OwnAddressRegistry,
  ) {}

  /**
   * Every response is a result, whatever its status. Throws VALIDATION_ERROR for the input, TOOL_ERROR without a
   * response, and the reason of the signal if it aborts.
   */
  async call(
    method: CallableMethod,
    credentials: CallCredentials,
    input: Record<string, unknown>,
    options: CallOptions = {},
  ): Promise<ToolInvocation> {
    const started = performance.now();
    const finish = (result: Omit<ToolInvocation, 'durationMs'>): ToolInvocation => ({
      ...result,
      durationMs: Math.round(performance.now() - started),
    });
    const warnings = this.schemas.validateInput(method, input);
    const { request, auth, hasAttachments } = await prepare(method, credentials, input, options, {
      http: this.http,
      credentialsKey: `${method.toolId}:${credentials.version}`,
      timeoutMs: method.timeoutMs,
      ...(options.signal && { signal: options.signal }),
    });
    // The same id of an attachment is another one in another session.
    const key = method.cache.ttlSeconds > 0 && !hasAttachments ? keyOf(method, credentials, input) : null;
    const stored = key && (await this.responses.find(key));
    if (stored) {
      const mismatch = this.schemas.validateOutput(method, stored.output);
      return finish({
        ...stored,
        cached: true,
        warnings: [...warnings, ...request.warnings, ...mismatch],
        response: null,
      });
    }

    const secrets = Secrets.of(...auth.secrets);
    const response = await this.send(method, this.withCausation(request, options), secrets, options.signal);
    const read = readOutput(response);
    const output = maskOutput(read.output, secrets);
    const { status } = response;
    const { ttlSeconds } = method.cache;
    if (key && response.ok && read.warnings.length === 0)
      await this.responses.save(key, { spaceId: method.spaceId, status, output, ttlSeconds });
    const isRead = response.ok && read.warnings.length === 0 && output !== null;
    const mismatch = isRead ? this.schemas.validateOutput(method, output) : [];
    warnings.push(...request.warnings, ...read.warnings, ...mismatch);
    // A media type or a key of the output can repeat a secret.
    return finish({
      status,
      output,
      cached: false,
      warnings: warnings.map((text) => secrets.mask(text)),
      response: describeResponse(response, secrets),
    });
  }

  /** Sends a request, again if that may help. The timeout covers all attempts. */
  private async send(
    { id, retry, timeoutMs }: CallableMethod,
    request: HttpRequest,
    secrets: Secrets,
    signal: AbortSignal | undefined,
  ): Promise<GuardedResponse> {
    const deadline = performance.now() + timeoutMs;
    for (let failed = 0; ; failed++) {
      const outcome = await this.attempt(request, deadline - performance.now(), signal);
      const isFailure = outcome instanceof OutgoingError;
      const isRetried = isFailure ? outcome.isConnectionFailure : isRetriedStatus(outcome.status);
      const retryAfter = isFailure ? null : outcome.headers.get('retry-after');
      const waitMs = retryDelay(retry, failed, retryAfter, Date.now(), Math.random());
      if (isRetried && failed < retry.attempts && performance.now() + waitMs < deadline) {
        await sleep(waitMs, signal);
      } else if (isFailure) {
        this.logger.debug({ methodId: id, reason: secrets.mask(outcome.reason) }, 'A tool sent no response');
        throw new AppError('TOOL_ERROR', NO_RESPONSE);
      } else return outcome;
    }
  }

  private async attempt(
    { method, url, headers, body }: HttpRequest,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<GuardedResponse | OutgoingError> {
    const request: GuardedRequest = {
      method,
      headers,
      timeoutMs: Math.max(1, Math.ceil(timeoutMs)),
      maxBytes: MAX_RESPONSE_BYTES,
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

  /** Only the platform can use the value, and nobody else needs to know the run. */
  private withCausation(request: HttpRequest, { causation }: CallOptions): HttpRequest {
    if (causation === undefined || !this.ownAddress.includes(request.url)) return request;
    return { ...request, headers: { ...request.headers, [CAUSATION_HEADER]: causation } };
  }
}

/** Builds the request of a call, with the files of its input. */
async function prepare(
  stored: CallableMethod,
  { auth: kind, secret }: CallCredentials,
  input: Record<string, unknown>,
  options: CallOptions,
  call: AuthCall,
) {
  // Stored bindings can have null for what they leave out.
  const method = { ...stored, bindings: stored.bindings.map(withoutNulls) as MethodBinding[] };
  const read =
    options.readAttachment && ((id: string) => options.readAttachment?.(id) ?? Promise.resolve(null));
  const { values, problems, hasAttachments } = await readFiles(method, input, read);
  if (problems.length > 0) throw invalidFor(problems);
  const auth = await authenticate(kind, secret, call);
  const request = buildRequest(method, auth, values);
  if (authKindOf(kind).secret !== null && secret === null)
    request.warnings.push('The tool has no credentials, so the call was made without them');
  return { request, auth, hasAttachments };
}

function keyOf(
  method: CallableMethod,
  { version }: CallCredentials,
  input: Record<string, unknown>,
): ResponseKey {
  return { methodId: method.id, methodVersion: method.version, credentialsVersion: version, input };
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
