import { Module } from '@nestjs/common';
import { TasksModule } from '../../tasks/tasks.module.ts';
import { DebouncedRunsService } from './debounced-runs.service.ts';
import { DispatchService } from './dispatch.service.ts';
import { DispatcherWorker } from './dispatcher.worker.ts';
import { EventWaitsService } from '../waits/event-waits.service.ts';
import { EventRetentionWorker } from '../records/event-retention.worker.ts';

/** From an envelope to the runs that it starts. */
@Module({
  imports: [TasksModule],
  providers: [
    EventWaitsService,
    DebouncedRunsService,
    DispatchService,
    DispatcherWorker,
    EventRetentionWorker,
  ],
  exports: [DispatcherWorker],
})
export class DispatchModule {}
