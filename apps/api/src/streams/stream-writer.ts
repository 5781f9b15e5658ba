import type { FrameMethod, ProductEventFields, ProductEventName } from '@platform/contracts';
import type { FlushLoop } from './flush-loop.ts';
import { splitDelta, draft, encodeFrame, productEvent, type Draft } from './frame.ts';
import { endStream, insertFrames, openStream, type Batch, type Lease } from './stream-log.store.ts';
import { firstRow, type Sql } from '../infra/database/rows.ts';

/** Beyond this many unstored bytes the producer has to wait. */
const MAX_UNSTORED = 1024 * 1024;
/** A row of the log is no longer, so that whoever reads it again holds no more. */
const MAX_ROW = 64 * 1024;

export class LeaseLost extends Error {
  constructor() {
    super('The fencingToken on the stream was lost');
  }
}

/**
 * Writes one stream: the one place where `seq` is stamped. Frames are stored by the flush loop and only then sent.
 * `signal` aborts when the lease is lost (reason `LeaseLost`).
 */
export class StreamWriter implements Lease {
  private readonly lost = new AbortController();
  private frames: string[] = [];
  private bytes = 0;
  private text = '';
  private fromSeq: number;
  private waiting: (() => void)[] = [];
  /** The batch on its way to the database; sent again unchanged until it is known to be stored. */
  private sending: Batch | null = null;
  /** Whether this stream has not yet sent a delta: the first is not made to wait. */
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

  /** Appends a piece of the answer; the pieces of one flush travel as one `content-delta`. */
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

  /** Appends a frame of LangGraph's own methods. */
  writeFrame(method: Exclude<FrameMethod, 'custom:platform'>, data: object): void {
    this.append(draft(method, data));
  }

  /** Whether so much is unstored that the producer should wait for `room()`. */
  get isFull(): boolean {
    return this.bytes > MAX_UNSTORED;
  }

  /** Resolves once the unstored frames fit again, or the lease is lost. */
  async waitForRoom(): Promise<void> {
    while (this.isFull && !this.signal.aborted) await this.waitForFlush();
  }

  /** Resolves when the next flush of this stream is over; rejects where the lease was lost. */
  async flush(): Promise<void> {
    while (this.hasUnstored && !this.signal.aborted) await this.waitForFlush();
    this.signal.throwIfAborted();
  }

  /** Opens the stream with the frames so far, inside the transaction of whoever claims. */
  async open(tx: Sql, leaseMs: number): Promise<void> {
    // Cut at once: the flush loop must not meet frames of a stream that is not committed yet.
    const batch = this.cutBatch();
    await openStream(tx, this, leaseMs);
    if (batch) await insertFrames(tx, this.streamId, batch);
  }

  /**
   * Stores the last frames and ends the stream inside the closing transaction; `stream-ended` is added here.
   * Answers the batch for `ended()`, or throws `LeaseLost`. May be called again after the transaction failed.
   */
  async end(tx: Sql, closing: (writer: StreamWriter) => void): Promise<Batch> {
    await this.flush();
    const before = { seq: this.seq, fromSeq: this.fromSeq };
    closing(this);
    this.sealText();
    this.append(productEvent('stream.ended', { lastSeq: this.seq + 1 }));
    const batch = this.cutBatch();
    // A transaction that fails is made again from the start, with the same numbers.
    this.seq = before.seq;
    this.fromSeq = before.fromSeq;
    if (batch === null || !(await endStream(tx, batch))) {
      this.abandon();
      throw new LeaseLost();
    }
    return batch;
  }

  /** Tells the readers of the end; called after the closing transaction has committed. */
  publishEnd(batch: Batch): void {
    this.seq = batch.toSeq;
    this.loop.publishEnd(batch);
    this.wakeWaiting();
  }

  /** Throws `LeaseLost` where another process has taken the stream; else nobody can until the transaction ends. */
  async assertLease(tx: Sql): Promise<void> {
    const held = await firstRow(
      tx,
      'select id from stream where id = $1 and fencing_token = $2 and ended_at is null for share',
      [this.streamId, this.fencingToken],
    );
    if (held !== null) return;
    this.abandon();
    throw new LeaseLost();
  }

  /**
   * As `assertHeld`, before the stream is ended: whether somebody has wished it cancelled. Who wishes that later waits
   * for the end of the transaction and learns how it ended.
   */
  async lockForEnd(tx: Sql): Promise<boolean> {
    const held = await firstRow<{ cancelRequested: boolean }>(
      tx,
      `select cancel_requested_at is not null as "cancelRequested" from stream
       where id = $1 and fencing_token = $2 and ended_at is null for no key update`,
      [this.streamId, this.fencingToken],
    );
    if (held !== null) return held.cancelRequested;
    this.abandon();
    throw new LeaseLost();
  }

  abandon(): void {
    if (!this.signal.aborted) this.lost.abort(new LeaseLost());
    this.wakeWaiting();
  }

  get hasUnstored(): boolean {
    return this.sending !== null || this.frames.length > 0 || this.text !== '';
  }

  /** For the flush loop: what is to be stored now; the same answer until `settle`. */
  takeBatch(): Batch | null {
    this.sending ??= this.cutBatch(MAX_ROW);
    return this.sending;
  }

  /** For the flush loop: whether a whole row waits to be stored. */
  get isBacklogged(): boolean {
    return this.bytes >= MAX_ROW;
  }

  /** For the flush loop: the batch of `take` is stored. */
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

  /** Takes the oldest frames, at least one, in at most so many bytes. */
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
