import { setTimeout as delay } from 'node:timers/promises';
import type { RunStepStatus, Step, StepOf } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { ActionContext, StartingContext } from '../definition/action.registry.ts';
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
import type { StepBegin, StepRow } from './run-endings.store.ts';
import type { Outcome } from './run-outcome.ts';
import { RunSuperseded, type RunWritesService } from './run-writes.service.ts';
import { OwnerLeft, StepExecution } from './step-execution.ts';
import type { StepRunnerService } from './step-runner.service.ts';

/** How many executions of steps a run has at most. */
const MAX_EXECUTIONS = 10_000;
/** With those that are skipped or contain others: whoever goes on with the run reads all of them. */
const MAX_STORED = 100_000;

/** The process is about to end: the run goes on in another one. */
export class RunHandedOver extends Error {}

/** How a step ended. */
type StepEnd = Omit<StepRow, keyof StepBegin | 'endedAt'>;

/** Executes and stores the steps of one attempt of a run. */
export class RunSteps implements StepHost {
  /** The scopes of the steps that wait without a process. */
  readonly waiting = new Set<string>();
  private readonly budget: RunBudget;
  /** The steps that contain others and have not ended. */
  private readonly opened = new Map<string, Pick<StepBegin, 'attempt' | 'position'>>();
  /** The executions that may have had an effect which a repetition would have again. */
  private readonly acting = new Set<number>();
  private position: number;
  private executions: number;
  /** How many steps the run has stored. */
  private stored: number;
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
    this.stored = this.executions;
    this.repetition = progress?.superseded ? [progress.superseded] : [];
    for (const [scope, { status, attempt, position, input }] of progress?.records ?? [])
      if (input !== null) this.opened.set(scope, { attempt, position });
      else if (status === 'WAITING') this.waiting.add(scope);
    active.hasWaits ||= this.waiting.size > 0;
  }

  async enter(at: PlacedStep, environment: StepEnvironment): Promise<StepResult | null> {
    if (this.stored >= MAX_STORED) {
      const error = new StepError('TOO_MANY_STEPS', `A run stores at most ${MAX_STORED} steps`);
      return { type: 'failed', outcome: this.runner.classify(this.active, error), isFinal: true };
    }
    const { id } = at.step;
    const when = at.step.when ?? null;
    if (when === null) return null;
    const owner = await this.findMember();
    try {
      const holds = await this.runner.holds(this.active, owner, when, this.scopeOf(environment));
      if (holds) return null;
    } catch (error) {
      // A step that is stored otherwise is one whose condition holds, in the eyes of the next attempt.
      this.active.signal.throwIfAborted();
      const reason = this.runner.classify(this.active, error).error?.message;
      const failure = new StepError(CONDITION_FAILED, `The condition of step ${id} failed: ${reason}`);
      return this.fail(this.begin(at, 1), failure);
    }
    await this.end(this.begin(at, 1), { status: 'SKIPPED', output: 'null', log: '', error: null });
    return { type: 'ended', output: null };
  }

  async execute(at: PlacedStep, stepAttempt: number, environment: StepEnvironment): Promise<StepResult> {
    const { step, scope } = at;
    this.check();
    let execution: StepExecution | null = null;
    const log = new LiveLog(this.budget.openLog(), async (text) => {
      if (execution === null) return;
      await execution.start();
      await this.writes.storeLog(this.active, execution.begun.position, text);
    });
    try {
      const resolved = resolveStep(step, this.scopeOf(environment));
      const { acts, hasEffects } = await this.runner.findEffects(this.active.run.spaceId, resolved);
      const simulation = await this.runner.simulate(this.active, resolved, scope, hasEffects);
      const input = this.formatInput(resolved);
      const begun = this.begin(at, stepAttempt, { input, acts: acts && simulation === null });
      execution = new StepExecution(this.active, this.writes, begun, this.findOwner);
      let output: unknown;
      if (simulation === null) {
        output = await this.runner.callAction(
          this.active,
          await this.start(execution, this.describe(execution, step, resolved, log, environment)),
        );
      } else {
        await execution.start();
        await this.writes.markSimulated(this.active, begun.position, simulation.simulated);
        output = simulation.output;
      }
      await execution.settle();
      this.active.signal.throwIfAborted();
      if (output instanceof StepWait) {
        await this.writes.storeWait(this.active, begun.position, scope, output);
        this.waiting.add(scope);
        this.active.hasWaits = true;
        return { type: 'waiting' };
      }
      const json = this.budget.format(output, `The output of step ${step.id}`);
      const ended = { status: 'SUCCEEDED' as const, output: json, log: log.close(), error: null };
      await this.end(execution.describe(), ended);
      return { type: 'ended', output: JSON.parse(json) as unknown };
    } catch (error) {
      if (error instanceof RunSuperseded) throw error;
      await execution?.settle();
      return await this.fail(execution?.describe() ?? this.begin(at, stepAttempt), error, log.close());
    } finally {
      log.close();
    }
  }

  async open(at: PlacedStep, environment: StepEnvironment): Promise<{ input: unknown } | StepResult> {
    const owner = await this.findMember();
    try {
      const input =
        at.step.kind === 'branch'
          ? { branch: await this.choose(at.step, owner, environment) }
          : { items: this.listItems(at.step as StepOf<'each'>, environment) };
      const json = this.budget.format(input, `The input of step ${at.step.id}`);
      const begun = this.begin(at, 1, { input: json });
      await this.writes.startStep(this.active, begun);
      this.opened.set(at.scope, begun);
      return { input };
    } catch (error) {
      if (error instanceof RunSuperseded) throw error;
      return this.fail(this.begin(at, 1), error);
    }
  }

  async reopen({ scope }: PlacedStep): Promise<void> {
    const stored = this.opened.get(scope);
    if (stored !== undefined) await this.writes.reopen(this.active, [stored]);
  }

  async close(at: PlacedStep, result: StepResult): Promise<StepResult> {
    const opened = this.opened.get(at.scope);
    if (opened === undefined || result.type === 'waiting') return result;
    const begun = { ...this.describeBegin(at, 1), ...opened };
    if (result.type === 'failed') {
      const { error } = result.outcome;
      await this.end(begun, { status: this.statusOf(result.outcome), output: null, log: '', error });
      return result;
    }
    try {
      const json = this.budget.format(result.output, `The output of step ${at.step.id}`);
      await this.end(begun, { status: 'SUCCEEDED', output: json, log: '', error: null });
      return result;
    } catch (error) {
      if (error instanceof RunSuperseded) throw error;
      return this.fail(begun, error);
    }
  }

  async abandon(scope: string): Promise<void> {
    const inside = [...this.waiting].filter(
      (one) => one.startsWith(`${scope}.`) || one.startsWith(`${scope}[`),
    );
    if (inside.length === 0) return;
    await this.writes.abandon(this.active, scope);
    for (const one of inside) this.waiting.delete(one);
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
  private async findMember(): Promise<UserPrincipal> {
    this.check();
    const { signal } = this.active;
    const owner = await this.findOwner();
    signal.throwIfAborted();
    if (owner === null) throw new OwnerLeft();
    return owner;
  }

  /** Returns what the step is executed with. */
  private async start(execution: StepExecution, context: StartingContext): Promise<ActionContext> {
    if (findStepKind(context.step.kind)?.startsItself) {
      execution.goAhead();
      // Its action takes the context without an owner.
      return context as ActionContext;
    }
    const owner = await execution.start();
    this.active.signal.throwIfAborted();
    return { ...context, owner };
  }

  /** Numbers an execution, which nothing stores yet. */
  private begin(
    at: PlacedStep,
    stepAttempt: number,
    known: { input?: string | null; acts?: boolean } = {},
  ): StepBegin {
    const begun = {
      ...this.describeBegin(at, stepAttempt),
      attempt: this.active.run.attempt,
      position: this.position,
      ...known,
    };
    this.position += 1;
    this.stored += 1;
    this.active.begun += 1;
    if (begun.acts) this.acting.add(begun.position);
    return begun;
  }

  /** What ends within `each` may be followed by nothing for long, so it is stored at once. */
  private async end(begun: StepBegin, ended: StepEnd): Promise<void> {
    this.active.ended = [...this.active.ended, { ...begun, ...ended, endedAt: this.active.now() }];
    if (begun.scope.includes('[')) await this.writes.storeEnds(this.active);
  }

  private async fail(begun: StepBegin, error: unknown, log = ''): Promise<StepResult> {
    const outcome = this.runner.classify(this.active, error);
    if (outcome.status === 'INTERRUPTED' && this.acting.has(begun.position)) this.active.isUncertain = true;
    const output = this.formatFailed(begun.stepId, error);
    await this.end(begun, { status: this.statusOf(outcome), output, log, error: outcome.error });
    return { type: 'failed', outcome, isFinal: this.active.reason !== null || outcome.status !== 'FAILED' };
  }

  /** A step that the time limit of the run cuts off has not failed by itself: with `onError`, a retry would go on after it. */
  private statusOf({ status }: Outcome): RunStepStatus {
    return this.active.reason === 'timed-out' ? 'INTERRUPTED' : status;
  }

  private scopeOf({ steps, item, index }: StepEnvironment): TemplateScope {
    const { inputs, trigger } = this.active.run;
    return { inputs, trigger, steps, ...(index !== undefined && { item, index }) };
  }

  private describe(
    execution: StepExecution,
    definition: Step,
    step: Step,
    log: LiveLog,
    { steps, item, index }: StepEnvironment,
  ): StartingContext {
    const { scope, stepAttempt, position } = execution.begun;
    const { id: runId, attempt, spaceId, ownerUserId, trigger, inputs, testEffects } = this.active.run;
    const isTest = testEffects !== null;
    return {
      runId,
      attempt,
      spaceId,
      ownerUserId,
      step,
      definition,
      scope,
      stepKey: `${runId}:${scope}:${[...this.repetition, stepAttempt].join('.')}`,
      effectKey: `${runId}:${scope}`,
      startKey: [runId, scope, ...this.repetition].join(':'),
      // A test asks nobody.
      mayWait: !isTest || !['agent', 'tool'].includes(step.kind),
      isTest,
      signal: execution.signal,
      log: (line) => log.add(line),
      start: () => execution.start(),
      markActing: async () => {
        this.acting.add(position);
        await this.writes.markActing(this.active, position);
      },
      simulate: async (called, hasEffects) => {
        const simulation = await this.runner.simulate(this.active, called, null, hasEffects);
        if (simulation === null) return null;
        await this.writes.markSimulated(this.active, position, simulation.simulated);
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

  /** An execution without its place in the run. */
  private describeBegin(
    { step, scope }: PlacedStep,
    stepAttempt: number,
  ): Omit<StepBegin, 'attempt' | 'position'> {
    return {
      stepId: step.id,
      kind: step.kind,
      scope,
      stepAttempt,
      acts: false,
      input: null,
      begunAt: this.active.now(),
    };
  }

  /** What a step returned although it failed; null if that is nothing, or more than can be stored. */
  private formatFailed(stepId: string, error: unknown): string | null {
    if (!(error instanceof StepError) || error.output === null) return null;
    try {
      return this.budget.format(error.output, `The output of step ${stepId}`);
    } catch {
      return null;
    }
  }
}
