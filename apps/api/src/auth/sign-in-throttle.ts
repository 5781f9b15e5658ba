import ipaddr from 'ipaddr.js';
import { systemClock, type Clock } from '../infra/clock.ts';
import { AppError } from '../infra/http/app-error.ts';
import { SlidingWindow } from './sliding-window.ts';

const PER_MINUTE = { limit: 10, windowMs: 60_000 };

/** Slows the guessing of passwords: ten attempts a minute per address, ten failed ones per account. */
export class SignInThrottle {
  private readonly addresses: SlidingWindow;
  private readonly accounts: SlidingWindow;

  constructor(clock: Clock = systemClock) {
    this.addresses = new SlidingWindow(PER_MINUTE, clock);
    this.accounts = new SlidingWindow(PER_MINUTE, clock);
  }

  /** Counts an attempt before its password is checked, so that parallel ones cannot slip by; 429 at the limit. */
  attempt(address: string, email: string): void {
    const wait = this.addresses.hit(networkOf(address)) ?? this.accounts.hit(email.toLowerCase());
    if (wait !== null) {
      throw new AppError('RATE_LIMITED', 'Too many sign-in attempts; try again later', { retryAfter: wait });
    }
  }

  /** The attempt was right, so it does not count against the account. */
  succeeded(email: string): void {
    this.accounts.undo(email.toLowerCase());
  }
}

/** One person has a whole /64 of IPv6, so that is what counts. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
