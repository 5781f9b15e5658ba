import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { COUNTED, holdingsOf, MemberRemovalsRegistry } from '../auth/people/member-removals.registry.ts';
import { ModelsModule } from '../models/models.module.ts';
import { SearchModule } from '../search/search.module.ts';
import { ToolsModule } from '../tools/tools.module.ts';
import { AgentSearchService } from './agent-search.service.ts';
import { AgentAccessGuard } from './agent-access.guard.ts';
import { AgentsController } from './agents.controller.ts';
import { AgentsService } from './agents.service.ts';
import { listOwnedAgents } from './agents.store.ts';

@Module({
  imports: [AuthModule, ModelsModule, SearchModule, ToolsModule],
  controllers: [AgentsController],
  providers: [AgentsService, AgentAccessGuard, AgentSearchService],
  exports: [AgentsService, AgentAccessGuard],
})
export class AgentsModule implements OnModuleInit {
  constructor(private readonly removals: MemberRemovalsRegistry) {}

  onModuleInit(): void {
    this.removals.register({
      preview: async (manager, { spaceId, userId }) => ({
        agents: holdingsOf(await listOwnedAgents(manager, spaceId, userId, COUNTED)),
      }),
    });
  }
}
