import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ActionRegistry } from './action-registry.ts';
import { RunCreation } from './run-creation.ts';
import { RunLineage } from './run-lineage.ts';
import { TaskDirectory } from './task-directory.ts';
import { TaskInstallation } from './task-installation.ts';

@Module({
  imports: [AuthModule],
  providers: [ActionRegistry, RunCreation, RunLineage, TaskDirectory, TaskInstallation],
  exports: [ActionRegistry, RunCreation, RunLineage, TaskDirectory, TaskInstallation],
})
export class TasksModule {}
