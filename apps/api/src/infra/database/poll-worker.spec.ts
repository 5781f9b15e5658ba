import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PlatformConfig } from '../config/platform-config.ts';
import { PollWorker } from './poll-worker.ts';

class FailingWorker extends PollWorker {
  polls = 0;
  readonly recovered = Promise.withResolvers<undefined>();

  constructor(isWorker: boolean) {
    super({ isWorker } as PlatformConfig, { failure: 'Nothing could be done', retryMs: 1 });
  }

  protected poll(): Promise<number> {
    this.polls += 1;
    if (this.polls === 1) return Promise.reject(new Error('away'));
    this.recovered.resolve(undefined);
    return Promise.resolve(60_000);
  }
}

describe('a poll worker', () => {
  it('polls again after a failure, which it logs, until the process ends', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const worker = new FailingWorker(true);
    worker.onApplicationBootstrap();
    await worker.recovered.promise;
    expect(warn.mock.calls).toEqual([[{ err: new Error('away') }, 'Nothing could be done; retrying']]);
    worker.onModuleDestroy();
    await worker.beforeApplicationShutdown();
    expect(worker.polls).toBe(2);
    warn.mockRestore();
  });

  it('does nothing in a process that only serves requests', async () => {
    const worker = new FailingWorker(false);
    worker.onApplicationBootstrap();
    await worker.beforeApplicationShutdown();
    expect(worker.polls).toBe(0);
  });
});
