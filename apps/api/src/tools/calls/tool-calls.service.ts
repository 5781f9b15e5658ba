import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { ToolInvocation, ToolRedirects } from '@platform/contracts';
import { CAUSATION_HEADER } from '../../auth/credentials/causation.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import {
  GuardedHttp,
  OutgoingError,
  type GuardedRequest,
  type GuardedResponse,
} from '../../infra/outgoing/guarded-http.ts';
import { OwnAddressRegistry } from '../../infra/outgoing/own-address.registry.ts';
import { Secrets } from '../../models/port/secrets.ts';
import type { AuthParts } from './auth-kinds/auth-kind.ts';
import {
  CallCredentialsService,
  credentialsKeyOf,
  type AuthenticatedCall,
  type CallCredentials,
} from './call-credentials.service.ts';
import { ATTACHMENT } from './http-request-files.ts';
import type { HttpRequest } from './http-request.ts';
import { MethodSchemasService, returnsJson } from './method-schemas.service.ts';
import {
  canRepeat,
  prepareCall,
  type CallableMethod,
  type CallOptions,
  type PreparedCall,
} from './prepared-call.ts';
import { chooseFields } from './output-fields.ts';
import { describeResponse, maskOutput, readOutput, type BinaryOutput } from './tool-output.ts';
import { ToolResponsesService, type ResponseKey } from './tool-responses.service.ts';
import { isRetriedStatus, retryDelay } from './tool-retries.ts';

/** What a caller receives in place of a file. */
interface FileReference {
  /** As inputs name it; null if it was not kept. */
  attachment: string | null;
  name: string;
  mediaType: string;
  bytes: number;
}

/** The same for calls that were blocked, refused, or cut off. */
const NO_RESPONSE = 'The tool could not be reached, or its response was cut off';
const REFUSED = 401;
const NOT_REPEATED =
  'The server refused the connection. The call was not repeated, because it may have acted';
const MAX_RESPONSE_BYTES = 10_485_760;
const MAX_REDIRECTS = 5;

/** Calls methods of tools over HTTP. */
@Injectable()
export class ToolCallsService {
  private readonly logger = new Logger(ToolCallsService.name);

  constructor(
    private readonly http: GuardedHttp,
    private readonly credentials: CallCredentialsService,
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
    options: CallOptions,
  ): Promise<ToolInvocation> {
    const started = performance.now();
    const finish = (result: Omit<ToolInvocation, 'durationMs'>): ToolInvocation => ({
      ...result,
      durationMs: Math.round(performance.now() - started),
    });
    const warnings = this.schemas.validateInput(method, input);
    const call = toAuthenticatedCall(method, options);
    const prepared = await prepareCall(method, credentials, input, options);
    const auth = await this.credentials.authenticate(credentials, call);
    const request = prepared.request(auth);
    // The same id of an attachment is another one in another session.
    const key =
      method.cache.ttlSeconds > 0 && !prepared.hasAttachments
        ? keyOf(method, credentialsKeyOf(credentials, auth), input)
        : null;
    const stored = key && (await this.responses.find(key));
    if (stored) {
      const mismatch = this.schemas.validateOutput(method, stored.output);
      const chosen = chooseOutput(method, stored);
      return finish({
        status: stored.status,
        output: chosen.output,
        cached: true,
        warnings: [...warnings, ...request.warnings, ...stored.warnings, ...mismatch, ...chosen.warnings],
        response: null,
      });
    }

    const sent = await this.sendAuthenticated(method, credentials, prepared, auth, options);
    const { response } = sent;
    const secrets = Secrets.of(...sent.secrets);
    warnings.push(...sent.warnings);
    const read = readOutput(response, returnsJson(method));
    const { status } = response;
    const { ttlSeconds } = method.cache;
    if (read.binary !== null) {
      const save = response.ok ? options.saveAttachment : undefined;
      const file = describeFile(read.binary, await this.keep(read.binary, save, method), secrets);
      return finish({
        status,
        output: file.output,
        cached: false,
        warnings: [...warnings, ...request.warnings, ...file.warnings].map((text) => secrets.mask(text)),
        response: describeResponse(response, secrets),
      });
    }
    const output = maskOutput(read.output, secrets);
    const isUsable = response.ok && read.isRead;
    if (key && isUsable) {
      const { warnings: found } = read;
      await this.responses.save(key, {
        spaceId: method.spaceId,
        status,
        output,
        warnings: found,
        ttlSeconds,
      });
    }
    const mismatch = isUsable && output !== null ? this.schemas.validateOutput(method, output) : [];
    const chosen = chooseOutput(method, { status, output });
    warnings.push(...request.warnings, ...read.warnings, ...mismatch, ...chosen.warnings);
    // A media type or a key of the output can repeat a secret.
    return finish({
      status,
      output: chosen.output,
      cached: false,
      warnings: warnings.map((text) => secrets.mask(text)),
      response: describeResponse(response, secrets),
    });
  }

  /**
   * Sends a request. If the server responds with 401 to the secret of a connection, the connection is renewed and the request
   * is made once more, if that is safe. Throws `CallPause` if that does not help.
   */
  private async sendAuthenticated(
    method: CallableMethod,
    credentials: CallCredentials,
    prepared: PreparedCall,
    auth: AuthParts,
    options: CallOptions,
  ): Promise<{ response: GuardedResponse; secrets: string[]; warnings: string[] }> {
    const send = (parts: AuthParts) =>
      this.send(
        method,
        this.withCausation(prepared.request(parts), options),
        Secrets.of(...parts.secrets),
        options,
      );
    const call = toAuthenticatedCall(method, options);
    const response = await send(auth);
    const { secrets } = auth;
    if (response.status !== REFUSED || auth.connection === undefined)
      return { response, secrets, warnings: [] };
    if (!canRepeat(method, options, response)) {
      // The next call has a new token.
      await this.credentials.renew(credentials, call, auth).catch(onlyKnown);
      return { response, secrets, warnings: [NOT_REPEATED] };
    }
    const renewed = await this.credentials.renew(credentials, call, auth);
    if (renewed === null) return { response, secrets, warnings: [] };
    const second = await send(renewed);
    if (second.status === REFUSED) await this.credentials.giveUp(credentials, call, renewed);
    return { response: second, secrets: [...secrets, ...renewed.secrets], warnings: [] };
  }

  /** Sends a request, again if that may help. The timeout covers all attempts. */
  private async send(
    { id, retry, timeoutMs, redirects }: CallableMethod,
    request: HttpRequest,
    secrets: Secrets,
    { signal, explainBlocked }: CallOptions,
  ): Promise<GuardedResponse> {
    const deadline = performance.now() + timeoutMs;
    for (let failed = 0; ; failed++) {
      const outcome = await this.attempt(request, redirects, deadline - performance.now(), signal);
      const isFailure = outcome instanceof OutgoingError;
      const isRetried = isFailure
        ? outcome.isConnectionFailure
        : isRetriedStatus(outcome.status) && !outcome.isOutcome;
      const retryAfter = isFailure ? null : outcome.headers.get('retry-after');
      const waitMs = retryDelay(retry, failed, retryAfter, Date.now(), Math.random());
      if (isRetried && failed < retry.attempts && performance.now() + waitMs < deadline) {
        await sleep(waitMs, signal);
      } else if (isFailure) {
        this.logger.debug({ methodId: id, reason: secrets.mask(outcome.reason) }, 'A tool sent no response');
        const explanation = outcome.isBlocked ? await explainBlocked?.() : null;
        throw new AppError('TOOL_ERROR', explanation ? `${NO_RESPONSE}. ${explanation}` : NO_RESPONSE);
      } else return outcome;
    }
  }

  private async attempt(
    { method, url, headers, body }: HttpRequest,
    redirects: ToolRedirects,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<GuardedResponse | OutgoingError> {
    const request: GuardedRequest = {
      method,
      headers,
      timeoutMs: Math.max(1, Math.ceil(timeoutMs)),
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

  /** Never rejects: the call has succeeded, and reporting a failure would have it repeated. */
  private async keep(
    { mediaType, data }: BinaryOutput,
    save: CallOptions['saveAttachment'],
    { id }: CallableMethod,
  ): Promise<string | null> {
    try {
      return (await save?.({ mime: mediaType, data })) ?? null;
    } catch (err) {
      this.logger.warn({ err, methodId: id }, 'A file that a tool sent could not be stored');
      return null;
    }
  }

  /** Only the platform can use the value, and nobody else needs to know the run. */
  private withCausation(request: HttpRequest, { causation }: CallOptions): HttpRequest {
    if (causation === undefined || !this.ownAddress.includes(request.url)) return request;
    return { ...request, headers: { ...request.headers, [CAUSATION_HEADER]: causation } };
  }
}

/** A binary response is a reference to a file of the session; without a session, only its description. */
function describeFile({ name, mediaType, data }: BinaryOutput, id: string | null, secrets: Secrets) {
  const output: FileReference = {
    attachment: id === null ? null : `${ATTACHMENT}${id}`,
    name: secrets.mask(name),
    mediaType: secrets.mask(mediaType),
    bytes: data.length,
  };
  const warning = 'The response is a file. Files are kept only when an agent calls the method successfully';
  return { output, warnings: id === null ? [warning] : [] };
}

/** The fields that the method returns. Errors have fields of their own, so they are whole. */
function chooseOutput(
  { outputFields }: CallableMethod,
  { status, output }: { status: number; output: unknown },
): { output: unknown; warnings: string[] } {
  if (outputFields === null || status < 200 || status > 299) return { output, warnings: [] };
  const chosen = chooseFields(output, outputFields);
  return chosen === undefined
    ? { output: null, warnings: ['The output has none of the fields that were chosen for the method'] }
    : { output: chosen, warnings: [] };
}

function keyOf(
  method: CallableMethod,
  credentials: string | number,
  input: Record<string, unknown>,
): ResponseKey {
  return { methodId: method.id, methodVersion: method.version, credentials, input };
}

function toAuthenticatedCall(
  { spaceId, toolId, toolName, serverUrl, timeoutMs }: CallableMethod,
  { userId, signal }: CallOptions,
): AuthenticatedCall {
  return { spaceId, userId, toolId, toolName, serverUrl, timeoutMs, ...(signal && { signal }) };
}

/** That somebody must sign in is known when the next call needs it. */
function onlyKnown(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
