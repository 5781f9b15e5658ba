import { rows, type Sql } from '../../infra/database/rows.ts';
import type { ClaimedDocument } from './knowledge-documents.store.ts';

/** The most chunks that are read for one term. More than that say little about where the answer is. */
export const COMMON_CHUNKS = 1_000;
const EXCERPT_CHUNKS = 3;

/** Stores chunks: JSON of `{ n, heading, text, terms }[]`, with the terms separated by spaces. */
export async function insertChunks(
  tx: Sql,
  { id, spaceId }: Pick<ClaimedDocument, 'id' | 'spaceId'>,
  json: string,
): Promise<void> {
  await rows(
    tx,
    `insert into knowledge_chunk (document_id, n, space_id, heading, text, terms)
     select $1, n, $2, heading, text, array_to_tsvector(string_to_array(terms, ' '))
     from json_to_recordset($3::json) as chunk (n int, heading text, text text, terms text)`,
    [id, spaceId, json],
  );
}

/** The text of the first chunks of a document. */
export async function firstChunks(sql: Sql, documentId: string): Promise<string[]> {
  const found = await rows<{ text: string }>(
    sql,
    'select text from knowledge_chunk where document_id = $1 order by n limit $2',
    [documentId, EXCERPT_CHUNKS],
  );
  return found.map(({ text }) => text);
}

/** The chunks of a document behind the `after`-th, in their order. */
export function listChunks(
  sql: Sql,
  documentId: string,
  after: number,
  limit: number,
): Promise<{ n: number; heading: string; text: string }[]> {
  return rows(
    sql,
    'select n, heading, text from knowledge_chunk where document_id = $1 and n > $2 order by n limit $3',
    [documentId, after, limit],
  );
}

/** Replaces the terms of chunks: JSON of `{ n, terms }[]`, with the terms separated by spaces. */
export async function updateTerms(sql: Sql, documentId: string, json: string): Promise<void> {
  await rows(
    sql,
    `update knowledge_chunk set terms = array_to_tsvector(string_to_array(changed.terms, ' '))
     from json_to_recordset($2::json) as changed (n int, terms text)
     where document_id = $1 and knowledge_chunk.n = changed.n`,
    [documentId, json],
  );
}

/** A chunk that contains terms of a query. */
export interface FoundChunk {
  documentId: string;
  n: number;
  title: string;
  heading: string;
  text: string;
}

export interface ChunkSearch {
  /** The chunks with the most telling terms, best first. */
  chunks: FoundChunk[];
  /** In how many chunks each term is, in their order, at most `COMMON_CHUNKS`. */
  frequencies: number[];
  /** The chunks of the space. */
  total: number;
}

/**
 * One scan of the index per term: a term counts the more, the fewer chunks it is in. Parameters: the space, the terms as
 * texts of tsquery, how many chunks are returned, and the weights of the terms.
 */
export const SEARCH_CHUNKS = `
  with hit as materialized (
    select term.n as term, term.weight, found.document_id, found.n
    from unnest($2::text[], $4::float8[]) with ordinality as term (query, weight, n)
    cross join lateral (
      select document_id, n from knowledge_chunk
      where terms @@ term.query::tsquery and space_id = $1 limit ${COMMON_CHUNKS}
    ) found
  ), total as materialized (
    select coalesce(sum(chunks), 0)::int as chunks from knowledge_document
    where space_id = $1 and deleted_at is null
  ), frequency as materialized (
    select term, count(*)::int as chunks,
      min(weight) * case when count(*) >= ${COMMON_CHUNKS} then 0.001::float8
        else ln(1 + greatest((select chunks from total) - count(*) + 0.5, 0.5)::float8 / (count(*) + 0.5)::float8) end as weight
    from hit group by term
  ), best as materialized (
    select hit.document_id, hit.n, sum(frequency.weight) as weight
    from hit join frequency using (term)
    group by hit.document_id, hit.n order by weight desc, hit.document_id desc, hit.n limit $3
  )
  select
    (select coalesce(json_agg(json_build_object('documentId', best.document_id, 'n', best.n, 'title', document.title,
       'heading', chunk.heading, 'text', chunk.text) order by best.weight desc, best.document_id desc, best.n), '[]')
     from best join knowledge_chunk chunk using (document_id, n)
       join knowledge_document document on document.id = best.document_id and document.deleted_at is null) as chunks,
    (select coalesce(json_agg(coalesce(frequency.chunks, 0) order by term.n), '[]')
     from unnest($2::text[]) with ordinality as term (query, n) left join frequency on frequency.term = term.n
    ) as frequencies,
    (select chunks from total) as total`;

export async function searchChunks(
  sql: Sql,
  spaceId: string,
  terms: string[],
  weights: number[],
  limit: number,
): Promise<ChunkSearch> {
  const [found] = await rows<ChunkSearch>(sql, SEARCH_CHUNKS, [spaceId, terms, limit, weights]);
  return found ?? { chunks: [], frequencies: [], total: 0 };
}
