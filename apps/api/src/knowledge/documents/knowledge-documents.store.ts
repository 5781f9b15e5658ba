import type { KnowledgeEncoding, KnowledgeMediaType } from '@platform/contracts';
import { IsNull, LessThan, Not, type EntityManager } from 'typeorm';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { insertRow, type ColumnValues } from '../../infra/database/entity-rows.ts';
import { exactlyOne, firstRow, rows, type Sql } from '../../infra/database/rows.ts';
import { MOST_FOUND } from '../../search/search.registry.ts';
import { TERMS_VERSION } from '../extraction/terms.ts';
import { deleteVectors } from '../meaning/vectors.store.ts';
import { KnowledgeDocumentEntity } from './knowledge-document.entity.ts';
import { KnowledgeSourceEntity } from './knowledge-source.entity.ts';

/** A space with more documents should have several spaces. */
export const MAX_DOCUMENTS = 10_000;
/** How long a worker may take for one document before another one begins again. */
const LEASE = `interval '2 minutes'`;
const UNREAD = `status = 'PROCESSING' and deleted_at is null`;
const CLAIMABLE = `${UNREAD} and (lease_until is null or lease_until < statement_timestamp())`;

/** Has rows if a document can be claimed. */
export const DOCUMENTS_WAITING = `select from knowledge_document where ${CLAIMABLE}`;

/** The documents of a space with ids below `before`, newest first. */
export function listDocuments(
  tx: EntityManager,
  spaceId: string,
  before: string | null,
  limit: number,
): Promise<KnowledgeDocumentEntity[]> {
  return tx.find(KnowledgeDocumentEntity, {
    where: {
      spaceId,
      deletedAt: IsNull(),
      replacesId: IsNull(),
      ...(before !== null && { id: LessThan(before) }),
    },
    order: { id: 'DESC' },
    take: limit,
  });
}

/** Finds documents by words or by id, in no order. */
export function findDocuments(
  sql: Sql,
  spaceId: string,
  { text = null, id = null }: { text?: string | null; id?: string | null },
): Promise<{ id: string; title: string; fileName: string | null }[]> {
  const texts = `title || ' ' || coalesce(file_name, '')`;
  const sought = id === null ? `search_terms(space_id, ${texts}) @@ search_query($1, $2)` : 'id = $2::uuid';
  return rows(
    sql,
    `select id, title, file_name from knowledge_document
     where space_id = $1 and deleted_at is null and replaces_id is null and ${sought} limit ${MOST_FOUND}`,
    [spaceId, id ?? text],
  );
}

/** Throws NOT_FOUND, or FORBIDDEN for a document of another space. */
export async function getDocument(
  tx: EntityManager,
  spaceId: string,
  id: string,
): Promise<KnowledgeDocumentEntity> {
  const label = `Document ${id}`;
  const where = { spaceId, id: requireUuid(id, label), deletedAt: IsNull() };
  const document = await tx.findOneBy(KnowledgeDocumentEntity, where);
  if (document !== null) return document;
  const foreign = { id, spaceId: Not(spaceId), deletedAt: IsNull() };
  throw await missingOrForeign(tx, KnowledgeDocumentEntity, foreign, label);
}

export async function countDocuments(sql: Sql, spaceId: string): Promise<number> {
  const { count } = await exactlyOne<{ count: number }>(
    sql,
    'select count(*)::int as count from knowledge_document where space_id = $1 and deleted_at is null',
    [spaceId],
  );
  return count;
}

/** Stores a document, and what its text is read from. */
export async function insertDocument(
  tx: EntityManager,
  values: ColumnValues<KnowledgeDocumentEntity>,
  { charset, data }: { charset: string | null; data: Uint8Array },
): Promise<KnowledgeDocumentEntity> {
  const document = await insertRow(tx, KnowledgeDocumentEntity, values);
  const { id: documentId, spaceId } = document;
  await tx.insert(KnowledgeSourceEntity, { documentId, spaceId, charset, data: Buffer.from(data) });
  return document;
}

/** Hides a document, and what is read to replace it, and removes the text of both. False if it was already deleted. */
export async function deleteDocument(tx: EntityManager, spaceId: string, id: string): Promise<boolean> {
  // First, like the worker that reads one of them.
  await rows(tx, 'select from knowledge_document where space_id = $1 and replaces_id = $2 for update', [
    spaceId,
    id,
  ]);
  const deleted = await rows<{ id: string }>(
    tx,
    `update knowledge_document set deleted_at = clock_timestamp()
     where space_id = $1 and (id = $2 or replaces_id = $2) and deleted_at is null returning id`,
    [spaceId, id],
  );
  for (const { id: documentId } of deleted) {
    // After the update, which waits for a worker that is storing chunks.
    await rows(tx, 'delete from knowledge_chunk where document_id = $1', [documentId]);
    // After the passages, which a worker that is storing vectors has locked.
    await deleteVectors(tx, spaceId, documentId);
    await tx.delete(KnowledgeSourceEntity, { documentId });
  }
  return deleted.some((document) => document.id === id);
}

/** Removes documents that a source has made, with their text and vectors. */
export async function removeDocuments(tx: Sql, spaceId: string, ids: readonly string[]): Promise<void> {
  // First, because it waits for a worker that is storing chunks.
  await rows(tx, 'delete from knowledge_document where space_id = $1 and id = any($2::uuid[])', [
    spaceId,
    ids,
  ]);
  // After the passages, which a worker that is storing vectors has locked.
  for (const id of ids) await deleteVectors(tx, spaceId, id);
}

/** A document that has been read takes the place of the one that it replaces. False if that was deleted meanwhile: so is this one. */
export async function replaceDocument(
  tx: EntityManager,
  { id, spaceId }: Pick<ClaimedDocument, 'id' | 'spaceId'>,
): Promise<boolean> {
  const document = await firstRow<{ replacesId: string }>(
    tx,
    'select replaces_id from knowledge_document where id = $1 and replaces_id is not null',
    [id],
  );
  if (document === null) return true;
  const { replacesId } = document;
  const replaced = await firstRow<{ isDeleted: boolean }>(
    tx,
    'select deleted_at is not null as is_deleted from knowledge_document where id = $1 for update',
    [replacesId],
  );
  if (replaced?.isDeleted === true) {
    await deleteDocument(tx, spaceId, id);
    return false;
  }
  await rows(tx, 'update knowledge_document set replaces_id = null where id = $1', [id]);
  await removeDocuments(tx, spaceId, [replacesId]);
  return true;
}

/** A document that a worker reads. `attempt` is its fencing token. */
export interface ClaimedDocument {
  id: string;
  spaceId: string;
  title: string;
  mediaType: KnowledgeMediaType;
  attempt: number;
}

/**
 * Claims a document that no worker reads at present: of the space with the fewest that are being read, and of its documents
 * one whose worker has died, otherwise the oldest. The spaces are found one by one, so that no claim reads every document.
 */
export const CLAIM_DOCUMENT = `with recursive waiting as (
       (select space_id from knowledge_document where ${UNREAD} order by space_id limit 1)
       union all
       select (select space_id from knowledge_document
         where ${UNREAD} and space_id > waiting.space_id order by space_id limit 1)
       from waiting where waiting.space_id is not null
     ), busy as materialized (
       select space_id, count(*) as documents from knowledge_document
       where ${UNREAD} and lease_until >= statement_timestamp() group by space_id
     ), candidate as materialized (
       select waiting.space_id from waiting left join busy on busy.space_id = waiting.space_id
       where waiting.space_id is not null order by coalesce(busy.documents, 0), random()
     ), chosen as materialized (
       select claimable.id from candidate
       cross join lateral (
         select id from knowledge_document where space_id = candidate.space_id and ${CLAIMABLE}
         order by lease_until nulls last, id limit 1 for update skip locked
       ) claimable limit 1
     )
     update knowledge_document set lease_until = clock_timestamp() + ${LEASE}, attempts = attempts + 1
     where id = any(array(select id from chosen))
     returning id, space_id, title, media_type, attempts as attempt`;

export function claimDocument(sql: Sql): Promise<ClaimedDocument | null> {
  return firstRow(sql, CLAIM_DOCUMENT);
}

/** False if the document was deleted, or claimed by another worker. */
export async function renewDocument(sql: Sql, { id, attempt }: ClaimedDocument): Promise<boolean> {
  const renewed = await rows(
    sql,
    `update knowledge_document set lease_until = clock_timestamp() + ${LEASE}
     where id = $1 and attempts = $2 and status = 'PROCESSING' and deleted_at is null returning id`,
    [id, attempt],
  );
  return renewed.length > 0;
}

/** Lets another worker begin at once. */
export async function releaseDocument(sql: Sql, { id, attempt }: ClaimedDocument): Promise<void> {
  await rows(
    sql,
    `update knowledge_document set lease_until = null, attempts = attempts - 1
     where id = $1 and attempts = $2 and status = 'PROCESSING'`,
    [id, attempt],
  );
}

export function getSource(
  sql: Sql,
  documentId: string,
): Promise<{ charset: string | null; data: Buffer } | null> {
  return firstRow(sql, 'select charset, data from knowledge_source where document_id = $1', [documentId]);
}

/** A document whose terms are those of an earlier version. */
export interface OldTerms {
  id: string;
  spaceId: string;
  title: string;
}

const HAS_OLD_TERMS = `status = 'READY' and deleted_at is null and terms_version < ${TERMS_VERSION}
         and (lease_until is null or lease_until < statement_timestamp())`;

/** Has rows if there are old terms that nobody replaces at present. */
export const OLD_TERMS_WAITING = `select from knowledge_document where ${HAS_OLD_TERMS}`;

/** The lease keeps workers apart. Were two at work on one document, they would store the same. */
export function claimOldTerms(sql: Sql): Promise<OldTerms | null> {
  return firstRow(
    sql,
    `update knowledge_document set lease_until = clock_timestamp() + ${LEASE}
     where id = (
       select id from knowledge_document
       where ${HAS_OLD_TERMS}
       order by terms_version, id limit 1 for update skip locked)
     returning id, space_id, title`,
  );
}

export async function finishTerms(sql: Sql, id: string, version: number): Promise<void> {
  await rows(
    sql,
    `update knowledge_document set terms_version = $2, lease_until = null where id = $1 and status = 'READY'`,
    [id, version],
  );
}

/** PROCESSING → READY or FAILED, without what it was read from. False if it was deleted, or claimed again. */
export async function finishDocument(
  tx: Sql,
  { id, attempt }: ClaimedDocument,
  {
    chunks,
    error,
    encoding = null,
  }: { chunks: number; error: string | null; encoding?: KnowledgeEncoding | null },
): Promise<boolean> {
  const finished = await rows(
    tx,
    `update knowledge_document set status = case when $4::text is null then 'READY' else 'FAILED' end, chunks = $3,
       error = $4, encoding = $5, terms_version = ${TERMS_VERSION}, lease_until = null, updated_at = clock_timestamp()
     where id = $1 and attempts = $2 and status = 'PROCESSING' and deleted_at is null returning id`,
    [id, attempt, chunks, error, encoding],
  );
  if (finished.length === 0) return false;
  await rows(tx, 'delete from knowledge_source where document_id = $1', [id]);
  return true;
}

/** How many documents a space has, and their bytes as they were uploaded. */
export function sumDocuments(sql: Sql, spaceId: string): Promise<{ count: number; bytes: number }> {
  return exactlyOne(
    sql,
    `select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes from knowledge_document
     where space_id = $1 and deleted_at is null`,
    [spaceId],
  );
}
