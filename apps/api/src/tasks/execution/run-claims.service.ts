import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import type { PreparedSql } from '../../infra/database/rows.ts';
import { isUnavailable, whileUnavailable } from '../../infra/database/unavailable.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { ActiveRun } from './active-run.ts';
import * as store from './run-claims.store.ts';

interface Claimed {
  runs: ActiveRun[];
  tasks: store.ClaimedTask[];
}

/** The statement may have succeeded although its response was lost: its tokens tell. */
export interface OpenClaim {
  claim(tx: PreparedSql): Promise<Claimed>;
  /** Returns what was claimed if it is not known whether that was stored. */
  find(): Promise<ActiveRun[]>;
}

/** Claims runs for this process. */
@Injectable()
export class RunClaimsService {
  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
  ) {}

  /** Claims the oldest runs of tasks, as many as are wanted, wait, and have a free slot. */
  async claim(wanted: readonly store.WantedRuns[]): Promise<ActiveRun[]> {
    const claimed: ActiveRun[] = [];
    for (let left = wanted; left.length > 0;) {
      const { runs, tasks } = await this.claimOnce(left);
      claimed.push(...runs);
      left = await this.createSlots(left, tasks, runs);
    }
    for (const { run } of claimed) failpoint('runs.claimed', run.id);
    return claimed;
  }

  /** Returns what the run has stored; null if that is nothing. */
  findProgress({ run }: ActiveRun): Promise<store.RunProgress> {
    return store.findProgress(this.database, run.id, run.attempt);
  }

  /** Whether the task has another owner than the one for whom the run was claimed. */
  hasOtherOwner({ run }: ActiveRun): Promise<boolean> {
    return store.hasOtherOwner(this.database, run.taskId, run.ownerUserId);
  }

  /** A single claim, also within a transaction. Slots that tasks lack are not created. */
  openClaim(wanted: readonly store.WantedRuns[]): OpenClaim {
    const { runLeaseMs } = this.config;
    const askedAt = performance.now();
    const tokens = wanted.flatMap(({ count }) => Array.from({ length: count }, () => randomUUID()));
    const activate = ({ fencingToken, ...run }: store.FencedRun) => new ActiveRun(run, fencingToken, askedAt);
    return {
      claim: async (tx) => {
        const { runs, tasks } = await store.claimRuns(this.database, tx, wanted, tokens, runLeaseMs);
        return { runs: runs.map(activate), tasks };
      },
      find: async () => {
        const find = () => store.findClaimedRuns(this.database, wanted, tokens);
        return (await whileUnavailable(find, undefined, runLeaseMs / 2)).map(activate);
      },
    };
  }

  private async claimOnce(wanted: readonly store.WantedRuns[]): Promise<Claimed> {
    const open = this.openClaim(wanted);
    try {
      return await open.claim(this.database);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return { runs: await open.find(), tasks: [] };
    }
  }

  /** Creates the slots that tasks lack, unless another process has. Returns what may be claimed now. */
  private async createSlots(
    wanted: readonly store.WantedRuns[],
    tasks: readonly store.ClaimedTask[],
    claimed: readonly ActiveRun[],
  ): Promise<store.WantedRuns[]> {
    const again: store.WantedRuns[] = [];
    for (const { taskId, concurrency, hasSlots } of tasks) {
      if (hasSlots) continue;
      const create = () => store.createSlots(this.database, taskId, concurrency);
      // A failure would also lose the runs that are claimed already.
      await whileUnavailable(create, undefined, this.config.runLeaseMs / 2);
      const { count = 0 } = wanted.find((one) => one.taskId === taskId) ?? {};
      const left = count - claimed.filter(({ run }) => run.taskId === taskId).length;
      if (left > 0) again.push({ taskId, count: left });
    }
    return again;
  }
}
