import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { FactsService } from '../../infra/facts/facts.service.ts';
import { listSilent, listSubscribing, type SilentSubscription } from './event-counts.store.ts';

const BATCH = 1_000;

/** Tells spaces that events no longer come to which they subscribe. */
@Injectable()
export class SilentSubscriptionsWorker implements OnModuleInit {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly sweeper: SweeperWorker,
    private readonly facts: FactsService,
    private readonly applications: ApplicationIdentitiesService,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('silent subscriptions', () => this.tell());
  }

  private async tell(): Promise<void> {
    for (let ids = await listSubscribing(this.database, null, BATCH); ids.length > 0;) {
      for (const silent of await listSilent(this.database, ids)) await this.record(silent);
      ids = await listSubscribing(this.database, ids.at(-1) ?? null, BATCH);
    }
  }

  /** Every hour as long as it is news; the key tells it once. */
  private async record({
    id,
    spaceId,
    applicationId,
    event,
    taskId,
    lastAt,
  }: SilentSubscription): Promise<void> {
    const names = await this.applications.names(this.database, spaceId, [applicationId]);
    const at = lastAt.toISOString();
    const applicationIdentifier = names.get(applicationId) ?? '';
    const payload = { subscriptionId: id, applicationIdentifier, event, taskId, lastAt: at };
    const key = `${id}:${at}`;
    await this.database.transaction((tx) =>
      this.facts.record(tx, { spaceId, name: 'subscription.silent', key, payload, causationRunId: null }),
    );
  }
}
