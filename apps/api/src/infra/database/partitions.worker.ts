import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SweeperWorker } from './sweeper.worker.ts';
import { BackgroundDatabase, type Database } from './database.ts';
import * as store from './partitions.store.ts';
import type { Sql } from './rows.ts';

const DAY = 86_400_000;
/** For so long after its time, work may keep a partition. */
const GRACE_DAYS = 7;

/** A table that is partitioned by month, by a time-ordered id. */
export interface PartitionedTable {
  name: string;
  /** Partitions are dropped when their last row is older; null: never. */
  keepDays: number | null;
  /** Whether work still refers to ids of a partition, which is kept then. */
  isReferenced: (sql: Sql, partition: store.PartitionRange) => Promise<boolean>;
  /** Keeps what others still read of a partition. Called before it is detached, and again before its table is dropped. */
  beforeDrop?: (sql: Sql, partition: store.PartitionRange) => Promise<void>;
}

/** The monthly partitions of all tables: created before they are needed, dropped when their rows have expired. */
@Injectable()
export class PartitionsWorker implements OnApplicationBootstrap {
  private readonly logger = new Logger(PartitionsWorker.name);
  private readonly tables: PartitionedTable[] = [];

  constructor(
    private readonly database: BackgroundDatabase,
    sweeper: SweeperWorker,
  ) {
    sweeper.register(
      'partitions',
      async () => {
        await this.maintain();
        await this.assertNoneOverdue();
      },
      DAY,
    );
  }

  /** Call it in `onModuleInit`. */
  register(table: PartitionedTable): void {
    this.tables.push(table);
  }

  /** Runs before the service listens. */
  async onApplicationBootstrap(): Promise<void> {
    await this.ensure();
  }

  /** Creates the partitions of this month and the next one. */
  async ensure(): Promise<void> {
    for (const { name } of this.tables) await store.ensurePartitions(this.database, name);
  }

  /** Creates what is missing and drops what has expired. */
  async maintain(): Promise<void> {
    await this.ensure();
    for (const table of this.tables) {
      if (table.keepDays !== null) await this.dropExpired(this.database, table, table.keepDays);
    }
  }

  /** Throws if a partition has been due for a week: work that refers to it never ended. */
  private async assertNoneOverdue(): Promise<void> {
    for (const { name, keepDays } of this.tables) {
      if (keepDays === null) continue;
      const [overdue] = await store.listExpiredPartitions(this.database, name, keepDays + GRACE_DAYS);
      if (overdue) throw new Error(`The partition ${overdue.name} has expired, but work still refers to it`);
    }
  }

  private async dropExpired(database: Database, table: PartitionedTable, days: number): Promise<void> {
    for (const partition of await store.listExpiredPartitions(database, table.name, days)) {
      if (!partition.isHalfDetached && (await table.isReferenced(database, partition))) continue;
      await table.beforeDrop?.(database, partition);
      await store.detachPartition(database, table.name, partition);
      this.logger.log({ partition: partition.name }, 'A partition has expired');
    }
    for (const partition of await store.listDetached(database, table.name)) {
      await table.beforeDrop?.(database, partition);
      await store.dropTable(database, partition.name);
    }
  }
}
