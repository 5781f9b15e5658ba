import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { MINUTE, SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { PlatformEventsService } from './platform-events.service.ts';

/**
 * Brings the application `platform` of all spaces to the events of this process, once after it has started, so that people can
 * subscribe to events that are new. Until then, and if an older process does the same, whoever emits an event upgrades it.
 */
@Injectable()
export class PlatformUpgradesWorker implements OnModuleInit {
  private readonly logger = new Logger(PlatformUpgradesWorker.name);
  private isDone = false;
  private hasFailed = false;
  private after: string | null = null;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly sweeper: SweeperWorker,
    private readonly events: PlatformEventsService,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('upgrades of the application platform', (limit) => this.upgradeSome(limit), MINUTE);
  }

  /** Upgrades the next spaces, each in its own transaction. Begins again after the last one if any has failed. */
  private async upgradeSome(limit: number): Promise<number> {
    if (this.isDone) return 0;
    const spaceIds = await this.events.listSpaces(this.after, limit);
    for (const spaceId of spaceIds) await this.tryUpgrade(spaceId);
    this.after = spaceIds[limit - 1] ?? null;
    if (this.after === null) {
      this.isDone = !this.hasFailed;
      this.hasFailed = false;
    }
    return spaceIds.length;
  }

  private async tryUpgrade(spaceId: string): Promise<void> {
    try {
      await this.database.transaction((tx) => this.events.upgrade(tx, spaceId));
    } catch (err) {
      this.hasFailed = true;
      this.logger.warn({ err, spaceId }, 'The application platform could not be upgraded; retrying');
    }
  }
}
