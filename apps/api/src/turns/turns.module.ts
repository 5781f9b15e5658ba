import { Module, type OnModuleInit } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { KnowledgeModule } from '../knowledge/knowledge.module.ts';
import { ModelsModule } from '../models/models.module.ts';
import { tokenCounter } from '../models/tokens.ts';
import { StreamsModule } from '../streams/streams.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ToolsModule } from '../tools/tools.module.ts';
import { UsageModule } from '../usage/usage.module.ts';
import { AgentAction } from './lifecycle/agent-action.ts';
import { AgentModels } from './lifecycle/agent-models.ts';
import { BackgroundTurns } from './lifecycle/background-turns.service.ts';
import { ListedTools } from './engine/listed-tool-source.ts';
import { CancellationService } from './lifecycle/cancellation.service.ts';
import { Compactor } from './context/compactor.service.ts';
import { ContextController } from './context/context.controller.ts';
import { ContextKeeper } from './context/context-keeper.service.ts';
import { ContextService } from './context/context.service.ts';
import { ExecuteController } from './lifecycle/execute.controller.ts';
import { ExecutionsService } from './lifecycle/executions.service.ts';
import { ExpiredTurnReservations } from './engine/expired-reservations.ts';
import { InteractionsController } from './interactions/interactions.controller.ts';
import { InteractionsService } from './interactions/interactions.service.ts';
import { LocalToolsController } from './local-tools/local-tools.controller.ts';
import { LocalTools } from './local-tools/local-tools.ts';
import { Media } from './input/media.ts';
import { SegmentReader } from './answers/segment-reader.ts';
import { SessionsController } from './sessions/sessions.controller.ts';
import { SessionsService } from './sessions/sessions.service.ts';
import { TracesController } from './traces/traces.controller.ts';
import { TracesService } from './traces/traces.service.ts';
import { TurnClaims } from './lifecycle/turn-claims.ts';
import { TurnPreparation } from './lifecycle/turn-preparation.service.ts';
import { TurnStarter } from './lifecycle/turn-starter.service.ts';
import { WaitingTurns } from './lifecycle/waiting-turns.service.ts';
import { TurnEngine } from './engine/turn-engine.ts';
import { TurnEvidence } from './engine/turn-evidence.ts';
import { TurnPurges } from './records/turn-purges.ts';
import { TurnRecovery } from './engine/turn-recovery.ts';
import { TurnRunner } from './engine/turn-runner.ts';
import { TurnTools } from './engine/turn-tools.ts';
import { TurnsController } from './lifecycle/turns.controller.ts';
import { TurnsService } from './lifecycle/turns.service.ts';

@Module({
  imports: [
    AuthModule,
    AgentsModule,
    KnowledgeModule,
    ModelsModule,
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
    AgentModels,
    BackgroundTurns,
    CancellationService,
    Compactor,
    ContextKeeper,
    ContextService,
    ExecutionsService,
    ExpiredTurnReservations,
    InteractionsService,
    ListedTools,
    LocalTools,
    Media,
    SegmentReader,
    SessionsService,
    TracesService,
    TurnClaims,
    TurnEngine,
    TurnEvidence,
    TurnPreparation,
    TurnPurges,
    TurnRecovery,
    TurnRunner,
    TurnStarter,
    TurnsService,
    TurnTools,
    WaitingTurns,
  ],
  exports: [
    BackgroundTurns,
    CancellationService,
    ExecutionsService,
    InteractionsService,
    SegmentReader,
    TurnRunner,
    TurnsService,
    TurnTools,
  ],
})
export class TurnsModule implements OnModuleInit {
  /** Loads the tables of the tokenizer, so that the first turn does not wait for them. */
  async onModuleInit(): Promise<void> {
    await tokenCounter();
  }
}
