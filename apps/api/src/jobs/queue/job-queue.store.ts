import { affected, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { UNFINISHED } from '../records/jobs.store.ts';

/** How long a process can take from picking a job to claiming its turn, before another process picks it. */
const STARTING = `interval '30 seconds'`;
/** A parked job is also handled without news of its session: after 1 minute, then later, at most after 1 hour. */
const PARKED = `least(60, power(2, least(hints, 6))) * interval '1 minute'`;

// Due rows are found by statement_timestamp(): no index serves a comparison with clock_timestamp(), which is volatile.

/** A user with ready jobs. */
export interface WaitingUser {
  userId: string;
  /** The oldest ready job. */
  oldest: string;
  /** The number of jobs that some process is about to start. */
  starting: number;
}

const REQUEUED = `queue_state = 'STARTING' and starting_until < statement_timestamp()`;

/** Has rows if a job is ready, or can be requeued. */
export const JOBS_QUEUED = `
  select from agent_job where queue_state = 'READY' union all select from agent_job where ${REQUEUED}`;

export const WAITING_USERS = `
  with recursive users as (
    (select user_id, id from agent_job
     where queue_state = 'READY' and user_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
     order by user_id, id limit 1)
    union all
    select n.user_id, n.id from users u cross join lateral (
      select user_id, id from agent_job where queue_state = 'READY' and user_id > u.user_id
      order by user_id, id limit 1
    ) n
  )
  select user_id, id as oldest,
    (select count(*)::int from agent_job j where j.queue_state = 'STARTING' and j.user_id = w.user_id) as starting
  from (select * from users limit $2) w`;

/** Lists users with ready jobs after an id, in the order of their ids: one index lookup per user. */
export function listWaitingUsers(sql: Sql, after: string | null, limit: number): Promise<WaitingUser[]> {
  return rows(sql, WAITING_USERS, [after, limit]);
}

export const PICK_JOBS = `
  update agent_job set queue_state = 'STARTING', starting_until = clock_timestamp() + ${STARTING}
  where id = any(array(
    select j.id from unnest($1::uuid[]) as u(id) cross join lateral (
      select id from agent_job where queue_state = 'READY' and user_id = u.id
      order by id limit 1 for update skip locked
    ) j)) and queue_state = 'READY'
  returning id, user_id`;

/** Picks the oldest ready job of each user, for this process to start. */
export function pickJobs(sql: Sql, userIds: readonly string[]): Promise<{ id: string; userId: string }[]> {
  return rows(sql, PICK_JOBS, [userIds]);
}

/** Requeues jobs that were picked but not started in time, probably because the process died. */
export async function requeueExpired(sql: Sql): Promise<void> {
  await rows(sql, `update agent_job set queue_state = 'READY', starting_until = null where ${REQUEUED}`);
}

/** Requeues a picked job that does not start now, or removes it from the queue with `null`. */
export async function requeue(sql: Sql, id: string, state: 'READY' | null): Promise<void> {
  await rows(
    sql,
    `update agent_job set queue_state = $2, starting_until = null where id = $1 and queue_state = 'STARTING'`,
    [id, state],
  );
}

/** Parks a picked job that must wait for its session. */
export async function park(tx: Sql, id: string, sessionRef: string): Promise<void> {
  await rows(
    tx,
    `update agent_job set queue_state = 'PARKED', starting_until = null, session_id = $2,
       next_publish_at = clock_timestamp() + ${PARKED}
     where id = $1 and queue_state = 'STARTING'`,
    [id, sessionRef],
  );
}

/** Queues a job whose turn can be claimed. Returns false if its status has changed since `changes` was read. */
export async function enqueue(sql: Sql, id: string, changes: number): Promise<boolean> {
  const row = await firstRow(
    sql,
    `update agent_job set queue_state = case queue_state when 'STARTING' then queue_state else 'READY' end,
       hints = case queue_state when 'PARKED' then hints + 1 else 0 end,
       next_publish_at = greatest(deadline, clock_timestamp() + interval '1 minute')
     where id = $1 and changes = $2 and status in ('QUEUED', 'RUNNING') and next_publish_at is not null
     returning id`,
    [id, changes],
  );
  return row !== null;
}

/** Marks a job as claimed, in the transaction that claims its turn. Returns false if it must stop, or was already claimed again. */
export async function claimJob(tx: Sql, id: string, isRetry: boolean): Promise<boolean> {
  const row = await firstRow(
    tx,
    `update agent_job set claimed_again = $2, hints = 0, next_publish_at = deadline
     where id = $1 and status = 'RUNNING' and not cancel_requested and not timed_out and not claimed_again
     returning id`,
    [id, isRetry],
  );
  return row !== null;
}

/**
 * Postpones a job until its turn changes or its deadline, unless its status has changed since `changes` was read. Returns
 * false if it has.
 */
export async function postpone(sql: Sql, id: string, changes: number): Promise<boolean> {
  const row = await firstRow(
    sql,
    `update agent_job set hints = 0, next_publish_at = greatest(deadline, clock_timestamp() + interval '1 minute')
     where id = $1 and changes = $2 and next_publish_at is not null returning id`,
    [id, changes],
  );
  return row !== null;
}

/** Closes a job for which nothing is left to do. Returns false if it was already closed. */
export async function closeJob(tx: Sql, id: string): Promise<boolean> {
  const row = await firstRow(
    tx,
    `update agent_job set hints = 0, next_publish_at = null
     where id = $1 and next_publish_at is not null returning id`,
    [id],
  );
  return row !== null;
}

/** Has rows if a job is due to be published. */
export const JOBS_DUE = 'select from agent_job where next_publish_at <= statement_timestamp()';

export const DUE_JOBS = `
  update agent_job set hints = hints + 1,
    next_publish_at = clock_timestamp() + $2 * power(2, least(hints, 10)) * interval '1 millisecond'
  where id = any(array(
    select id from agent_job where next_publish_at <= statement_timestamp()
    order by next_publish_at limit $1 for update skip locked))
  returning id`;

/** Takes due jobs to be published. Each is published again, later each time, until a worker handles it. */
export async function takeDueJobs(sql: Sql, limit: number, republishAfterMs: number): Promise<string[]> {
  const due = await rows<{ id: string }>(sql, DUE_JOBS, [limit, republishAfterMs]);
  return due.map(({ id }) => id);
}

export const EXPEDITE_JOBS = `
  update agent_job set hints = 0, next_publish_at = clock_timestamp()
  where id = any(array(
    select id from agent_job where next_publish_at is not null and hints > 0
    order by next_publish_at limit $1 for update skip locked))`;

/** Makes at most `limit` published but unhandled jobs due. Returns how many. */
export function expediteJobs(sql: Sql, limit: number): Promise<number> {
  return affected(sql, EXPEDITE_JOBS, [limit]);
}

const OVERDUE = `next_publish_at is not null and deadline < statement_timestamp() and not timed_out and not cancel_requested
      and status in ${UNFINISHED}`;

/** Has rows if a job is overdue. */
export const JOBS_OVERDUE = `select from agent_job where ${OVERDUE}`;

export const TIME_OUT_JOBS = `
  update agent_job set timed_out = true, next_publish_at = clock_timestamp()
  where id = any(array(
    select id from agent_job
    where ${OVERDUE}
    order by deadline limit $1 for update skip locked))
  returning id`;

/** Marks at most `limit` overdue jobs as timed out. Returns their ids; their turns must be stopped. */
export async function timeOutJobs(sql: Sql, limit: number): Promise<string[]> {
  const overdue = await rows<{ id: string }>(sql, TIME_OUT_JOBS, [limit]);
  return overdue.map(({ id }) => id);
}
