import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { DataController } from './rows/data.controller.ts';
import { DataInstallationService } from './tables/data-installation.service.ts';
import { DataService } from './rows/data.service.ts';

@Module({
  imports: [AuthModule, EventsModule],
  controllers: [DataController],
  providers: [DataService, DataInstallationService],
  exports: [DataInstallationService, DataService],
})
export class DataModule {}
