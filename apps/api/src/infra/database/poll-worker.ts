import {
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { PlatformConfig } from '../config/platform-config.ts';
import { PollLoop } from '../runtime/poll-loop.ts';

interface Polling {
  /** In the log when a poll has failed, such as `Waits could not be ended`. */
  failure: string;
  /** Until the poll after one that has failed. */
  retryMs: number;
  /** Until the first poll. Default: 0. */
  firstMs?: number;
}

/** Polls in processes that work in the background, until they are told to end. */
export abstract class PollWorker
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  protected readonly logger = new Logger(this.constructor.name);
  private readonly loop = new PollLoop((isWoken) => this.pollOrLog(isWoken));

  constructor(
    protected readonly config: PlatformConfig,
    private readonly polling: Polling,
  ) {}

  /** Resolves to the milliseconds until the next poll, unless `wake` ends the wait earlier, and is told whether it did. */
  protected abstract poll(isWoken: boolean): Promise<number>;

  /** Aborts when the process is to end. */
  protected get signal(): AbortSignal {
    return this.loop.signal;
  }

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.loop.start(this.polling.firstMs);
  }

  /** Polls now. Without it, what is due is found a little later. */
  wake(): void {
    this.loop.wake();
  }

  onModuleDestroy(): void {
    void this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  private async pollOrLog(isWoken: boolean): Promise<number> {
    try {
      return await this.poll(isWoken);
    } catch (err) {
      this.logger.warn({ err }, `${this.polling.failure}; retrying`);
      return this.polling.retryMs;
    }
  }
}
