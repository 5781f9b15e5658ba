import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isUnavailable } from '../database/unavailable.ts';
import { AppError, notFound, unavailable } from './app-error.ts';
import { oauthBody } from './oauth-error.ts';
import { openAiBody } from './openai-error.ts';
import { isOAuthPath, isRelayPath, maskedPath, pathOf } from '../routes/paths.ts';

const logger = new Logger('ErrorFilter');

/** Converts whatever was thrown into the error body of the called API. Unexpected errors reveal nothing. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(thrown, http.getRequest<Request>(), http.getResponse<Response>());
  }
}

/** Sends an error. Middleware calls it too, because its errors do not reach the filter. */
export function sendError(thrown: unknown, req: Request, res: Response): void {
  const error = toAppError(thrown, req);
  const about = { err: thrown, requestId: req.requestId, method: req.method, path: maskedPath(pathOf(req)) };
  if (error.code === 'SERVER_ERROR') logger.error(about);
  else if (error !== thrown && error.code === 'UNAVAILABLE') logger.warn(about);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  if (error.retryAfter !== undefined) res.setHeader('Retry-After', Math.ceil(error.retryAfter));
  res.status(error.status).json(bodyOf(error, pathOf(req)));
}

function bodyOf(error: AppError, path: string): object {
  if (isRelayPath(path)) return openAiBody(error);
  return isOAuthPath(path) ? oauthBody(error) : error.body;
}

/** The error that the caller receives for a failure of the request. */
function toAppError(thrown: unknown, req: Request): AppError {
  if (thrown instanceof HttpException) {
    const status = thrown.getStatus();
    if (status === 404) return notFound(`No route ${req.method} ${pathOf(req)}`);
    if (status === 429) return new AppError('RATE_LIMITED', 'Too many requests; try again later');
    if (status === 413) return new AppError('PAYLOAD_TOO_LARGE', 'The body is too large');
    if (status < 500) return new AppError('VALIDATION_ERROR', thrown.message);
  }
  return asAppError(thrown);
}

/** The error that the caller receives for a failure of the work. */
export function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isUnavailable(thrown)) return databaseUnavailable(thrown);
  return new AppError('SERVER_ERROR', 'Something went wrong on our side', { cause: thrown });
}

/** The operation may have succeeded: only the response of the database is missing. */
const databaseUnavailable = (cause: unknown) =>
  unavailable('The service could not do this in time; try again', { retryAfter: 2, cause });
