import { Injectable } from '@nestjs/common';
import type { Job, Page } from '@platform/contracts';
import { AgentsService } from '../../agents/agents.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { JobEndingsService } from './job-endings.service.ts';
import { JobRecordsService, type JobRow } from '../records/job-records.service.ts';
import { hasEnded } from '../records/job-state.ts';
import { matchesVersion, computeVersion } from '../records/job-version.ts';
import { JobViewsService } from '../records/job-views.service.ts';
import { JobWatchService } from './job-watch.service.ts';
import type { JobQueryDto } from './jobs.dto.ts';

/** How long a caller waits for a change, and from which version. */
export interface JobWait {
  /** Milliseconds; 0 to return immediately. */
  waitMs: number;
  /** The `If-None-Match` header: the versions that the caller has. */
  seen: string | undefined;
  /** Aborts when the caller disconnects. */
  disconnected: AbortSignal;
}

/** Lists, describes, and cancels the jobs of a caller. */
@Injectable()
export class JobsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly cursors: Cursors,
    private readonly records: JobRecordsService,
    private readonly views: JobViewsService,
    private readonly watch: JobWatchService,
    private readonly endings: JobEndingsService,
  ) {}

  async list(caller: UserPrincipal, { limit, cursor, status, agentId }: JobQueryDto): Promise<Page<Job>> {
    const filter = { status: status ?? null, agentId: agentId ?? null };
    const bound = { jobsOf: caller.userId, in: caller.spaceId, ...filter };
    const below = this.cursors.idAfter(cursor, bound);
    const found = await this.records.list(caller, filter, below, limit + 1);
    const jobs = await this.views.describeAll(found);
    return this.cursors.page(
      jobs,
      limit,
      bound,
      ({ id }) => [id],
      (job) => job,
    );
  }

  /** Returns a job of the caller; throws 404 for another user's job, 403 if the caller lost access to the agent. */
  async get(caller: UserPrincipal, jobId: string): Promise<JobRow> {
    const job = await this.records.get(caller, jobId);
    await this.agents.getInvocable(caller, job.turn.agentId);
    return job;
  }

  /**
   * Describes a job, with its input if wanted, after waiting for a version that the caller does not have. Keeps no state between
   * calls.
   */
  async describe(
    caller: UserPrincipal,
    row: JobRow,
    { waitMs, seen, disconnected }: JobWait,
    hasInput: boolean,
  ): Promise<{ job: Job; isSeen: boolean }> {
    const input: Pick<Job, 'input'> = hasInput ? { input: await this.views.describeInput(row) } : {};
    let job: Job = { ...(await this.views.describe(row)), ...input };
    const isSeen = () => seen !== undefined && matchesVersion(seen, computeVersion(job));
    if (waitMs === 0 || !isSeen()) return { job, isSeen: isSeen() };
    const timeout = AbortSignal.any([disconnected, AbortSignal.timeout(waitMs)]);
    while (isSeen() && !hasEnded(job.status) && !timeout.aborted && !this.watch.isClosed) {
      await this.watch.waitForChange(row, job, timeout);
      row = await this.records.get(caller, row.id);
      job = { ...(await this.views.describe(row)), ...input };
    }
    return { job, isSeen: isSeen() };
  }

  /** Requests the cancellation of a job; has no effect if it has ended. */
  async cancel(caller: UserPrincipal, row: JobRow): Promise<Job> {
    await this.endings.cancel(row);
    return this.views.describe(await this.records.get(caller, row.id));
  }
}
