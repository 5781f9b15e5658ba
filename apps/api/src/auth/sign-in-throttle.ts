import ipaddr from 'ipaddr.js';
import { firstRow, type Sql } from '../infra/database/rows.ts';
import { AppError } from '../infra/http/app-error.ts';
import { SharedWindow } from './shared-window.ts';

const PER_MINUTE = { limit: 10, windowMs: 60_000 };

/**
 * Slows the guessing of passwords, over all processes: ten attempts a minute per address, ten failed ones per account.
 */
export class SignInThrottle {
  private readonly attempts: SharedWindow;

  constructor(
    private readonly sql: Sql,
    secret: Buffer,
  ) {
    this.attempts = new SharedWindow(sql, secret, PER_MINUTE);
  }

  /** Counts an attempt before its password is checked, so that parallel ones cannot slip by; 429 at the limit. */
  async attempt(address: string, email: string): Promise<void> {
    const wait =
      (await this.attempts.hit(`address ${networkOf(address)}`)) ??
      (await this.attempts.hit(await this.accountOf(email)));
    if (wait !== null) {
      throw new AppError('RATE_LIMITED', 'Too many sign-in attempts; try again later', { retryAfter: wait });
    }
  }

  /** The attempt was right, so it does not count against the account. */
  async succeeded(email: string): Promise<void> {
    await this.attempts.undo(await this.accountOf(email));
  }

  /**
   * What the database takes for the same account must be counted as one, and only it knows: its `lower()` and ours
   * differ (İ, for one).
   */
  private async accountOf(email: string): Promise<string> {
    const row = await firstRow<{ email: string }>(this.sql, 'select lower($1::text) as email', [email]);
    return `account ${row?.email ?? email}`;
  }
}

/** One person has a whole /64 of IPv6, so that is what counts. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
