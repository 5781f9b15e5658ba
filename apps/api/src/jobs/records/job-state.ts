import type { JobStatus, TurnStatus } from '@platform/contracts';

/** What decides how a job follows its turn. */
export interface FollowingJob {
  status: JobStatus;
  cancelRequested: boolean;
  timedOut: boolean;
  /** Whether an interrupted turn has already been claimed again. */
  claimedAgain: boolean;
}

/** Returns the status of a job after its turn has moved. A job that has ended no longer follows. */
export function statusAfter(
  turn: { status: TurnStatus; errorCode: string | null },
  job: FollowingJob,
): JobStatus {
  if (hasEnded(job.status)) return job.status;
  if (turn.status === 'CANCELLED') return job.timedOut ? 'TIMED_OUT' : 'CANCELLED';
  if (turn.status !== 'FAILED' || turn.errorCode !== 'INTERRUPTED') return turn.status;
  if (job.cancelRequested) return 'CANCELLED';
  if (job.timedOut) return 'TIMED_OUT';
  // Otherwise its turn is claimed once more.
  return job.claimedAgain ? 'FAILED' : 'RUNNING';
}

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
