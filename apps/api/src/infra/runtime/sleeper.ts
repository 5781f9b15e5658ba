import { setTimeout as delay } from 'node:timers/promises';

/** A sleep that can be interrupted. A `wake` without a sleep interrupts the next one. */
export class Sleeper {
  private alarm = new AbortController();

  wake(): void {
    this.alarm.abort();
  }

  /** Returns whether the sleep was interrupted. */
  async sleep(ms: number): Promise<boolean> {
    await delay(ms, undefined, { signal: this.alarm.signal, ref: false }).catch(() => {});
    const { aborted } = this.alarm.signal;
    this.alarm = new AbortController();
    return aborted;
  }
}
