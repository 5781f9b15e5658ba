import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.ts';
import { Dispatch } from './dispatch.ts';
import { Dispatcher } from './dispatcher.ts';
import { EventRetention } from './event-retention.ts';

/** From an envelope to the runs that it starts. */
@Module({
  imports: [TasksModule],
  providers: [Dispatch, Dispatcher, EventRetention],
  exports: [Dispatcher],
})
export class DispatchModule {}
