import { Injectable } from '@nestjs/common';
import type { ApplicationManifest, ManifestEvent } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { conflict } from '../../infra/errors/app-error.ts';
import { hashJson } from '../../infra/runtime/json.ts';
import * as store from './catalog-installation.store.ts';
import { lockSubscriptions } from './subscription-lock.store.ts';

/** Of all events of a space with their schemas: whoever lists the catalog reads them at once. */
const MAX_CATALOG_BYTES = 8 * 1024 * 1024;

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
    const declared = subscriptions.map(
      ({ key, event, taskKey, filter = null, debounce = null, batch = null, enabled }) => {
        const taskId = taskIds.get(taskKey);
        if (taskId === undefined) throw new Error(`Subscription ${key} names the unknown task ${taskKey}`);
        return { key, event, taskId, filter, debounce, batch, enabled: enabled ?? true };
      },
    );
    await store.putDefaultSubscriptions(tx, where, where.userId, declared);
    const keys = subscriptions.map(({ key }) => key);
    await store.retireDefaultSubscriptions(tx, where.applicationId, keys);
  }

  /** Throws CONFLICT if the catalog of a space, after what the transaction has installed, has too many bytes. */
  async assertFits(tx: EntityManager, spaceId: string): Promise<void> {
    const bytes = await store.sumCatalogBytes(tx, spaceId);
    if (bytes > MAX_CATALOG_BYTES)
      throw conflict(
        `The catalog of the space would have ${bytes} bytes; at most ${MAX_CATALOG_BYTES} are stored`,
      );
  }

  /** Retires the events and default subscriptions of an application. Subscriptions of users stay as they are. */
  async uninstall(tx: EntityManager, where: store.CatalogOwner): Promise<void> {
    await lockSubscriptions(tx, where.spaceId);
    await store.retireEvents(tx, where.applicationId, []);
    await store.retireDefaultSubscriptions(tx, where.applicationId, []);
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
