import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isUnavailable } from '../database/unavailable.ts';
import { AppError, notFound, unavailable } from './app-error.ts';
import { openAiBody } from './openai-error.ts';
import { isRelayPath, maskedPath, pathOf } from './paths.ts';

const logger = new Logger('ErrorFilter');

/** Turns whatever was thrown into the error body of the API that was asked; what was not foreseen tells nothing. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(thrown, http.getRequest<Request>(), http.getResponse<Response>());
  }
}

/** Also used by the middleware in front of Nest, whose errors reach no filter. */
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
  res.status(error.status).json(isRelayPath(pathOf(req)) ? openAiBody(error) : error.body);
}

/** Reads any failure as the error the caller is told. */
function toAppError(thrown: unknown, req: Request): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof HttpException) {
    const status = thrown.getStatus();
    if (status === 404) return notFound(`No route ${req.method} ${pathOf(req)}`);
    if (status === 429) return new AppError('RATE_LIMITED', 'Too many requests; try again later');
    if (status === 413) return new AppError('PAYLOAD_TOO_LARGE', 'The body is too large');
    if (status < 500) return new AppError('VALIDATION_ERROR', thrown.message);
  }
  if (isUnavailable(thrown)) return databaseAway(thrown);
  return new AppError('SERVER_ERROR', 'Something went wrong on our side', { cause: thrown });
}

/** What is asked for may have been done all the same: the answer of the database is what is missing. */
const databaseAway = (cause: unknown) =>
  unavailable('The service could not do this in time; try again', { retryAfter: 2, cause });
