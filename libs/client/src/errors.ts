import { ERROR_STATUS } from '@platform/contracts';
import type { ErrorCode, Frame, Job } from '@platform/contracts';

/** A code of the API's table, or what a newer service or something between answered. */
export type PlatformErrorCode = ErrorCode | 'UNEXPECTED_ANSWER' | (string & {});

interface PlatformErrorFields {
  status: number;
  code: PlatformErrorCode;
  message: string;
  requestId: string | null;
  turnId: string | null;
  retryAfter: number | null;
}

/** The service answered, and the answer is a refusal or a failure. */
export class PlatformError extends Error {
  /** HTTP status. */
  readonly status: number;
  readonly code: PlatformErrorCode;
  /** `X-Request-Id` of the answer; names the call in the service's logs. */
  readonly requestId: string | null;
  /** `X-Turn-Id` of the answer, where the call had started a turn. */
  readonly turnId: string | null;
  /** Seconds after which the service asks to be called again. */
  readonly retryAfter: number | null;

  constructor(fields: PlatformErrorFields, options?: ErrorOptions) {
    super(fields.message, options);
    this.name = 'PlatformError';
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId;
    this.turnId = fields.turnId;
    this.retryAfter = fields.retryAfter;
  }
}

/** No complete answer came: unreachable, cut off or too slow. `cause` holds the reason. */
export class PlatformConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PlatformConnectionError';
  }
}

export type AgentStreamErrorCode =
  | 'protocol_mismatch'
  | 'malformed_frame'
  | 'unsupported_method'
  | 'sequence_gap'
  | 'frame_after_end'
  | 'truncated';

/** The stream itself is wrong: it broke a rule of the protocol, or ended too early. */
export class AgentStreamError extends Error {
  readonly code: AgentStreamErrorCode;
  /** `seq` of the last frame that was in order; 0 before the first. */
  readonly lastValidSeq: number;
  /** Frames that the failing `push` had decoded before it met the violation. */
  readonly validFrames: readonly Frame[];
  /** Known where a stream client read the stream. */
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

/** The turn failed and said so by `error.occurred`. */
export class AgentStreamFailedError extends Error {
  readonly code: AgentStreamFailure['code'];
  readonly turnId: string;
  readonly requestId: string | null;
  /** Whether sending the same turn again may succeed. */
  readonly retryable: boolean;
  /** Seconds after which it may succeed, where the provider told it. */
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
  /** Of the job's error; where it tells none, its status. */
  readonly code: string;
  readonly jobId: string;
  readonly turnId: string;
  readonly job: Job;

  constructor(job: Job) {
    super(job.error?.message ?? `The job is ${job.status}`);
    this.name = 'AgentJobError';
    this.status = job.status;
    this.code = job.error?.code ?? job.status;
    this.jobId = job.id;
    this.turnId = job.turnId;
    this.job = job;
  }
}

/** Reads a failed answer; bodies that are not the service's own are described by their status. */
export function errorOf(response: Response, body: string, now = Date.now()): PlatformError {
  const said = parseErrorBody(body);
  return new PlatformError({
    status: response.status,
    code: said?.code ?? codeOf(response.status),
    message: said?.message ?? `HTTP ${response.status} ${response.statusText}`.trimEnd(),
    requestId: response.headers.get('X-Request-Id'),
    turnId: response.headers.get('X-Turn-Id'),
    retryAfter: parseRetryAfter(response.headers.get('Retry-After'), now),
  });
}

/** Seconds from a `Retry-After` header, which holds seconds or a date. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d+\s*$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}

function parseErrorBody(body: string): { code: string; message: string } | null {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null) return null;
    const { code, message } = parsed as Record<string, unknown>;
    return typeof code === 'string' && typeof message === 'string' ? { code, message } : null;
  } catch {
    return null;
  }
}

function codeOf(status: number): PlatformErrorCode {
  const known = Object.entries(ERROR_STATUS).find(([, value]) => value === status);
  if (known !== undefined) return known[0];
  return status >= 500 ? 'SERVER_ERROR' : 'UNEXPECTED_ANSWER';
}
