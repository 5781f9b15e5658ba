const SMALLEST = 1_024;
/** So many chunks are kept as they came, because a short response is often not read again. */
const MAX_LOOSE_CHUNKS = 64;
const EMPTY: Buffer = Buffer.alloc(0);

/** A buffer that grows, so that many small chunks need not much more memory than a few large ones. */
export class GrowingBuffer {
  length = 0;
  /** The first bytes, contiguous, with room for more. */
  private bytes = EMPTY;
  private joined = 0;
  /** The bytes after them. */
  private loose: Buffer[] = [];

  append(chunk: Buffer): void {
    this.loose.push(chunk);
    this.length += chunk.length;
    if (this.loose.length >= MAX_LOOSE_CHUNKS) this.join();
  }

  /** Discards all but the last bytes. */
  keepLast(count: number): void {
    this.join();
    this.bytes.copyWithin(0, this.length - count, this.length);
    this.joined = this.length = count;
  }

  /** Returns a view of the bytes, valid until the next change. */
  view(): Buffer {
    const [only] = this.loose;
    if (only !== undefined && only.length === this.length) return only;
    this.join();
    return this.bytes.subarray(0, this.length);
  }

  /** Returns the bytes and empties the buffer. */
  take(): Buffer {
    const taken = this.view();
    this.bytes = EMPTY;
    this.length = this.joined = 0;
    this.loose = [];
    return taken;
  }

  private join(): void {
    if (this.length > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(SMALLEST, this.length, this.bytes.length * 2));
      this.bytes.copy(grown, 0, 0, this.joined);
      this.bytes = grown;
    }
    for (const chunk of this.loose) {
      chunk.copy(this.bytes, this.joined);
      this.joined += chunk.length;
    }
    this.loose = [];
  }
}
