import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { COUNTED, holdingsOf, MemberRemovalsRegistry } from '../../auth/people/member-removals.registry.ts';
import { conflict, invalidFor } from '../../infra/errors/app-error.ts';
import { TaskDirectoryService, type TaskChange } from '../../tasks/definition/task-directory.service.ts';
import { formatProblem } from '../../tasks/definition/problems.ts';
import { checkPayloadTemplates } from '../../tasks/definition/workflow.ts';
import { lockSubscriptions } from '../catalog/subscription-lock.store.ts';
import {
  deleteSubscriptionsOfTask,
  findSubscriptionOfTask,
  listEventsOfTasks,
  listSchemasOfTask,
} from './subscriptions.store.ts';

/** Keeps tasks and their subscriptions consistent when a task changes, and says which have a person's tasks. */
@Injectable()
export class SubscriptionGuardService implements OnModuleInit {
  constructor(
    private readonly tasks: TaskDirectoryService,
    private readonly removals: MemberRemovalsRegistry,
  ) {}

  onModuleInit(): void {
    this.tasks.onChange((tx, task, change) => this.apply(tx, task, change));
    this.removals.register({
      preview: async (manager, { spaceId, userId }) => {
        const taskIds = await this.tasks.listEnabledOf(manager, spaceId, userId, COUNTED);
        return { subscriptions: holdingsOf(await listEventsOfTasks(manager, taskIds, COUNTED)) };
      },
    });
    // Then no dispatch is under way that has read the task as enabled.
    this.tasks.onDisabling((tx, spaceId) => lockSubscriptions(tx, spaceId));
  }

  /**
   * Refuses another type while the task is subscribed, and templates that an event of its subscriptions can never resolve.
   * Subscriptions of a deleted task are deleted with it.
   */
  private async apply(
    tx: EntityManager,
    { spaceId, id }: { spaceId: string; id: string },
    { type, workflow, deleted }: TaskChange,
  ): Promise<void> {
    if (type !== undefined && type !== 'EVENT') {
      const subscription = await findSubscriptionOfTask(tx, id);
      if (subscription === null) return;
      const sentence = `Task ${id} is subscribed to ${subscription.event}; its type must stay EVENT until subscription ${subscription.id} is deleted`;
      throw conflict(sentence);
    }
    if (workflow !== undefined) {
      const schemas = await listSchemasOfTask(tx, id);
      const problems = schemas.flatMap(({ payloadSchema, isBatch }) =>
        checkPayloadTemplates(workflow, payloadSchema, ['workflow'], isBatch),
      );
      if (problems.length > 0) throw invalidFor([...new Set(problems.map(formatProblem))]);
    }
    if (deleted === true) {
      await lockSubscriptions(tx, spaceId);
      await deleteSubscriptionsOfTask(tx, id);
    }
  }
}
