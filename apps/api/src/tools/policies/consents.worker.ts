import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { purgeConsents } from './consents.store.ts';

/** Deletes approvals of sessions that have expired. */
@Injectable()
export class ConsentsWorker implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly sweeper: SweeperWorker,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('approvals of sessions', (limit) => purgeConsents(this.database, limit));
  }
}
