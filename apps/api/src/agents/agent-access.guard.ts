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
import { FairQueue } from '../infra/runtime/fair-queue.ts';
import { AgentsService } from './agents.service.ts';
import type { InvocableAgent } from './invocable-agent.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by the AgentAccessGuard; the caller may invoke the agent. */
    agent?: InvocableAgent;
  }
}

/** Hundreds of concurrent calls of one user must leave connections to other users. */
const CONCURRENT_CHECKS = 4;

/** Admits a call to `:agentId` if the agent exists (404) and its access rule admits the caller (403). */
@Injectable()
export class AgentAccessGuard implements CanActivate {
  private readonly checks = new FairQueue({ places: CONCURRENT_CHECKS });

  constructor(private readonly agents: AgentsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request<{ agentId: string }>>();
    const caller = userOf(req);
    req.agent = await this.checks.run(caller.userId, () =>
      this.agents.getInvocable(caller, req.params.agentId),
    );
    return true;
  }
}

/** For controllers and routes that invoke `:agentId`. Requires the AgentsModule. */
export const InvokesAgent = () => applyDecorators(Access('agent', 'invoke'), UseGuards(AgentAccessGuard));
