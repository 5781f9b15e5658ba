import { Module } from '@nestjs/common';
import { AgentsModule } from '../agents/agents.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ToolsModule } from '../tools/tools.module.ts';
import { TurnsModule } from '../turns/turns.module.ts';
import { AgentToolsService } from './agent-tools.service.ts';
import { McpOffersController } from './mcp-offers.controller.ts';
import { McpOffersService } from './mcp-offers.service.ts';
import { McpServerService } from './mcp-server.service.ts';
import { McpToolsService } from './mcp-tools.service.ts';
import { McpController } from './mcp.controller.ts';
import { MethodToolsService } from './method-tools.service.ts';
import { TaskToolsService } from './task-tools.service.ts';
import { WorkToolsService } from './work-tools.service.ts';

@Module({
  imports: [AuthModule, AgentsModule, TasksModule, ToolsModule, TurnsModule],
  controllers: [McpOffersController, McpController],
  providers: [
    AgentToolsService,
    McpOffersService,
    McpServerService,
    McpToolsService,
    MethodToolsService,
    TaskToolsService,
    WorkToolsService,
  ],
})
export class McpModule {}
