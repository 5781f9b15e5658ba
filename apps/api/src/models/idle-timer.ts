/** Tells when something awaited stays away too long; time in which nobody waits does not count. */
export class IdleTimer {
  expired = false;
  private waiting = false;
  private readonly timer: NodeJS.Timeout;

  constructor(ms: number, onExpired: () => void) {
    this.timer = setTimeout(() => {
      if (!this.waiting) return;
      this.expired = true;
      onExpired();
    }, ms);
  }

  wait(): void {
    this.waiting = true;
    // Cheaper than a timer per token; it also rearms one that ran out while nobody waited.
    this.timer.refresh();
  }

  rest(): void {
    this.waiting = false;
  }

  stop(): void {
    this.waiting = false;
    clearTimeout(this.timer);
  }
}
