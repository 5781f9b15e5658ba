import { hasEnded, nextMove, statusAfter, type JobMove, type JobState } from './job-state.ts';

describe('nextMove', () => {
  it.each<[JobState['status'], JobState['turnStatus'], JobMove, JobMove]>([
    ['QUEUED', 'QUEUED', 'enqueue', 'stop'],
    ['RUNNING', 'RUNNING', 'wait', 'stop'],
    ['INPUT_REQUIRED', 'INPUT_REQUIRED', 'report', 'stop'],
    ['COMPLETED', 'COMPLETED', 'close', 'close'],
    ['FAILED', 'FAILED', 'close', 'close'],
    ['CANCELLED', 'CANCELLED', 'close', 'close'],
    ['TIMED_OUT', 'CANCELLED', 'close', 'close'],
  ])('%s over a turn that is %s: %s, or %s once it is to be stopped', (status, turnStatus, move, stopped) => {
    expect(nextMove({ status, turnStatus, stopping: false })).toBe(move);
    expect(nextMove({ status, turnStatus, stopping: true })).toBe(stopped);
  });

  it('queues an interrupted turn once more, unless it is to be stopped', () => {
    expect(nextMove({ status: 'RUNNING', turnStatus: 'FAILED', stopping: false })).toBe('enqueue');
    expect(nextMove({ status: 'RUNNING', turnStatus: 'FAILED', stopping: true })).toBe('stop');
  });
});

describe('statusAfter', () => {
  const RUNNING = {
    status: 'RUNNING',
    cancelRequested: false,
    timedOut: false,
    claimedAgain: false,
  } as const;
  const canceled = { ...RUNNING, cancelRequested: true };
  const timedOut = { ...RUNNING, timedOut: true };
  const claimedAgain = { ...RUNNING, claimedAgain: true };

  it.each([
    ['QUEUED', 'QUEUED'],
    ['RUNNING', 'RUNNING'],
    ['INPUT_REQUIRED', 'INPUT_REQUIRED'],
    ['COMPLETED', 'COMPLETED'],
    ['FAILED', 'FAILED'],
    ['CANCELLED', 'CANCELLED'],
  ] as const)('%s: %s', (status, expected) => {
    expect(statusAfter({ status, errorCode: null }, RUNNING)).toBe(expected);
    for (const job of [canceled, claimedAgain])
      expect(statusAfter({ status, errorCode: null }, job)).toBe(expected);
    const stopped = status === 'CANCELLED' ? 'TIMED_OUT' : expected;
    expect(statusAfter({ status, errorCode: null }, timedOut)).toBe(stopped);
  });

  it('an interrupted turn is claimed once more, unless the job was to stop', () => {
    const interrupted = { status: 'FAILED', errorCode: 'INTERRUPTED' } as const;
    expect(statusAfter(interrupted, RUNNING)).toBe('RUNNING');
    expect(statusAfter(interrupted, claimedAgain)).toBe('FAILED');
    expect(statusAfter(interrupted, timedOut)).toBe('TIMED_OUT');
    expect(statusAfter(interrupted, { ...timedOut, cancelRequested: true })).toBe('CANCELLED');
    expect(statusAfter(interrupted, { ...canceled, claimedAgain: true })).toBe('CANCELLED');
  });

  it('a job that has ended stays as it is', () => {
    for (const status of ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'] as const)
      expect(statusAfter({ status: 'RUNNING', errorCode: null }, { ...RUNNING, status })).toBe(status);
  });
});

describe('hasEnded', () => {
  it('is true of the four last states', () => {
    const all = [
      'QUEUED',
      'RUNNING',
      'INPUT_REQUIRED',
      'COMPLETED',
      'FAILED',
      'CANCELLED',
      'TIMED_OUT',
    ] as const;
    expect(all.filter(hasEnded)).toEqual(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT']);
  });
});
