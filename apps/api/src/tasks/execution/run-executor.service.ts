import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { Batched } from '../../infra/database/batched.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import type { ActiveRun } from './active-run.ts';
import { RunBudget } from '../runs/run-budget.ts';
import { RunClaimsService } from './run-claims.service.ts';
import type { RunProgress } from './run-claims.store.ts';
import {
  OWNER_GONE,
  PAYLOAD_GONE,
  stoppedOutcome,
  SUCCEEDED,
  TASK_GONE,
  type Outcome,
} from './run-outcome.ts';
import { StepRunnerService, type StepOutputs } from './step-runner.service.ts';

/** Executes the steps of a claimed run in their order, as the owner of its task. */
@Injectable()
export class RunExecutorService {
  private readonly owners: Batched<{ spaceId: string; userId: string }, UserPrincipal | null>;

  constructor(
    identity: IdentityService,
    private readonly claims: RunClaimsService,
    private readonly steps: StepRunnerService,
  ) {
    this.owners = new Batched((people) => identity.findPrincipals(people));
  }

  /**
   * Returns how the attempt ended; null if it is to be continued with the next step: by another process because this one is about to
   * end, or for another owner.
   * Throws RunSuperseded if the run no longer belongs to this process.
   */
  async execute(active: ActiveRun): Promise<Outcome | null> {
    const { timeoutMs, isTaskGone, isPayloadGone, cancelRequested } = active.run;
    if (cancelRequested) return stoppedOutcome('cancelled', timeoutMs);
    if (isTaskGone) return TASK_GONE;
    if (isPayloadGone) return PAYLOAD_GONE;
    let timer: NodeJS.Timeout | undefined;
    try {
      const progress = await whileUnavailable(() => this.claims.findProgress(active), active.signal);
      timer = setTimeout(() => active.stop('timed-out'), timeoutMs - (progress?.durationMs ?? 0));
      return await this.executeSteps(active, progress);
    } catch (error) {
      if (error !== active.signal.reason || active.reason === null) throw error;
      // Between two steps: one that was stopped has failed.
      return active.reason === 'shutdown' ? null : stoppedOutcome(active.reason, timeoutMs);
    } finally {
      clearTimeout(timer);
    }
  }

  private async executeSteps(active: ActiveRun, progress: RunProgress | null): Promise<Outcome | null> {
    const budget = new RunBudget(progress);
    // Computed keys make own properties, also for an id such as __proto__.
    let outputs: StepOutputs = Object.fromEntries(
      (progress?.steps ?? []).map(({ stepId, output }) => [stepId, { output }]),
    );
    if (progress !== null) active.workflow = progress.workflow;
    for (const [position, step] of active.workflow.steps.entries()) {
      if (position < (progress?.steps.length ?? 0)) continue;
      active.signal.throwIfAborted();
      if (active.isDraining) return null;
      // Before each step: the owner may leave the space while the run executes.
      const owner = await whileUnavailable(() => this.findOwner(active), active.signal);
      active.signal.throwIfAborted();
      if (owner === null) return await this.withoutOwner(active);
      const result = await this.steps.run(active, owner, position, outputs, budget);
      if ('failed' in result) return result.failed;
      outputs = { ...outputs, [step.id]: { output: result.output } };
    }
    return SUCCEEDED;
  }

  /** The removal of a member may have given the task to another one: then the run is claimed again, on behalf of that person. */
  private async withoutOwner(active: ActiveRun): Promise<Outcome | null> {
    const isGiven = await whileUnavailable(() => this.claims.hasOtherOwner(active), active.signal);
    return isGiven ? null : OWNER_GONE;
  }

  private async findOwner({ run }: ActiveRun): Promise<UserPrincipal | null> {
    const owner = await this.owners.get({ spaceId: run.spaceId, userId: run.ownerUserId });
    return owner && { ...owner, causationRunId: run.id };
  }
}
