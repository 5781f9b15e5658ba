import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { Database } from '../../infra/database/database.ts';
import { SearchRegistry, visible, type Found } from '../../search/search.registry.ts';
import { findEvents } from '../catalog/catalog.store.ts';
import { getEnvelope } from '../records/envelopes.store.ts';
import { getSubscription } from '../subscriptions/subscriptions.store.ts';

/** Finds registered events by words, and envelopes and subscriptions by their ids. */
@Injectable()
export class EventSearchService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly applications: ApplicationIdentitiesService,
    private readonly registry: SearchRegistry,
  ) {}

  onModuleInit(): void {
    const { manager } = this.database;
    const admin = { rule: 'admin', scopes: ['manage'] } as const;
    this.registry.register(
      {
        kind: 'event',
        access: { rule: 'member', scopes: ['use', 'manage'] },
        find: ({ spaceId }, text) => this.findEvents(spaceId, text),
      },
      {
        kind: 'envelope',
        access: admin,
        findById: async ({ spaceId }, id) => {
          const envelope = await visible(getEnvelope(manager, spaceId, id));
          return (
            envelope && { id: envelope.id, title: envelope.event, text: envelope.status, parentId: null }
          );
        },
      },
      {
        kind: 'subscription',
        access: admin,
        findById: async ({ spaceId }, id) => {
          const found = await visible(getSubscription(manager, spaceId, id));
          return found && { id: found.id, title: found.event, text: '', parentId: found.taskId };
        },
      },
    );
  }

  private async findEvents(spaceId: string, text: string): Promise<Found[]> {
    const events = await findEvents(this.database, spaceId, text);
    const ids = [...new Set(events.map(({ applicationId }) => applicationId))];
    const identifiers = await this.applications.names(this.database, spaceId, ids);
    return events.map(({ applicationId, name, description }) => {
      return { id: name, title: name, text: description, parentId: identifiers.get(applicationId) ?? null };
    });
  }
}
