import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { purgeCancelRequests } from '../records/cancel-request.store.ts';
import {
  listExpiredSessions,
  postponePurge,
  purgeLocalToolCalls,
  purgeSession,
} from './turn-purges.store.ts';

/** Deletes what turns leave behind and no request can return anymore. */
@Injectable()
export class TurnPurgesWorker implements OnModuleInit {
  private readonly logger = new Logger(TurnPurgesWorker.name);

  constructor(
    private readonly database: Database,
    private readonly sweeper: SweeperWorker,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('cancel requests', (limit) => purgeCancelRequests(this.database, limit));
    this.sweeper.register('local tool calls', (limit) => purgeLocalToolCalls(this.database, limit));
    this.sweeper.register('executions without memory', (limit) => this.purgeExpiredSessions(limit));
  }

  /**
   * Deletes the content of at most `limit` expired sessions, each in a transaction of its own. Returns how many. Their
   * turns stay: the ledger refers to them.
   */
  async purgeExpiredSessions(limit: number): Promise<number> {
    const expired = await listExpiredSessions(this.database, limit);
    for (const id of expired) await this.purgeOrPostpone(id);
    return expired.length;
  }

  /** One that cannot be purged keeps no other waiting. */
  private async purgeOrPostpone(id: string): Promise<void> {
    try {
      await this.database.transaction((tx) => purgeSession(tx, id));
    } catch (error) {
      this.logger.warn({ err: error, session: id }, 'An expired session could not be purged; trying again');
      await postponePurge(this.database, id, 1);
    }
  }
}
