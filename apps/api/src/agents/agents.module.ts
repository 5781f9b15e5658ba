import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ModelsModule } from '../models/models.module.ts';
import { ToolsModule } from '../tools/tools.module.ts';
import { AgentAccessGuard } from './agent-access.guard.ts';
import { AgentsController } from './agents.controller.ts';
import { AgentsService } from './agents.service.ts';

@Module({
  imports: [AuthModule, ModelsModule, ToolsModule],
  controllers: [AgentsController],
  providers: [AgentsService, AgentAccessGuard],
  exports: [AgentsService, AgentAccessGuard],
})
export class AgentsModule {}
