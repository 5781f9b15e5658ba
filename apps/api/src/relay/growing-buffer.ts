const SMALLEST = 1_024;

/** Bytes gathered in one piece: many small chunks cost no more memory than a few large ones, and each is copied once. */
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

  /** Keeps the last bytes alone. */
  keepLast(count: number): void {
    this.bytes.copyWithin(0, this.length - count, this.length);
    this.length = count;
  }

  /** The bytes as they are; valid until the next change. */
  view(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** The bytes for keeps; the buffer is empty afterwards. */
  take(): Buffer {
    const taken = this.view();
    this.bytes = Buffer.alloc(0);
    this.length = 0;
    return taken;
  }
}
