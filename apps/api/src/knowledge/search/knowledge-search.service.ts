import { Injectable } from '@nestjs/common';
import type { EvidenceDocument, SearchLayer } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { loadSearchSettings, type SearchSettings } from '../meaning/embeddings.store.ts';
import { MeaningSearchService, type Near } from '../meaning/meaning-search.service.ts';
import type { KnowledgePayer } from '../meaning/model-calls.service.ts';
import { loadTexts } from '../meaning/vectors.store.ts';
import { fuse } from './fusion.ts';
import { searchWords } from './words-search.ts';

/** A passage that a search found. */
interface Passage {
  /** The id of its document, which can have several. */
  id: string;
  title: string;
  /** The headings above it, or its page. */
  heading: string;
  text: string;
  /** 0 to 1. */
  score: number;
}

/** What a search found, best first. */
export interface Passages {
  passages: Passage[];
  /** Nothing matches the query: these are the closest passages. */
  isClosest: boolean;
  /** What led to the result. */
  layers: SearchLayer[];
  /** Why a layer that the space has chosen was left out, without a period. */
  notices: string[];
}

interface Ranked extends Omit<Passages, 'passages'> {
  candidates: Candidate[];
}

/** A passage of the index. */
interface Candidate extends Near {
  title: string;
  heading: string;
  text: string;
  score: number;
}

type FoundPassage = EvidenceDocument & { source: 'knowledge' };

interface Answer extends Pick<Passages, 'layers' | 'notices'> {
  query: string;
  documents: FoundPassage[];
  retrievalMs: number;
  closest?: true;
}

/** How many passages of each ranking are merged; at least twice as many as are returned. */
const MIN_MERGED = 20;
/** How many passages a model ranks again. */
const MAX_RERANKED = 40;

const keyOf = ({ documentId, n }: Near) => `${documentId} ${n}`;

/** Finds passages of the documents of a space. */
@Injectable()
export class KnowledgeSearchService {
  constructor(
    private readonly database: Database,
    private readonly meaning: MeaningSearchService,
  ) {}

  /** Searches for a person. */
  async answer(payer: KnowledgePayer, query: string, limit: number): Promise<Answer> {
    const begun = performance.now();
    const { passages, isClosest, layers, notices } = await this.search(payer, query, limit);
    const documents = passages.map(({ id, title, text, score }) => ({
      id,
      title,
      snippet: text,
      score,
      source: 'knowledge' as const,
    }));
    const retrievalMs = Math.round(performance.now() - begun);
    return { query, documents, layers, notices, retrievalMs, ...(isClosest && { closest: true as const }) };
  }

  /** The `limit` best passages, best first; none if the query is blank. */
  async search(payer: KnowledgePayer, query: string, limit: number): Promise<Passages> {
    const settings = await loadSearchSettings(this.database, payer.spaceId);
    const merged = await this.merge(payer, settings, query, Math.max(MIN_MERGED, 2 * limit));
    const { candidates, ...found } = await this.rerank(payer, settings, query, merged);
    const passages = candidates.slice(0, limit).map(({ documentId, title, heading, text, score }) => ({
      id: documentId,
      title,
      heading,
      text,
      score,
    }));
    return { passages, ...found };
  }

  /** What the words and the meaning find. Without a model, the words alone. */
  private async merge(
    payer: KnowledgePayer,
    { serving }: SearchSettings,
    query: string,
    most: number,
  ): Promise<Ranked> {
    const { spaceId } = payer;
    const [words, meaning] = await Promise.all([
      searchWords(this.database, spaceId, query, most),
      serving && query.trim() !== '' ? this.meaning.near(payer, serving, query, most) : null,
    ]);
    if (meaning === null || meaning.result === null)
      return {
        candidates: words.chunks,
        isClosest: words.isClosest,
        layers: ['words'],
        notices: meaning === null ? [] : [meaning.notice],
      };
    const matching = words.isClosest ? [] : words.chunks;
    const fused = fuse<Near>([matching, meaning.result], keyOf).slice(0, most);
    const texts = new Map<string, Omit<Candidate, 'score'>>(matching.map((chunk) => [keyOf(chunk), chunk]));
    const missing = fused.map(({ item }) => item).filter((item) => !texts.has(keyOf(item)));
    for (const text of await loadTexts(this.database, spaceId, missing)) texts.set(keyOf(text), text);
    const candidates = fused.flatMap(({ item, score }) => {
      const text = texts.get(keyOf(item));
      return text === undefined ? [] : [{ ...text, score }];
    });
    const layers = matching.length === 0 ? (['meaning'] as const) : (['words', 'meaning'] as const);
    return { candidates, isClosest: false, layers: [...layers], notices: [] };
  }

  private async rerank(
    payer: KnowledgePayer,
    { rerankModel }: SearchSettings,
    query: string,
    merged: Ranked,
  ): Promise<Ranked> {
    const { candidates, layers, notices } = merged;
    if (rerankModel === null || candidates.length === 0) return merged;
    const best = candidates.slice(0, MAX_RERANKED);
    const texts = best.map(({ title, heading, text }) => `${title}\n${heading}\n${text}`);
    const { result, notice } = await this.meaning.rerank(payer, rerankModel, query, texts);
    if (result === null) return { ...merged, notices: [...notices, notice] };
    const ranked = result.flatMap(({ position, score }) => {
      const candidate = best[position];
      return candidate === undefined ? [] : [{ ...candidate, score: score === null ? 0 : shareOf(score) }];
    });
    // The model was not asked about them, so their scores say nothing beside its own.
    for (const candidate of candidates.slice(MAX_RERANKED)) ranked.push({ ...candidate, score: 0 });
    return { ...merged, candidates: ranked, layers: [...layers, 'rerank'] };
  }
}

/** The scores of some models are logits. */
function shareOf(score: number): number {
  const share = score >= 0 && score <= 1 ? score : 1 / (1 + Math.exp(-score));
  return Math.round(share * 1_000) / 1_000;
}
