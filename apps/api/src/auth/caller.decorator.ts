import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { userOf, type UserPrincipal } from './principal.ts';

/** The calling user as a parameter of a route. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  userOf(context.switchToHttp().getRequest<Request>()),
);

/** Who did something, and in which request: what the audit log wants to know. */
export interface Act {
  by: UserPrincipal;
  requestId: string;
}

/** The calling user and the request as a parameter of a route that is audited. */
export const CallersAct = createParamDecorator((_: unknown, context: ExecutionContext): Act => {
  const req = context.switchToHttp().getRequest<Request>();
  return { by: userOf(req), requestId: req.requestId };
});
