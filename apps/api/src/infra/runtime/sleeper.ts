import { setTimeout as delay } from 'node:timers/promises';

/** A sleep that can be interrupted. A `wake` without a sleep interrupts the next one. */
export class Sleeper {
  private alarm = new AbortController();

  wake(): void {
    this.alarm.abort();
  }

  async sleep(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.alarm.signal, ref: false }).catch(() => {});
    this.alarm = new AbortController();
  }
}
