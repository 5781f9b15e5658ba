/** Calls back if something awaited takes too long. Time in which nothing is awaited does not count. */
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
    // Cheaper than a timer per token. Also rearms a timer that expired while nothing was awaited.
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
