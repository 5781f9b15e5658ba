import type { JobStatus, TurnStatus } from '@platform/contracts';

/** The state that decides what happens to a job. */
export interface JobState {
  status: JobStatus;
  turnStatus: TurnStatus;
  /** Whether its turn must be stopped, because the job was canceled or timed out. */
  stopping: boolean;
}

export type JobMove = 'enqueue' | 'stop' | 'report' | 'wait' | 'close';

/** Returns what a worker does next with a job. */
export function nextMove({ status, turnStatus, stopping }: JobState): JobMove {
  switch (status) {
    case 'QUEUED':
      return stopping ? 'stop' : 'enqueue';
    case 'RUNNING':
      if (stopping) return 'stop';
      // A job whose turn has failed is RUNNING only if the turn can be claimed again.
      return turnStatus === 'FAILED' ? 'enqueue' : 'wait';
    case 'INPUT_REQUIRED':
      return stopping ? 'stop' : 'report';
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
    case 'TIMED_OUT':
      return 'close';
  }
}

/** Whether the status is final. */
export function hasEnded(status: JobStatus): boolean {
  return status !== 'QUEUED' && status !== 'RUNNING' && status !== 'INPUT_REQUIRED';
}
