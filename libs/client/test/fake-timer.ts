import type { Timer } from '../src/timer.ts';

/** Completes delays immediately and records them. Timeouts in `limits` never fire. */
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
