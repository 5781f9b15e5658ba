import { setTimeout as delay } from 'node:timers/promises';
import type { Step, StepOf } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { ActionContext } from '../definition/action.registry.ts';
import { findStepKind, inputOf, resolveStep } from '../definition/step-kinds.ts';
import { StepWait } from '../waits/step-wait.ts';

import { MAX_ITEMS } from '../kinds/each.kind.ts';
import { RunBudget } from '../runs/run-budget.ts';
import { StepError } from '../runs/step-error.ts';
import { resolveTemplates, type TemplateScope } from '../templates/template.ts';
import type { ActiveRun } from './active-run.ts';
import {
  CONDITION_FAILED,
  type PlacedStep,
  type StepEnvironment,
  type StepHost,
  type StepResult,
} from './interpreter.ts';
import { LiveLog } from './live-log.ts';
import type { RunProgress } from './run-claims.store.ts';
import type { StepEnd } from './run-endings.store.ts';
import { RunSuperseded, type RunWritesService } from './run-writes.service.ts';
import type { StepRunnerService } from './step-runner.service.ts';

/** How many executions of steps a run has at most. */
const MAX_EXECUTIONS = 10_000;

/** The process is about to end: the run goes on in another one. */
export class RunHandedOver extends Error {}

/** The owner of the task is no longer a member of the space. */
export class OwnerLeft extends Error {}

/** The row of the execution of a step. */
type StoredStep = Pick<StepEnd, 'attempt' | 'position'>;

/** Executes and stores the steps of one attempt of a run. */
export class RunSteps implements StepHost {
  /** The scopes of the steps that wait without a process. */
  readonly waiting = new Set<string>();
  private readonly budget: RunBudget;
  /** The steps that contain others and have not ended. */
  private readonly opened = new Map<string, StoredStep>();
  /** The executions that may have had an effect which a repetition would have again. */
  private readonly acting = new Set<number>();
  private position: number;
  private executions: number;
  /** A number that keys of executions contain: a retry that began at an earlier step repeats its executions as others. */
  private readonly repetition: readonly number[];

  constructor(
    private readonly active: ActiveRun,
    progress: RunProgress | null,
    private readonly runner: StepRunnerService,
    private readonly writes: RunWritesService,
    private readonly findOwner: () => Promise<UserPrincipal | null>,
  ) {
    this.budget = new RunBudget(progress);
    this.position = progress?.nextPosition ?? 0;
    this.executions = progress?.executions ?? 0;
    this.repetition = progress?.superseded ? [progress.superseded] : [];
    for (const [scope, { status, attempt, position, input }] of progress?.records ?? [])
      if (input !== null) this.opened.set(scope, { attempt, position });
      else if (status === 'WAITING') this.waiting.add(scope);
    active.hasWaits ||= this.waiting.size > 0;
  }

  async enter(at: PlacedStep, environment: StepEnvironment): Promise<StepResult | null> {
    const { id } = at.step;
    const when = at.step.when ?? null;
    if (when === null) return null;
    const owner = await this.begin();
    const stored = async () => this.store(at, 1, null);
    try {
      const holds = await this.runner.holds(this.active, owner, when, this.scopeOf(environment));
      if (holds) return null;
    } catch (error) {
      if (!(error instanceof StepError)) return this.fail(at, await stored(), error);
      const message = `The condition of step ${id} failed: ${error.message}`;
      return this.fail(at, await stored(), new StepError(CONDITION_FAILED, message));
    }
    await this.end(at, { ...(await stored()), status: 'SKIPPED', output: 'null', log: '', error: null });
    return { type: 'ended', output: null };
  }

  async execute(at: PlacedStep, stepAttempt: number, environment: StepEnvironment): Promise<StepResult> {
    const { step, scope } = at;
    this.check();
    let started: Promise<StoredStep> | null = null;
    const log = new LiveLog(this.budget.openLog(), async (text) => {
      if (started !== null) await this.writes.storeLog(this.active, (await started).position, text);
    });
    try {
      const resolved = resolveStep(step, this.scopeOf(environment));
      const { acts, hasEffects } = await this.runner.findEffects(this.active.run.spaceId, resolved);
      const simulation = await this.runner.simulate(this.active, resolved, scope, hasEffects);
      const input = this.formatInput(resolved);
      // Together: what is stored has no effect yet.
      const found = this.findOwner();
      started = this.store(at, stepAttempt, input, acts && simulation === null);
      for (const one of [found, started]) one.catch(() => undefined);
      const owner = await found;
      if (owner === null) {
        await this.writes.removeStart(this.active, await started);
        throw new OwnerLeft();
      }
      if (!findStepKind(step.kind)?.awaitsStart) await started;
      this.active.signal.throwIfAborted();
      const context = this.describe(at, { owner, step: resolved, stepAttempt, started, log }, environment);
      const output =
        simulation === null ? await this.runner.callAction(this.active, context) : simulation.output;
      const stored = await started;
      if (simulation !== null)
        await this.writes.markSimulated(this.active, stored.position, simulation.simulated);
      if (output instanceof StepWait) {
        await this.writes.storeWait(this.active, stored.position, scope, output);
        this.waiting.add(scope);
        this.active.hasWaits = true;
        return { type: 'waiting' };
      }
      const json = this.budget.format(output, `The output of step ${step.id}`);
      await this.end(at, { ...stored, status: 'SUCCEEDED', output: json, log: log.close(), error: null });
      return { type: 'ended', output: JSON.parse(json) as unknown };
    } catch (error) {
      if (error instanceof RunSuperseded || error instanceof OwnerLeft) throw error;
      const withoutInput = () => this.store(at, stepAttempt, null);
      const stored = await (started?.catch(withoutInput) ?? withoutInput());
      return await this.fail(at, stored, error, log.close());
    } finally {
      log.close();
    }
  }

  async open(at: PlacedStep, environment: StepEnvironment): Promise<{ input: unknown } | StepResult> {
    const owner = await this.begin();
    try {
      const input =
        at.step.kind === 'branch'
          ? { branch: await this.choose(at.step, owner, environment) }
          : { items: this.listItems(at.step as StepOf<'each'>, environment) };
      const json = this.budget.format(input, `The input of step ${at.step.id}`);
      this.opened.set(at.scope, await this.store(at, 1, json));
      return { input };
    } catch (error) {
      if (error instanceof RunSuperseded) throw error;
      return this.fail(at, await this.store(at, 1, null), error);
    }
  }

  async reopen({ scope }: PlacedStep): Promise<void> {
    const stored = this.opened.get(scope);
    if (stored !== undefined) await this.writes.reopen(this.active, [stored]);
  }

  async close(at: PlacedStep, result: StepResult): Promise<StepResult> {
    const stored = this.opened.get(at.scope);
    if (stored === undefined || result.type === 'waiting') return result;
    if (result.type === 'failed') {
      const { status, error } = result.outcome;
      await this.end(at, { ...stored, status, output: null, log: '', error });
      return result;
    }
    try {
      const json = this.budget.format(result.output, `The output of step ${at.step.id}`);
      await this.end(at, { ...stored, status: 'SUCCEEDED', output: json, log: '', error: null });
      return result;
    } catch (error) {
      if (error instanceof RunSuperseded) throw error;
      return this.fail(at, stored, error);
    }
  }

  async pause(ms: number): Promise<void> {
    await this.writes.storeEnds(this.active);
    await delay(ms, undefined, { signal: this.active.signal }).catch(() =>
      this.active.signal.throwIfAborted(),
    );
  }

  private check(): void {
    const { signal, isDraining } = this.active;
    signal.throwIfAborted();
    if (isDraining) throw new RunHandedOver();
  }

  /** Before each execution: the owner may leave the space while the run executes. */
  private async begin(): Promise<UserPrincipal> {
    this.check();
    const { signal } = this.active;
    const owner = await this.findOwner();
    signal.throwIfAborted();
    if (owner === null) throw new OwnerLeft();
    return owner;
  }

  /** Stores that an execution begins. */
  private async store(
    at: PlacedStep,
    stepAttempt: number,
    input: string | null,
    acts = false,
  ): Promise<StoredStep> {
    const { step, scope } = at;
    const { attempt } = this.active.run;
    const stored = { attempt, position: this.position };
    this.position += 1;
    this.active.begun += 1;
    const { id: stepId, kind } = step;
    if (acts) this.acting.add(stored.position);
    await this.writes.startStep(this.active, { ...stored, stepId, scope, stepAttempt, kind, acts, input });
    return stored;
  }

  /** What ends within `each` may be followed by nothing for long, so it is stored at once. */
  private async end({ scope }: PlacedStep, ended: StepEnd): Promise<void> {
    this.active.ended = [...this.active.ended, ended];
    if (scope.includes('[')) await this.writes.storeEnds(this.active);
  }

  private async fail(at: PlacedStep, stored: StoredStep, error: unknown, log = ''): Promise<StepResult> {
    const outcome = this.runner.classify(this.active, error);
    if (outcome.status === 'INTERRUPTED' && this.acting.has(stored.position)) this.active.isUncertain = true;
    const output = this.formatFailed(at.step, error);
    await this.end(at, { ...stored, status: outcome.status, output, log, error: outcome.error });
    return { type: 'failed', outcome, isFinal: this.active.reason !== null || outcome.status !== 'FAILED' };
  }

  private scopeOf({ steps, item, index }: StepEnvironment): TemplateScope {
    const { inputs, trigger } = this.active.run;
    return { inputs, trigger, steps, ...(index !== undefined && { item, index }) };
  }

  private describe(
    { scope }: PlacedStep,
    {
      owner,
      step,
      stepAttempt,
      started,
      log,
    }: { owner: UserPrincipal; step: Step; stepAttempt: number; started: Promise<StoredStep>; log: LiveLog },
    { steps, item, index }: StepEnvironment,
  ): ActionContext {
    const { id: runId, attempt, spaceId, trigger, inputs } = this.active.run;
    return {
      runId,
      attempt,
      spaceId,
      owner,
      step,
      scope,
      stepKey: `${runId}:${scope}:${[...this.repetition, stepAttempt].join('.')}`,
      effectKey: `${runId}:${scope}`,
      startKey: [runId, scope, ...this.repetition].join(':'),
      // A test asks nobody.
      mayWait: this.active.run.testEffects === null || !['agent', 'tool'].includes(step.kind),
      signal: this.active.signal,
      log: (line) => log.add(line),
      started,
      markActing: async () => {
        const { position } = await started;
        this.acting.add(position);
        await this.writes.markActing(this.active, position);
      },
      simulate: async (called, hasEffects) => {
        const simulation = await this.runner.simulate(this.active, called, null, hasEffects);
        if (simulation === null) return null;
        await this.writes.markSimulated(this.active, (await started).position, simulation.simulated);
        return simulation;
      },
      trigger,
      inputs,
      steps,
      ...(index !== undefined && { item, index }),
    };
  }

  /** Returns the position of the first branch whose condition holds, null if none does. */
  private async choose(
    { branches }: StepOf<'branch'>,
    owner: UserPrincipal,
    environment: StepEnvironment,
  ): Promise<number | null> {
    for (const [i, { when }] of branches.entries())
      if (await this.runner.holds(this.active, owner, when, this.scopeOf(environment))) return i;
    return null;
  }

  private listItems({ items }: StepOf<'each'>, environment: StepEnvironment): unknown[] {
    const list = resolveTemplates(items, this.scopeOf(environment));
    if (!Array.isArray(list)) throw new StepError('ITEMS_INVALID', 'The items must be an array');
    if (list.length > MAX_ITEMS)
      throw new StepError(
        'ITEMS_INVALID',
        `There are ${list.length} items; at most ${MAX_ITEMS} are executed`,
      );
    return list;
  }

  /** What the run page shows as the input of a step; null if its kind has none, such as code, whose input is that of the run. */
  private formatInput(step: Step): string | null {
    this.executions += 1;
    if (this.executions > MAX_EXECUTIONS)
      throw new StepError('TOO_MANY_STEPS', `A run executes at most ${MAX_EXECUTIONS} steps`);
    const input = inputOf(step);
    return input === undefined ? null : this.budget.format(input, `The input of step ${step.id}`);
  }

  /** What a step returned although it failed; null if that is nothing, or more than can be stored. */
  private formatFailed(step: Step, error: unknown): string | null {
    if (!(error instanceof StepError) || error.output === null) return null;
    try {
      return this.budget.format(error.output, `The output of step ${step.id}`);
    } catch {
      return null;
    }
  }
}
