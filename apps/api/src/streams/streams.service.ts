import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { SqlPool } from '../infra/database/pools.ts';
import { firstRow, rows, type Sql } from '../infra/database/rows.ts';
import { whileUnavailable } from '../infra/database/unavailable.ts';
import { Sweeper } from '../infra/sweeper.ts';
import { Claims } from './claims.ts';
import { FlushLoop } from './flush-loop.ts';
import { framesAfter } from './frame.ts';
import { RemoteTail } from './remote-tail.ts';
import { StreamHub } from './stream-hub.ts';
import { mergeFrames, readFrames, readTails, requestCancel, takeOver, type Chunk } from './stream-log.ts';
import { StreamWriter } from './stream-writer.ts';

const KEPT_DAYS = 7;
/** How long readers wait for a database that is away; much longer no turn goes on either. */
const OUTAGE_MS = 30_000;

/** Streams of frames: opened under a claim, stored before they are sent, read from anywhere as often as one likes. */
@Injectable()
export class StreamsService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(StreamsService.name);
  private readonly hub = new StreamHub();
  private readonly claims: Claims;
  private readonly loop: FlushLoop;
  private readonly remote: RemoteTail;
  /** Frames are stored by connections of their own, also while callers use up the others. */
  private readonly frames: SqlPool;

  constructor(
    private readonly database: DataSource,
    private readonly config: PlatformConfig,
    private readonly sweeper: Sweeper,
  ) {
    this.frames = new SqlPool('writer', config);
    this.claims = new Claims(this.frames, config);
    this.loop = new FlushLoop(this.frames, this.hub, (id) => this.claims.cancel(id));
    this.remote = new RemoteTail(database, this.hub, (id) => this.claims.holds(id));
  }

  onModuleInit(): void {
    this.sweeper.register('streams', () => this.forgetOld());
  }

  async onApplicationShutdown(): Promise<void> {
    this.remote.stop();
    await this.claims.stop();
    await this.frames.end();
  }

  /** A writer for a new stream; `open(tx)` stores it, `hold` keeps its claim alive. */
  create(segment: number): StreamWriter {
    return new StreamWriter(this.loop, randomUUID(), randomUUID(), segment);
  }

  /** Whether the stream was opened for this writer, and is still its own. */
  async isWrittenBy({ streamId, claim }: StreamWriter): Promise<boolean> {
    const found = await firstRow(this.database, 'select from stream where id = $1 and claim = $2', [
      streamId,
      claim,
    ]);
    return found !== null;
  }

  get leaseMs(): number {
    return this.config.streamLeaseMs;
  }

  /** Keeps the claim of an opened stream until `release`; `onCancel` runs when somebody wishes it cancelled. */
  hold(writer: StreamWriter, onCancel: () => void): void {
    this.claims.hold(writer, onCancel);
  }

  /** Ends the claim; the frames of an ended stream are merged in the background. */
  release(writer: StreamWriter): void {
    this.claims.release(writer.streamId);
    // Whoever took the stream writes on elsewhere: from here on its readers are told by the log.
    if (writer.signal.aborted) this.hub.sendToLog(writer.streamId);
    this.database
      .transaction((tx) => mergeFrames(tx, writer.streamId))
      .catch((error: unknown) => this.logger.warn({ err: error }, 'Frames could not be merged'));
  }

  /** Takes a stream whose writer is gone; null where it lives or has ended. Inside the caller's transaction. */
  async takeOver(tx: Sql, streamId: string): Promise<{ writer: StreamWriter; cancelWished: boolean } | null> {
    const claim = randomUUID();
    const taken = await takeOver(tx, streamId, claim);
    if (taken === null) return null;
    const { segment, lastSeq, cancelWished } = taken;
    return { writer: new StreamWriter(this.loop, streamId, claim, segment, lastSeq), cancelWished };
  }

  /** Wishes an open stream cancelled; false where it has ended. */
  async cancel(sql: Sql, streamId: string): Promise<boolean> {
    const wished = await requestCancel(sql, streamId);
    if (wished) this.claims.cancel(streamId);
    return wished;
  }

  /** How far each stream has come, whether it has ended and whether its frames are still kept. */
  async states(ids: string[]): Promise<Map<string, { lastSeq: number; ended: boolean; kept: boolean }>> {
    const found = await rows<{ id: string; lastSeq: number; ended: boolean; kept: boolean }>(
      this.database,
      `select s.id, coalesce(s.last_seq, f.seq, 0) as "lastSeq", s.ended_at is not null as ended,
         f.seq is not null as kept
       from stream s
       left join lateral (select max(to_seq) as seq from stream_frame where stream_id = s.id) f on true
       where s.id = any($1::uuid[])`,
      [ids],
    );
    return new Map(found.map(({ id, ...state }) => [id, state]));
  }

  /** The latest frames of each stream, about as many as were stored at once. */
  async tails(ids: string[]): Promise<Map<string, { lastSeq: number; data: Buffer }>> {
    return ids.length === 0 ? new Map() : readTails(this.database, ids);
  }

  /**
   * Everything after `after`, byte for byte and in order, until the stream ends or the signal aborts.
   * A reader that does not keep up is not buffered for: it reads the log again.
   */
  async *follow(
    streamId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void, undefined> {
    const tail = this.hub.subscribe(streamId);
    let position = after;
    const part = (chunk: Chunk): Buffer => {
      const data = framesAfter(chunk.data, chunk.fromSeq, position);
      position = chunk.toSeq;
      return data;
    };
    try {
      while (!signal.aborted) {
        tail.behind = false;
        const look = () => readFrames(this.database, streamId, position);
        const read = await whileUnavailable(look, undefined, OUTAGE_MS);
        if (read === null) return;
        for (const chunk of read.chunks) yield part(chunk);
        if (read.lastSeq !== null && position >= read.lastSeq) return;
        if (read.more) continue;
        this.remote.reached(streamId, position);
        for (let chunk = await tail.next(signal); chunk !== null; chunk = await tail.next(signal)) {
          if (chunk.toSeq <= position) continue;
          if (chunk.fromSeq > position + 1) break;
          yield part(chunk);
          if (chunk.last) return;
        }
      }
    } finally {
      this.hub.unsubscribe(streamId, tail);
    }
  }

  /** What is stored now, from the beginning; for an open stream that is not its end. */
  async *stored(streamId: string): AsyncGenerator<Buffer, void, undefined> {
    for (let position = 0; ;) {
      const read = await readFrames(this.database, streamId, position);
      for (const chunk of read?.chunks ?? []) {
        yield chunk.data;
        position = chunk.toSeq;
      }
      if (!read?.more) return;
    }
  }

  private async forgetOld(): Promise<void> {
    let gone: unknown[];
    do {
      gone = await rows(
        this.database,
        `delete from stream_frame where ctid = any(array(
           select f.ctid from stream_frame f join stream s on s.id = f.stream_id
           where s.ended_at < clock_timestamp() - $1 * interval '1 day' limit 1000))
         returning stream_id`,
        [KEPT_DAYS],
      );
    } while (gone.length > 0);
  }
}
