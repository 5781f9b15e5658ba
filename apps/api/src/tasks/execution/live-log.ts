import type { StepLog } from '../runs/run-budget.ts';

const INTERVAL_MS = 1_000;

/** The log of a step that executes: stored while it grows, at most once per second, and first a second after the step started. */
export class LiveLog {
  private storedAt = performance.now();
  private storedLength = 0;
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;

  /** `store` may fail: the end of the step stores the log in any case. */
  constructor(
    private readonly log: StepLog,
    private readonly store: (text: string) => Promise<void>,
  ) {}

  add(line: string): void {
    this.log.add(line);
    this.schedule();
  }

  /** The step has ended. Returns its log. */
  close(): string {
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
    return this.log.text;
  }

  private schedule(): void {
    if (this.timer !== null || this.isClosed || this.log.length === this.storedLength) return;
    const leftMs = this.storedAt + INTERVAL_MS - performance.now();
    this.timer = setTimeout(() => void this.write(), Math.max(0, leftMs)).unref();
  }

  private async write(): Promise<void> {
    const { text, length } = this.log;
    this.storedAt = performance.now();
    try {
      await this.store(text);
      this.storedLength = length;
    } catch {
      // The next write, or the end of the step, stores all of it.
    }
    this.timer = null;
    this.schedule();
  }
}
