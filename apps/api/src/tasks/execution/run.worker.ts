import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { untilAborted } from '../../infra/runtime/until-aborted.ts';
import type { ActiveRun } from './active-run.ts';
import { RunClaimsService } from './run-claims.service.ts';
import { RunExecutorService } from './run-executor.service.ts';
import { RunLeasesWorker } from './run-leases.worker.ts';
import { describeError, type Outcome } from './run-outcome.ts';
import { RunWakeupsService } from './run-wakeups.service.ts';
import { RunSuperseded, RunWritesService } from './run-writes.service.ts';

/** How long a hint may keep its place for the runs of one task, while those of other tasks wait. */
const HOLD_MS = 1_000;
/** How long stopped runs have to be stored. */
const STOP_MS = 10_000;

/** Claims and executes runs. */
@Injectable()
export class RunWorker implements OnModuleDestroy, BeforeApplicationShutdown {
  /** How long a shutdown waits for running runs: less than for turns, so that runs stop before the turns of their steps. */
  drainMs = 19_000;
  private readonly logger = new Logger(RunWorker.name);
  private readonly underWay = new Set<Promise<void>>();
  private stopping = false;
  private deadline: NodeJS.Timeout | null = null;

  constructor(
    private readonly claims: RunClaimsService,
    private readonly executor: RunExecutorService,
    private readonly writes: RunWritesService,
    private readonly leases: RunLeasesWorker,
    private readonly wakeups: RunWakeupsService,
  ) {}

  /** Claims the oldest run of the task that the named run belongs to, and executes it. Does nothing if there is none. */
  async handle(runId: string): Promise<void> {
    if (this.stopping) return;
    const work = this.claimAndExecute(runId);
    this.underWay.add(work);
    await work.finally(() => this.underWay.delete(work));
  }

  /** Resolves when no run is being claimed or executed. */
  async drain(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
  }

  /** Runs are drained while the other modules shut down. */
  onModuleDestroy(): void {
    this.stopping = true;
    this.wakeups.stop();
    for (const active of this.leases.list()) active.isDraining = true;
    this.deadline = setTimeout(() => this.stopAll(), this.drainMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Without a database no run can be ended: its lease expires, and another process ends it.
    await untilAborted(AbortSignal.timeout(this.drainMs + STOP_MS), this.drain());
    if (this.deadline) clearTimeout(this.deadline);
  }

  private stopAll(): void {
    for (const active of this.leases.list()) active.stop('shutdown');
  }

  /** Executes the run, and then the next ones of its task for a while: that takes no hint. */
  private async claimAndExecute(runId: string): Promise<void> {
    const until = performance.now() + HOLD_MS;
    for (let active = await this.claims.claim(runId); active !== null;) {
      const { taskId } = active.run;
      if (this.stopping) await this.writes.release(active);
      else await this.executeLeased(active);
      if (this.stopping || performance.now() > until) return this.wakeups.wake(taskId);
      active = await this.claims.claim(taskId);
    }
  }

  private async executeLeased(active: ActiveRun): Promise<void> {
    this.leases.add(active);
    const delayMs = await this.execute(active).finally(() => this.leases.remove(active));
    if (delayMs !== null) this.wakeups.wakeAfter(active.run.id, delayMs);
  }

  /** Returns the milliseconds until the next attempt, or null. */
  private async execute(active: ActiveRun): Promise<number | null> {
    try {
      return await this.writes.end(active, await this.findOutcome(active));
    } catch (error) {
      // Any other error is logged as that of the hint; the lease expires, and the run is INTERRUPTED.
      if (!(error instanceof RunSuperseded)) throw error;
      this.writes.discard(active);
      return null;
    }
  }

  private async findOutcome(active: ActiveRun): Promise<Outcome> {
    try {
      return await this.executor.execute(active);
    } catch (error) {
      if (error instanceof RunSuperseded) throw error;
      this.logger.error({ err: error, run: active.run.id }, 'A run failed unexpectedly');
      return { status: 'FAILED', error: describeError(error) };
    }
  }
}
