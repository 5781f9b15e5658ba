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
