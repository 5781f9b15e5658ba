import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { untilAborted } from '../../infra/runtime/until-aborted.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { hashConcurrencyKey } from '../keys/concurrency-key.ts';
import { RunKeysService } from '../keys/run-keys.service.ts';
import type { ActiveRun } from './active-run.ts';
import { RunExecutorService } from './run-executor.service.ts';
import { RunLeasesWorker } from './run-leases.worker.ts';
import { describeError, type Outcome } from './run-outcome.ts';
import { RunSuperseded, RunWritesService } from './run-writes.service.ts';

/** The longest that a process waits to publish a run that is attempted again. Without a hint, it is found a little later. */
const MAX_TIMER_MS = 60_000;
/** How long stopped runs have to be stored. */
const STOP_MS = 10_000;

/** Executes the runs that this process has claimed. */
@Injectable()
export class RunWorker implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(RunWorker.name);
  private readonly underWay = new Set<Promise<void>>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private stopping = false;
  private deadline: NodeJS.Timeout | null = null;

  constructor(
    private readonly config: PlatformConfig,
    private readonly executor: RunExecutorService,
    private readonly writes: RunWritesService,
    private readonly leases: RunLeasesWorker,
    private readonly creation: RunCreationService,
    private readonly keys: RunKeysService,
  ) {}

  /** Executes a claimed run. Never rejects. */
  async run(active: ActiveRun): Promise<void> {
    const work = this.runOrRelease(active);
    this.underWay.add(work);
    await work.finally(() => this.underWay.delete(work));
  }

  /** Resolves when no run is being executed. */
  async drain(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
  }

  /** Runs are drained while the other modules shut down. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    for (const active of this.leases.list()) active.isDraining = true;
    this.deadline = setTimeout(() => this.stopAll(), this.config.runDrainMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    // Without a database no run can be ended: its lease expires, and another process ends it.
    await untilAborted(AbortSignal.timeout(this.config.runDrainMs + STOP_MS), this.drain());
    if (this.deadline) clearTimeout(this.deadline);
  }

  private stopAll(): void {
    for (const active of this.leases.list()) active.stop('shutdown');
  }

  private async runOrRelease(active: ActiveRun): Promise<void> {
    try {
      if (this.stopping) await this.writes.handOver(active);
      else await this.executeLeased(active);
    } catch (error) {
      // The lease expires, and the run is INTERRUPTED.
      if (!(error instanceof RunSuperseded))
        this.logger.error({ err: error, run: active.run.id }, 'A run could not be ended');
    }
    // Other processes can use the slot.
    if (this.stopping) await this.creation.publish([active.run.id]);
  }

  private async executeLeased(active: ActiveRun): Promise<void> {
    this.leases.add(active);
    const delayMs = await this.execute(active).finally(() => this.leases.remove(active));
    if (delayMs !== null) this.publishAfter(active.run.id, delayMs);
  }

  private publishAfter(runId: string, delayMs: number): void {
    if (this.stopping || delayMs > MAX_TIMER_MS) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.creation.publish([runId]);
    }, delayMs);
    this.timers.add(timer.unref());
  }

  /** Returns the milliseconds until the next attempt of this process, or null. */
  private async execute(active: ActiveRun): Promise<number | null> {
    try {
      if (!(await this.enterKey(active))) return null;
      const outcome = await this.findOutcome(active);
      if (outcome === 'WAITED') return null;
      if (outcome !== 'HANDED_OVER') return await this.writes.end(active, outcome);
      await this.writes.handOver(active);
      return 0;
    } catch (error) {
      if (!(error instanceof RunSuperseded)) throw error;
      this.writes.discard(active);
      return null;
    }
  }

  /** Takes a place of the key of a run. Returns false if there is none: the run begins once it has one. */
  private async enterKey({ run, claim, lost }: ActiveRun): Promise<boolean> {
    const { concurrencyKey: template, perKey, taskId, attempt, inputs, trigger } = run;
    const isEnding = run.cancelRequested || run.isTaskGone;
    if (template === null || isEnding || run.testEffects === 'none') return true;
    const key = hashConcurrencyKey(template, { inputs, trigger });
    const entry = await this.keys.enter({ ...claim, attempt, taskId, key, perKey }, lost);
    if (entry === 'lost') throw new RunSuperseded();
    return entry === 'enters';
  }

  private async findOutcome(active: ActiveRun): Promise<Outcome | 'HANDED_OVER' | 'WAITED'> {
    try {
      return await this.executor.execute(active);
    } catch (error) {
      if (error instanceof RunSuperseded) throw error;
      this.logger.error({ err: error, run: active.run.id }, 'A run failed unexpectedly');
      return { status: 'FAILED', error: describeError(error) };
    }
  }
}
