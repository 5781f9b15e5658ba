/** Every error code the API answers with, and the HTTP status it travels under. */
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

/** The body of every failed call. */
export interface ErrorBody {
  success: false;
  /** One or more plain sentences; names the field and what was expected. */
  message: string;
  code: ErrorCode;
}
