import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ClaimWorker } from '../../infra/database/claim-worker.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { isUnavailable } from '../../infra/database/unavailable.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { Sleeper } from '../../infra/runtime/sleeper.ts';
import { BulkReplayBatchesService } from './bulk-replay-batches.service.ts';
import {
  claimBulkReplay,
  REPLAYS_WAITING,
  failBulkReplay,
  releaseBulkReplay,
  type ClaimedBulkReplay,
} from './bulk-replays.store.ts';

/** After a failure of the database. */
const RETRY_MS = 1_000;
/** How many bulk replays a process executes at the same time. */
const MAX_RUNNING = 4;
const BATCHES_PER_SECOND = 10;
/** How long a bulk replay may keep its place in a process while others wait for one: slow ones take hours. */
const HOLD_MS = 2_000;

/** Executes bulk replays in batches, at their rate. A lease keeps two workers from competing; the position decides. */
@Injectable()
export class BulkReplayWorker extends ClaimWorker<ClaimedBulkReplay> {
  constructor(
    config: PlatformConfig,
    database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly batches: BulkReplayBatchesService,
  ) {
    super(config, database, {
      name: 'Bulk replays',
      maxRunning: MAX_RUNNING,
      waiting: REPLAYS_WAITING,
      claim: claimBulkReplay,
    });
  }

  /** Never rejects. Ends early if the process stops, if another worker has taken over, or after a while: then others have their turn. */
  protected async execute(replay: ClaimedBulkReplay): Promise<void> {
    const pause = new Sleeper();
    const { signal } = this;
    signal.addEventListener('abort', () => pause.wake(), { once: true });
    const size = Math.ceil(replay.perSecond / BATCHES_PER_SECOND);
    let dueAt = performance.now();
    const until = dueAt + HOLD_MS;
    while (!signal.aborted) {
      try {
        const batch = await this.batches.replayNext(replay, size);
        if (batch === null) return;
        await this.messaging.publish('envelope', batch.replayed);
        if (batch.isComplete) return;
        replay.position = batch.position;
        // A pause that lasted too long is not made up for.
        dueAt = Math.max(dueAt, performance.now() - 1_000) + (1_000 * batch.handled) / replay.perSecond;
        await pause.sleep(Math.max(0, dueAt - performance.now()));
        if (performance.now() > until) break;
      } catch (error) {
        if (!isUnavailable(error)) return this.fail(replay, error);
        await pause.sleep(RETRY_MS);
      }
    }
    await releaseBulkReplay(this.database, replay).catch(() => undefined);
  }

  private async fail(replay: ClaimedBulkReplay, error: unknown): Promise<void> {
    this.logger.error({ err: error, bulkReplay: replay.id });
    await failBulkReplay(this.database, replay.id, 'An unexpected error; see the log of the service').catch(
      () => undefined,
    );
  }
}
