import { Injectable } from '@nestjs/common';
import { AgentsService } from '../../agents/agents.service.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { AppError, forbidden, notFound } from '../../infra/errors/app-error.ts';
import { BackgroundTurnsService } from '../../turns/lifecycle/background-turns.service.ts';
import { TurnChanged } from '../../turns/lifecycle/turn-start.ts';
import * as queue from './job-queue.store.ts';
import type { JobRow } from '../records/job-records.service.ts';
import { endInterrupted } from '../records/jobs.store.ts';

/** `later`: the turn cannot start now. `moved`: the state of the job has changed, so it must be handled again. */
export type ClaimOutcome = { streamId: string } | 'parked' | 'later' | 'moved';

/** Claims the turns of jobs that were picked from the queue. */
@Injectable()
export class JobClaimsService {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly identity: IdentityService,
    private readonly agents: AgentsService,
    private readonly turns: BackgroundTurnsService,
  ) {}

  /** Runs the turn of a picked job in this process, unless it must wait or is not allowed to run. */
  async claim(job: JobRow): Promise<ClaimOutcome> {
    const { id, turn } = job;
    const from = turn.status;
    if ((from !== 'QUEUED' && from !== 'FAILED') || job.cancelRequested || job.timedOut) {
      await queue.requeue(this.database, id, null);
      return 'moved';
    }
    if (await this.parkIfBlocked(job)) return 'parked';
    try {
      if (turn.sessionDeleted) throw notFound(`Session ${turn.sessionName} is deleted`);
      const by = { agent: await this.getAgent(job), userId: job.userId, requestId: job.requestId };
      const { streamId } = await this.turns.run(turn, from, by, async (tx) => {
        if (!(await queue.claimJob(tx, id, from === 'FAILED'))) throw new TurnChanged();
      });
      return { streamId };
    } catch (error) {
      const outcome = classifyError(error);
      if (outcome === 'rejected') await this.fail(job, from, error as AppError);
      else await queue.requeue(this.database, id, outcome === 'later' ? 'READY' : null);
      return outcome === 'later' ? 'later' : 'moved';
    }
  }

  /** Parks a job whose session is busy. The transaction that frees the session waits for this one, so it sees the job. */
  private parkIfBlocked({ id, turn }: JobRow): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await this.turns.lockAhead(tx, turn))) return false;
      await queue.park(tx, id, turn.sessionRef);
      return true;
    });
  }

  /** Returns the agent; throws if the owner can no longer invoke it. */
  private async getAgent({ turn }: JobRow) {
    if (!(await this.identity.isMember(turn.spaceId, turn.userId)))
      throw forbidden('The owner of the job is no longer a member of the space');
    return this.agents.getInvocable(turn, turn.agentId);
  }

  private async fail({ id, turn }: JobRow, from: 'QUEUED' | 'FAILED', { code, message }: AppError) {
    if (from === 'QUEUED') await this.turns.reject(turn, { code, message, retryable: false });
    else await endInterrupted(this.database, id, 'FAILED', turn);
  }
}

function classifyError(error: unknown): 'later' | 'moved' | 'rejected' {
  if (error instanceof TurnChanged) return 'moved';
  if (!(error instanceof AppError)) throw error;
  // A busy session, a user at the limit of running turns, or a shutdown says nothing about the job.
  const isTemporary =
    error.code === 'CONFLICT' || error.code === 'RATE_LIMITED' || error.retryAfter !== undefined;
  return isTemporary ? 'later' : 'rejected';
}
