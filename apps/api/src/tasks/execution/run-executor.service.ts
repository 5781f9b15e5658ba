import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { Batched } from '../../infra/database/batched.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import type { ActiveRun } from './active-run.ts';
import { RunClaimsService } from './run-claims.service.ts';
import type { ClaimedRun, RunProgress } from './run-claims.store.ts';
import {
  OWNER_GONE,
  PAYLOAD_GONE,
  stoppedOutcome,
  SUCCEEDED,
  TASK_GONE,
  type Outcome,
} from './run-outcome.ts';
import { Interpreter } from './interpreter.ts';
import { RunHandedOver, RunSteps } from './run-steps.ts';
import { RunWritesService } from './run-writes.service.ts';
import { OwnerLeft } from './step-execution.ts';
import { StepRunnerService } from './step-runner.service.ts';

/** Executes a claimed run as the owner of its task: goes on with what it has stored. */
@Injectable()
export class RunExecutorService {
  private readonly owners: Batched<{ spaceId: string; userId: string }, UserPrincipal | null>;

  constructor(
    identity: IdentityService,
    private readonly claims: RunClaimsService,
    private readonly runner: StepRunnerService,
    private readonly writes: RunWritesService,
  ) {
    this.owners = new Batched((people) => identity.findPrincipals(people), {
      laneOf: ({ spaceId }) => spaceId,
    });
  }

  /**
   * Returns how the attempt ended; HANDED_OVER if it is to be continued with the next step: by another process because this one is
   * about to end, or for another owner; WAITED if the run waits without a process.
   * Throws RunSuperseded if the run no longer belongs to this process.
   */
  async execute(active: ActiveRun): Promise<Outcome | 'HANDED_OVER' | 'WAITED'> {
    const { attempt, timeoutMs } = active.run;
    const early = outcomeBefore(active.run);
    if (early !== null) {
      // What an earlier attempt has begun to wait for is not read.
      active.hasWaits = attempt > 1;
      return early;
    }
    let timer: NodeJS.Timeout | undefined;
    try {
      let progress = await this.findProgress(active, attempt === 1);
      timer = setTimeout(() => active.stop('timed-out'), timeoutMs - (progress?.durationMs ?? 0));
      if (progress?.workflow) active.workflow = progress.workflow;
      for (;;) {
        const outcome = await this.interpret(active, progress);
        if (outcome !== 'CONTINUES') return outcome;
        progress = await this.findProgress(active, false);
      }
    } catch (error) {
      if (error instanceof RunHandedOver) return 'HANDED_OVER';
      if (error instanceof OwnerLeft) return await this.withoutOwner(active);
      if (error !== active.signal.reason || active.reason === null) throw error;
      // Between two steps: one that was stopped has failed.
      return active.reason === 'shutdown' ? 'HANDED_OVER' : stoppedOutcome(active.reason, timeoutMs);
    } finally {
      clearTimeout(timer);
    }
  }

  private async interpret(
    active: ActiveRun,
    progress: RunProgress | null,
  ): Promise<Outcome | 'WAITED' | 'CONTINUES'> {
    const findOwner = () => whileUnavailable(() => this.findOwner(active), active.signal);
    const steps = new RunSteps(active, progress, this.runner, this.writes, findOwner);
    const result = await new Interpreter(progress?.records ?? new Map(), steps).run(active.workflow);
    if (result.type === 'ended') return SUCCEEDED;
    if (result.type === 'failed') return result.outcome;
    active.signal.throwIfAborted();
    switch (await this.writes.suspend(active, [...steps.waiting])) {
      case 'waits':
        return 'WAITED';
      case 'continues':
        return 'CONTINUES';
      case 'cancelled':
        return stoppedOutcome('cancelled', active.run.timeoutMs);
    }
  }

  /** What the run has stored; null if that is nothing. */
  private findProgress(active: ActiveRun, isFirst: boolean): Promise<RunProgress | null> {
    if (isFirst) return Promise.resolve(null);
    return whileUnavailable(() => this.claims.findProgress(active), active.signal);
  }

  /** The removal of a member may have given the task to another one: then the run is claimed again, on behalf of that person. */
  private async withoutOwner(active: ActiveRun): Promise<Outcome | 'HANDED_OVER'> {
    const isGiven = await whileUnavailable(() => this.claims.hasOtherOwner(active), active.signal);
    return isGiven ? 'HANDED_OVER' : OWNER_GONE;
  }

  private async findOwner({ run }: ActiveRun): Promise<UserPrincipal | null> {
    const owner = await this.owners.get({ spaceId: run.spaceId, userId: run.ownerUserId });
    return owner && { ...owner, causationRunId: run.id };
  }
}

/** How a run ends of which nothing is to be executed; null for any other. */
function outcomeBefore({
  cancelRequested,
  isTaskGone,
  isPayloadGone,
  timeoutMs,
}: ClaimedRun): Outcome | null {
  if (cancelRequested) return stoppedOutcome('cancelled', timeoutMs);
  if (isTaskGone) return TASK_GONE;
  return isPayloadGone ? PAYLOAD_GONE : null;
}
