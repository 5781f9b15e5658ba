import type { Sql } from '../../infra/database/rows.ts';
import { searchChunks } from '../documents/knowledge-chunks.store.ts';
import { spaceTag } from '../documents/space-tag.ts';
import { loosened, queryTerms, withEdits, type QueryTerm } from '../extraction/terms.ts';
import { rankChunks, type RankedChunk } from './ranking.ts';

/** What the search of words found. */
export interface WordsFound {
  /** Best first: the position is the rank. */
  chunks: RankedChunk[];
  /** No passage contains a word of the query: these are the closest. */
  isClosest: boolean;
}

/** Each of them is a scan of the index. */
const MAX_TERMS = 48;
/** Terms that nothing contains: each is looked up with about a thousand edits. */
const MAX_EDITED = 4;
const MAX_LOOSENED = 12;
/** Chunks that are ranked by their text; at least twice as many as are returned. */
const MIN_CANDIDATES = 40;

/** The `limit` passages of a space that match the words of a query best; none if the query has no words. */
export async function searchWords(
  sql: Sql,
  spaceId: string,
  query: string,
  limit: number,
): Promise<WordsFound> {
  const terms = queryTerms(query, MAX_TERMS);
  if (terms.length === 0) return { chunks: [], isClosest: false };
  const exact = await searchTerms(sql, spaceId, terms, limit);
  const edited = withTypos(terms, exact.frequencies);
  const { chunks } = edited === null ? exact : await searchTerms(sql, spaceId, edited, limit);
  if (chunks.length > 0) return { chunks, isClosest: false };
  const loose = loosened(terms, MAX_LOOSENED);
  if (loose.length === 0) return { chunks: [], isClosest: false };
  const closest = await searchTerms(sql, spaceId, loose, limit);
  return { chunks: closest.chunks, isClosest: closest.chunks.length > 0 };
}

async function searchTerms(
  sql: Sql,
  spaceId: string,
  terms: readonly QueryTerm[],
  limit: number,
): Promise<{ chunks: RankedChunk[]; frequencies: number[] }> {
  const tag = spaceTag(spaceId);
  // Terms consist of letters, digits, and marks only.
  const queries = terms.map(({ text, isPrefix, others }) =>
    [`'${tag}${text}'${isPrefix ? ':*' : ''}`, ...others.map((other) => `'${tag}${other}'`)].join('|'),
  );
  const weights = terms.map(({ weight }) => weight);
  const candidates = Math.max(MIN_CANDIDATES, 2 * limit);
  const { chunks, frequencies, total } = await searchChunks(sql, spaceId, queries, weights, candidates);
  const ranked = await rankChunks(chunks, terms, frequencies, total);
  return { chunks: ranked.slice(0, limit), frequencies };
}

/** The terms with the edits of those that nothing contains; null if there are none to edit. */
function withTypos(terms: readonly QueryTerm[], frequencies: readonly number[]): QueryTerm[] | null {
  let edited = 0;
  const changed = terms.map((term, i) => {
    const edits = frequencies[i] === 0 && edited < MAX_EDITED ? withEdits(term) : null;
    if (edits !== null) edited++;
    return edits ?? term;
  });
  return edited === 0 ? null : changed;
}
