import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AgentsService } from '../agents/agents.service.ts';
import { isUuid } from '../infra/http/ids.ts';
import { BackgroundTurns } from '../turns/lifecycle/background-turns.service.ts';
import type { TurnRow } from '../turns/records/turn.ts';
import * as store from './jobs.store.ts';
import type { Owner, StoredJob } from './jobs.store.ts';

/** A job with the turn it is about. */
export type JobRow = StoredJob & { turn: TurnRow };

/** Jobs with their turns, as they are stored. */
@Injectable()
export class JobRecords {
  constructor(
    private readonly database: DataSource,
    private readonly turns: BackgroundTurns,
    private readonly agents: AgentsService,
  ) {}

  /** The user's job; 403 for one of another space, 404 for somebody else's. */
  async get(owner: Owner, id: string): Promise<JobRow> {
    return this.withTurn(await store.getOwnJob(this.database.manager, owner, id));
  }

  async listByIds(ids: readonly string[]): Promise<JobRow[]> {
    return this.withTurns(await store.listJobsByIds(this.database, ids));
  }

  /** The open jobs among ids that come from anywhere; null in the place of each that is none. */
  async findOpen(ids: readonly string[]): Promise<(JobRow | null)[]> {
    const known = new Set(ids.filter(isUuid));
    const open = known.size === 0 ? [] : await store.listOpenJobs(this.database, [...known]);
    const jobs = new Map((await this.withTurns(open)).map((job) => [job.id, job]));
    return ids.map((id) => jobs.get(id) ?? null);
  }

  /** The job that the key was used for. */
  async findByKey(owner: Owner, key: string): Promise<JobRow | null> {
    const job = await store.findJobByKey(this.database, owner, key);
    return job && this.withTurn(job);
  }

  /** The job over the user's turn of that id. */
  async findByTurn({ spaceId, userId }: Owner, agentId: string, turnId: string): Promise<JobRow | null> {
    const turn = await this.turns.find(agentId, userId, turnId);
    const job = turn && (await store.findJobByTurn(this.database, spaceId, turn.id));
    return job && { ...job, turn };
  }

  /** The user's jobs with agents that they may invoke, newest first, below an id. */
  async list(
    owner: Owner,
    filter: { status: StoredJob['status'] | null; agentId: string | null },
    below: string | null,
    count: number,
  ): Promise<JobRow[]> {
    const agents =
      filter.agentId === null ? await store.listAgentIds(this.database, owner) : [filter.agentId];
    const agentIds = await this.agents.accessibleAmong(owner, agents);
    const { status } = filter;
    return this.withTurns(await store.listJobs(this.database, owner, { status, agentIds }, below, count));
  }

  private async withTurns(jobs: StoredJob[]): Promise<JobRow[]> {
    const turns = await this.turns.byIds(jobs.map(({ turnRef }) => turnRef));
    return jobs.flatMap((job) => {
      const turn = turns.get(job.turnRef);
      return turn ? [{ ...job, turn }] : [];
    });
  }

  private async withTurn(job: StoredJob): Promise<JobRow> {
    const [found] = await this.withTurns([job]);
    if (found === undefined) throw new Error(`Job ${job.id} has no turn`);
    return found;
  }
}
