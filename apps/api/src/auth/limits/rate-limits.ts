import { AppError } from '../../infra/errors/app-error.ts';
import { EMITS_PER_MINUTE, type RateKind } from '../../infra/routes/rate-limit.ts';
import { systemClock, type Clock } from '../../infra/runtime/clock.ts';
import type { Principal } from '../principals/principal.ts';
import { SlidingWindow } from './sliding-window.ts';

const MINUTE_MS = 60_000;
const MAX_CALLERS = 100_000;

/**
 * Counts the requests of every caller in this process: of a person over all keys and sign-ins, since keys are free,
 * and of an application. Limits that must hold over all processes are in `shared-window.ts`.
 */
export class RateLimits {
  private readonly windows: Record<RateKind, SlidingWindow>;

  constructor(generalPerMinute: number, clock: Clock = systemClock) {
    const perMinute = (limit: number) =>
      new SlidingWindow({ limit, windowMs: MINUTE_MS, maxKeys: MAX_CALLERS }, clock);
    this.windows = { general: perMinute(generalPerMinute), emit: perMinute(EMITS_PER_MINUTE) };
  }

  /** Counts one request; throws RATE_LIMITED at the limit. */
  count(kind: RateKind, principal: Principal): void {
    const wait = this.windows[kind].hit(callerOf(principal));
    if (wait !== null) throw new AppError('RATE_LIMITED', 'Too many requests', { retryAfter: wait });
  }
}

function callerOf(principal: Principal): string {
  return principal.kind === 'user'
    ? `user ${principal.userId}`
    : `application ${principal.spaceId} ${principal.applicationId}`;
}
