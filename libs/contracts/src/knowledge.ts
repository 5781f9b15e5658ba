import type { PageQuery } from './page.ts';

export const KNOWLEDGE_STATUSES = ['PROCESSING', 'READY', 'FAILED'] as const;
/** Only READY documents are searched. */
export type KnowledgeStatus = (typeof KNOWLEDGE_STATUSES)[number];

/** The types of documents whose text can be read. */
export const KNOWLEDGE_MEDIA_TYPES = ['text/plain', 'text/markdown', 'text/html', 'application/pdf'] as const;
export type KnowledgeMediaType = (typeof KNOWLEDGE_MEDIA_TYPES)[number];

/** A document of the space that agents can search. Titles need not be unique. */
export interface KnowledgeDocument {
  id: string;
  spaceId: string;
  title: string;
  /** Null if the document was sent as text. */
  fileName: string | null;
  mediaType: KnowledgeMediaType;
  /** The size of what was sent. */
  bytes: number;
  status: KnowledgeStatus;
  /** Why the document is FAILED, as one sentence. */
  error: string | null;
  /** The number of passages that can be found; 0 unless READY. */
  chunks: number;
  createdBy: string;
  createdAt: string;
  /** When the status changed last. */
  updatedAt: string;
}

export interface KnowledgeDocumentDetail extends KnowledgeDocument {
  /** The beginning of the text as it was read, at most 2,000 characters. */
  excerpt: string;
}

/** The JSON form of an upload. Files are sent as `multipart/form-data` with the fields `file` and `title`. */
export interface CreateKnowledgeDocumentRequest {
  /** 1 to 200 characters. */
  title: string;
  /** Plain text or Markdown. */
  text: string;
}

export type KnowledgeDocumentQuery = PageQuery;

export interface KnowledgeSearchRequest {
  /** 1 to 1,000 characters. */
  query: string;
  /** 1 to 50, default 5. */
  topK?: number | null;
}
