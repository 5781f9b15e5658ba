import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollLoop } from '../../infra/runtime/poll-loop.ts';
import { EventBatchesService } from './event-batches.service.ts';
import { BATCHES_DUE } from './event-batches.store.ts';

const POLL_MS = 500;

/** Starts batches of events that are complete, or whose time is over. */
@Injectable()
export class EventBatchesWorker
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly logger = new Logger(EventBatchesWorker.name);
  private readonly loop = new PollLoop(() => this.poll());

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly batches: EventBatchesService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.loop.start();
  }

  onModuleDestroy(): void {
    void this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Returns the milliseconds until the next poll. */
  private async poll(): Promise<number> {
    try {
      if (!(await this.database.hasRows(BATCHES_DUE))) return POLL_MS;
      while (!this.loop.signal.aborted && (await this.batches.startDue()) > 0);
    } catch (error) {
      this.logger.warn({ err: error }, 'Batches of events could not be started; retrying');
    }
    return POLL_MS;
  }
}
