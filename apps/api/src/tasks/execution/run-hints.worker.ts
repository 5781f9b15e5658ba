import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { OutboxPublishersRegistry } from '../../infra/messaging/outbox-publishers.registry.ts';
import { expediteRuns, RUNS_DUE, takeDueRuns } from '../runs/run-queue.store.ts';
import { RunWorker } from './run.worker.ts';

/** Connects runs to messaging. A hint takes one of the places of the process until the run that it claims has ended. */
@Injectable()
export class RunHintsWorker implements OnApplicationBootstrap {
  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly outbox: OutboxPublishersRegistry,
    private readonly worker: RunWorker,
  ) {}

  onApplicationBootstrap(): void {
    const { runConcurrency: concurrency } = this.config;
    this.messaging.consume('run', (id) => this.worker.handle(id), { concurrency });
    this.outbox.register({
      kind: 'run',
      isAnyDue: () => this.database.hasRows(RUNS_DUE),
      takeDue: (limit) => takeDueRuns(this.database, limit, this.messaging.pace.republishAfterMs),
      expedite: (limit) => expediteRuns(this.database, limit),
    });
  }
}
