import type { JobStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../auth/resource-scope.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { notFound } from '../infra/http/app-error.ts';
import { JobEntity } from './job.entity.ts';

export interface JobFailure {
  code: string;
  message: string;
}

/** A job's own row. Its status follows that of its turn (a trigger, see migration 0014) until it has ended. */
export interface StoredJob {
  id: string;
  spaceId: string;
  userId: string;
  agentId: string;
  /** The turn it is about. */
  turnRef: string;
  /** The form of its result. */
  form: 'chat' | 'execute';
  status: JobStatus;
  /** Counts the changes of its status. */
  changes: number;
  error: JobFailure | null;
  finishedAt: Date | null;
  queueState: 'READY' | 'STARTING' | 'PARKED' | null;
  idempotencyKey: string | null;
  requestHash: Buffer;
  requestId: string | null;
  webhookUrl: string | null;
  timeoutMs: number;
  /** The most that was ever reported. */
  progress: number;
  cancelRequested: boolean;
  timedOut: boolean;
  createdAt: Date;
}

export const UNFINISHED = `('QUEUED', 'RUNNING', 'INPUT_REQUIRED')`;

const COLUMNS = `
  id, space_id as "spaceId", user_id as "userId", agent_id as "agentId", turn_id as "turnRef", form, status, changes,
  error, finished_at as "finishedAt", queue_state as "queueState", idempotency_key as "idempotencyKey",
  request_hash as "requestHash", request_id as "requestId", webhook_url as "webhookUrl", timeout_ms as "timeoutMs",
  progress, cancel_requested as "cancelRequested", timed_out as "timedOut", created_at as "createdAt"`;

/** A user of a space. */
export interface Owner {
  spaceId: string;
  userId: string;
}

/** The user's job; 403 for one of another space, 404 for somebody else's. */
export async function getOwnJob(
  tx: EntityManager,
  { spaceId, userId }: Owner,
  id: string,
): Promise<StoredJob> {
  requireUuid(id, `Job ${id}`);
  const found = await firstRow<StoredJob>(
    tx,
    `select ${COLUMNS} from agent_job where space_id = $1 and id = $2`,
    [spaceId, id],
  );
  if (found === null) throw await missingOrForeign(tx, JobEntity, { id }, `Job ${id}`);
  if (found.userId !== userId) throw notFound(`Job ${id} does not exist`);
  return found;
}

export function listJobsByIds(sql: Sql, ids: readonly string[]): Promise<StoredJob[]> {
  return rows(sql, `select ${COLUMNS} from agent_job where id = any($1::uuid[])`, [ids]);
}

/** Those of the ids that are open jobs: a worker still has to look at them. */
export function listOpenJobs(sql: Sql, ids: readonly string[]): Promise<StoredJob[]> {
  return rows(
    sql,
    `select ${COLUMNS} from agent_job where id = any($1::uuid[]) and next_publish_at is not null`,
    [ids],
  );
}

/** The job that the key was used for. */
export function findJobByKey(sql: Sql, { spaceId, userId }: Owner, key: string): Promise<StoredJob | null> {
  return firstRow(
    sql,
    `select ${COLUMNS} from agent_job where space_id = $1 and user_id = $2 and idempotency_key = $3`,
    [spaceId, userId, key],
  );
}

/** The job over a turn. */
export function findJobByTurn(sql: Sql, spaceId: string, turnRef: string): Promise<StoredJob | null> {
  return firstRow(sql, `select ${COLUMNS} from agent_job where space_id = $1 and turn_id = $2`, [
    spaceId,
    turnRef,
  ]);
}

/** The agents that the user has jobs with; one step of the index per agent, however many jobs there are. */
export async function listAgentIds(sql: Sql, { spaceId, userId }: Owner): Promise<string[]> {
  const found = await rows<{ agentId: string }>(
    sql,
    `with recursive agents as (
       (select agent_id from agent_job where space_id = $1 and user_id = $2 order by agent_id limit 1)
       union all
       select (select agent_id from agent_job where space_id = $1 and user_id = $2 and agent_id > a.agent_id
               order by agent_id limit 1)
       from agents a where a.agent_id is not null
     ) select agent_id as "agentId" from agents where agent_id is not null`,
    [spaceId, userId],
  );
  return found.map(({ agentId }) => agentId);
}

export interface JobFilter {
  status: JobStatus | null;
  agentIds: readonly string[];
}

export const LIST_JOBS = `
  select ${COLUMNS} from agent_job
  where space_id = $1 and user_id = $2 and ($3::text is null or status = $3) and agent_id = any($4::uuid[])
    and ($5::uuid is null or id < $5)
  order by id desc limit $6`;

/** The user's jobs with the agents, newest first, below an id. */
export function listJobs(
  sql: Sql,
  { spaceId, userId }: Owner,
  { status, agentIds }: JobFilter,
  below: string | null,
  count: number,
): Promise<StoredJob[]> {
  return rows(sql, LIST_JOBS, [spaceId, userId, status, agentIds, below, count]);
}

export interface NewJob extends Owner {
  agentId: string;
  turnRef: string;
  sessionRef: string;
  form: 'chat' | 'execute';
  key: string | null;
  hash: Buffer;
  requestId: string | null;
  webhookUrl: string | null;
  timeoutMs: number;
  causationRunId: string | null;
}

/** Stores a job over a queued turn; violates `agent_job_key` if the key is taken. The queue finds it without a hint. */
export async function insertJob(tx: Sql, made: NewJob): Promise<string> {
  const row = await firstRow<{ id: string }>(
    tx,
    `insert into agent_job (space_id, user_id, agent_id, turn_id, session_id, form, idempotency_key, request_hash,
       request_id, webhook_url, causation_run_id, timeout_ms, deadline, next_publish_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::int, d.at, d.at
     from (select clock_timestamp() + $12::int * interval '1 millisecond' as at) d returning id`,
    [
      made.spaceId,
      made.userId,
      made.agentId,
      made.turnRef,
      made.sessionRef,
      made.form,
      made.key,
      made.hash,
      made.requestId,
      made.webhookUrl,
      made.causationRunId,
      made.timeoutMs,
    ],
  );
  if (row === null) throw new Error('A job was not stored');
  return row.id;
}

/** Keeps what was reported, so that nobody is told less later. */
export async function recordProgress(sql: Sql, reported: { id: string; progress: number }[]): Promise<void> {
  if (reported.length === 0) return;
  await rows(
    sql,
    `update agent_job j set progress = reported.progress
     from unnest($1::uuid[], $2::int[]) as reported(id, progress)
     where j.id = reported.id and j.progress < reported.progress`,
    [reported.map(({ id }) => id), reported.map(({ progress }) => progress)],
  );
}

/** Notes that the user wants it stopped; false if it has ended, or its time was over first. */
export async function requestCancel(sql: Sql, id: string): Promise<boolean> {
  const row = await firstRow(
    sql,
    `update agent_job set cancel_requested = true, next_publish_at = clock_timestamp()
     where id = $1 and not timed_out and status in ${UNFINISHED} returning id`,
    [id],
  );
  return row !== null;
}

/** Ends a job whose turn was interrupted and does not run again; whatever its turn does later is no part of it. */
export async function endInterrupted(
  sql: Sql,
  id: string,
  status: 'FAILED' | 'CANCELLED' | 'TIMED_OUT',
  turn: { error: JobFailure | null; finishedAt: Date | null },
): Promise<void> {
  await rows(
    sql,
    `update agent_job set status = $2::text, changes = changes + 1, queue_state = null,
       error = case when $2::text <> 'TIMED_OUT' then $3::json end,
       finished_at = coalesce($4::timestamptz, clock_timestamp()), next_publish_at = clock_timestamp()
     where id = $1 and status = 'RUNNING'`,
    [id, status, turn.error && JSON.stringify(turn.error), turn.finishedAt],
  );
}
