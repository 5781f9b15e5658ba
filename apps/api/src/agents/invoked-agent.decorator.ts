import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { InvocableAgent } from './invocable-agent.ts';

/** The agent that a route invokes, as the AgentAccessGuard let it through. */
export const InvokedAgent = createParamDecorator((_: unknown, context: ExecutionContext): InvocableAgent => {
  const { agent } = context.switchToHttp().getRequest<Request>();
  if (agent === undefined) throw new Error('The route is not under @InvokesAgent()');
  return agent;
});
