import { isUnavailable } from './unavailable.ts';

interface Lane {
  running: number;
  /** In the order of their arrival. */
  waiting: Set<() => void>;
  /** When the database last completed work of this lane. */
  movedAt: number;
}

/** The longest wait in a lane that moves; clients give up around then. */
const MAX_WAIT_MS = 60_000;

/**
 * Prevents callers who may have to wait for the same lock from taking every connection: at most half of the pool works
 * for one key. The others wait in line as long as the line moves. When nothing succeeds for twice the time to wait for a
 * connection, they fail as if there was none.
 */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly width: number;
  private readonly stalledMs: number;

  constructor(connections: number, connectMs: number) {
    this.width = Math.floor(connections / 2);
    this.stalledMs = 2 * connectMs;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.laneOf(key);
    if (lane.running < this.width) lane.running++;
    else await this.waitIn(lane);
    try {
      const result = await work();
      lane.movedAt = performance.now();
      return result;
    } catch (error) {
      // A refusal comes from a database that responds.
      if (!isUnavailable(error)) lane.movedAt = performance.now();
      throw error;
    } finally {
      this.leave(key, lane);
    }
  }

  private laneOf(key: string): Lane {
    const lane = this.lanes.get(key) ?? { running: 0, waiting: new Set(), movedAt: performance.now() };
    this.lanes.set(key, lane);
    return lane;
  }

  /** The next in line takes over the place, so `running` does not change. */
  private leave(key: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next) next();
    else if (--lane.running === 0) this.lanes.delete(key);
  }

  private waitIn(lane: Lane): Promise<void> {
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        lane.waiting.delete(enter);
        resolve();
      };
      const check = () => {
        const now = performance.now();
        const remaining = Math.min(
          Math.max(since, lane.movedAt) + this.stalledMs - now,
          since + MAX_WAIT_MS - now,
        );
        if (remaining > 0) {
          timer = setTimeout(check, remaining);
          return;
        }
        lane.waiting.delete(enter);
        const message = `Other work that locks the same rows kept this call waiting for ${Math.round(now - since)} ms`;
        reject(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
      };
      let timer = setTimeout(check, this.stalledMs);
      lane.waiting.add(enter);
    });
  }
}
