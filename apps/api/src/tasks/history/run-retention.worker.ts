import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PartitionsWorker } from '../../infra/database/partitions.worker.ts';
import { MINUTE, SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { QueueVacuumWorker } from '../../infra/queues/queue-vacuum.worker.ts';
import { cancelWaitingOfGone } from '../waits/cancellations.store.ts';
import * as store from './run-retention.store.ts';

/** Removes runs that are too old, and everything that refers to them, and ends those that wait although their task is gone. */
@Injectable()
export class RunRetentionWorker implements OnModuleInit {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly partitions: PartitionsWorker,
    private readonly sweeper: SweeperWorker,
    private readonly config: PlatformConfig,
    private readonly queues: QueueVacuumWorker,
  ) {}

  onModuleInit(): void {
    const { eventRetentionDays: days } = this.config;
    this.partitions.register({ name: 'run', keepDays: days, isReferenced: store.hasUnfinishedRuns });
    this.queues.register('run_queue');
    for (const table of store.KEYED_BY_RUN)
      this.sweeper.register(table, (limit) => store.purgeOfRuns(this.database, table, days, limit));
    this.sweeper.register('run_queue', (limit) => store.purgeQueue(this.database, days, limit));
    this.sweeper.register(
      'runs of gone tasks',
      (limit) => this.database.transaction((tx) => cancelWaitingOfGone(tx, limit)),
      MINUTE,
    );
    this.sweeper.register('scheduled_run', (limit) => store.purgeScheduled(this.database, days, limit));
  }
}
