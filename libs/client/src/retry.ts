import { PlatformConnectionError, PlatformError } from './errors.ts';
import { backoffDelay, sleep, systemTimer } from './timer.ts';
import type { Backoff, Timer } from './timer.ts';

export interface ReconnectOptions extends Backoff {
  /** New tries in a row that may fail before it is given up; what goes well starts the count anew. */
  attempts: number;
}

export interface RetryOptions {
  reconnect?: Partial<ReconnectOptions>;
  timer?: Timer;
  /** From 0 up to 1, for the jitter between attempts. */
  random?: () => number;
}

const RECONNECT: ReconnectOptions = { attempts: 8, baseDelayMs: 250, maxDelayMs: 10_000 };
const PASSING_STATUSES = [429, 502, 503, 504];

/** Whether the same call may go well a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof PlatformConnectionError) return true;
  return error instanceof PlatformError && PASSING_STATUSES.includes(error.status);
}

/** When to try again, and how often. */
export class Retry {
  readonly timer: Timer;
  readonly attempts: number;
  private readonly backoff: Backoff;
  private readonly random: () => number;

  constructor({ reconnect, timer, random }: RetryOptions) {
    const { attempts, ...backoff } = { ...RECONNECT, ...reconnect };
    this.attempts = attempts;
    this.backoff = backoff;
    this.timer = timer ?? systemTimer;
    this.random = random ?? Math.random;
  }

  /** Waits before the `failures`-th new try, at least as long as the service asked for. */
  pause(failures: number, error: unknown, signal?: AbortSignal): Promise<void> {
    const asked = error instanceof PlatformError ? (error.retryAfter ?? 0) * 1000 : 0;
    return sleep(this.timer, Math.max(asked, backoffDelay(failures, this.backoff, this.random())), signal);
  }

  /** Repeats a call that is safe to repeat until it is answered or the tries are used up. */
  async insist<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await call();
      } catch (error) {
        if (!isPassing(error) || failures > this.attempts) throw error;
        await this.pause(failures, error, signal);
      }
    }
  }
}
