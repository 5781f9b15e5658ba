import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { PollLoop } from '../../infra/runtime/poll-loop.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { endDueWaits, WAITS_DUE } from './due-waits.store.ts';

const IDLE_MS = 500;
/** How many waits one transaction ends. */
const BATCH = 200;

/** Ends what runs wait for when it is due, and queues the runs. */
@Injectable()
export class WaitWorker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(WaitWorker.name);
  private readonly loop = new PollLoop(() => this.endDue());

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly creation: RunCreationService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.loop.start();
  }

  /** Looks for due waits now. Without it, they are found a little later. */
  wake(): void {
    this.loop.wake();
  }

  onModuleDestroy(): void {
    void this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Returns the milliseconds until the next poll. */
  private async endDue(): Promise<number> {
    try {
      if (!(await this.database.hasRows(WAITS_DUE))) return IDLE_MS;
      for (let isAnyLeft = true; isAnyLeft && !this.loop.signal.aborted;) {
        const ended = await this.database.transaction(async (tx) => {
          const found = await endDueWaits(tx, BATCH);
          failpoint('runs.waits-ending');
          return found;
        });
        failpoint('runs.waits-ended');
        ({ isAnyLeft } = ended);
        if (ended.queued.length > 0) await this.creation.publish(ended.queued);
        else isAnyLeft = false;
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'Waits could not be ended; retrying');
    }
    return IDLE_MS;
  }
}
