import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../infra/database/background-database.ts';
import { Partitions } from '../infra/database/partitions.ts';
import { Sweeper } from '../infra/sweeper.ts';
import * as store from './run-retention.store.ts';

/** Removes runs that are too old, and everything that refers to them. */
@Injectable()
export class RunRetention implements OnModuleInit {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly partitions: Partitions,
    private readonly sweeper: Sweeper,
    private readonly config: PlatformConfig,
  ) {}

  onModuleInit(): void {
    const { eventRetentionDays: days } = this.config;
    this.partitions.register({ name: 'run', keepDays: days, isReferenced: store.hasUnfinishedRuns });
    for (const table of store.KEYED_BY_RUN)
      this.sweeper.register(table, (limit) => store.purgeOfRuns(this.database, table, days, limit));
    this.sweeper.register('run_queue', (limit) => store.purgeQueue(this.database, days, limit));
    this.sweeper.register('scheduled_run', (limit) => store.purgeScheduled(this.database, days, limit));
  }
}
