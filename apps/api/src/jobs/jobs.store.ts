import type { JobStatus } from '@platform/contracts';
import { accessibleSql } from '../agents/agent-access.ts';
import { missingOrForeign } from '../auth/resource-scope.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { notFound } from '../infra/http/app-error.ts';
import { isUuid } from '../infra/http/ids.ts';
import { TURN_COLUMNS, type TurnRow } from '../turns/turn-store.ts';

/** A job with the turn it is about. */
export interface JobRow {
  id: string;
  /** The form of its result. */
  form: 'chat' | 'execute';
  status: JobStatus;
  idempotencyKey: string | null;
  requestHash: Buffer;
  requestId: string | null;
  webhookUrl: string | null;
  timeoutMs: number;
  /** The most that was ever told. */
  progress: number;
  /** How it stood when its owner was last answered; null: never. */
  told: string | null;
  cancelRequested: boolean;
  timedOut: boolean;
  createdAt: Date;
  turn: TurnRow;
}

/**
 * What a job's status is: its turn's, but for a turn that its time stopped, and for one that was interrupted, which
 * is claimed once more unless it was to be stopped anyway.
 */
export const STATUS = `
  case
    when t.status = 'CANCELLED' and j.timed_out then 'TIMED_OUT'
    when t.status = 'FAILED' and t.error::text like '{"code":"INTERRUPTED"%' then
      case
        when j.cancel_requested then 'CANCELLED'
        when j.timed_out then 'TIMED_OUT'
        when j.claimed_again then 'FAILED'
        else 'RUNNING'
      end
    else t.status
  end`;

export const UNFINISHED = `('QUEUED', 'RUNNING', 'INPUT_REQUIRED')`;

const JOBS = `
  select ${TURN_COLUMNS}, j.id as "jobId", j.form, ${STATUS} as "jobStatus",
    j.idempotency_key as "idempotencyKey", j.request_hash as "requestHash", j.request_id as "requestId",
    j.webhook_url as "webhookUrl", j.timeout_ms as "timeoutMs", j.progress, j.told,
    j.cancel_requested as "cancelRequested", j.timed_out as "timedOut", j.created_at as "jobCreatedAt"
  from agent_job j join turn t on t.id = j.turn_id join session s on s.id = t.session_id`;

type FlatRow = TurnRow &
  Omit<JobRow, 'id' | 'status' | 'createdAt' | 'turn'> & {
    jobId: string;
    jobStatus: JobStatus;
    jobCreatedAt: Date;
  };

function toJobRow(flat: FlatRow): JobRow {
  const {
    jobId: id,
    jobStatus: status,
    jobCreatedAt: createdAt,
    form,
    idempotencyKey,
    requestHash,
    requestId,
    webhookUrl,
    timeoutMs,
    progress,
    told,
    cancelRequested,
    timedOut,
    ...turn
  } = flat;
  return {
    id,
    form,
    status,
    idempotencyKey,
    requestHash,
    requestId,
    webhookUrl,
    timeoutMs,
    progress,
    told,
    cancelRequested,
    timedOut,
    createdAt,
    turn,
  };
}

async function jobs(sql: Sql, where: string, parameters: unknown[]): Promise<JobRow[]> {
  return (await rows<FlatRow>(sql, `${JOBS} ${where}`, parameters)).map(toJobRow);
}

async function job(sql: Sql, where: string, parameters: unknown[]): Promise<JobRow | null> {
  return (await jobs(sql, where, parameters))[0] ?? null;
}

/** A user of a space. */
export interface Owner {
  spaceId: string;
  userId: string;
}

/** The user's job; 403 for one of another space, 404 for somebody else's. */
export async function ownJob(sql: Sql, { spaceId, userId }: Owner, id: string): Promise<JobRow> {
  const found = isUuid(id) ? await job(sql, 'where j.space_id = $1 and j.id = $2', [spaceId, id]) : null;
  if (found === null) throw await missingOrForeign(sql, 'agent_job', id, `Job ${id}`);
  if (found.turn.userId !== userId) throw notFound(`Job ${id} does not exist`);
  return found;
}

export function jobsByIds(sql: Sql, ids: string[]): Promise<JobRow[]> {
  return jobs(sql, 'where j.id = any($1::uuid[])', [ids]);
}

/** The job that the key was used for. */
export function jobOfKey(sql: Sql, { spaceId, userId }: Owner, key: string): Promise<JobRow | null> {
  return job(sql, 'where j.space_id = $1 and j.user_id = $2 and j.idempotency_key = $3', [
    spaceId,
    userId,
    key,
  ]);
}

/** The job over the user's turn of that id. */
export function jobOfTurn(
  sql: Sql,
  { spaceId, userId }: Owner,
  agentId: string,
  turnId: string,
): Promise<JobRow | null> {
  return job(sql, 'where j.space_id = $1 and t.user_id = $2 and t.agent_id = $3 and t.client_turn_id = $4', [
    spaceId,
    userId,
    agentId,
    turnId,
  ]);
}

export interface JobFilter {
  status: JobStatus | null;
  agentId: string | null;
}

/** The user's jobs with agents that he may invoke, newest first, below an id. */
export function listJobs(
  sql: Sql,
  { spaceId, userId }: Owner,
  { status, agentId }: JobFilter,
  below: string | null,
  count: number,
): Promise<JobRow[]> {
  return jobs(
    sql,
    `join agent a on a.id = j.agent_id and a.deleted_at is null and ${accessibleSql('a', '$2')}
     where j.space_id = $1 and j.user_id = $2::uuid and ($3::text is null or ${STATUS} = $3)
       and ($4::uuid is null or j.agent_id = $4) and ($5::uuid is null or j.id < $5)
     order by j.id desc limit $6`,
    [spaceId, userId, status, agentId, below, count],
  );
}

export interface NewJob extends Owner {
  agentId: string;
  turnRef: string;
  form: 'chat' | 'execute';
  key: string | null;
  hash: Buffer;
  requestId: string | null;
  webhookUrl: string | null;
  timeoutMs: number;
}

/** Stores a job over a queued turn; violates `agent_job_key` where the key is taken. */
export async function insertJob(tx: Sql, made: NewJob, republishAfterMs: number): Promise<string> {
  const row = await firstRow<{ id: string }>(
    tx,
    `insert into agent_job (space_id, user_id, agent_id, turn_id, form, idempotency_key, request_hash, request_id,
       webhook_url, timeout_ms, deadline, next_publish_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::int, clock_timestamp() + $10::int * interval '1 millisecond',
       clock_timestamp() + $11::float8 * interval '1 millisecond') returning id`,
    [
      made.spaceId,
      made.userId,
      made.agentId,
      made.turnRef,
      made.form,
      made.key,
      made.hash,
      made.requestId,
      made.webhookUrl,
      made.timeoutMs,
      republishAfterMs,
    ],
  );
  if (row === null) throw new Error('A job was not stored');
  return row.id;
}

/** Keeps what was told, so that nobody is told less later. */
export async function keepProgress(sql: Sql, told: { id: string; progress: number }[]): Promise<void> {
  if (told.length === 0) return;
  await rows(
    sql,
    `update agent_job j set progress = told.progress
     from unnest($1::uuid[], $2::int[]) as told(id, progress) where j.id = told.id and j.progress < told.progress`,
    [told.map(({ id }) => id), told.map(({ progress }) => progress)],
  );
}

/** Keeps how the job stood when its owner was answered: what is news to the next one who waits. */
export async function keepTold(sql: Sql, id: string, told: string): Promise<void> {
  await rows(sql, 'update agent_job set told = $2 where id = $1 and told is distinct from $2', [id, told]);
}

/** Notes that the user wants it stopped; false where it has ended, or its time was over first. */
export async function requestCancel(sql: Sql, id: string): Promise<boolean> {
  const row = await firstRow(
    sql,
    `update agent_job j set cancel_requested = true, next_publish_at = clock_timestamp() from turn t
     where j.id = $1 and t.id = j.turn_id and not j.timed_out and ${STATUS} in ${UNFINISHED} returning j.id`,
    [id],
  );
  return row !== null;
}
