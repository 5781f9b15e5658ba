import { Injectable, Logger } from '@nestjs/common';
import type {
  MethodBinding,
  MethodCache,
  MethodRetry,
  ToolAuthStatus,
  ToolInvocation,
} from '@platform/contracts';
import { AppError } from '../infra/http/app-error.ts';
import { GuardedHttp, OutgoingError } from '../infra/http/guarded-http.ts';
import { buildRequest } from './http-request.ts';

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
const NO_RESPONSE = 'The tool could not be reached, or did not send a complete response';

/** Calls methods of tools over HTTP. */
@Injectable()
export class ToolCalls {
  private readonly logger = new Logger(ToolCalls.name);

  constructor(private readonly http: GuardedHttp) {}

  /**
   * Every response is a result, whatever its status. Throws VALIDATION_ERROR for the input, TOOL_ERROR without a
   * response, and the reason of the signal if it aborts.
   */
  async call(
    method: CallableMethod,
    _credentials: CallCredentials,
    input: Record<string, unknown>,
    options: CallOptions = {},
  ): Promise<ToolInvocation> {
    const started = performance.now();
    const request = buildRequest(method, input);
    try {
      const response = await this.http.fetch(request.url, {
        method: request.method,
        headers: request.headers,
        timeoutMs: method.timeoutMs,
        ...(request.body !== null && { body: request.body }),
        ...(options.signal && { signal: options.signal }),
      });
      const isJson = /[/+]json\b/i.test(response.headers.get('content-type') ?? '');
      return {
        status: response.status,
        output: isJson ? response.json() : response.text(),
        durationMs: Math.round(performance.now() - started),
        cached: false,
        warnings: [],
      };
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      this.logger.debug({ methodId: method.id, reason: error.reason }, 'A tool sent no response');
      throw new AppError('TOOL_ERROR', NO_RESPONSE);
    }
  }
}
