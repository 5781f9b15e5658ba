import type { JobStatus } from '@platform/contracts';
import { Any, IsNull, Not, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { notFound } from '../../infra/errors/app-error.ts';
import { JobEntity, type JobFailure } from './job.entity.ts';

export const UNFINISHED = `('QUEUED', 'RUNNING', 'INPUT_REQUIRED')`;

/** A user of a space. */
export interface Owner {
  spaceId: string;
  userId: string;
}

/** Returns the user's job; throws 403 if it is in another space, 404 if it belongs to another user. */
export async function getOwnJob(
  manager: EntityManager,
  { spaceId, userId }: Owner,
  id: string,
): Promise<JobEntity> {
  requireUuid(id, `Job ${id}`);
  const job = await manager.findOneBy(JobEntity, { spaceId, id });
  if (job === null) throw await missingOrForeign(manager, JobEntity, { id }, `Job ${id}`);
  if (job.userId !== userId) throw notFound(`Job ${id} does not exist`);
  return job;
}

export function listJobsByIds(manager: EntityManager, ids: readonly string[]): Promise<JobEntity[]> {
  return manager.findBy(JobEntity, { id: Any(ids) });
}

/** Returns the users of jobs, by the ids of the jobs. */
export async function findJobOwners(
  manager: EntityManager,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const jobs = await manager.find(JobEntity, { where: { id: Any(ids) }, select: { id: true, userId: true } });
  return new Map(jobs.map(({ id, userId }) => [id, userId]));
}

/** Returns those of the jobs that a worker still has to handle. */
export function listOpenJobs(manager: EntityManager, ids: readonly string[]): Promise<JobEntity[]> {
  return manager.findBy(JobEntity, { id: Any(ids), nextPublishAt: Not(IsNull()) });
}

export function findJobByKey(
  manager: EntityManager,
  { spaceId, userId }: Owner,
  idempotencyKey: string,
): Promise<JobEntity | null> {
  return manager.findOneBy(JobEntity, { spaceId, userId, idempotencyKey });
}

export function findJobByTurn(
  manager: EntityManager,
  spaceId: string,
  turnRef: string,
): Promise<JobEntity | null> {
  return manager.findOneBy(JobEntity, { spaceId, turnRef });
}

/** Lists the agents of the user's jobs: one index lookup per agent, however many jobs there are. */
export async function listAgentIds(sql: Sql, { spaceId, userId }: Owner): Promise<string[]> {
  const found = await rows<{ agentId: string }>(
    sql,
    `with recursive agents as (
       (select agent_id from agent_job where space_id = $1 and user_id = $2 order by agent_id limit 1)
       union all
       select (select agent_id from agent_job where space_id = $1 and user_id = $2 and agent_id > a.agent_id
               order by agent_id limit 1)
       from agents a where a.agent_id is not null
     ) select agent_id from agents where agent_id is not null`,
    [spaceId, userId],
  );
  return found.map(({ agentId }) => agentId);
}

export interface JobFilter {
  status: JobStatus | null;
  agentIds: readonly string[];
}

/** Builds the query of the user's jobs with these agents, newest first, below an id. */
export function queryJobs(
  manager: EntityManager,
  { spaceId, userId }: Owner,
  { status, agentIds }: JobFilter,
  below: string | null,
  limit: number,
): SelectQueryBuilder<JobEntity> {
  const query = manager
    .createQueryBuilder(JobEntity, 'j')
    .where('j.spaceId = :spaceId and j.userId = :userId', { spaceId, userId })
    .andWhere('j.agentId = any(:agentIds::uuid[])', { agentIds });
  if (status !== null) query.andWhere('j.status = :status', { status });
  if (below !== null) query.andWhere('j.id < :below', { below });
  return query.orderBy('j.id', 'DESC').limit(limit);
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

/** Stores the job of a queued turn. Violates `agent_job_key` if the key is taken. The queue finds the job without a hint. */
export async function insertJob(tx: Sql, job: NewJob): Promise<string> {
  const { id } = await exactlyOne<{ id: string }>(
    tx,
    `insert into agent_job (space_id, user_id, agent_id, turn_id, session_id, form, idempotency_key, request_hash,
       request_id, webhook_url, causation_run_id, timeout_ms, deadline, next_publish_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::int, d.at, d.at
     from (select clock_timestamp() + $12::int * interval '1 millisecond' as at) d returning id`,
    [
      job.spaceId,
      job.userId,
      job.agentId,
      job.turnRef,
      job.sessionRef,
      job.form,
      job.key,
      job.hash,
      job.requestId,
      job.webhookUrl,
      job.causationRunId,
      job.timeoutMs,
    ],
  );
  return id;
}

/** Requests the cancellation of a job. Returns false if it has ended or timed out. */
export async function requestCancel(sql: Sql, id: string): Promise<boolean> {
  const row = await firstRow(
    sql,
    `update agent_job set cancel_requested = true, changes = changes + 1, next_publish_at = clock_timestamp()
     where id = $1 and not timed_out and status in ${UNFINISHED} returning id`,
    [id],
  );
  return row !== null;
}

/** Ends a job whose turn was interrupted and is not claimed again. The job no longer follows its turn. */
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
