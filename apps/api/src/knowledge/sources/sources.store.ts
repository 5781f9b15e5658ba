import type { KnowledgePageStatus } from '@platform/contracts';
import { IsNull, LessThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { insertRowIfAbsent, updateRow, type ColumnValues } from '../../infra/database/entity-rows.ts';
import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { RobotRules } from './robots.ts';
import { KnowledgeWebSourceEntity } from './knowledge-web-source.entity.ts';

/** Much longer than a request may take. */
const LEASE = `interval '2 minutes'`;
/** Requests of a space at the same time, in all processes: slow servers of one space keep no other one waiting. */
const MAX_OF_SPACE = 2;
const ROBOTS_AGE = `interval '1 day'`;

/** Has rows if a source has something to fetch, though its host may be busy. */
export const SOURCES_DUE = `select from knowledge_web_source where due_at <= statement_timestamp()`;

export function listSources(
  tx: EntityManager,
  spaceId: string,
  before: string | null,
  limit: number,
): Promise<KnowledgeWebSourceEntity[]> {
  return tx.find(KnowledgeWebSourceEntity, {
    where: { spaceId, deletedAt: IsNull(), ...(before !== null && { id: LessThan(before) }) },
    order: { id: 'DESC' },
    take: limit,
  });
}

/** Throws NOT_FOUND, or FORBIDDEN for a source of another space. */
export async function getWebSource(
  tx: EntityManager,
  spaceId: string,
  id: string,
): Promise<KnowledgeWebSourceEntity> {
  const label = `Source ${id}`;
  const where = { spaceId, id: requireUuid(id, label), deletedAt: IsNull() };
  const source = await tx.findOneBy(KnowledgeWebSourceEntity, where);
  if (source !== null) return source;
  const foreign = { id, spaceId: Not(spaceId), deletedAt: IsNull() };
  throw await missingOrForeign(tx, KnowledgeWebSourceEntity, foreign, label);
}

export async function countSources(sql: Sql, spaceId: string): Promise<number> {
  const { count } = await exactlyOne<{ count: number }>(
    sql,
    'select count(*)::int as count from knowledge_web_source where space_id = $1 and deleted_at is null',
    [spaceId],
  );
  return count;
}

/** Null if the space has a source of this address. */
export async function insertSource(
  tx: EntityManager,
  values: ColumnValues<KnowledgeWebSourceEntity> & { host: string },
): Promise<KnowledgeWebSourceEntity | null> {
  // The update locks the row, so that nobody removes it as unused.
  await rows(
    tx,
    'insert into knowledge_web_host (host) values ($1) on conflict (host) do update set host = excluded.host',
    [values.host],
  );
  return insertRowIfAbsent(tx, KnowledgeWebSourceEntity, values);
}

/** Changes when a source is fetched. One that was never fetched, or is being fetched, goes on at once. */
export async function updateSchedule(
  tx: EntityManager,
  id: string,
  { everyHours, enabled }: { everyHours: number | null; enabled: boolean },
): Promise<KnowledgeWebSourceEntity> {
  await rows(
    tx,
    `update knowledge_web_source set every_hours = $2, enabled = $3, updated_at = clock_timestamp(),
       due_at = case when not $3 then null
         when is_fetching or fetches = 0 then coalesce(due_at, clock_timestamp())
         when $2::int is not null then greatest(clock_timestamp(), started_at + $2 * interval '1 hour') end
     where id = $1 and deleted_at is null`,
    [id, everyHours, enabled],
  );
  return tx.findOneByOrFail(KnowledgeWebSourceEntity, { id });
}

/** Has an enabled source fetched now; one that is being fetched goes on. */
export function hastenSource(tx: EntityManager, id: string): Promise<KnowledgeWebSourceEntity> {
  return updateRow(tx, KnowledgeWebSourceEntity, { id }, { dueAt: () => 'least(due_at, clock_timestamp())' });
}

/** Hides a source. A worker removes its pages, and its documents if that is wanted. False if it was already deleted. */
export async function hideSource(tx: Sql, id: string, removesDocuments: boolean): Promise<boolean> {
  const hidden = await rows(
    tx,
    `update knowledge_web_source set deleted_at = clock_timestamp(), removes_documents = $2, due_at = clock_timestamp()
     where id = $1 and deleted_at is null returning id`,
    [id, removesDocuments],
  );
  return hidden.length > 0;
}

/** How many pages a source has of each status. Pages whose text could not be read have failed. */
export interface PageCount {
  sourceId: string;
  status: KnowledgePageStatus;
  pages: number;
  documents: number;
}

export function countPages(sql: Sql, sourceIds: readonly string[]): Promise<PageCount[]> {
  return rows(
    sql,
    `select page.source_id, case when document.status = 'FAILED' and page.status <> 'WAITING' then 'FAILED'
         else page.status end as status,
       count(*)::int as pages, count(document.id)::int as documents
     from knowledge_web_page page
     left join knowledge_document document on document.id = page.document_id and document.deleted_at is null
     where page.source_id = any($1::uuid[]) and page.depth is null group by 1, 2`,
    [sourceIds],
  );
}

/** A source with something to do. Its host receives no request of others; `claim` is the fencing token. */
export interface ClaimedSource {
  id: string;
  spaceId: string;
  kind: 'url' | 'sitemap';
  url: string;
  host: string;
  fetches: number;
  isFetching: boolean;
  failures: number;
  fetchedBytes: number;
  removesDocuments: boolean;
  isDeleted: boolean;
  createdBy: string;
  /** Null if they are unknown or old. */
  robots: RobotRules | null;
  claim: number;
}

/**
 * Claims a source: of the space whose last claim was the longest ago, whether that source has ended or not, and of its sources
 * the first that is due and whose host is free. The spaces are found one by one, so that no claim reads every source.
 */
export const CLAIM_SOURCE = `with recursive waiting as (
       (select space_id from knowledge_web_source where due_at is not null order by space_id limit 1)
       union all
       select (select source.space_id from knowledge_web_source source
         where source.due_at is not null and source.space_id > waiting.space_id order by source.space_id limit 1)
       from waiting where waiting.space_id is not null
     ), busy as materialized (
       select source.space_id from knowledge_web_host host join knowledge_web_source source on source.id = host.claimed_by
       where host.claimed_by is not null and host.free_at > statement_timestamp()
       group by source.space_id having count(*) >= ${MAX_OF_SPACE}
     ), candidate as materialized (
       select waiting.space_id from waiting
       left join lateral (
         select claimed_at from knowledge_web_source source
         where source.space_id = waiting.space_id and source.claimed_at is not null order by claimed_at desc limit 1
       ) served on true
       where waiting.space_id not in (select space_id from busy)
       order by served.claimed_at nulls first, waiting.space_id
     ), chosen as materialized (
       select due.id, due.host from candidate
       cross join lateral (
         select source.id, source.host from knowledge_web_source source
         join knowledge_web_host host on host.host = source.host
         where source.space_id = candidate.space_id and source.due_at <= statement_timestamp()
           and host.free_at <= statement_timestamp()
         order by source.due_at, source.id limit 1
         for update of source, host skip locked
       ) due
       limit 1
     ), claimed as (
       update knowledge_web_host host set claims = claims + 1, claimed_by = chosen.id, free_at = clock_timestamp() + ${LEASE}
       from chosen where host.host = chosen.host
       returning host.host, host.claims, host.robots, host.robots_at
     )
     update knowledge_web_source source set claimed_at = clock_timestamp() from chosen, claimed
     where source.id = chosen.id
     returning source.id, source.space_id, source.kind, source.url, source.host, source.fetches, source.is_fetching,
       source.failures, source.fetched_bytes::float8 as fetched_bytes, source.removes_documents,
       source.deleted_at is not null as is_deleted, source.created_by, claimed.claims as claim,
       case when claimed.robots_at > statement_timestamp() - ${ROBOTS_AGE} then claimed.robots end as robots`;

export function claimSource(sql: Sql): Promise<ClaimedSource | null> {
  return firstRow(sql, CLAIM_SOURCE);
}

/** Lets the next request to the host be sent after a pause. False if another worker has claimed it. */
export async function releaseHost(
  tx: Sql,
  { host, claim }: Pick<ClaimedSource, 'host' | 'claim'>,
  pauseMs: number,
): Promise<boolean> {
  const released = await rows(
    tx,
    `update knowledge_web_host set claimed_by = null, free_at = clock_timestamp() + $3 * interval '1 millisecond'
     where host = $1 and claims = $2 and claimed_by is not null returning host`,
    [host, claim, pauseMs],
  );
  return released.length > 0;
}

export async function updateRobots(tx: Sql, host: string, robots: RobotRules): Promise<void> {
  await rows(
    tx,
    'update knowledge_web_host set robots = $2::json, robots_at = clock_timestamp() where host = $1',
    [host, JSON.stringify(robots)],
  );
}

/** Begins a fetch; returns its number. */
export async function beginFetch(tx: Sql, id: string): Promise<number> {
  const { fetches } = await exactlyOne<{ fetches: number }>(
    tx,
    `update knowledge_web_source set is_fetching = true, fetches = fetches + 1, started_at = clock_timestamp(),
       fetched_bytes = 0, left_out = 0, failures = 0, error = null
     where id = $1 returning fetches`,
    [id],
  );
  return fetches;
}

/** Adds to what a fetch has done. False if the source was deleted. */
export async function noteProgress(
  tx: Sql,
  id: string,
  { bytes = 0, leftOut = 0, hasFailed = false }: { bytes?: number; leftOut?: number; hasFailed?: boolean },
): Promise<boolean> {
  const noted = await rows(
    tx,
    `update knowledge_web_source set fetched_bytes = fetched_bytes + $2, left_out = left_out + $3,
       failures = case when $4 then failures + 1 else 0 end
     where id = $1 and deleted_at is null and is_fetching returning id`,
    [id, bytes, leftOut, hasFailed],
  );
  return noted.length > 0;
}

/** Has a source wait, unless it was disabled in the meantime. */
export async function delaySource(tx: Sql, id: string, ms: number): Promise<void> {
  await rows(
    tx,
    `update knowledge_web_source set due_at = clock_timestamp() + $2 * interval '1 millisecond'
     where id = $1 and due_at is not null`,
    [id, ms],
  );
}

/** Ends a fetch; the next one begins by the schedule. */
export async function finishFetch(tx: Sql, id: string, error: string | null): Promise<void> {
  await rows(
    tx,
    `update knowledge_web_source set is_fetching = false, finished_at = clock_timestamp(), error = $2,
       due_at = case when enabled and every_hours is not null
         then greatest(clock_timestamp(), started_at + every_hours * interval '1 hour') end
     where id = $1 and deleted_at is null`,
    [id, error],
  );
}

/** Removes a deleted source whose pages are gone, and its host if that has no other one. */
export async function removeSource(tx: Sql, id: string): Promise<void> {
  await rows(tx, 'delete from knowledge_web_source where id = $1 and deleted_at is not null', [id]);
}

/** Removes a host that no source has any more. */
export async function removeHost(sql: Sql, host: string): Promise<void> {
  await rows(
    sql,
    `delete from knowledge_web_host where host = $1
       and not exists (select from knowledge_web_source source where source.host = $1)`,
    [host],
  );
}
