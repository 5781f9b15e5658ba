import type { PageQuery } from './page.ts';

export const KNOWLEDGE_STATUSES = ['PROCESSING', 'READY', 'FAILED'] as const;

/** Only READY documents are searched. */
export type KnowledgeStatus = (typeof KNOWLEDGE_STATUSES)[number];

/** The types of documents whose text can be read. */
export const KNOWLEDGE_MEDIA_TYPES = ['text/plain', 'text/markdown', 'text/html', 'application/pdf'] as const;
export type KnowledgeMediaType = (typeof KNOWLEDGE_MEDIA_TYPES)[number];
export type KnowledgeDocumentQuery = PageQuery;
