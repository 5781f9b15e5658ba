import { GrowingBuffer } from './growing-buffer.ts';

const KEPT_BYTES = 256 * 1024;

/** The last part of a response, from which its usage is read or estimated. */
export class ResponseTail {
  /** The size of the entire response. */
  total = 0;
  private readonly kept = new GrowingBuffer();

  /** Keeps at least `limit` bytes, and less than twice as many. */
  constructor(private readonly limit = KEPT_BYTES) {}

  push(chunk: Buffer): void {
    this.total += chunk.length;
    this.kept.append(chunk);
    if (this.kept.length >= 2 * this.limit) this.kept.keepLast(this.limit);
  }

  get isComplete(): boolean {
    return this.kept.length === this.total;
  }

  bytes(): Buffer {
    return this.kept.view();
  }
}
