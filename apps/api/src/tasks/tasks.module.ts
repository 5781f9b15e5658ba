import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { MemberRemovals } from '../auth/member-removals.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { ActionRegistry } from './action-registry.ts';
import { CodeAction } from './code-action.ts';
import { CodeCalls } from './code-calls.ts';
import { RunClaims } from './run-claims.ts';
import { RunCreation } from './run-creation.ts';
import { RunExecutor } from './run-executor.ts';
import { RunHints } from './run-hints.ts';
import { RunLeases } from './run-leases.ts';
import { RunLineage } from './run-lineage.ts';
import { RunReaper } from './run-reaper.ts';
import { RunRecords } from './run-records.ts';
import { RunRetention } from './run-retention.ts';
import { RunWakeups } from './run-wakeups.ts';
import { RunWorker } from './run-worker.ts';
import { RunWrites } from './run-writes.ts';
import { RunsController } from './runs.controller.ts';
import { RunsService } from './runs.service.ts';
import { SandboxPool } from './sandbox/sandbox-pool.ts';
import { Scheduler } from './scheduler.ts';
import { StepRunner } from './step-runner.ts';
import { RunSummaries } from './run-summaries.ts';
import { TaskDirectory } from './task-directory.ts';
import { TaskInstallation } from './task-installation.ts';
import { TaskReferences } from './task-references.ts';
import { TasksController } from './tasks.controller.ts';
import { TasksService } from './tasks.service.ts';
import { disableTasksOf } from './tasks.store.ts';

@Module({
  imports: [AuthModule],
  controllers: [TasksController, RunsController],
  providers: [
    ActionRegistry,
    CodeAction,
    CodeCalls,
    RunClaims,
    RunCreation,
    RunExecutor,
    RunHints,
    RunLeases,
    RunLineage,
    RunReaper,
    RunRecords,
    RunRetention,
    RunsService,
    RunWakeups,
    RunWorker,
    RunWrites,
    RunSummaries,
    {
      provide: SandboxPool,
      inject: [PlatformConfig],
      useFactory: ({ sandboxProcesses }: PlatformConfig) => new SandboxPool(sandboxProcesses),
    },
    Scheduler,
    StepRunner,
    TaskDirectory,
    TaskInstallation,
    TaskReferences,
    TasksService,
  ],
  exports: [ActionRegistry, RunCreation, RunLineage, RunSummaries, TaskDirectory, TaskInstallation],
})
export class TasksModule implements OnModuleInit {
  constructor(private readonly removals: MemberRemovals) {}

  onModuleInit(): void {
    this.removals.onMemberRemoved((tx, { spaceId, userId }) => disableTasksOf(tx, spaceId, userId));
  }
}
