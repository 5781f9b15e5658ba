import { Sleeper } from './sleeper.ts';

/** Polls until it is stopped. */
export class PollLoop {
  private readonly sleeper = new Sleeper();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  /** `poll` never rejects. It resolves to the milliseconds until the next poll, unless `wake` ends the wait earlier. */
  constructor(private readonly poll: () => Promise<number>) {}

  /** Aborts when the loop is to end, so that a poll can end early. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  start(delayMs = 0): void {
    this.running = this.run(delayMs);
  }

  /** Polls now, or once more after the current poll. */
  wake(): void {
    this.sleeper.wake();
  }

  /** Resolves when the current poll has ended; there is no further one. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.sleeper.wake();
    await this.running;
  }

  private async run(delayMs: number): Promise<void> {
    if (delayMs > 0) await this.sleeper.sleep(delayMs);
    while (!this.signal.aborted) await this.sleeper.sleep(await this.poll());
  }
}
