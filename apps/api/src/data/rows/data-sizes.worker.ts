import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { readTime } from '../../infra/database/rows.ts';
import { MINUTE, SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { StorageRegistry } from '../../storage/storage.registry.ts';
import * as store from './data-sizes.store.ts';

/** Measures the rows of tables. */
@Injectable()
export class DataSizesWorker implements OnModuleInit {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly sweeper: SweeperWorker,
    private readonly storage: StorageRegistry,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('data sizes', (limit) => store.addUpSizes(this.database, limit), MINUTE);
    this.storage.register('ROWS', async (sql, spaceId) => ({
      measuredAt: await readTime(sql),
      tables: await store.sumSizes(sql, spaceId),
    }));
  }
}
