import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { ToolInvocation } from '@platform/contracts';
import { AppError } from '../../infra/errors/app-error.ts';
import { Secrets } from '../../models/port/secrets.ts';
import type { AuthParts } from './auth-kinds/auth-kind.ts';
import { authKindOf } from './auth-kinds/auth-kinds.ts';
import {
  CallCredentialsService,
  credentialsKeyOf,
  type AuthenticatedCall,
  type CallCredentials,
} from './call-credentials.service.ts';
import type {
  AuthenticatedRequest,
  CallableMethod,
  CallAuth,
  CallDraft,
  CallOptions,
  CallProtocol,
  CallResponse,
  PreparedCall,
  ServerAnswer,
  ToolProtocol,
} from './call-protocol.ts';
import { MethodSchemasService } from './method-schemas.service.ts';
import { chooseFields } from './output-fields.ts';
import { maskOutput } from './tool-output.ts';
import { ToolResponsesService, type ResponseKey } from './tool-responses.service.ts';
import { retryDelay } from './tool-retries.ts';

/** The same for calls that were blocked, refused, or cut off. */
const NO_RESPONSE = 'The tool could not be reached, or its response was cut off';

/** The error for such a call. The explanation is for those who can do something about it. */
export const noResponse = (explanation?: string | null) =>
  new AppError('TOOL_ERROR', explanation ? `${NO_RESPONSE}. ${explanation}` : NO_RESPONSE);

const NOT_REPEATED =
  'The server refused the connection. The call was not repeated, because it may have acted';

interface Sent extends CallResponse {
  /** All that authenticated the call, or an attempt before. */
  secrets: Secrets;
}

/** Calls methods of tools, whatever protocol their servers speak. */
@Injectable()
export class ToolCallsService {
  private readonly logger = new Logger(ToolCallsService.name);
  private readonly protocols = new Map<ToolProtocol, CallProtocol>();

  constructor(
    private readonly credentials: CallCredentialsService,
    private readonly schemas: MethodSchemasService,
    private readonly responses: ToolResponsesService,
  ) {}

  register(protocol: ToolProtocol, calls: CallProtocol): void {
    this.protocols.set(protocol, calls);
  }

  /** Throws VALIDATION_ERROR for an input with which a call would not be made. */
  checkInput(method: CallableMethod, input: Record<string, unknown>): void {
    this.schemas.validateInput(method, input);
  }

  /**
   * Every response is a result, whatever its status. Throws VALIDATION_ERROR for the input, TOOL_ERROR without a
   * response, `CallPause`, and the reason of the signal if it aborts.
   */
  async call(
    method: CallableMethod,
    credentials: CallCredentials,
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<ToolInvocation> {
    const started = performance.now();
    const warnings = this.schemas.validateInput(method, input);
    const draft = { method, input, options };
    const prepared = await this.protocolOf(method).prepare(draft);
    const parts = await this.credentials.authenticate(credentials, toAuthenticatedCall(draft));
    const auth = toAuth(method, credentials, parts);
    const request = prepared.as(auth);
    warnings.push(...request.warnings);
    if (authKindOf(credentials.auth).secret !== null && credentials.secret === null)
      warnings.push('The tool has no credentials, so the call was made without them');
    const isCached = method.cache.ttlSeconds > 0 && prepared.isCacheable && options.answer === undefined;
    const key = isCached ? keyOf(method, credentialsKeyOf(credentials, parts), input) : null;
    const stored = key && (await this.responses.find(key));
    const { status, output, isUsable, isKept, response, secrets, ...found }: Sent =
      stored !== null
        ? { ...stored, isUsable: true, isKept: false, response: null, secrets: auth.secrets }
        : await this.sendAuthenticated(draft, credentials, prepared, request);
    const masked = stored === null ? maskOutput(output, secrets) : output;
    if (key && isUsable && isKept) {
      const { spaceId, cache } = method;
      const kept = { spaceId, status, output: masked, warnings: found.warnings };
      await this.responses.save(key, { ...kept, ttlSeconds: cache.ttlSeconds });
    }
    const mismatch = isUsable && masked !== null ? this.schemas.validateOutput(method, masked) : [];
    const chosen = isUsable ? chooseOutput(method, masked) : { output: masked, warnings: [] };
    warnings.push(...found.warnings, ...mismatch, ...chosen.warnings);
    return {
      status,
      output: chosen.output,
      durationMs: Math.round(performance.now() - started),
      cached: stored !== null,
      // A media type or a key of the output can repeat a secret.
      warnings: warnings.map((text) => secrets.mask(text)),
      response,
    };
  }

  private protocolOf({ protocol }: CallableMethod): CallProtocol {
    const calls = this.protocols.get(protocol);
    if (calls === undefined) throw new Error(`Tools do not speak ${protocol}`);
    return calls;
  }

  /**
   * Makes a call. If the server responds with 401 to the secret of a connection, the connection is renewed and the call
   * is made once more, if that is safe. Throws `CallPause` if that does not help.
   */
  private async sendAuthenticated(
    draft: CallDraft,
    credentials: CallCredentials,
    prepared: PreparedCall,
    request: AuthenticatedRequest,
  ): Promise<Sent> {
    const call = toAuthenticatedCall(draft);
    const { parts, secrets } = request.auth;
    const first = await this.send(draft, request);
    const { refusal } = first;
    if (refusal === null || parts.connection === undefined) return { ...(await first.read()), secrets };
    if (!refusal.isRepeatable) {
      // The next call has a new token.
      await this.credentials.renew(credentials, call, parts).catch(onlyKnown);
      const response = await first.read();
      return { ...response, warnings: [NOT_REPEATED, ...response.warnings], secrets };
    }
    const renewed = await this.credentials.renew(credentials, call, parts);
    if (renewed === null) return { ...(await first.read()), secrets };
    const both = Secrets.of(...parts.secrets, ...renewed.secrets);
    const again = { ...toAuth(draft.method, credentials, renewed), secrets: both };
    const second = await this.send(draft, prepared.as(again));
    if (second.refusal !== null) await this.credentials.giveUp(credentials, call, renewed);
    return { ...(await second.read()), secrets: both };
  }

  /** Makes a call, again if that may help. The timeout covers all attempts. */
  private async send(
    { method, options }: CallDraft,
    { auth, attempt }: AuthenticatedRequest,
  ): Promise<ServerAnswer> {
    const { id, retry, timeoutMs } = method;
    const { signal, explainBlocked } = options;
    const deadline = performance.now() + timeoutMs;
    for (let failed = 0; ; failed++) {
      const outcome = await attempt(Math.max(1, Math.ceil(deadline - performance.now())));
      const failure = 'failure' in outcome ? outcome.failure : null;
      const { isRetried, retryAfter } =
        'failure' in outcome ? { isRetried: outcome.failure.isConnectionFailure, retryAfter: null } : outcome;
      const waitMs = retryDelay(retry, failed, retryAfter, Date.now(), Math.random());
      if (isRetried && failed < retry.attempts && performance.now() + waitMs < deadline) {
        await sleep(waitMs, signal);
      } else if ('read' in outcome) return outcome;
      else if (failure !== null) {
        const reason = auth.secrets.mask(failure.reason);
        this.logger.debug({ methodId: id, reason }, 'A tool sent no response');
        const explanation = failure.isBlocked ? await explainBlocked?.() : null;
        throw noResponse(explanation);
      }
    }
  }
}

/** The fields that the method returns. Errors have fields of their own, so they are whole. */
function chooseOutput(
  { outputFields }: CallableMethod,
  output: unknown,
): { output: unknown; warnings: string[] } {
  if (outputFields === null) return { output, warnings: [] };
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

function toAuthenticatedCall({ method, options }: CallDraft): AuthenticatedCall {
  const { spaceId, toolId, toolName, serverUrl, timeoutMs } = method;
  const { userId, signal } = options;
  return { spaceId, userId, toolId, toolName, serverUrl, timeoutMs, ...(signal && { signal }) };
}

function toAuth({ toolId }: CallableMethod, credentials: CallCredentials, parts: AuthParts): CallAuth {
  const key = `${toolId}:${credentialsKeyOf(credentials, parts)}`;
  return { parts, key, secrets: Secrets.of(...parts.secrets) };
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
