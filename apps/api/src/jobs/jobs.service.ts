import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Job, Page } from '@platform/contracts';
import { DataSource } from 'typeorm';
import type { InvocableAgent } from '../agents/agent-row.ts';
import { AgentsService } from '../agents/agents.service.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { violates } from '../infra/database/rows.ts';
import { conflict } from '../infra/http/app-error.ts';
import { Cursors } from '../infra/http/cursors.ts';
import { Messaging } from '../infra/messaging/messaging.ts';
import { CancellationService } from '../turns/cancellation.service.ts';
import { ClaimMissed, TurnClaims } from '../turns/turn-claims.ts';
import { UsageService } from '../usage/usage.service.ts';
import type { JobRequest } from './job-request.ts';
import { hasEnded, standing } from './job-state.ts';
import { JobViews } from './job-views.ts';
import { JobWatch } from './job-watch.ts';
import type { JobQueryDto } from './jobs.dto.ts';
import * as store from './jobs.store.ts';
import type { JobRow } from './jobs.store.ts';

/** Jobs as their owners see them: started once, listed, waited for, cancelled. */
@Injectable()
export class JobsService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
    private readonly agents: AgentsService,
    private readonly usage: UsageService,
    private readonly claims: TurnClaims,
    private readonly cancellation: CancellationService,
    private readonly messaging: Messaging,
    private readonly views: JobViews,
    private readonly watch: JobWatch,
  ) {}

  /** Queues a turn and the job over it. The same key, or the same turn, again: the first job, or 409. */
  async create(
    caller: UserPrincipal,
    agent: InvocableAgent,
    request: JobRequest,
    requestId: string,
  ): Promise<{ job: Job; isNew: boolean }> {
    for (;;) {
      const known = await this.known(caller, agent, request);
      if (known) return { job: await this.views.whole(known), isNew: false };
      const id = await this.queue(caller, agent, request, requestId);
      if (id === null) continue;
      await this.messaging.publish('job', [id]);
      const made = await this.views.whole(await store.ownJob(this.database, caller, id));
      return { job: await this.told(made), isNew: true };
    }
  }

  async list(caller: UserPrincipal, { limit, cursor, status, agentId }: JobQueryDto): Promise<Page<Job>> {
    const filter = { status: status ?? null, agentId: agentId ?? null };
    const bound = { jobsOf: caller.userId, in: caller.spaceId, ...filter };
    const below = this.cursors.idAfter(cursor, bound);
    const found = await store.listJobs(this.database, caller, filter, below, limit + 1);
    const told = await this.views.of(found);
    return this.cursors.page(
      told,
      limit,
      bound,
      ({ id }) => [id],
      (job) => job,
    );
  }

  /** The caller's own job; 404 for anybody else's, 403 where its agent no longer admits him. */
  async find(caller: UserPrincipal, jobId: string): Promise<JobRow> {
    const job = await store.ownJob(this.database, caller, jobId);
    await this.agents.invocable(caller, job.turn.agentId);
    return job;
  }

  /** How the job stands; with `waitMs` as soon as that is news, compared with the last answer to its owner. */
  async describe(caller: UserPrincipal, row: JobRow, waitMs: number, left: AbortSignal): Promise<Job> {
    const now = await this.views.whole(row);
    if (waitMs === 0 || hasEnded(row.status) || standing(now) !== row.told) return this.told(now);
    await this.watch.change(now, AbortSignal.any([left, AbortSignal.timeout(waitMs)]));
    return this.told(await this.views.whole(await store.ownJob(this.database, caller, row.id)));
  }

  /** Asks the job to stop; what has ended stays as it is. */
  async cancel(caller: UserPrincipal, { id }: JobRow): Promise<Job> {
    if (await store.requestCancel(this.database, id)) {
      const { turn } = await store.ownJob(this.database, caller, id);
      await this.cancellation.stop(turn);
      await this.messaging.publish('job', [id]);
    }
    return this.views.whole(await store.ownJob(this.database, caller, id));
  }

  private async told(job: Job): Promise<Job> {
    await store.keepTold(this.database, job.id, standing(job));
    return job;
  }

  /** The job that the request was sent for before; 409 where it was another request. */
  private async known(
    caller: UserPrincipal,
    agent: InvocableAgent,
    { key, turnId, hash }: JobRequest,
  ): Promise<JobRow | null> {
    const ofKey = key === null ? null : await store.jobOfKey(this.database, caller, key);
    if (ofKey && !ofKey.requestHash.equals(hash))
      throw conflict(`The idempotency key ${key} was already used for another request`);
    if (ofKey || turnId === null) return ofKey;
    const ofTurn = await store.jobOfTurn(this.database, caller, agent.id, turnId);
    if (ofTurn && !ofTurn.requestHash.equals(hash)) throw turnTaken(turnId);
    return ofTurn;
  }

  /** The new job's id; null where somebody else was first with its key or its turn. */
  private async queue(
    caller: UserPrincipal,
    agent: InvocableAgent,
    request: JobRequest,
    requestId: string,
  ): Promise<string | null> {
    const { spaceId, userId } = caller;
    await this.usage.assertBalance(this.database, spaceId, userId);
    const { form, contents, settings, hidden, key, hash, webhookUrl, timeoutMs } = request;
    const turnId = request.turnId ?? randomUUID();
    const sessionName = request.sessionName ?? randomUUID();
    const start = { caller, agent, contents, settings, hidden, turnId, sessionName, requestId };
    let id: string | null = null;
    try {
      await this.claims.queue(start, async (tx, turnRef) => {
        const job = { spaceId, userId, agentId: agent.id, turnRef, form, key, hash, requestId };
        const { republishAfterMs } = this.messaging.pace;
        id = await store.insertJob(tx, { ...job, webhookUrl, timeoutMs }, republishAfterMs);
      });
      return id;
    } catch (error) {
      if (violates(error, 'agent_job_key')) return null;
      if (!(error instanceof ClaimMissed)) throw error;
      if (await store.jobOfTurn(this.database, caller, agent.id, turnId)) return null;
      throw turnTaken(turnId);
    }
  }
}

const turnTaken = (turnId: string) => conflict(`turnId ${turnId} was already used for another request`);
