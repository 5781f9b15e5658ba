import { Injectable, Logger } from '@nestjs/common';
import type {
  Application,
  ApplicationDetail,
  ApplicationManifest,
  InstalledApplication,
  Page,
  RotatedSystemKey,
  UpgradeResult,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import {
  ApplicationIdentitiesService,
  systemKeyPrefix,
} from '../auth/applications/application-identities.service.ts';
import type { AuditedCall } from '../auth/principals/caller.decorator.ts';
import { Database } from '../infra/database/database.ts';
import { conflict, notFound } from '../infra/errors/app-error.ts';
import { Cursors } from '../infra/requests/cursors.ts';
import type { PageDto } from '../infra/requests/page.dto.ts';
import type { ApplicationManifestEntity } from './application-manifest.entity.ts';
import { auditApplication } from './application-audit.ts';
import { toApplication, toApplicationDetail } from './application-views.ts';
import { findInstallation, isManifest, listInstallations, putInstallation } from './applications.store.ts';
import { InstallerService } from './installer.service.ts';
import { hashManifest, listChanges } from './manifest-changes.ts';

/** The application whose events the platform emits. */
const BUILT_IN = 'platform';

/** An application that is installed, in the transaction that changes it. */
interface Installed {
  applicationId: string;
  installation: ApplicationManifestEntity;
}

/** Installs, upgrades, and uninstalls applications. Each is one transaction, and deletes nothing. */
@Injectable()
export class ApplicationsService {
  private readonly logger = new Logger(ApplicationsService.name);

  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identities: ApplicationIdentitiesService,
    private readonly installer: InstallerService,
  ) {}

  /** Lists the applications of a space, uninstalled ones included, newest first. */
  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<Application>> {
    const { manager } = this.database;
    const filter = { applicationsOf: spaceId };
    const before = this.cursors.idAfter(cursor, filter);
    const found = await listInstallations(manager, spaceId, before, limit + 1);
    const ids = found.map(({ applicationId }) => applicationId);
    const states = await this.identities.describe(manager, spaceId, ids);
    return this.cursors.page(
      found,
      limit,
      filter,
      ({ applicationId }) => [applicationId],
      (installation) => toApplication(installation, stateIn(states, installation.applicationId)),
    );
  }

  async get(spaceId: string, identifier: string): Promise<ApplicationDetail> {
    const { manager } = this.database;
    const application = await this.identities.find(manager, spaceId, identifier);
    const installation = application && (await findInstallation(manager, spaceId, application.id));
    if (!installation) throw notFound(`Application ${identifier} does not exist`);
    return this.toDetail(manager, installation);
  }

  /**
   * Installs an application, or installs it again after it was uninstalled. Throws CONFLICT if it is installed: an upgrade
   * keeps the system key, this makes a new one.
   */
  async install(call: AuditedCall, body: unknown): Promise<InstalledApplication> {
    const manifest = await this.installer.parse(body);
    assertNotBuiltIn(manifest.identifier);
    return this.installBuiltIn(call, manifest);
  }

  /** As `install`, for the manifest of the platform itself. */
  installBuiltIn(call: AuditedCall, manifest: ApplicationManifest): Promise<InstalledApplication> {
    const { identifier, version } = manifest;
    const { by } = call;
    const { spaceId, userId } = by;
    return this.database.transaction(
      async (tx) => {
        const { id, isNew } = await this.identities.install(tx, spaceId, identifier);
        if (!isNew) {
          throw conflict(
            `Application ${identifier} is installed already: upgrade it by PUT /api/applications/${identifier}`,
          );
        }
        const installation = await this.apply(tx, { spaceId, applicationId: id, userId }, manifest, true);
        await this.installer.assertFits(tx, spaceId);
        const { key } = await this.identities.rotateKey(tx, id, by);
        await auditApplication(tx, call, 'application.install', id, { identifier, version });
        return { application: await this.toDetail(tx, installation), systemKey: key };
      },
      {
        committed: ({ application: { systemKeyPrefix: prefix } }) => this.hasKey(spaceId, identifier, prefix),
      },
    );
  }

  /**
   * Brings the application of the platform itself to a manifest, in a transaction of the caller. Subscriptions stay. Returns its
   * id; null if the space does not have it installed.
   */
  async upgradeBuiltIn(
    tx: EntityManager,
    spaceId: string,
    manifest: ApplicationManifest,
  ): Promise<string | null> {
    const { identifier, version } = manifest;
    const hash = hashManifest(manifest);
    const found = await this.identities.find(tx, spaceId, identifier);
    if (!found?.installed) return null;
    if (await isManifest(tx, found.id, hash)) return found.id;
    // Another process may be upgrading it as well, or a person may be uninstalling it: whoever comes second finds what the first did.
    const locked = await this.identities.lock(tx, spaceId, identifier);
    const installation = locked?.installed && (await findInstallation(tx, spaceId, locked.id));
    if (!locked || !installation) return null;
    if (installation.manifestHash.equals(hash)) return locked.id;
    await this.apply(
      tx,
      { spaceId, applicationId: locked.id, userId: installation.installedBy },
      manifest,
      false,
    );
    this.logger.log(
      { spaceId, identifier, from: installation.version, to: version },
      'Upgraded an application',
    );
    return locked.id;
  }

  /**
   * Replaces the manifest. The manifest that is installed already changes nothing, except that the caller becomes the owner of
   * tasks whose owners have left the space; another one of the same version is a
   * CONFLICT. A dry run checks everything, changes nothing, and names the subscriptions that would break.
   */
  async upgrade(
    call: AuditedCall,
    identifier: string,
    body: unknown,
    dryRun: boolean,
  ): Promise<UpgradeResult> {
    assertNotBuiltIn(identifier);
    return this.replaceManifest(call, await this.installer.parse(body, identifier), dryRun);
  }

  /** As `upgrade`, for the manifest of the platform itself. */
  replaceManifest(call: AuditedCall, manifest: ApplicationManifest, dryRun = false): Promise<UpgradeResult> {
    const { identifier } = manifest;
    const { by } = call;
    const { spaceId, userId } = by;
    const { version } = manifest;
    const hash = hashManifest(manifest);
    return this.database.transaction(
      async (tx) => {
        const { applicationId, installation } = await this.lockInstalled(tx, spaceId, identifier);
        const current = await this.toDetail(tx, installation);
        const unchanged = { application: current, changes: [], brokenSubscriptions: [], dryRun };
        if (installation.manifestHash.equals(hash)) {
          const adopted = dryRun
            ? 0
            : await this.installer.adoptTasks(tx, { spaceId, applicationId, userId });
          if (adopted > 0) {
            await auditApplication(tx, call, 'application.upgrade', applicationId, {
              identifier,
              from: version,
              to: version,
              adoptedTasks: adopted,
            });
          }
          return unchanged;
        }
        if (installation.version === version) {
          throw conflict(
            `Version ${version} of ${identifier} is installed with a different manifest: give the new one another version`,
          );
        }
        await this.installer.assertApplicable(tx, applicationId, manifest);
        const changes = listChanges(installation.manifest, manifest);
        const brokenSubscriptions = await this.installer.findBroken(tx, { spaceId, applicationId }, manifest);
        if (dryRun) return { ...unchanged, changes, brokenSubscriptions };
        const upgraded = await this.apply(tx, { spaceId, applicationId, userId }, manifest, false);
        await this.installer.assertFits(tx, spaceId);
        await auditApplication(tx, call, 'application.upgrade', applicationId, {
          identifier,
          from: installation.version,
          to: version,
        });
        const application = await this.toDetail(tx, upgraded);
        return { application, changes, brokenSubscriptions, dryRun };
      },
      {
        committed: async ({ application }) => {
          if (dryRun) return true;
          return (await this.get(spaceId, identifier)).updatedAt === application.updatedAt;
        },
      },
    );
  }

  /** Uninstalls an application. Rows, history, and the subscriptions of users stay. Repeating it changes nothing. */
  uninstall(call: AuditedCall, identifier: string): Promise<void> {
    const { by } = call;
    const { spaceId } = by;
    return this.database.transaction(
      async (tx) => {
        const application = await this.identities.lock(tx, spaceId, identifier);
        if (!application) throw notFound(`Application ${identifier} does not exist`);
        if (!application.installed) return;
        await this.installer.remove(tx, { spaceId, applicationId: application.id });
        await this.identities.uninstall(tx, application.id);
        await auditApplication(tx, call, 'application.uninstall', application.id, { identifier });
      },
      {
        committed: async () => {
          const application = await this.identities.find(this.database, spaceId, identifier);
          return application?.installed === false;
        },
      },
    );
  }

  /** Replaces the system key with immediate effect. Only this response contains the new key. */
  rotateKey(call: AuditedCall, identifier: string): Promise<RotatedSystemKey> {
    const { by } = call;
    const { spaceId } = by;
    return this.database.transaction(
      async (tx) => {
        const { applicationId } = await this.lockInstalled(tx, spaceId, identifier);
        const { key, publicId } = await this.identities.rotateKey(tx, applicationId, by);
        const prefix = systemKeyPrefix(publicId);
        await auditApplication(tx, call, 'application.rotate-key', applicationId, { identifier, prefix });
        return { systemKey: key, systemKeyPrefix: prefix };
      },
      { committed: ({ systemKeyPrefix: prefix }) => this.hasKey(spaceId, identifier, prefix) },
    );
  }

  private async apply(
    tx: EntityManager,
    owner: { spaceId: string; applicationId: string; userId: string },
    manifest: ApplicationManifest,
    isNew: boolean,
  ): Promise<ApplicationManifestEntity> {
    await this.installer.apply(tx, owner, manifest);
    return putInstallation(tx, { ...owner, manifest, manifestHash: hashManifest(manifest) }, isNew);
  }

  /** Returns an installed application, which no other transaction can change until this one ends. */
  private async lockInstalled(tx: EntityManager, spaceId: string, identifier: string): Promise<Installed> {
    const application = await this.identities.lock(tx, spaceId, identifier);
    const installation = application?.installed && (await findInstallation(tx, spaceId, application.id));
    if (!application || !installation) throw notFound(`Application ${identifier} is not installed`);
    return { applicationId: application.id, installation };
  }

  private async toDetail(
    tx: EntityManager,
    installation: ApplicationManifestEntity,
  ): Promise<ApplicationDetail> {
    const { spaceId, applicationId } = installation;
    const states = await this.identities.describe(tx, spaceId, [applicationId]);
    return toApplicationDetail(installation, stateIn(states, applicationId));
  }

  /** Whether a key became the valid one of its application. */
  private async hasKey(spaceId: string, identifier: string, prefix: string | null): Promise<boolean> {
    return (await this.get(spaceId, identifier)).systemKeyPrefix === prefix;
  }
}

function stateIn<State>(states: ReadonlyMap<string, State>, applicationId: string): State {
  const state = states.get(applicationId);
  if (state === undefined) throw new Error(`Application ${applicationId} has a manifest but no identity`);
  return state;
}

function assertNotBuiltIn(identifier: string): void {
  if (identifier === BUILT_IN)
    throw conflict(
      `The identifier ${BUILT_IN} is reserved: PUT /api/notifications/events enables its events`,
    );
}
