import type { ErrorCode } from '@platform/contracts';
import type { AppError } from './app-error.ts';

/** The error body of OpenAI's API. */
export interface OpenAiErrorBody {
  error: { message: string; type: string; code: string; param: string | null };
}

/** OpenAI's names for our codes, or names in its style if it has none. */
const WORDS: Record<ErrorCode, { type: string; code: string }> = {
  VALIDATION_ERROR: { type: 'invalid_request_error', code: 'invalid_request' },
  UNAUTHORIZED: { type: 'invalid_request_error', code: 'invalid_api_key' },
  INSUFFICIENT_TOKENS: { type: 'insufficient_quota', code: 'insufficient_quota' },
  FORBIDDEN: { type: 'invalid_request_error', code: 'forbidden' },
  NOT_FOUND: { type: 'invalid_request_error', code: 'unknown_url' },
  CONFLICT: { type: 'invalid_request_error', code: 'conflict' },
  QUOTA_EXCEEDED: { type: 'invalid_request_error', code: 'quota_exceeded' },
  PAYLOAD_TOO_LARGE: { type: 'invalid_request_error', code: 'request_too_large' },
  STREAM_PROTOCOL_REQUIRED: { type: 'invalid_request_error', code: 'upgrade_required' },
  RATE_LIMITED: { type: 'requests', code: 'rate_limit_exceeded' },
  SERVER_ERROR: { type: 'server_error', code: 'internal_error' },
  TOOL_ERROR: { type: 'server_error', code: 'bad_gateway' },
  UNAVAILABLE: { type: 'server_error', code: 'service_unavailable' },
};

/** Converts an error to the body that the relay sends. */
export function openAiBody({ code, message, openai }: AppError): OpenAiErrorBody {
  const words = WORDS[code];
  return {
    error: { message, type: words.type, code: openai.code ?? words.code, param: openai.param ?? null },
  };
}
