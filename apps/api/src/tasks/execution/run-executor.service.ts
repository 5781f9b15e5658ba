import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { Batched } from '../../infra/database/batched.ts';
import { whileUnavailable } from '../../infra/database/unavailable.ts';
import type { ActiveRun } from './active-run.ts';
import { RunBudget } from '../runs/run-budget.ts';
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
    private readonly steps: StepRunnerService,
  ) {
    this.owners = new Batched((people) => identity.findPrincipals(people));
  }

  /** Returns how the attempt ended. Throws RunSuperseded if the run no longer belongs to this process. */
  async execute(active: ActiveRun): Promise<Outcome> {
    const { timeoutMs, isTaskGone, isPayloadGone, cancelRequested } = active.run;
    if (cancelRequested) return stoppedOutcome('cancelled', timeoutMs);
    if (isTaskGone) return TASK_GONE;
    if (isPayloadGone) return PAYLOAD_GONE;
    const timer = setTimeout(() => active.stop('timed-out'), timeoutMs);
    try {
      return await this.executeSteps(active);
    } catch (error) {
      if (error === active.signal.reason && active.reason !== null)
        return stoppedOutcome(active.reason, timeoutMs);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async executeSteps(active: ActiveRun): Promise<Outcome> {
    const budget = new RunBudget();
    let outputs: StepOutputs = {};
    for (const [position, step] of active.run.workflow.steps.entries()) {
      // Before each step: the owner may leave the space while the run executes.
      const owner = await whileUnavailable(() => this.findOwner(active), active.signal);
      active.signal.throwIfAborted();
      if (owner === null) return OWNER_GONE;
      const result = await this.steps.run(active, owner, position, outputs, budget);
      if ('failed' in result) return result.failed;
      // A computed key makes an own property, also for an id such as __proto__.
      outputs = { ...outputs, [step.id]: { output: result.output } };
    }
    return SUCCEEDED;
  }

  private async findOwner({ run }: ActiveRun): Promise<UserPrincipal | null> {
    const owner = await this.owners.get({ spaceId: run.spaceId, userId: run.ownerUserId });
    return owner && { ...owner, causationRunId: run.id };
  }
}
