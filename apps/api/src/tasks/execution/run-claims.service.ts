import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Batched } from '../../infra/database/batched.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { isUnavailable, whileUnavailable } from '../../infra/database/unavailable.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { ActiveRun } from './active-run.ts';
import * as store from './run-claims.store.ts';
import { RunLeasesWorker } from './run-leases.worker.ts';

/** Claims runs for this process. What is asked for while a claim is under way is claimed by the next statement. */
@Injectable()
export class RunClaimsService {
  private readonly claims: Batched<string, ActiveRun | null>;

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    leases: RunLeasesWorker,
  ) {
    this.claims = new Batched((ids) => this.claimAll(ids), leases.gathering);
  }

  /**
   * Claims the oldest run of a task, which is named by its own id or by that of a run that waits. Returns null if nothing
   * waits, or if the task has no free slot. The id is not trusted.
   */
  async claim(id: string): Promise<ActiveRun | null> {
    if (!isUuid(id)) return null;
    const active = await this.claims.get(id);
    if (active !== null) failpoint('runs.claimed', active.run.id);
    return active;
  }

  /** Whoever asks gets any of the runs, so that each is executed by one of them. */
  private async claimAll(ids: readonly string[]): Promise<(ActiveRun | null)[]> {
    const claimed: ActiveRun[] = [];
    for (let left = ids; left.length > 0;) {
      const { runs, tasks } = await this.claimOnce(left);
      claimed.push(...runs);
      left = await this.createSlots(tasks, runs);
    }
    return ids.map((_, i) => claimed[i] ?? null);
  }

  /** The statement may have succeeded although its response was lost: its tokens tell. */
  private async claimOnce(
    ids: readonly string[],
  ): Promise<{ runs: ActiveRun[]; tasks: store.ClaimedTask[] }> {
    const { runLeaseMs } = this.config;
    const askedAt = performance.now();
    const tokens = ids.map(() => randomUUID());
    const activate = ({ fencingToken, ...run }: store.FencedRun) => new ActiveRun(run, fencingToken, askedAt);
    try {
      const { runs, tasks } = await store.claimRuns(this.database, ids, tokens, runLeaseMs);
      return { runs: runs.map(activate), tasks };
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const find = () => store.findClaimedRuns(this.database, ids, tokens);
      const runs = await whileUnavailable(find, undefined, runLeaseMs / 2);
      return { runs: runs.map(activate), tasks: [] };
    }
  }

  /** Creates the slots that tasks lack, unless another process has. Returns the ids for which there may be a run now. */
  private async createSlots(
    tasks: readonly store.ClaimedTask[],
    claimed: readonly ActiveRun[],
  ): Promise<string[]> {
    const again: string[] = [];
    for (const { taskId, concurrency, hasSlots, ids } of tasks) {
      if (hasSlots) continue;
      const create = () => store.createSlots(this.database, taskId, concurrency);
      // A failure would also lose the runs that are claimed already.
      await whileUnavailable(create, undefined, this.config.runLeaseMs / 2);
      again.push(...ids.slice(claimed.filter(({ run }) => run.taskId === taskId).length));
    }
    return again;
  }
}
