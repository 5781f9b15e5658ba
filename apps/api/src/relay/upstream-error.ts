import type { Response } from 'express';
import { AppError } from '../infra/http/app-error.ts';
import type { OpenAiErrorBody } from '../infra/http/openai-error.ts';
import type { OpenAiEndpoint } from '../models/openai-endpoint.ts';
import type { RejectedCall } from './upstream-call.ts';

const FORWARDED_HEADERS = ['retry-after', 'retry-after-ms', 'x-should-retry'];

/** Whether the model's server refuses what the relay added to the caller's body. */
export function rejectsStreamOptions({ status, body }: RejectedCall): boolean {
  return (status === 400 || status === 422) && /stream_options|include_usage/.test(body);
}

/**
 * Hands a refusal on with its status and body. Credentials are between the space and the server, so their refusal
 * is no 401 of the caller's; a body that would tell key or address, or is no JSON, gives way to our words.
 */
export function forwardError(res: Response, refused: RejectedCall, endpoint: OpenAiEndpoint): void {
  const { status, headers, body } = refused;
  if (status === 401 || status === 403 || status === 407) {
    throw unavailable('upstream_unauthorized', "The model's server refused the credentials of the space");
  }
  if (status < 400)
    throw unavailable('upstream_bad_answer', "The model's server sends its callers elsewhere");
  for (const name of FORWARDED_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') res.setHeader(name, endpoint.secrets.bytes.mask(value));
  }
  res.status(status).setHeader('Content-Type', 'application/json');
  res.end(isError(body) && endpoint.mayTell(body) ? body : JSON.stringify(genericError(status)));
}

function genericError(status: number): OpenAiErrorBody {
  return {
    error: {
      message: `The model's server answered HTTP ${status}`,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      code: 'upstream_error',
      param: null,
    },
  };
}

function isError(body: string): boolean {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' && answer !== null;
  } catch {
    return false;
  }
}

const unavailable = (code: string, message: string) =>
  new AppError('UNAVAILABLE', message, { openai: { code } });
