/** A sleep that can be interrupted. A `wake` without a sleep interrupts the next one. */
export class Sleeper {
  private isWoken = false;
  private interrupt: () => void = () => undefined;

  wake(): void {
    this.isWoken = true;
    this.interrupt();
  }

  /** Returns whether the sleep was interrupted. */
  async sleep(ms: number): Promise<boolean> {
    if (!this.isWoken) await this.timeOrWake(ms);
    const { isWoken } = this;
    this.isWoken = false;
    return isWoken;
  }

  /** Without an AbortSignal: the error that it makes costs more than all else of a wake-up. */
  private async timeOrWake(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    this.interrupt = resolve;
    await promise;
    clearTimeout(timer);
  }
}
