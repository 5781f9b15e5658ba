import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { userOf } from './principal.ts';

/** The calling user as a parameter of a route. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  userOf(context.switchToHttp().getRequest<Request>()),
);
