import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { jobsByIds, STATUS, UNFINISHED, type JobRow } from './jobs.store.ts';

/** How long a job waits that found its session busy: 0.2 s, then more and more, at most 5 s. */
const BUSY = `least(5000, 200 * power(2, least(hints, 5))) * interval '1 millisecond'`;

/** An open job: one that a worker still has to look at. */
export async function openJob(sql: Sql, id: string): Promise<JobRow | null> {
  const open = await firstRow(sql, 'select from agent_job where id = $1 and next_publish_at is not null', [
    id,
  ]);
  const [job] = open === null ? [] : await jobsByIds(sql, [id]);
  return job ?? null;
}

/** The open job over a turn. */
export async function openJobOf(sql: Sql, turnRef: string): Promise<string | null> {
  const row = await firstRow<{ id: string }>(
    sql,
    'select id from agent_job where turn_id = $1 and next_publish_at is not null',
    [turnRef],
  );
  return row?.id ?? null;
}

/** In the transaction that claims its turn; false where it is to be stopped, or was claimed once more before. */
export async function claimJob(tx: Sql, id: string, again: boolean): Promise<boolean> {
  const row = await firstRow(
    tx,
    `update agent_job set claimed_again = $2, hints = 0, next_publish_at = deadline
     where id = $1 and not cancel_requested and not timed_out and not claimed_again returning id`,
    [id, again],
  );
  return row !== null;
}

/** It could not be claimed once more: it stays as the interruption left it. */
export async function forgoClaim(sql: Sql, id: string): Promise<void> {
  await rows(sql, 'update agent_job set claimed_again = true where id = $1', [id]);
}

/** Its session is busy: it is looked at again soon. */
export async function postpone(sql: Sql, id: string): Promise<void> {
  await rows(
    sql,
    `update agent_job set hints = hints + 1, next_publish_at = clock_timestamp() + ${BUSY}
     where id = $1 and next_publish_at is not null`,
    [id],
  );
}

/** Nothing to do before its turn ends, which `dueJobs` notices, or its time is over. */
export async function leaveRunning(sql: Sql, id: string): Promise<void> {
  await rows(
    sql,
    `update agent_job set hints = 0, next_publish_at = greatest(deadline, clock_timestamp() + interval '1 minute')
     where id = $1 and next_publish_at is not null`,
    [id],
  );
}

/** Nothing is left to do; false where that was so before. */
export async function closeJob(tx: Sql, id: string): Promise<boolean> {
  const row = await firstRow(
    tx,
    'update agent_job set next_publish_at = null where id = $1 and next_publish_at is not null returning id',
    [id],
  );
  return row !== null;
}

/**
 * Open jobs whose time has come, or whose turn has ended or gone on since a worker was last told. Each is told again
 * later, and later each time, until somebody has looked.
 */
export async function dueJobs(sql: Sql, limit: number, republishAfterMs: number): Promise<string[]> {
  const due = await rows<{ id: string }>(
    sql,
    `update agent_job j set hints = j.hints + 1, hinted_end = d.ended_at,
       next_publish_at = clock_timestamp() + $2 * power(2, least(j.hints, 10)) * interval '1 millisecond'
     from (
       select j.id, t.finished_at as ended_at from agent_job j join turn t on t.id = j.turn_id
       where j.next_publish_at is not null
         and (j.next_publish_at <= clock_timestamp() or t.finished_at is distinct from j.hinted_end)
       order by j.next_publish_at limit $1 for update of j skip locked
     ) d where j.id = d.id returning j.id`,
    [limit, republishAfterMs],
  );
  return due.map(({ id }) => id);
}

/** Makes all open jobs due. */
export async function expediteJobs(sql: Sql): Promise<void> {
  await rows(
    sql,
    `update agent_job set hints = 0, next_publish_at = clock_timestamp()
     where next_publish_at > clock_timestamp()`,
  );
}

/** Marks the open jobs whose time is over, at most so many at once; their turns are to be stopped. */
export async function timeOutJobs(sql: Sql, limit: number): Promise<JobRow[]> {
  const overdue = await rows<{ id: string }>(
    sql,
    `update agent_job j set timed_out = true, next_publish_at = clock_timestamp() from (
       select j.id from agent_job j join turn t on t.id = j.turn_id
       where j.next_publish_at is not null and j.deadline < clock_timestamp()
         and not j.timed_out and not j.cancel_requested and ${STATUS} in ${UNFINISHED}
       order by j.deadline limit $1 for update of j skip locked
     ) o where j.id = o.id returning j.id`,
    [limit],
  );
  return jobsByIds(
    sql,
    overdue.map(({ id }) => id),
  );
}
