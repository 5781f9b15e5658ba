import type { PageQuery } from './page.ts';

/** Only READY documents are searched. */
export type KnowledgeStatus = 'PROCESSING' | 'READY' | 'FAILED';

/** The types of documents whose text can be read. */
export type KnowledgeMediaType =
  | 'text/plain'
  | 'text/markdown'
  | 'text/html'
  | 'application/pdf'
  | 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  | 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
  | 'application/epub+zip'
  | 'application/rtf';

/** The encodings that are recognized in texts that are not UTF-8. */
export type KnowledgeEncoding = 'gb18030' | 'big5' | 'shift_jis' | 'windows-1252';

export type KnowledgeDocumentQuery = PageQuery;

/** One page, or all pages that a sitemap lists. */
export const KNOWLEDGE_SOURCE_KINDS = ['url', 'sitemap'] as const;
export type KnowledgeSourceKind = (typeof KNOWLEDGE_SOURCE_KINDS)[number];

/** WAITING: no fetch has begun. READY: the last fetch was complete. FAILED: it was not, and `error` says why. */
export type KnowledgeSourceStatus = 'WAITING' | 'FETCHING' | 'READY' | 'FAILED';

/** What came of a page in the last fetch. */
export const KNOWLEDGE_PAGE_STATUSES = ['WAITING', 'FETCHED', 'UNCHANGED', 'FAILED', 'SKIPPED'] as const;
export type KnowledgePageStatus = (typeof KNOWLEDGE_PAGE_STATUSES)[number];

export type KnowledgeSourceQuery = PageQuery;

export interface DeleteKnowledgeSourceQuery {
  /** What becomes of its documents. Default: delete. */
  documents?: 'delete' | 'keep' | undefined;
}

export interface KnowledgePageQuery extends PageQuery {
  status?: KnowledgePageStatus | undefined;
}

/** BUILDING: vectors are being made, and those of the model before still serve. READY: they serve. */
export type EmbeddingStatus = 'BUILDING' | 'READY';

/** What a search used: the words of the passages, their meaning, and a model that ranks them again. */
export const SEARCH_LAYERS = ['words', 'meaning', 'rerank'] as const;
export type SearchLayer = (typeof SEARCH_LAYERS)[number];
