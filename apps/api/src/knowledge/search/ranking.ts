import { setImmediate } from 'node:timers/promises';
import { countTerms, type QueryTerm } from '../extraction/terms.ts';
import type { FoundChunk } from '../documents/knowledge-chunks.store.ts';

/** A chunk with how well it matches a query, 0 to 1. */
export interface RankedChunk extends FoundChunk {
  score: number;
}

/** Chunks that match much worse than the best one are left out. */
const MIN_SHARE = 0.25;
/** How fast further occurrences of a term stop to count. */
const SATURATION = 1.2;
/** Chunks that are read before requests are served again. Those in Chinese take the longest, half a millisecond. */
const CHUNKS_PER_TURN = 8;

/**
 * Ranks chunks by the terms that they contain, each weighted by how few chunks of the space contain it. A score of 1 would
 * mean that every term of the query occurs often.
 */
export async function rankChunks(
  chunks: readonly FoundChunk[],
  terms: readonly QueryTerm[],
  frequencies: readonly number[],
  total: number,
): Promise<RankedChunk[]> {
  const weights = terms.map(({ weight }, i) => weight * rarity(frequencies[i] ?? 0, total));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const others = terms.map((term) => new Set([term.text, ...term.others]));
  const ranked: RankedChunk[] = [];
  for (const [n, chunk] of chunks.entries()) {
    if (n % CHUNKS_PER_TURN === 0 && n > 0) await setImmediate();
    const counts = countTerms(`${chunk.title}\n${chunk.heading}\n${chunk.text}`);
    const score = terms.reduce((sum, term, i) => {
      const count = occurrences(counts, term, others[i] ?? new Set());
      return sum + ((weights[i] ?? 0) * count) / (count + SATURATION);
    }, 0);
    ranked.push({ ...chunk, score: whole === 0 ? 0 : round(score / whole) });
  }
  ranked.sort((a, b) => b.score - a.score);
  const best = ranked[0]?.score ?? 0;
  return ranked.filter(({ score }) => score > 0 && score >= best * MIN_SHARE);
}

/** The weight of a term that is in so many chunks. A term that is in none weighs as much as one that is in one. */
function rarity(frequency: number, total: number): number {
  const found = Math.min(Math.max(frequency, 1), Math.max(total, 1));
  return Math.log(1 + (total - found + 0.5) / (found + 0.5));
}

function occurrences(
  counts: ReadonlyMap<string, number>,
  { text, isPrefix, others }: QueryTerm,
  all: ReadonlySet<string>,
): number {
  const exact = counts.get(text);
  if (!isPrefix && (exact !== undefined || others.length === 0)) return exact ?? 0;
  let sum = 0;
  for (const [term, count] of counts) if ((isPrefix && term.startsWith(text)) || all.has(term)) sum += count;
  return sum;
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}
