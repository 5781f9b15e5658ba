import { FairQueue } from '../runtime/fair-queue.ts';
import { isLockTimeout, isUnavailable } from './unavailable.ts';

/** The longest wait in a lane that moves; clients give up around then. */
const MAX_WAIT_MS = 60_000;

/**
 * Prevents callers who may have to wait for the same lock from taking every connection: at most half of the pool works
 * for one key. The others wait as long as work with their key succeeds. When nothing succeeds for twice the time to wait
 * for a connection, they fail as if there was none. An error that is no outage comes from a database that responds.
 */
export class Lanes {
  private readonly queue: FairQueue;

  constructor(connections: number, connectMs: number) {
    this.queue = new FairQueue({
      perKey: Math.floor(connections / 2),
      maxWaitMs: MAX_WAIT_MS,
      stall: { ms: 2 * connectMs, isStall: isUnavailable },
    });
  }

  /** Runs work in a lane. It is repeated if it waited too long for a lock while other work with the key made progress. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const end = performance.now() + MAX_WAIT_MS;
    return this.queue.run(key, async () => {
      for (;;) {
        const begunAt = performance.now();
        try {
          return await work();
        } catch (error) {
          const isRepeated =
            isLockTimeout(error) && this.queue.hasMoved(key, begunAt) && performance.now() < end;
          if (!isRepeated) throw error;
        }
      }
    });
  }
}
