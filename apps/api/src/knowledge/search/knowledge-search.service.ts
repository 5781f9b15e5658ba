import { Injectable } from '@nestjs/common';
import type { EvidenceDocument } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { queryTerms } from '../extraction/terms.ts';
import { searchChunks } from '../documents/knowledge-chunks.store.ts';
import { rankChunks } from './ranking.ts';
import { spaceTag } from '../documents/space-tag.ts';

/** A passage that a search found. */
export interface Passage {
  /** The id of its document, which can have several. */
  id: string;
  title: string;
  /** The headings above it, or its page. */
  heading: string;
  text: string;
  /** 0 to 1. */
  score: number;
}

type FoundPassage = EvidenceDocument & { source: 'knowledge' };

/** Each of them is a scan of the index. */
const MAX_TERMS = 48;
/** Chunks that are ranked by their text; at least twice as many as are returned. */
const MIN_CANDIDATES = 20;

/** Finds passages of the documents of a space. */
@Injectable()
export class KnowledgeSearchService {
  constructor(private readonly database: Database) {}

  /** Searches for a person. */
  async answer(
    spaceId: string,
    query: string,
    limit: number,
  ): Promise<{ query: string; documents: FoundPassage[]; retrievalMs: number }> {
    const begun = performance.now();
    const passages = await this.search(spaceId, query, limit);
    const documents = passages.map(({ id, title, text, score }) => ({
      id,
      title,
      snippet: text,
      score,
      source: 'knowledge' as const,
    }));
    return { query, documents, retrievalMs: Math.round(performance.now() - begun) };
  }

  /** The `limit` best passages, best first; none if the query has no words. */
  async search(spaceId: string, query: string, limit: number): Promise<Passage[]> {
    const terms = queryTerms(query, MAX_TERMS);
    if (terms.length === 0) return [];
    const tag = spaceTag(spaceId);
    // Terms consist of letters, digits, and marks only.
    const texts = terms.map(({ text, isPrefix }) => `'${tag}${text}'${isPrefix ? ':*' : ''}`);
    const { chunks, frequencies, total } = await searchChunks(
      this.database,
      spaceId,
      texts,
      Math.max(MIN_CANDIDATES, 2 * limit),
    );
    return rankChunks(chunks, terms, frequencies, total)
      .slice(0, limit)
      .map(({ documentId, title, heading, text, score }) => ({
        id: documentId,
        title,
        heading,
        text,
        score,
      }));
  }
}
