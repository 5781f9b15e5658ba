import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { BulkReplayBatches } from './bulk-replay-batches.ts';
import { BulkReplayWorker } from './bulk-replay-worker.ts';
import { BulkReplaysController } from './bulk-replays.controller.ts';
import { BulkReplaysService } from './bulk-replays.service.ts';
import { CatalogInstallation } from './catalog-installation.ts';
import { CatalogController } from './catalog.controller.ts';
import { CatalogService } from './catalog.service.ts';
import { DispatchModule } from './dispatch.module.ts';
import { EmissionModule } from './emission.module.ts';
import { EnvelopesController } from './envelopes.controller.ts';
import { EnvelopesService } from './envelopes.service.ts';
import { EventCounter } from './event-counter.ts';
import { EventDirectory } from './event-directory.ts';
import { FilterPreviews } from './filter-previews.ts';
import { LaterVerdicts } from './later-verdicts.ts';
import { ReplayChecks } from './replay-checks.ts';
import { ReplaySelection } from './replay-selection.ts';
import { ReplaysService } from './replays.service.ts';
import { SubscriptionGuard } from './subscription-guard.ts';
import { SubscriptionViews } from './subscription-views.ts';
import { SubscriptionsController } from './subscriptions.controller.ts';
import { SubscriptionsService } from './subscriptions.service.ts';
import { SummaryController } from './summary.controller.ts';
import { SummaryService } from './summary.service.ts';

@Module({
  imports: [AuthModule, TasksModule, DispatchModule, EmissionModule],
  controllers: [
    BulkReplaysController,
    CatalogController,
    EnvelopesController,
    SubscriptionsController,
    SummaryController,
  ],
  providers: [
    BulkReplayBatches,
    BulkReplayWorker,
    BulkReplaysService,
    CatalogInstallation,
    CatalogService,
    EnvelopesService,
    EventCounter,
    EventDirectory,
    FilterPreviews,
    LaterVerdicts,
    ReplayChecks,
    ReplaySelection,
    ReplaysService,
    SubscriptionGuard,
    SubscriptionViews,
    SubscriptionsService,
    SummaryService,
  ],
  exports: [CatalogInstallation, EmissionModule],
})
export class EventsModule {}
