import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { ClaimLoop } from '../../infra/runtime/claim-loop.ts';
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
export class BulkReplayWorker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(BulkReplayWorker.name);
  private readonly loop = new ClaimLoop<ClaimedBulkReplay>({
    maxRunning: MAX_RUNNING,
    claim: async () =>
      (await this.database.hasRows(REPLAYS_WAITING)) ? claimBulkReplay(this.database) : null,
    execute: (replay) => this.execute(replay),
    onClaimError: (err) => this.logger.warn({ err }, 'Bulk replays could not be claimed; retrying'),
  });

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly batches: BulkReplayBatchesService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.loop.start();
  }

  /** Looks for bulk replays now. */
  wake(): void {
    this.loop.wake();
  }

  /** Resolves when the bulk replays that this process executes have ended. */
  settled(): Promise<void> {
    return this.loop.settled();
  }

  onModuleDestroy(): void {
    void this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Never rejects. Ends early if the process stops, if another worker has taken over, or after a while: then others have their turn. */
  private async execute(replay: ClaimedBulkReplay): Promise<void> {
    const pause = new Sleeper();
    const { signal } = this.loop;
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
