import type { Response } from 'express';
import { AppError } from '../../infra/errors/app-error.ts';
import type { OpenAiErrorBody } from '../../infra/errors/openai-error.ts';
import type { OpenAiEndpoint } from '../../models/openai/openai-endpoint.ts';
import { forwardLimits } from './limit-headers.ts';
import type { RejectedCall } from './upstream-call.ts';

const FORWARDED_HEADERS = ['retry-after', 'retry-after-ms', 'x-should-retry'];

/** Whether the model server rejects the field that the relay added to the body. */
export function rejectsStreamOptions({ status, body }: RejectedCall): boolean {
  return (status === 400 || status === 422) && /stream_options|include_usage/.test(body);
}

/** Whether the model server has no such path. A 404 that names the model, a previous response, or an item is about that. */
export function isUnknownPath({ status, body }: RejectedCall): boolean {
  return status === 405 || (status === 404 && !/model|previous_response|item with id/i.test(body));
}

/** The error for models whose server has no Responses API. */
export function noResponsesApi(): AppError {
  const message =
    'The server of this model does not have the Responses API: use chat completions, POST /models/v1/chat/completions';
  return new AppError('NOT_FOUND', message, { openai: { code: 'responses_not_supported', param: 'model' } });
}

/**
 * Forwards an error with its status and body. Rejected credentials are those of the space, not of the caller, so they do
 * not become a 401. A body that contains the key or the address, or is not JSON, is replaced with a generic one.
 */
export function forwardError(res: Response, rejected: RejectedCall, endpoint: OpenAiEndpoint): void {
  const { status, headers, body } = rejected;
  if (status === 401 || status === 403 || status === 407) {
    throw unavailable('upstream_unauthorized', "The model's server rejected the credentials of the space");
  }
  if (status < 400) throw unavailable('upstream_bad_answer', "The model's server responded with a redirect");
  forwardLimits(res, headers, endpoint.secrets.bytes);
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
      message: `The model's server responded with HTTP ${status}`,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      code: 'upstream_error',
      param: null,
    },
  };
}

function isError(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

const unavailable = (code: string, message: string) =>
  new AppError('UNAVAILABLE', message, { openai: { code } });
