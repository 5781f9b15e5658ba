import { setTimeout as delay } from 'node:timers/promises';
import { FairQueue, type Leave } from '../../infra/runtime/fair-queue.ts';

/** After so many pauses without ending a process, an owner is like any other. */
const PAUSES = 5;
/** Each further process that an owner ends doubles the pause, so many times. */
const MAX_DOUBLINGS = 3;

interface Ending {
  /** When code of the owner last ended a process. */
  at: number;
  pauseMs: number;
}

/**
 * Owners whose code has ended sandbox processes lately. A start costs as much processor time as hundreds of executions, so
 * theirs run one at a time, and not before a pause has passed since the last end.
 */
export class Probation {
  /** The ends of each owner, the latest last. */
  private readonly ends = new Map<string, Ending>();
  private readonly turns = new FairQueue({ perKey: 1 });

  constructor(
    /** After the first end. */
    private readonly pauseMs: number,
  ) {}

  /** Notes that code of an owner has ended a process. */
  note(owner: string): void {
    const now = performance.now();
    const before = this.find(owner);
    const longest = this.pauseMs * 2 ** MAX_DOUBLINGS;
    // Those that ran at the same time are one.
    const factor = before !== null && now - before.at > before.pauseMs / 2 ? 2 : 1;
    const pauseMs = Math.min((before?.pauseMs ?? this.pauseMs) * factor, longest);
    this.ends.delete(owner);
    this.ends.set(owner, { at: now, pauseMs });
    this.forget(PAUSES * longest);
  }

  has(owner: string): boolean {
    return this.find(owner) !== null;
  }

  /** Waits for the turn of an owner. Rejects with the reason of the signal or of `close`. */
  async enter(owner: string, signal: AbortSignal): Promise<Leave> {
    const leave = await this.turns.enter(owner, signal);
    try {
      const last = this.find(owner);
      const waitMs = last === null ? 0 : last.at + last.pauseMs - performance.now();
      if (waitMs > 0) await delay(waitMs, undefined, { signal, ref: false });
      return leave;
    } catch (error) {
      leave();
      throw signal.aborted ? signal.reason : error;
    }
  }

  close(reason: unknown): void {
    this.turns.close(reason);
  }

  private find(owner: string): Ending | null {
    const last = this.ends.get(owner);
    return last && performance.now() - last.at < PAUSES * last.pauseMs ? last : null;
  }

  private forget(afterMs: number): void {
    const now = performance.now();
    for (const [owner, { at }] of this.ends) {
      if (now - at < afterMs) break;
      this.ends.delete(owner);
    }
  }
}
