import type { PageQuery } from './page.ts';

export const KNOWLEDGE_STATUSES = ['PROCESSING', 'READY', 'FAILED'] as const;

/** Only READY documents are searched. */
export type KnowledgeStatus = (typeof KNOWLEDGE_STATUSES)[number];

/** The types of documents whose text can be read. */
export const KNOWLEDGE_MEDIA_TYPES = [
  'text/plain',
  'text/markdown',
  'text/html',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/epub+zip',
  'application/rtf',
] as const;
export type KnowledgeMediaType = (typeof KNOWLEDGE_MEDIA_TYPES)[number];

/** The encodings that are recognized in texts that are not UTF-8. */
export const KNOWLEDGE_ENCODINGS = ['gb18030', 'big5', 'shift_jis', 'windows-1252'] as const;
export type KnowledgeEncoding = (typeof KNOWLEDGE_ENCODINGS)[number];

export type KnowledgeDocumentQuery = PageQuery;

/** One page, or all pages that a sitemap lists. */
export const KNOWLEDGE_SOURCE_KINDS = ['url', 'sitemap'] as const;
export type KnowledgeSourceKind = (typeof KNOWLEDGE_SOURCE_KINDS)[number];

/** WAITING: no fetch has begun. READY: the last fetch was complete. FAILED: it was not, and `error` says why. */
export const KNOWLEDGE_SOURCE_STATUSES = ['WAITING', 'FETCHING', 'READY', 'FAILED'] as const;
export type KnowledgeSourceStatus = (typeof KNOWLEDGE_SOURCE_STATUSES)[number];

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
export const EMBEDDING_STATUSES = ['BUILDING', 'READY'] as const;
export type EmbeddingStatus = (typeof EMBEDDING_STATUSES)[number];

/** What a search used: the words of the passages, their meaning, and a model that ranks them again. */
export const SEARCH_LAYERS = ['words', 'meaning', 'rerank'] as const;
export type SearchLayer = (typeof SEARCH_LAYERS)[number];
