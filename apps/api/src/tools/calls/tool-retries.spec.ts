import { defaultRetry, isRetriedStatus, retryDelay } from './tool-retries.ts';

describe('retries', () => {
  it('are the default of verbs that can be repeated', () => {
    const attempts = ['get', 'head', 'options', 'put', 'delete', 'query', 'post', 'patch'].map(
      (verb) => defaultRetry(verb).attempts,
    );
    expect(attempts).toEqual([2, 2, 2, 2, 2, 2, 0, 0]);
  });

  it('follow some statuses only', () => {
    const statuses = [200, 301, 400, 404, 408, 429, 500, 501, 502, 503, 504, 505];
    expect(statuses.filter(isRetriedStatus)).toEqual([429, 502, 503, 504]);
  });

  it('wait twice as long each time, with jitter', () => {
    const retry = { attempts: 5, backoffMs: 100 };
    expect([0, 1, 2].map((failed) => retryDelay(retry, failed, null, 0, 1))).toEqual([100, 200, 400]);
    expect([0, 1, 2].map((failed) => retryDelay(retry, failed, null, 0, 0))).toEqual([50, 100, 200]);
  });

  it.each([
    ['2', 2_000],
    ['1.5', 1_500],
    ['Thu, 01 Jan 1970 00:00:05 GMT', 4_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 100],
    ['0', 100],
    ['soon', 100],
    ['-5', 100],
  ])('wait at least as long as Retry-After: %s', (retryAfter, expected) => {
    expect(retryDelay({ attempts: 1, backoffMs: 100 }, 0, retryAfter, 1_000, 1)).toBe(expected);
  });
});
