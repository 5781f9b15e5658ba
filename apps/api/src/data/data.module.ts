import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { DataController } from './rows/data.controller.ts';
import { DataService } from './rows/data.service.ts';
import { RowListsService } from './rows/row-lists.service.ts';
import { RowWritesService } from './rows/row-writes.service.ts';
import { DataAction } from './steps/data.action.ts';
import { DataInstallationService } from './tables/data-installation.service.ts';
import { DataTablesService } from './tables/data-tables.service.ts';

@Module({
  imports: [AuthModule, EventsModule, TasksModule],
  controllers: [DataController],
  providers: [
    DataAction,
    DataInstallationService,
    DataService,
    DataTablesService,
    RowListsService,
    RowWritesService,
  ],
  exports: [DataInstallationService, DataService],
})
export class DataModule {}
