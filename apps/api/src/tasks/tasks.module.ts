import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { TaskDirectory } from './task-directory.ts';
import { TaskInstallation } from './task-installation.ts';

@Module({
  imports: [AuthModule],
  providers: [TaskDirectory, TaskInstallation],
  exports: [TaskDirectory, TaskInstallation],
})
export class TasksModule {}
