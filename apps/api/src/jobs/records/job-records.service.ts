import { Injectable } from '@nestjs/common';
import { AgentsService } from '../../agents/agents.service.ts';
import { Database } from '../../infra/database/database.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { BackgroundTurnsService } from '../../turns/lifecycle/background-turns.service.ts';
import type { TurnRow } from '../../turns/records/turn.ts';
import * as store from './jobs.store.ts';
import type { JobEntity } from './job.entity.ts';
import type { Owner } from './jobs.store.ts';

/** A job with its turn. */
export type JobRow = JobEntity & { turn: TurnRow };

/** Reads jobs together with their turns. */
@Injectable()
export class JobRecordsService {
  constructor(
    private readonly database: Database,
    private readonly turns: BackgroundTurnsService,
    private readonly agents: AgentsService,
  ) {}

  /** Returns the user's job; throws 403 if it is in another space, 404 if it belongs to another user. */
  async get(owner: Owner, id: string): Promise<JobRow> {
    return this.withTurn(await store.getOwnJob(this.database.manager, owner, id));
  }

  async listByIds(ids: readonly string[]): Promise<JobRow[]> {
    return this.withTurns(await store.listJobsByIds(this.database.manager, ids));
  }

  /** Returns the open job for each id, or null. The ids are not trusted. */
  async findOpen(ids: readonly string[]): Promise<(JobRow | null)[]> {
    const known = new Set(ids.filter(isUuid));
    const open = known.size === 0 ? [] : await store.listOpenJobs(this.database.manager, [...known]);
    const jobs = new Map((await this.withTurns(open)).map((job) => [job.id, job]));
    return ids.map((id) => jobs.get(id) ?? null);
  }

  /** Returns the job that the key was used for. */
  async findByKey(owner: Owner, key: string): Promise<JobRow | null> {
    const job = await store.findJobByKey(this.database.manager, owner, key);
    return job && this.withTurn(job);
  }

  /** Returns the job of the user's turn. */
  async findByTurn({ spaceId, userId }: Owner, agentId: string, turnId: string): Promise<JobRow | null> {
    const turn = await this.turns.find(agentId, userId, turnId);
    const job = turn && (await store.findJobByTurn(this.database.manager, spaceId, turn.id));
    return job && { ...job, turn };
  }

  /** Lists the user's jobs with agents that the user can invoke, newest first, below an id. */
  async list(
    owner: Owner,
    filter: { status: JobEntity['status'] | null; agentId: string | null },
    below: string | null,
    count: number,
  ): Promise<JobRow[]> {
    const agents =
      filter.agentId === null ? await store.listAgentIds(this.database, owner) : [filter.agentId];
    const agentIds = await this.agents.accessibleAmong(owner, agents);
    const { status } = filter;
    const query = store.queryJobs(this.database.manager, owner, { status, agentIds }, below, count);
    return this.withTurns(await query.getMany());
  }

  private async withTurns(jobs: JobEntity[]): Promise<JobRow[]> {
    const turns = await this.turns.byIds(jobs.map(({ turnRef }) => turnRef));
    return jobs.flatMap((job) => {
      const turn = turns.get(job.turnRef);
      return turn ? [{ ...job, turn }] : [];
    });
  }

  private async withTurn(job: JobEntity): Promise<JobRow> {
    const [found] = await this.withTurns([job]);
    if (found === undefined) throw new Error(`Job ${job.id} has no turn`);
    return found;
  }
}
