const TICK_MS = 50;
/** A longer time without a tick is a pause of the machine. */
const PAUSE_MS = 250;

/** A clock that stands still while the machine pauses, so that a bound on what the service takes holds there as well. */
export class RunningClock {
  private ms = 0;
  private last = performance.now();
  private readonly timer = setInterval(() => this.tick(), TICK_MS);

  /** Milliseconds since its start. */
  now(): number {
    this.tick();
    return this.ms;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const now = performance.now();
    this.ms += Math.min(now - this.last, PAUSE_MS);
    this.last = now;
  }
}
