/** How long a call of a model server may take, in milliseconds. */
export interface CallLimits {
  /** Without anything new from the model, whatever else the server sends, such as comments. */
  stallMs: number;
  /** In total. */
  totalMs: number;
}

/** Watches over the limits of one call. It is asked when bytes arrive; a timer watches over silence. */
export class CallClock {
  private readonly beganAt = performance.now();
  private progressAt = this.beganAt;

  constructor(private readonly limits: CallLimits) {}

  /** The model said something new, or the call was held by its reader. */
  progress(): void {
    this.progressAt = performance.now();
  }

  /** Returns why the call must end, as a sentence, or null if it can go on. */
  overrun(): string | null {
    const now = performance.now();
    if (now - this.progressAt > this.limits.stallMs)
      return "The model's server said nothing new for too long.";
    return now - this.beganAt > this.limits.totalMs ? "The model's server took too long in total." : null;
  }
}
