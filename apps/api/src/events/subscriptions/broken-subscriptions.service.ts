import { Injectable } from '@nestjs/common';
import type { ApplicationManifest, BrokenSubscription, JsonSchema } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { TaskDirectoryService } from '../../tasks/definition/task-directory.service.ts';
import { findBreakage } from './schema-breakage.ts';
import { listActiveSubscriptions, type ActiveSubscription } from './subscriptions.store.ts';

/** The most broken subscriptions that are reported. */
const MAX_BROKEN = 200;
/** With the workflows of their tasks, of up to 1 MB each. */
const READ_BATCH = 50;

/** What another manifest of an application would break. */
@Injectable()
export class BrokenSubscriptionsService {
  constructor(private readonly tasks: TaskDirectoryService) {}

  /**
   * Finds subscriptions that would never fire again, or whose filter could not match, whose key no event would have, or whose task
   * could not resolve its templates, with another manifest. At most 200. What the manifest says of its own tasks is checked when it is
   * parsed. A default subscription that the manifest no longer declares, or moves to another event, is not broken. Those of users to
   * tasks that would be gone are, whatever application emits their event.
   */
  async findBroken(
    sql: Sql,
    { spaceId, applicationId }: { spaceId: string; applicationId: string },
    { events = [], subscriptions = [] }: Pick<ApplicationManifest, 'events' | 'subscriptions'>,
    removedTaskIds: readonly string[],
  ): Promise<BrokenSubscription[]> {
    const removed = new Set(removedTaskIds);
    const schemas = new Map<string, JsonSchema>(
      events.map(({ name, payloadSchema }) => [name, payloadSchema]),
    );
    const defaults = new Map(subscriptions.map(({ key, event }) => [key, event]));
    const broken: BrokenSubscription[] = [];
    let after: ActiveSubscription | null = null;
    do {
      const batch = await listActiveSubscriptions(sql, applicationId, removedTaskIds, after, READ_BATCH);
      const workflows = await this.tasks.findWorkflows(
        sql,
        spaceId,
        batch.map(({ taskId }) => taskId),
      );
      for (const subscription of batch) {
        const { id, event, taskId, defaultKey } = subscription;
        if (defaultKey !== null && defaults.get(defaultKey) !== event) continue;
        const reason =
          defaultKey === null && removed.has(taskId)
            ? 'the new version does not declare the task'
            : findBreakage(subscription, workflows.get(taskId) ?? null, schemas.get(event));
        if (reason !== null) broken.push({ subscriptionId: id, event, taskId, reason });
      }
      after = batch.length === READ_BATCH ? (batch.at(-1) ?? null) : null;
    } while (after !== null && broken.length < MAX_BROKEN);
    return broken.slice(0, MAX_BROKEN);
  }
}
