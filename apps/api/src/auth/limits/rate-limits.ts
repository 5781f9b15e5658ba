import { AppError } from '../../infra/errors/app-error.ts';
import type { RateKind } from '../../infra/routes/rate-limit.ts';
import { steadyClock, type Clock } from '../../infra/runtime/clock.ts';
import type { Principal } from '../principals/principal.ts';
import { formatPolicy, formatRoom, type LimitHeaders } from './limit-headers.ts';
import { networkOf } from './sign-in-throttle.ts';
import { SlidingWindow } from './sliding-window.ts';

const MINUTE_MS = 60_000;
const MAX_CALLERS = 100_000;

/**
 * Since keys are free, a person's keys have a limit together, and so have the sign-ins: scripts cannot keep a person out. Calls
 * without a credential have the same, because many people can share an address.
 */
const HOLDER_FACTOR = 5;

/** A window that counts a request, and the policy that it is in the headers. */
interface Counted {
  policy: string;
  window: SlidingWindow;
  key: string;
}

/**
 * Counts in this process: the requests of every credential, of all keys and of all sign-ins of a person, of an application,
 * and of an address without a credential; and the events that a space emits, whatever their origin. Limits that must hold
 * over all processes are in `shared-window.ts`.
 */
export class RateLimits {
  private readonly credentials: SlidingWindow;
  private readonly holders: SlidingWindow;
  private readonly addresses: SlidingWindow;
  private readonly emissions: SlidingWindow;
  private readonly policies: Record<RateKind, string>;
  private refused = new Map<string, number>();

  constructor(
    generalPerMinute: number,
    readonly emissionsPerMinute: number,
    clock: Clock = steadyClock,
  ) {
    const perMinute = (limit: number) =>
      new SlidingWindow({ limit, windowMs: MINUTE_MS, maxKeys: MAX_CALLERS }, clock);
    const perHolder = generalPerMinute * HOLDER_FACTOR;
    this.credentials = perMinute(generalPerMinute);
    this.holders = perMinute(perHolder);
    this.addresses = perMinute(perHolder);
    this.emissions = perMinute(emissionsPerMinute);
    const policy = (name: string, limit: number) => formatPolicy(name, { limit, windowMs: MINUTE_MS });
    this.policies = {
      general: `${policy('credential', generalPerMinute)}, ${policy('holder', perHolder)}`,
      emit: policy('space', emissionsPerMinute),
    };
  }

  /** Counts one request; throws RATE_LIMITED at a limit. */
  count(kind: RateKind, principal: Principal): void {
    if (kind === 'emit') {
      this.countEmissions(principal.spaceId, 1);
      return;
    }
    for (const { window, key, policy } of this.countedBy(kind, principal)) {
      const wait = window.hit(key);
      if (wait !== null) throw new AppError('RATE_LIMITED', REFUSALS[policy] ?? '', { retryAfter: wait });
    }
  }

  /** Counts one request without a credential; throws RATE_LIMITED at the limit. */
  countAddress(address: string): void {
    const wait = this.addresses.hit(networkOf(address));
    if (wait !== null)
      throw new AppError('RATE_LIMITED', 'Too many requests from this address', { retryAfter: wait });
  }

  /** The headers of a response: the limits, and the room that the narrowest of them leaves this caller. */
  headersFor(kind: RateKind, principal: Principal): LimitHeaders {
    const rooms = this.countedBy(kind, principal).map(({ policy, window, key }) => ({
      policy,
      ...window.room(key),
    }));
    const narrowest = rooms.reduce((a, b) => (b.remaining < a.remaining ? b : a));
    return { policy: this.policies[kind], limit: formatRoom(narrowest.policy, narrowest) };
  }

  private countedBy(kind: RateKind, principal: Principal): [Counted, ...Counted[]] {
    if (kind === 'emit') return [{ policy: 'space', window: this.emissions, key: principal.spaceId }];
    const { credential } = principal;
    return [
      { policy: 'credential', window: this.credentials, key: credential.id },
      { policy: 'holder', window: this.holders, key: `${credential.kind} ${holderOf(principal)}` },
    ];
  }

  /** Counts events that are emitted together. Throws RATE_LIMITED, and counts none, if the space is at its limit. */
  countEmissions(spaceId: string, count: number): void {
    const wait = this.emissions.hit(spaceId, count);
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

const REFUSALS: Record<string, string> = {
  credential: 'Too many requests with this credential',
  holder: 'Too many requests with all credentials of this holder',
};

/** Whose calls are counted together, whatever their credentials. */
export function holderOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : `${principal.spaceId} ${principal.applicationId}`;
}
