import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type {
  MethodBinding,
  MethodCache,
  MethodRetry,
  ToolAuthStatus,
  ToolInvocation,
  ToolRedirects,
  ToolServerResponse,
} from '@platform/contracts';
import { AppError } from '../../infra/errors/app-error.ts';
import { GuardedHttp, type OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import { Secrets } from '../../models/port/secrets.ts';
import type { AuthParts } from './auth-kinds/auth-kind.ts';
import { authenticate, authKindOf } from './auth-kinds/auth-kinds.ts';
import type { CallAnswer } from './call-pause.ts';
import { MethodSchemasService } from './method-schemas.service.ts';
import type { Pair } from './serialize.ts';
import { chooseFields } from './output-fields.ts';
import { maskOutput } from './tool-output.ts';
import { ToolResponsesService, type ResponseKey } from './tool-responses.service.ts';
import { retryDelay } from './tool-retries.ts';

/** What tools that are stored speak with their servers. */
export type ToolProtocol = 'http' | 'mcp';

/** A method with everything that a call needs. */
export interface CallableMethod {
  id: string;
  toolId: string;
  spaceId: string;
  protocol: ToolProtocol;
  /** Of the method, or of its tool. */
  serverUrl: string;
  /** Which redirects are followed. */
  redirects: ToolRedirects;
  httpMethod: string;
  path: string;
  /** What the server calls the method. */
  operationKey: string;
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
  /** The last import. */
  imported: Record<string, unknown> | null;
  /** When the server was last asked whether it has changed its methods; null: never, or it said that it has. */
  checkedAt: Date | null;
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
  /** Who calls. A session of a server belongs to one person. */
  userId?: string;
  /** What a person did after the call before threw a `CallPause`. */
  answer?: CallAnswer;
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

/** A call of a method whose input is valid. */
export interface CallDraft {
  method: CallableMethod;
  auth: AuthParts;
  /** Changes with what authenticates the call, and reveals nothing. */
  credentialsKey: string;
  secrets: Secrets;
  input: Record<string, unknown>;
  options: CallOptions;
}

/** All that differs between the protocols that the servers of tools speak. */
export interface CallProtocol {
  /** Throws VALIDATION_ERROR for an input that cannot be sent. Sends nothing yet. */
  prepare(draft: CallDraft): Promise<PreparedCall>;
}

export interface PreparedCall {
  warnings: string[];
  /** Whether another call with the same input is the same call. */
  isCacheable: boolean;
  /** Makes the call. `timeoutMs` is a positive integer. Throws `CallPause`, and TOOL_ERROR for what is not worth another attempt. */
  attempt(timeoutMs: number): Promise<Attempt>;
}

export type Attempt =
  | { failure: OutgoingError }
  | {
      /** Whether the response is worth another attempt. */
      isRetried: boolean;
      retryAfter: string | null;
      read(): Promise<CallResponse>;
    };

/** What a call came to, before it is masked, validated, and kept. */
export interface CallResponse {
  status: number;
  output: unknown;
  /** Whether the output is what a successful call returns, so that it can be validated, and its fields be chosen. */
  isUsable: boolean;
  /** Whether the output is the same for every caller. */
  isKept: boolean;
  warnings: string[];
  response: ToolServerResponse | null;
}

/** The same for calls that were blocked, refused, or cut off. */
export const NO_RESPONSE = 'The tool could not be reached, or its response was cut off';

/** What an installation administrator is told of a blocked address. */
export const BLOCKED = 'The address is not public: PLATFORM_ALLOWED_PRIVATE_HOSTS allows it';

/** Calls methods of tools, whatever protocol their servers speak. */
@Injectable()
export class ToolCallsService {
  private readonly logger = new Logger(ToolCallsService.name);
  private readonly protocols = new Map<ToolProtocol, CallProtocol>();

  constructor(
    private readonly http: GuardedHttp,
    private readonly schemas: MethodSchemasService,
    private readonly responses: ToolResponsesService,
  ) {}

  register(protocol: ToolProtocol, calls: CallProtocol): void {
    this.protocols.set(protocol, calls);
  }

  /**
   * Every response is a result, whatever its status. Throws VALIDATION_ERROR for the input, TOOL_ERROR without a
   * response, `CallPause`, and the reason of the signal if it aborts.
   */
  async call(
    method: CallableMethod,
    credentials: CallCredentials,
    input: Record<string, unknown>,
    options: CallOptions = {},
  ): Promise<ToolInvocation> {
    const started = performance.now();
    const warnings = this.schemas.validateInput(method, input);
    const auth = await this.authenticate(method, credentials, options);
    const secrets = Secrets.of(...auth.secrets);
    const credentialsKey = credentialsKeyOf(method, credentials);
    const draft = { method, auth, credentialsKey, secrets, input, options };
    const prepared = await this.protocolOf(method).prepare(draft);
    warnings.push(...prepared.warnings);
    if (authKindOf(credentials.auth).secret !== null && credentials.secret === null)
      warnings.push('The tool has no credentials, so the call was made without them');
    const isCached = method.cache.ttlSeconds > 0 && prepared.isCacheable && options.answer === undefined;
    const key = isCached ? keyOf(method, credentials, input) : null;
    const stored = key && (await this.responses.find(key));
    const { status, output, isUsable, isKept, response, ...found } =
      stored !== null
        ? { ...stored, isUsable: true, isKept: false, response: null }
        : await this.send(draft, prepared);
    const masked = stored === null ? maskOutput(output, secrets) : output;
    if (key && isUsable && isKept) {
      const { spaceId, cache } = method;
      const kept = {
        spaceId,
        status,
        output: masked,
        warnings: found.warnings,
        ttlSeconds: cache.ttlSeconds,
      };
      await this.responses.save(key, kept);
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

  private authenticate(
    method: CallableMethod,
    credentials: CallCredentials,
    { signal }: CallOptions,
  ): Promise<AuthParts> {
    return authenticate(credentials.auth, credentials.secret, {
      http: this.http,
      credentialsKey: credentialsKeyOf(method, credentials),
      timeoutMs: method.timeoutMs,
      ...(signal && { signal }),
    });
  }

  /** Makes a call, again if that may help. The timeout covers all attempts. */
  private async send({ method, secrets, options }: CallDraft, prepared: PreparedCall): Promise<CallResponse> {
    const { id, retry, timeoutMs } = method;
    const { signal, explainBlocked } = options;
    const deadline = performance.now() + timeoutMs;
    for (let failed = 0; ; failed++) {
      const attempt = await prepared.attempt(Math.max(1, Math.ceil(deadline - performance.now())));
      const failure = 'failure' in attempt ? attempt.failure : null;
      const { isRetried, retryAfter } =
        'failure' in attempt ? { isRetried: attempt.failure.isConnectionFailure, retryAfter: null } : attempt;
      const waitMs = retryDelay(retry, failed, retryAfter, Date.now(), Math.random());
      if (isRetried && failed < retry.attempts && performance.now() + waitMs < deadline) {
        await sleep(waitMs, signal);
      } else if ('read' in attempt) return attempt.read();
      else if (failure !== null) {
        this.logger.debug({ methodId: id, reason: secrets.mask(failure.reason) }, 'A tool sent no response');
        const explanation = failure.isBlocked ? await explainBlocked?.() : null;
        throw new AppError('TOOL_ERROR', explanation ? `${NO_RESPONSE}. ${explanation}` : NO_RESPONSE);
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

const credentialsKeyOf = ({ toolId }: CallableMethod, { version }: CallCredentials) => `${toolId}:${version}`;

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
