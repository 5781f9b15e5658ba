import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PartitionsWorker } from '../../infra/database/partitions.worker.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { QueueVacuumWorker } from '../../infra/queues/queue-vacuum.worker.ts';
import { RunPayloadsService } from '../../tasks/runs/run-payloads.service.ts';
import * as store from './event-retention.store.ts';

/** Removes envelopes that are too old, and everything that refers to them. `EventCounterWorker` purges its counts itself. */
@Injectable()
export class EventRetentionWorker implements OnModuleInit {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly partitions: PartitionsWorker,
    private readonly sweeper: SweeperWorker,
    private readonly config: PlatformConfig,
    private readonly payloads: RunPayloadsService,
    private readonly queues: QueueVacuumWorker,
  ) {}

  onModuleInit(): void {
    const { eventRetentionDays: days } = this.config;
    const isReferenced = store.hasEnvelopeReferences;
    this.partitions.register({ name: 'delivery', keepDays: days, isReferenced });
    this.partitions.register({
      name: 'envelope',
      keepDays: days,
      isReferenced,
      // A replay makes runs that are kept longer than their envelope.
      beforeDrop: (sql, { name, before }) =>
        this.payloads.keep(sql, before, (id) => store.findPayload(sql, name, id)),
    });
    this.queues.register('envelope_outbox');
    for (const table of store.KEYED_BY_ENVELOPE)
      this.sweeper.register(table, (limit) => store.purgeOfEnvelopes(this.database, table, days, limit));
  }
}
