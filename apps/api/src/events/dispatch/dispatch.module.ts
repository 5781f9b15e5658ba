import { Module, type OnModuleInit } from '@nestjs/common';
import { TasksModule } from '../../tasks/tasks.module.ts';
import { DebouncedRunsService } from './debounced-runs.service.ts';
import { EventBatchesService } from './event-batches.service.ts';
import { EventBatchesWorker } from './event-batches.worker.ts';
import { DispatchService } from './dispatch.service.ts';
import { DispatcherWorker } from './dispatcher.worker.ts';
import { EmissionModule } from '../emission/emission.module.ts';
import { WaitAction } from '../waits/wait.action.ts';
import { EventWaitsService } from '../waits/event-waits.service.ts';
import { EventRetentionWorker } from '../records/event-retention.worker.ts';
import { MetricsRegistry } from '../../infra/metrics/metrics.registry.ts';
import { ENVELOPES_WAITING } from '../records/outbox.store.ts';
import { BATCHES_DUE } from './event-batches.store.ts';

/** From an envelope to the runs that it starts. */
@Module({
  imports: [EmissionModule, TasksModule],
  providers: [
    EventWaitsService,
    WaitAction,
    DebouncedRunsService,
    EventBatchesService,
    EventBatchesWorker,
    DispatchService,
    DispatcherWorker,
    EventRetentionWorker,
  ],
  exports: [DispatcherWorker],
})
export class DispatchModule implements OnModuleInit {
  constructor(private readonly metrics: MetricsRegistry) {}

  onModuleInit(): void {
    this.metrics.waiting('events', ENVELOPES_WAITING);
    this.metrics.waiting('event_batches', BATCHES_DUE);
  }
}
