import { AppError } from '../infra/http/app-error.ts';
import { SignInThrottle, networkOf } from './sign-in-throttle.ts';

function attemptOf(throttle: SignInThrottle, address: string, email: string): AppError | null {
  try {
    throttle.attempt(address, email);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

describe('SignInThrottle', () => {
  it('refuses the eleventh attempt from one address, whatever the account', () => {
    const throttle = new SignInThrottle({ now: () => 0 });
    for (let i = 0; i < 10; i++) expect(attemptOf(throttle, '192.0.2.1', `user${i}@example.com`)).toBeNull();
    const refused = attemptOf(throttle, '192.0.2.1', 'user@example.com');
    expect(refused?.code).toBe('RATE_LIMITED');
    expect(refused?.retryAfter).toBe(66);
  });

  it('refuses the eleventh failed attempt on one account, whatever the address and case', () => {
    const throttle = new SignInThrottle({ now: () => 0 });
    for (let i = 0; i < 10; i++) expect(attemptOf(throttle, `192.0.2.${i}`, 'Ada@example.com')).toBeNull();
    expect(attemptOf(throttle, '192.0.2.99', 'ada@EXAMPLE.com')?.code).toBe('RATE_LIMITED');
  });

  it('does not count what succeeded against the account', () => {
    const throttle = new SignInThrottle({ now: () => 0 });
    for (let i = 0; i < 50; i++) {
      expect(attemptOf(throttle, `192.0.2.${i}`, 'ada@example.com')).toBeNull();
      throttle.succeeded('ADA@example.com');
    }
  });

  it('opens again with time', () => {
    const clock = { time: 0, now: () => clock.time };
    const throttle = new SignInThrottle(clock);
    for (let i = 0; i < 11; i++) attemptOf(throttle, '192.0.2.1', 'ada@example.com');
    clock.time = 120_000;
    expect(attemptOf(throttle, '192.0.2.1', 'ada@example.com')).toBeNull();
  });
});

describe('networkOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['', ''],
  ])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network));

  it('takes a /64 of IPv6 together', () => {
    expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff::9'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  });
});
