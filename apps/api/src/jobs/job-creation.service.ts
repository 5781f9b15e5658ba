import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Job } from '@platform/contracts';
import { DataSource } from 'typeorm';
import type { InvocableAgent } from '../agents/invocable-agent.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { violates } from '../infra/database/rows.ts';
import { conflict } from '../infra/http/app-error.ts';
import { Messaging } from '../infra/messaging/messaging.ts';
import { BackgroundTurns } from '../turns/lifecycle/background-turns.service.ts';
import { TurnChanged } from '../turns/lifecycle/turn-start.ts';
import { UsageService } from '../usage/usage.service.ts';
import { JobRecords, type JobRow } from './job-records.ts';
import type { JobRequest } from './job-request.ts';
import { JobViews } from './job-views.ts';
import { insertJob } from './jobs.store.ts';

/** Takes jobs in: once per key, and once per turn. */
@Injectable()
export class JobCreation {
  constructor(
    private readonly database: DataSource,
    private readonly usage: UsageService,
    private readonly messaging: Messaging,
    private readonly turns: BackgroundTurns,
    private readonly records: JobRecords,
    private readonly views: JobViews,
  ) {}

  /** Queues a turn and the job over it. The same key, or the same turn, again: the first job, or 409. */
  async create(
    caller: UserPrincipal,
    agent: InvocableAgent,
    request: JobRequest,
    requestId: string,
  ): Promise<{ job: Job; isNew: boolean }> {
    for (;;) {
      const findExisting = await this.known(caller, agent, request);
      if (findExisting) return { job: await this.views.describe(findExisting), isNew: false };
      const id = await this.queue(caller, agent, request, requestId);
      if (id === null) continue;
      await this.messaging.publish('job', [id]);
      return { job: await this.views.describe(await this.records.get(caller, id)), isNew: true };
    }
  }

  /** The job that the request was sent for before; 409 if it was another request. */
  private async known(
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

  /** The new job's id; null if somebody else was first with its key or its turn. */
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
