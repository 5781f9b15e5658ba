import type { RunError, RunOrigin, RunStepStatus, TaskRetry, Trigger, Workflow } from '@platform/contracts';
import type { Database } from '../../infra/database/database.ts';
import { exactlyOne, keptPlanRows, rows, type PreparedSql, type Sql } from '../../infra/database/rows.ts';
import { STEP_BYTES } from '../runs/run-budget.ts';
import { LETS_RUNS_BEGIN } from '../runs/run-queue.store.ts';
import type { RunTest, TestEffects } from '../runs/run.entity.ts';
import { joinTrigger, RUN_PAYLOAD, triggerOfTest } from '../runs/run-trigger.ts';

// Due rows are found by statement_timestamp(): no index serves a comparison with clock_timestamp(), which is volatile.
// Plans are kept (see KEPT_PLAN), and a table that was almost empty when the planner looked at it would be read as a whole by
// a join. So rows are looked up by lists of ids, '= any', beside the join, or one by one, 'lateral' with 'limit'. 'state <>'
// stands where the index of the other state must not be used.

/** A run that a process has claimed, with its task as it is now. */
export interface ClaimedRun {
  id: string;
  spaceId: string;
  taskId: string;
  ownerUserId: string;
  origin: RunOrigin;
  trigger: Trigger | null;
  inputs: Record<string, unknown>;
  /** How many bytes the inputs have as JSON; 0 if they are small. */
  inputBytes: number;
  attempt: number;
  /** How many attempts before it were handed over. */
  handovers: number;
  workflow: Workflow;
  timeoutMs: number;
  retry: TaskRetry;
  /** A template; null: runs do not wait for each other. */
  concurrencyKey: string | null;
  perKey: number;
  /** Whether the task was deleted, or retired by its application, since the run was queued. */
  isTaskGone: boolean;
  /** Whether the payload of its trigger is stored nowhere. */
  isPayloadGone: boolean;
  /** Of a test; null for any other run. */
  testEffects: TestEffects | null;
  /** Whether its cancellation was requested of a process that has given the run back. */
  cancelRequested: boolean;
  /** What the clock of PostgreSQL is ahead of `performance.now()` by, in milliseconds, as it was when the claim was answered. */
  clockOffset: number;
}

/** Who executes a run. */
export interface Claim {
  runId: string;
  /** Proves in every write that the run still belongs to the claim. */
  fencingToken: string;
}

/** How many runs of a task are to be claimed at most. */
export interface WantedRuns {
  taskId: string;
  count: number;
}

/** A task of which runs were to be claimed. */
export interface ClaimedTask {
  taskId: string;
  concurrency: number;
  /** Whether the task has all its slots, free or not. */
  hasSlots: boolean;
}

/** Whether a task belongs to another person. */
export async function hasOtherOwner(sql: Sql, taskId: string, ownerUserId: string): Promise<boolean> {
  const found = await rows(sql, 'select from task where id = $1 and owner_user_id <> $2', [
    taskId,
    ownerUserId,
  ]);
  return found.length > 0;
}

export type FencedRun = ClaimedRun & Pick<Claim, 'fencingToken'>;

/** Inputs that take little are not counted: to count them, they are read. */
const bytesOf = (inputs: string) =>
  `case when pg_column_size(${inputs}) > 2000 then octet_length(${inputs}::text) else 0 end`;

/** How many bytes of inputs the runs of a space have that one statement claims, without the last of them. */
const CLAIM_BYTES = 16 * 1024 * 1024;

const CLAIMED_RUN = `
  r.id, r.space_id, r.task_id, r.owner_user_id, r.origin, r.trigger, ${RUN_PAYLOAD},
  r.inputs, ${bytesOf('r.inputs')} as input_bytes, r.attempt, r.handovers, r.cancel_requested and r.test is null as cancel_requested, r.test, r.task_version, t.timeout_ms, t.retry,
  t.concurrency_key, t.per_key,
  t.deleted_at is not null or t.retired_at is not null as is_task_gone,
  extract(epoch from clock_timestamp())::float8 * 1000 as claimed_at`;

interface StoredRun extends Omit<FencedRun, 'isPayloadGone' | 'testEffects' | 'clockOffset'> {
  test: RunTest | null;
  payload: Record<string, unknown> | null;
  /** The version that it began with; null if a process of the previous version claimed it. */
  taskVersion: number | null;
  /** The version of `workflow`. */
  version: number;
  /** In milliseconds of the Unix epoch, by the clock of PostgreSQL. */
  claimedAt: number;
}

/** Returns runs with the workflow of the version that each began with. */
async function toFencedRuns(sql: Sql, stored: readonly StoredRun[]): Promise<FencedRun[]> {
  const answeredAt = performance.now();
  const older = stored.filter(({ taskVersion, version }) => (taskVersion ?? version) !== version);
  const workflows = older.length === 0 ? new Map<string, Workflow>() : await findWorkflows(sql, older);
  return stored.map(({ payload, taskVersion, version: _, test, claimedAt, ...run }) => ({
    ...run,
    clockOffset: claimedAt - answeredAt,
    workflow: test?.workflow ?? workflows.get(versionKey(run.taskId, taskVersion)) ?? run.workflow,
    trigger: test ? triggerOfTest(test, payload) : joinTrigger(run.trigger, payload),
    testEffects: test?.effects ?? null,
    isPayloadGone: payload === null && (run.trigger !== null || (test?.envelopeId ?? null) !== null),
  }));
}

const versionKey = (taskId: string, version: number | null) => `${taskId} ${version ?? 0}`;

/** Returns the workflows of the versions that runs began with: each once, because they can be large. */
async function findWorkflows(sql: Sql, runs: readonly StoredRun[]): Promise<Map<string, Workflow>> {
  const found = await rows<{ taskId: string; version: number; workflow: Workflow }>(
    sql,
    `select task_id, version, workflow from task_version
     where (task_id, version) in (select * from unnest($1::uuid[], $2::int[]))`,
    [runs.map(({ taskId }) => taskId), runs.map(({ taskVersion }) => taskVersion)],
  );
  return new Map(found.map(({ taskId, version, workflow }) => [versionKey(taskId, version), workflow]));
}

/**
 * Per task: takes free slots, then as many of the runs that have waited longest, without those of a space whose inputs would be too
 * much at once. Rows that another process has locked are skipped, so that claims never wait for each other. Busy slots above a
 * lowered limit (`excess`) each keep a slot below it free. Only the slots that are needed are read: a task can have many. Locks the
 * tasks, so that nothing starts after the statement that disables one. A weaker lock would not do: it is also granted on the row as
 * it was before that statement. A run keeps the version of the task that it began with. The workflow is read as it was when the
 * statement began, so it may be of another version than the locked row. The runs act as the owner that the task has then. A task
 * that is being changed is skipped; its runs are published afterwards.
 */
export const CLAIM_RUNS = `
  with wanted as materialized (
    select t.id as task_id, w.count, t.space_id, t.concurrency, t.lets_begin, t.owner_user_id, t.version,
      coalesce((select true from run_slot where task_id = t.id and n = t.concurrency), false) as has_slots,
      (select count(run_id) from run_slot where task_id = t.id and n > t.concurrency) as excess
    from unnest($1::uuid[], $2::int[]) as w(id, count) cross join lateral (
      select id, space_id, concurrency, ${LETS_RUNS_BEGIN} as lets_begin, owner_user_id, version
      from task where id = w.id limit 1 for share skip locked
    ) t
  ), free as materialized (
    select w.task_id, w.excess, s.n, row_number() over (partition by w.task_id order by s.n) as i,
      count(*) over (partition by w.task_id) as found
    from wanted w cross join lateral (
      select n from run_slot where task_id = w.task_id and n <= w.concurrency and run_id is null
      order by n limit w.count + w.excess for update skip locked
    ) s
    where w.lets_begin or
      (select true from run_queue where task_id = w.task_id and state = 'READY' and despite_disabled limit 1)
  ), slot as materialized (
    select task_id, n, i from free where i <= found - excess
  ), picked as materialized (
    select f.task_id, q.run_id, row_number() over (partition by f.task_id order by q.available_at, q.run_id) as i
    from (select task_id, count(*) as n from slot group by task_id) f join wanted w using (task_id) cross join lateral (
      select run_id, available_at from run_queue
      where task_id = f.task_id and state = 'READY' and available_at <= statement_timestamp()
        and (w.lets_begin or despite_disabled)
      order by available_at, run_id limit f.n for update skip locked
    ) q
  ), sized as materialized (
    select p.*, w.owner_user_id, w.version, s.bytes,
      sum(s.bytes) over (partition by w.space_id order by p.i, p.task_id) as total
    from picked p join wanted w using (task_id) cross join lateral (
      select ${bytesOf('inputs')} as bytes from run where id = p.run_id limit 1
    ) s
  ), pair as materialized (
    select run_id, task_id, n, owner_user_id, version, ($3::uuid[])[row_number() over ()] as fencing_token
    from sized join slot using (task_id, i) where total - bytes < ${CLAIM_BYTES}
  ), taken as (
    update run_slot s set run_id = p.run_id from pair p
    where s.task_id = p.task_id and s.n = p.n and s.task_id = any($1::uuid[])
  ), queued as (
    update run_queue q set state = 'RUNNING', slot = p.n, fencing_token = p.fencing_token,
      next_publish_at = null, lease_until = clock_timestamp() + $4 * interval '1 millisecond'
    from pair p where q.run_id = p.run_id and q.run_id = any(array(select run_id from pair))
  ), r as (
    update run set status = 'RUNNING', started_at = coalesce(started_at, clock_timestamp()),
      owner_user_id = p.owner_user_id, task_version = coalesce(task_version, p.version)
    from pair p where id = p.run_id and id = any(array(select run_id from pair)) returning run.*, p.fencing_token
  ), attempt as (
    insert into run_attempt (run_id, attempt, fencing_token, status)
    select id, attempt, fencing_token, 'RUNNING' from r
  )
  select w.task_id as wanted_task_id, w.concurrency, w.has_slots,
    case when row_number() over same_task = 1 then t.workflow end as workflow, t.version,
    r.fencing_token, ${CLAIMED_RUN}
  from wanted w join task t on t.id = w.task_id and t.id = any($1::uuid[]) left join r on r.task_id = w.task_id
  window same_task as (partition by w.task_id)`;

/** What can be large is only in the first row of a task. */
type ClaimRow = Omit<ClaimedTask, 'taskId'> & { wantedTaskId: string; workflow: Workflow | null } & (
    Omit<StoredRun, 'workflow'> | { id: null }
  );

/**
 * Claims runs of different tasks, those of each that have waited longest. `tokens`: one for each run that is wanted. Nothing else is read
 * within `tx`, which may be committed with this statement.
 */
export async function claimRuns(
  database: Database,
  tx: PreparedSql,
  wanted: readonly WantedRuns[],
  tokens: readonly string[],
  leaseMs: number,
): Promise<{ runs: FencedRun[]; tasks: ClaimedTask[] }> {
  const found = await keptPlanRows<ClaimRow>(tx, 'claim_runs', CLAIM_RUNS, [
    wanted.map(({ taskId }) => taskId),
    wanted.map(({ count }) => count),
    tokens,
    leaseMs,
  ]);
  const tasks = new Map<string, ClaimedTask & { workflow: Workflow }>();
  for (const { wantedTaskId: taskId, concurrency, hasSlots, workflow } of found)
    if (workflow !== null) tasks.set(taskId, { taskId, concurrency, hasSlots, workflow });
  const claimed = found.flatMap(({ wantedTaskId, concurrency: _c, hasSlots: _s, ...run }) => {
    const task = tasks.get(wantedTaskId);
    return run.id === null || task === undefined ? [] : { ...run, workflow: task.workflow };
  });
  return { runs: await toFencedRuns(database, claimed), tasks: [...tasks.values()] };
}

/** Returns the runs that claims took although the response was lost. */
export async function findClaimedRuns(
  sql: Sql,
  wanted: readonly WantedRuns[],
  tokens: readonly string[],
): Promise<FencedRun[]> {
  const found = await rows<StoredRun>(
    sql,
    `select q.fencing_token, t.workflow, t.version, ${CLAIMED_RUN}
     from run_slot s
       join run_queue q on q.run_id = s.run_id and q.state = 'RUNNING' and q.fencing_token = any($2::uuid[])
       join run r on r.id = q.run_id join task t on t.id = r.task_id
     where s.task_id = any($1::uuid[])`,
    [wanted.map(({ taskId }) => taskId), tokens],
  );
  return toFencedRuns(sql, found);
}

/** The last execution of a step that is stored. */
export interface StepRecord {
  status: RunStepStatus;
  /** Numbered from 1. */
  stepAttempt: number;
  /** How many of its executions have failed since the run was last retried. */
  failures: number;
  /** Of a step that contains others: what it has decided. */
  input: unknown;
  output: unknown;
  error: RunError | null;
}

/** A step as a run has stored it last. */
interface StoredStep extends StepRecord {
  attempt: number;
  position: number;
}

/** What an attempt goes on with. */
export interface RunProgress {
  /** The one that a process of the previous version had begun and handed over; null: that of the claim. */
  workflow: Workflow | null;
  /** By scope: the last execution of each step, without those that a retry repeats. */
  records: Map<string, StoredStep>;
  /** Of the first execution that is stored from now on. */
  nextPosition: number;
  /** What the run has used of its limits; the time since the last attempt that failed or was interrupted. */
  executions: number;
  valueBytes: number;
  logBytes: number;
  durationMs: number;
  /** How many executions the retries that began at an earlier step have repeated. */
  superseded: number;
}

/**
 * The steps of a run. A process of the previous version stores no scopes: of its steps, only those of an attempt that it has handed over
 * count. What follows an attempt that FAILED, or was CANCELLED, is a retry; any other attempt goes on with the same one.
 */
const RUN_STEPS = `
  with retried as (
    select coalesce(max(attempt), 0) as attempt from run_attempt
    where run_id = $1 and attempt < $2 and status in ('FAILED', 'CANCELLED')
  )
  select distinct on (coalesce(scope, step_id)) coalesce(scope, step_id) as scope, status, step_attempt, s.attempt, position,
    (count(*) filter (where status = 'FAILED' and s.attempt > retried.attempt)
      over (partition by coalesce(scope, step_id)))::int as failures,
    output, error, case when kind in ('branch', 'each') then input end as input,
    ${STEP_BYTES} as value_bytes,
    coalesce(octet_length(log::text), 0) as log_bytes
  from run_step s, retried where run_id = $1 and not superseded and (scope is not null or s.attempt = $2)
  order by coalesce(scope, step_id), s.attempt desc, position desc`;

export async function findProgress(sql: Sql, runId: string, attempt: number): Promise<RunProgress> {
  const found = await rows<StoredStep & { scope: string; valueBytes: number; logBytes: number }>(
    sql,
    RUN_STEPS,
    [runId, attempt],
  );
  const ofRun = await exactlyOne<Pick<RunProgress, 'workflow' | 'durationMs' | 'superseded'>>(
    sql,
    `select (select workflow from run_attempt where run_id = $1 and attempt = $2 - 1 and status = 'HANDED_OVER'),
       (select count(*)::int from run_step where run_id = $1 and superseded) as superseded,
       coalesce(sum(extract(epoch from finished_at - started_at)) * 1000, 0)::float8 as duration_ms
     from run_attempt where run_id = $1 and attempt < $2 and attempt > (
       select coalesce(max(attempt), 0) from run_attempt
       where run_id = $1 and attempt < $2 and status not in ('HANDED_OVER', 'WAITED'))`,
    [runId, attempt],
  );
  const sum = (of: 'valueBytes' | 'logBytes') => found.reduce((total, step) => total + step[of], 0);
  return {
    ...ofRun,
    records: new Map(found.map(({ scope, ...step }) => [scope, step])),
    nextPosition: found.reduce(
      (next, one) => (one.attempt === attempt ? Math.max(next, one.position + 1) : next),
      0,
    ),
    executions: found.length,
    valueBytes: sum('valueBytes'),
    logBytes: sum('logBytes'),
  };
}

/** Creates the slots that a task lacks. Waits for whoever creates the same ones. */
export async function createSlots(sql: Sql, taskId: string, concurrency: number): Promise<void> {
  await rows(
    sql,
    `insert into run_slot (task_id, n) select $1, n from generate_series(1, $2::int) n on conflict do nothing`,
    [taskId, concurrency],
  );
}

/**
 * Renews the leases of claims. Locks rows in the order of their ids, as every statement does. Returns the ids of the runs
 * that still belong to them.
 */
export async function renewLeases(sql: Sql, claims: readonly Claim[], leaseMs: number): Promise<Set<string>> {
  const renewed = await rows<{ id: string }>(
    sql,
    `with own as materialized (
       select q.run_id from unnest($1::uuid[], $2::uuid[]) as mine(run_id, fencing_token)
         join run_queue q on q.run_id = mine.run_id and q.fencing_token = mine.fencing_token and q.state <> 'READY'
       where q.run_id = any($1::uuid[]) order by q.run_id for no key update of q
     )
     update run_queue q set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
     from own where q.run_id = own.run_id and q.run_id = any($1::uuid[]) returning q.run_id as id`,
    [claims.map(({ runId }) => runId), claims.map(({ fencingToken }) => fencingToken), leaseMs],
  );
  return new Set(renewed.map(({ id }) => id));
}

/** Returns whether each run that still belongs to one of the claims is to be cancelled, by run id. */
export async function findCancelRequests(sql: Sql, claims: readonly Claim[]): Promise<Map<string, boolean>> {
  const held = await rows<{ id: string; isRequested: boolean }>(
    sql,
    `select q.run_id as id, q.cancel_requested as is_requested
     from unnest($1::uuid[], $2::uuid[]) as mine(run_id, fencing_token)
       join run_queue q on q.run_id = mine.run_id and q.fencing_token = mine.fencing_token and q.state <> 'READY'
     where q.run_id = any($1::uuid[])`,
    [claims.map(({ runId }) => runId), claims.map(({ fencingToken }) => fencingToken)],
  );
  return new Map(held.map(({ id, isRequested }) => [id, isRequested]));
}

/** A running run whose lease has expired, or expires soon. */
export interface ExpiringRun extends Claim {
  taskId: string;
  attempt: number;
  handovers: number;
  retry: TaskRetry;
  isTaskGone: boolean;
  cancelRequested: boolean;
  /** Whether a step was executing that may have had an effect which a repetition would have again. */
  isUncertain: boolean;
  isExpired: boolean;
  /** As text, because it is only compared. */
  leaseUntil: string;
}

export const EXPIRING_RUNS = `
  select q.run_id, q.fencing_token, q.task_id, r.attempt, r.handovers, t.retry,
    t.deleted_at is not null or t.retired_at is not null as is_task_gone, q.cancel_requested,
    exists (select from run_step s where s.run_id = r.id and s.attempt = r.attempt and s.status = 'RUNNING' and s.acts)
      as is_uncertain,
    q.lease_until < statement_timestamp() as is_expired, q.lease_until::text as lease_until
  from run_queue q join task t on t.id = q.task_id join run r on r.id = q.run_id
  where q.state = 'RUNNING' and q.lease_until < statement_timestamp() + $1 * interval '1 millisecond'
  order by q.lease_until limit $2`;

/** A query that has rows if the lease of a run expires within a time. */
export const runsExpiring = (withinMs: number) =>
  `select from run_queue where state = 'RUNNING' and lease_until < statement_timestamp() + ${withinMs} * interval '1 millisecond'`;

/** Lists running runs whose leases expire within a time, those that expired first first. */
export function listExpiring(sql: Sql, withinMs: number, limit: number): Promise<ExpiringRun[]> {
  return rows(sql, EXPIRING_RUNS, [withinMs, limit]);
}
