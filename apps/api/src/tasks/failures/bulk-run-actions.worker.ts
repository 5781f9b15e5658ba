import { Injectable } from '@nestjs/common';
import { BulkWorker } from '../../infra/bulk/bulk.worker.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { RunLeasesWorker } from '../execution/run-leases.worker.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import type { BulkRunQuery } from './bulk-run-action.entity.ts';
import { BULK_RUN_ACTIONS_TABLE, type ClaimedBulkRunAction } from './bulk-run-actions.store.ts';
import { BulkRunBatchesService, type RunBatch } from './bulk-run-batches.service.ts';

/** Executes bulk actions on runs. */
@Injectable()
export class BulkRunActionsWorker extends BulkWorker<BulkRunQuery, RunBatch> {
  constructor(
    config: PlatformConfig,
    database: BackgroundDatabase,
    private readonly batches: BulkRunBatchesService,
    private readonly creation: RunCreationService,
    private readonly leases: RunLeasesWorker,
  ) {
    super(config, database, { name: 'Bulk actions on runs', table: BULK_RUN_ACTIONS_TABLE });
  }

  protected executeNext(work: ClaimedBulkRunAction, size: number): Promise<RunBatch | null> {
    return this.batches.handleNext(work, size);
  }

  protected async publish({ queued, requested }: RunBatch): Promise<void> {
    if (queued.length > 0) await this.creation.publish(queued);
    for (const id of requested) this.leases.cancel(id);
  }
}
