import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ChangeSourcesRegistry } from '../infra/changes/change-sources.registry.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Database } from '../infra/database/database.ts';
import { MetricsRegistry } from '../infra/metrics/metrics.registry.ts';
import { SearchModule } from '../search/search.module.ts';
import { SearchRegistry, visible, type Found } from '../search/search.registry.ts';
import { findTasks } from './definition/tasks.store.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { ActionRegistry } from './definition/action.registry.ts';
import { BulkRunActionsController } from './failures/bulk-run-actions.controller.ts';
import { BulkRunActionsService } from './failures/bulk-run-actions.service.ts';
import { BulkRunActionsWorker } from './failures/bulk-run-actions.worker.ts';
import { BulkRunBatchesService } from './failures/bulk-run-batches.service.ts';
import { FailuresController } from './failures/failures.controller.ts';
import { FailuresService } from './failures/failures.service.ts';
import { RunSelectionService } from './failures/run-selection.service.ts';
import { RunSearchService } from './history/run-search.service.ts';
import { CodeAction } from './execution/code.action.ts';
import { CodeCallsRegistry } from './execution/code-calls.registry.ts';
import { RunClaimsService } from './execution/run-claims.service.ts';
import { RunCreationService } from './runs/run-creation.service.ts';
import { RunEffectsService } from './runs/run-effects.service.ts';
import { RunEventsRegistry } from './history/run-events.registry.ts';
import { RunExecutorService } from './execution/run-executor.service.ts';
import { RunLeasesWorker } from './execution/run-leases.worker.ts';
import { RunLineageService } from './runs/run-lineage.service.ts';
import { RunReaperWorker } from './execution/run-reaper.worker.ts';
import { RunListsService } from './history/run-lists.service.ts';
import { RunOutcomesService } from './history/run-outcomes.service.ts';
import { RunPayloadsService } from './runs/run-payloads.service.ts';
import { RunRecordsService } from './history/run-records.service.ts';
import { RunRetentionWorker } from './history/run-retention.worker.ts';
import { RunStarterWorker } from './execution/run-starter.worker.ts';
import { RunWorker } from './execution/run.worker.ts';
import { RunWritesService } from './execution/run-writes.service.ts';
import { ResultsController } from './results/results.controller.ts';
import { ResultsService } from './results/results.service.ts';
import { RunsController } from './history/runs.controller.ts';
import { RunsService } from './history/runs.service.ts';
import { SandboxPool } from './sandbox/sandbox-pool.ts';
import { SchedulesController } from './schedule/schedules.controller.ts';
import { SchedulesService } from './schedule/schedules.service.ts';
import { SchedulerWorker } from './schedule/scheduler.worker.ts';
import { StepRunnerService } from './execution/step-runner.service.ts';
import { runChanges } from './changes/run-changes.store.ts';
import { RunFailuresService } from './history/run-failures.service.ts';
import { RunSummariesService } from './history/run-summaries.service.ts';
import { TaskDirectoryService } from './definition/task-directory.service.ts';
import { TaskRunsService } from './runs/task-runs.service.ts';
import { TaskInstallationService } from './definition/task-installation.service.ts';
import { TaskReferencesService } from './definition/task-references.service.ts';
import { TaskOwnersService } from './owners/task-owners.service.ts';
import { TaskVersionsController } from './versions/task-versions.controller.ts';
import { TaskVersionsService } from './versions/task-versions.service.ts';
import { RunKeysService } from './keys/run-keys.service.ts';
import { RunKeysWorker } from './keys/run-keys.worker.ts';
import { TaskAction } from './child-runs/task.action.ts';
import { RunWaitsService } from './waits/run-waits.service.ts';
import { WAITS_DUE } from './schedule/due-waits.store.ts';
import { TASKS_DUE } from './schedule/schedules.store.ts';
import { RUNS_DUE } from './runs/run-queue.store.ts';
import { WaitWorker } from './schedule/wait.worker.ts';
import './kinds/branch.kind.ts';
import './kinds/each.kind.ts';
import { AskAction } from './inbox/ask.action.ts';
import { InboxController } from './inbox/inbox.controller.ts';
import { TurnAnswersRegistry } from './inbox/turn-answers.registry.ts';
import { InboxService } from './inbox/inbox.service.ts';
import { RunQuestionsService } from './inbox/run-questions.service.ts';
import { SimulationsService } from './simulation/simulations.service.ts';
import { TaskTestsController } from './tests/task-tests.controller.ts';
import { TaskTestsService } from './tests/task-tests.service.ts';
import { TasksController } from './definition/tasks.controller.ts';
import { TasksService } from './definition/tasks.service.ts';

@Module({
  imports: [AuthModule, SearchModule],
  // Literal routes come before runs/:id.
  controllers: [
    TasksController,
    TaskTestsController,
    TaskVersionsController,
    FailuresController,
    ResultsController,
    BulkRunActionsController,
    RunsController,
    InboxController,
    SchedulesController,
  ],
  providers: [
    ActionRegistry,
    AskAction,
    InboxService,
    RunQuestionsService,
    BulkRunActionsService,
    BulkRunActionsWorker,
    BulkRunBatchesService,
    CodeAction,
    CodeCallsRegistry,
    FailuresService,
    ResultsService,
    RunClaimsService,
    RunCreationService,
    RunEffectsService,
    RunEventsRegistry,
    RunExecutorService,
    RunFailuresService,
    RunKeysService,
    RunKeysWorker,
    RunLeasesWorker,
    RunLineageService,
    RunListsService,
    RunOutcomesService,
    RunPayloadsService,
    RunReaperWorker,
    RunRecordsService,
    RunRetentionWorker,
    RunsService,
    RunSearchService,
    RunSelectionService,
    RunStarterWorker,
    RunWorker,
    RunWritesService,
    RunSummariesService,
    RunWaitsService,
    TaskAction,
    TurnAnswersRegistry,
    TaskRunsService,
    WaitWorker,
    {
      provide: SandboxPool,
      inject: [PlatformConfig],
      useFactory: ({ sandboxProcesses }: PlatformConfig) => new SandboxPool(sandboxProcesses),
    },
    SchedulerWorker,
    SchedulesService,
    SimulationsService,
    StepRunnerService,
    TaskDirectoryService,
    TaskInstallationService,
    TaskOwnersService,
    TaskReferencesService,
    TaskTestsService,
    TaskVersionsService,
    TasksService,
  ],
  exports: [
    ActionRegistry,
    InboxService,
    RunCreationService,
    RunEffectsService,
    RunEventsRegistry,
    RunFailuresService,
    RunLineageService,
    RunOutcomesService,
    RunPayloadsService,
    RunQuestionsService,
    RunsService,
    RunSummariesService,
    TaskDirectoryService,
    TaskInstallationService,
    RunWaitsService,
    TurnAnswersRegistry,
    WaitWorker,
  ],
})
export class TasksModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly runs: RunRecordsService,
    private readonly search: SearchRegistry,
    private readonly changes: ChangeSourcesRegistry,
    private readonly metrics: MetricsRegistry,
    private readonly leases: RunLeasesWorker,
  ) {}

  onModuleInit(): void {
    this.changes.register(runChanges);
    this.metrics.running('runs', () => this.leases.list().length);
    this.metrics.waiting('runs', RUNS_DUE);
    this.metrics.waiting('run_waits', WAITS_DUE);
    this.metrics.waiting('schedules', TASKS_DUE);
    const access = { rule: 'member', scopes: ['use', 'manage'] } as const;
    this.search.register(
      {
        kind: 'task',
        access,
        find: (caller, text) => this.findTasks(caller, { text }),
        findById: async (caller, id) => (await this.findTasks(caller, { id }))[0] ?? null,
      },
      {
        kind: 'run',
        access,
        findById: async (caller, id) => {
          const run = await visible(this.runs.get(caller, id));
          return run && { id: run.id, title: run.taskName, text: run.status, parentId: run.taskId };
        },
      },
    );
  }

  private async findTasks(
    { spaceId, userId, role }: UserPrincipal,
    sought: { text?: string; id?: string },
  ): Promise<Found[]> {
    const ownerUserId = role === 'ADMIN' ? null : userId;
    const tasks = await findTasks(this.database, { spaceId, ownerUserId }, sought);
    return tasks.map(({ id, name, type }) => ({ id, title: name, text: type, parentId: null }));
  }
}
