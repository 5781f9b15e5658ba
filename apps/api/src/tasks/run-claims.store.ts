import type { RunOrigin, TaskRetry, Trigger, Workflow } from '@platform/contracts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { joinTrigger } from './run-trigger.ts';

// Due rows are found by statement_timestamp(): no index serves a comparison with clock_timestamp(), which is volatile.

/** A run that a process has claimed, with its task as it is now. */
export interface ClaimedRun {
  id: string;
  spaceId: string;
  taskId: string;
  ownerUserId: string;
  origin: RunOrigin;
  trigger: Trigger | null;
  inputs: Record<string, unknown>;
  attempt: number;
  workflow: Workflow;
  timeoutMs: number;
  retry: TaskRetry;
  /** Whether the task was deleted, or retired by its application, since the run was queued. */
  isTaskGone: boolean;
}

/** A claim, which nobody else makes. */
export interface Claim {
  runId: string;
  /** Proves in every write that the run still belongs to the claim. */
  fencingToken: string;
}

export interface ClaimAttempt {
  taskId: string;
  concurrency: number;
  /** How many slots the task has, free or not. */
  slots: number;
  run: ClaimedRun | null;
}

const CLAIMED_RUN = `
  r.id, r.space_id as "spaceId", r.task_id as "taskId", r.owner_user_id as "ownerUserId", r.origin, r.trigger, r.payload, r.inputs,
  r.attempt, t.workflow, t.timeout_ms as "timeoutMs", t.retry,
  t.deleted_at is not null or t.retired_at is not null as "isTaskGone"`;

/**
 * Scalar subqueries instead of joins: the planner then reads the queue in the order of its index and stops at the first
 * row that nobody has locked. The count keeps a lowered limit while runs of the higher one still execute.
 */
export const CLAIM_RUN = `
  with wanted as (
    select t.id, t.concurrency from run_queue q join task t on t.id = q.task_id
    where q.run_id = $1 and q.state = 'READY'
  ), slot as (
    select task_id, n from run_slot
    where task_id = (select id from wanted) and n <= (select concurrency from wanted) and run_id is null
      and (select count(*) from run_slot where task_id = (select id from wanted) and run_id is not null)
        < (select concurrency from wanted)
    order by n limit 1 for update skip locked
  ), picked as (
    select run_id from run_queue
    where task_id = (select task_id from slot) and state = 'READY' and available_at <= statement_timestamp()
    order by available_at, run_id limit 1 for update skip locked
  ), taken as (
    update run_slot set run_id = (select run_id from picked)
    where task_id = (select task_id from slot) and n = (select n from slot) and exists (select from picked)
  ), queued as (
    update run_queue set state = 'RUNNING', fencing_token = $2, hints = 0, next_publish_at = null,
      lease_until = clock_timestamp() + $3 * interval '1 millisecond'
    where run_id = (select run_id from picked)
  ), r as (
    update run set status = 'RUNNING', started_at = coalesce(started_at, clock_timestamp())
    where id = (select run_id from picked) returning *
  ), attempt as (
    insert into run_attempt (run_id, attempt, fencing_token, status) select id, attempt, $2, 'RUNNING' from r
  )
  select w.id as "wantedTaskId", w.concurrency,
    (select count(*)::int from run_slot s where s.task_id = w.id) as slots, ${CLAIMED_RUN}
  from wanted w join task t on t.id = w.id left join r on true`;

type StoredRun = ClaimedRun & { payload: Record<string, unknown> | null };
type ClaimRow = { wantedTaskId: string; concurrency: number; slots: number } & (StoredRun | { id: null });

function toClaimedRun({ payload, ...run }: StoredRun): ClaimedRun {
  return { ...run, trigger: joinTrigger(run.trigger, payload) };
}

/**
 * Claims the run that has waited longest of the task of a run, if the task has a free slot. Returns null if that run no
 * longer waits.
 */
export async function claimRun(sql: Sql, claim: Claim, leaseMs: number): Promise<ClaimAttempt | null> {
  const row = await firstRow<ClaimRow>(sql, CLAIM_RUN, [claim.runId, claim.fencingToken, leaseMs]);
  if (row === null) return null;
  const { wantedTaskId: taskId, concurrency, slots, ...run } = row;
  return { taskId, concurrency, slots, run: run.id === null ? null : toClaimedRun(run) };
}

/** Returns the run that a claim took although its response was lost; null if it took none. */
export async function findClaimedRun(sql: Sql, { runId, fencingToken }: Claim): Promise<ClaimedRun | null> {
  const row = await firstRow<StoredRun>(
    sql,
    `select ${CLAIMED_RUN}
     from run w join run_slot s on s.task_id = w.task_id
       join run_queue q on q.run_id = s.run_id and q.state = 'RUNNING' and q.fencing_token = $2
       join run r on r.id = q.run_id join task t on t.id = r.task_id
     where w.id = $1`,
    [runId, fencingToken],
  );
  return row && toClaimedRun(row);
}

/** Creates the slots that a task lacks. Returns how many. */
export async function createSlots(sql: Sql, taskId: string, concurrency: number): Promise<number> {
  const created = await rows(
    sql,
    `insert into run_slot (task_id, n) select $1, n from generate_series(1, $2::int) n
     on conflict do nothing returning n`,
    [taskId, concurrency],
  );
  return created.length;
}

/** Renews the leases of claims. Returns the ids of the runs that still belong to them. */
export async function renewLeases(sql: Sql, claims: readonly Claim[], leaseMs: number): Promise<Set<string>> {
  const renewed = await rows<{ id: string }>(
    sql,
    `update run_queue q set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
     from unnest($1::uuid[], $2::uuid[]) as mine(run_id, fencing_token)
     where q.run_id = mine.run_id and q.fencing_token = mine.fencing_token and q.state = 'RUNNING'
     returning q.run_id as id`,
    [claims.map(({ runId }) => runId), claims.map(({ fencingToken }) => fencingToken), leaseMs],
  );
  return new Set(renewed.map(({ id }) => id));
}

/** Returns whether each run that still belongs to one of the claims is to be cancelled, by run id. */
export async function findCancelRequests(sql: Sql, claims: readonly Claim[]): Promise<Map<string, boolean>> {
  const held = await rows<{ id: string; isRequested: boolean }>(
    sql,
    `select q.run_id as id, q.cancel_requested as "isRequested"
     from unnest($1::uuid[], $2::uuid[]) as mine(run_id, fencing_token)
       join run_queue q on q.run_id = mine.run_id and q.fencing_token = mine.fencing_token and q.state = 'RUNNING'`,
    [claims.map(({ runId }) => runId), claims.map(({ fencingToken }) => fencingToken)],
  );
  return new Map(held.map(({ id, isRequested }) => [id, isRequested]));
}

/** A running run whose lease has expired, or expires soon. */
export interface ExpiringRun extends Claim {
  taskId: string;
  attempt: number;
  retry: TaskRetry;
  isTaskGone: boolean;
  cancelRequested: boolean;
  isExpired: boolean;
  /** As text, because it is only compared. */
  leaseUntil: string;
}

export const EXPIRING_RUNS = `
  select q.run_id as "runId", q.fencing_token as "fencingToken", q.task_id as "taskId", r.attempt, t.retry,
    t.deleted_at is not null or t.retired_at is not null as "isTaskGone", q.cancel_requested as "cancelRequested",
    q.lease_until < statement_timestamp() as "isExpired", q.lease_until::text as "leaseUntil"
  from run_queue q join task t on t.id = q.task_id join run r on r.id = q.run_id
  where q.state = 'RUNNING' and q.lease_until < statement_timestamp() + $1 * interval '1 millisecond'
  order by q.lease_until limit $2`;

/** Lists running runs whose leases expire within a time, those that expired first first. */
export function listExpiring(sql: Sql, withinMs: number, limit: number): Promise<ExpiringRun[]> {
  return rows(sql, EXPIRING_RUNS, [withinMs, limit]);
}
