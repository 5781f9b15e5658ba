import {
  Injectable,
  UseGuards,
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { userOf } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { LookAhead } from '../infra/routes/look-ahead.ts';
import type { InvocableAgent } from './invocable-agent.ts';
import { InvokedAgentsService } from './invoked-agents.service.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by the AgentAccessGuard; the caller may invoke the agent. */
    agent?: InvocableAgent;
  }
}

/** Admits a call to `:agentId` if the agent exists (404) and its access rule admits the caller (403). */
@Injectable()
export class AgentAccessGuard implements CanActivate {
  constructor(private readonly agents: InvokedAgentsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request<{ agentId: string }>>();
    req.agent = await this.agents.get(req as Request, userOf(req), req.params.agentId);
    return true;
  }
}

/** For controllers and routes that invoke `:agentId`. Requires the AgentsModule. */
export const InvokesAgent = () =>
  applyDecorators(Access('agent'), UseGuards(AgentAccessGuard), LookAhead(InvokedAgentsService));
