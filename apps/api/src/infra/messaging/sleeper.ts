import { setTimeout as delay } from 'node:timers/promises';

/** Sleeps that can be cut short; a `wake` while nobody sleeps cuts the next sleep short. */
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
