import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { DataController } from './data.controller.ts';
import { DataInstallationService } from './data-installation.service.ts';
import { DataService } from './data.service.ts';

@Module({
  imports: [AuthModule, EventsModule],
  controllers: [DataController],
  providers: [DataService, DataInstallationService],
  exports: [DataInstallationService, DataService],
})
export class DataModule {}
