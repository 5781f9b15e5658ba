import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { BackgroundDatabase, Database } from '../infra/database/database.ts';
import { SqlPool } from '../infra/database/pools.ts';
import type { Sql } from '../infra/database/rows.ts';
import { whileUnavailable } from '../infra/database/unavailable.ts';
import { SweeperWorker } from '../infra/database/sweeper.worker.ts';
import { Leases } from './leases.ts';
import { FlushLoop } from './flush-loop.ts';
import { framesAfter } from './frame.ts';
import { PageReader } from './page-reader.ts';
import { RemoteTail } from './remote-tail.ts';
import { StreamHub } from './stream-hub.ts';
import {
  findExpiredStreams,
  mergeFrames,
  purgeFrames,
  isCurrentLease,
  isLeased,
  readPage,
  readStates,
  readTails,
  requestCancel,
  takeOverStream,
  type StreamState,
} from './stream-log.store.ts';
import { StreamWriter } from './stream-writer.ts';

const KEPT_DAYS = 7;
/** How long readers wait while the database is unavailable. Turns do not survive much longer either. */
const OUTAGE_MS = 30_000;
const PURGE_PAUSE_MS = 20;

/** Streams of frames: written under a lease, stored before they are sent, and readable from any process. */
@Injectable()
export class StreamsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(StreamsService.name);
  private readonly hub = new StreamHub();
  private readonly leases: Leases;
  private readonly loop: FlushLoop;
  private readonly remote: RemoteTail;
  /** Separate connections, so that frames are stored even if requests use all others. */
  private readonly frames: SqlPool;
  /** Separate connections, so that requests never wait for readers of streams. */
  private readonly readers: SqlPool;
  private readonly pages: PageReader;
  private merging: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly background: BackgroundDatabase,
    private readonly config: PlatformConfig,
    private readonly sweeper: SweeperWorker,
  ) {
    this.frames = new SqlPool('writer', config);
    this.readers = new SqlPool('reader', config);
    this.leases = new Leases(this.frames, config);
    this.loop = new FlushLoop(this.frames, this.hub);
    this.pages = new PageReader(this.readers);
    this.remote = new RemoteTail(this.readers, this.hub, (id) => this.leases.has(id));
  }

  onApplicationBootstrap(): void {
    this.leases.start();
    this.remote.start();
    this.sweeper.register('streams', () => this.purge());
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    this.remote.stop();
    await this.leases.stop();
    await Promise.all([this.frames.end(), this.readers.end()]);
  }

  /** Returns the writer of a new stream. `writer.open(tx)` stores the stream, `renewLease` keeps it alive. */
  createWriter(segment: number): StreamWriter {
    return new StreamWriter(this.loop, randomUUID(), randomUUID(), segment);
  }

  /** Whether the stream was stored by this writer and still belongs to it. */
  isWrittenBy(writer: StreamWriter): Promise<boolean> {
    return isCurrentLease(this.database, writer);
  }

  /** Whether some process writes the stream now. */
  isLeased(sql: Sql, streamId: string): Promise<boolean> {
    return isLeased(sql, streamId);
  }

  /** The open streams whose writers are gone. */
  findExpired(sql: Sql): Promise<string[]> {
    return findExpiredStreams(sql);
  }

  get leaseMs(): number {
    return this.config.streamLeaseMs;
  }

  /** Renews the lease of a stored stream until `releaseLease`. `onCancel` runs when a cancel is requested. */
  renewLease(writer: StreamWriter, onCancel: () => void): void {
    this.leases.add(writer, onCancel);
  }

  /** Stops renewing the lease. The frames of an ended stream are merged in the background. */
  releaseLease(writer: StreamWriter): void {
    this.leases.remove(writer.streamId);
    // One stream at a time: merging must not take connections from running turns. A stream that was lost to another
    // process is merged there.
    if (!writer.signal.aborted) this.merging = this.merging.then(() => this.merge(writer.streamId));
  }

  /** Resolves when the frames of all streams that ended here are merged. */
  async drain(): Promise<void> {
    await this.merging;
  }

  /** Takes over a stream whose lease has expired. Returns null if it is leased or has ended. */
  async takeOver(
    tx: Sql,
    streamId: string,
  ): Promise<{ writer: StreamWriter; cancelRequested: boolean } | null> {
    const fencingToken = randomUUID();
    const taken = await takeOverStream(tx, streamId, fencingToken);
    if (taken === null) return null;
    const { segment, lastSeq, cancelRequested } = taken;
    return { writer: new StreamWriter(this.loop, streamId, fencingToken, segment, lastSeq), cancelRequested };
  }

  /** Requests the cancellation of a stream. Returns false if it has ended. */
  async requestCancel(sql: Sql, streamId: string): Promise<boolean> {
    const isOpen = await requestCancel(sql, streamId);
    if (isOpen) this.leases.cancel(streamId);
    return isOpen;
  }

  /** Returns the state of each stream that exists. */
  getStates(ids: string[], sql: Sql = this.database): Promise<Map<string, StreamState>> {
    return readStates(sql, ids);
  }

  /** Returns the latest frames of each stream, about as many as one flush stored. */
  async getTails(ids: string[]): Promise<Map<string, { lastSeq: number; data: Buffer }>> {
    return ids.length === 0 ? new Map() : readTails(this.database, ids);
  }

  /**
   * Yields the encoded frames after `after`, which may still be to come, in order, until the stream ends or the signal aborts.
   * Nothing is buffered for a slow reader, which continues from the log. Readers of the same `group` share one place in the
   * queue for it.
   */
  async *follow(
    streamId: string,
    after: number,
    signal: AbortSignal,
    group = '',
  ): AsyncGenerator<Buffer, void, undefined> {
    const subscription = this.hub.join(streamId, signal);
    let position = after;
    const unread = ({ data, toSeq }: { data: Buffer; toSeq: number }, fromSeq: number) =>
      framesAfter(data, fromSeq, Math.min(Math.max(position, after), toSeq));
    try {
      for (let caughtUp = false; !signal.aborted;) {
        const chunk = caughtUp ? await subscription.next(position) : null;
        if (chunk) {
          const data = unread(chunk, chunk.fromSeq);
          position = chunk.toSeq;
          if (data.length > 0) yield data;
          if (chunk.last) return;
          continue;
        }
        const read = () => this.pages.read(streamId, position, group, signal);
        const page = await whileUnavailable(read, undefined, OUTAGE_MS);
        if (page === null) return;
        const data = unread(page, position + 1);
        position = page.toSeq;
        if (data.length > 0) yield data;
        if (page.lastSeq !== null && !page.more) return;
        caughtUp = !page.more;
      }
    } finally {
      this.hub.leave(streamId, subscription);
    }
  }

  /** Yields the frames that are stored now, from the beginning; an open stream may continue afterwards. */
  async *readStored(streamId: string): AsyncGenerator<Buffer, void, undefined> {
    for (let page = await readPage(this.database, streamId, 0); page !== null;) {
      yield page.data;
      page = page.more ? await readPage(this.database, streamId, page.toSeq) : null;
    }
  }

  private async merge(streamId: string): Promise<void> {
    try {
      for (let from: number | null = 1; from !== null;)
        from = await mergeFrames(this.background, streamId, from);
    } catch (error) {
      this.logger.warn({ err: error }, 'Frames could not be merged');
    }
  }

  private async purge(): Promise<void> {
    while (!this.stopping && (await purgeFrames(this.background, KEPT_DAYS)))
      await delay(PURGE_PAUSE_MS, undefined, { ref: false });
  }
}
