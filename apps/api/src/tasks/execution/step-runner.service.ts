import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { RunError, Step } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { ActionRegistry, type ActionContext, type StepEffects } from '../definition/action.registry.ts';
import { conditionSource } from '../definition/step-fields.ts';
import { findStepKind } from '../definition/step-kinds.ts';
import { StepError, TIMEOUT } from '../runs/step-error.ts';
import { SandboxPool } from '../sandbox/sandbox-pool.ts';
import { CodeFailed } from '../sandbox/sandbox-process.ts';
import type { TemplateScope } from '../templates/template.ts';
import type { Simulated } from '../runs/run.entity.ts';
import { isSimulated, SimulationsService } from '../simulation/simulations.service.ts';
import type { ActiveRun } from './active-run.ts';
import { describeError, INTERRUPTED, stoppedOutcome, type Outcome } from './run-outcome.ts';

/** How long a stopped action has to end: its effects must not go on while the next run uses the slot. */
const SETTLE_MS = 5_000;
/** Processor time of a condition. */
const CONDITION_CPU_MS = 50;
const NAMES = 'const { inputs, trigger, steps, item, index } = context;';

/** Calls the actions of steps, and evaluates their conditions. */
@Injectable()
export class StepRunnerService {
  private readonly logger = new Logger(StepRunnerService.name);

  constructor(
    private readonly registry: ActionRegistry,
    private readonly pool: SandboxPool,
    private readonly simulations: SimulationsService,
  ) {}

  /** Rejects when the run is stopped, or the time of the step is over, and the action has ended or ignores that. */
  async callAction(active: ActiveRun, context: ActionContext): Promise<unknown> {
    const { step } = context;
    const action = this.registry.get(step.kind);
    if (action === null) {
      throw new StepError('STEP_UNAVAILABLE', `Steps of kind ${step.kind} cannot be executed`);
    }
    const isLimited = findStepKind(step.kind)?.timeout === undefined;
    const timeoutMs = isLimited ? (step.timeoutMs ?? null) : null;
    if (timeoutMs === null) return this.untilStopped(active, context.signal, action.run(context), step.id);
    const limit = new AbortController();
    const late = new StepError(TIMEOUT, `The step did not finish within ${timeoutMs} ms`);
    const timer = setTimeout(() => limit.abort(late), timeoutMs);
    const signal = AbortSignal.any([context.signal, limit.signal]);
    try {
      return await this.untilStopped(active, signal, action.run({ ...context, signal }), step.id);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What executing a step with its templates resolved does outside of the run. */
  findEffects(spaceId: string, step: Step): Promise<StepEffects> {
    return this.registry.findEffects(spaceId, step);
  }

  /** What a step of a test returns without being executed; null: it is executed. `scope`: null for a call by code. */
  async simulate(
    { run }: ActiveRun,
    step: Step,
    scope: string | null,
    hasEffects: boolean,
  ): Promise<{ output: unknown; simulated: Simulated } | null> {
    const { testEffects, spaceId, taskId } = run;
    if (!isSimulated(testEffects, step.kind, hasEffects)) return null;
    return this.simulations.simulate({ spaceId, taskId, step, scope });
  }

  /** Evaluates a condition. Throws a `StepError` if that fails. */
  async holds(active: ActiveRun, owner: UserPrincipal, when: string, scope: TemplateScope): Promise<boolean> {
    const refuse = () => Promise.reject(new StepError('STEP_UNAVAILABLE', 'Conditions cannot make calls'));
    try {
      const json = await this.pool.run({
        owner: owner.userId,
        source: `${NAMES}\nreturn Boolean(${conditionSource(when)});`,
        context: JSON.stringify(scope),
        cpuMs: CONDITION_CPU_MS,
        signal: active.signal,
        log: () => undefined,
        call: refuse,
        toCallError: (error) => ({ ...describeError(error) }),
      });
      return json === 'true';
    } catch (error) {
      if (error instanceof CodeFailed) throw new StepError('STEP_FAILED', error.message, { cause: error });
      throw error;
    }
  }

  classify(active: ActiveRun, error: unknown): Outcome {
    if (active.reason !== null) return stoppedOutcome(active.reason, active.run.timeoutMs);
    if (active.isDraining && error instanceof AppError && error.code === 'UNAVAILABLE') return INTERRUPTED;
    const described: RunError = describeError(error);
    if (described.code === 'SERVER_ERROR') {
      this.logger.error({ err: error, run: active.run.id }, 'A step failed unexpectedly');
    }
    return { status: 'FAILED', error: described };
  }

  private async untilStopped(
    { run }: ActiveRun,
    signal: AbortSignal,
    work: Promise<unknown>,
    step: string,
  ): Promise<unknown> {
    const settled = work.then(
      () => true,
      () => true,
    );
    const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
    const abort = () => resolve(undefined);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    await Promise.race([settled, aborted]);
    signal.removeEventListener('abort', abort);
    if (!signal.aborted) return work;
    const limit = new AbortController();
    const late = delay(SETTLE_MS, false, { signal: limit.signal }).catch(() => false);
    if (!(await Promise.race([settled, late])))
      this.logger.error({ run: run.id, step }, 'A stopped step has not ended');
    limit.abort();
    throw signal.reason;
  }
}
