import type { EntityManager } from 'typeorm';
import { firstRow, rows } from '../../infra/database/rows.ts';
import { stepDuration } from '../runs/runs.store.ts';
import { cancelRuns } from '../waits/cancellations.store.ts';
import type { StepWait } from '../waits/step-wait.ts';
import type { Claim } from './run-claims.store.ts';

/** A step that executes. */
export interface ExecutingStep extends Claim {
  attempt: number;
  position: number;
  scope: string;
}

/**
 * Stores that a step waits, with what belongs to the wait. Returns false if the run does not belong to the claim. Does nothing to
 * a step that waits already, or whose wait has ended.
 */
export async function storeWait(
  tx: EntityManager,
  { runId, fencingToken, attempt, position, scope }: ExecutingStep,
  { request, hooks }: StepWait,
): Promise<boolean> {
  const { kind, event, childRunId, repeats = false } = request;
  await hooks.before?.(tx);
  const own = await firstRow(
    tx,
    `select run_id from run_queue where run_id = $1 and fencing_token = $2 and state = 'RUNNING' for no key update`,
    [runId, fencingToken],
  );
  if (own === null) return false;
  const stored = await firstRow(
    tx,
    `with step as (
       update run_step set status = 'WAITING' where run_id = $1 and attempt = $2 and position = $3 and status = 'RUNNING'
       returning run_id, attempt, position, started_at
     )
     insert into run_wait (run_id, scope, attempt, position, space_id, task_id, despite_disabled, created_at, kind, due_at,
       application_id, event, filter, field, value, child_run_id, repeats)
     select run_id, $4, attempt, position, q.space_id, q.task_id, q.despite_disabled, started_at, $5,
       coalesce($6::timestamptz, clock_timestamp() + $7::interval), $8, $9, $10, $11, $12, $13, $14
     from step join run_queue q using (run_id) returning run_id`,
    [
      runId,
      attempt,
      position,
      scope,
      kind,
      request.until ?? null,
      request.for ?? null,
      event?.applicationId ?? null,
      event?.event ?? null,
      event?.filter ? JSON.stringify(event.filter) : null,
      event?.field ?? null,
      event?.value ?? null,
      childRunId ?? null,
      repeats,
    ],
  );
  if (stored !== null) await hooks.store?.(tx, { runId, scope });
  return true;
}

/** What became of a run that was to wait. `continues`: one of its waits has ended meanwhile. */
export type Suspension = 'waits' | 'continues' | 'cancelled';

/** Locks the place of a run in the queue. Null if the run does not belong to the claim. */
function lockClaimed(
  tx: EntityManager,
  { runId, fencingToken }: Claim,
): Promise<{ cancelRequested: boolean } | null> {
  return firstRow(
    tx,
    `select cancel_requested from run_queue where run_id = $1 and fencing_token = $2 and state = 'RUNNING' for update`,
    [runId, fencingToken],
  );
}

/**
 * Lets a run wait without a process: it leaves the queue and its slot. The row of the run is locked before the waits are read,
 * as `WaitWorker` does, so that neither misses the other.
 */
export async function suspendRun(
  tx: EntityManager,
  claim: Claim,
  attempt: number,
  scopes: readonly string[],
): Promise<Suspension | 'lost'> {
  const { runId } = claim;
  const own = await lockClaimed(tx, claim);
  if (own === null) return 'lost';
  await rows(tx, 'select from run where id = $1 for no key update', [runId]);
  const waits = await rows(tx, 'select from run_wait where run_id = $1 and scope = any($2)', [runId, scopes]);
  if (waits.length < scopes.length) return 'continues';
  if (own.cancelRequested) return 'cancelled';
  await rows(
    tx,
    `with own as (
       delete from run_queue where run_id = $1 returning run_id, task_id
     ), run_waits as (
       update run set status = 'WAITING', attempt = $2 + 1, handovers = handovers + 1 where id = $1
     ), attempt as (
       update run_attempt set status = 'WAITED', finished_at = clock_timestamp()
       where run_id = $1 and attempt = $2
     ), container as (
       update run_step set status = 'WAITING' where run_id = $1 and status = 'RUNNING'
     )
     update run_slot s set run_id = null from own where s.task_id = own.task_id and s.run_id = own.run_id`,
    [runId, attempt],
  );
  return 'waits';
}

/** Cancels the runs for whose end a run waits that is about to end. Returns false if it does not belong to the claim. */
export async function cancelAwaited(tx: EntityManager, claim: Claim): Promise<boolean> {
  const { runId } = claim;
  if ((await lockClaimed(tx, claim)) === null) return false;
  const awaited = await rows<{ id: string }>(
    tx,
    'select child_run_id as id from run_wait where run_id = $1 and child_run_id is not null',
    [runId],
  );
  const ids = awaited.map(({ id }) => id);
  await cancelRuns(tx, ids, runId);
  return true;
}

/**
 * Ends the waits inside of a step, and cancels the runs for whose end they waited. A trigger closes their questions. Returns false if
 * the run does not belong to the claim.
 */
export async function abandonWaits(tx: EntityManager, claim: Claim, scope: string): Promise<boolean> {
  const { runId } = claim;
  if ((await lockClaimed(tx, claim)) === null) return false;
  await rows(tx, 'select from run where id = $1 for no key update', [runId]);
  const isInside = `run_id = $1 and (starts_with(scope, $2 || '.') or starts_with(scope, $2 || '['))`;
  // First the runs, then the waits, as whatever ends a run.
  const awaited = await rows<{ id: string }>(
    tx,
    `select child_run_id as id from run_wait where ${isInside} and child_run_id is not null`,
    [runId, scope],
  );
  const ids = awaited.map(({ id }) => id);
  await cancelRuns(tx, ids, runId);
  await rows(
    tx,
    `with step as (
       update run_step set status = 'CANCELLED', finished_at = clock_timestamp(),
         duration_ms = ${stepDuration('started_at', 'clock_timestamp()')}
       where ${isInside} and status in ('RUNNING', 'WAITING')
     ) delete from run_wait where ${isInside}`,
    [runId, scope],
  );
  return true;
}
