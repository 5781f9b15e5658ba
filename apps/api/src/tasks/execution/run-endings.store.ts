import type { RunAttemptStatus, RunError, RunStepStatus, StepKind } from '@platform/contracts';
import type { Database } from '../../infra/database/database.ts';
import { firstRow, keptPlanRows, type Sql } from '../../infra/database/rows.ts';
import type { Simulated } from '../runs/run.entity.ts';
import { stepDuration } from '../runs/runs.store.ts';
import type { Claim } from './run-claims.store.ts';

// Every statement here stores something for many runs. For each it proves the claim by the fencing token and locks the
// queue row, so that a run which another process has taken over, or ended, is left as it is. The rows are locked in the
// order of their ids, so that no two statements wait for each other. They are looked up by their ids: see run-claims.store.ts.

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

const ids = (rows: { id: string }[]) => new Set(rows.map(({ id }) => id));

/** The rows of `m`, which has the columns `run_id` and `fencing_token`, whose claims still hold. */
const held = (columns: string, lock: 'no key update' | 'update') => `
  select q.*, ${columns} from (select * from m order by run_id) m cross join lateral (
    select run_id, task_id, slot, lease_until, cancel_requested from run_queue
    where run_id = m.run_id and fencing_token = m.fencing_token and state <> 'READY' limit 1 for ${lock}
  ) q`;

/** What is known of an execution of a step when it begins. */
export interface StepBegin {
  attempt: number;
  /** The execution of a step that contains others may have begun in an earlier attempt. */
  position: number;
  stepId: string;
  scope: string;
  stepAttempt: number;
  kind: StepKind;
  acts: boolean;
  /** As JSON; null for none. */
  input: string | null;
  /** When it began, by the clock of its run (`ActiveRun.now()`). */
  begunAt: number;
}

/** An execution of a step, as it is to be stored: RUNNING, or ended. */
export interface StepRow extends StepBegin {
  status: RunStepStatus;
  /** As JSON; null for none. */
  output: string | null;
  log: string | null;
  error: RunError | null;
  /** When it ended, as `begunAt`; null while it executes. */
  endedAt: number | null;
}

/** The columns of a step, with their types and values. */
const STEP: [column: string, type: string, value: (row: StepRow) => unknown][] = [
  ['new_attempt', 'int', (row) => row.attempt],
  ['new_position', 'int', (row) => row.position],
  ['new_step_id', 'text', (row) => row.stepId],
  ['new_scope', 'text', (row) => row.scope],
  ['new_step_attempt', 'int', (row) => row.stepAttempt],
  ['new_kind', 'text', (row) => row.kind],
  ['new_acts', 'boolean', (row) => row.acts],
  ['new_input', 'json', (row) => row.input],
  ['new_status', 'text', (row) => row.status],
  ['new_output', 'json', (row) => row.output],
  ['new_log', 'json', (row) => json(row.log)],
  ['new_error', 'json', (row) => json(row.error)],
  ['new_begun_at', 'float8', (row) => row.begunAt],
  ['new_ended_at', 'float8', (row) => row.endedAt],
];
const STEP_COLUMNS = STEP.map(([column]) => column).join(', ');

/** Their parameters, from `$first` on. */
const stepTypes = (first: number) => STEP.map(([, type], i) => `$${first + i}::${type}[]`).join(', ');

const stepValues = (rows: readonly (StepRow | null)[]): unknown[][] =>
  STEP.map(([, , value]) => rows.map((row) => row && value(row)));

/** Stores the steps of `own`: those that begin, those that end, and those that do both. What has ended stays as it is. */
const STORE_OWN_STEPS = `
  insert into run_step as s (run_id, attempt, position, step_id, scope, step_attempt, kind, acts, input,
    status, output, log, error, started_at, finished_at, duration_ms)
  select run_id, new_attempt, new_position, new_step_id, new_scope, new_step_attempt, new_kind, new_acts, new_input,
    new_status, new_output, new_log, new_error,
    to_timestamp(new_begun_at / 1000), to_timestamp(new_ended_at / 1000), new_ended_at - new_begun_at
  from own where new_position is not null
  on conflict (run_id, attempt, position) do update
    set status = excluded.status, output = excluded.output, log = excluded.log, error = excluded.error,
      finished_at = excluded.finished_at, duration_ms = ${stepDuration('s.started_at', 'excluded.finished_at')}
    where s.status = 'RUNNING' and excluded.status <> 'RUNNING'`;

export const STORE_STEPS = `
  with m as (
    select * from unnest($1::uuid[], $2::uuid[], ${stepTypes(3)}) as m(run_id, fencing_token, ${STEP_COLUMNS})
  ), own as materialized (
    ${held(STEP_COLUMNS, 'no key update')}
  ), stored as (
    ${STORE_OWN_STEPS}
  ) select run_id as id from own`;

/** Stores how steps begin and end. Returns the ids of the runs that still belong to their claims. */
export async function storeSteps(
  database: Database,
  stored: readonly (Claim & { row: StepRow })[],
): Promise<Set<string>> {
  // The end of a step can be stored twice at once: by itself, and with the start of one beside it.
  const steps = [...new Map(stored.map((one) => [one.row, one])).values()];
  const own = await keptPlanRows<{ id: string }>(database, 'store_run_steps', STORE_STEPS, [
    steps.map(({ runId }) => runId),
    steps.map(({ fencingToken }) => fencingToken),
    ...stepValues(steps.map(({ row }) => row)),
  ]);
  return ids(own);
}

type ExecutingStep = Pick<StepBegin, 'attempt' | 'position'>;

/**
 * Marks steps as running again that contain others and have not ended. Returns false if the run does not belong to the claim.
 */
export async function reopenSteps(
  sql: Sql,
  { runId, fencingToken }: Claim,
  steps: readonly ExecutingStep[],
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (
       select run_id from run_queue where run_id = $1 and fencing_token = $2 and state = 'RUNNING' for no key update
     ), opened as (
       update run_step s set status = 'RUNNING', error = null, finished_at = null, duration_ms = null
       from own, unnest($3::int[], $4::int[]) as o(attempt, position)
       where s.run_id = own.run_id and s.attempt = o.attempt and s.position = o.position
     ) select run_id from own`,
    [runId, fencingToken, steps.map(({ attempt }) => attempt), steps.map(({ position }) => position)],
  );
  return row !== null;
}

/** Stores that a step may have an effect which a repetition would have again. Returns false if the run does not belong to the claim. */
export function markActing(sql: Sql, claim: Claim, step: ExecutingStep): Promise<boolean> {
  return markStep(sql, claim, step, 'acts = true', []);
}

/** Stores that a step is not executed. Returns false if the run does not belong to the claim. */
export function markSimulated(
  sql: Sql,
  claim: Claim,
  step: ExecutingStep,
  simulated: Simulated,
): Promise<boolean> {
  return markStep(sql, claim, step, 'simulated = $5', [JSON.stringify(simulated)]);
}

/** Removes a step that has not begun. Returns false if the run does not belong to the claim. */
export async function removeStart(
  sql: Sql,
  { runId, fencingToken }: Claim,
  { attempt, position }: ExecutingStep,
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (
       select run_id from run_queue where run_id = $1 and fencing_token = $2 and state = 'RUNNING' for no key update
     ), gone as (
       delete from run_step s using own where s.run_id = own.run_id and s.attempt = $3 and s.position = $4
     ) select run_id from own`,
    [runId, fencingToken, attempt, position],
  );
  return row !== null;
}

async function markStep(
  sql: Sql,
  { runId, fencingToken }: Claim,
  { attempt, position }: ExecutingStep,
  assignment: string,
  values: readonly string[],
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (
       select run_id from run_queue where run_id = $1 and fencing_token = $2 and state = 'RUNNING' for no key update
     ) update run_step s set ${assignment} from own
       where s.run_id = own.run_id and s.attempt = $3 and s.position = $4 returning s.run_id`,
    [runId, fencingToken, attempt, position, ...values],
  );
  return row !== null;
}

/** What a step that executes has logged. */
export interface RunningLog extends Claim {
  attempt: number;
  position: number;
  log: string;
}

export const STORE_LOGS = `
  with m as (
    select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::json[])
      as m(run_id, fencing_token, attempt, position, log)
  ), own as materialized (
    ${held('m.attempt, m.position, m.log', 'no key update')}
  )
  update run_step s set log = own.log from own
  where s.run_id = own.run_id and s.attempt = own.attempt and s.position = own.position
    and s.run_id = any($1::uuid[]) and s.position = any($4::int[]) and s.status = 'RUNNING'
  returning s.run_id as id`;

/** Stores the logs of steps that execute. Returns the ids of the runs of which that was stored. */
export async function storeLogs(database: Database, logs: readonly RunningLog[]): Promise<Set<string>> {
  const stored = await keptPlanRows<{ id: string }>(database, 'store_run_logs', STORE_LOGS, [
    logs.map(({ runId }) => runId),
    logs.map(({ fencingToken }) => fencingToken),
    logs.map(({ attempt }) => attempt),
    logs.map(({ position }) => position),
    logs.map(({ log }) => json(log)),
  ]);
  return ids(stored);
}

export interface AttemptEnd extends Claim {
  attempt: number;
  status: RunAttemptStatus;
  error: RunError | null;
  /** Milliseconds until the next attempt; null: the run ends. If its cancellation was requested, it is CANCELLED instead. */
  delayMs: number | null;
  /** The last step, unless its end is stored. Any other step that is stored as running ends like the attempt. */
  ended: StepRow | null;
}

export const END_ATTEMPTS = `
  with m as (
    select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::json[], $6::float8[], ${stepTypes(8)})
      as m(run_id, fencing_token, attempt, status, error, delay_ms, ${STEP_COLUMNS})
  ), held as materialized (
    ${held(`m.attempt, m.status, m.error, m.delay_ms, ${STEP_COLUMNS}`, 'update')}
  ), own as (
    select *, delay_ms is not null and not cancel_requested as is_again
    from held where not $7::boolean or lease_until < statement_timestamp()
  ), gone as (
    delete from run_queue q using own
    where q.run_id = own.run_id and q.run_id = any($1::uuid[]) and not own.is_again
  ), again as (
    update run_queue q set state = 'READY', slot = null, lease_until = null,
      available_at = clock_timestamp() + own.delay_ms * interval '1 millisecond'
    from own where q.run_id = own.run_id and q.run_id = any($1::uuid[]) and own.is_again
  ), ended as (
    update run r set
      status = case when own.is_again then 'QUEUED' when own.delay_ms is null then own.status else 'CANCELLED' end,
      error = case when own.delay_ms is null then own.error end,
      finished_at = case when not own.is_again then clock_timestamp() end,
      attempt = case when own.is_again then r.attempt + 1 else r.attempt end
    from own where r.id = own.run_id and r.id = any($1::uuid[])
  ), attempt as (
    update run_attempt a set status = own.status, error = own.error, finished_at = clock_timestamp()
    from own where a.run_id = own.run_id and a.attempt = own.attempt and a.run_id = any($1::uuid[])
  ), stored as (
    ${STORE_OWN_STEPS}
  ), open as materialized (
    select own.run_id, l.*, case l.status when 'RUNNING' then own.status else 'CANCELLED' end as left_as
    from own cross join lateral (
      select attempt as open_attempt, position, status from run_step
      where run_id = own.run_id and run_id = any($1::uuid[])
        and (status = 'RUNNING' or status = 'WAITING' and not own.is_again)
        and (attempt, position) is distinct from (new_attempt, new_position)
    ) l
  ), step as (
    update run_step s set status = left_as, output = null, error = null, finished_at = clock_timestamp(),
      duration_ms = ${stepDuration('s.started_at', 'clock_timestamp()')}
    from open where s.run_id = open.run_id and s.attempt = open_attempt and s.position = open.position
      and s.run_id = any($1::uuid[]) and s.position = any(array(select position from open))
  ), waits as (
    delete from run_wait w using own
    where w.run_id = own.run_id and w.run_id = any($1::uuid[]) and not own.is_again
  ), parents as (
    update run_wait w set due_at = clock_timestamp() from own
    where w.child_run_id = own.run_id and w.child_run_id = any($1::uuid[]) and not own.is_again
    returning w.child_run_id
  ), freed as (
    update run_slot s set run_id = null from own cross join lateral (
      select ctid as at from run_slot where task_id = own.task_id and run_id = own.run_id and n = coalesce(own.slot,
        (select n from run_slot where task_id = own.task_id and run_id = own.run_id limit 1)) limit 1
    ) f where s.ctid = f.at
  ) select run_id as id, run_id in (select child_run_id from parents) as is_awaited from own`;

/**
 * Ends attempts and frees their slots. The runs end as well, or are queued again. With `onlyExpired`, only those whose
 * leases nobody has renewed. `held`: the ids of the runs that still belonged to their claims. `isAnyAwaited`: whether another run
 * waited for the end of one, which is due now.
 */
export async function endAttempts(
  database: Database,
  ends: readonly AttemptEnd[],
  onlyExpired = false,
): Promise<{ held: Set<string>; isAnyAwaited: boolean }> {
  const own = await keptPlanRows<{ id: string; isAwaited: boolean }>(
    database,
    'end_run_attempts',
    END_ATTEMPTS,
    [
      ends.map(({ runId }) => runId),
      ends.map(({ fencingToken }) => fencingToken),
      ends.map(({ attempt }) => attempt),
      ends.map(({ status }) => status),
      ends.map(({ error }) => json(error)),
      ends.map(({ delayMs }) => delayMs),
      onlyExpired,
      ...stepValues(ends.map(({ ended }) => ended)),
    ],
  );
  return { held: ids(own), isAnyAwaited: own.some(({ isAwaited }) => isAwaited) };
}

/**
 * Returns a claimed run to the queue as if it had not been claimed; to be cancelled, it needs no task that is enabled. Returns
 * false if it does not belong to the claim.
 */
export async function releaseRun(
  sql: Sql,
  { runId, fencingToken }: Claim,
  attempt: number,
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (
       update run_queue set state = 'READY', slot = null, lease_until = null,
         despite_disabled = despite_disabled or cancel_requested
       where run_id = $1 and fencing_token = $2 and state = 'RUNNING' returning run_id, task_id
     ), queued as (
       update run set status = 'QUEUED', started_at = case when attempt > 1 then started_at end
       where id = $1 and exists (select from own)
     ), attempt as (
       delete from run_attempt where run_id = (select run_id from own) and attempt = $3
     ), freed as (
       update run_slot set run_id = null where task_id = (select task_id from own) and run_id = (select run_id from own)
     ) select run_id from own`,
    [runId, fencingToken, attempt],
  );
  return row !== null;
}

/**
 * Returns a run to the queue of which steps have ended. The run waits where it did before; if its task was disabled while it
 * was running, it goes on. Returns false if it does not belong to the claim.
 */
export async function handOverRun(
  sql: Sql,
  { runId, fencingToken }: Claim,
  attempt: number,
): Promise<boolean> {
  const row = await firstRow(
    sql,
    `with own as (
       update run_queue set state = 'READY', slot = null, lease_until = null,
         despite_disabled = despite_disabled or cancel_requested or not (select enabled from task where id = task_id)
       where run_id = $1 and fencing_token = $2 and state = 'RUNNING' returning run_id, task_id
     ), queued as (
       update run set status = 'QUEUED', attempt = $3 + 1, handovers = handovers + 1
       where id = $1 and exists (select from own)
     ), attempt as (
       update run_attempt set status = 'HANDED_OVER', finished_at = clock_timestamp()
       where run_id = (select run_id from own) and attempt = $3
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
