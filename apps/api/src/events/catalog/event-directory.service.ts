import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { notFound } from '../../infra/errors/app-error.ts';
import { listEventKeys, type EventKey } from './catalog.store.ts';
import { RegisteredEventEntity } from './registered-event.entity.ts';

/** The events that a request names by the identifier of their application. */
@Injectable()
export class EventDirectoryService {
  constructor(private readonly applications: ApplicationIdentitiesService) {}

  /** Returns an event. Throws NOT_FOUND unless it is registered at present. */
  async getRegistered(
    manager: EntityManager,
    spaceId: string,
    identifier: string,
    name: string,
  ): Promise<RegisteredEventEntity> {
    const application = await this.applications.find(manager, spaceId, identifier);
    const event =
      application &&
      (await manager.findOneBy(RegisteredEventEntity, {
        applicationId: application.id,
        name,
        retiredAt: IsNull(),
      }));
    if (!event) throw notFound(`The event ${name} of the application ${identifier} is not registered`);
    return event;
  }

  /** Returns an event; null if it is not registered at present. */
  find(
    manager: EntityManager,
    { applicationId, event: name }: { applicationId: string; event: string },
  ): Promise<RegisteredEventEntity | null> {
    return manager.findOneBy(RegisteredEventEntity, { applicationId, name, retiredAt: IsNull() });
  }

  /** Lists the events that a space has or had. */
  list(sql: Sql, spaceId: string): Promise<EventKey[]> {
    return listEventKeys(sql, spaceId, { applicationId: null, name: null });
  }

  /** Lists the events that a filter of a list selects, retired ones included; null if it selects all. */
  async select(
    sql: Sql,
    spaceId: string,
    {
      applicationIdentifier,
      event,
    }: { applicationIdentifier?: string | null | undefined; event?: string | null | undefined },
  ): Promise<EventKey[] | null> {
    if (applicationIdentifier == null && event == null) return null;
    let applicationId: string | null = null;
    if (applicationIdentifier != null) {
      const application = await this.applications.find(sql, spaceId, applicationIdentifier);
      if (application === null) return [];
      applicationId = application.id;
    }
    return listEventKeys(sql, spaceId, { applicationId, name: event ?? null });
  }
}
