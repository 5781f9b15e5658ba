/** The error codes of the API and their HTTP status. */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_TOKENS: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  STREAM_PROTOCOL_REQUIRED: 426,
  RATE_LIMITED: 429,
  SERVER_ERROR: 500,
  TOOL_ERROR: 502,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The body of every error response. */
export interface ErrorBody {
  success: false;
  /** One or more sentences that name the field and what is expected. */
  message: string;
  code: ErrorCode;
}
