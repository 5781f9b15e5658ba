import type { Timer } from '../src/timer.ts';

/** Lets no real time pass: delays asked for by name are over at once and remembered, time limits never strike. */
export class FakeTimer implements Timer {
  readonly delays: number[] = [];
  running = 0;
  private readonly limits: readonly number[];

  constructor(options: { limits: readonly number[] }) {
    this.limits = options.limits;
  }

  after(ms: number, callback: () => void): () => void {
    let over = false;
    const finish = () => {
      if (!over) this.running--;
      over = true;
    };
    this.running++;
    if (!this.limits.includes(ms)) {
      this.delays.push(ms);
      queueMicrotask(() => {
        if (over) return;
        finish();
        callback();
      });
    }
    return finish;
  }
}
