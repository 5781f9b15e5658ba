/** A person has decided against it: no repetition changes that. */
export const REJECTED = 'REJECTED';
/** An input or output is larger than what is stored: the step would only do again what it did. */
export const TOO_LARGE = 'STEP_TOO_LARGE';
/** What the step has begun belongs to the former owner of the task: begun anew without being asked, it would happen twice. */
export const OWNER_CHANGED = 'OWNER_CHANGED';

/** The step, or its run, has taken longer than it may. */
export const TIMEOUT = 'TIMEOUT';

interface StepErrorOptions extends ErrorOptions {
  /** What the step returned although it failed: the run shows it. */
  output?: unknown;
  /** Further fields of the error that code receives whose call failed. */
  facts?: Record<string, unknown>;
}

/** Why a step failed, in words for the owner of the task. The messages of other errors, except AppError, are only logged. */
export class StepError extends Error {
  override name = 'StepError';
  readonly output: unknown;
  readonly facts: Record<string, unknown>;

  constructor(
    /** Such as STEP_FAILED. */
    readonly code: string,
    message: string,
    { output, facts, ...options }: StepErrorOptions = {},
  ) {
    super(message, options);
    this.output = output ?? null;
    this.facts = facts ?? {};
  }
}

/** `lost`: another process may have taken the run over. */
export type StopReason = 'cancelled' | 'timed-out' | 'shutdown' | 'lost';

/** Why a run was stopped in this process: the reason of the signal of its steps. */
export class RunStopped extends Error {
  constructor(readonly reason: StopReason) {
    super(`The run was stopped: ${reason}`);
  }

  /** Whether another process goes on with the run, and finds what its step has begun by the key of the execution. */
  get isContinued(): boolean {
    return this.reason === 'shutdown' || this.reason === 'lost';
  }
}
