const SMALLEST = 1_024;

/** A contiguous buffer that grows, so that many small chunks need no more memory than a few large ones. */
export class GrowingBuffer {
  length = 0;
  private bytes = Buffer.alloc(0);

  append(chunk: Buffer): void {
    const needed = this.length + chunk.length;
    if (needed > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(SMALLEST, needed, this.bytes.length * 2));
      this.bytes.copy(grown, 0, 0, this.length);
      this.bytes = grown;
    }
    chunk.copy(this.bytes, this.length);
    this.length = needed;
  }

  /** Discards all but the last bytes. */
  keepLast(count: number): void {
    this.bytes.copyWithin(0, this.length - count, this.length);
    this.length = count;
  }

  /** Returns a view of the bytes, valid until the next change. */
  view(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Returns the bytes and empties the buffer. */
  take(): Buffer {
    const taken = this.view();
    this.bytes = Buffer.alloc(0);
    this.length = 0;
    return taken;
  }
}
