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

  bytes(): Buffer {
    return Buffer.concat(this.chunks, this.kept);
  }
}
