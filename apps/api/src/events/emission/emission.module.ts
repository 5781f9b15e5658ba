import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.ts';
import { TasksModule } from '../../tasks/tasks.module.ts';
import { EmitAction } from './emit.action.ts';
import { EmitController } from './emit.controller.ts';
import { StorageModule } from '../../storage/storage.module.ts';
import { EmissionLimitsService } from './emission-limits.service.ts';
import { EmissionRecorderService } from './emission-recorder.service.ts';
import { BatchEmissionsService } from './batch-emissions.service.ts';
import { EmissionService } from './emission.service.ts';
import { PayloadSchemasService } from '../catalog/payload-schemas.service.ts';
import { RegisteredEventsService } from '../catalog/registered-events.service.ts';
import { TestEmissionsController } from './test-emissions.controller.ts';
import { TestEmissionsService } from './test-emissions.service.ts';

/** From an emission to its envelope. */
@Module({
  imports: [AuthModule, StorageModule, TasksModule],
  controllers: [EmitController, TestEmissionsController],
  providers: [
    BatchEmissionsService,
    EmitAction,
    EmissionLimitsService,
    EmissionService,
    EmissionRecorderService,
    PayloadSchemasService,
    RegisteredEventsService,
    TestEmissionsService,
  ],
  exports: [EmissionService, PayloadSchemasService],
})
export class EmissionModule {}
