import { Sleeper } from './sleeper.ts';

/** The loops of a process that wait at least this long poll together, so that it wakes up less often. */
const TOGETHER_MS = 500;

/** Polls until it is stopped. */
export class PollLoop {
  private readonly sleeper = new Sleeper();
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  /**
   * `poll` never rejects. It resolves to the milliseconds until the next poll, unless `wake` ends the wait earlier, and is
   * told whether it did.
   */
  constructor(private readonly poll: (isWoken: boolean) => Promise<number>) {}

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
    let isWoken = true;
    while (!this.signal.aborted) isWoken = await this.sleeper.sleep(untilNext(await this.poll(isWoken)));
  }
}

/** Shortens a longer wait to the next multiple of it by the clock of the process. A timer must not fire just before it. */
function untilNext(ms: number): number {
  return ms < TOGETHER_MS ? ms : Math.ceil(ms - (performance.now() % ms)) + 1;
}
