import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { AgentsService } from '../agents/agents.service.ts';
import { userOf } from '../auth/principal.ts';
import { Access } from '../infra/http/access.ts';
import type { JobRow } from './job-records.ts';
import { JobsService } from './jobs.service.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by the JobAccessGuard: the caller's own. */
    job?: JobRow;
  }
}

/** Lets a call through where the agent that the body names exists (404) and admits the caller (403). */
@Injectable()
export class JobAgentGuard implements CanActivate {
  constructor(private readonly agents: AgentsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    const { agentId } = (req.body ?? {}) as { agentId?: unknown };
    // Anything else is a 400, and the pipe says so.
    if (typeof agentId === 'string') req.agent = await this.agents.getInvocable(userOf(req), agentId);
    return true;
  }
}

/** Lets a call to `:jobId` through where it is the caller's own (404) and its agent still admits him (403). */
@Injectable()
export class JobAccessGuard implements CanActivate {
  constructor(private readonly jobs: JobsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request<{ jobId: string }>>();
    req.job = await this.jobs.get(userOf(req), req.params.jobId);
    return true;
  }
}

/** For the route that starts a job. */
export const InvokesAgentInBody = () => applyDecorators(Access('agent'), UseGuards(JobAgentGuard));

/** For routes about `:jobId`. */
export const RequiresJobAccess = () => applyDecorators(Access('agent'), UseGuards(JobAccessGuard));

/** The job that a route is about. */
export const RequestedJob = createParamDecorator((_: unknown, context: ExecutionContext): JobRow => {
  const { job } = context.switchToHttp().getRequest<Request>();
  if (job === undefined) throw new Error('The route is not under @ConcernsJob()');
  return job;
});
