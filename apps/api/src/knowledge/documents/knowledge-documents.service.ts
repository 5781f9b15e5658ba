import { Injectable } from '@nestjs/common';
import type { KnowledgeDocument, KnowledgeDocumentDetail, Page } from '@platform/contracts';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, notFound } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import type { Archive } from './archive.ts';
import { firstChunks, listChunks } from './knowledge-chunks.store.ts';
import type { KnowledgeDocumentEntity } from './knowledge-document.entity.ts';
import {
  countDocuments,
  deleteDocument,
  getDocument,
  insertDocument,
  listDocuments,
  MAX_DOCUMENTS,
} from './knowledge-documents.store.ts';
import { KnowledgeWorker } from './knowledge.worker.ts';
import type { Upload } from './upload.ts';

const EXCERPT_CHARS = 2_000;
/** What one reading of a document returns at most; a single passage is never longer. */
const PART_CHARS = 32 * 1024;
const PART_CHUNKS = 64;

/** Manages the documents of spaces. */
@Injectable()
export class KnowledgeDocumentsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly worker: KnowledgeWorker,
  ) {}

  /** Newest first. */
  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<KnowledgeDocument>> {
    const filter = { knowledgeOf: spaceId };
    const before = this.cursors.idAfter(cursor, filter);
    const documents = await listDocuments(this.database.manager, spaceId, before, limit + 1);
    return this.cursors.page(documents, limit, filter, ({ id }) => [id], toDocument);
  }

  async get(spaceId: string, id: string): Promise<KnowledgeDocumentDetail> {
    const document = await getDocument(this.database.manager, spaceId, id);
    const text = (await firstChunks(this.database, id)).join('\n\n');
    return { ...toDocument(document), excerpt: text.slice(0, EXCERPT_CHARS).toWellFormed() };
  }

  /**
   * The text behind the passage `after` of a document, in parts: `next` is the passage behind which the next part begins, or
   * null at the end.
   */
  async readPart(spaceId: string, id: string, after: number): Promise<{ text: string; next: number | null }> {
    await getDocument(this.database.manager, spaceId, id);
    const chunks = await listChunks(this.database, id, after, PART_CHUNKS + 1);
    const kept: typeof chunks = [];
    let length = 0;
    for (const chunk of chunks.slice(0, PART_CHUNKS)) {
      length += chunk.text.length;
      if (kept.length > 0 && length > PART_CHARS) break;
      kept.push(chunk);
    }
    const next = kept.length < chunks.length ? (kept.at(-1)?.n ?? null) : null;
    return { text: kept.map(({ text }) => text).join('\n\n'), next };
  }

  /** Stores an upload. A worker reads its text. */
  async create({ by, requestId }: AuditedCall, upload: Upload): Promise<KnowledgeDocument> {
    const { spaceId, userId } = by;
    const { title, fileName, mediaType, data } = upload;
    const document = await this.database.transaction(async (tx) => {
      if ((await countDocuments(tx, spaceId)) >= MAX_DOCUMENTS)
        throw conflict(`The space has ${MAX_DOCUMENTS} documents, which is the most that it can have`);
      const values = { spaceId, title, fileName, mediaType, bytes: data.length, createdBy: userId };
      const stored = await insertDocument(tx, values, upload);
      const action = {
        action: 'knowledge.create' as const,
        targetType: 'knowledge_document',
        targetId: stored.id,
      };
      await recordAudit(tx, by, { ...action, details: { title, bytes: data.length }, requestId });
      return stored;
    });
    this.worker.wake();
    return toDocument(document);
  }

  /** Stores the documents of an archive, all or none. */
  async createAll(
    { by, requestId }: AuditedCall,
    { name, uploads, skipped }: Archive,
  ): Promise<{ documents: KnowledgeDocument[]; skipped: Archive['skipped'] }> {
    const { spaceId, userId } = by;
    const stored = await this.database.transaction(async (tx) => {
      if ((await countDocuments(tx, spaceId)) + uploads.length > MAX_DOCUMENTS)
        throw conflict(`With this archive, the space would have more than ${MAX_DOCUMENTS} documents`);
      const documents: KnowledgeDocumentEntity[] = [];
      for (const upload of uploads) {
        const { title, fileName, mediaType, data } = upload;
        const values = { spaceId, title, fileName, mediaType, bytes: data.length, createdBy: userId };
        const document = await insertDocument(tx, values, upload);
        const target = { targetType: 'knowledge_document', targetId: document.id };
        const details = { title, bytes: data.length, archive: name };
        await recordAudit(tx, by, { action: 'knowledge.create', ...target, details, requestId });
        documents.push(document);
      }
      return documents;
    });
    this.worker.wake();
    return { documents: stored.map(toDocument), skipped };
  }

  async delete({ by, requestId }: AuditedCall, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { title } = await getDocument(tx, by.spaceId, id);
      if (!(await deleteDocument(tx, by.spaceId, id))) throw notFound(`Document ${id} does not exist`);
      const action = { action: 'knowledge.delete' as const, targetType: 'knowledge_document', targetId: id };
      await recordAudit(tx, by, { ...action, details: { title }, requestId });
    });
  }
}

function toDocument(document: KnowledgeDocumentEntity): KnowledgeDocument {
  const { id, spaceId, title, fileName, url, mediaType, bytes, status, error, chunks, encoding, createdBy } =
    document;
  return {
    id,
    spaceId,
    title,
    fileName,
    url,
    mediaType,
    bytes,
    status,
    error,
    chunks,
    encoding,
    createdBy,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
  };
}
