import { jest } from '@jest/globals';
import type { BackgroundDatabase } from '../../infra/database/database.ts';
import type { CatalogService } from '../../models/catalog/catalog.service.ts';
import type { StreamsService } from '../../streams/streams.service.ts';
import type { UsageService } from '../../usage/usage.service.ts';
import type { TurnTransitionsService } from '../transitions/turn-transitions.service.ts';
import { TurnRecoveryWorker } from './turn-recovery.worker.ts';

const LEASE_MS = 20_000;
const TICK_MS = LEASE_MS / 4;

describe('recovery', () => {
  const query = jest.fn<() => Promise<object[]>>();
  const transaction = jest.fn<() => Promise<null>>();
  let recovery: TurnRecoveryWorker;

  beforeEach(async () => {
    jest.useFakeTimers();
    query.mockReset().mockResolvedValue([{ id: 'turn', streamId: 'stream' }]);
    transaction.mockReset().mockResolvedValue(null);
    recovery = new TurnRecoveryWorker(
      { query, transaction } as unknown as BackgroundDatabase,
      { leaseMs: LEASE_MS, findExpired: async () => ['stream'] } as unknown as StreamsService,
      {} as unknown as CatalogService,
      {} as unknown as UsageService,
      {} as unknown as TurnTransitionsService,
    );
    (recovery as unknown as { logger: object }).logger = { warn: () => undefined };
    recovery.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(LEASE_MS - 1);
    expect(query).not.toHaveBeenCalled();
  });

  afterEach(async () => {
    await recovery.beforeApplicationShutdown();
    jest.useRealTimers();
  });

  const ticks = (count: number) => jest.advanceTimersByTimeAsync(TICK_MS * count);

  it('ends orphans from one lease after its start on', async () => {
    await ticks(1);
    expect(transaction).toHaveBeenCalledTimes(1);
  });

  it('ends the others where one of them cannot be ended', async () => {
    query.mockResolvedValue([{ id: 'bad' }, { id: 'good' }]);
    transaction.mockRejectedValueOnce(new Error('no'));
    await ticks(1);
    expect(transaction).toHaveBeenCalledTimes(2);
    await ticks(1);
    expect(transaction).toHaveBeenCalledTimes(4);
  });

  it('waits another lease after the database hung', async () => {
    query.mockImplementationOnce(async () => {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS + 1));
      return [{ id: 'living' }];
    });
    await ticks(5);
    expect(transaction).not.toHaveBeenCalled();
    await ticks(2);
    expect(transaction).toHaveBeenCalled();
  });

  it('waits another lease after the database failed', async () => {
    query.mockRejectedValueOnce(new Error('gone'));
    await ticks(4);
    expect([query.mock.calls.length, transaction.mock.calls.length]).toEqual([1, 0]);
    await ticks(1);
    expect(transaction).toHaveBeenCalledTimes(1);
  });

  it('waits another lease after the process was paused', async () => {
    await ticks(1);
    const now = jest.spyOn(performance, 'now');
    const before = performance.now();
    now.mockReturnValue(before + 5 * LEASE_MS);
    await ticks(1);
    now.mockReturnValue(before + 5.25 * LEASE_MS);
    await ticks(1);
    expect(transaction).toHaveBeenCalledTimes(1);
    now.mockRestore();
  });
});
