import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { MemberRemovals } from '../auth/member-removals.ts';
import { ActionRegistry } from './action-registry.ts';
import { CodeAction } from './code-action.ts';
import { RunCreation } from './run-creation.ts';
import { RunLineage } from './run-lineage.ts';
import { RunSummaries } from './run-summaries.ts';
import { TaskDirectory } from './task-directory.ts';
import { TaskInstallation } from './task-installation.ts';
import { TasksController } from './tasks.controller.ts';
import { TasksService } from './tasks.service.ts';
import { disableTasksOf } from './tasks.store.ts';
import { WorkflowReferences } from './workflow-references.ts';

@Module({
  imports: [AuthModule],
  controllers: [TasksController],
  providers: [
    ActionRegistry,
    CodeAction,
    RunCreation,
    RunLineage,
    RunSummaries,
    TaskDirectory,
    TaskInstallation,
    TasksService,
    WorkflowReferences,
  ],
  exports: [ActionRegistry, RunCreation, RunLineage, RunSummaries, TaskDirectory, TaskInstallation],
})
export class TasksModule implements OnModuleInit {
  constructor(private readonly removals: MemberRemovals) {}

  onModuleInit(): void {
    this.removals.onMemberRemoved((tx, { spaceId, userId }) => disableTasksOf(tx, spaceId, userId));
  }
}
