import { setTimeout as delay } from 'node:timers/promises';
import { FairQueue, type Leave } from '../../infra/runtime/fair-queue.ts';

/** After so many pauses without ending a process, an owner is like any other. */
const PAUSES = 5;

/**
 * Owners whose code has ended sandbox processes lately. A start costs as much processor time as hundreds of executions, so
 * theirs run one at a time, and not before a pause has passed since the last end.
 */
export class Probation {
  /** When code of an owner last ended a process, the oldest first. */
  private readonly ends = new Map<string, number>();
  private readonly turns = new FairQueue({ perKey: 1 });

  constructor(private readonly pauseMs: number) {}

  /** Notes that code of an owner has ended a process. */
  note(owner: string): void {
    const now = performance.now();
    for (const [known, at] of this.ends) {
      if (now - at < PAUSES * this.pauseMs) break;
      this.ends.delete(known);
    }
    this.ends.delete(owner);
    this.ends.set(owner, now);
  }

  has(owner: string): boolean {
    return performance.now() - (this.ends.get(owner) ?? -Infinity) < PAUSES * this.pauseMs;
  }

  /** Waits for the turn of an owner. Rejects with the reason of the signal or of `close`. */
  async enter(owner: string, signal: AbortSignal): Promise<Leave> {
    const leave = await this.turns.enter(owner, signal);
    try {
      const pauseMs = (this.ends.get(owner) ?? -Infinity) + this.pauseMs - performance.now();
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal, ref: false });
      return leave;
    } catch (error) {
      leave();
      throw signal.aborted ? signal.reason : error;
    }
  }

  close(reason: unknown): void {
    this.turns.close(reason);
  }
}
