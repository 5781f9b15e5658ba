import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../infra/database/background-database.ts';
import { isUnavailable, whileUnavailable } from '../infra/database/unavailable.ts';
import { failpoint } from '../infra/failpoints.ts';
import { isUuid } from '../infra/http/ids.ts';
import { ActiveRun } from './active-run.ts';
import { claimRun, createSlots, findClaimedRun, type Claim, type ClaimedRun } from './run-claims.store.ts';

/** Claims runs for this process. */
@Injectable()
export class RunClaims {
  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
  ) {}

  /**
   * Claims the oldest run of the task that the named run belongs to. Returns null if the run no longer waits, or if the
   * task has no free slot. The id is not trusted.
   */
  async claim(runId: string): Promise<ActiveRun | null> {
    if (!isUuid(runId)) return null;
    const claim = { runId, fencingToken: randomUUID() };
    const askedAt = performance.now();
    const run = await this.claimSlot(claim);
    if (run === null) return null;
    failpoint('runs.claimed', run.id);
    return new ActiveRun(run, claim.fencingToken, askedAt);
  }

  private async claimSlot(claim: Claim): Promise<ClaimedRun | null> {
    for (;;) {
      const attempt = await this.tryClaim(claim);
      if (attempt === null) return null;
      const { run, taskId, concurrency, slots } = attempt;
      if (run !== null) return run;
      if (slots >= concurrency || (await createSlots(this.database, taskId, concurrency)) === 0) return null;
    }
  }

  /** The statement may have succeeded although its response was lost: its token tells. */
  private async tryClaim(claim: Claim) {
    const { runLeaseMs } = this.config;
    try {
      return await claimRun(this.database, claim, runLeaseMs);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const run = await whileUnavailable(
        () => findClaimedRun(this.database, claim),
        undefined,
        runLeaseMs / 2,
      );
      if (run === null) throw error;
      return { run, taskId: run.taskId, concurrency: 0, slots: 0 };
    }
  }
}
