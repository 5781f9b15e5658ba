import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { endDueWaits, WAITS_DUE } from './due-waits.store.ts';

const IDLE_MS = 500;
/** How many waits one transaction ends. */
const BATCH = 200;

/** Ends what runs wait for when it is due, and queues the runs. */
@Injectable()
export class WaitWorker extends PollWorker {
  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly creation: RunCreationService,
  ) {
    super(config, { failure: 'Waits could not be ended', retryMs: IDLE_MS });
  }

  protected async poll(): Promise<number> {
    if (!(await this.database.hasRows(WAITS_DUE))) return IDLE_MS;
    for (let isAnyLeft = true; isAnyLeft && !this.signal.aborted;) {
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
    return IDLE_MS;
  }
}
