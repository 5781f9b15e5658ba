import { Logger } from '@nestjs/common';
import type { Sql } from '../infra/database/rows.ts';
import type { StreamHub } from './stream-hub.ts';
import { storeBatches, type Batch } from './stream-log.store.ts';

/**
 * How long frames are collected before they are stored together. With many streams it is longer: then each frame has more
 * tokens, and frames cost more than tokens.
 */
const WINDOW_MS = 25;
const BUSY_WINDOW_MS = 50;
const BUSY_STREAMS = 100;
const RETRY_MS = 250;
/** The size of one statement. The rest follows immediately, longest wait first. */
const MAX_BYTES = 2 * 1024 * 1024;

/** What the loop needs of a writer. */
export interface FrameSource {
  readonly streamId: string;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  readonly hasUnstored: boolean;
  /** Whether a full row is unstored. */
  readonly isBacklogged: boolean;
  /** Returns what to store now; the same batch until it is acknowledged. */
  takeBatch(): Batch | null;
  /** Confirms that the batch is stored. */
  acknowledge(): void;
  /** Reports that the lease is lost. */
  abandon(): void;
}

/**
 * Stores the frames of all writers of the process, one statement at a time; while it runs, the next batches collect.
 * Readers receive frames only after they are stored.
 */
export class FlushLoop {
  private readonly logger = new Logger(FlushLoop.name);
  private readonly waiting = new Set<FrameSource>();
  private paced: (() => void)[] = [];
  private timer: NodeJS.Timeout | null = null;
  private immediate = false;
  private running = false;
  private urgent = false;
  private lastStart = 0;
  private windowMs = WINDOW_MS;

  constructor(
    private readonly sql: Sql,
    private readonly hub: StreamHub,
  ) {}

  /** Schedules a flush for a writer. An `urgent` one does not wait for the window. */
  wake(writer: FrameSource, urgent: boolean): void {
    this.waiting.add(writer);
    if (urgent && !this.urgent) {
      this.urgent = true;
      if (this.timer) clearTimeout(this.timer);
      this.timer = null;
    }
    this.schedule();
  }

  /**
   * Resolves when the next flush is about to take its frames. What a producer reads then is part of it; reading earlier
   * would only cost more, because every read has its price, however little it brings.
   */
  nextFlush(): Promise<void> {
    return new Promise((resolve) => {
      this.paced.push(resolve);
      this.schedule();
    });
  }

  publishEnd(batch: Batch): void {
    this.hub.deliver(batch.streamId, batch, true);
  }

  private schedule(delay?: number): void {
    if (this.running || this.immediate || this.timer || this.waiting.size + this.paced.length === 0) return;
    const wait = delay ?? (this.urgent ? 0 : this.lastStart + this.windowMs - performance.now());
    if (wait > 0) {
      this.timer = setTimeout(() => {
        this.collect();
      }, wait);
      return;
    }
    this.collect();
  }

  /** Frames from the same turn of the event loop are stored together, with those of the paced producers. */
  private collect(): void {
    this.timer = null;
    this.immediate = true;
    const paced = this.paced;
    this.paced = [];
    for (const resume of paced) resume();
    const flush = () => void this.flush();
    // Only the second is certain to come after the reading of what has arrived.
    setImmediate(paced.length > 0 ? () => setImmediate(flush) : flush);
  }

  private async flush(): Promise<void> {
    this.immediate = false;
    this.running = true;
    this.urgent = false;
    this.lastStart = performance.now();
    const batches = new Map<FrameSource, Batch>();
    let bytes = 0;
    for (const writer of this.waiting) {
      if (bytes >= MAX_BYTES) break;
      this.waiting.delete(writer);
      const batch = writer.signal.aborted ? null : writer.takeBatch();
      if (batch === null) continue;
      batches.set(writer, batch);
      bytes += batch.data.length;
    }
    this.windowMs = windowFor(batches.size);
    this.urgent = this.waiting.size > 0;
    let retry: number | undefined;
    try {
      if (batches.size > 0) this.acknowledge(batches, await storeBatches(this.sql, [...batches.values()]));
    } catch (error) {
      this.logger.warn({ err: error, streams: batches.size }, 'Frames could not be stored; retrying');
      for (const writer of batches.keys()) this.waiting.add(writer);
      retry = RETRY_MS;
    } finally {
      this.running = false;
      this.schedule(retry);
    }
  }

  private acknowledge(batches: Map<FrameSource, Batch>, stored: Set<string>): void {
    for (const [writer, batch] of batches) {
      if (!stored.has(writer.streamId)) {
        writer.abandon();
        continue;
      }
      this.hub.deliver(writer.streamId, batch, false);
      writer.acknowledge();
      if (writer.hasUnstored) this.wake(writer, writer.isBacklogged);
    }
  }
}

function windowFor(streams: number): number {
  return WINDOW_MS + (BUSY_WINDOW_MS - WINDOW_MS) * Math.min(1, streams / BUSY_STREAMS);
}
