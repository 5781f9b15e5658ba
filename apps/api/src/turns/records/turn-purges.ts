import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweeper } from '../../infra/sweeper.ts';
import { purgeCancelRequests } from './cancel-request.store.ts';
import { expiredSessions, purgeLocalToolCalls, purgeSession } from './turn-purges.store.ts';

/** Sessions read at a time; each is purged in a transaction of its own. */
const SESSIONS = 100;

/** Deletes, in batches, what turns leave behind and nobody can request anymore. */
@Injectable()
export class TurnPurges implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly sweeper: Sweeper,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('cancel requests', () => purgeCancelRequests(this.database));
    this.sweeper.register('local tool calls', () => purgeLocalToolCalls(this.database));
    this.sweeper.register('executions without memory', () => this.purgeExpiredSessions());
  }

  /** Deletes what was said in expired sessions. Their turns stay: the ledger refers to them. */
  async purgeExpiredSessions(): Promise<void> {
    let batch: string[];
    do {
      batch = await expiredSessions(this.database, SESSIONS);
      for (const id of batch) await this.database.transaction((tx) => purgeSession(tx, id));
    } while (batch.length === SESSIONS);
  }
}
