import type { Job, JobStatus, TurnStatus } from '@platform/contracts';

/** What decides about a job, as it stands. */
export interface JobState {
  status: JobStatus;
  turnStatus: TurnStatus;
  /** The user cancelled it, or its time is over: its turn is to be stopped. */
  stopping: boolean;
}

export type JobMove = 'claim' | 'claim-again' | 'stop' | 'tell' | 'wait' | 'settle';

/** What a worker does next with a job. */
export function nextMove({ status, turnStatus, stopping }: JobState): JobMove {
  switch (status) {
    case 'QUEUED':
      return stopping ? 'stop' : 'claim';
    case 'RUNNING':
      // Only an interrupted turn that may be run once more is still RUNNING as a job.
      if (turnStatus === 'FAILED') return 'claim-again';
      return stopping ? 'stop' : 'wait';
    case 'INPUT_REQUIRED':
      return stopping ? 'stop' : 'tell';
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
    case 'TIMED_OUT':
      return 'settle';
  }
}

/** What of a job is news when it differs. */
export function standing({ status, phase, progress }: Pick<Job, 'status' | 'phase' | 'progress'>): string {
  return `${status} ${phase} ${progress}`;
}

/** Whether nothing more will happen to the job. */
export function hasEnded(status: JobStatus): boolean {
  return status !== 'QUEUED' && status !== 'RUNNING' && status !== 'INPUT_REQUIRED';
}
