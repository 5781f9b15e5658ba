import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Job } from '@platform/contracts';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Database } from '../../infra/database/database.ts';
import { violates } from '../../infra/database/rows.ts';
import { conflict } from '../../infra/errors/app-error.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { BackgroundTurnsService } from '../../turns/lifecycle/background-turns.service.ts';
import { TurnChanged } from '../../turns/lifecycle/turn-start.ts';
import { UsageService } from '../../usage/usage.service.ts';
import { JobRecordsService, type JobRow } from '../records/job-records.service.ts';
import type { JobRequest } from './job-request.ts';
import { JobViewsService } from '../records/job-views.service.ts';
import { insertJob } from '../records/jobs.store.ts';

/** Creates jobs: one per idempotency key, and one per turn. */
@Injectable()
export class JobCreationService {
  constructor(
    private readonly database: Database,
    private readonly usage: UsageService,
    private readonly messaging: Messaging,
    private readonly turns: BackgroundTurnsService,
    private readonly records: JobRecordsService,
    private readonly views: JobViewsService,
  ) {}

  /** Queues a turn and its job. A repeated key or turn id returns the existing job, or 409 if the request differs. */
  async create(
    caller: UserPrincipal,
    agent: InvocableAgent,
    request: JobRequest,
    requestId: string,
  ): Promise<{ job: Job; isNew: boolean }> {
    for (;;) {
      const existing = await this.findExisting(caller, agent, request);
      if (existing) return { job: await this.views.describe(existing), isNew: false };
      const id = await this.queue(caller, agent, request, requestId);
      if (id === null) continue;
      await this.messaging.publish('job', [id]);
      return { job: await this.views.describe(await this.records.get(caller, id)), isNew: true };
    }
  }

  /** Returns the job that an earlier request with the key or turn id created; throws 409 if that request differs. */
  private async findExisting(
    caller: UserPrincipal,
    agent: InvocableAgent,
    { key, turnId, hash }: JobRequest,
  ): Promise<JobRow | null> {
    const ofKey = key === null ? null : await this.records.findByKey(caller, key);
    if (ofKey && !ofKey.requestHash.equals(hash))
      throw conflict(`The idempotency key ${key} was already used for another request`);
    if (ofKey || turnId === null) return ofKey;
    const ofTurn = await this.records.findByTurn(caller, agent.id, turnId);
    if (ofTurn && !ofTurn.requestHash.equals(hash)) throw turnTaken(turnId);
    return ofTurn;
  }

  /** Returns the id of the new job, or null if a concurrent request has used the key or the turn id. */
  private async queue(
    caller: UserPrincipal,
    agent: InvocableAgent,
    request: JobRequest,
    requestId: string,
  ): Promise<string | null> {
    const { spaceId, userId, causationRunId } = caller;
    await this.usage.assertBalance(this.database, spaceId, userId);
    const { form, contents, settings, hidden, key, hash, webhookUrl, timeoutMs } = request;
    const turnId = request.turnId ?? randomUUID();
    const sessionName = request.sessionName ?? randomUUID();
    const start = { caller, agent, contents, settings, hidden, turnId, sessionName, requestId };
    let id: string | null = null;
    try {
      await this.turns.queue(start, async (tx, turn) => {
        const job = { spaceId, userId, agentId: agent.id, turnRef: turn.id, sessionRef: turn.sessionRef };
        id = await insertJob(tx, {
          ...job,
          form,
          key,
          hash,
          requestId,
          webhookUrl,
          timeoutMs,
          causationRunId,
        });
      });
      return id;
    } catch (error) {
      if (violates(error, 'agent_job_key')) return null;
      if (!(error instanceof TurnChanged)) throw error;
      if (await this.records.findByTurn(caller, agent.id, turnId)) return null;
      throw turnTaken(turnId);
    }
  }
}

const turnTaken = (turnId: string) => conflict(`turnId ${turnId} was already used for another request`);
