import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { listExpiring, runsExpiring, type ExpiringRun } from './run-claims.store.ts';
import { endAttempts } from './run-endings.store.ts';
import { decideRetry, INTERRUPTED, stoppedOutcome, TASK_GONE, type Outcome } from './run-outcome.ts';

const BATCH = 1_000;
const MAX_POLL_MS = 1_000;
const pollMs = ({ runLeaseMs }: PlatformConfig): number => Math.min(MAX_POLL_MS, runLeaseMs / 8);
/** Parts of a lease. A process renews after a quarter: one that lives renews twice while its lease is watched. */
const WATCHED = 0.6;
const UNCHANGED = 0.5;

/** A lease as it was first seen. */
interface Sighting {
  leaseUntil: string;
  /** By the clock of `performance.now()`. */
  since: number;
}

/**
 * Ends runs whose process has died. An expired lease alone is no proof of that: when the clock of the database jumps, all
 * leases expire at once. So a lease must also have stayed the same for longer than a living process takes to renew it.
 */
@Injectable()
export class RunReaperWorker extends PollWorker {
  private sightings = new Map<string, Sighting>();

  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly creation: RunCreationService,
  ) {
    super(config, { failure: 'Interrupted runs could not be ended', retryMs: pollMs(config) });
  }

  protected async poll(): Promise<number> {
    const { runLeaseMs } = this.config;
    const watchedMs = WATCHED * runLeaseMs;
    const isAnyWatched = await this.database.hasRows(runsExpiring(watchedMs));
    const expiring = isAnyWatched ? await listExpiring(this.database, watchedMs, BATCH) : [];
    const now = performance.now();
    const sightings = new Map(expiring.map((run) => [run.fencingToken, this.sight(run, now)]));
    this.sightings = sightings;
    for (const run of expiring) {
      const { since } = sightings.get(run.fencingToken) ?? { since: now };
      if (run.isExpired && now - since > UNCHANGED * runLeaseMs) await this.end(run);
    }
    return pollMs(this.config);
  }

  private sight({ fencingToken, leaseUntil }: ExpiringRun, now: number): Sighting {
    const known = this.sightings.get(fencingToken);
    return known?.leaseUntil === leaseUntil ? known : { leaseUntil, since: now };
  }

  private async end(run: ExpiringRun): Promise<void> {
    const outcome = outcomeOf(run);
    const { runId, fencingToken, attempt, handovers, retry, isUncertain } = run;
    const delayMs = decideRetry(outcome, retry, attempt - handovers, isUncertain);
    const end = { runId, fencingToken, attempt, ...outcome, delayMs, ended: null };
    const isEnded = (await endAttempts(this.database, [end], true)).held.has(runId);
    if (!isEnded) return;
    this.logger.warn({ run: runId, attempt }, 'The process that executed a run has ended');
    await this.creation.publish([runId]);
  }
}

function outcomeOf({ cancelRequested, isTaskGone }: ExpiringRun): Outcome {
  if (cancelRequested) return stoppedOutcome('cancelled', 0);
  return isTaskGone ? TASK_GONE : INTERRUPTED;
}
