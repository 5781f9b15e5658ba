import { AppError } from '../../infra/errors/app-error.ts';
import type { RateKind } from '../../infra/routes/rate-limit.ts';
import { systemClock, type Clock } from '../../infra/runtime/clock.ts';
import type { Principal } from '../principals/principal.ts';
import { SlidingWindow } from './sliding-window.ts';

const MINUTE_MS = 60_000;
const MAX_CALLERS = 100_000;

/**
 * Counts in this process: the requests of every caller, of a person over all keys and sign-ins, since keys are free, and of an
 * application; and the events that a space emits, whatever their origin. Limits that must hold over all processes are in `shared-window.ts`.
 */
export class RateLimits {
  private readonly windows: Record<RateKind, SlidingWindow>;
  private refused = new Map<string, number>();

  constructor(
    generalPerMinute: number,
    readonly emissionsPerMinute: number,
    clock: Clock = systemClock,
  ) {
    const perMinute = (limit: number) =>
      new SlidingWindow({ limit, windowMs: MINUTE_MS, maxKeys: MAX_CALLERS }, clock);
    this.windows = { general: perMinute(generalPerMinute), emit: perMinute(emissionsPerMinute) };
  }

  /** Counts one request; throws RATE_LIMITED at the limit. */
  count(kind: RateKind, principal: Principal): void {
    if (kind === 'emit') {
      this.countEmissions(principal.spaceId, 1);
      return;
    }
    const wait = this.windows[kind].hit(callerOf(principal));
    if (wait !== null) throw new AppError('RATE_LIMITED', 'Too many requests', { retryAfter: wait });
  }

  /** Counts events that are emitted together. Throws RATE_LIMITED, and counts none, if the space is at its limit. */
  countEmissions(spaceId: string, count: number): void {
    const wait = this.windows.emit.hit(spaceId, count);
    if (wait === null) return;
    this.refused.set(spaceId, (this.refused.get(spaceId) ?? 0) + count);
    const message = `The space emits at most ${this.emissionsPerMinute} events per minute`;
    throw new AppError('RATE_LIMITED', message, { retryAfter: wait });
  }

  /** Returns how many events of each space were refused since the last call. */
  takeRefused(): Map<string, number> {
    const { refused } = this;
    this.refused = new Map();
    return refused;
  }
}

function callerOf(principal: Principal): string {
  return principal.kind === 'user'
    ? `user ${principal.userId}`
    : `application ${principal.spaceId} ${principal.applicationId}`;
}
