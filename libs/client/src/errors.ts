import { ERROR_STATUS } from '@platform/contracts';
import type { ErrorCode, FieldError, Frame, Job } from '@platform/contracts';

/** An error code of the API, or a code that only a newer service or a proxy uses. */
export type PlatformErrorCode = ErrorCode | 'UNEXPECTED_RESPONSE' | (string & {});

interface PlatformErrorFields {
  status: number;
  code: PlatformErrorCode;
  message: string;
  requestId: string | null;
  turnId: string | null;
  retryAfter: number | null;
  errors?: readonly FieldError[];
}

/** The service responded with an error. */
export class PlatformError extends Error {
  /** HTTP status. */
  readonly status: number;
  readonly code: PlatformErrorCode;
  /** `X-Request-Id` of the response. It identifies the call in the logs of the service. */
  readonly requestId: string | null;
  /** `X-Turn-Id` of the response, if the call had started a turn. */
  readonly turnId: string | null;
  /** Seconds to wait before a retry, if the service specified them. */
  readonly retryAfter: number | null;
  /** What is wrong with which field, if the request was not valid (`VALIDATION_ERROR`). */
  readonly errors: readonly FieldError[];

  constructor(fields: PlatformErrorFields, options?: ErrorOptions) {
    super(fields.message, options);
    this.name = 'PlatformError';
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId;
    this.turnId = fields.turnId;
    this.retryAfter = fields.retryAfter;
    this.errors = fields.errors ?? [];
  }
}

/** There was no complete response: the service is unreachable or too slow, or the connection was lost. See `cause`. */
export class PlatformConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PlatformConnectionError';
  }
}

/** The response was not complete in time: `timeoutMs` of the client or the call. The call may still take effect. */
export class PlatformTimeoutError extends PlatformConnectionError {
  readonly timeoutMs: number;

  constructor(call: string, timeoutMs: number) {
    super(`No complete response to ${call} within ${timeoutMs} ms`);
    this.name = 'PlatformTimeoutError';
    this.timeoutMs = timeoutMs;
  }
}

export type AgentStreamErrorCode =
  | 'protocol_mismatch'
  | 'malformed_frame'
  | 'unsupported_method'
  | 'sequence_gap'
  | 'frame_after_end'
  | 'truncated';

/** The stream violated the protocol, or ended too early. */
export class AgentStreamError extends Error {
  readonly code: AgentStreamErrorCode;
  /** `seq` of the last valid frame; 0 if there was none. */
  readonly lastValidSeq: number;
  /** Frames that the failed `push` had decoded before the violation. */
  readonly validFrames: readonly Frame[];
  /** Set if the stream was read by an AgentStreamClient. */
  turnId: string | null = null;
  requestId: string | null = null;

  constructor(
    code: AgentStreamErrorCode,
    message: string,
    lastValidSeq: number,
    options?: ErrorOptions & { validFrames?: readonly Frame[] },
  ) {
    super(message, options);
    this.name = 'AgentStreamError';
    this.code = code;
    this.lastValidSeq = lastValidSeq;
    this.validFrames = options?.validFrames ?? [];
  }
}

interface AgentStreamFailure {
  code: ErrorCode | 'INTERRUPTED';
  message: string;
  turnId: string;
  requestId: string | null;
  retryable: boolean;
  retryAfter?: number;
  lastSeq: number;
}

/** The turn failed: its stream contains `error.occurred`. */
export class AgentStreamFailedError extends Error {
  readonly code: AgentStreamFailure['code'];
  readonly turnId: string;
  readonly requestId: string | null;
  /** Whether a retry with the same `turnId` could succeed. */
  readonly retryable: boolean;
  /** Seconds to wait before a retry, if the provider specified them. */
  readonly retryAfter: number | null;
  readonly lastSeq: number;

  constructor(failure: AgentStreamFailure) {
    super(failure.message);
    this.name = 'AgentStreamFailedError';
    this.code = failure.code;
    this.turnId = failure.turnId;
    this.requestId = failure.requestId;
    this.retryable = failure.retryable;
    this.retryAfter = failure.retryAfter ?? null;
    this.lastSeq = failure.lastSeq;
  }
}

/** The job ended without a result. */
export class AgentJobError extends Error {
  readonly status: Job['status'];
  /** Code of the job's error, or its status if it has none. */
  readonly code: string;
  readonly jobId: string;
  readonly turnId: string;
  readonly job: Job;

  constructor(job: Job) {
    super(job.error?.message ?? `The job ended as ${job.status}`);
    this.name = 'AgentJobError';
    this.status = job.status;
    this.code = job.error?.code ?? job.status;
    this.jobId = job.id;
    this.turnId = job.turnId;
    this.job = job;
  }
}

/** Returns the error for a failed response. A body that is not from the service is described by its status. */
export function toPlatformError(response: Response, body: string, now = Date.now()): PlatformError {
  const parsed = parseErrorBody(body);
  return new PlatformError({
    status: response.status,
    code: parsed?.code ?? findErrorCode(response.status),
    message: parsed?.message ?? `HTTP ${response.status} ${response.statusText}`.trimEnd(),
    requestId: response.headers.get('X-Request-Id'),
    turnId: response.headers.get('X-Turn-Id'),
    errors: parsed?.errors ?? [],
    retryAfter: parseRetryAfter(response.headers.get('Retry-After'), now),
  });
}

/** Returns the seconds of a `Retry-After` header, which contains either seconds or a date. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d+\s*$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

function parseErrorBody(body: string): { code: string; message: string; errors: FieldError[] } | null {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null) return null;
    const { code, message, errors } = parsed as Record<string, unknown>;
    if (typeof code !== 'string' || typeof message !== 'string') return null;
    return { code, message, errors: Array.isArray(errors) ? errors.filter(isFieldError) : [] };
  } catch {
    return null;
  }
}

function isFieldError(value: unknown): value is FieldError {
  if (typeof value !== 'object' || value === null) return false;
  const { path, message } = value as Record<string, unknown>;
  return typeof path === 'string' && typeof message === 'string';
}

function findErrorCode(status: number): PlatformErrorCode {
  const known = Object.entries(ERROR_STATUS).find(([, value]) => value === status);
  if (known !== undefined) return known[0];
  return status >= 500 ? 'SERVER_ERROR' : 'UNEXPECTED_RESPONSE';
}
