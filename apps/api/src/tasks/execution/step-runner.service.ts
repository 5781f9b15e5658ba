import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { RunError, Step } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { ActionRegistry, type ActionContext } from '../definition/action.registry.ts';
import type { ActiveRun } from './active-run.ts';
import type { RunBudget } from '../runs/run-budget.ts';
import { describeError, INTERRUPTED, stoppedOutcome, type Outcome } from './run-outcome.ts';
import { LiveLog } from './live-log.ts';
import { RunSuperseded, RunWritesService } from './run-writes.service.ts';
import { StepError } from '../runs/step-error.ts';
import { inputOf, resolveStep } from '../definition/step-kinds.ts';

/** How long a stopped action has to end: its effects must not go on while the next run uses the slot. */
const SETTLE_MS = 5_000;

export type StepOutputs = Record<string, { output: unknown }>;

/** `failed`: the attempt ends with this outcome. */
export type StepResult = { output: unknown } | { failed: Outcome };

/** Executes one step of a run. Stores it before; how it ended is stored with what follows. */
@Injectable()
export class StepRunnerService {
  private readonly logger = new Logger(StepRunnerService.name);

  constructor(
    private readonly registry: ActionRegistry,
    private readonly writes: RunWritesService,
  ) {}

  async run(
    active: ActiveRun,
    owner: UserPrincipal,
    position: number,
    outputs: StepOutputs,
    budget: RunBudget,
  ): Promise<StepResult> {
    const { run } = active;
    const step = active.workflow.steps[position] as Step;
    const at = { attempt: run.attempt, position };
    const log = new LiveLog(budget.openLog(), (text) => this.writes.storeLog(active, position, text));
    let isStored = false;
    try {
      const scope = { inputs: run.inputs, trigger: run.trigger, steps: outputs };
      const resolved = resolveStep(step, scope);
      const input = formatInput(resolved, budget);
      await this.writes.startStep(active, { ...at, stepId: step.id, kind: step.kind, input });
      isStored = true;
      const context = this.describeContext(active, owner, resolved, outputs, (line) => log.add(line));
      const output = await this.callAction(active, context);
      const json = budget.format(output, `The output of step ${step.id}`);
      active.ended = { position, status: 'SUCCEEDED', output: json, log: log.close(), error: null };
      return { output: JSON.parse(json) as unknown };
    } catch (error) {
      if (error instanceof RunSuperseded) throw error;
      const failed = this.classify(active, error);
      if (!isStored) {
        await this.writes.startStep(active, { ...at, stepId: step.id, kind: step.kind, input: null });
      }
      const { status, error: reason } = failed;
      const output = formatFailed(error, step, budget);
      active.ended = { position, status, output, log: log.close(), error: reason };
      return { failed };
    } finally {
      log.close();
    }
  }

  private describeContext(
    { run, signal }: ActiveRun,
    owner: UserPrincipal,
    step: Step,
    steps: StepOutputs,
    log: (line: string) => void,
  ): ActionContext {
    const { id: runId, attempt, spaceId, trigger, inputs } = run;
    const stepKey = `${runId}:${attempt}:${step.id}`;
    const effectKey = `${runId}:${step.id}`;
    return { runId, attempt, spaceId, owner, step, stepKey, effectKey, signal, log, trigger, inputs, steps };
  }

  /** Rejects when the run is stopped, and the action has ended or ignores that. */
  private async callAction({ run, signal }: ActiveRun, context: ActionContext): Promise<unknown> {
    const action = this.registry.get(context.step.kind);
    if (action === null) {
      throw new StepError('STEP_UNAVAILABLE', `Steps of kind ${context.step.kind} cannot be executed`);
    }
    signal.throwIfAborted();
    const work = action.run(context);
    const settled = work.then(
      () => true,
      () => true,
    );
    const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
    const abort = () => resolve(undefined);
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([settled, aborted]);
    signal.removeEventListener('abort', abort);
    if (!signal.aborted) return work;
    const limit = new AbortController();
    const late = delay(SETTLE_MS, false, { signal: limit.signal }).catch(() => false);
    if (!(await Promise.race([settled, late]))) {
      this.logger.error({ run: run.id, step: context.step.id }, 'A stopped step has not ended');
    }
    limit.abort();
    throw signal.reason;
  }

  private classify(active: ActiveRun, error: unknown): Outcome {
    if (active.reason !== null) return stoppedOutcome(active.reason, active.run.timeoutMs);
    if (active.isDraining && error instanceof AppError && error.code === 'UNAVAILABLE') return INTERRUPTED;
    const described: RunError = describeError(error);
    if (described.code === 'SERVER_ERROR') {
      this.logger.error({ err: error, run: active.run.id }, 'A step failed unexpectedly');
    }
    return { status: 'FAILED', error: described };
  }
}

/** What a step returned although it failed; null if that is nothing, or more than can be stored. */
function formatFailed(error: unknown, step: Step, budget: RunBudget): string | null {
  if (!(error instanceof StepError) || error.output === null) return null;
  try {
    return budget.format(error.output, `The output of step ${step.id}`);
  } catch {
    return null;
  }
}

/** What the run page shows as the input of a step; null if its kind has none, such as code, whose input is that of the run. */
function formatInput(step: Step, budget: RunBudget): string | null {
  const input = inputOf(step);
  return input === undefined ? null : budget.format(input, `The input of step ${step.id}`);
}
