import type { Workflow } from '@platform/contracts';
import { RunStopped, type StopReason } from '../runs/step-error.ts';
import type { ClaimedRun, Claim } from './run-claims.store.ts';
import type { StepRow } from './run-endings.store.ts';

/** A run that this process executes. */
export class ActiveRun {
  readonly claim: Claim;
  /** By the clock of `performance.now()`: since then the lease is known to be valid. */
  renewedAt: number;
  /** What is executed. */
  workflow: Workflow;
  /** Whether the process is about to end: no step begins, and calls that are refused for that say nothing about the run. */
  isDraining = false;
  /** The steps that have ended, until that is stored: beside the next step, or with the end of the attempt. */
  ended: readonly StepRow[] = [];
  /** Whether a step was cut off that may have had an effect which a repetition would have again. */
  isUncertain = false;
  /** Whether a step waits, or has waited. */
  hasWaits = false;
  /** How many executions of steps the attempt has begun. */
  begun = 0;
  private stopReason: StopReason | null = null;
  private readonly stopping = new AbortController();
  private readonly losing = new AbortController();

  constructor(
    readonly run: ClaimedRun,
    fencingToken: string,
    claimedAt: number,
  ) {
    this.claim = { runId: run.id, fencingToken };
    this.workflow = run.workflow;
    this.renewedAt = claimedAt;
  }

  /**
   * The time by the clock of PostgreSQL, in milliseconds of the Unix epoch. It only goes forward in an attempt, and is not ahead of
   * what PostgreSQL says when it stores what has happened.
   */
  now(): number {
    return performance.now() + this.run.clockOffset;
  }

  /** Why the run was stopped; null while it was not. */
  get reason(): StopReason | null {
    return this.stopReason;
  }

  /** Aborts when the run is stopped for any reason. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** Aborts when the run no longer belongs to this process: nothing can be stored any more. */
  get lost(): AbortSignal {
    return this.losing.signal;
  }

  /** The first reason counts, except that a run can be lost at any time. */
  stop(reason: StopReason): void {
    if (this.stopReason === null || reason === 'lost') this.stopReason = reason;
    this.stopping.abort(new RunStopped(reason));
    if (reason === 'lost') this.losing.abort(new RunStopped(reason));
  }
}
