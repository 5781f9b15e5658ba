import { Module, type OnModuleInit } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { ModelsModule } from '../models/models.module.ts';
import { tokenCounter } from '../models/tokens.ts';
import { StreamsModule } from '../streams/streams.module.ts';
import { UsageModule } from '../usage/usage.module.ts';
import { BackgroundTurns } from './background-turns.service.ts';
import { BuiltinSource } from './builtin-source.ts';
import { CancellationService } from './cancellation.service.ts';
import { Compactor } from './compactor.service.ts';
import { ContextController } from './context.controller.ts';
import { ContextKeeper } from './context-keeper.service.ts';
import { ContextService } from './context.service.ts';
import { ExecuteController } from './execute.controller.ts';
import { ExpiredTurnHolds } from './expired-turn-holds.ts';
import { InteractionsController } from './interactions.controller.ts';
import { InteractionsService } from './interactions.service.ts';
import { LocalTools } from './local-tools.ts';
import { Media } from './media.ts';
import { SegmentReader } from './segment-reader.ts';
import { SessionsController } from './sessions.controller.ts';
import { SessionsService } from './sessions.service.ts';
import { TurnClaims } from './turn-claims.ts';
import { TurnEngine } from './turn-engine.ts';
import { TurnPurges } from './turn-purges.ts';
import { TurnRecovery } from './turn-recovery.ts';
import { TurnRunner } from './turn-runner.ts';
import { TurnTools } from './turn-tools.ts';
import { TurnsController } from './turns.controller.ts';
import { TurnsService } from './turns.service.ts';

@Module({
  imports: [AuthModule, AgentsModule, ModelsModule, StreamsModule, UsageModule],
  controllers: [
    TurnsController,
    ExecuteController,
    InteractionsController,
    SessionsController,
    ContextController,
  ],
  providers: [
    BackgroundTurns,
    BuiltinSource,
    CancellationService,
    Compactor,
    ContextKeeper,
    ContextService,
    ExpiredTurnHolds,
    InteractionsService,
    LocalTools,
    Media,
    SegmentReader,
    SessionsService,
    TurnClaims,
    TurnEngine,
    TurnPurges,
    TurnRecovery,
    TurnRunner,
    TurnsService,
    TurnTools,
  ],
  exports: [
    BackgroundTurns,
    CancellationService,
    InteractionsService,
    SegmentReader,
    TurnRunner,
    TurnsService,
    TurnTools,
  ],
})
export class TurnsModule implements OnModuleInit {
  /** The first turn should not wait for the tokenizer's tables. */
  async onModuleInit(): Promise<void> {
    await tokenCounter();
  }
}
