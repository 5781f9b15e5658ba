import type {
  CreateKnowledgeDocumentRequest,
  CreateKnowledgeSourceRequest,
  DeleteKnowledgeSourceQuery,
  KnowledgeArchive,
  KnowledgeDocument,
  KnowledgeDocumentDetail,
  KnowledgeDocumentQuery,
  KnowledgePage,
  KnowledgePageQuery,
  KnowledgeSearchResult,
  KnowledgeSearchRequest,
  KnowledgeSettings,
  KnowledgeSource,
  KnowledgeSourceQuery,
  UpdateKnowledgeSettingsRequest,
  UpdateKnowledgeSourceRequest,
} from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** A zip archive with files that have text. */
export interface KnowledgeArchiveFile {
  /** A File, or a Blob with `fileName`. */
  file: Blob;
  /** Default: the name of the File. */
  fileName?: string | undefined;
}

/** A file with text: plain text, Markdown, HTML, CSV, JSON, PDF, Word, Excel, PowerPoint, EPUB, or RTF. */
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
  ): PagePromise<KnowledgeDocument> {
    return this.http.list('/api/knowledge/documents', { ...query }, options);
  }

  /** Uploads a document. It is PROCESSING until its text has been read. */
  createDocument(
    document: CreateKnowledgeDocumentRequest | KnowledgeFile,
    options?: RequestOptions,
  ): ApiPromise<KnowledgeDocument> {
    const address = '/api/knowledge/documents';
    if (!('file' in document)) return this.http.post(address, document, options);
    return this.http.json({ ...options, method: 'POST', path: address, form: toForm(document) });
  }

  /** Uploads the files of a zip archive as documents, all or none. */
  uploadArchive(archive: KnowledgeArchiveFile, options?: RequestOptions): Promise<KnowledgeArchive> {
    const address = '/api/knowledge/archives';
    return this.http.json({ ...options, method: 'POST', path: address, form: toForm(archive) });
  }

  getDocument(documentId: string, options?: RequestOptions): ApiPromise<KnowledgeDocumentDetail> {
    return this.http.get(path`/api/knowledge/documents/${documentId}`, {}, options);
  }

  deleteDocument(documentId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(path`/api/knowledge/documents/${documentId}`, options);
  }

  /** Searches the documents in the way agents do. */
  search(request: KnowledgeSearchRequest, options?: RequestOptions): ApiPromise<KnowledgeSearchResult> {
    return this.http.post('/api/knowledge/search', request, options);
  }

  /** How the documents are searched, with the progress of their vectors. */
  getSettings(options?: RequestOptions): ApiPromise<KnowledgeSettings> {
    return this.http.get('/api/knowledge/settings', {}, options);
  }

  /** Changes the given fields. Another embedding model serves as soon as its vectors are complete. */
  updateSettings(
    change: UpdateKnowledgeSettingsRequest,
    options?: RequestOptions,
  ): ApiPromise<KnowledgeSettings> {
    return this.http.patch('/api/knowledge/settings', change, options);
  }

  /** Lists sources, newest first. */
  listSources(query: KnowledgeSourceQuery = {}, options?: RequestOptions): PagePromise<KnowledgeSource> {
    return this.http.list('/api/knowledge/sources', { ...query }, options);
  }

  /** Creates a source: a page, or the pages of a sitemap, as documents. The first fetch begins at once. */
  createSource(source: CreateKnowledgeSourceRequest, options?: RequestOptions): ApiPromise<KnowledgeSource> {
    return this.http.post('/api/knowledge/sources', source, options);
  }

  /** A source with the progress of its fetch. */
  getSource(sourceId: string, options?: RequestOptions): ApiPromise<KnowledgeSource> {
    return this.http.get(path`/api/knowledge/sources/${sourceId}`, {}, options);
  }

  /** Changes when a source is fetched. */
  updateSource(
    sourceId: string,
    change: UpdateKnowledgeSourceRequest,
    options?: RequestOptions,
  ): ApiPromise<KnowledgeSource> {
    return this.http.patch(path`/api/knowledge/sources/${sourceId}`, change, options);
  }

  /** Deletes a source, with its documents unless they are kept. */
  deleteSource(
    sourceId: string,
    query: DeleteKnowledgeSourceQuery = {},
    options?: RequestOptions,
  ): ApiPromise<void> {
    return this.http.json({
      ...options,
      method: 'DELETE',
      path: path`/api/knowledge/sources/${sourceId}`,
      query: { ...query },
    });
  }

  /** Fetches an enabled source now. */
  fetchSource(sourceId: string, options?: RequestOptions): ApiPromise<KnowledgeSource> {
    return this.http.post(path`/api/knowledge/sources/${sourceId}/fetch`, {}, options);
  }

  /** Lists the pages of a source with what came of each. */
  listSourcePages(
    sourceId: string,
    query: KnowledgePageQuery = {},
    options?: RequestOptions,
  ): PagePromise<KnowledgePage> {
    return this.http.list(path`/api/knowledge/sources/${sourceId}/pages`, { ...query }, options);
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
