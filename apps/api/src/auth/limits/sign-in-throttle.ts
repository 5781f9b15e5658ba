import ipaddr from 'ipaddr.js';
import { firstRow, type Sql } from '../../infra/database/rows.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { formatPolicy, formatRoom, type UnknownCaller } from './limit-headers.ts';
import { SharedWindow } from './shared-window.ts';

const PER_MINUTE = { limit: 10, windowMs: 60_000 };
const POLICY = ['address', 'account'].map((name) => formatPolicy(name, PER_MINUTE)).join(', ');

/**
 * Limits the guessing of passwords, over all processes: per minute, ten attempts per address and ten failed attempts per
 * account.
 */
export class SignInThrottle {
  private readonly attempts: SharedWindow;

  constructor(
    private readonly sql: Sql,
    secret: Buffer,
  ) {
    this.attempts = new SharedWindow(sql, secret, PER_MINUTE);
  }

  /**
   * Counts an attempt before its password is checked, so that parallel attempts cannot pass. Throws RATE_LIMITED. Tells the room of
   * the address: that of an account would tell strangers of the attempts of others.
   */
  async attempt({ address, tellLimits }: UnknownCaller, email: string): Promise<void> {
    let told = { name: 'address', ...(await this.attempts.hit(`address ${networkOf(address)}`)) };
    if (told.wait === null) {
      const account = await this.attempts.hit(await this.accountOf(email));
      if (account.wait !== null) told = { name: 'account', ...account };
    }
    tellLimits({ policy: POLICY, limit: formatRoom(told.name, told) });
    if (told.wait !== null) {
      throw new AppError('RATE_LIMITED', 'Too many sign-in attempts; try again later', {
        retryAfter: told.wait,
      });
    }
  }

  /** Uncounts a successful attempt for the account. */
  async succeeded(email: string): Promise<void> {
    await this.attempts.undo(await this.accountOf(email));
  }

  /**
   * Addresses that the database treats as one account must be counted as one. Only the database knows which: its `lower()`
   * differs from that of JavaScript (for İ, for example).
   */
  private async accountOf(email: string): Promise<string> {
    const row = await firstRow<{ email: string }>(this.sql, 'select lower($1::text) as email', [email]);
    return `account ${row?.email ?? email}`;
  }
}

/** One person can have a /64 network of IPv6, so addresses are counted by network. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
