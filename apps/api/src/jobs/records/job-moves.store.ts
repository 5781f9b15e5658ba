import type { JobStatus } from '@platform/contracts';
import { firstPreparedRow, preparedRows, type PreparedSql } from '../../infra/database/rows.ts';
import type { JobFailure } from './job.entity.ts';
import type { FollowingJob } from './job-state.ts';
import { UNFINISHED } from './jobs.store.ts';

/** A job that follows its turn. */
export interface LockedJob extends FollowingJob {
  id: string;
}

/** Locks the job of a turn until the transaction ends. Returns null if there is none, or it has ended. */
export function lockJobOf(tx: PreparedSql, turnRef: string): Promise<LockedJob | null> {
  return firstPreparedRow(
    tx,
    'lock_job_of_turn',
    `select id, status, cancel_requested, timed_out, claimed_again
     from agent_job where turn_id = $1 and status in ${UNFINISHED} for no key update`,
    [turnRef],
  );
}

/** How a job follows its turn. */
export interface MovedJob {
  id: string;
  status: JobStatus;
  error: JobFailure | null;
  finishedAt: Date | null;
  /** What the job had reached. A higher stored value is kept. */
  progress: number;
}

/** Stores the move of a locked job, takes the job out of the queue, and makes it due for a worker. */
export async function moveJob(
  tx: PreparedSql,
  { id, status, error, finishedAt, progress }: MovedJob,
): Promise<void> {
  await preparedRows(
    tx,
    'move_job',
    `update agent_job set status = $2, changes = changes + 1, hints = 0, queue_state = null,
       starting_until = null, next_publish_at = clock_timestamp(), error = $3, finished_at = $4,
       progress = greatest(progress, $5)
     where id = $1`,
    [id, status, error && JSON.stringify(error), finishedAt, progress],
  );
}

/** Makes the oldest parked job of a session ready. */
export async function unparkOldest(tx: PreparedSql, sessionRef: string): Promise<void> {
  await preparedRows(
    tx,
    'unpark_job',
    `update agent_job set queue_state = 'READY'
     where queue_state = 'PARKED' and id = (
       select id from agent_job where session_id = $1 and queue_state = 'PARKED' order by id limit 1
     )`,
    [sessionRef],
  );
}
