import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { DataController } from './data.controller.ts';
import { DataInstallation } from './data-installation.ts';
import { DataService } from './data.service.ts';

@Module({
  imports: [AuthModule, EventsModule],
  controllers: [DataController],
  providers: [DataService, DataInstallation],
  exports: [DataInstallation, DataService],
})
export class DataModule {}
