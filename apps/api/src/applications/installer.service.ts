import { Injectable } from '@nestjs/common';
import type { ApplicationManifest, BrokenSubscription } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { DataInstallationService } from '../data/tables/data-installation.service.ts';
import { CatalogInstallationService } from '../events/catalog/catalog-installation.service.ts';
import { BrokenSubscriptionsService } from '../events/subscriptions/broken-subscriptions.service.ts';
import { invalidFor } from '../infra/errors/app-error.ts';
import { TaskInstallationService } from '../tasks/definition/task-installation.service.ts';
import { checkManifest, partsOf } from './manifest.ts';
import { checkPayloadSchemas } from './payload-schemas.ts';

/** Brings tasks, events, subscriptions, and tables to what a manifest declares: the only place that knows all of them. */
@Injectable()
export class InstallerService {
  constructor(
    private readonly tasks: TaskInstallationService,
    private readonly catalog: CatalogInstallationService,
    private readonly tables: DataInstallationService,
    private readonly subscriptions: BrokenSubscriptionsService,
  ) {}

  /** Throws VALIDATION_ERROR that names everything that is wrong, by JSON pointer. */
  async parse(body: unknown, identifier?: string): Promise<ApplicationManifest> {
    const problems = [
      ...checkManifest(body, (tasks, pointer) => this.tasks.validate(tasks, pointer)),
      ...(await checkPayloadSchemas(body)),
    ];
    if (problems.length > 0) throw invalidFor(problems);
    const manifest = body as ApplicationManifest;
    if (identifier !== undefined && manifest.identifier !== identifier) {
      throw invalidFor([`/identifier must be ${identifier}, the application that is upgraded`]);
    }
    return manifest;
  }

  /** Requires the lock of the application. */
  async apply(
    tx: EntityManager,
    { userId, ...owner }: { spaceId: string; applicationId: string; userId: string },
    manifest: ApplicationManifest,
  ): Promise<void> {
    const { events, tables, tasks, subscriptions } = partsOf(manifest);
    const taskIds = await this.tasks.install(tx, { ...owner, ownerUserId: userId }, tasks);
    const declared = { name: manifest.name, events, subscriptions };
    await this.catalog.install(tx, { ...owner, userId }, declared, taskIds);
    await this.tables.install(tx, owner, tables);
  }

  /** Throws CONFLICT if the space has more than its catalog may have, with what the transaction has applied. */
  assertFits(tx: EntityManager, spaceId: string): Promise<void> {
    return this.catalog.assertFits(tx, spaceId);
  }

  /** Gives tasks whose owners have left the space to the caller. Returns how many. Requires the lock of the application. */
  adoptTasks(
    tx: EntityManager,
    { userId, ...owner }: { spaceId: string; applicationId: string; userId: string },
  ): Promise<number> {
    return this.tasks.adopt(tx, { ...owner, ownerUserId: userId });
  }

  async remove(tx: EntityManager, owner: { spaceId: string; applicationId: string }): Promise<void> {
    // As when a task is deleted: first the tasks, then the lock of the subscriptions.
    await this.tasks.uninstall(tx, owner.applicationId);
    await this.catalog.uninstall(tx, owner);
    await this.tables.uninstall(tx, owner);
  }

  /** Throws CONFLICT if the manifest cannot be applied to what is installed. */
  assertApplicable(tx: EntityManager, applicationId: string, manifest: ApplicationManifest): Promise<void> {
    return this.tasks.assertTypes(tx, applicationId, partsOf(manifest).tasks);
  }

  async findBroken(
    tx: EntityManager,
    owner: { spaceId: string; applicationId: string },
    manifest: ApplicationManifest,
  ): Promise<BrokenSubscription[]> {
    const parts = partsOf(manifest);
    const removedTaskIds = await this.tasks.listRemoved(tx, owner.applicationId, parts.tasks);
    return this.subscriptions.findBroken(tx, owner, parts, removedTaskIds);
  }
}
