import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { FactsService } from '../../infra/facts/facts.service.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { RunFailuresService } from '../../tasks/history/run-failures.service.ts';
import { DeliveryWorker } from '../deliveries/delivery.worker.ts';
import { isFailing, toFailingFact, toFailureFact } from './run-facts.ts';
import { TellingService } from './telling.service.ts';

const IDLE_MS = 1_000;
/** Facts, and failed runs, of one transaction. */
const BATCH = 100;
/** Of which `task.failing` is the rate. */
const LATEST_RUNS = 20;

/** Takes what happened and stores what is to be told, in one transaction: a process that dies in between loses nothing. */
@Injectable()
export class NotifierWorker extends PollWorker {
  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly facts: FactsService,
    private readonly failures: RunFailuresService,
    private readonly telling: TellingService,
    private readonly deliveries: DeliveryWorker,
  ) {
    super(config, { failure: 'Notifications could not be stored', retryMs: IDLE_MS });
  }

  protected async poll(): Promise<number> {
    const waiting = await Promise.all(
      [this.facts.waiting, this.failures.waiting].map((query) => this.database.hasRows(query)),
    );
    if (!waiting.includes(true)) return IDLE_MS;
    const { published, taken } = await this.work();
    await this.telling.publish(published);
    this.deliveries.wake();
    return taken < BATCH ? IDLE_MS : 0;
  }

  private work(): Promise<{ published: string[]; taken: number }> {
    return this.database.transaction(async (tx) => {
      const facts = await this.facts.take(tx, BATCH);
      const failures = await this.failures.take(tx, BATCH);
      const tasks = new Map(failures.map((failure) => [failure.taskId, failure]));
      const rates = await this.failures.countLatest(tx, [...tasks.keys()], LATEST_RUNS);
      const failing = rates.filter(isFailing).flatMap((rate) => {
        const failure = tasks.get(rate.taskId);
        return failure === undefined ? [] : [toFailingFact(failure, rate, new Date())];
      });
      const published = await this.telling.tell(tx, [...facts, ...failures.map(toFailureFact), ...failing]);
      failpoint('notifications.before-commit');
      return { published, taken: Math.max(facts.length, failures.length) };
    });
  }
}
