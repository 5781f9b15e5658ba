import { affected, rows, type Sql } from '../../infra/database/rows.ts';

/** Documents that are looked at for one batch. */
const BATCH_DOCUMENTS = 64;
/** Rows that one statement removes. */
const REMOVED_ROWS = 5_000;
/** The passages whose vectors are compared after their codes. */
const NEAR_PASSAGES = 200;

export interface WaitingPassage {
  documentId: string;
  n: number;
  title: string;
  heading: string;
  text: string;
}

/** The next passages without a vector. */
export function listWaiting(sql: Sql, embeddingId: string, limit: number): Promise<WaitingPassage[]> {
  return rows(
    sql,
    `select work.document_id, chunk.n, document.title, chunk.heading, chunk.text
     from (
       select document_id, done_n from knowledge_embedding_work where embedding_id = $1
       order by document_id limit ${BATCH_DOCUMENTS}
     ) work
     join knowledge_document document on document.id = work.document_id and document.deleted_at is null
     cross join lateral (
       select n, heading, text from knowledge_chunk
       where document_id = work.document_id and n > work.done_n order by n limit $2
     ) chunk
     order by work.document_id, chunk.n limit $2`,
    [embeddingId, limit],
  );
}

/** A vector for a passage; null for one that the model refused. */
export interface NewVector {
  documentId: string;
  n: number;
  code: string | null;
  bytes: Buffer | null;
}

/** Stores vectors of passages that still exist: a deletion waits, or has been before. */
export async function insertVectors(
  tx: Sql,
  embeddingId: string,
  vectors: readonly NewVector[],
): Promise<void> {
  const made = vectors.filter(({ code }) => code !== null);
  await rows(
    tx,
    `with given as (
       select * from unnest($2::uuid[], $3::int[], $4::text[], $5::bytea[]) as given (document_id, n, code, vector)
     ), kept as materialized (
       select given.* from given join knowledge_chunk chunk using (document_id, n) for key share of chunk
     ), codes as (
       insert into knowledge_code (embedding_id, document_id, n, code)
       select $1, document_id, n, code::varbit from kept
       on conflict (embedding_id, document_id, n) do update set code = excluded.code
     )
     insert into knowledge_vector (embedding_id, document_id, n, vector)
     select $1, document_id, n, vector from kept
     on conflict (embedding_id, document_id, n) do update set vector = excluded.vector`,
    [
      embeddingId,
      made.map(({ documentId }) => documentId),
      made.map(({ n }) => n),
      made.map(({ code }) => code),
      made.map(({ bytes }) => bytes),
    ],
  );
}

/** Notes which passages have their vectors. */
export async function advanceWork(
  tx: Sql,
  embeddingId: string,
  passages: readonly { documentId: string; n: number }[],
): Promise<void> {
  await rows(
    tx,
    `update knowledge_embedding_work work set done_n = greatest(work.done_n, done.n)
     from (
       select document_id, max(n) as n from unnest($2::uuid[], $3::int[]) as done (document_id, n)
       group by document_id
     ) done
     where work.embedding_id = $1 and work.document_id = done.document_id`,
    [embeddingId, passages.map(({ documentId }) => documentId), passages.map(({ n }) => n)],
  );
}

/** Removes the first documents from the work of a version that have nothing left to do. Returns how many. */
export function endWork(tx: Sql, embeddingId: string): Promise<number> {
  return affected(
    tx,
    `delete from knowledge_embedding_work work
     where embedding_id = $1 and document_id in (
         select document_id from knowledge_embedding_work where embedding_id = $1
         order by document_id limit ${BATCH_DOCUMENTS}
       ) and not exists (
         select from knowledge_chunk chunk where chunk.document_id = work.document_id and chunk.n > work.done_n
       )`,
    [embeddingId],
  );
}

/** Deletes what the versions of a space have of a document, after its passages. */
export async function deleteVectors(tx: Sql, spaceId: string, documentId: string): Promise<void> {
  for (const table of ['knowledge_embedding_work', 'knowledge_code', 'knowledge_vector'])
    await rows(
      tx,
      `delete from ${table} where document_id = $2
         and embedding_id in (select id from knowledge_embedding where space_id = $1)`,
      [spaceId, documentId],
    );
}

/** Removes some rows of a retired version, in the end the version itself. False if there is nothing left. */
export async function removeSome(sql: Sql, embeddingId: string): Promise<boolean> {
  for (const table of ['knowledge_code', 'knowledge_vector', 'knowledge_embedding_work']) {
    const removed = await rows(
      sql,
      `delete from ${table} where embedding_id = $1
         and ctid = any(array(select ctid from ${table} where embedding_id = $1 limit ${REMOVED_ROWS}))
       returning 1`,
      [embeddingId],
    );
    if (removed.length > 0) return true;
  }
  await rows(sql, `delete from knowledge_embedding where id = $1 and status = 'RETIRED'`, [embeddingId]);
  return false;
}

export interface NearPassage {
  documentId: string;
  n: number;
  vector: Buffer;
}

/** The passages whose codes differ least from that of the query, in no order. Parameters: the version, the code. */
const SCAN_CODES = `
  with near as materialized (
    select document_id, n from knowledge_code where embedding_id = $1
    order by bit_count(code # $2::varbit) limit ${NEAR_PASSAGES}
  )
  select vector.document_id, vector.n, vector.vector
  from near join knowledge_vector vector using (document_id, n) where vector.embedding_id = $1`;

export function scanCodes(sql: Sql, embeddingId: string, code: string): Promise<NearPassage[]> {
  return rows(sql, SCAN_CODES, [embeddingId, code]);
}

export interface FoundText {
  documentId: string;
  n: number;
  title: string;
  heading: string;
  text: string;
}

/** The texts of passages of a space, in no order. */
export function loadTexts(
  sql: Sql,
  spaceId: string,
  passages: readonly { documentId: string; n: number }[],
): Promise<FoundText[]> {
  return rows(
    sql,
    `select chunk.document_id, chunk.n, document.title, chunk.heading, chunk.text
     from unnest($2::uuid[], $3::int[]) as near (document_id, n)
     join knowledge_chunk chunk using (document_id, n)
     join knowledge_document document on document.id = chunk.document_id
     where document.space_id = $1 and document.deleted_at is null`,
    [spaceId, passages.map(({ documentId }) => documentId), passages.map(({ n }) => n)],
  );
}

/** What the vectors of a space take. */
export async function sumVectors(sql: Sql, spaceId: string): Promise<{ count: number; bytes: number }> {
  const [sum] = await rows<{ count: number; bytes: number }>(
    sql,
    `select coalesce(sum(passages), 0)::int as count, coalesce(sum(passages * (dimensions + dimensions / 8)), 0)::float8 as bytes
     from (
       select e.dimensions, greatest(0,
         (select coalesce(sum(chunks), 0) from knowledge_document d where d.space_id = $1 and d.deleted_at is null)
         - (select coalesce(sum(d.chunks - w.done_n), 0) from knowledge_embedding_work w
            join knowledge_document d on d.id = w.document_id and d.deleted_at is null where w.embedding_id = e.id)
         - e.skipped) as passages
       from knowledge_embedding e
       where e.space_id = $1 and e.status in ('BUILDING', 'READY') and e.dimensions is not null
     ) version`,
    [spaceId],
  );
  return sum ?? { count: 0, bytes: 0 };
}
