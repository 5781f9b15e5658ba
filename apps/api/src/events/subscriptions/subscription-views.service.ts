import { Injectable } from '@nestjs/common';
import type { Subscription } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import { TaskDirectoryService } from '../../tasks/definition/task-directory.service.ts';
import { listRegistered, type EventKey } from '../catalog/catalog.store.ts';
import type { SubscriptionEntity } from './subscription.entity.ts';

/** Subscriptions as the interface shows them. */
@Injectable()
export class SubscriptionViewsService {
  constructor(
    private readonly applications: ApplicationIdentitiesService,
    private readonly tasks: TaskDirectoryService,
  ) {}

  /** Completes subscriptions of one space with what other tables know. */
  async describe(
    manager: EntityManager,
    spaceId: string,
    subscriptions: readonly SubscriptionEntity[],
  ): Promise<Subscription[]> {
    const applicationIds = distinct(subscriptions.map(({ applicationId }) => applicationId));
    const taskIds = distinct(subscriptions.map(({ taskId }) => taskId));
    const keys = subscriptions.map(({ applicationId, event }) => ({ applicationId, name: event }));
    // One after another, because a transaction has one connection.
    const identifiers = await this.applications.names(manager, spaceId, applicationIds);
    const tasks = await this.tasks.find(manager, spaceId, taskIds);
    const registered = new Set((await listRegistered(manager, keys)).map(textOf));
    return subscriptions.map((subscription) => {
      const { id, applicationId, event, taskId, filter, debounce, batch, enabled, origin, createdAt } =
        subscription;
      return {
        id,
        applicationIdentifier: identifiers.get(applicationId) ?? '',
        event,
        taskId,
        taskName: tasks.get(taskId)?.name ?? '',
        filter,
        debounce,
        batch,
        enabled,
        origin,
        waitingForApplication: !registered.has(textOf({ applicationId, name: event })),
        createdAt: createdAt.toISOString(),
      };
    });
  }
}

function textOf({ applicationId, name }: EventKey): string {
  return `${applicationId}/${name}`;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
