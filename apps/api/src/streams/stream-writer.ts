import type { FrameMethod, ProductEventFields, ProductEventName } from '@platform/contracts';
import type { FlushLoop, FrameSource } from './flush-loop.ts';
import { splitDelta, draft, encodeFrame, productEvent, type Draft } from './frame.ts';
import { endStream, lockLease, openStream, shareLease, type Batch, type Lease } from './stream-log.store.ts';
import type { PreparedSql } from '../infra/database/rows.ts';

/** With more unstored bytes than this, the producer has to wait. */
const MAX_UNSTORED = 1024 * 1024;
/** A producer with less text than this is slow enough that its pieces are read together. */
const PACED_TEXT = 1024;
/** The maximum size of a row of the log, which bounds what its readers keep in memory. */
const MAX_ROW = 64 * 1024;

export class LeaseLost extends Error {
  constructor() {
    super('The lease on the stream was lost');
  }
}

/**
 * Writes one stream and is the only place that assigns `seq`. The flush loop stores the frames before they are sent.
 * `signal` aborts with the reason `LeaseLost` when the lease is lost.
 */
export class StreamWriter implements Lease, FrameSource {
  private readonly lost = new AbortController();
  private frames: string[] = [];
  private bytes = 0;
  private text = '';
  private fromSeq: number;
  private waiting: (() => void)[] = [];
  /** The batch that is being stored; it is retried unchanged until it is acknowledged. */
  private sending: Batch | null = null;
  /** Whether the next delta is the first of the stream, which is flushed immediately. */
  private urgent = true;

  constructor(
    private readonly loop: FlushLoop,
    readonly streamId: string,
    readonly fencingToken: string,
    readonly segment: number,
    private seq = 0,
  ) {
    this.fromSeq = seq + 1;
  }

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  get lastSeq(): number {
    return this.seq;
  }

  /** Appends a piece of the answer. The pieces of one flush become one `content-delta`. */
  writeDelta(text: string): void {
    this.text += text;
    this.bytes += text.length;
    this.loop.wake(this, this.urgent);
    this.urgent = false;
  }

  /** Appends a product event. */
  writeEvent<N extends ProductEventName>(name: N, fields: ProductEventFields[N]): void {
    this.append(productEvent(name, fields));
  }

  /** Appends a frame with one of LangGraph's own methods. */
  writeFrame(method: Exclude<FrameMethod, 'custom:platform'>, data: object): void {
    this.append(draft(method, data));
  }

  /** Whether the producer should `waitForRoom()` because too many bytes are unstored. */
  get isFull(): boolean {
    return this.bytes > MAX_UNSTORED;
  }

  /** Resolves when enough frames are stored, or when the lease is lost. */
  async waitForRoom(): Promise<void> {
    while (this.isFull && !this.signal.aborted) await this.waitForFlush();
  }

  /** When the producer should read on: after a little text with the next flush, after much text at once (null). */
  pace(): Promise<void> | null {
    return this.text !== '' && this.text.length < PACED_TEXT && !this.signal.aborted
      ? this.loop.nextFlush()
      : null;
  }

  /** Resolves when all frames are stored; rejects if the lease is lost. */
  async flush(): Promise<void> {
    while (this.hasUnstored && !this.signal.aborted) await this.waitForFlush();
    this.signal.throwIfAborted();
  }

  /** Stores the stream and its first frames. */
  async open(tx: PreparedSql, leaseMs: number): Promise<void> {
    // Taken synchronously: the flush loop must not see frames of a stream that is not committed.
    const batch = this.cutBatch();
    if (batch === null) throw new Error('A stream is opened with its first frames');
    await openStream(tx, { ...batch, segment: this.segment }, leaseMs);
  }

  /**
   * Writes the closing frames, adds `stream-ended`, and ends the stream. Returns the batch for `publishEnd()`; throws
   * `LeaseLost` if the lease was lost. Can be called again after the transaction failed.
   */
  async end(tx: PreparedSql, closing: (writer: StreamWriter) => void): Promise<Batch> {
    await this.flush();
    const before = { seq: this.seq, fromSeq: this.fromSeq };
    closing(this);
    this.sealText();
    this.append(productEvent('stream.ended', { lastSeq: this.seq + 1 }));
    const batch = this.cutBatch();
    // If the transaction fails, it is retried with the same numbers.
    this.seq = before.seq;
    this.fromSeq = before.fromSeq;
    if (batch === null || !(await endStream(tx, batch))) {
      this.abandon();
      throw new LeaseLost();
    }
    return batch;
  }

  /** Publishes the end to the readers, after the closing transaction has committed. */
  publishEnd(batch: Batch): void {
    this.seq = batch.toSeq;
    this.loop.publishEnd(batch);
    this.wakeWaiting();
  }

  /** Throws `LeaseLost` if another process has taken the stream. If not, none can until the transaction ends. */
  async assertLease(tx: PreparedSql): Promise<void> {
    if (await shareLease(tx, this)) return;
    this.abandon();
    throw new LeaseLost();
  }

  /**
   * Like `assertLease`, before the stream is ended. Returns whether a cancel was requested; later requests wait for the
   * end of the transaction.
   */
  async lockForEnd(tx: PreparedSql): Promise<boolean> {
    const locked = await lockLease(tx, this);
    if (locked !== null) return locked.cancelRequested;
    this.abandon();
    throw new LeaseLost();
  }

  /** Stops writing because the lease is lost. */
  abandon(): void {
    if (!this.signal.aborted) this.lost.abort(new LeaseLost());
    this.wakeWaiting();
  }

  get hasUnstored(): boolean {
    return this.sending !== null || this.frames.length > 0 || this.text !== '';
  }

  takeBatch(): Batch | null {
    this.sending ??= this.cutBatch(MAX_ROW);
    return this.sending;
  }

  get isBacklogged(): boolean {
    return this.bytes >= MAX_ROW;
  }

  acknowledge(): void {
    this.sending = null;
    this.bytes = this.text.length + this.frames.reduce((sum, frame) => sum + frame.length, 0);
    this.wakeWaiting();
  }

  private append(frame: Draft): void {
    this.sealText();
    this.push(frame, Date.now());
    this.loop.wake(this, false);
  }

  private sealText(): void {
    if (this.text === '') return;
    const now = Date.now();
    for (const delta of splitDelta(this.text)) this.push(productEvent('content.delta', { delta }), now);
    this.text = '';
  }

  private push(frame: Draft, now: number): void {
    const encoded = encodeFrame(this.segment, ++this.seq, frame, now);
    this.frames.push(encoded);
    this.bytes += encoded.length;
  }

  /** Takes the oldest frames: at most `maxBytes`, but at least one frame. */
  private cutBatch(maxBytes = Infinity): Batch | null {
    this.sealText();
    if (this.frames.length === 0) return null;
    let count = 0;
    for (let bytes = 0; count < this.frames.length; count++) {
      bytes += Buffer.byteLength(this.frames[count] ?? '');
      if (bytes > maxBytes && count > 0) break;
    }
    const { streamId, fencingToken, fromSeq } = this;
    const data = Buffer.from(this.frames.splice(0, count).join(''));
    this.fromSeq += count;
    return { streamId, fencingToken, fromSeq, toSeq: this.fromSeq - 1, data };
  }

  private waitForFlush(): Promise<void> {
    this.loop.wake(this, false);
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private wakeWaiting(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
