import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { DataModule } from '../data/data.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ApplicationsController } from './applications.controller.ts';
import { ApplicationsService } from './applications.service.ts';
import { InstallerService } from './installer.service.ts';

@Module({
  imports: [AuthModule, TasksModule, EventsModule, DataModule],
  controllers: [ApplicationsController],
  providers: [ApplicationsService, InstallerService],
  exports: [ApplicationsService],
})
export class ApplicationsModule {}
