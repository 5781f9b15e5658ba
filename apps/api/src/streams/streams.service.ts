import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../infra/database/background-database.ts';
import { SqlPool } from '../infra/database/pools.ts';
import { firstRow, type Sql } from '../infra/database/rows.ts';
import { whileUnavailable } from '../infra/database/unavailable.ts';
import { Sweeper } from '../infra/sweeper.ts';
import { Leases } from './leases.ts';
import { FlushLoop } from './flush-loop.ts';
import { framesAfter } from './frame.ts';
import { PageReader } from './page-reader.ts';
import { RemoteTail } from './remote-tail.ts';
import { StreamHub } from './stream-hub.ts';
import {
  mergeFrames,
  purgeFrames,
  readPage,
  readStates,
  readTails,
  requestCancel,
  takeOverStream,
  type StreamState,
} from './stream-log.store.ts';
import { StreamWriter } from './stream-writer.ts';

const KEPT_DAYS = 7;
/** How long readers wait for a database that is away; much longer no turn goes on either. */
const OUTAGE_MS = 30_000;
const PURGE_PAUSE_MS = 20;

/** Streams of frames: opened under a lease, stored before they are sent, read from anywhere as often as one likes. */
@Injectable()
export class StreamsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(StreamsService.name);
  private readonly hub = new StreamHub();
  private readonly leases: Leases;
  private readonly loop: FlushLoop;
  private readonly remote: RemoteTail;
  /** Frames are stored by connections of their own, also while callers use up the others. */
  private readonly frames: SqlPool;
  /** What follows streams reads by connections of its own: however many do, requests never wait behind them. */
  private readonly readers: SqlPool;
  private readonly pages: PageReader;
  private merging: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly database: DataSource,
    private readonly background: BackgroundDatabase,
    private readonly config: PlatformConfig,
    private readonly sweeper: Sweeper,
  ) {
    this.frames = new SqlPool('writer', config);
    this.readers = new SqlPool('reader', config);
    this.leases = new Leases(this.frames, config);
    this.loop = new FlushLoop(this.frames, this.hub, (id) => this.leases.cancel(id));
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

  /** A writer for a new stream; `open(tx)` stores it, `hold` renews its lease. */
  createWriter(segment: number): StreamWriter {
    return new StreamWriter(this.loop, randomUUID(), randomUUID(), segment);
  }

  /** Whether the stream was opened for this writer, and is still its own. */
  async isWrittenBy({ streamId, fencingToken }: StreamWriter): Promise<boolean> {
    const found = await firstRow(this.database, 'select from stream where id = $1 and fencing_token = $2', [
      streamId,
      fencingToken,
    ]);
    return found !== null;
  }

  get leaseMs(): number {
    return this.config.streamLeaseMs;
  }

  /** Renews the lease of an opened stream until `release`; `onCancel` runs when somebody wishes it cancelled. */
  renewLease(writer: StreamWriter, onCancel: () => void): void {
    this.leases.add(writer, onCancel);
  }

  /** Releases the lease; the frames of an ended stream are merged in the background. */
  releaseLease(writer: StreamWriter): void {
    this.leases.remove(writer.streamId);
    // One after the other: what is only tidied up must not take the connections of those who work. What was lost to
    // another process is merged by it.
    if (!writer.signal.aborted) this.merging = this.merging.then(() => this.merge(writer.streamId));
  }

  /** Takes a stream whose writer is gone; null where it lives or has ended. Inside the caller's transaction. */
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

  /** Wishes an open stream cancelled; false where it has ended. */
  async requestCancel(sql: Sql, streamId: string): Promise<boolean> {
    const wished = await requestCancel(sql, streamId);
    if (wished) this.leases.cancel(streamId);
    return wished;
  }

  /** How far each stream has come, whether it has ended and whether its frames are still kept. */
  getStates(ids: string[]): Promise<Map<string, StreamState>> {
    return readStates(this.database, ids);
  }

  /** The latest frames of each stream, about as many as were stored at once. */
  async getTails(ids: string[]): Promise<Map<string, { lastSeq: number; data: Buffer }>> {
    return ids.length === 0 ? new Map() : readTails(this.database, ids);
  }

  /**
   * Everything after `after`, byte for byte and in order, until the stream ends or the signal aborts.
   * Nothing is collected for a reader that does not ask for more: it goes on with the log when it does. Readers of one
   * `group` share their turns at that.
   */
  async *follow(
    streamId: string,
    after: number,
    signal: AbortSignal,
    group = '',
  ): AsyncGenerator<Buffer, void, undefined> {
    const subscription = this.hub.join(streamId, signal);
    let position = after;
    try {
      for (let caughtUp = false; !signal.aborted;) {
        const chunk = caughtUp ? await subscription.next(position) : null;
        if (chunk) {
          const data = framesAfter(chunk.data, chunk.fromSeq, position);
          position = chunk.toSeq;
          yield data;
          if (chunk.last) return;
          continue;
        }
        const look = () => this.pages.read(streamId, position, group, signal);
        const page = await whileUnavailable(look, undefined, OUTAGE_MS);
        if (page === null) return;
        position = page.toSeq;
        if (page.data.length > 0) yield page.data;
        if (page.lastSeq !== null && !page.more) return;
        caughtUp = !page.more;
      }
    } finally {
      this.hub.leave(streamId, subscription);
    }
  }

  /** What is stored now, from the beginning; for an open stream that is not its end. */
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
