import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ConnectionsModule } from '../connections/connections.module.ts';
import { KnowledgeModule } from '../knowledge/knowledge.module.ts';
import { SearchModule } from '../search/search.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { CallCredentialsService } from './calls/call-credentials.service.ts';
import { ConsentsWorker } from './policies/consents.worker.ts';
import { HttpCallsService } from './http/http-calls.service.ts';
import { McpCallsService } from './mcp-client/mcp-calls.service.ts';
import { McpConnectorService } from './mcp-client/mcp-connector.service.ts';
import { McpImportService } from './definition/mcp-import.service.ts';
import { McpListingService } from './mcp-client/mcp-listing.service.ts';
import { McpWatchService } from './mcp-client/mcp-watch.service.ts';
import { MethodSchemasService } from './calls/method-schemas.service.ts';
import { PlatformToolsService } from './platform/platform-tools.service.ts';
import { SpeechConfigurationsService } from './speech/speech-configurations.service.ts';
import { SpeechController } from './speech/speech.controller.ts';
import { ConnectedToolsService } from './definition/connected-tools.service.ts';
import { StepPausesService } from './policies/step-pauses.service.ts';
import { ToolAction } from './definition/tool.action.ts';
import { ToolCallsService } from './calls/tool-calls.service.ts';
import { ToolDirectoryService } from './definition/tool-directory.service.ts';
import { ToolMethodsService } from './definition/tool-methods.service.ts';
import { ToolResponsesService } from './calls/tool-responses.service.ts';
import { ToolSearchService } from './definition/tool-search.service.ts';
import { ToolTestsService } from './definition/tool-tests.service.ts';
import { ToolsController } from './definition/tools.controller.ts';
import { ToolsService } from './definition/tools.service.ts';

@Module({
  imports: [AuthModule, ConnectionsModule, KnowledgeModule, SearchModule, TasksModule],
  // Its literal routes come before `tools/:id`.
  controllers: [SpeechController, ToolsController],
  providers: [
    CallCredentialsService,
    ConnectedToolsService,
    ConsentsWorker,
    HttpCallsService,
    McpCallsService,
    McpConnectorService,
    McpImportService,
    McpListingService,
    McpWatchService,
    MethodSchemasService,
    PlatformToolsService,
    SpeechConfigurationsService,
    StepPausesService,
    ToolAction,
    ToolCallsService,
    ToolDirectoryService,
    ToolMethodsService,
    ToolResponsesService,
    ToolSearchService,
    ToolTestsService,
    ToolsService,
  ],
  exports: [ToolDirectoryService],
})
export class ToolsModule {}
