import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { StorageModule } from '../storage/storage.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { DataController } from './rows/data.controller.ts';
import { DataService } from './rows/data.service.ts';
import { DataSizesWorker } from './rows/data-sizes.worker.ts';
import { RowListsService } from './rows/row-lists.service.ts';
import { RowWritesService } from './rows/row-writes.service.ts';
import { DataAction } from './steps/data.action.ts';
import { DataInstallationService } from './tables/data-installation.service.ts';
import { DataTablesService } from './tables/data-tables.service.ts';

@Module({
  imports: [AuthModule, EventsModule, StorageModule, TasksModule],
  controllers: [DataController],
  providers: [
    DataAction,
    DataInstallationService,
    DataService,
    DataSizesWorker,
    DataTablesService,
    RowListsService,
    RowWritesService,
  ],
  exports: [DataInstallationService, DataService],
})
export class DataModule {}
