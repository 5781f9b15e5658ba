import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { EmitAction } from './emit-action.ts';
import { EmitController } from './emit.controller.ts';
import { EmissionRecorder } from './emission-recorder.ts';
import { Emission } from './emission.ts';
import { PayloadSchemas } from './payload-schema.ts';
import { RegisteredEvents } from './registered-events.ts';

/** From an emission to its envelope. */
@Module({
  imports: [AuthModule, TasksModule],
  controllers: [EmitController],
  providers: [EmitAction, Emission, EmissionRecorder, PayloadSchemas, RegisteredEvents],
  exports: [Emission, PayloadSchemas],
})
export class EmissionModule {}
