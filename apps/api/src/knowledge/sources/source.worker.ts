import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ClaimWorker } from '../../infra/database/claim-worker.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { isUnavailable } from '../../infra/database/unavailable.ts';
import type { GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import {
  countDocuments,
  insertDocument,
  MAX_DOCUMENTS,
  removeDocuments,
} from '../documents/knowledge-documents.store.ts';
import { KnowledgeWorker } from '../documents/knowledge.worker.ts';
import type { Upload } from '../documents/upload.ts';
import { Unreadable } from '../extraction/unreadable.ts';
import { hashOf, toUpload } from './page-upload.ts';
import {
  countUnread,
  endWaiting,
  findFailedSitemap,
  listAddresses,
  listSkipped,
  missPage,
  removeSomePages,
  removeUnlisted,
  takePage,
  untryPage,
  updatePage,
  type PageChange,
  type WaitingPage,
} from './pages.store.ts';
import { isAllowed, type RobotRules } from './robots.ts';
import { readSitemap, type Sitemap } from './sitemap.ts';
import {
  beginFetch,
  claimSource,
  delaySource,
  finishFetch,
  noteProgress,
  releaseHost,
  removeHost,
  removeSource,
  SOURCES_DUE,
  updateRobots,
  type ClaimedSource,
} from './sources.store.ts';
import { WebRequestsService, type WebFailure } from './web-requests.service.ts';

/** Most of it is waiting for servers. */
const MAX_RUNNING = 6;
const MAX_PAGES = 1_000;
const MAX_SITEMAPS = 50;
const MAX_DEPTH = 3;
const MAX_SKIPPED = 100;
/** Of all pages of one fetch. */
const MAX_FETCH_BYTES = 250 * 1024 * 1024;
const MAX_TRIES = 3;
/** Then the host is given up until the next fetch. */
const MAX_FAILURES = 10;
/** After so many misses in a row, a page is gone. */
const MAX_MISSES = 2;
const BACKOFF = 10;
/** Documents that wait until their text is read: more than these are not worth being kept. */
const MAX_UNREAD = 20;
const UNREAD_WAIT_MS = 2_000;
const REMOVED_PAGES = 20;
/** That need no request; then other sources have their turn. */
const SKIPPED_PAGES = 100;
const ACCEPT = 'text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, */*;q=0.8';
const ACCEPT_SITEMAP = 'application/xml, text/xml, */*;q=0.8';

/** What becomes of a request, stored in the transaction that frees the host. */
type Outcome = (tx: EntityManager) => Promise<void>;

/** Fetches the pages of sources, one request for each claim, so that hosts have their pauses and spaces take turns. */
@Injectable()
export class SourceWorker extends ClaimWorker<ClaimedSource> {
  private readonly pauseMs: number;

  constructor(
    config: PlatformConfig,
    database: BackgroundDatabase,
    private readonly requests: WebRequestsService,
    private readonly documents: KnowledgeWorker,
  ) {
    super(config, database, {
      name: 'Sources',
      maxRunning: MAX_RUNNING,
      waiting: SOURCES_DUE,
      claim: claimSource,
    });
    this.pauseMs = config.fetchPauseMs;
  }

  /** Never rejects. If the database is unavailable, the lease of the host ends, and the page is requested again. */
  protected async execute(source: ClaimedSource): Promise<void> {
    try {
      await this.work(source);
    } catch (error) {
      await this.handle(source, error).catch((err: unknown) =>
        this.logger.warn({ err, source: source.id }, 'A source waits for the end of its lease'),
      );
    }
  }

  private async handle(source: ClaimedSource, error: unknown): Promise<void> {
    if (!(error instanceof Superseded) && !this.signal.aborted) {
      const log = isUnavailable(error) ? 'warn' : 'error';
      this.logger[log]({ err: error, source: source.id }, 'A page could not be fetched; retrying');
    }
    await releaseHost(this.database, source, this.pauseMs);
  }

  private async work(source: ClaimedSource): Promise<void> {
    if (source.isDeleted) return this.remove(source);
    if (!source.isFetching) return this.store(source, 0, (tx) => this.begin(tx, source));
    if ((await countUnread(this.database, source.id)) >= MAX_UNREAD)
      return this.store(source, 0, (tx) => delaySource(tx, source.id, UNREAD_WAIT_MS));
    if (source.fetchedBytes > MAX_FETCH_BYTES) await this.endAll(source, 'SKIPPED', tooLarge);
    else if (source.failures >= MAX_FAILURES) await this.endAll(source, 'FAILED', givenUp);
    for (let n = 0; n < SKIPPED_PAGES; n++) {
      const page = await takePage(this.database, source.id);
      if (page === null) return this.finish(source);
      const ended = whyNotRequested(source, page);
      if (ended === null) return this.request(source, page);
      await updatePage(this.database, page.id, ended);
    }
    return this.store(source, 0, () => Promise.resolve());
  }

  private async begin(tx: Sql, { id, kind, url }: ClaimedSource): Promise<void> {
    const fetches = await beginFetch(tx, id);
    await listAddresses(tx, { id, fetches }, [url], kind === 'sitemap' ? 0 : null, MAX_PAGES);
  }

  /** The robots.txt of the host is requested first if it is not known: one request for each claim. */
  private async request(source: ClaimedSource, page: WaitingPage): Promise<void> {
    try {
      await (source.robots === null
        ? this.requestRobots(source, page)
        : this.requestPage(source, page, source.robots));
    } catch (error) {
      if (this.signal.aborted) await untryPage(this.database, page.id);
      throw error;
    }
  }

  private async requestRobots(source: ClaimedSource, page: WaitingPage): Promise<void> {
    const found = await this.requests.getRobots(page.url, this.signal);
    if ('type' in found) return this.storeFailure(source, page, found);
    return this.store(source, this.pauseOf(found), async (tx) => {
      await updateRobots(tx, source.host, found);
      await untryPage(tx, page.id);
    });
  }

  private async requestPage(source: ClaimedSource, page: WaitingPage, robots: RobotRules): Promise<void> {
    const known = page.hash !== null && page.documentId !== null;
    const headers = {
      Accept: page.depth === null ? ACCEPT : ACCEPT_SITEMAP,
      ...(known && page.etag !== null && { 'If-None-Match': page.etag }),
      ...(known && page.lastModified !== null && { 'If-Modified-Since': page.lastModified }),
    };
    const found = await this.requests.get(page.url, headers, this.signal, { robots });
    failpoint('knowledge.page-fetched');
    const pause = this.pauseOf(robots);
    if (found.type === 'unchanged')
      return this.store(source, pause, (tx) => this.note(tx, source, page, { status: 'UNCHANGED' }));
    if (found.type !== 'ok') return this.storeFailure(source, page, found);
    const outcome =
      page.depth === null
        ? this.outcomeOf(source, page, found.response)
        : await this.listingOf(source, page, page.depth, found.response);
    await this.store(source, pause, outcome);
    this.documents.wake();
  }

  /** What a page becomes: a document, or the reason why it is none. */
  private outcomeOf(
    source: ClaimedSource,
    page: WaitingPage,
    { url, headers, bytes }: GuardedResponse,
  ): Outcome {
    const { upload, reason } = toUpload(new URL(url), headers.get('content-type') ?? '', bytes);
    if (upload === null)
      return (tx) => this.note(tx, source, page, { status: 'SKIPPED', reason }, bytes.length);
    const hash = hashOf(upload);
    const validators = {
      hash,
      etag: headerOf(headers, 'etag'),
      lastModified: headerOf(headers, 'last-modified'),
    };
    if (page.documentId !== null && page.hash?.equals(hash)) {
      const change = { status: 'UNCHANGED' as const, documentId: page.documentId, ...validators };
      return (tx) => this.note(tx, source, page, change, bytes.length);
    }
    return async (tx) => {
      const documentId = await this.addDocument(tx, source, page, upload);
      if (documentId === null)
        return this.note(tx, source, page, {
          status: 'SKIPPED',
          reason: `The space has ${MAX_DOCUMENTS} documents, which is the most that it can have.`,
        });
      await this.note(tx, source, page, { status: 'FETCHED', documentId, ...validators }, bytes.length);
    };
  }

  /** The document that is found stays until the new one has been read. Null: the space has too many. */
  private async addDocument(
    tx: EntityManager,
    { spaceId, createdBy }: ClaimedSource,
    { url, documentId, documentStatus, replacesId }: WaitingPage,
    upload: Upload,
  ): Promise<string | null> {
    const found = documentStatus === 'READY' ? documentId : replacesId;
    if (documentId !== null && documentId !== found) await removeDocuments(tx, spaceId, [documentId]);
    if (found === null && (await countDocuments(tx, spaceId)) >= MAX_DOCUMENTS) return null;
    const { title, fileName, mediaType, data } = upload;
    const values = {
      spaceId,
      title,
      fileName,
      url,
      mediaType,
      bytes: data.length,
      createdBy,
      replacesId: found,
    };
    return (await insertDocument(tx, values, upload)).id;
  }

  /** What a sitemap lists. */
  private async listingOf(
    source: ClaimedSource,
    page: WaitingPage,
    depth: number,
    { url, bytes }: GuardedResponse,
  ): Promise<Outcome> {
    let sitemap: Sitemap;
    try {
      sitemap = await readSitemap(bytes, new URL(url), this.signal);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const { message: reason } = error;
      return (tx) => this.note(tx, source, page, { status: 'FAILED', reason }, bytes.length);
    }
    const { isIndex, urls, leftOut, moreLeftOut } = sitemap;
    if (isIndex && depth >= MAX_DEPTH) {
      const reason = `Indexes of sitemaps are nested more than ${MAX_DEPTH} times.`;
      return (tx) => this.note(tx, source, page, { status: 'FAILED', reason }, bytes.length);
    }
    return async (tx) => {
      const more = isIndex
        ? await listAddresses(tx, source, urls, depth + 1, MAX_SITEMAPS)
        : await listAddresses(tx, source, urls, null, MAX_PAGES);
      const others = await listSkipped(tx, source, leftOut, MAX_SKIPPED);
      const change = { status: 'FETCHED' as const };
      await this.note(tx, source, page, change, bytes.length, more + others + moreLeftOut);
    };
  }

  private async storeFailure(source: ClaimedSource, page: WaitingPage, found: WebFailure): Promise<void> {
    const { reason } = found;
    const pause = this.pauseOf(source.robots);
    if (found.type === 'unavailable') {
      const backoff = Math.max(found.waitMs, pause * BACKOFF * page.tries);
      const status = page.tries < MAX_TRIES ? 'WAITING' : 'FAILED';
      return this.store(source, backoff, async (tx) => {
        await updatePage(tx, page.id, { status, reason });
        await this.progress(tx, source, { hasFailed: true });
      });
    }
    await this.store(source, pause, async (tx) => {
      if (found.type === 'failed' || page.depth !== null)
        return this.note(tx, source, page, { status: 'FAILED', reason });
      const misses = await missPage(tx, page.id);
      const isGone = misses >= MAX_MISSES && page.documentId !== null;
      if (isGone) await removeDocuments(tx, source.spaceId, idsOf([page]));
      const gone = { documentId: null, hash: null };
      await this.note(tx, source, page, { status: 'FAILED', reason, misses, ...(isGone && gone) });
    });
  }

  private async note(
    tx: EntityManager,
    source: ClaimedSource,
    { id }: WaitingPage,
    change: PageChange,
    bytes = 0,
    leftOut = 0,
  ): Promise<void> {
    await updatePage(tx, id, change);
    await this.progress(tx, source, { bytes, leftOut });
  }

  private async progress(
    tx: Sql,
    { id }: ClaimedSource,
    done: Parameters<typeof noteProgress>[2],
  ): Promise<void> {
    if (!(await noteProgress(tx, id, done))) throw new Superseded();
  }

  private async endAll({ id }: ClaimedSource, status: 'FAILED' | 'SKIPPED', reason: string): Promise<void> {
    await endWaiting(this.database, id, status, reason);
  }

  /** Removes what has left the sitemaps, if all of them could be read, and ends the fetch. */
  private async finish(source: ClaimedSource): Promise<void> {
    const failed = await findFailedSitemap(this.database, source);
    await this.store(source, 0, async (tx) => {
      if (failed === null) {
        const removed = await removeUnlisted(tx, source, REMOVED_PAGES);
        await removeDocuments(tx, source.spaceId, idsOf(removed));
        // The next claim goes on.
        if (removed.length > 0) return;
      }
      const error = failed === null ? null : `The sitemap ${failed.url} could not be read. ${failed.reason}`;
      await finishFetch(tx, source.id, error);
    });
  }

  /** Removes a deleted source, some pages at a time. */
  private async remove(source: ClaimedSource): Promise<void> {
    const removed = await this.store(source, 0, async (tx) => {
      const pages = await removeSomePages(tx, source.id, REMOVED_PAGES);
      // What is kept is the version that is found.
      const ids = source.removesDocuments
        ? idsOf(pages)
        : pages.flatMap(({ documentId, replacesId }) => (replacesId === null ? [] : (documentId ?? [])));
      await removeDocuments(tx, source.spaceId, ids);
      if (pages.length === 0) await removeSource(tx, source.id);
      return pages.length;
    });
    if (removed === 0) await removeHost(this.database, source.host);
  }

  /** Frees the host and stores what came of the claim, unless another worker has it by now. */
  private store<T>(
    source: ClaimedSource,
    pauseMs: number,
    outcome: (tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      if (!(await releaseHost(tx, source, pauseMs))) throw new Superseded();
      return outcome(tx);
    });
  }

  private pauseOf(robots: RobotRules | null): number {
    return Math.max(this.pauseMs, (robots?.delaySeconds ?? 0) * 1000);
  }
}

const tooLarge = `The pages of the source have more than ${MAX_FETCH_BYTES / 1024 / 1024} MB.`;
const givenUp = `The host failed ${MAX_FAILURES} times in a row. The next fetch tries again.`;

/** What becomes of a page without a request; null: it is requested. */
function whyNotRequested(
  { robots }: ClaimedSource,
  { url, tries, isDocumentDeleted }: WaitingPage,
): PageChange | null {
  if (isDocumentDeleted) return { status: 'SKIPPED', reason: 'Its document was deleted by hand.' };
  if (robots !== null && !isAllowed(robots, new URL(url)))
    return { status: 'SKIPPED', reason: 'The robots.txt of the host does not allow it.' };
  if (tries <= MAX_TRIES) return null;
  return { status: 'FAILED', reason: `${MAX_TRIES} attempts to fetch it were interrupted.` };
}

function idsOf(pages: readonly { documentId: string | null; replacesId: string | null }[]): string[] {
  return pages.flatMap(({ documentId, replacesId }) => [documentId, replacesId]).filter((id) => id !== null);
}

/** Validators of HTTP are short; what is not is ignored. */
function headerOf(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value !== null && value.length <= 500 && !value.includes('\0') ? value : null;
}

class Superseded extends Error {}
