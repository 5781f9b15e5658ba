import type {
  CreateKnowledgeDocumentRequest,
  KnowledgeDocument,
  KnowledgeDocumentDetail,
  KnowledgeDocumentQuery,
  KnowledgeEvidence,
  KnowledgeSearchRequest,
  Page,
} from '@platform/contracts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** A file with text: plain text, Markdown, HTML, or PDF. */
export interface KnowledgeFile {
  /** Default: the name of the file. */
  title?: string | undefined;
  /** A File, or a Blob with `fileName`. */
  file: Blob;
  /** Default: the name of the File. */
  fileName?: string | undefined;
}

/** The documents of the space that agents can search. */
export class KnowledgeResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists documents, newest first. */
  listDocuments(
    query: KnowledgeDocumentQuery = {},
    options?: RequestOptions,
  ): Promise<Page<KnowledgeDocument>> {
    return this.http.get('/api/knowledge/documents', { ...query }, options);
  }

  /** Uploads a document. It is PROCESSING until its text has been read. */
  createDocument(
    document: CreateKnowledgeDocumentRequest | KnowledgeFile,
    options?: RequestOptions,
  ): Promise<KnowledgeDocument> {
    const address = '/api/knowledge/documents';
    if (!('file' in document)) return this.http.post(address, document, options);
    return this.http.json({ ...options, method: 'POST', path: address, form: toForm(document) });
  }

  getDocument(documentId: string, options?: RequestOptions): Promise<KnowledgeDocumentDetail> {
    return this.http.get(path`/api/knowledge/documents/${documentId}`, {}, options);
  }

  deleteDocument(documentId: string, options?: RequestOptions): Promise<void> {
    return this.http.delete(path`/api/knowledge/documents/${documentId}`, options);
  }

  /** Searches the documents in the way agents do. */
  search(request: KnowledgeSearchRequest, options?: RequestOptions): Promise<KnowledgeEvidence> {
    return this.http.post('/api/knowledge/search', request, options);
  }
}

function toForm({ title, file, fileName }: KnowledgeFile): FormData {
  const form = new FormData();
  if (title !== undefined) form.set('title', title);
  const name = fileName ?? ('name' in file && typeof file.name === 'string' ? file.name : undefined);
  if (name === undefined) form.set('file', file);
  else form.set('file', file, name);
  return form;
}
