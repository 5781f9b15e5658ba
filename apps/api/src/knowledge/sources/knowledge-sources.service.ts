import { Injectable } from '@nestjs/common';
import type {
  CreateKnowledgeSourceRequest,
  KnowledgePage,
  KnowledgeSource,
  Page,
  UpdateKnowledgeSourceRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { conflict, invalid, notFound } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import type { KnowledgePageQueryDto } from './knowledge-sources.dto.ts';
import type { KnowledgeWebSourceEntity } from './knowledge-web-source.entity.ts';
import { listPages, type PageRow } from './pages.store.ts';
import { MAX_URL_CHARS } from './sitemap.ts';
import { SourceWorker } from './source.worker.ts';
import {
  countPages,
  countSources,
  getWebSource,
  hastenSource,
  hideSource,
  insertSource,
  listSources,
  updateSchedule,
  type PageCount,
} from './sources.store.ts';

const MAX_SOURCES = 1_000;

/** Manages the sources of spaces. */
@Injectable()
export class KnowledgeSourcesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly worker: SourceWorker,
  ) {}

  /** Newest first. */
  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<KnowledgeSource>> {
    const filter = { knowledgeSourcesOf: spaceId };
    const before = this.cursors.idAfter(cursor, filter);
    const sources = await listSources(this.database.manager, spaceId, before, limit + 1);
    const counts = await countPages(
      this.database,
      sources.map(({ id }) => id),
    );
    return this.cursors.page(
      sources,
      limit,
      filter,
      ({ id }) => [id],
      (source) => toSource(source, counts),
    );
  }

  async get(spaceId: string, id: string): Promise<KnowledgeSource> {
    return this.describe(await getWebSource(this.database.manager, spaceId, id));
  }

  async listPages(
    spaceId: string,
    id: string,
    { limit, cursor, status }: KnowledgePageQueryDto,
  ): Promise<Page<KnowledgePage>> {
    await getWebSource(this.database.manager, spaceId, id);
    const filter = { knowledgePagesOf: id, status };
    const after = this.cursors.idAfter(cursor, filter);
    const pages = await listPages(this.database, id, { status: status ?? null, after, limit: limit + 1 });
    return this.cursors.page(pages, limit, filter, (page) => [page.id], toPage);
  }

  /** A worker fetches it. */
  async create(
    { by, requestId }: AuditedCall,
    { kind, url: given, everyHours = null }: CreateKnowledgeSourceRequest,
  ): Promise<KnowledgeSource> {
    const { spaceId, userId } = by;
    const { href: url, host } = parseAddress(given);
    const source = await this.database.transaction(async (tx) => {
      if ((await countSources(tx, spaceId)) >= MAX_SOURCES)
        throw conflict(`The space has ${MAX_SOURCES} sources, which is the most that it can have`);
      const values = { spaceId, kind, url, host, everyHours, createdBy: userId };
      const stored = await insertSource(tx, { ...values, dueAt: () => 'clock_timestamp()' });
      if (stored === null) throw conflict(`The space already has a source with the address ${url}`);
      await recordAudit(tx, by, {
        ...actionOf('create', stored.id),
        details: { kind, url, everyHours },
        requestId,
      });
      return stored;
    });
    this.worker.wake();
    return toSource(source, []);
  }

  /** Changes the given fields. */
  async update(
    { by, requestId }: AuditedCall,
    id: string,
    change: UpdateKnowledgeSourceRequest,
  ): Promise<KnowledgeSource> {
    const source = await this.database.transaction(async (tx) => {
      const before = await getWebSource(tx, by.spaceId, id);
      const { everyHours = before.everyHours } = change;
      const enabled = change.enabled ?? before.enabled;
      const updated = await updateSchedule(tx, id, { everyHours, enabled });
      const details = { url: before.url, everyHours, enabled };
      await recordAudit(tx, by, { ...actionOf('update', id), details, requestId });
      return updated;
    });
    this.worker.wake();
    return this.describe(source);
  }

  /** Fetches a source now. */
  async fetch({ by, requestId }: AuditedCall, id: string): Promise<KnowledgeSource> {
    const source = await this.database.transaction(async (tx) => {
      const { url, enabled } = await getWebSource(tx, by.spaceId, id);
      if (!enabled) throw conflict('The source is disabled: enable it to have it fetched');
      const hastened = await hastenSource(tx, id);
      await recordAudit(tx, by, { ...actionOf('fetch', id), details: { url }, requestId });
      return hastened;
    });
    this.worker.wake();
    return this.describe(source);
  }

  async delete({ by, requestId }: AuditedCall, id: string, documents: 'delete' | 'keep'): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { url } = await getWebSource(tx, by.spaceId, id);
      await this.hide(tx, id, documents);
      await recordAudit(tx, by, { ...actionOf('delete', id), details: { url, documents }, requestId });
    });
    this.worker.wake();
  }

  private async hide(tx: EntityManager, id: string, documents: 'delete' | 'keep'): Promise<void> {
    if (!(await hideSource(tx, id, documents === 'delete'))) throw notFound(`Source ${id} does not exist`);
  }

  private async describe(source: KnowledgeWebSourceEntity): Promise<KnowledgeSource> {
    return toSource(source, await countPages(this.database, [source.id]));
  }
}

function actionOf<Verb extends 'create' | 'update' | 'delete' | 'fetch'>(verb: Verb, id: string) {
  return { action: `knowledge-source.${verb}` as const, targetType: 'knowledge_source', targetId: id };
}

/** The address without its fragment. Throws VALIDATION_ERROR. */
function parseAddress(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalid('url must be an http or https address');
  if (url.username !== '' || url.password !== '') throw invalid('url must not contain credentials');
  url.hash = '';
  if (url.href.length > MAX_URL_CHARS) throw invalid(`url must have at most ${MAX_URL_CHARS} characters`);
  return url;
}

function toSource(source: KnowledgeWebSourceEntity, counts: readonly PageCount[]): KnowledgeSource {
  const { id, spaceId, kind, url, everyHours, enabled, error, leftOut, createdBy } = source;
  const pages = { waiting: 0, fetched: 0, unchanged: 0, failed: 0, skipped: 0 };
  let documents = 0;
  for (const count of counts)
    if (count.sourceId === id) {
      pages[count.status.toLowerCase() as keyof typeof pages] += count.pages;
      documents += count.documents;
    }
  return {
    id,
    spaceId,
    kind,
    url,
    everyHours,
    enabled,
    status: statusOf(source),
    error,
    pages,
    documents,
    leftOut,
    startedAt: source.startedAt?.toISOString() ?? null,
    finishedAt: source.finishedAt?.toISOString() ?? null,
    nextFetchAt: source.dueAt?.toISOString() ?? null,
    createdBy,
    createdAt: source.createdAt.toISOString(),
    updatedAt: source.updatedAt.toISOString(),
  };
}

function statusOf({ isFetching, finishedAt, error }: KnowledgeWebSourceEntity): KnowledgeSource['status'] {
  if (isFetching) return 'FETCHING';
  if (finishedAt === null) return 'WAITING';
  return error === null ? 'READY' : 'FAILED';
}

function toPage(page: PageRow): KnowledgePage {
  const { id, url, isSitemap, status, reason, documentStatus, documentError, replacesId, fetchedAt } = page;
  return {
    id,
    url,
    isSitemap,
    status,
    reason: reason ?? (status === 'FAILED' ? documentError : null),
    documentId: replacesId ?? page.documentId,
    documentStatus,
    fetchedAt: fetchedAt?.toISOString() ?? null,
  };
}
