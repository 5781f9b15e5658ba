import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { AgentsService } from '../../agents/agents.service.ts';
import { userOf } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import type { JobRow } from '../records/job-records.service.ts';
import { JobsService } from './jobs.service.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by `JobAccessGuard`: a job of the caller. */
    job?: JobRow;
  }
}

/** Requires that the agent in the body exists (404) and that the caller has access to it (403). */
@Injectable()
export class JobAgentGuard implements CanActivate {
  constructor(private readonly agents: AgentsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    const { agentId } = (req.body ?? {}) as { agentId?: unknown };
    // The pipe rejects anything else with 400.
    if (typeof agentId === 'string') req.agent = await this.agents.getInvocable(userOf(req), agentId);
    return true;
  }
}

/** Requires that `:jobId` is a job of the caller (404) who still has access to its agent (403). */
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
export const InvokesAgentInBody = () => applyDecorators(Access('agent', 'invoke'), UseGuards(JobAgentGuard));

/** For routes with `:jobId`. */
export const RequiresJobAccess = () => applyDecorators(Access('agent', 'invoke'), UseGuards(JobAccessGuard));

/** The job in the path. */
export const RequestedJob = createParamDecorator((_: unknown, context: ExecutionContext): JobRow => {
  const { job } = context.switchToHttp().getRequest<Request>();
  if (job === undefined) throw new Error('The route lacks @RequiresJobAccess()');
  return job;
});
