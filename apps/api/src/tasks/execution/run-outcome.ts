import type { RunError, TaskRetry } from '@platform/contracts';
import { AppError } from '../../infra/errors/app-error.ts';
import { storable } from '../../infra/errors/storable.ts';
import { OWNER_CHANGED, REJECTED, StepError, TIMEOUT, type StopReason } from '../runs/step-error.ts';

/** How an attempt ended. */
export type Outcome =
  | { status: 'SUCCEEDED'; error: null }
  | { status: 'FAILED' | 'CANCELLED' | 'INTERRUPTED'; error: RunError | null };

const MAX_BACKOFF_MS = 3_600_000;
/** A run that was interrupted is attempted again at least so often, if nothing is done twice, or its task has `onInterrupted`. */
const MIN_INTERRUPTED_ATTEMPTS = 3;
/** Failures that no repetition changes. */
const FINAL: readonly string[] = [OWNER_CHANGED, 'OWNER_GONE', 'PAYLOAD_GONE', REJECTED];

export const SUCCEEDED: Outcome = { status: 'SUCCEEDED', error: null };

export const INTERRUPTED: Outcome = {
  status: 'INTERRUPTED',
  error: { code: 'INTERRUPTED', message: 'The process that executed the run has ended' },
};

export const TASK_GONE: Outcome = {
  status: 'CANCELLED',
  error: { code: 'TASK_GONE', message: 'The task was deleted, or its application was uninstalled' },
};

export const OWNER_GONE: Outcome = {
  status: 'FAILED',
  error: { code: 'OWNER_GONE', message: 'The owner of the task is no longer a member of the space' },
};

export const PAYLOAD_GONE: Outcome = {
  status: 'FAILED',
  error: { code: 'PAYLOAD_GONE', message: 'The payload of the event is no longer kept' },
};

/** The outcome of a run that was stopped. */
export function stoppedOutcome(reason: StopReason, timeoutMs: number): Outcome {
  switch (reason) {
    case 'cancelled':
      return { status: 'CANCELLED', error: null };
    case 'timed-out':
      return {
        status: 'FAILED',
        error: { code: TIMEOUT, message: `The run did not finish within ${timeoutMs} ms` },
      };
    case 'shutdown':
    case 'lost':
      return INTERRUPTED;
  }
}

/**
 * What a failed step reports. Unexpected errors may contain anything, so their messages are not shown. Other messages quote foreign
 * text, and SQL reads them.
 */
export function describeError(error: unknown): RunError {
  if (error instanceof StepError || error instanceof AppError) {
    return { code: error.code, message: storable(error.message) };
  }
  return { code: 'SERVER_ERROR', message: 'The step failed unexpectedly' };
}

/**
 * Returns after how many milliseconds the run is attempted again, or null if it ends. `attempt` counts without those that
 * were handed over, or waited. A task with `attempts` accepts that steps are executed again, so they count for either end.
 * `isUncertain`: a step was cut off that may have had an effect which a repetition would have again.
 */
export function decideRetry(
  outcome: Outcome,
  retry: TaskRetry,
  attempt: number,
  isUncertain: boolean,
): number | null {
  switch (outcome.status) {
    case 'SUCCEEDED':
    case 'CANCELLED':
      return null;
    case 'FAILED':
      if (attempt > retry.attempts || (outcome.error && FINAL.includes(outcome.error.code))) return null;
      return Math.min(retry.backoffMs * 2 ** (attempt - 1), MAX_BACKOFF_MS);
    case 'INTERRUPTED':
      return attempt <=
        Math.max(retry.attempts, retry.onInterrupted || !isUncertain ? MIN_INTERRUPTED_ATTEMPTS : 0)
        ? 0
        : null;
  }
}
