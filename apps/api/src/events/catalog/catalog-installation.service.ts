import { Injectable } from '@nestjs/common';
import type { ApplicationManifest, BrokenSubscription, JsonSchema, ManifestEvent } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import type { Sql } from '../../infra/database/rows.ts';
import { hashJson } from '../../infra/runtime/json.ts';
import * as store from './catalog-installation.store.ts';
import { findBreakage } from './schema-breakage.ts';
import { lockSubscriptions } from './subscription-lock.store.ts';

/** The most broken subscriptions that are reported. */
const MAX_BROKEN = 200;
const READ_BATCH = 500;

/** Registers what a manifest declares for the event bus, in the transaction that installs the application. */
@Injectable()
export class CatalogInstallationService {
  /**
   * Brings events and default subscriptions to what the manifest declares. Nothing is deleted: what it no longer declares is
   * retired. `taskIds` maps the keys of the manifest's tasks.
   */
  async install(
    tx: EntityManager,
    where: store.CatalogOwner & { userId: string },
    { name, events = [], subscriptions = [] }: Pick<ApplicationManifest, 'name' | 'events' | 'subscriptions'>,
    taskIds: ReadonlyMap<string, string>,
  ): Promise<void> {
    await lockSubscriptions(tx, where.spaceId);
    await store.nameApplication(tx, where, name);
    await store.registerEvents(tx, where, events.map(toDeclaredEvent));
    const names = events.map(({ name }) => name);
    await store.retireEvents(tx, where.applicationId, names);
    const declared = subscriptions.map(({ key, event, taskKey, filter = null, enabled }) => {
      const taskId = taskIds.get(taskKey);
      if (taskId === undefined) throw new Error(`Subscription ${key} names the unknown task ${taskKey}`);
      return { key, event, taskId, filter, enabled: enabled ?? true };
    });
    await store.putDefaultSubscriptions(tx, where, where.userId, declared);
    const keys = subscriptions.map(({ key }) => key);
    await store.retireDefaultSubscriptions(tx, where.applicationId, keys);
  }

  /** Retires the events and default subscriptions of an application. Subscriptions of users stay as they are. */
  async uninstall(tx: EntityManager, where: store.CatalogOwner): Promise<void> {
    await lockSubscriptions(tx, where.spaceId);
    await store.retireEvents(tx, where.applicationId, []);
    await store.retireDefaultSubscriptions(tx, where.applicationId, []);
  }

  /**
   * Finds subscriptions that would never fire again, or whose filter could not match, with another manifest. At most 200.
   * A default subscription that the manifest no longer declares, or moves to another event, is not broken. Those of users to
   * tasks that would be gone are, whatever application emits their event.
   */
  async findBroken(
    sql: Sql,
    applicationId: string,
    { events = [], subscriptions = [] }: Pick<ApplicationManifest, 'events' | 'subscriptions'>,
    removedTaskIds: readonly string[],
  ): Promise<BrokenSubscription[]> {
    const removed = new Set(removedTaskIds);
    const schemas = new Map<string, JsonSchema>(
      events.map(({ name, payloadSchema }) => [name, payloadSchema]),
    );
    const defaults = new Map(subscriptions.map(({ key, event }) => [key, event]));
    const broken: BrokenSubscription[] = [];
    let after: store.ActiveSubscription | null = null;
    do {
      const batch = await store.listActiveSubscriptions(
        sql,
        applicationId,
        removedTaskIds,
        after,
        READ_BATCH,
      );
      for (const { id, event, taskId, filter, defaultKey } of batch) {
        if (defaultKey !== null && defaults.get(defaultKey) !== event) continue;
        const reason =
          defaultKey === null && removed.has(taskId)
            ? 'the new version does not declare the task'
            : findBreakage(filter, schemas.get(event));
        if (reason !== null) broken.push({ subscriptionId: id, event, taskId, reason });
      }
      after = batch.length === READ_BATCH ? (batch.at(-1) ?? null) : null;
    } while (after !== null && broken.length < MAX_BROKEN);
    return broken.slice(0, MAX_BROKEN);
  }
}

function toDeclaredEvent({ name, description, payloadSchema, recursionLimit }: ManifestEvent) {
  return {
    name,
    description,
    payloadSchema,
    schemaHash: hashJson(payloadSchema),
    recursionLimit: recursionLimit ?? 1,
  };
}
