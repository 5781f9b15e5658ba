import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { DataModule } from '../data/data.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ApplicationsController } from './applications.controller.ts';
import { ApplicationsService } from './applications.service.ts';
import { SystemKeysController } from './system-keys.controller.ts';
import { SystemKeysService } from './system-keys.service.ts';
import { InstallerService } from './installer.service.ts';

@Module({
  imports: [AuthModule, TasksModule, EventsModule, DataModule],
  controllers: [ApplicationsController, SystemKeysController],
  providers: [ApplicationsService, SystemKeysService, InstallerService],
  exports: [ApplicationsService],
})
export class ApplicationsModule {}
