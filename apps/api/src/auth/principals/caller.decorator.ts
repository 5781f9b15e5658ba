import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { userOf, type UserPrincipal } from './principal.ts';

/** The calling user as a parameter of a route. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  userOf(context.switchToHttp().getRequest<Request>()),
);

/** A call that the audit log records: who made it, and in which request. */
export interface AuditedCall {
  by: UserPrincipal;
  requestId: string;
}

/** The audited call, as a parameter of a route. */
export const Audited = createParamDecorator((_: unknown, context: ExecutionContext): AuditedCall => {
  const req = context.switchToHttp().getRequest<Request>();
  return { by: userOf(req), requestId: req.requestId };
});
