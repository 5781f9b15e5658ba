import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { KnowledgeModule } from '../knowledge/knowledge.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { MethodSchemas } from './method-schemas.ts';
import { PlatformTools } from './platform-tools.ts';
import { SpeechConfigurations } from './speech-configurations.ts';
import { SpeechController } from './speech.controller.ts';
import { ToolAction } from './tool-action.ts';
import { ToolCalls } from './tool-calls.ts';
import { ToolDirectory } from './tool-directory.ts';
import { ToolMethodsService } from './tool-methods.service.ts';
import { ToolResponses } from './tool-responses.ts';
import { ToolsController } from './tools.controller.ts';
import { ToolsService } from './tools.service.ts';

@Module({
  imports: [AuthModule, KnowledgeModule, TasksModule],
  // Its literal routes come before `tools/:id`.
  controllers: [SpeechController, ToolsController],
  providers: [
    MethodSchemas,
    PlatformTools,
    SpeechConfigurations,
    ToolAction,
    ToolCalls,
    ToolDirectory,
    ToolMethodsService,
    ToolResponses,
    ToolsService,
  ],
  exports: [ToolDirectory],
})
export class ToolsModule {}
