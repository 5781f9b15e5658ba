import { Injectable } from '@nestjs/common';
import type { ReplayQuery } from '@platform/contracts';
import { BulkWorker } from '../../infra/bulk/bulk.worker.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { BulkReplayBatchesService, type ReplayedBatch } from './bulk-replay-batches.service.ts';
import { BULK_REPLAYS, type ClaimedBulkReplay } from './bulk-replays.store.ts';

/** Executes bulk replays. */
@Injectable()
export class BulkReplayWorker extends BulkWorker<ReplayQuery, ReplayedBatch> {
  constructor(
    config: PlatformConfig,
    database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly batches: BulkReplayBatchesService,
  ) {
    super(config, database, { name: 'Bulk replays', table: BULK_REPLAYS });
  }

  protected executeNext(replay: ClaimedBulkReplay, size: number): Promise<ReplayedBatch | null> {
    return this.batches.replayNext(replay, size);
  }

  protected publish({ replayed }: ReplayedBatch): Promise<void> {
    return this.messaging.publish('envelope', replayed);
  }
}
