/** Why a step failed, in words for the owner of the task. The messages of other errors, except AppError, are only logged. */
export class StepError extends Error {
  override name = 'StepError';

  constructor(
    /** Such as STEP_FAILED. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
