import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { EventBatchesService } from './event-batches.service.ts';
import { BATCHES_DUE } from './event-batches.store.ts';

const POLL_MS = 500;

/** Starts batches of events that are complete, or whose time is over. */
@Injectable()
export class EventBatchesWorker extends PollWorker {
  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly batches: EventBatchesService,
  ) {
    super(config, { failure: 'Batches of events could not be started', retryMs: POLL_MS });
  }

  protected async poll(): Promise<number> {
    if (!(await this.database.hasRows(BATCHES_DUE))) return POLL_MS;
    while (!this.signal.aborted && (await this.batches.startDue()) > 0);
    return POLL_MS;
  }
}
