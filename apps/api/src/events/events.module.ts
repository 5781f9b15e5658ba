import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { RunEventsRegistry } from '../tasks/history/run-events.registry.ts';
import { SearchModule } from '../search/search.module.ts';
import { StorageModule } from '../storage/storage.module.ts';
import { StorageRegistry } from '../storage/storage.registry.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { BulkReplayBatchesService } from './replay/bulk-replay-batches.service.ts';
import { BulkReplayWorker } from './replay/bulk-replay.worker.ts';
import { BulkReplaysController } from './replay/bulk-replays.controller.ts';
import { BulkReplaysService } from './replay/bulk-replays.service.ts';
import { CatalogInstallationService } from './catalog/catalog-installation.service.ts';
import { BrokenSubscriptionsService } from './subscriptions/broken-subscriptions.service.ts';
import { CatalogController } from './catalog/catalog.controller.ts';
import { CatalogService } from './catalog/catalog.service.ts';
import { DispatchModule } from './dispatch/dispatch.module.ts';
import { EmissionModule } from './emission/emission.module.ts';
import { EnvelopeListsService } from './log/envelope-lists.service.ts';
import { EnvelopeSearchService } from './log/envelope-search.service.ts';
import { EnvelopeTriggersService } from './log/envelope-triggers.service.ts';
import { EnvelopeVolumeService } from './log/envelope-volume.service.ts';
import { EnvelopesController } from './log/envelopes.controller.ts';
import { EnvelopesService } from './log/envelopes.service.ts';
import { EmissionRefusalsWorker } from './summary/emission-refusals.worker.ts';
import { SilentSubscriptionsWorker } from './summary/silent-subscriptions.worker.ts';
import { EventCounterWorker } from './summary/event-counter.worker.ts';
import { EventDirectoryService } from './catalog/event-directory.service.ts';
import { ChangeSourcesRegistry } from '../infra/changes/change-sources.registry.ts';
import { envelopeChanges } from './log/envelope-changes.store.ts';
import { EventSearchService } from './log/event-search.service.ts';
import { FilterPreviewsService } from './subscriptions/filter-previews.service.ts';
import { LaterVerdictsService } from './log/later-verdicts.service.ts';
import { OutcomesService } from './summary/outcomes.service.ts';
import { PayloadErasuresService } from './log/payload-erasures.service.ts';
import { ReplayChecksService } from './replay/replay-checks.service.ts';
import { ReplayLimitsService } from './replay/replay-limits.service.ts';
import { ReplaySelectionService } from './replay/replay-selection.service.ts';
import { ReplaysService } from './replay/replays.service.ts';
import { SubscriptionGuardService } from './subscriptions/subscription-guard.service.ts';
import { SubscriptionViewsService } from './subscriptions/subscription-views.service.ts';
import { SubscriptionsController } from './subscriptions/subscriptions.controller.ts';
import { SubscriptionsService } from './subscriptions/subscriptions.service.ts';
import { formatEventKey, parseEventKey } from './summary/event-key.ts';
import { getCountedUntil, requestCount, sumBytes } from './summary/event-counts.store.ts';
import { SummaryController } from './summary/summary.controller.ts';
import { SummaryService } from './summary/summary.service.ts';

@Module({
  imports: [AuthModule, SearchModule, StorageModule, TasksModule, DispatchModule, EmissionModule],
  controllers: [
    BulkReplaysController,
    CatalogController,
    EnvelopesController,
    SubscriptionsController,
    SummaryController,
  ],
  providers: [
    BrokenSubscriptionsService,
    BulkReplayBatchesService,
    BulkReplayWorker,
    BulkReplaysService,
    CatalogInstallationService,
    CatalogService,
    EmissionRefusalsWorker,
    SilentSubscriptionsWorker,
    EnvelopeListsService,
    EnvelopeSearchService,
    EnvelopeTriggersService,
    EnvelopeVolumeService,
    EnvelopesService,
    EventCounterWorker,
    EventDirectoryService,
    EventSearchService,
    FilterPreviewsService,
    LaterVerdictsService,
    OutcomesService,
    PayloadErasuresService,
    ReplayChecksService,
    ReplayLimitsService,
    ReplaySelectionService,
    ReplaysService,
    SubscriptionGuardService,
    SubscriptionViewsService,
    SubscriptionsService,
    SummaryService,
  ],
  exports: [BrokenSubscriptionsService, CatalogInstallationService, EmissionModule],
})
export class EventsModule implements OnModuleInit {
  constructor(
    private readonly runEvents: RunEventsRegistry,
    private readonly events: EventDirectoryService,
    private readonly triggers: EnvelopeTriggersService,
    private readonly storage: StorageRegistry,
    private readonly config: PlatformConfig,
    private readonly changes: ChangeSourcesRegistry,
  ) {}

  onModuleInit(): void {
    this.changes.register(envelopeChanges);
    this.storage.register('EVENTS', async (sql, spaceId) => {
      const measuredAt = await getCountedUntil(sql);
      const sizes = await sumBytes(sql, spaceId, this.config.eventRetentionDays);
      return { measuredAt, tables: sizes.map(({ event: name, ...size }) => ({ ...size, name })) };
    });
    this.runEvents.register({
      select: async (sql, spaceId, query) =>
        (await this.events.select(sql, spaceId, query))?.map(formatEventKey) ?? null,
      getTrigger: (by, envelopeId) => this.triggers.get(by, envelopeId),
      countAgain: async (tx, spaceId, runs) => {
        const counted = runs.flatMap(({ id, event }) => {
          const key = parseEventKey(event);
          return key === null ? [] : [{ id, ...key }];
        });
        await requestCount(tx, spaceId, counted);
      },
    });
  }
}
