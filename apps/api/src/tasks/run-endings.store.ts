import type { RunAttemptStatus, RunError, StepKind } from '@platform/contracts';
import { firstRow, type Sql } from '../infra/database/rows.ts';
import type { Claim } from './run-claims.store.ts';

// Every statement here proves its claim by the fencing token and locks the queue row, so that a run which another
// process has taken over, or ended, is left as it is. Each returns false then.

/** Locks the row of a run that belongs to the claim, for `$1` and `$2`. */
const OWN = `select run_id from run_queue where run_id = $1 and fencing_token = $2 and state = 'RUNNING'`;

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

export interface StepStart {
  attempt: number;
  position: number;
  stepId: string;
  kind: StepKind;
  /** As JSON; null for none. */
  input: string | null;
}

/** Marks a step as running, before it has any effect. */
export async function startStep(sql: Sql, { runId, fencingToken }: Claim, step: StepStart): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (${OWN} for no key update), step as (
       insert into run_step (run_id, attempt, position, step_id, kind, status, input)
       select run_id, $3, $4, $5, $6, 'RUNNING', $7::json from own on conflict do nothing
     ) select run_id from own`,
    [runId, fencingToken, step.attempt, step.position, step.stepId, step.kind, step.input],
  );
  return row !== null;
}

export interface StepEnd {
  attempt: number;
  position: number;
  status: RunAttemptStatus;
  /** As JSON; null for none. */
  output: string | null;
  log: string;
  error: RunError | null;
}

/** Stores the result of a step. */
export async function endStep(sql: Sql, { runId, fencingToken }: Claim, step: StepEnd): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (${OWN} for no key update), step as (
       update run_step set status = $5, output = $6::json, log = $7::json, error = $8::json,
         finished_at = clock_timestamp(),
         duration_ms = extract(epoch from clock_timestamp() - started_at) * 1000
       where run_id = (select run_id from own) and attempt = $3 and position = $4 and status = 'RUNNING'
     ) select run_id from own`,
    [
      runId,
      fencingToken,
      step.attempt,
      step.position,
      step.status,
      step.output,
      json(step.log),
      json(step.error),
    ],
  );
  return row !== null;
}

export interface AttemptEnd {
  attempt: number;
  status: RunAttemptStatus;
  error: RunError | null;
}

/** Parameters: the claim, whether its lease must have expired, and how the attempt ended. */
const ENDED = `
  attempt as (
    update run_attempt set status = $5, error = $6::json, finished_at = clock_timestamp()
    where run_id = (select run_id from own) and attempt = $4
  ), step as (
    update run_step set status = $5, finished_at = clock_timestamp(),
      duration_ms = extract(epoch from clock_timestamp() - started_at) * 1000
    where run_id = (select run_id from own) and attempt = $4 and status = 'RUNNING'
  ), freed as (
    update run_slot set run_id = null where task_id = (select task_id from own) and run_id = (select run_id from own)
  )`;

const parameters = (
  { runId, fencingToken }: Claim,
  { attempt, status, error }: AttemptEnd,
  expired: boolean,
) => [runId, fencingToken, expired, attempt, status, json(error)];

const NOT_RENEWED = `(not $3::boolean or lease_until < statement_timestamp())`;

/** Ends a run and frees its slot. With `expired`, only if nobody has renewed the lease. */
export async function endRun(sql: Sql, claim: Claim, end: AttemptEnd, expired = false): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (
       delete from run_queue where run_id = $1 and fencing_token = $2 and state = 'RUNNING' and ${NOT_RENEWED}
       returning run_id, task_id
     ), ended as (
       update run set status = $5, error = $6::json, finished_at = clock_timestamp()
       where id = (select run_id from own)
     ), ${ENDED}
     select run_id from own`,
    parameters(claim, end, expired),
  );
  return row !== null;
}

/** Ends an attempt, frees its slot, and queues the run for the next attempt. */
export async function requeueRun(
  sql: Sql,
  claim: Claim,
  end: AttemptEnd,
  delayMs: number,
  republishAfterMs: number,
  expired = false,
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (
       update run_queue set state = 'READY', lease_until = null, hints = 1,
         available_at = clock_timestamp() + $7 * interval '1 millisecond',
         next_publish_at = clock_timestamp() + ($7 + $8) * interval '1 millisecond'
       where run_id = $1 and fencing_token = $2 and state = 'RUNNING' and ${NOT_RENEWED}
       returning run_id, task_id
     ), ended as (
       update run set status = 'QUEUED', attempt = attempt + 1 where id = (select run_id from own)
     ), ${ENDED}
     select run_id from own`,
    [...parameters(claim, end, expired), delayMs, republishAfterMs],
  );
  return row !== null;
}

/** Returns a claimed run to the queue as if it had not been claimed. */
export async function releaseRun(
  sql: Sql,
  { runId, fencingToken }: Claim,
  attempt: number,
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (
       update run_queue set state = 'READY', lease_until = null, hints = 0, next_publish_at = clock_timestamp()
       where run_id = $1 and fencing_token = $2 and state = 'RUNNING' returning run_id, task_id
     ), queued as (
       update run set status = 'QUEUED', started_at = case when attempt > 1 then started_at end
       where id = (select run_id from own)
     ), attempt as (
       delete from run_attempt where run_id = (select run_id from own) and attempt = $3
     ), freed as (
       update run_slot set run_id = null where task_id = (select task_id from own) and run_id = (select run_id from own)
     ) select run_id from own`,
    [runId, fencingToken, attempt],
  );
  return row !== null;
}

/** Whether the claim itself ended this attempt, although the response was lost. */
export async function hasEnded(sql: Sql, { runId, fencingToken }: Claim, attempt: number): Promise<boolean> {
  const row = await firstRow(
    sql,
    `select run_id from run_attempt
     where run_id = $1 and attempt = $2 and fencing_token = $3 and status <> 'RUNNING'`,
    [runId, attempt, fencingToken],
  );
  return row !== null;
}
