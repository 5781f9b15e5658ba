import { retryDelayMs } from './webhook-schedule.ts';

describe('retryDelayMs', () => {
  it('waits longer each time, and gives up after the eighth attempt', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map(retryDelayMs);
    expect(delays).toEqual([5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 43_200_000, null]);
  });
});
