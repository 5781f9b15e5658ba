import { getEventListeners } from 'node:events';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PlatformConfig } from '../config/platform-config.ts';
import type { BackgroundDatabase } from '../database/database.ts';
import type { ClaimedBulkWork } from './bulk-work.store.ts';
import { BulkWorker, type BulkBatch } from './bulk.worker.ts';

const COMPLETE: BulkBatch = { handled: 1, position: null, isComplete: true };

class TestWorker extends BulkWorker<null, BulkBatch> {
  batches: (() => Promise<BulkBatch | null>)[] = [];

  constructor() {
    const database = { query: () => Promise.resolve([]) };
    const kind = { name: 'Work', table: { name: 'work', done: 'done' } };
    super({ isWorker: true } as PlatformConfig, database as unknown as BackgroundDatabase, kind);
  }

  get listeners(): number {
    return getEventListeners(this.signal, 'abort').length;
  }

  work(): Promise<void> {
    return this.execute({ id: 'one', perSecond: 1, position: null } as ClaimedBulkWork<null>);
  }

  protected executeNext(): Promise<BulkBatch | null> {
    return this.batches.shift()?.() ?? Promise.resolve(null);
  }

  protected publish(): Promise<void> {
    return Promise.resolve();
  }
}

describe('a worker of bulk work', () => {
  it('listens for the end of the process only while it executes, however the work ends', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const worker = new TestWorker();
    const ends: (() => Promise<BulkBatch | null>)[] = [
      () => Promise.resolve(null),
      () => Promise.resolve(COMPLETE),
      () => Promise.reject(new Error('broken')),
    ];
    for (const end of ends) {
      worker.batches = [end];
      const work = worker.work();
      expect(worker.listeners).toBe(1);
      await work;
      expect(worker.listeners).toBe(0);
    }
    expect(error).toHaveBeenCalledTimes(1);
    error.mockRestore();
  });

  it('ends its pause when the process ends', async () => {
    const worker = new TestWorker();
    const paused = Promise.withResolvers<undefined>();
    worker.batches = [
      () => {
        paused.resolve(undefined);
        // An hour at this rate.
        return Promise.resolve({ handled: 3_600, position: 'row', isComplete: false });
      },
    ];
    const work = worker.work();
    await paused.promise;
    worker.onModuleDestroy();
    await work;
    expect(worker.listeners).toBe(0);
  });
});
