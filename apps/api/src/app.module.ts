import { Module, type DynamicModule } from '@nestjs/common';
import { AgentsModule } from './agents/agents.module.ts';
import { ApplicationsModule } from './applications/applications.module.ts';
import { AuthModule } from './auth/auth.module.ts';
import { ChangesModule } from './changes/changes.module.ts';
import { ConnectionsModule } from './connections/connections.module.ts';
import { DataModule } from './data/data.module.ts';
import { entities } from './entities.ts';
import { EventsModule } from './events/events.module.ts';
import type { PlatformConfig } from './infra/config/platform-config.ts';
import { DatabaseModule } from './infra/database/database.module.ts';
import { InfraModule } from './infra/infra.module.ts';
import { LoggingModule } from './infra/logging/logging.module.ts';
import { McpModule } from './mcp/mcp.module.ts';
import { MessagingModule } from './infra/messaging/messaging.module.ts';
import { JobsModule } from './jobs/jobs.module.ts';
import { KnowledgeModule } from './knowledge/knowledge.module.ts';
import { ModelsModule } from './models/models.module.ts';
import { NotificationsModule } from './notifications/notifications.module.ts';
import { RelayModule } from './relay/relay.module.ts';
import { SeedModule } from './seed/seed.module.ts';
import { StreamsModule } from './streams/streams.module.ts';
import { TasksModule } from './tasks/tasks.module.ts';
import { ToolsModule } from './tools/tools.module.ts';
import { TurnsModule } from './turns/turns.module.ts';
import { SavedViewsModule } from './saved-views/saved-views.module.ts';
import { SearchModule } from './search/search.module.ts';
import { StorageModule } from './storage/storage.module.ts';
import { UsageModule } from './usage/usage.module.ts';

/** The composition root: the modules in their order. */
@Module({})
export class AppModule {
  static with(config: PlatformConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        // Express tries the routes in the order of their modules, and the relay has the most calls.
        RelayModule,
        InfraModule.with(config),
        LoggingModule,
        DatabaseModule.with(entities),
        MessagingModule.with(config),
        AuthModule,
        UsageModule,
        StorageModule,
        SearchModule,
        SavedViewsModule,
        ModelsModule,
        StreamsModule,
        TasksModule,
        KnowledgeModule,
        ConnectionsModule,
        ToolsModule,
        AgentsModule,
        TurnsModule,
        JobsModule,
        EventsModule,
        DataModule,
        ApplicationsModule,
        NotificationsModule,
        ChangesModule,
        McpModule,
        SeedModule,
      ],
    };
  }
}
