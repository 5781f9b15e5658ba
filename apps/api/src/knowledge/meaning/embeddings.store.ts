import type { EmbeddingStatus } from '@platform/contracts';
import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';

/** The first key of this module's advisory locks; the second is a hash of the space id. */
const GATE = 720_037;
/** Renewed with each batch. */
const LEASE = `interval '2 minutes'`;
const CLAIMABLE = `due_at <= statement_timestamp() and (lease_until is null or lease_until < statement_timestamp())`;
/** Versions of a space that workers are at work on: one that serves or was given up, and the next one. */
const MAX_OF_SPACE = 2;
const MAX_BACKOFF_SECONDS = 600;

/** Has rows if a version can be claimed. */
export const EMBEDDINGS_DUE = `select from knowledge_embedding where ${CLAIMABLE}`;

/** A version that serves or is being built, with its progress. */
export interface EmbeddingState {
  id: string;
  model: string;
  askedDimensions: number | null;
  dimensions: number | null;
  status: EmbeddingStatus;
  passages: number;
  embedded: number;
  skipped: number;
  error: string | null;
  retryAt: Date | null;
  createdBy: string;
  createdAt: Date;
  completedAt: Date | null;
}

/** The newest first: the one that is being built comes before the one that serves. */
export function listEmbeddings(sql: Sql, spaceId: string): Promise<EmbeddingState[]> {
  return rows(
    sql,
    `select e.id, e.model, e.asked_dimensions, e.dimensions, e.status, e.skipped, e.error, e.created_by, e.created_at,
       e.completed_at, case when e.error is not null then e.due_at end as retry_at, total.passages,
       greatest(0, total.passages - waiting.passages - e.skipped) as embedded
     from knowledge_embedding e
     cross join (
       select coalesce(sum(chunks), 0)::int as passages from knowledge_document
       where space_id = $1 and deleted_at is null
     ) total
     cross join lateral (
       select coalesce(sum(d.chunks - w.done_n), 0)::int as passages
       from knowledge_embedding_work w join knowledge_document d on d.id = w.document_id and d.deleted_at is null
       where w.embedding_id = e.id
     ) waiting
     where e.space_id = $1 and e.status in ('BUILDING', 'READY') order by e.created_at desc, e.id desc`,
    [spaceId],
  );
}

/** Until the transaction ends, no document of the space becomes READY, and no version ends. */
export async function lockEmbeddings(tx: Sql, spaceId: string): Promise<void> {
  await rows(tx, `select pg_advisory_xact_lock(${GATE}, hashtext($1))`, [spaceId]);
}

/** Retires versions of a space: their vectors serve no longer, and are removed. */
export async function retireEmbeddings(
  tx: Sql,
  spaceId: string,
  statuses: readonly EmbeddingStatus[],
): Promise<void> {
  await rows(
    tx,
    `update knowledge_embedding set status = 'RETIRED', due_at = clock_timestamp()
     where space_id = $1 and status = any($2)`,
    [spaceId, statuses],
  );
}

/** Begins a version, with all documents that have been read as its work. */
export async function insertEmbedding(
  tx: Sql,
  spaceId: string,
  version: { model: string; askedDimensions: number | null; createdBy: string },
): Promise<void> {
  await rows(
    tx,
    `with version as (
       insert into knowledge_embedding (space_id, model, asked_dimensions, created_by, due_at)
       values ($1, $2, $3, $4, clock_timestamp()) returning id
     )
     insert into knowledge_embedding_work (embedding_id, document_id)
     select version.id, d.id from version, knowledge_document d
     where d.space_id = $1 and d.status = 'READY' and d.deleted_at is null`,
    [spaceId, version.model, version.askedDimensions, version.createdBy],
  );
}

/**
 * Adds a document to the work of the versions of its space, also if its passages have changed. Part of the transaction that
 * makes it READY, and last in it, because it locks the versions.
 */
export async function queueDocument(
  tx: Sql,
  { id, spaceId }: { id: string; spaceId: string },
): Promise<void> {
  await rows(tx, `select pg_advisory_xact_lock_shared(${GATE}, hashtext($1))`, [spaceId]);
  await rows(
    tx,
    `with version as (
       update knowledge_embedding set queued = queued + 1, due_at = coalesce(due_at, clock_timestamp())
       where space_id = $1 and status in ('BUILDING', 'READY') returning id
     )
     insert into knowledge_embedding_work (embedding_id, document_id) select id, $2 from version
     on conflict (embedding_id, document_id) do update set done_n = 0`,
    [spaceId, id],
  );
}

/** A version that a worker works on. `attempt` is its fencing token. */
export interface ClaimedEmbedding {
  id: string;
  spaceId: string;
  model: string;
  askedDimensions: number | null;
  dimensions: number | null;
  /** What the server called the model when it made the first vectors; null: there are none. */
  upstreamModel: string | null;
  status: EmbeddingStatus | 'RETIRED';
  failures: number;
  createdBy: string;
  attempt: number;
}

export function claimEmbedding(sql: Sql): Promise<ClaimedEmbedding | null> {
  return firstRow(
    sql,
    `update knowledge_embedding set lease_until = clock_timestamp() + ${LEASE}, attempts = attempts + 1
     where id = (
       select id from knowledge_embedding due where ${CLAIMABLE} and (
         select count(*) from knowledge_embedding leased
         where leased.space_id = due.space_id and leased.lease_until >= statement_timestamp()
       ) < ${MAX_OF_SPACE}
       order by due_at limit 1 for update skip locked)
     returning id, space_id, model, asked_dimensions, dimensions, upstream_model, status, failures, created_by,
       attempts as attempt`,
  );
}

/**
 * Renews the lease after a success, and notes the dimensions. False if another worker has claimed the version, if it was
 * retired, or if its other vectors have other dimensions.
 */
export async function renewEmbedding(
  tx: Sql,
  { id, attempt }: ClaimedEmbedding,
  {
    dimensions,
    upstreamModel,
    skipped,
  }: { dimensions: number | null; upstreamModel: string; skipped: number },
): Promise<boolean> {
  const renewed = await rows(
    tx,
    `update knowledge_embedding set lease_until = clock_timestamp() + ${LEASE}, error = null, failures = 0,
       dimensions = coalesce(dimensions, $3), skipped = skipped + $4,
       upstream_model = coalesce(upstream_model, case when $3::int is not null then $5 end)
     where id = $1 and attempts = $2 and status <> 'RETIRED' and coalesce(dimensions, $3) is not distinct from coalesce($3, dimensions)
     returning id`,
    [id, attempt, dimensions, skipped, upstreamModel],
  );
  return renewed.length > 0;
}

/** Lets any worker go on at once. */
export async function releaseEmbedding(sql: Sql, { id, attempt }: ClaimedEmbedding): Promise<void> {
  await rows(
    sql,
    `update knowledge_embedding set lease_until = null, due_at = clock_timestamp() where id = $1 and attempts = $2`,
    [id, attempt],
  );
}

/** Stores why a call failed, and waits the longer, the more often it has failed. */
export async function delayEmbedding(
  sql: Sql,
  { id, attempt }: ClaimedEmbedding,
  error: string,
  leastSeconds: number,
): Promise<void> {
  await rows(
    sql,
    `update knowledge_embedding set lease_until = null, error = $3, failures = failures + 1,
       due_at = clock_timestamp()
         + least(${MAX_BACKOFF_SECONDS}, greatest($4, power(2, least(failures, 10)))) * interval '1 second'
     where id = $1 and attempts = $2`,
    [id, attempt, error, leastSeconds],
  );
}

/** How often work was added so far; read before looking for the last of it. */
export async function countQueued(sql: Sql, id: string): Promise<number> {
  const { queued } = await exactlyOne<{ queued: number }>(
    sql,
    'select queued from knowledge_embedding where id = $1',
    [id],
  );
  return queued;
}

/**
 * Ends the work on a version: one that was being built serves from now on, and the one before it is retired. False if work
 * was added in the meantime, or if another worker has claimed it.
 */
export async function finishEmbedding(
  tx: Sql,
  { id, spaceId, attempt }: ClaimedEmbedding,
  queued: number,
): Promise<boolean> {
  await lockEmbeddings(tx, spaceId);
  const own = await rows<{ status: string }>(
    tx,
    `select status from knowledge_embedding
     where id = $1 and attempts = $2 and queued = $3 and status <> 'RETIRED' for update`,
    [id, attempt, queued],
  );
  if (own.length === 0) return false;
  if (own[0]?.status === 'BUILDING') await retireEmbeddings(tx, spaceId, ['READY']);
  await rows(
    tx,
    `update knowledge_embedding set status = 'READY', lease_until = null, due_at = null,
       completed_at = coalesce(completed_at, clock_timestamp())
     where id = $1`,
    [id],
  );
  return true;
}

/** The version that serves the searches of a space. */
export interface ServingEmbedding {
  id: string;
  model: string;
  askedDimensions: number | null;
  dimensions: number;
  upstreamModel: string | null;
}

/** What a search of the space needs to know; one row, also if the space has decided nothing. */
export interface SearchSettings {
  rerankModel: string | null;
  rewritesQuestions: boolean;
  serving: ServingEmbedding | null;
}

export function loadSearchSettings(sql: Sql, spaceId: string): Promise<SearchSettings> {
  return exactlyOne(
    sql,
    `select s.rerank_model, coalesce(s.rewrites_questions, false) as rewrites_questions,
       case when e.id is not null then json_build_object('id', e.id, 'model', e.model, 'askedDimensions',
         e.asked_dimensions, 'dimensions', e.dimensions, 'upstreamModel', e.upstream_model) end as serving
     from (values ($1::uuid)) as asked (space_id)
     left join knowledge_settings s using (space_id)
     left join knowledge_embedding e
       on e.space_id = asked.space_id and e.status = 'READY' and e.dimensions is not null`,
    [spaceId],
  );
}
