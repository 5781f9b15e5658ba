import type { JobStatus, TurnStatus } from '@platform/contracts';

/** What decides about a job, as it stands. */
export interface JobState {
  status: JobStatus;
  turnStatus: TurnStatus;
  /** The user cancelled it, or its time is over: its turn is to be stopped. */
  stopping: boolean;
}

export type JobMove = 'enqueue' | 'stop' | 'report' | 'wait' | 'close';

/** What a worker does next with a job. */
export function nextMove({ status, turnStatus, stopping }: JobState): JobMove {
  switch (status) {
    case 'QUEUED':
      return stopping ? 'stop' : 'enqueue';
    case 'RUNNING':
      if (stopping) return 'stop';
      // Only an interrupted turn that may be run once more is still RUNNING as a job.
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

/** Whether nothing more will happen to the job. */
export function hasEnded(status: JobStatus): boolean {
  return status !== 'QUEUED' && status !== 'RUNNING' && status !== 'INPUT_REQUIRED';
}
