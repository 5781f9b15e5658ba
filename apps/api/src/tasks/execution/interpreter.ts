import type { RunError, Step, StepOf, Workflow } from '@platform/contracts';
import { OWNER_CHANGED, REJECTED, TIMEOUT, TOO_LARGE } from '../runs/step-error.ts';
import type { StepRecord } from './run-claims.store.ts';
import type { Outcome } from './run-outcome.ts';

type StepOutputs = Record<string, { output: unknown }>;

/** What a step can refer to besides the inputs and the trigger of the run. */
export interface StepEnvironment {
  /** The steps that have ended before it, by id. */
  steps: StepOutputs;
  /** In a step that is executed for each item. */
  item?: unknown;
  index?: number;
}

export type StepResult =
  | { type: 'ended'; output: unknown }
  /** `isFinal`: the run was stopped, so nothing is tried again. */
  | { type: 'failed'; outcome: Outcome & { error: RunError | null }; isFinal: boolean }
  | { type: 'waiting' };

/** A step in the place where it stands, such as `orders[3].charge`. */
export interface PlacedStep<S = Step> {
  step: S;
  scope: string;
}

/** What executes and stores the steps of one run. Whatever it throws ends the interpretation. */
export interface StepHost {
  /** Whether the step is executed: its condition holds. Stores that it is skipped, or failed because of the condition. */
  enter(at: PlacedStep, environment: StepEnvironment): Promise<StepResult | null>;
  /** Executes a step once. */
  execute(at: PlacedStep, stepAttempt: number, environment: StepEnvironment): Promise<StepResult>;
  /** Decides what a step does that contains others, and stores it. */
  open(at: PlacedStep, environment: StepEnvironment): Promise<{ input: unknown } | StepResult>;
  /** The same of a step that has decided before. */
  reopen(at: PlacedStep): Promise<void>;
  /** Stores how a step ended that contains others. */
  close(at: PlacedStep, result: StepResult): Promise<StepResult>;
  /** Ends what is waited for inside: the workflow goes on without it. */
  abandon(scope: string): Promise<void>;
  pause(ms: number): Promise<void>;
}

export const CONDITION_FAILED = 'CONDITION_FAILED';
/** Failures of steps that are not tried again. */
const FINAL: readonly unknown[] = [CONDITION_FAILED, OWNER_CHANGED, REJECTED, TOO_LARGE];
const WAITING: StepResult = { type: 'waiting' };

/**
 * Goes through a workflow from its beginning. What has ended before, in whichever process, is read from the records and not
 * executed again, so that the beginning of a run, its continuation, and its retry are the same.
 */
export class Interpreter {
  constructor(
    private readonly records: ReadonlyMap<string, StepRecord>,
    private readonly host: StepHost,
  ) {}

  /** Returns the output of the last step; `waiting` if nothing can be done before a wait has ended. */
  run({ steps }: Workflow): Promise<StepResult> {
    return this.runSequence(steps, '', { steps: {} });
  }

  private async runSequence(
    steps: readonly Step[],
    prefix: string,
    environment: StepEnvironment,
  ): Promise<StepResult> {
    let result: StepResult = { type: 'ended', output: null };
    let visible = environment.steps;
    for (const step of steps) {
      result = await this.runStep({ step, scope: prefix + step.id }, { ...environment, steps: visible });
      if (result.type !== 'ended') return result;
      // A computed key makes an own property, also for an id such as __proto__.
      visible = { ...visible, [step.id]: { output: result.output } };
    }
    return result;
  }

  private async runStep(at: PlacedStep, environment: StepEnvironment): Promise<StepResult> {
    const { step, scope } = at;
    const stored = this.records.get(scope) ?? null;
    const failure = stored && failureOf(stored, step);
    if (failure !== null) return this.continued(failure, at);
    const record = withoutCondition(stored);
    if (record !== null && hasEnded(record, step)) return { type: 'ended', output: outputOf(record) };
    const isContainer = containsSteps(step);
    if (record?.status === 'WAITING' && !isContainer) return WAITING;
    if (record === null) {
      const entered = await this.host.enter(at, environment);
      if (entered !== null) return this.continued(entered, at);
    }
    const result = isContainer
      ? await this.runContainer(at, record, environment)
      : await this.executeStep(at, record, environment);
    return this.continued(result, at);
  }

  /** What follows if the workflow goes on after a failure of the step. */
  private async continued(result: StepResult, { step, scope }: PlacedStep): Promise<StepResult> {
    if (result.type !== 'failed' || result.isFinal || step.onError !== 'continue') return result;
    await this.host.abandon(scope);
    return { type: 'ended', output: { error: result.outcome.error } };
  }

  private async executeStep(
    at: PlacedStep,
    record: StepRecord | null,
    environment: StepEnvironment,
  ): Promise<StepResult> {
    const { attempts = 0, backoffMs = 0 } = at.step.retry ?? {};
    let stepAttempt = nextAttempt(record);
    for (let failures = record?.failures ?? 0; ; failures += 1) {
      if (failures > 0) await this.host.pause(Math.min(backoffMs * 2 ** (failures - 1), MAX_PAUSE_MS));
      const result = await this.host.execute(at, stepAttempt, environment);
      if (result.type !== 'failed' || result.isFinal || failures >= attempts) return result;
      if (FINAL.includes(result.outcome.error?.code)) return result;
      stepAttempt += 1;
    }
  }

  private async runContainer(
    at: PlacedStep,
    record: StepRecord | null,
    environment: StepEnvironment,
  ): Promise<StepResult> {
    const opened = await this.openContainer(at, record, environment);
    if (!('input' in opened)) return opened;
    const { input } = opened;
    const result =
      at.step.kind === 'branch'
        ? await this.runBranch(
            at as PlacedStep<StepOf<'branch'>>,
            input as { branch: number | null },
            environment,
          )
        : await this.runEach(
            at as PlacedStep<StepOf<'each'>>,
            (input as { items: unknown[] }).items,
            environment,
          );
    return result.type === 'waiting' ? result : this.host.close(at, result);
  }

  private async openContainer(
    at: PlacedStep,
    record: StepRecord | null,
    environment: StepEnvironment,
  ): Promise<{ input: unknown } | StepResult> {
    if (!isOpen(record)) return this.host.open(at, environment);
    await this.host.reopen(at);
    return { input: record.input };
  }

  private runBranch(
    { step, scope }: PlacedStep<StepOf<'branch'>>,
    { branch }: { branch: number | null },
    environment: StepEnvironment,
  ): Promise<StepResult> {
    const steps = branch === null ? step.otherwise : step.branches[branch]?.steps;
    return this.runSequence(steps ?? [], `${scope}.`, environment);
  }

  /** An item that waits keeps its place: no more items than `concurrency` have begun and not ended. */
  private async runEach(
    { step, scope }: PlacedStep<StepOf<'each'>>,
    items: readonly unknown[],
    environment: StepEnvironment,
  ): Promise<StepResult> {
    const entries: EachEntry[] = [];
    const failures: StepResult[] = [];
    const waiting: number[] = [];
    let next = 0;
    const runItems = async (): Promise<void> => {
      while (next < items.length && failures.length === 0) {
        const index = next;
        next += 1;
        const own = { ...environment, item: items[index], index };
        const result = await this.runSequence(step.steps, `${scope}[${index}].`, own);
        if (result.type === 'waiting') {
          waiting.push(index);
          return;
        }
        entries[index] = toEntry(result);
        if (result.type !== 'failed') continue;
        if (result.isFinal || step.onItemError !== 'continue') failures.push(result);
        else await this.host.abandon(`${scope}[${index}]`);
      }
    };
    const lanes = await Promise.allSettled(
      Array.from({ length: Math.min(step.concurrency ?? 1, items.length) }, runItems),
    );
    // After all of them: no step may go on when the run is given back.
    for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
    const [failure] = failures;
    if (failure !== undefined) return failure;
    return waiting.length > 0 ? WAITING : { type: 'ended', output: entries };
  }
}

const MAX_PAUSE_MS = 3_600_000;

type EndedRecord = Pick<StepRecord, 'status' | 'stepAttempt' | 'error'>;

interface EachEntry {
  status: 'SUCCEEDED' | 'FAILED';
  output?: unknown;
  error?: RunError;
}

function toEntry(result: Exclude<StepResult, { type: 'waiting' }>): EachEntry {
  if (result.type === 'ended') return { status: 'SUCCEEDED', output: result.output };
  const { error } = result.outcome;
  return { status: 'FAILED', ...(error && { error }) };
}

const containsSteps = ({ kind }: Step) => kind === 'branch' || kind === 'each';

/**
 * How a step failed since the run was last retried; null if it has not, or is tried again. An item that failed is not executed again
 * because another one waited, and neither is a step whose wait ended with a failure.
 */
function failureOf({ status, failures, error }: StepRecord, step: Step): StepResult | null {
  const isTriedAgain = !containsSteps(step) && !FINAL.includes(error?.code);
  const attempts = isTriedAgain ? (step.retry?.attempts ?? 0) : 0;
  if (status !== 'FAILED' || failures <= attempts) return null;
  return { type: 'failed', outcome: { status: 'FAILED', error }, isFinal: false };
}

/** Whether an execution that is stored is the last one of its step, whatever becomes of the run. */
export function isFinished(record: EndedRecord, step: Step): boolean {
  return withoutCondition(record) !== null && hasEnded(record, step);
}

/** A step that has failed because of its condition has not begun. */
function withoutCondition<R extends EndedRecord>(record: R | null): R | null {
  return record?.status === 'FAILED' && record.error?.code === CONDITION_FAILED ? null : record;
}

/**
 * A step that failed has ended only if the workflow goes on after it, and its retries are used up. Without an error, it was left open
 * by an attempt that failed.
 */
function hasEnded({ status, stepAttempt, error }: EndedRecord, { onError, retry }: Step): boolean {
  if (status === 'SUCCEEDED' || status === 'SKIPPED') return true;
  const isUsedUp = stepAttempt > (retry?.attempts ?? 0) || FINAL.includes(error?.code);
  return status === 'FAILED' && error !== null && onError === 'continue' && isUsedUp;
}

function outputOf({ status, output, error }: StepRecord): unknown {
  return status === 'FAILED' ? { error } : output;
}

/** Whether a step that contains others has decided what to do, and not ended, or failed inside. */
function isOpen(record: StepRecord | null): record is StepRecord {
  return record !== null && record.input !== null;
}

/**
 * An execution that was cut off is continued, so that its effects have the same keys; one that the time limit of the run ended is not:
 * its turn was canceled.
 */
function nextAttempt(record: StepRecord | null): number {
  if (record === null) return 1;
  const { status, error, stepAttempt } = record;
  const isOver = status === 'FAILED' || status === 'CANCELLED' || error?.code === TIMEOUT;
  return isOver ? stepAttempt + 1 : stepAttempt;
}
