import { invalid } from '../../infra/errors/app-error.ts';
import {
  decideRetry,
  describeError,
  INTERRUPTED,
  OWNER_GONE,
  stoppedOutcome,
  SUCCEEDED,
  TASK_GONE,
  type Outcome,
} from './run-outcome.ts';
import { StepError } from '../runs/step-error.ts';

const FAILED: Outcome = { status: 'FAILED', error: { code: 'STEP_FAILED', message: 'No' } };
const retry = (attempts: number, backoffMs = 1_000, onInterrupted = false) => ({
  attempts,
  backoffMs,
  onInterrupted,
});

describe('whether a run is attempted again', () => {
  it('doubles the backoff, up to an hour, as often as the task says', () => {
    expect([1, 2, 3, 4].map((attempt) => decideRetry(FAILED, retry(3), attempt, true))).toEqual([
      1_000,
      2_000,
      4_000,
      null,
    ]);
    expect(decideRetry(FAILED, retry(10, 600_000), 10, true)).toBe(3_600_000);
    expect(decideRetry(FAILED, retry(0), 1, true)).toBeNull();
  });

  it('never repeats what has succeeded, was cancelled, or cannot change', () => {
    const cancelled = stoppedOutcome('cancelled', 1);
    for (const outcome of [SUCCEEDED, cancelled, TASK_GONE, OWNER_GONE])
      expect(decideRetry(outcome, retry(10, 0, true), 1, true)).toBeNull();
    expect(decideRetry(stoppedOutcome('timed-out', 1), retry(1, 5), 1, true)).toBe(5);
  });

  it('repeats what was interrupted at once, if the task wants that, but not forever', () => {
    expect(decideRetry(INTERRUPTED, retry(0), 1, true)).toBeNull();
    // A task with attempts accepts that its steps are executed again.
    expect([1, 2, 3].map((attempt) => decideRetry(INTERRUPTED, retry(2), attempt, true))).toEqual([
      0,
      0,
      null,
    ]);
    const attempts = [1, 2, 3, 4].map((attempt) =>
      decideRetry(INTERRUPTED, retry(0, 1_000, true), attempt, true),
    );
    expect(attempts).toEqual([0, 0, 0, null]);
    expect(decideRetry(INTERRUPTED, retry(5, 1_000, true), 5, true)).toBe(0);
    // Without an effect that would happen twice, nobody has to consent.
    expect([3, 4].map((attempt) => decideRetry(INTERRUPTED, retry(0), attempt, false))).toEqual([0, null]);
  });
});

describe('what a failed step reports', () => {
  it('is the message of errors that are meant to be shown, and of no other', () => {
    expect(describeError(new StepError('STEP_FAILED', 'Why'))).toEqual({
      code: 'STEP_FAILED',
      message: 'Why',
    });
    expect(describeError(invalid('Wrong'))).toEqual({ code: 'VALIDATION_ERROR', message: 'Wrong' });
    expect(describeError(new StepError('STEP_FAILED', 'Row a\0b\ud800 \u{1f600}')).message).toBe(
      'Row a\ufffdb\ufffd \u{1f600}',
    );
    for (const error of [new Error('secret'), 'secret', null, { message: 'secret', code: 'X' }])
      expect(JSON.stringify(describeError(error))).not.toContain('secret');
  });
});
