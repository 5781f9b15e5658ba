import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ApplicationIdentitiesService } from '../auth/applications/application-identities.service.ts';
import { Database } from '../infra/database/database.ts';
import { SearchModule } from '../search/search.module.ts';
import { MOST_FOUND, SearchRegistry, type Found } from '../search/search.registry.ts';
import { listInstallations } from './applications.store.ts';
import { DataModule } from '../data/data.module.ts';
import { EventsModule } from '../events/events.module.ts';
import { TasksModule } from '../tasks/tasks.module.ts';
import { ApplicationsController } from './applications.controller.ts';
import { ApplicationsService } from './applications.service.ts';
import { SystemKeysController } from './system-keys.controller.ts';
import { SystemKeysService } from './system-keys.service.ts';
import { InstallerService } from './installer.service.ts';

@Module({
  imports: [AuthModule, SearchModule, TasksModule, EventsModule, DataModule],
  controllers: [ApplicationsController, SystemKeysController],
  providers: [ApplicationsService, SystemKeysService, InstallerService],
  exports: [ApplicationsService],
})
export class ApplicationsModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly identities: ApplicationIdentitiesService,
    private readonly search: SearchRegistry,
  ) {}

  onModuleInit(): void {
    this.search.register({
      kind: 'application',
      access: { rule: 'admin', scopes: ['administer'] },
      find: ({ spaceId }, text) => this.find(spaceId, text.toLowerCase()),
    });
  }

  /** A space has few applications, so the latest are read. */
  private async find(spaceId: string, text: string): Promise<Found[]> {
    const { manager } = this.database;
    const installed = await listInstallations(manager, spaceId, null, MOST_FOUND);
    const ids = installed.map(({ applicationId }) => applicationId);
    const identifiers = await this.identities.names(manager, spaceId, ids);
    return installed.flatMap(({ applicationId, name }) => {
      const identifier = identifiers.get(applicationId) ?? '';
      const isSought = identifier.includes(text) || name.toLowerCase().includes(text);
      return isSought ? [{ id: identifier, title: name, text: identifier, parentId: null }] : [];
    });
  }
}
