import { hasEnded, nextMove, type JobMove, type JobState } from './job-state.ts';

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
