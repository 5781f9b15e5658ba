import { PlatformConnectionError, PlatformError } from './errors.ts';
import { sleep, systemTimer } from './timer.ts';
import type { Timer } from './timer.ts';

interface Backoff {
  /** Delay before the first retry in milliseconds. It doubles with every further retry. */
  baseDelayMs: number;
  maxDelayMs: number;
}

export interface ReconnectOptions extends Backoff {
  /** Consecutive retries that may fail before the client gives up. A success resets the count. */
  attempts: number;
}

interface RetryPolicy extends ReconnectOptions {
  /** HTTP statuses that are worth a retry. A lost connection always is. */
  statuses: readonly number[];
  /** Longest `Retry-After`, in seconds, that the client waits for. */
  maxRetryAfter: number;
}

/** How often a call is repeated by default. */
export const DEFAULT_MAX_RETRIES = 2;
/** Statuses after which the same request may succeed. */
const TRANSIENT = [408, 429, 500, 502, 503, 504];

/** For a single call: a person may be waiting, so it gives up early. */
export const CALL_RETRIES: RetryPolicy = {
  attempts: DEFAULT_MAX_RETRIES,
  baseDelayMs: 250,
  maxDelayMs: 2_000,
  statuses: TRANSIENT,
  // A rate limit that was just used up has room again after little more than a minute.
  maxRetryAfter: 90,
};

/** For a stream, a job, or the result of a local tool: the turn continues while the service is unreachable. */
const TURN_RETRIES: RetryPolicy = {
  attempts: 8,
  baseDelayMs: 250,
  maxDelayMs: 10_000,
  statuses: TRANSIENT,
  maxRetryAfter: Infinity,
};

export interface RetryOptions {
  reconnect?: Partial<ReconnectOptions> | undefined;
  timer?: Timer | undefined;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), used as jitter. */
  random?: (() => number) | undefined;
  onWait?: OnWait | undefined;
}

/** Is told before a call waits to be repeated: for how many milliseconds, and after which error. */
export type OnWait = (delayMs: number, error: unknown) => void;

/** Decides whether and when a failed call is repeated. */
export class Retry {
  readonly timer: Timer;
  private readonly policy: RetryPolicy;
  private readonly random: () => number;
  private readonly onWait: OnWait | undefined;

  constructor(
    { reconnect, timer = systemTimer, random = Math.random, onWait }: RetryOptions,
    policy: RetryPolicy = TURN_RETRIES,
  ) {
    this.policy = { ...policy, ...reconnect };
    this.timer = timer;
    this.random = random;
    this.onWait = onWait;
  }

  /** Whether the same call could succeed a little later. */
  isTransient(error: unknown): boolean {
    if (error instanceof PlatformConnectionError) return true;
    if (!(error instanceof PlatformError)) return false;
    return (
      this.policy.statuses.includes(error.status) && (error.retryAfter ?? 0) <= this.policy.maxRetryAfter
    );
  }

  /** Whether another retry is allowed after this number of consecutive failures. */
  allows(failures: number, attempts = this.policy.attempts): boolean {
    return failures <= attempts;
  }

  /** Waits before the next retry: at least as long as the service requires. */
  wait(failures: number, error: unknown, signal?: AbortSignal): Promise<void> {
    const required = error instanceof PlatformError ? (error.retryAfter ?? 0) * 1000 : 0;
    const delay = Math.max(required, backoffDelay(failures, this.policy, this.random()));
    this.onWait?.(delay, error);
    return sleep(this.timer, delay, signal);
  }

  /**
   * Repeats a call, which receives the number of failures so far. Throws its error if that is permanent, if it may not be
   * repeated, or if no retry is left.
   */
  async run<T>(
    call: (failures: number) => PromiseLike<T>,
    signal?: AbortSignal,
    attempts?: number,
    mayRepeat: (error: unknown) => boolean = () => true,
  ): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await call(failures - 1);
      } catch (error) {
        if (!mayRepeat(error) || !this.isTransient(error) || !this.allows(failures, attempts)) throw error;
        await this.wait(failures, error, signal);
      }
    }
  }
}

/** Returns the milliseconds before retry number 1, 2, …: exponential, between 50 % and 100 % of the full delay. */
export function backoffDelay(retry: number, { baseDelayMs, maxDelayMs }: Backoff, random: number): number {
  const full = Math.min(maxDelayMs, baseDelayMs * 2 ** (retry - 1));
  return full * (0.5 + random / 2);
}
