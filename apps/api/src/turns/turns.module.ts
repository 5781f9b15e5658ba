import { Module, type OnModuleInit } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { KnowledgeModule } from '../knowledge/knowledge.module.ts';
import { ModelsModule } from '../models/models.module.ts';
import { tokenCounter } from '../models/port/tokens.ts';
import { StreamsModule } from '../streams/streams.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ToolsModule } from '../tools/tools.module.ts';
import { UsageModule } from '../usage/usage.module.ts';
import { AskingTurnsService } from './lifecycle/asking-turns.service.ts';
import { AgentAction } from './lifecycle/agent.action.ts';
import { BackgroundTurnsService } from './lifecycle/background-turns.service.ts';
import { ListedToolsService } from './engine/listed-tools.service.ts';
import { CancellationService } from './lifecycle/cancellation.service.ts';
import { CompactorService } from './context/compactor.service.ts';
import { ContextController } from './context/context.controller.ts';
import { ContextKeeperService } from './context/context-keeper.service.ts';
import { ContextService } from './context/context.service.ts';
import { ExecuteController } from './lifecycle/execute.controller.ts';
import { ExecutionsService } from './lifecycle/executions.service.ts';
import { ExpiredReservationsWorker } from './engine/expired-reservations.worker.ts';
import { InteractionsController } from './interactions/interactions.controller.ts';
import { TurnAnswersService } from './interactions/turn-answers.service.ts';
import { DismissalsWorker } from './interactions/dismissals.worker.ts';
import { WaitingTurnsWorker } from './interactions/waiting-turns.worker.ts';
import { InteractionsService } from './interactions/interactions.service.ts';
import { LocalToolsController } from './local-tools/local-tools.controller.ts';
import { LocalToolsService } from './local-tools/local-tools.service.ts';
import { MediaService } from './input/media.service.ts';
import { SegmentReaderService } from './answers/segment-reader.service.ts';
import { SessionsController } from './sessions/sessions.controller.ts';
import { SessionsService } from './sessions/sessions.service.ts';
import { TracesController } from './traces/traces.controller.ts';
import { TracesService } from './traces/traces.service.ts';
import { TurnClaimsService } from './lifecycle/turn-claims.service.ts';
import { TurnPreparationService } from './lifecycle/turn-preparation.service.ts';
import { TurnSearchService } from './traces/turn-search.service.ts';
import { SearchModule } from '../search/search.module.ts';
import { TurnStarterService } from './lifecycle/turn-starter.service.ts';
import { WaitingTurnsService } from './lifecycle/waiting-turns.service.ts';
import { TurnEngineService } from './engine/turn-engine.service.ts';
import { TurnEvidenceService } from './engine/turn-evidence.service.ts';
import { TurnPurgesWorker } from './sessions/turn-purges.worker.ts';
import { TurnRecoveryWorker } from './engine/turn-recovery.worker.ts';
import { TurnRunnerService } from './engine/turn-runner.service.ts';
import { TurnStorageService } from './engine/turn-storage.service.ts';
import { TurnToolsService } from './engine/turn-tools.service.ts';
import { TurnTransitionsService } from './transitions/turn-transitions.service.ts';
import { TurnsController } from './lifecycle/turns.controller.ts';
import { TurnsService } from './lifecycle/turns.service.ts';
import { MetricsRegistry } from '../infra/metrics/metrics.registry.ts';

@Module({
  imports: [
    AuthModule,
    AgentsModule,
    KnowledgeModule,
    ModelsModule,
    SearchModule,
    StreamsModule,
    UsageModule,
    TasksModule,
    ToolsModule,
  ],
  controllers: [
    TurnsController,
    ExecuteController,
    InteractionsController,
    SessionsController,
    ContextController,
    LocalToolsController,
    TracesController,
  ],
  providers: [
    AgentAction,
    AskingTurnsService,
    BackgroundTurnsService,
    CancellationService,
    CompactorService,
    ContextKeeperService,
    ContextService,
    DismissalsWorker,
    ExecutionsService,
    ExpiredReservationsWorker,
    InteractionsService,
    TurnAnswersService,
    WaitingTurnsWorker,
    ListedToolsService,
    LocalToolsService,
    MediaService,
    SegmentReaderService,
    SessionsService,
    TracesService,
    TurnClaimsService,
    TurnEngineService,
    TurnEvidenceService,
    TurnPreparationService,
    TurnPurgesWorker,
    TurnRecoveryWorker,
    TurnRunnerService,
    TurnSearchService,
    TurnStarterService,
    TurnsService,
    TurnStorageService,
    TurnToolsService,
    TurnTransitionsService,
    WaitingTurnsService,
  ],
  exports: [
    BackgroundTurnsService,
    CancellationService,
    ExecutionsService,
    InteractionsService,
    SegmentReaderService,
    TurnRunnerService,
    TurnsService,
    TurnToolsService,
    TurnTransitionsService,
  ],
})
export class TurnsModule implements OnModuleInit {
  constructor(
    private readonly metrics: MetricsRegistry,
    private readonly runner: TurnRunnerService,
  ) {}

  /** Loads the tables of the tokenizer, so that the first turn does not wait for them. */
  async onModuleInit(): Promise<void> {
    this.metrics.running('turns', () => this.runner.running);
    await tokenCounter();
  }
}
