const KEPT_BYTES = 256 * 1024;

/** The last part of an answer, for its figures at the end, or for an estimate where there are none. */
export class AnswerTail {
  /** Bytes of the whole answer. */
  total = 0;
  private readonly chunks: Buffer[] = [];
  private kept = 0;

  constructor(private readonly limit = KEPT_BYTES) {}

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.total += chunk.length;
    this.kept += chunk.length;
    for (
      let [oldest] = this.chunks;
      oldest && this.kept - oldest.length >= this.limit;
      [oldest] = this.chunks
    ) {
      this.chunks.shift();
      this.kept -= oldest.length;
    }
  }

  get isWhole(): boolean {
    return this.kept === this.total;
  }

  /** At most so many of the last bytes. */
  last(limit: number): Buffer {
    const kept: Buffer[] = [];
    let length = 0;
    for (let i = this.chunks.length - 1; i >= 0 && length < limit; i--) {
      const chunk = this.chunks[i] as Buffer;
      kept.unshift(chunk);
      length += chunk.length;
    }
    const bytes = Buffer.concat(kept, length);
    return bytes.subarray(Math.max(0, length - limit));
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks, this.kept);
  }
}
