import type { Sql } from '../../infra/database/rows.ts';
import {
  COMMON_CHUNKS,
  searchChunks,
  type ChunkSearch,
  type FoundChunk,
} from '../documents/knowledge-chunks.store.ts';
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

/** What was found, and by which terms. */
interface TermsFound extends ChunkSearch {
  terms: readonly QueryTerm[];
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
  const candidates = Math.max(MIN_CANDIDATES, 2 * limit);
  const find = (searched: readonly QueryTerm[]) => findTerms(sql, spaceId, searched, candidates);
  const found = await addTypos({ terms, ...(await find(terms)) }, find, candidates);
  const chunks = await rankBest(found, limit);
  if (chunks.length > 0) return { chunks, isClosest: false };
  const loose = loosened(terms, MAX_LOOSENED);
  if (loose.length === 0) return { chunks: [], isClosest: false };
  const closest = await rankBest({ terms: loose, ...(await find(loose)) }, limit);
  return { chunks: closest, isClosest: closest.length > 0 };
}

function findTerms(
  sql: Sql,
  spaceId: string,
  terms: readonly QueryTerm[],
  candidates: number,
): Promise<ChunkSearch> {
  const tag = spaceTag(spaceId);
  // Terms consist of letters, digits, and marks only.
  const queries = terms.map(({ text, isPrefix, others }) =>
    [`'${tag}${text}'${isPrefix ? ':*' : ''}`, ...others.map((other) => `'${tag}${other}'`)].join('|'),
  );
  const weights = terms.map(({ weight }) => weight);
  return searchChunks(sql, spaceId, queries, weights, candidates);
}

async function rankBest(
  { terms, chunks, frequencies, total }: TermsFound,
  limit: number,
): Promise<RankedChunk[]> {
  const ranked = await rankChunks(chunks, terms, frequencies, total);
  return ranked.slice(0, limit);
}

/**
 * Adds what is found by the edits of terms that nothing contains. Common terms are not looked up again: that takes longest, and
 * they only decide between passages that are equal otherwise.
 */
async function addTypos(
  found: TermsFound,
  find: (terms: readonly QueryTerm[]) => Promise<ChunkSearch>,
  candidates: number,
): Promise<TermsFound> {
  const terms = editMissing(found);
  if (terms === null) return found;
  const frequencies = [...found.frequencies];
  const rare = terms.flatMap((term, i) => ((frequencies[i] ?? 0) < COMMON_CHUNKS ? [{ term, i }] : []));
  const more = await find(rare.map(({ term }) => term));
  for (const [n, { i }] of rare.entries()) frequencies[i] = more.frequencies[n] ?? 0;
  const chunks = new Map<string, FoundChunk>();
  for (const chunk of [...more.chunks, ...found.chunks]) chunks.set(`${chunk.documentId} ${chunk.n}`, chunk);
  return { terms, chunks: [...chunks.values()].slice(0, candidates), frequencies, total: found.total };
}

/** The terms with the edits of those that nothing contains; null if there are none to edit. */
function editMissing({ terms, frequencies }: TermsFound): QueryTerm[] | null {
  let edited = 0;
  const changed = terms.map((term, i) => {
    const edits = frequencies[i] === 0 && edited < MAX_EDITED ? withEdits(term) : null;
    if (edits !== null) edited++;
    return edits ?? term;
  });
  return edited === 0 ? null : changed;
}
