import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { invalid, invalidFor } from '../errors/app-error.ts';
import { unknownFieldProblems } from './free-form.ts';

/**
 * Rejects body fields for routes that read none, as `BodyPipe` rejects unknown fields for others. It is an interceptor
 * so that it runs after the guards: a caller without access gets 403 first.
 */
@Injectable()
export class NoBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<Request<unknown, unknown, unknown>>();
    if (typeof body === 'object' && body !== null && !readsBody(context)) assertNoFields(body);
    return next.handle();
  }
}

function readsBody(context: ExecutionContext): boolean {
  const parameters = (Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  ) ?? {}) as object;
  return Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
}

function assertNoFields(body: object): void {
  if (Array.isArray(body) || Buffer.isBuffer(body)) throw invalid('The body must be a JSON object');
  const given = Object.entries(body).filter(([, value]) => value !== null);
  if (given.length > 0) throw invalidFor(unknownFieldProblems(Object.fromEntries(given), [], 'The body'));
}
