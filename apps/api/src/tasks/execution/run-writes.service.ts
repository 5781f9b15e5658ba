import { Injectable, Logger } from '@nestjs/common';
import { Batched } from '../../infra/database/batched.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import type { ActiveRun } from './active-run.ts';
import type { Claim } from './run-claims.store.ts';
import * as store from './run-endings.store.ts';
import { RunLeasesWorker } from './run-leases.worker.ts';
import { decideRetry, describeError, type Outcome } from './run-outcome.ts';

/** The run belongs to another process, or was ended by one: what this process knows of it is discarded. */
export class RunSuperseded extends Error {}

/** Stores what happens to the runs of this process, as long as they belong to it. Waits while the database is away. */
@Injectable()
export class RunWritesService {
  private readonly logger = new Logger(RunWritesService.name);
  private discarded = 0;
  // Runs that execute at the same time share statements.
  private readonly starts = new Batched<store.StepStart, boolean>(async (steps) => {
    const held = await store.startSteps(this.database, steps);
    return steps.map(({ runId }) => held.has(runId));
  });
  private readonly logs = new Batched<store.RunningLog, void>(async (logs) => {
    await store.storeLogs(this.database, logs);
    return logs.map(() => undefined);
  });
  private readonly attemptEnds: Batched<store.AttemptEnd, boolean>;

  constructor(
    private readonly database: BackgroundDatabase,
    leases: RunLeasesWorker,
  ) {
    // Runs that end together are followed by runs that are claimed and started together.
    this.attemptEnds = new Batched((ends) => this.endAttempts(ends), leases.gathering);
  }

  /** How many results this process has discarded, because their runs no longer belonged to it. */
  get zombieResults(): number {
    return this.discarded;
  }

  /**
   * Marks a step as running, and stores how the one before ended. Throws RunSuperseded if the run no longer belongs to this
   * process, as all methods do.
   */
  async startStep(active: ActiveRun, step: Omit<store.StepStart, keyof Claim | 'ended'>): Promise<void> {
    const { claim, ended } = active;
    await this.write(active, () => this.starts.get({ ...claim, ...step, ended }));
    active.ended = null;
    failpoint('runs.step-started', active.run.id);
  }

  /** Shows the log of a step that executes. Rejects if the database is away; a run that was lost notices by itself. */
  storeLog({ claim, run }: ActiveRun, position: number, log: string): Promise<void> {
    return this.logs.get({ ...claim, attempt: run.attempt, position, log });
  }

  /**
   * Ends the attempt, and stores how its last step ended. Returns the milliseconds until the next attempt, or null if the
   * run has ended.
   */
  async end(active: ActiveRun, outcome: Outcome): Promise<number | null> {
    try {
      return await this.storeEnd(active, outcome);
    } catch (error) {
      const { ended, run } = active;
      if (error instanceof RunSuperseded || ended === null || ended.output === null) throw error;
      this.logger.error({ err: error, run: run.id }, 'The output of a step could not be stored');
      const failed = { status: 'FAILED' as const, error: describeError(error) };
      active.ended = { ...ended, ...failed, output: null };
      return this.storeEnd(active, failed);
    }
  }

  private async storeEnd(active: ActiveRun, outcome: Outcome): Promise<number | null> {
    const { claim, ended } = active;
    const { attempt, handovers, retry } = active.run;
    const delayMs = decideRetry(outcome, retry, attempt - handovers);
    await this.write(
      active,
      () => this.attemptEnds.get({ ...claim, attempt, ...outcome, delayMs, ended }),
      () => store.hasEnded(this.database, claim, attempt),
    );
    failpoint('runs.ended', active.run.id);
    return delayMs;
  }

  private async endAttempts(ends: readonly store.AttemptEnd[]): Promise<boolean[]> {
    const held = await store.endAttempts(this.database, ends);
    return ends.map(({ runId }) => held.has(runId));
  }

  /** Returns a run to the queue between two steps. If this attempt has executed none, it is as if it had not been claimed. */
  async handOver(active: ActiveRun): Promise<void> {
    const { claim, workflow, ended } = active;
    const { attempt } = active.run;
    if (ended === null) return this.write(active, () => store.releaseRun(this.database, claim, attempt));
    await this.write(
      active,
      () => store.handOverRun(this.database, claim, attempt, workflow, ended),
      () => store.hasEnded(this.database, claim, attempt),
    );
  }

  /** Counts a result that is not stored. */
  discard({ run }: ActiveRun): void {
    this.discarded += 1;
    this.logger.warn(
      { run: run.id, attempt: run.attempt, zombieResults: this.discarded },
      'The result of a run was discarded, because the run no longer belongs to this process',
    );
  }

  /** `wasStored` tells a write whose response was lost from one that was refused. */
  private async write(
    { lost }: ActiveRun,
    statement: () => Promise<boolean>,
    wasStored: () => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<void> {
    try {
      if (await whileUnavailable(statement, lost)) return;
      if (await whileUnavailable(wasStored, lost)) return;
    } catch (error) {
      if (!lost.aborted) throw error;
    }
    throw new RunSuperseded();
  }
}
