import type { Sql } from '../infra/database/rows.ts';
import { failpoint } from '../infra/runtime/failpoints.ts';
import { FairQueue } from '../infra/runtime/fair-queue.ts';
import { readPage, type Page } from './stream-log.store.ts';

/** The number of pages read at the same time, so that other requests get their share of the event loop. */
const PAGES_AT_ONCE = 8;
/** A page of this size occupies its place longer. This limits readers that catch up to 128 MB/s in total. */
const LARGE_BYTES = 16 * 1024;
const LARGE_MS = 4;
/** Size of the cache of recent pages: many readers of one stream cost about as much as one. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** Reads the log for all readers of the process, one page at a time, round-robin over groups. */
export class PageReader {
  private readonly places = new FairQueue({ places: PAGES_AT_ONCE });
  private readonly underWay = new Map<string, Promise<Page | null>>();
  private readonly kept = new Map<string, Page>();
  private keptBytes = 0;

  constructor(private readonly sql: Sql) {}

  /** Reads the page after `after`. Returns null if the stream does not exist or the reader has disconnected. */
  async read(streamId: string, after: number, group: string, signal: AbortSignal): Promise<Page | null> {
    const leave = await this.places.enter(group);
    let bytes = 0;
    try {
      const page = signal.aborted ? null : await this.page(streamId, after);
      bytes = page?.data.length ?? 0;
      return page;
    } finally {
      if (bytes < LARGE_BYTES) setImmediate(leave);
      else setTimeout(leave, LARGE_MS);
    }
  }

  private page(streamId: string, after: number): Promise<Page | null> {
    const key = `${streamId}:${after}`;
    const kept = this.kept.get(key);
    if (kept) return Promise.resolve(this.keep(key, kept));
    const underWay = this.underWay.get(key);
    if (underWay) return underWay;
    const reading = this.load(key, streamId, after).finally(() => this.underWay.delete(key));
    this.underWay.set(key, reading);
    return reading;
  }

  private async load(key: string, streamId: string, after: number): Promise<Page | null> {
    failpoint('streams.read');
    const page = await readPage(this.sql, streamId, after);
    // Only a page that others follow never changes.
    return page?.more ? this.keep(key, page) : page;
  }

  /** Caches a page as the most recently used one. */
  private keep(key: string, page: Page): Page {
    if (this.kept.delete(key)) this.keptBytes -= page.data.length;
    this.kept.set(key, page);
    this.keptBytes += page.data.length;
    for (const [oldest, { data }] of this.kept) {
      if (this.keptBytes <= KEPT_BYTES) break;
      this.kept.delete(oldest);
      this.keptBytes -= data.length;
    }
    return page;
  }
}
