import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { KnowledgeModule } from '../knowledge/knowledge.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ToolsModule } from '../tools/tools.module.ts';
import { TurnsModule } from '../turns/turns.module.ts';
import { McpContentService } from './content/mcp-content.service.ts';
import { McpDocumentsService } from './content/mcp-documents.service.ts';
import { McpPromptsService } from './content/mcp-prompts.service.ts';
import { McpController } from './mcp.controller.ts';
import { McpOffersController } from './offers/mcp-offers.controller.ts';
import { McpOffersService } from './offers/mcp-offers.service.ts';
import { McpServerService } from './server/mcp-server.service.ts';
import { TasksExtensionService } from './server/tasks-extension.service.ts';
import { AgentToolsService } from './tools/agent-tools.service.ts';
import { McpToolsService } from './tools/mcp-tools.service.ts';
import { MethodToolsService } from './tools/method-tools.service.ts';
import { TaskToolsService } from './tools/task-tools.service.ts';
import { WorkToolsService } from './tools/work-tools.service.ts';
import { AgentWorkService } from './work/agent-work.service.ts';
import { RunWorkService } from './work/run-work.service.ts';
import { WorkService } from './work/work.service.ts';

@Module({
  imports: [AuthModule, AgentsModule, KnowledgeModule, TasksModule, ToolsModule, TurnsModule],
  controllers: [McpOffersController, McpController],
  providers: [
    AgentToolsService,
    AgentWorkService,
    McpContentService,
    McpDocumentsService,
    McpOffersService,
    McpPromptsService,
    McpServerService,
    McpToolsService,
    MethodToolsService,
    RunWorkService,
    TasksExtensionService,
    TaskToolsService,
    WorkService,
    WorkToolsService,
  ],
})
export class McpModule {}
