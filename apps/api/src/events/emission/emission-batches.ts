const MAX_ROWS = 64;
const MAX_SIZE = 1_000_000;
/** How many batches are written at the same time. */
const MAX_WRITING = 2;
/** How many rows of failed batches are written alone at the same time. */
const MAX_ALONE = 4;

interface Options<Row, Result> {
  /** Writes rows in one transaction. Returns one result per row. */
  write: (rows: readonly Row[]) => Promise<Result[]>;
  /** The order of the rows within a batch. */
  compare: (a: Row, b: Row) => number;
  sizeOf: (row: Row) => number;
  /** Whether a failure concerns single rows. Any other one concerns the whole batch. */
  isSeparable: (error: unknown) => boolean;
}

interface Waiting<Row, Result> {
  row: Row;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Combines rows into batches: while one is being written, the next one collects, and is written beside it once it is full.
 * Rows that come together stay together.
 */
export class EmissionBatches<Row, Result> {
  private waiting: Waiting<Row, Result>[][] = [];
  private alone: Waiting<Row, Result>[] = [];
  private waitingRows = 0;
  private writing = 0;
  private writingAlone = 0;

  constructor(private readonly options: Options<Row, Result>) {}

  /** Resolves when the row is written. */
  add(row: Row): Promise<Result> {
    return new Promise((resolve, reject) => this.enqueue([{ row, resolve, reject }]));
  }

  /** Writes the rows in one batch. Resolves when each is written or has failed. */
  addAll(rows: readonly Row[]): Promise<PromiseSettledResult<Result>[]> {
    const group: Waiting<Row, Result>[] = [];
    const results = rows.map(
      (row) => new Promise<Result>((resolve, reject) => group.push({ row, resolve, reject })),
    );
    if (group.length > 0) this.enqueue(group);
    return Promise.allSettled(results);
  }

  private enqueue(group: Waiting<Row, Result>[]): void {
    this.waiting.push(group);
    this.waitingRows += group.length;
    this.writeWaiting();
  }

  private writeWaiting(): void {
    while (
      this.waitingRows > 0 &&
      (this.writing === 0 || (this.writing < MAX_WRITING && this.waitingRows >= MAX_ROWS))
    )
      void this.writeNext();
  }

  private async writeNext(): Promise<void> {
    const batch = this.waiting.splice(0, this.nextLength()).flat();
    this.waitingRows -= batch.length;
    batch.sort((a, b) => this.options.compare(a.row, b.row));
    this.writing++;
    await this.write(batch);
    this.writing--;
    this.writeWaiting();
  }

  /** How many groups fit into the next batch: one of any size, or several within the limits. */
  private nextLength(): number {
    let count = 0;
    let size = 0;
    const end = this.waiting.findIndex((group, i) => {
      count += group.length;
      for (const { row } of group) size += this.options.sizeOf(row);
      return i > 0 && (count > MAX_ROWS || size > MAX_SIZE);
    });
    return end < 0 ? this.waiting.length : end;
  }

  private async write(batch: Waiting<Row, Result>[]): Promise<void> {
    try {
      const results = await this.options.write(batch.map(({ row }) => row));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
    } catch (error) {
      if (batch.length === 1 || !this.options.isSeparable(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      this.alone.push(...batch);
      while (this.writingAlone < Math.min(MAX_ALONE, this.alone.length)) void this.writeAlone();
    }
  }

  /** Next to the batches: a row that waits for a lock must not delay the others. */
  private async writeAlone(): Promise<void> {
    this.writingAlone++;
    for (let next = this.alone.shift(); next !== undefined; next = this.alone.shift())
      await this.write([next]);
    this.writingAlone--;
  }
}
