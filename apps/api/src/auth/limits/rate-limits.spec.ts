import { jest } from '@jest/globals';
import type { AppError } from '../../infra/errors/app-error.ts';
import type { Principal, UserPrincipal } from '../principals/principal.ts';
import { RateLimits } from './rate-limits.ts';

const user = (userId: string, key: string): UserPrincipal => ({
  kind: 'user',
  userId,
  spaceId: 's',
  role: 'MEMBER',
  credential: { kind: 'api-key', id: key, scopes: [] },
  causationRunId: null,
});

const application = (applicationId: string, key: string): Principal => ({
  kind: 'application',
  applicationId,
  identifier: 'crm',
  isInstalled: true,
  spaceId: 's',
  credential: { kind: 'system-key', id: key },
  causationRunId: null,
});

function refusals(limits: RateLimits, times: number, kind: 'general' | 'emit', principal: Principal): number {
  let refused = 0;
  for (let i = 0; i < times; i++) {
    try {
      limits.count(kind, principal);
    } catch (error) {
      expect((error as AppError).code).toBe('RATE_LIMITED');
      expect((error as AppError).retryAfter).toBeGreaterThan(0);
      refused++;
    }
  }
  return refused;
}

describe('RateLimits', () => {
  const clock = { now: () => 0 };

  it('counts each credential on its own, and all keys of a person together', () => {
    const limits = new RateLimits(10, 30, clock);
    for (let key = 1; key <= 5; key++) {
      expect(refusals(limits, 12, 'general', user('ada', `key ${key}`))).toBe(2);
    }
    expect(refusals(limits, 3, 'general', user('ada', 'key 6'))).toBe(3);
    expect(refusals(limits, 10, 'general', user('eve', 'key 7'))).toBe(0);
  });

  it('leaves a person whose keys are at their limit signed in', () => {
    const limits = new RateLimits(10, 30, clock);
    for (let key = 1; key <= 6; key++) refusals(limits, 10, 'general', user('ada', `key ${key}`));
    const signedIn: Principal = { ...user('ada', ''), credential: { kind: 'access-token', id: 'session 1' } };
    expect(refusals(limits, 11, 'general', signedIn)).toBe(1);
    expect(limits.headersFor('general', signedIn)).toEqual({
      policy: '"credential";q=10;w=60, "holder";q=50;w=60',
      limit: '"credential";r=0;t=60',
    });
  });

  it('tells the room that the narrowest limit leaves', () => {
    const limits = new RateLimits(10, 30, clock);
    for (let key = 1; key <= 5; key++) refusals(limits, 9, 'general', application('crm', `key ${key}`));
    const limit = (key: string) => limits.headersFor('general', application('crm', key)).limit;
    expect([limit('key 1'), limit('key 6')]).toEqual(['"credential";r=1;t=60', '"holder";r=5;t=60']);
    refusals(limits, 4, 'emit', application('crm', 'key 1'));
    expect(limits.headersFor('emit', application('crm', 'key 2'))).toEqual({
      policy: '"space";q=30;w=60',
      limit: '"space";r=26;t=60',
    });
  });

  it('counts what comes without a credential by address, with room for many people', () => {
    const limits = new RateLimits(10, 30, clock);
    for (let i = 0; i < 50; i++) limits.countAddress(i % 2 === 0 ? '2001:db8::1' : '2001:db8::2');
    expect(() => limits.countAddress('2001:db8::3')).toThrow('Too many requests from this address');
    limits.countAddress('192.0.2.1');
    expect(refusals(limits, 10, 'general', application('crm', 'key'))).toBe(0);
  });

  it('counts the events of a space together, whoever emits them, apart from requests', () => {
    const limits = new RateLimits(10, 30, clock);
    expect(refusals(limits, 20, 'emit', application('crm', 'key'))).toBe(0);
    limits.countEmissions('s', 5);
    expect(refusals(limits, 7, 'emit', application('shop', 'key'))).toBe(2);
    expect(() => limits.countEmissions('s', 1)).toThrow('The space emits at most 30 events per minute');
    limits.countEmissions('another', 1);
    expect(refusals(limits, 10, 'general', application('crm', 'key'))).toBe(0);
  });

  it('does not wait for the clock of the system, which can be set back', () => {
    const limits = new RateLimits(10, 30);
    const ada = user('ada', 'key');
    expect(refusals(limits, 11, 'general', ada)).toBe(1);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now - 3_600_000);
    expect(limits.headersFor('general', ada).limit).toMatch(/^"credential";r=0;t=(59|60)$/);
  });

  it('takes events that are emitted together as a whole, and waits until they have faded', () => {
    const limits = new RateLimits(10, 30, clock);
    limits.countEmissions('s', 100);
    let wait = 0;
    try {
      limits.countEmissions('s', 1);
    } catch (error) {
      wait = (error as AppError).retryAfter ?? 0;
    }
    expect(wait).toBeGreaterThan(100);
  });
});
