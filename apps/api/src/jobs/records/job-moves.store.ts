import type { JobStatus } from '@platform/contracts';
import { preparedRows, type PreparedSql } from '../../infra/database/rows.ts';
import type { JobFailure } from './job.entity.ts';
import type { FollowingJob } from './job-state.ts';
import { UNFINISHED } from './jobs.store.ts';

/** A job that follows its turn. */
export interface LockedJob extends FollowingJob {
  id: string;
  turnRef: string;
}

/** Locks the jobs of turns that have not ended, until the transaction does. */
export function lockJobsOf(tx: PreparedSql, turnRefs: readonly string[]): Promise<LockedJob[]> {
  return preparedRows(
    tx,
    'lock_jobs_of_turns',
    `select id, turn_id as turn_ref, status, cancel_requested, timed_out,
       claimed_again
     from agent_job where turn_id = any((select $1::uuid[])::uuid[]) and status in ${UNFINISHED}
     order by id for no key update`,
    [turnRefs],
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

/** Stores the moves of locked jobs, takes the jobs out of the queue, and makes them due for a worker. */
export async function moveJobs(tx: PreparedSql, moved: readonly MovedJob[]): Promise<void> {
  await preparedRows(
    tx,
    'move_jobs',
    `update agent_job j set status = m.status, changes = changes + 1, hints = 0, queue_state = null,
       starting_until = null, next_publish_at = clock_timestamp(), error = m.error::json,
       finished_at = m.finished_at, progress = greatest(j.progress, m.progress)
     from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::int[])
       as m(id, status, error, finished_at, progress)
     where j.id = m.id`,
    [
      moved.map(({ id }) => id),
      moved.map(({ status }) => status),
      moved.map(({ error }) => error && JSON.stringify(error)),
      moved.map(({ finishedAt }) => finishedAt),
      moved.map(({ progress }) => progress),
    ],
  );
}

/** Makes the oldest parked job of each session ready. */
export async function unparkOldest(tx: PreparedSql, sessionRefs: readonly string[]): Promise<void> {
  await preparedRows(
    tx,
    'unpark_jobs',
    `update agent_job set queue_state = 'READY'
     where queue_state = 'PARKED' and id = any(array(
       select (
         select id from agent_job where session_id = s.id and queue_state = 'PARKED' order by id limit 1
       ) from unnest((select $1::uuid[])) as s(id)))`,
    [sessionRefs],
  );
}
