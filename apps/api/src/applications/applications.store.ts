import type { ApplicationManifest } from '@platform/contracts';
import { LessThan, type EntityManager } from 'typeorm';
import { insertRow, updateRows } from '../infra/database/entity-rows.ts';
import { ApplicationManifestEntity } from './application-manifest.entity.ts';
import type { InstallationSummary } from './application-views.ts';

/** Lists installations without their manifests, which can be large, newest first. */
export function listInstallations(
  tx: EntityManager,
  spaceId: string,
  before: string | null,
  limit: number,
): Promise<InstallationSummary[]> {
  return tx.find(ApplicationManifestEntity, {
    select: {
      applicationId: true,
      spaceId: true,
      name: true,
      version: true,
      eventCount: true,
      tableCount: true,
      taskCount: true,
      installedBy: true,
      installedAt: true,
      updatedAt: true,
    },
    where: { spaceId, ...(before !== null && { applicationId: LessThan(before) }) },
    order: { applicationId: 'DESC' },
    take: limit,
  });
}

export function findInstallation(
  tx: EntityManager,
  spaceId: string,
  applicationId: string,
): Promise<ApplicationManifestEntity | null> {
  return tx.findOneBy(ApplicationManifestEntity, { spaceId, applicationId });
}

/** Whether this is the manifest that is installed, without reading it. */
export function isManifest(tx: EntityManager, applicationId: string, manifestHash: Buffer): Promise<boolean> {
  return tx.existsBy(ApplicationManifestEntity, { applicationId, manifestHash });
}

export interface NewInstallation {
  spaceId: string;
  applicationId: string;
  userId: string;
  manifest: ApplicationManifest;
  manifestHash: Buffer;
}

/** Stores the manifest that is installed. Requires the lock of the application. `isNew`: it was not installed before. */
export async function putInstallation(
  tx: EntityManager,
  { spaceId, applicationId, userId, manifest, manifestHash }: NewInstallation,
  isNew: boolean,
): Promise<ApplicationManifestEntity> {
  const values = {
    name: manifest.name,
    version: manifest.version,
    manifest,
    manifestHash,
    eventCount: manifest.events?.length ?? 0,
    tableCount: manifest.tables?.length ?? 0,
    taskCount: manifest.tasks?.length ?? 0,
    updatedAt: () => 'clock_timestamp()',
    ...(isNew && { installedBy: userId, installedAt: () => 'clock_timestamp()' }),
  };
  const [updated] = await updateRows(tx, ApplicationManifestEntity, { spaceId, applicationId }, values);
  if (updated) return updated;
  const owner = { spaceId, applicationId, installedBy: userId };
  return insertRow(tx, ApplicationManifestEntity, { ...values, ...owner });
}
