import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Batched } from '../../infra/database/batched.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import { runsEnded } from '../../infra/metrics/measures.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import type { ActiveRun } from './active-run.ts';
import type { Simulated } from '../runs/run.entity.ts';
import type { Claim } from './run-claims.store.ts';
import { WaitWorker } from '../schedule/wait.worker.ts';
import type { StepWait } from '../waits/step-wait.ts';
import * as store from './run-endings.store.ts';
import type { StepRow } from './run-endings.store.ts';
import { RunLeasesWorker } from './run-leases.worker.ts';
import { abandonWaits, cancelAwaited, storeWait, suspendRun, type Suspension } from './run-waiting.store.ts';
import { decideRetry, describeError, type Outcome } from './run-outcome.ts';

/** What is stored for a run: the neighbors of its space do not wait for it. */
interface OfSpace {
  spaceId: string;
}

const laneOf = ({ spaceId }: OfSpace) => spaceId;

/** The run belongs to another process, or was ended by one: what this process knows of it is discarded. */
export class RunSuperseded extends Error {}

/** Stores what happens to the runs of this process, as long as they belong to it. Waits while the database is away. */
@Injectable()
export class RunWritesService {
  private readonly logger = new Logger(RunWritesService.name);
  private discarded = 0;
  // Runs that execute at the same time share statements.
  private readonly steps = new Batched<OfSpace & Claim & { row: StepRow }, boolean>(
    async (steps) => {
      const held = await store.storeSteps(this.database, steps);
      return steps.map(({ runId }) => held.has(runId));
    },
    { laneOf },
  );
  private readonly logs = new Batched<store.RunningLog, void>(async (logs) => {
    await store.storeLogs(this.database, logs);
    return logs.map(() => undefined);
  });
  private readonly attemptEnds: Batched<OfSpace & store.AttemptEnd, boolean>;

  constructor(
    private readonly database: BackgroundDatabase,
    leases: RunLeasesWorker,
    private readonly waits: WaitWorker,
  ) {
    // Runs that end together are followed by runs that are claimed and started together.
    this.attemptEnds = new Batched<OfSpace & store.AttemptEnd, boolean>((ends) => this.endAttempts(ends), {
      gathering: leases.gathering,
      laneOf,
    });
  }

  /** How many results this process has discarded, because their runs no longer belonged to it. */
  get zombieResults(): number {
    return this.discarded;
  }

  /**
   * Stores that a step executes, and how those before it ended. Throws RunSuperseded if the run no longer belongs to this process,
   * as all methods do.
   */
  async startStep(active: ActiveRun, step: store.StepBegin): Promise<void> {
    const row: StepRow = { ...step, status: 'RUNNING', output: null, log: null, error: null, endedAt: null };
    await this.storeSteps(active, [...active.ended, row]);
    failpoint('runs.step-started', active.run.id);
  }

  /** Removes a step that was stored as running and has not begun. */
  removeStart(active: ActiveRun, step: Pick<StepRow, 'attempt' | 'position'>): Promise<void> {
    return this.write(active, () => store.removeStart(this.database, active.claim, step));
  }

  /** Stores how steps ended, except for the last ones, of which `keep` are stored with what follows. */
  storeEnds(active: ActiveRun, keep = 0): Promise<void> {
    return this.storeSteps(active, active.ended.slice(0, active.ended.length - keep));
  }

  private async storeSteps(active: ActiveRun, rows: readonly StepRow[]): Promise<void> {
    if (rows.length === 0) return;
    const store = () =>
      Promise.all(rows.map((row) => this.steps.get({ spaceId: active.run.spaceId, ...active.claim, row })));
    await this.write(active, async () => (await store()).every(Boolean));
    active.ended = active.ended.filter((one) => !rows.includes(one));
  }

  /** Marks steps as running again that contain others. */
  reopen(active: ActiveRun, steps: readonly Pick<StepRow, 'attempt' | 'position'>[]): Promise<void> {
    return this.write(active, () => store.reopenSteps(this.database, active.claim, steps));
  }

  /** Stores that a step may have an effect which a repetition would have again. */
  markActing(active: ActiveRun, position: number): Promise<void> {
    const at = { attempt: active.run.attempt, position };
    return this.write(active, () => store.markActing(this.database, active.claim, at));
  }

  /** Stores that a step of a test is not executed. */
  markSimulated(active: ActiveRun, position: number, simulated: Simulated): Promise<void> {
    const at = { attempt: active.run.attempt, position };
    return this.write(active, () => store.markSimulated(this.database, active.claim, at, simulated));
  }

  /** Stores that a step waits. */
  async storeWait(active: ActiveRun, position: number, scope: string, wait: StepWait): Promise<void> {
    await this.storeEnds(active);
    const step = { ...active.claim, attempt: active.run.attempt, position, scope };
    await this.write(active, () => this.database.transaction((tx) => storeWait(tx, step, wait)));
    failpoint('runs.step-waits', active.run.id);
    await wait.hooks.stored?.();
  }

  /** Lets a run wait without a process, unless one of its waits has ended. Returns what became of it. */
  async suspend(active: ActiveRun, scopes: readonly string[]): Promise<Suspension> {
    await this.storeEnds(active);
    const { claim } = active;
    const { attempt } = active.run;
    const found: Suspension[] = [];
    const suspend = async (): Promise<boolean> => {
      const suspended = await this.database.transaction((tx) => suspendRun(tx, claim, attempt, scopes));
      if (suspended !== 'lost') found.push(suspended);
      return suspended !== 'lost';
    };
    await this.write(active, suspend, () => store.hasEnded(this.database, claim, attempt));
    // Without a response: the statement had succeeded.
    const [suspension = 'waits'] = found;
    if (suspension === 'waits') failpoint('runs.suspended', active.run.id);
    return suspension;
  }

  /** Ends what a run waits for inside of a step, because it goes on without it. */
  async abandon(active: ActiveRun, scope: string): Promise<void> {
    await this.storeEnds(active);
    const abandon = (tx: EntityManager) => abandonWaits(tx, active.claim, scope);
    await this.write(active, () => this.database.transaction(abandon));
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
      const { run } = active;
      const [ended] = active.ended;
      if (error instanceof RunSuperseded || ended === undefined || ended.output === null) throw error;
      this.logger.error({ err: error, run: run.id }, 'The output of a step could not be stored');
      const failed = { status: 'FAILED' as const, error: describeError(error) };
      active.ended = active.ended.map((one) => ({ ...one, ...failed, output: null }));
      return this.storeEnd(active, failed);
    }
  }

  private async storeEnd(active: ActiveRun, outcome: Outcome): Promise<number | null> {
    if (active.ended.length > 1) await this.storeEnds(active, 1);
    const { claim } = active;
    const [ended = null] = active.ended;
    const { spaceId, attempt, handovers, retry } = active.run;
    const delayMs = decideRetry(outcome, retry, attempt - handovers, active.isUncertain);
    if (delayMs === null && active.hasWaits) await this.cancelAwaited(active);
    await this.write(
      active,
      () => this.attemptEnds.get({ spaceId, ...claim, attempt, ...outcome, delayMs, ended }),
      () => store.hasEnded(this.database, claim, attempt),
    );
    if (delayMs === null) runsEnded.inc({ status: outcome.status });
    failpoint('runs.ended', active.run.id);
    return delayMs;
  }

  /** Cancels the runs whose end nobody waits for any more. */
  private cancelAwaited(active: ActiveRun): Promise<void> {
    const cancel = (tx: EntityManager) => cancelAwaited(tx, active.claim);
    return this.write(active, () => this.database.transaction(cancel));
  }

  private async endAttempts(ends: readonly store.AttemptEnd[]): Promise<boolean[]> {
    const { held, isAnyAwaited } = await store.endAttempts(this.database, ends);
    if (isAnyAwaited) this.waits.wake();
    return ends.map(({ runId }) => held.has(runId));
  }

  /** Returns a run to the queue between two steps. If this attempt has executed none, it is as if it had not been claimed. */
  async handOver(active: ActiveRun): Promise<void> {
    await this.storeEnds(active);
    const { claim } = active;
    const { attempt } = active.run;
    if (active.begun === 0) return this.write(active, () => store.releaseRun(this.database, claim, attempt));
    await this.write(
      active,
      () => store.handOverRun(this.database, claim, attempt),
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
    active: ActiveRun,
    statement: () => Promise<boolean>,
    wasStored: () => Promise<boolean> = () => Promise.resolve(false),
  ): Promise<void> {
    const { lost } = active;
    try {
      if (await whileUnavailable(statement, lost)) return;
      if (await whileUnavailable(wasStored, lost)) return;
    } catch (error) {
      if (!lost.aborted) throw error;
    }
    // What it still executes is not to go on.
    active.stop('lost');
    throw new RunSuperseded();
  }
}
