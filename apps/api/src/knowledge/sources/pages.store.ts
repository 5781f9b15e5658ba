import type { KnowledgePageStatus, KnowledgeStatus } from '@platform/contracts';
import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import type { ClaimedSource } from './sources.store.ts';

/** A page as people see it, with its newest document. */
export interface PageRow {
  id: string;
  url: string;
  isSitemap: boolean;
  status: KnowledgePageStatus;
  reason: string | null;
  documentId: string | null;
  documentStatus: KnowledgeStatus | null;
  documentError: string | null;
  /** The document that is found until the newest one has been read. */
  replacesId: string | null;
  fetchedAt: Date | null;
}

const FAILED = `document.status = 'FAILED' and page.status <> 'WAITING'`;

/** In the order in which they were listed first. */
export function listPages(
  sql: Sql,
  sourceId: string,
  {
    status = null,
    after,
    limit,
  }: { status?: KnowledgePageStatus | null; after: string | null; limit: number },
): Promise<PageRow[]> {
  return rows(
    sql,
    `select page.id, page.url, page.depth is not null as is_sitemap, page.reason, page.fetched_at,
       case when ${FAILED} then 'FAILED' else page.status end as status,
       document.id as document_id, document.status as document_status, document.error as document_error,
       document.replaces_id
     from knowledge_web_page page
     left join knowledge_document document on document.id = page.document_id and document.deleted_at is null
     where page.source_id = $1 and ($2::uuid is null or page.id > $2)
       and ($3::text is null or $3 = case when ${FAILED} then 'FAILED' else page.status end)
     order by page.id limit $4`,
    [sourceId, after, status, limit],
  );
}

/** A page or a sitemap that the current fetch has to request. */
export interface WaitingPage {
  id: string;
  url: string;
  depth: number | null;
  tries: number;
  hash: Buffer | null;
  etag: string | null;
  lastModified: string | null;
  /** Of its newest document. Null if it has none. */
  documentId: string | null;
  documentStatus: KnowledgeStatus | null;
  replacesId: string | null;
  /** Whether a person has deleted its document. */
  isDocumentDeleted: boolean;
}

/** Sitemaps come first. Counts the try, so that a page that ends processes does not do so forever. */
export function takePage(sql: Sql, sourceId: string): Promise<WaitingPage | null> {
  return firstRow(
    sql,
    `with next as (
       update knowledge_web_page set tries = tries + 1
       where id = (select id from knowledge_web_page where source_id = $1 and status = 'WAITING'
         order by depth nulls last, id limit 1)
       returning *
     )
     select next.id, next.url, next.depth, next.tries, next.hash, next.etag, next.last_modified,
       document.id as document_id, document.status as document_status, document.replaces_id,
       next.document_id is not null and document.deleted_at is not null as is_document_deleted
     from next left join knowledge_document document on document.id = next.document_id`,
    [sourceId],
  );
}

/** How many documents of a source wait until their text is read. */
export async function countUnread(sql: Sql, sourceId: string): Promise<number> {
  const { count } = await exactlyOne<{ count: number }>(
    sql,
    `select count(*)::int as count from knowledge_web_page page
     join knowledge_document document on document.id = page.document_id and document.status = 'PROCESSING'
       and document.deleted_at is null
     where page.source_id = $1`,
    [sourceId],
  );
  return count;
}

/**
 * Lists addresses for the current fetch; `depth`: of sitemaps. Known ones stay; of the others, as many are added as there is room for:
 * pages that have left the sitemaps take none, unless failures keep many of them.
 * Returns how many were not.
 */
export async function listAddresses(
  tx: Sql,
  { id, fetches }: Pick<ClaimedSource, 'id' | 'fetches'>,
  urls: readonly string[],
  depth: number | null,
  most: number,
): Promise<number> {
  await rows(
    tx,
    `update knowledge_web_page set status = 'WAITING', reason = null, tries = 0, listed_in = $2
     where source_id = $1 and url = any($3::text[]) and listed_in < $2`,
    [id, fetches, urls],
  );
  const { added, missing } = await exactlyOne<{ added: number; missing: number }>(
    tx,
    `with missing as materialized (
       select url, n from unnest($3::text[]) with ordinality as listed (url, n)
       where not exists (select from knowledge_web_page page where page.source_id = $1 and page.url = listed.url)
     ), added as (
       insert into knowledge_web_page (source_id, url, depth, listed_in)
       select $1, url, $4, $2 from missing order by n
       limit (select greatest(0, least($5 - count(*) filter (where listed_in = $2), 2 * $5 - count(*))) from knowledge_web_page
         where source_id = $1 and (depth is null) = ($4::int is null) and (status <> 'SKIPPED' or tries > 0))
       returning id
     )
     select (select count(*) from added)::int as added, (select count(*) from missing)::int as missing`,
    [id, fetches, urls, depth, most],
  );
  return missing - added;
}

/** Lists addresses that are no pages of the source, with the reason. Returns how many were not listed. */
export async function listSkipped(
  tx: Sql,
  { id, fetches }: Pick<ClaimedSource, 'id' | 'fetches'>,
  leftOut: readonly { url: string; reason: string }[],
  most: number,
): Promise<number> {
  const listed = await rows(
    tx,
    `insert into knowledge_web_page (source_id, url, listed_in, status, reason, fetched_at)
     select distinct on (url) $1::uuid, url, $2::int, 'SKIPPED', reason, clock_timestamp()
     from json_to_recordset($3::json) as left_out (url text, reason text)
     where (select count(*) from knowledge_web_page where source_id = $1 and status = 'SKIPPED' and tries = 0) < $4
     on conflict (source_id, url) do update set listed_in = excluded.listed_in
     returning id`,
    [id, fetches, JSON.stringify(leftOut), most],
  );
  return leftOut.length - listed.length;
}

/** What is stored of a request. */
export interface PageChange {
  status: KnowledgePageStatus;
  reason?: string | null;
  misses?: number;
  documentId?: string | null;
  hash?: Buffer | null;
  etag?: string | null;
  lastModified?: string | null;
}

/** Fields that are absent stay. */
export async function updatePage(tx: Sql, id: string, change: PageChange): Promise<void> {
  const { status, reason = null, misses = 0 } = change;
  const hasContent = change.hash !== undefined;
  const { documentId = null, hash = null, etag = null, lastModified = null } = change;
  await rows(
    tx,
    `update knowledge_web_page set status = $2, reason = $3, misses = $4, fetched_at = clock_timestamp(),
       document_id = case when $5 then $6::uuid else document_id end, hash = case when $5 then $7::bytea else hash end,
       etag = case when $5 then $8 else etag end, last_modified = case when $5 then $9 else last_modified end
     where id = $1`,
    [id, status, reason, misses, hasContent, documentId, hash, etag, lastModified],
  );
}

/** Gives a page its try back, because the process stops. */
export async function untryPage(sql: Sql, id: string): Promise<void> {
  await rows(sql, `update knowledge_web_page set tries = greatest(0, tries - 1) where id = $1`, [id]);
}

/** How often in a row the page did not exist, this time included. */
export async function missPage(tx: Sql, id: string): Promise<number> {
  const { misses } = await exactlyOne<{ misses: number }>(
    tx,
    'update knowledge_web_page set misses = misses + 1 where id = $1 returning misses',
    [id],
  );
  return misses;
}

/** Ends everything that waits. */
export async function endWaiting(
  tx: Sql,
  sourceId: string,
  status: 'FAILED' | 'SKIPPED',
  reason: string,
): Promise<void> {
  await rows(
    tx,
    `update knowledge_web_page set status = $2, reason = $3, tries = greatest(tries, 1)
     where source_id = $1 and status = 'WAITING'`,
    [sourceId, status, reason],
  );
}

/** A sitemap that the current fetch could not read. */
export function findFailedSitemap(
  sql: Sql,
  { id, fetches }: Pick<ClaimedSource, 'id' | 'fetches'>,
): Promise<{ url: string; reason: string } | null> {
  return firstRow(
    sql,
    `select url, reason from knowledge_web_page
     where source_id = $1 and listed_in = $2 and depth is not null and status in ('FAILED', 'SKIPPED')
     order by depth, id limit 1`,
    [id, fetches],
  );
}

/** Removes some pages that the current fetch has not listed. Returns their documents. */
export function removeUnlisted(
  tx: Sql,
  { id, fetches }: Pick<ClaimedSource, 'id' | 'fetches'>,
  limit: number,
): Promise<{ documentId: string | null; replacesId: string | null }[]> {
  return removePages(tx, id, 'listed_in < $3', limit, fetches);
}

/** Removes some pages of a source. Returns their documents. */
export function removeSomePages(
  tx: Sql,
  sourceId: string,
  limit: number,
): Promise<{ documentId: string | null; replacesId: string | null }[]> {
  return removePages(tx, sourceId, '$3::int is null', limit, null);
}

function removePages(
  tx: Sql,
  sourceId: string,
  condition: string,
  limit: number,
  parameter: number | null,
): Promise<{ documentId: string | null; replacesId: string | null }[]> {
  return rows(
    tx,
    `with removed as (
       delete from knowledge_web_page where id in (
         select id from knowledge_web_page where source_id = $1 and ${condition} limit $2)
       returning document_id
     )
     select removed.document_id, document.replaces_id
     from removed left join knowledge_document document on document.id = removed.document_id
       and document.deleted_at is null`,
    [sourceId, limit, parameter],
  );
}
